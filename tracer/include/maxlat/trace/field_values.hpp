// SPDX-License-Identifier: MIT
//
// The fields of one record, one after another, typed by the event's description. The payload is foreign: what does not
// fit in it ends the walk, and broken() says so.
//
//   FieldValues values(event.type->fields, event.payload);
//   for (FieldValue value; values.next(value);) ...
#pragma once

#include <cstdint>
#include <cstring>
#include <maxlat/trace/description.hpp>
#include <span>
#include <string_view>

namespace maxlat::trace {

struct FieldValue {
  const Field* field = nullptr;
  const std::uint8_t* bytes = nullptr;  // of the first element, or of a string
  std::size_t count = 0;                // elements: 1 of a scalar; bytes of a string, its zero not counted

  bool is_floating() const { return field->kind == FieldKind::floating || field->is_float; }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes), count}; }

  // Of element i, whatever its width. REQUIRES: i < count, an element of that kind.
  std::uint64_t unsigned_at(std::size_t i) const {
    switch (field->bytes) {
      case 1:
        return load<std::uint8_t>(i);
      case 2:
        return load<std::uint16_t>(i);
      case 4:
        return load<std::uint32_t>(i);
      default:
        return load<std::uint64_t>(i);
    }
  }
  std::int64_t signed_at(std::size_t i) const {
    switch (field->bytes) {
      case 1:
        return load<std::int8_t>(i);
      case 2:
        return load<std::int16_t>(i);
      case 4:
        return load<std::int32_t>(i);
      default:
        return load<std::int64_t>(i);
    }
  }
  // Of an enumeration, as Label::value has it.
  std::uint64_t enumerator() const {
    return field->is_signed ? static_cast<std::uint64_t>(signed_at(0)) : unsigned_at(0);
  }
  double floating_at(std::size_t i) const {
    return field->bytes == 4 ? static_cast<double>(load<float>(i)) : load<double>(i);
  }

 private:
  template <typename Number>
  Number load(std::size_t i) const {
    Number number;
    std::memcpy(&number, bytes + i * sizeof number, sizeof number);
    return number;
  }
};

class FieldValues {
 public:
  FieldValues(std::span<const Field> fields, std::span<const std::uint8_t> payload) : fields_(fields), left_(payload) {}

  // False when there are no more, or the next one does not fit in the payload.
  bool next(FieldValue& value) {
    if (at_ == fields_.size() || broken_) return false;
    const Field& field = fields_[at_++];
    value.field = &field;
    value.count = 1;
    switch (field.kind) {
      case FieldKind::integer:
      case FieldKind::floating:
      case FieldKind::enumeration:
        break;
      case FieldKind::array:
        value.count = field.count;
        break;
      case FieldKind::sequence: {
        std::uint16_t count = 0;
        if (left_.size() < sizeof count) return fail();
        std::memcpy(&count, left_.data(), sizeof count);
        left_ = left_.subspan(sizeof count);
        value.count = count;
        break;
      }
      case FieldKind::string:
        return next_string(value);
    }
    const std::size_t size = value.count * field.bytes;
    if (size > left_.size()) return fail();
    value.bytes = left_.data();
    left_ = left_.subspan(size);
    return true;
  }

  bool broken() const { return broken_; }
  std::size_t left() const { return left_.size(); }  // bytes behind the fields walked so far

 private:
  bool fail() {
    broken_ = true;
    return false;
  }
  bool next_string(FieldValue& value) {
    const void* zero = left_.empty() ? nullptr : std::memchr(left_.data(), 0, left_.size());
    if (zero == nullptr) return fail();
    value.bytes = left_.data();
    value.count = static_cast<std::size_t>(static_cast<const std::uint8_t*>(zero) - left_.data());
    left_ = left_.subspan(value.count + 1);
    return true;
  }

  std::span<const Field> fields_;
  std::span<const std::uint8_t> left_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

}  // namespace maxlat::trace
