// SPDX-License-Identifier: MIT
#include <maxlat/base/counter.h>

#include <maxlat/base/moment.hpp>

namespace maxlat::base {
namespace {

constexpr int kTries = 16;

}  // namespace

std::uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

Moment read_both(clockid_t clock) {
  Moment best;
  std::uint64_t shortest = UINT64_MAX;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::uint64_t before = maxlat_counter_fenced();
    const std::uint64_t ns = clock_ns(clock);
    const std::uint64_t after = maxlat_counter_fenced();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best = {before + shortest / 2, ns};
  }
  return best;
}

}  // namespace maxlat::base
