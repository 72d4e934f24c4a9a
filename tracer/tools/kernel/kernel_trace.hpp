// SPDX-License-Identifier: MIT
//
// What each back end of `maxlat trace record --kernel` writes, whoever reads the events: a channel with a stream for
// each CPU, the state dump before it, and at the end the names of the functions that were met.
//
// A CPU's stream ends with an event that says up to where it is whole: maxlat_recording_end. Where the recorder was
// killed, or the disk was full, there is none.
//
// THREADS: one at a time, but for write_state().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/trace/trace_writer.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel_recording.hpp"
#include "state_dump.hpp"

namespace maxlat::trace_tools {

// How often a back end looks for events, where it found all the last time.
inline constexpr auto kReadKernelEvery = std::chrono::milliseconds(20);

// ERRORS: as TraceWriter::create(). What it makes on disk stays: the last of a back end's steps that can fail.
base::Result<std::unique_ptr<trace::TraceWriter>> make_kernel_writer(const KernelPlan& plan);

class KernelTrace {
 public:
  KernelTrace(std::unique_ptr<trace::TraceWriter> writer, const core::CpuList& cpus);

  // Before the first of these events is written. RETURNS: its id.
  std::uint32_t add_event(const trace::EventDescription& event) { return writer_->add_event(channel_, event); }

  // `place`: of the CPU in the list.
  void write(std::size_t place, std::uint32_t id, std::uint64_t tick, std::span<const std::uint8_t> payload) {
    writer_->write(streams_[place], id, tick, payload);
  }
  void lose(std::size_t place, std::uint64_t events) { writer_->lose(streams_[place], events); }
  // Its name will be told, unless there are too many.
  void met_function(std::uint64_t address);
  void met_caller(std::uint64_t address);  // the same, of an address within a function
  // Several times a second: what is there goes to disk now and then.
  void look_at_the_clock();

  // What was there before; while another thread writes events, which wait for nobody.
  void write_state() { dump_.write_state(); }
  // The last of a CPU: all that it recorded up to this tick is written, or told as lost.
  void end_of_cpu(std::size_t place, std::uint64_t tick);
  trace::RecordingReport finish(trace::TraceWriter::Told told);

 private:
  std::unique_ptr<trace::TraceWriter> writer_;  // locked
  const std::uint32_t channel_;
  const std::uint32_t end_of_recording_;
  StateDump dump_;
  std::vector<std::size_t> streams_;
  std::map<std::uint64_t, std::string> functions_, callers_;
  std::uint64_t ends_ = 0;
  std::chrono::steady_clock::time_point next_flush_;
};

}  // namespace maxlat::trace_tools
