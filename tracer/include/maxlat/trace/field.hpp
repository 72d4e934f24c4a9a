// SPDX-License-Identifier: MIT
//
// The types that a field of an event may have, and for each how it is described, how many bytes it takes and how it is
// stored. The bytes are those of description.hpp, "payload layout".
//
//   (int, x) (std::uint64_t, x) (bool, x) (double, x)      integers, bool and floating of 1 to 8 bytes
//   (maxlat::trace::Hex<std::uint32_t>, x)                 an integer that is shown in base 16; given as the integer.
//                                                          Of an array or sequence of integers, too: Hex<short[3]>
//   (motor::State, x)                                      an enum with labels: MAXLAT_TRACE_ENUM, enumeration.hpp
//   (std::array<float, 3>, x) (float[3], x)                fixed array; given as either of the two
//   (maxlat::trace::Sequence<int, 64>, x)                  0 to 64 elements, from anything std::span<const int> takes
//   (maxlat::trace::String<64>, x)                         0 to 64 bytes, from std::string_view or const char*
//
// What is longer than its cap is cut, silently. A string ends at its first zero byte; a null pointer is an empty one. A
// zero byte that another thread writes into it while it is traced is recorded as '#' (text_store.hpp).
//
// COST: a scalar is one store at an offset the compiler knows, as long as only fixed fields stand before it. Nothing
// here allocates, throws or calls the system: usable from signal handlers.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <maxlat/trace/description.hpp>
#include <maxlat/trace/enumeration.hpp>
#include <maxlat/trace/text_store.hpp>
#include <span>
#include <string_view>
#include <type_traits>

namespace maxlat::trace {

template <class T>
concept Scalar = (std::integral<T> || std::same_as<T, float> || std::same_as<T, double>)&&sizeof(T) <= 8;

// Text of at most `Cap` bytes. Refers to the caller's bytes: for the length of one MAXLAT_TRACE.
template <std::uint16_t Cap>
class String {
 public:
  // An array has an end of its own, whether or not there is a zero byte before it.
  template <std::size_t N>
  String(const char (&text)[N]) : String(std::string_view(text, N)) {}
  template <class T>
  requires std::same_as<T, const char*> || std::same_as<T, char*> String(T text)
      : String(text, text == nullptr ? 0 : strnlen(text, Cap)) {}
  String(std::nullptr_t) : String(nullptr, 0) {}
  template <class T>
  requires(!std::is_array_v<T> && !std::is_pointer_v<T> && std::convertible_to<const T&, std::string_view>)
      String(const T& text)
      : String(std::string_view(text)) {}
  String(std::string_view text)
      : String(text.data(), text.empty() ? 0 : strnlen(text.data(), text.size() < Cap ? text.size() : Cap)) {}

  const char* bytes() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  String(const char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

  const char* bytes_;
  std::size_t size_;
};

// At most `Cap` elements. Refers to the caller's elements: for the length of one MAXLAT_TRACE.
template <Scalar T, std::uint16_t Cap>
class Sequence {
 public:
  template <class Range>
  requires std::convertible_to<const Range&, std::span<const T>> Sequence(const Range& elements)
      : Sequence(std::span<const T>(elements)) {}
  Sequence(std::span<const T> elements)
      : elements_(elements.data()), count_(static_cast<std::uint16_t>(elements.size() < Cap ? elements.size() : Cap)) {}

  const T* elements() const { return elements_; }
  std::uint16_t count() const { return count_; }

 private:
  const T* elements_;
  std::uint16_t count_;
};

// Exactly `N` elements, where they lie at the caller's.
template <Scalar T, std::size_t N>
class Array {
 public:
  Array(const std::array<T, N>& elements) : elements_(elements.data()) {}
  Array(const T (&elements)[N]) : elements_(elements) {}

  const T* elements() const { return elements_; }

