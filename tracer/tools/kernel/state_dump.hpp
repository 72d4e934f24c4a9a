// SPDX-License-Identifier: MIT
//
// What was there before the first event: processes and their threads with their names, interrupt lines with their
// handlers, the names of softirqs. Written as events beside the kernel's, in a channel of its own, as LTTng's tracer
// writes its state dump; so the events are named from the first one on, and in any reader. The names of functions,
// which LTTng does not tell, come at the end, when it is known which are wanted.
//
//   lttng_statedump_start, _end
//   lttng_statedump_process_state { tid, pid, ppid, name, type, mode, submode, status, cpu }   of each thread
//   lttng_statedump_interrupt { irq, name, action }                                            of each handler
//   maxlat_statedump_softirq { vec, name }
//   maxlat_statedump_function { function, name }
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/trace/trace_writer.hpp>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class StateDump {
 public:
  static constexpr const char* kChannel = "statedump";

  // `writer` lives longer. `root` is "/" in life.
  explicit StateDump(trace::TraceWriter& writer, std::string root = "/");

  void write_state();
  void write_functions(const std::map<std::uint64_t, std::string>& names);

 private:
  void begin();
  void number(std::uint64_t value, std::size_t bytes = 4);
  void text(const std::string& value);
  void end(std::uint32_t id);
  void processes();
  void thread(int pid, const std::string& stat);
  void interrupts();
  void softirqs();

  trace::TraceWriter& writer_;
  const std::string root_;
  std::uint32_t start_ = 0, end_ = 0, process_ = 0, interrupt_ = 0, softirq_ = 0, function_ = 0;
  std::size_t stream_ = 0;
  std::vector<std::uint8_t> payload_;
};

}  // namespace maxlat::trace_tools
