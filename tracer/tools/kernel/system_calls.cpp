// SPDX-License-Identifier: MIT
#include "system_calls.hpp"

#include <asm/unistd.h>

#include <algorithm>
#include <iterator>

namespace maxlat::trace_tools {
namespace {

struct Call {
  std::int64_t number;
  const char* name;
};
constexpr Call kCalls[] = {
#define CALL(name) {__NR_##name, #name},
#include <system_call_names.inc>  // made by CMake of the compiler's <asm/unistd.h>
#undef CALL
};

}  // namespace

std::string system_call_name(std::int64_t number) {
  const auto* const found =
      std::find_if(std::begin(kCalls), std::end(kCalls), [&](const Call& call) { return call.number == number; });
  return found == std::end(kCalls) ? "unknown" : found->name;
}

std::uint32_t SystemCallEvents::of(std::int64_t number, const trace::EventDescription& any, const AddEvent& add) {
  const auto known = ids_.find(number);
  if (known != ids_.end()) return known->second;
  const std::string name = std::string(any.name) + system_call_name(number);
  trace::EventDescription one = any;
  one.name = name;
  return ids_[number] = add(one);
}

}  // namespace maxlat::trace_tools
