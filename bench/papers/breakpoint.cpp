// SPDX-License-Identifier: MIT
//
// paper_breakpoint [ROUNDS]: a breakpoint alone against a whole probe (Desnoyers 2012, section 5.8: an empty Kprobe
// takes 7.8 times as long as a probe of LTTng).
//
// The breakpoint is a uprobe that only counts (perf_event_open, no buffer): where a program has one, the kernel puts
// an int3, and when it is hit either acts as the instruction would have (a nop), or executes a copy of it in a single
// step, as a Kprobe of that time did. Newer kernels (6.17 and later) may turn the breakpoint on a nop of five bytes
// into a call; so that is a row of its own. Each probe's own count must be the number of turns, or there is no figure.
// The whole probe: MAXLAT_TRACE of three fields, a flight recorder.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/trace.hpp>
#include <optional>

#include "flight_recorder.hpp"
#include "rounds.hpp"

MAXLAT_TRACE_EVENT(papers, probe, (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c))

extern "C" {
void maxlat_papers_nobody(void);
void maxlat_papers_nop(void);
void maxlat_papers_step(void);
void maxlat_papers_long_nop(void);
}
asm(R"(
  .text
  .macro place name, instruction:vararg
  .p2align 6
  .globl \name
  .type \name, @function
\name:
  \instruction
  ret
  .size \name, .-\name
  .endm
  place maxlat_papers_nobody, nop
  place maxlat_papers_nop, nop
  place maxlat_papers_step, mov %rdi, %rax
  place maxlat_papers_long_nop, .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
)");

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

constexpr uint64_t kBreakpoints = 2000;  // in a turn of its arm

template <void (*place)()>
[[gnu::noinline]] void calls(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) place();
}
void system_calls(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) ::syscall(SYS_getppid);
}
void probes(uint64_t turns) {
  for (uint64_t i = 0; i < turns; ++i) MAXLAT_TRACE(papers, probe, i, i, i);
}

// The offset in our own file of something in its text.
std::optional<uint64_t> offset_of(void (*place)()) {
  const auto address = reinterpret_cast<uintptr_t>(place);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, offset = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && address >= begin && address < end)
      return address - begin + offset;
  }
  return {};
}

// A breakpoint that counts, until the descriptor is closed. Not valid: errno says why.
base::Descriptor breakpoint(void (*place)()) {
  int type = -1;
  std::ifstream("/sys/bus/event_source/devices/uprobe/type") >> type;
  const auto offset = offset_of(place);
  if (type < 0 || !offset) {
    errno = ENODEV;
    return {};
  }
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = static_cast<uint32_t>(type);
  attributes.config1 = reinterpret_cast<uintptr_t>("/proc/self/exe");
  attributes.config2 = *offset;
  return base::Descriptor(
      static_cast<int>(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

struct Breakpoint {
  std::string_view name;
  void (*place)();
  void (*run)(uint64_t);
};
constexpr std::array kBreakpointRows = {
    Breakpoint{"breakpoint on a nop", maxlat_papers_nop, calls<maxlat_papers_nop>},
    Breakpoint{"breakpoint and a single step", maxlat_papers_step, calls<maxlat_papers_step>},
    Breakpoint{"breakpoint on a nop of five bytes", maxlat_papers_long_nop, calls<maxlat_papers_long_nop>}};
constexpr size_t kFirst = 5, kProbe = 4;

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 101);
  if (rounds == 0) return 1;
  const base::CounterClock clock = base::calibrate();
  fmt::print("## A breakpoint and a probe (Desnoyers 2012, section 5.8)\n\n");
  begin_on_one_cpu(clock);
  std::array<base::Descriptor, kBreakpointRows.size()> counters;
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] = breakpoint(kBreakpointRows[i].place);
    if (counters[i]) continue;
    fmt::print("no breakpoint can be set: {} (needs root, and a kernel with uprobes)\n", std::strerror(errno));
    return 77;
  }
  const trace::Session session = flight_recorder(clock, {{.name = "probe"}});
  std::vector<Arm> arms = {{"nothing", empty_loop},
                           {"counter read", counter_reads},
                           {"call of a function", calls<maxlat_papers_nobody>},
                           {"system call (getppid)", system_calls},
                           {"MAXLAT_TRACE, three fields", probes}};
  for (const Breakpoint& row : kBreakpointRows) arms.push_back({row.name, row.run, kBreakpoints});
  const Outcome outcome = run_rounds(arms, rounds, clock);
  for (size_t i = 0; i < counters.size(); ++i) {
    uint64_t hits = 0;
    const uint64_t turns = (uint64_t{outcome.rounds} + 1) * kBreakpoints;
    if (::read(counters[i].number(), &hits, sizeof hits) == sizeof hits && hits == turns) continue;
    fmt::print("{}: hit {} times of {}\n", kBreakpointRows[i].name, hits, turns);
    return 1;
  }
  fmt::print("{} Each breakpoint was hit in every turn.\n\n", about_rounds(outcome));
  fmt::print("| what | ns | to the probe |\n|---|--:|--:|\n");
  for (size_t i = 0; i < arms.size(); ++i)
    fmt::print("| {} | {:.1f} | {:.2f} |\n", arms[i].name, outcome.costs[i].ns,
               outcome.costs[i].ns / outcome.costs[kProbe].ns);
  fmt::print("\nA breakpoint and a single step take {:.0f} times as long as a whole probe.\n",
             outcome.costs[kFirst + 1].ns / outcome.costs[kProbe].ns);
  return 0;
}
