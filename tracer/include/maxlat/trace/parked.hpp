// SPDX-License-Identifier: MIT
//
// A field that waits in a vector register until its place in the ring is known.
//
// The code before that (read the clock, compare-exchange) needs nearly all of the registers that a function may use
// without saving them. With three fields more, gcc saves and restores two registers: four instructions of the
// fifty-four that an event has. The vector registers are free. One move puts a field there, which it would have
// needed with argument registers, too; one store takes it from there.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace maxlat::trace::detail {

template <class T>
class Parked {
 public:
  [[gnu::always_inline]] explicit Parked(T field) : field_(field) {}
  [[gnu::always_inline]] T field() const { return field_; }

 private:
  T field_;
};

#ifdef __SSE2__
template <class T>
requires((std::integral<T> || std::is_enum_v<T>)&&sizeof(T) == sizeof(double)) class Parked<T> {
 public:
  [[gnu::always_inline]] explicit Parked(T field) : field_(std::bit_cast<double>(field)) { asm("" : "+x"(field_)); }
  [[gnu::always_inline]] T field() const { return std::bit_cast<T>(field_); }
  // One store a field: gcc would join two of them in one register first, an instruction more than it saves.
  [[gnu::always_inline]] std::uint8_t* store(std::uint8_t* to) const {
    asm("movq %1, %0" : "=m"(*reinterpret_cast<Anything*>(to)) : "x"(field_));
    return to + sizeof(T);
  }

 private:
  typedef std::uint64_t Anything __attribute__((may_alias, aligned(1)));  // eight bytes, whatever was there
  double field_;
};
#endif

}  // namespace maxlat::trace::detail
