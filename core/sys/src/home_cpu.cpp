// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/home_cpu.hpp>

namespace maxlat::core {
namespace {

bool is_bound_to(unsigned cpu) {
  const Result<CpuList> allowed = allowed_cpus();
  return !allowed || *allowed == CpuList{cpu};
}

}  // namespace

HomeCpu HomeCpu::of_this_thread(unsigned cpu) {
  const HomeCpu home(static_cast<int>(cpu));
  return home.is_here() || !is_bound_to(cpu) ? home : HomeCpu();
}

std::string HomeCpu::why_left(bool was_away) const {
  if (cpu_ < 0) return "";
  const auto cpu = static_cast<unsigned>(cpu_);
  if (!was_away && is_here() && is_bound_to(cpu)) return "";
  const Result<CpuList> online = online_cpus();
  if (online && !contains(*online, cpu)) return fmt::format("CPU {} went offline", cpu);
  return fmt::format("the thread on CPU {} was moved to another, as it is when that one goes offline", cpu);
}

std::string watched_until_it_left(const std::string& why_left, double exposure_s) {
  return fmt::format("{}; it was watched for {:.3f} s", why_left, exposure_s);
}

}  // namespace maxlat::core