 private:
  const T* elements_;
};

// What `T` is, shown in base 16; what is negative as its two's complement. A type of a field, never of a value.
template <class T>
struct Hex;

namespace detail {

template <class Bytes>
std::uint8_t* store_bytes(std::uint8_t* to, const Bytes* from, std::size_t size) {
  if (size != 0) std::memcpy(to, from, size);
  return to + size;
}

template <Scalar T>
constexpr Field describe_element(std::string_view name, FieldKind kind, std::size_t count) {
  return {name,
          kind,
          static_cast<std::uint8_t>(sizeof(T)),
          std::integral<T> && std::is_signed_v<T>,
          std::floating_point<T>,
          static_cast<std::uint16_t>(count)};
}

// For each type of field: `Given`, what a probe is handed; kFixedSize, 0 when it depends on the value; size of and
// store of a value.
template <class T>
struct FieldType;

template <Scalar T>
struct FieldType<T> {
  using Given = T;
  static constexpr std::size_t kFixedSize = sizeof(T);
  static constexpr Field describe(std::string_view name) {
    return describe_element<T>(name, std::integral<T> ? FieldKind::integer : FieldKind::floating, 0);
  }
  static std::size_t size(T) { return kFixedSize; }
  static std::uint8_t* store(std::uint8_t* to, T value) { return store_bytes(to, &value, sizeof(T)); }
};

template <class T>
requires std::is_enum_v<T>
struct FieldType<T> {
  static_assert(EnumLabels<T>::kDeclared,
                "this enum has no labels yet: declare them before the event, with MAXLAT_TRACE_ENUM(type, label, ...)");
  using Given = T;
  static constexpr std::size_t kFixedSize = sizeof(T);
  static constexpr Field describe(std::string_view name) {
    Field field = describe_element<std::underlying_type_t<T>>(name, FieldKind::enumeration, 0);
    field.labels = EnumLabels<T>::kLabels;
    return field;
  }
  static std::size_t size(T) { return kFixedSize; }
  static std::uint8_t* store(std::uint8_t* to, T value) { return store_bytes(to, &value, sizeof(T)); }
};

template <Scalar T, std::size_t N>
struct FieldType<std::array<T, N>> {
  static_assert(N > 0 && N <= UINT16_MAX, "an array field has 1 to 65535 elements");
  using Given = Array<T, N>;
  static constexpr std::size_t kFixedSize = N * sizeof(T);
  static constexpr Field describe(std::string_view name) { return describe_element<T>(name, FieldKind::array, N); }
  static std::size_t size(Given) { return kFixedSize; }
  static std::uint8_t* store(std::uint8_t* to, Given value) { return store_bytes(to, value.elements(), kFixedSize); }
};

template <Scalar T, std::size_t N>
struct FieldType<T[N]> : FieldType<std::array<T, N>> {};

template <Scalar T, std::uint16_t Cap>
struct FieldType<Sequence<T, Cap>> {
  using Given = Sequence<T, Cap>;
  static constexpr std::size_t kFixedSize = 0;
  static constexpr Field describe(std::string_view name) { return describe_element<T>(name, FieldKind::sequence, Cap); }
  static std::size_t size(Given value) { return sizeof(std::uint16_t) + value.count() * sizeof(T); }
  static std::uint8_t* store(std::uint8_t* to, Given value) {
    const std::uint16_t count = value.count();
    return store_bytes(store_bytes(to, &count, sizeof(count)), value.elements(), count * sizeof(T));
  }
};

template <std::uint16_t Cap>
struct FieldType<String<Cap>> {
  using Given = String<Cap>;
  static constexpr std::size_t kFixedSize = 0;
  static constexpr Field describe(std::string_view name) { return {name, FieldKind::string, 1, false, false, Cap}; }
  static std::size_t size(Given value) { return value.size() + 1; }
  static std::uint8_t* store(std::uint8_t* to, Given value) {
    to = store_text(to, value.bytes(), value.size());
    *to = 0;
    return to + 1;
  }
};

constexpr bool has_integers(const Field& field) {
  return field.kind == FieldKind::integer ||
         ((field.kind == FieldKind::array || field.kind == FieldKind::sequence) && !field.is_float);
}

// Only its description is another.
template <class T>
struct FieldType<Hex<T>> : FieldType<T> {
  static_assert(has_integers(FieldType<T>::describe({})), "Hex<> is of an integer, or of an array or sequence of them");
  static constexpr Field describe(std::string_view name) {
    Field field = FieldType<T>::describe(name);
    field.is_hex = true;
    return field;
  }
};

template <class T>
using Given = typename FieldType<T>::Given;

}  // namespace detail
}  // namespace maxlat::trace
