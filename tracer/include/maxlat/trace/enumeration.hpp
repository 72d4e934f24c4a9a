// SPDX-License-Identifier: MIT
//
// The labels of an enumeration, so that it can be the type of a field: declared once, at global scope, behind the enum.
//
//   namespace motor { enum class State : std::uint8_t { idle, running, stopped }; }
//   MAXLAT_TRACE_ENUM(motor::State, idle, running, stopped)
//   MAXLAT_TRACE_EVENT(motor, changed, (motor::State, state))
//   MAXLAT_TRACE(motor, changed, motor::State::idle);                shown as ( "idle" : container = 0 )
//
// Each label is an enumerator's name and has its value; 1 to kMaxLabels of them. A value without label is recorded as
// every other, and shown as <unknown>; one with several labels is shown with all. The labels stand in the trace's
// description of itself, once an event: a record has the value alone, in the bytes of the underlying type.
//
// ERRORS, all of them when the program is compiled: no label, too many, one that is no enumerator; a field of an enum
// whose labels are not declared, or are declared behind the event. Labels that differ between two source files make
// the events that use them events that are declared twice (event.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <maxlat/trace/description.hpp>
#include <string_view>
#include <type_traits>

namespace maxlat::trace::detail {

// Of an enum without labels. MAXLAT_TRACE_ENUM makes those of the others.
template <class Enum>
struct EnumLabels {
  static constexpr bool kDeclared = false;
  static constexpr std::array<Label, 0> kLabels{};
};

// `names`: as the macro has them, with commas and blanks between. The list is split here and not by macros, which count
// only as far as somebody wrote them.
template <class Enum, std::size_t N>
consteval std::array<Label, N> labels_of(std::string_view names, const Enum (&values)[N]) {
  static_assert(N <= kMaxLabels, "an enumeration has at most kMaxLabels labels");
  std::array<Label, N> labels{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t begin = names.find_first_not_of(", ", at);
    at = names.find_first_of(", ", begin);
    if (at == names.npos) at = names.size();
    labels[i] = {names.substr(begin, at - begin),
                 static_cast<std::uint64_t>(static_cast<std::underlying_type_t<Enum>>(values[i]))};
  }
  return labels;
}

}  // namespace maxlat::trace::detail

// Hidden, as the events that refer to it: each shared object has its own.
#define MAXLAT_TRACE_ENUM(type_, ...)                                                          \
  template <>                                                                                  \
  struct [[gnu::visibility("hidden")]] maxlat::trace::detail::EnumLabels<type_> {              \
    static_assert(sizeof(#__VA_ARGS__) > 1, "MAXLAT_TRACE_ENUM(type, label, ...): no labels"); \
    static constexpr bool kDeclared = true;                                                    \
    static constexpr auto kLabels = [] {                                                       \
      using enum type_;                                                                        \
      constexpr type_ values[] = {__VA_ARGS__};                                                \
      return ::maxlat::trace::detail::labels_of(#__VA_ARGS__, values);                         \
    }();                                                                                       \
  };
