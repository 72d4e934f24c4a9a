// SPDX-License-Identifier: MIT
// Who had the time of the gaps of a loop, by the same watch that npt's --kernel-events has. For exact mode, which has
// one CPU, so that npt does not watch there, and in which an instruction is a tick, and a nanosecond; with CPU for a
// machine that has others, and whose counter has another rate.
//
//   planted_gaps module|tracefs MILLISECONDS PLANT [CPU]
//
// PLANT is a command of the planter (planter_main.c), or what this program does itself:
//   task FIRST EVERY LENGTH COUNT    another thread of a higher priority takes the CPU so often
//   fault FIRST EVERY COUNT          the loop touches memory for the first time
//   none
// Prints "plant KIND BEGAN LENGTH" of those (the planter's own are in its ledger), then "gap FROM TO", in ticks, and
// behind each "part NS NAME", the largest first. Fails where the parts of a gap are not the gap, to the tick.
#include <maxlat/base/counter.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <maxlat/attribution/kernel_watch.hpp>
#include <maxlat/base/clock.hpp>
#include <maxlat/core/sys/realtime.hpp>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "or_fail.hpp"

namespace {

using maxlat::core::Policy;

constexpr int kLoopPriority = 50, kTaskPriority = 80;
constexpr double kGapAbove_ns = 1'000;
constexpr double kGapInTurnsAbove_ns = 200'000;  // with CPU: others have its host's in between, all the time
constexpr std::size_t kMostGaps = 1'000, kPage = 4096;

struct Series {
  std::uint64_t first = 0, every = 0, length = 0, count = 0;
};

void note(const char* kind, std::uint64_t began, std::uint64_t length) {
  std::printf("plant %s %" PRIu64 " %" PRIu64 "\n", kind, began, length);
}

unsigned loop_cpu = 0;  // of the loop and of what comes into it

void be_real_time(int priority) {
  must(maxlat::core::become_real_time_on(loop_cpu, {.policy = Policy::fifo, .priority = priority}));
}

// On PREEMPT_RT what an interrupt raises as a softirq runs in this thread, and it has no priority of its own.
void let_softirqs_in() {
  std::error_code none;
  for (const auto& process : std::filesystem::directory_iterator("/proc", none)) {
    std::string name;
    std::ifstream(process.path() / "comm") >> name;
    if (name != "ksoftirqd/0") continue;
    const sched_param priority{kTaskPriority};
    if (sched_setscheduler(std::stoi(process.path().filename()), SCHED_FIFO, &priority) == 0) return;
  }
  fail("no ksoftirqd");
}

struct Turns {
  std::binary_semaphore ready{0}, begin{0}, end{0};
};

// From the loop's begin on; its own end is behind the loop's.
std::vector<std::uint64_t> intrude(const Series& series, Turns& turns) {
  prctl(PR_SET_NAME, "intruder");
  be_real_time(kTaskPriority);
  std::vector<std::uint64_t> began;
  began.reserve(series.count);
  turns.ready.release();
  turns.begin.acquire();
  timespec due{};
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (std::uint64_t wait = series.first; began.size() < series.count; wait = series.every) {
    const std::uint64_t ns = static_cast<std::uint64_t>(due.tv_nsec) + wait;
    due = {due.tv_sec + static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
    began.push_back(maxlat_counter_fenced());
    while (maxlat_counter_fenced() - began.back() < series.length) continue;
  }
  turns.end.acquire();
  return began;
}

// Touched one page after the other.
class FreshMemory {
 public:
  explicit FreshMemory(const Series& series) : series_(series) {
    if (series.count == 0) return;
    where_ = static_cast<volatile char*>(
        mmap(nullptr, series.count * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (where_ == MAP_FAILED) fail("no memory");
    madvise(const_cast<char*>(where_), series.count * kPage, MADV_NOHUGEPAGE);
    began_.reserve(series.count);
  }
  void begin(std::uint64_t now) { next_ = now + series_.first; }
  void touch(std::uint64_t now) {
    if (began_.size() >= series_.count || now < next_) return;
    where_[began_.size() * kPage] = 1;
    began_.push_back(now);
    next_ += series_.every;
  }
  void tell() const {
    for (const std::uint64_t began : began_) note("fault", began, 0);
  }

 private:
  const Series series_;
  volatile char* where_ = nullptr;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> began_;
};

void measure(std::uint64_t length, std::uint64_t gap_above, maxlat::core::AskedGaps& gaps, FreshMemory& memory) {
  gaps.watch(gettid());
  std::uint64_t before = maxlat_counter_fenced();
  const std::uint64_t end = before + length;
  gaps.begin(before);
  memory.begin(before);
  while (before < end) {
    memory.touch(before);
    const std::uint64_t now = maxlat_counter_fenced();
    if (now - before > gap_above && !gaps.ask(now - before, now)) fail("there are more gaps than can be asked for");
    before = now;
  }
  gaps.end(before);
}

void tell(const maxlat::attribution::AccountedGap& gap, double ticks_per_ns) {
  std::printf("gap %" PRIu64 " %" PRIu64 "\n", gap.end - gap.ticks, gap.end);
  double sum = 0;
  for (const auto& part : gap.parts) {
    std::printf("part %.0f %s\n", part.ns, maxlat::core::name_of(part).c_str());
    sum += part.ns;
  }
  if (std::llround(sum * ticks_per_ns) != static_cast<long long>(gap.ticks)) fail("the parts of a gap are not the gap");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && count != 5) return 2;
  const std::string backend = arguments[1], plant = arguments[3];
  double ticks_per_ns = 1, gap_above_ns = kGapAbove_ns;
  if (count == 5) {
    gap_above_ns = kGapInTurnsAbove_ns;
    loop_cpu = static_cast<unsigned>(std::strtoul(arguments[4], nullptr, 10));
    ticks_per_ns = maxlat::base::calibrate().ticks_per_ns;
  }
  const auto length = static_cast<std::uint64_t>(std::strtod(arguments[2], nullptr) * 1e6 * ticks_per_ns);
  Series task, fault;
  const bool own = std::sscanf(plant.c_str(), "task %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &task.first,
                               &task.every, &task.length, &task.count) == 4 ||
                   std::sscanf(plant.c_str(), "fault %" SCNu64 " %" SCNu64 " %" SCNu64, &fault.first, &fault.every,
                               &fault.count) == 3 ||
                   plant == "none";
  auto watch = maxlat::attribution::KernelWatch::start(
      {.cpus = {loop_cpu}, .ticks_per_ns = ticks_per_ns, .gaps_kept = kMostGaps, .backend = backend});
  if (!watch) fail(watch.error().text);
  if (backend != (*watch)->backend()) fail("it is recorded by " + std::string((*watch)->backend()));
  FreshMemory memory(fault);
  if (plant.starts_with("softirq")) let_softirqs_in();
  Turns turns;
  std::vector<std::uint64_t> intrusions;
  std::thread intruder([&] { intrusions = intrude(task, turns); });
  turns.ready.acquire();
  std::thread([&] {
    be_real_time(kLoopPriority);
    turns.begin.release();
    if (!own && !(std::ofstream("/sys/kernel/debug/maxlat_planter/command") << plant << std::flush))
      fail("the planter refuses \"" + plant + "\"");
    measure(length, static_cast<std::uint64_t>(gap_above_ns * ticks_per_ns), (*watch)->gaps_of(loop_cpu), memory);
    turns.end.release();
  }).join();
  intruder.join();
  for (const std::uint64_t began : intrusions) note("task", began, task.length);
  memory.tell();
  const auto result = (*watch)->finish();
  if (result.lost != 0 || !result.damage.empty()) fail("events are lost: " + result.damage);
  for (const auto& gap : result.cpus[0]) tell(gap, ticks_per_ns);
  return 0;
}
