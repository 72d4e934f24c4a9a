// SPDX-License-Identifier: MIT
//
// A measuring loop whose CPU another task keeps: a SCHED_FIFO 99 program that never sleeps, for example. Such a loop
// sees neither its deadline nor a request to stop, and a killed thread needs its CPU to die, too. So the thread that
// started the loops watches them, names who has the CPU, and moves a loop that must end to another CPU, where it ends
// by itself.
//
// Given up is a loop that could run, has had no CPU time for a second or more, and
//   a second has passed since a stop was requested, or
//   five seconds have passed since its planned end, or
//   it has no sample yet, and has had no CPU time for ten seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace maxlat::core {

// A line of /proc/PID/task/TID/stat, the fields that matter here.
struct TaskStat {
  int id = 0;
  std::string name;
  char state = '?';
  uint64_t cpu_clock_ticks = 0;  // user and system time
  unsigned cpu = 0;
  int real_time_priority = 0;  // 0: none
  int policy = 0;              // SCHED_*
  int parent = 0;              // the process that started its process
};
std::optional<TaskStat> parse_task_stat(std::string_view line);
// "stress-ng (pid 812, SCHED_FIFO 99)"
std::string to_string(const TaskStat& task);

// The task outside of our process that wants CPU `cpu` most: of the highest class and priority among the runnable, then
// with the most CPU time. `proc` is another folder in tests.
std::optional<TaskStat> task_that_has(unsigned cpu, const std::string& proc = "/proc");

struct WatchedLoop {
  int thread = 0;  // id; 0: not there yet
  unsigned cpu = 0;
  bool finished = false;
  bool has_samples = false;
};

class StarvationWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Without a planned end only a stop or a missing first sample count.
  explicit StarvationWatch(std::optional<Clock::time_point> planned_end, std::string proc = "/proc")
      : planned_end_(planned_end), proc_(std::move(proc)) {}

  // To be called several times a second. When a loop has to be given up: who has its CPU, as a sentence; once. All
  // loops that have no CPU are then on other CPUs, and the caller makes them all stop.
  std::optional<std::string> look(std::span<const WatchedLoop> loops, bool stop_requested, Clock::time_point now);

 private:
  struct Seen {
    uint64_t cpu_clock_ticks = 0;
    Clock::time_point since;
  };
  // How long it could have run and did not.
  Clock::duration without_cpu(const WatchedLoop& loop, Clock::time_point now);

  std::optional<Clock::time_point> planned_end_;
  std::string proc_;
  std::optional<Clock::time_point> stop_seen_;
  std::map<int, Seen> seen_;
  bool given_up_ = false;
};

}  // namespace maxlat::core
