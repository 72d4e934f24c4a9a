// SPDX-License-Identifier: MIT
#include "state_dump.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <maxlat/core/sys/starvation.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <sstream>
#include <utility>

namespace maxlat::trace_tools {
namespace {

namespace fs = std::filesystem;
using trace::Field;
using trace::FieldKind;

constexpr Field integer_field(std::string_view name) {
  return {.name = name, .kind = FieldKind::integer, .bytes = 4, .is_signed = true};
}
constexpr Field string_field(std::string_view name) {
  return {.name = name, .kind = FieldKind::string, .count = UINT16_MAX};
}
constexpr Field kProcess[] = {integer_field("tid"),     integer_field("pid"),    integer_field("ppid"),
                              string_field("name"),     integer_field("type"),   integer_field("mode"),
                              integer_field("submode"), integer_field("status"), integer_field("cpu")};
constexpr Field kInterrupt[] = {integer_field("irq"), string_field("name"), string_field("action")};
constexpr Field kSoftirq[] = {integer_field("vec"), string_field("name")};
constexpr Field kFunction[] = {{.name = "function", .kind = FieldKind::integer, .bytes = 8, .is_hex = true},
                               string_field("name")};

// LTTng's numbers (lttng-modules, lttng-statedump-impl.c): enum lttng_thread_type, lttng_execution_mode,
// lttng_process_status.
constexpr std::uint64_t kUserThread = 0, kKernelThread = 1, kModeUnknown = 5, kSubmodeUnknown = 1;
constexpr int kKernelThreads = 2;  // kthreadd, and the parent of all others

std::uint64_t status_of(char state) {
  switch (state) {
    case 'R':
      return 2;  // waits for a CPU, or has one: a switch tells
    case 'Z':
      return 4;
    case 'X':
      return 7;
    default:
      return 5;  // waits
  }
}

std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename();
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string line_of(const std::string& file) {
  const std::string text = core::read_file(file).value_or("");
  return text.substr(0, text.find('\n'));
}

}  // namespace

StateDump::StateDump(trace::TraceWriter& writer, std::string root) : writer_(writer), root_(std::move(root)) {
  const std::uint32_t channel = writer_.add_channel(kChannel, trace::StreamKind::kernel);
  const auto add = [&](const char* name, std::span<const Field> fields) {
    return writer_.add_event(channel, {"", name, trace::Level::info, fields});
  };
  start_ = add("lttng_statedump_start", {});
  end_ = add("lttng_statedump_end", {});
  process_ = add("lttng_statedump_process_state", kProcess);
  interrupt_ = add("lttng_statedump_interrupt", kInterrupt);
  softirq_ = add("maxlat_statedump_softirq", kSoftirq);
  function_ = add("maxlat_statedump_function", kFunction);
  stream_ = writer_.add_stream(channel, 0);
}

void StateDump::begin() {
  payload_.clear();
  number(static_cast<std::uint64_t>(::gettid()));
  payload_.resize(trace::kContextSize);
}

void StateDump::number(std::uint64_t value, std::size_t bytes) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&value);
  payload_.insert(payload_.end(), begin, begin + bytes);
}

void StateDump::text(const std::string& value) {
  payload_.insert(payload_.end(), value.begin(), std::find(value.begin(), value.end(), '\0'));
  payload_.push_back(0);
}

void StateDump::end(std::uint32_t id) {
  writer_.write(stream_, id, maxlat_counter_plain(), payload_);
}

void StateDump::thread(int pid, const std::string& stat) {
  const auto task = core::parse_task_stat(stat);
  if (!task) return;  // it has ended
  const bool of_kernel = pid == kKernelThreads || task->parent == kKernelThreads;
  begin();
  for (const int id : {task->id, pid, task->parent}) number(static_cast<std::uint64_t>(id));
  text(task->name);
  for (const std::uint64_t value : {of_kernel ? kKernelThread : kUserThread, kModeUnknown, kSubmodeUnknown,
                                    status_of(task->state), std::uint64_t{task->cpu}})
    number(value);
  end(process_);
}

void StateDump::processes() {
  const std::string proc = root_ + "/proc";
  for (const int pid : numbers_in(proc))
    for (const int tid : numbers_in(fmt::format("{}/{}/task", proc, pid)))
      thread(pid, core::read_file(fmt::format("{}/{}/task/{}/stat", proc, pid, tid)).value_or(""));
}

void StateDump::interrupts() {
  const std::string folder = root_ + "/sys/kernel/irq";
  for (const int irq : numbers_in(folder)) {
    const std::string chip = line_of(fmt::format("{}/{}/chip_name", folder, irq));
    std::istringstream actions(line_of(fmt::format("{}/{}/actions", folder, irq)));
    for (std::string action; std::getline(actions, action, ',');) {
      begin();
      number(static_cast<std::uint64_t>(irq));
      text(chip);
      text(action);
      end(interrupt_);
    }
  }
}

// "     NET_RX:   17   4": a line for each, in the order of their numbers.
void StateDump::softirqs() {
  std::istringstream lines(core::read_file(root_ + "/proc/softirqs").value_or(""));
  std::string line;
  std::getline(lines, line);  // the CPUs
  for (std::uint64_t vec = 0; std::getline(lines, line); ++vec) {
    const std::size_t begin_of_name = line.find_first_not_of(' '), colon = line.find(':');
    if (begin_of_name == line.npos || colon == line.npos) return;
    begin();
    number(vec);
    text(line.substr(begin_of_name, colon - begin_of_name));
    end(softirq_);
  }
}

void StateDump::write_state() {
  begin();
  end(start_);
  processes();
  interrupts();
  softirqs();
  begin();
  end(end_);
}

void StateDump::write_functions(const std::map<std::uint64_t, std::string>& names) {
  for (const auto& [address, name] : names) {
    if (name.empty()) continue;
    begin();
    number(address, 8);
    text(name);
    end(function_);
  }
}

}  // namespace maxlat::trace_tools
