// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <tuple>
#include <vector>

namespace maxlat::core {
namespace {

using namespace std::chrono_literals;

constexpr auto kAfterStop = 1s, kAfterPlannedEnd = 5s, kBeforeFirstSample = 10s, kStarving = 1s;
// Fields of proc(5), counted from the state, which is the first behind the name.
constexpr size_t kParent = 1, kUserTime = 11, kSystemTime = 12, kProcessor = 36, kPriority = 37, kPolicy = 38;

template <typename Number>
Number number(std::string_view word) {
  Number value{};
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

std::optional<int> id_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  return number<int>(name);
}

std::optional<TaskStat> read_task(const std::filesystem::path& folder) {
  const auto line = read_text(folder.string() + "/stat");
  return line ? parse_task_stat(*line) : std::nullopt;
}

// Who runs first of two runnable tasks.
auto rank_of(const TaskStat& task) {
  return std::tuple(task.policy == SCHED_DEADLINE, task.real_time_priority, task.cpu_clock_ticks);
}

const char* policy_name(int policy) {
  switch (policy) {
    case SCHED_FIFO:
      return "SCHED_FIFO";
    case SCHED_RR:
      return "SCHED_RR";
    case SCHED_DEADLINE:
      return "SCHED_DEADLINE";
    default:
      return "SCHED_OTHER";
  }
}

// Of a thread that is runnable but not running the kernel changes the queue at once, without that thread's help.
void move_off(const WatchedLoop& loop) {
  auto online = online_cpus();
  if (!online) return;
  const CpuList others = difference(*online, {loop.cpu});
  // On a box of one CPU there is nowhere to go: then it ends when the other task does.
  if (!others.empty()) AffinityMask(others).apply(loop.thread);
}

}  // namespace

std::optional<TaskStat> parse_task_stat(std::string_view line) {
  const size_t open = line.find('('), close = line.rfind(')');  // a name may have any character in it
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  std::vector<std::string_view> words;
  for (size_t at = close + 1; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \n", at);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(line.find_first_of(" \n", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = end;
  }
  if (words.size() <= kPolicy) return {};
  TaskStat task;
  task.id = number<int>(line.substr(0, line.find(' ')));
  task.name = line.substr(open + 1, close - open - 1);
  task.state = words[0][0];
  task.parent = number<int>(words[kParent]);
  task.cpu_clock_ticks = number<uint64_t>(words[kUserTime]) + number<uint64_t>(words[kSystemTime]);
  task.cpu = number<unsigned>(words[kProcessor]);
  task.real_time_priority = number<int>(words[kPriority]);
  task.policy = number<int>(words[kPolicy]);
  return task;
}

std::string to_string(const TaskStat& task) {
  const std::string priority = task.real_time_priority > 0 ? fmt::format(" {}", task.real_time_priority) : "";
  return fmt::format("{} (pid {}, {}{})", task.name, task.id, policy_name(task.policy), priority);
}

std::optional<TaskStat> task_that_has(unsigned cpu, const std::string& proc) {
  namespace fs = std::filesystem;
  std::optional<TaskStat> most;
  std::error_code gone;  // processes end while we look
  for (const auto& process : fs::directory_iterator(proc, gone)) {
    const auto id = id_of(process.path());
    if (!id || *id == ::getpid()) continue;
    for (const auto& thread : fs::directory_iterator(process.path() / "task", gone)) {
      auto task = read_task(thread.path());
      if (!task || task->state != 'R' || task->cpu != cpu) continue;
      if (!most || rank_of(*task) > rank_of(*most)) most = std::move(task);
    }
  }
  return most;
}

StarvationWatch::Clock::duration StarvationWatch::without_cpu(const WatchedLoop& loop, Clock::time_point now) {
  if (loop.finished || loop.thread == 0) return {};
  const auto task = read_task(fmt::format("{}/self/task/{}", proc_, loop.thread));
  if (!task) return {};
  const auto [seen, is_new] = seen_.try_emplace(loop.thread, Seen{task->cpu_clock_ticks, now});
  if (is_new || task->state != 'R' || task->cpu_clock_ticks != seen->second.cpu_clock_ticks)
    seen->second = {task->cpu_clock_ticks, now};
  return now - seen->second.since;
}

std::optional<std::string> StarvationWatch::look(std::span<const WatchedLoop> loops, bool stop_requested,
                                                 Clock::time_point now) {
  if (given_up_) return {};
  if (stop_requested && !stop_seen_) stop_seen_ = now;
  const bool must_have_ended =
      (stop_seen_ && now - *stop_seen_ >= kAfterStop) || (planned_end_ && now - *planned_end_ >= kAfterPlannedEnd);
  std::vector<WatchedLoop> starving;
  const WatchedLoop* given_up = nullptr;
  for (const WatchedLoop& loop : loops) {
    const auto waited = without_cpu(loop, now);
    if (waited < kStarving) continue;
    starving.push_back(loop);
    if (must_have_ended || (!loop.has_samples && waited >= kBeforeFirstSample)) given_up = &loop;
  }
  if (given_up == nullptr) return {};
  given_up_ = true;
  const auto task = task_that_has(given_up->cpu, proc_);
  for (const WatchedLoop& loop : starving) move_off(loop);
  return fmt::format("{} kept CPU {} from the loop{}", task ? to_string(*task) : "a task of higher priority",
                     given_up->cpu, given_up->has_samples ? "" : ", which has no sample");
}

}  // namespace maxlat::core
