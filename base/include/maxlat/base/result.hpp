// SPDX-License-Identifier: MIT
//
// Result<T>: a value, or what went wrong, at every border that a user can reach.
//
// An Error is written for the person at the terminal: `text` completes "maxlat npt: ", `hint` says what to do about it,
// and `exit_status` is what the process will return (maxlat(1), EXIT STATUS). One place in cli/ turns an Error into
// output; the measured paths do not use it and do not throw.
//
//   Result<CpuList> cpus = parse_cpu_list(text);
//   if (!cpus) return cpus.error();
//   use(*cpus);
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace maxlat::base {

// The whole toolkit's exit statuses (maxlat(1), EXIT STATUS). "Not measured" is never "passed".
enum class Exit : int {
  pass = 0,
  error = 1,           // error or usage
  limit_exceeded = 2,  // measured, valid, and above a limit
  invalid = 3,         // the measurement is not valid: loss, throttling, dead load, unstable clock
  cannot_run = 77,     // cannot run here, with the reason
};

struct Error {
  std::string text;
  std::string hint{};
  Exit exit_status = Exit::error;
};

// What is asked for cannot be had here, and why.
inline Error cannot_run(std::string text, std::string hint = {}) {
  return {std::move(text), std::move(hint), Exit::cannot_run};
}
// "cannot set SCHED_FIFO 95: operation not permitted" from a system call's errno.
Error system_error(std::string what, int errno_value, std::string hint = {});

template <typename T = std::monostate>
class [[nodiscard]] Result {
 public:
  Result() requires std::is_same_v<T, std::monostate> : state_(T{}) {}
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // REQUIRES: ok().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  // REQUIRES: !ok().
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<>;

}  // namespace maxlat::base
