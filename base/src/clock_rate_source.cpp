// SPDX-License-Identifier: MIT
#include "clock_rate_source.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <maxlat/base/counter.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/owned.hpp>
#include <vector>

namespace maxlat::base {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool has_word(const std::string& text, const std::string& word) {
  return (" " + text + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace

std::optional<double> ticks_per_ns_from_kernel() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.exclude_kernel = 1;
  const Descriptor event(static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!event) return {};
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const memory = mmap(nullptr, page_bytes, PROT_READ, MAP_SHARED, event.number(), 0);
  if (memory == MAP_FAILED) return {};
  const Mapping mapped(memory, page_bytes);
  const volatile auto* page = static_cast<const volatile perf_event_mmap_page*>(memory);
  // The kernel writes the page under this sequence lock; a copy made while it did is thrown away.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const uint32_t sequence = page->lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const bool usable = page->cap_user_time != 0;
    const uint32_t mult = page->time_mult;
    const uint16_t shift = page->time_shift;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page->lock != sequence) continue;
    if (!usable || mult == 0 || shift > 62) return {};
    return std::ldexp(1.0, shift) / mult;
  }
  return {};
}

#if defined(__x86_64__)
std::optional<double> ticks_per_ns_from_cpuid() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  // The leaf gives the crystal's rate in Hz and the ratio counter / crystal; any of the three may be left at 0.
  if (__get_cpuid_max(0, nullptr) >= 0x15) {
    __cpuid(0x15, a, b, c, d);
    if (a != 0 && b != 0 && c != 0) return static_cast<double>(c) * b / a / 1e9;
  }
  __cpuid(1, a, b, c, d);
  const bool hypervisor = (c >> 31 & 1) != 0;
  if (hypervisor) {
    __cpuid(0x40000000, a, b, c, d);
    if (a >= 0x40000010 && a < 0x40010000) {
      __cpuid(0x40000010, a, b, c, d);
      if (a != 0) return static_cast<double>(a) / 1e6;  // kHz
    }
  }
  return {};
}

static bool counter_is_invariant() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}
constexpr const char* kKernelName = "tsc";
#else
std::optional<double> ticks_per_ns_from_cpuid() {
  uint64_t hz;
  __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
  if (hz == 0) return {};
  return static_cast<double>(hz) / 1e9;
}

static bool counter_is_invariant() {
  return true;
}  // by architecture
constexpr const char* kKernelName = "arch_sys_counter";
#endif

MeasuredRate measure_ticks_per_ns(unsigned spans, uint64_t span_ns) {
  std::vector<double> rates;
  Moment start = read_both(CLOCK_MONOTONIC_RAW);
  for (unsigned i = 0; i < spans; ++i) {
    while (clock_ns(CLOCK_MONOTONIC_RAW) - start.ns < span_ns) continue;
    const Moment end = read_both(CLOCK_MONOTONIC_RAW);
    rates.push_back(static_cast<double>(end.ticks - start.ticks) / static_cast<double>(end.ns - start.ns));
    start = end;
  }
  std::sort(rates.begin(), rates.end());
  const double median = rates[rates.size() / 2];
  return {median, (rates.back() - rates.front()) / 2 / median * 1e6};
}

// Clocks that a hypervisor gives its guests as base + (counter - start) * rate (virt/kvm/x86/msr.rst,
// MSR_KVM_SYSTEM_TIME_NEW; virt/hyperv/clocks.rst).
static bool is_made_from_the_counter(const std::string& clock_source) {
  return clock_source == "kvm-clock" || clock_source == "hyperv_clocksource_tsc_page";
}

CounterTrust judge_counter(bool invariant, const KernelClocks& kernel) {
  const auto& [available, current, boot_parameters] = kernel;
  if (!invariant) return {false, "the processor does not promise an invariant counter (CPUID 80000007h EDX bit 8)"};
  if (available.empty()) return {true, "invariant counter; the kernel's list of clock sources cannot be read"};
  if (!has_word(available, kKernelName)) {
    if (has_word(boot_parameters, "tsc=unstable") && is_made_from_the_counter(current))
      return {true, "invariant counter; the kernel was booted with tsc=unstable, and keeps time with " + current +
                        ", which is made from this counter"};
    return {false, std::string("the kernel has marked the counter unstable: ") + kKernelName +
                       " is not among its clock sources (" + available + ")"};
  }
  if (current == kKernelName) return {true, "invariant counter, and the kernel's own clock source"};
  return {true, "invariant counter; the kernel keeps time with " + current};
}

CounterTrust counter_trust() {
  const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
  KernelClocks kernel{.available = first_line(folder + "available_clocksource"),
                      .current = first_line(folder + "current_clocksource"),
                      .boot_parameters = first_line("/proc/cmdline")};
  kernel.available.erase(kernel.available.find_last_not_of(" \n") + 1);
  return judge_counter(counter_is_invariant(), kernel);
}

}  // namespace maxlat::base
