// SPDX-License-Identifier: MIT
//
// Writes a trace of events that are in no ring of ours, one after another: those of the kernel. The folder is as a
// recorder makes it (ctf_format.hpp), with the boot's clock, so that it is read together with those of programs.
//
//   auto writer = TraceWriter::create({...});
//   const auto channel = (*writer)->add_channel("kernel", StreamKind::kernel);
//   const auto id = (*writer)->add_event(channel, description);
//   const auto stream = (*writer)->add_stream(channel, cpu);
//   (*writer)->write(stream, id, ticks, payload); ... (*writer)->finish();
//
// A stream is one file, in packets of 64 KiB, or what was there at a flush. Its times do not go back: one that is
// smaller than the one before it is written as that. MEMORY: a packet a stream. THREADS: one at a time.
// WRITE ERRORS: as recorder.hpp: said once, then everything is counted (not_written).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/recorder.hpp>
#include <memory>
#include <span>
#include <string>

namespace maxlat::trace {

// Moves the calling thread to where the thread of a recorder may run: off isolated and tickless CPUs, or to those of
// MAXLAT_TRACE_CPUS (maxlat-trace(1)).
void run_where_recorders_do();

struct TraceWriterOptions {
  std::string directory{};  // exists; DIR/<process>-<pid> is made in it
  std::string session{};
  std::string process = "kernel";
  int pid = 0;
  std::string domain = "kernel";
  std::size_t channels = 1;  // at most
  std::function<void(const std::string& line)> say = [](const std::string&) {};
};

class TraceWriter {
 public:
  // ERRORS: a counter that cannot be trusted (Exit::cannot_run); the folder cannot be made.
  static base::Result<std::unique_ptr<TraceWriter>> create(const TraceWriterOptions& options);
  virtual ~TraceWriter() = default;

  virtual std::uint32_t add_channel(const std::string& name, StreamKind kind) = 0;
  // Before the first of these events is written. RETURNS: its id.
  virtual std::uint32_t add_event(std::uint32_t channel, const EventDescription& event) = 0;
  // RETURNS: its number. `owner`: CPU or thread.
  virtual std::size_t add_stream(std::uint32_t channel, std::uint32_t owner) = 0;

  // `payload`: context and fields (description.hpp), at most 1 MiB.
  virtual void write(std::size_t stream, std::uint32_t id, std::uint64_t ticks,
                     std::span<const std::uint8_t> payload) = 0;
  // So many events were lost here, behind what was written and before what comes. Where a flush has come in between,
  // only of the kernel's is that told exactly (StreamLoss).
  virtual void lose(std::size_t stream, std::uint64_t events) = 0;
  // What is there goes to disk.
  virtual void flush() = 0;

  // Everything that a channel's source knows beside; into its books before finish(). `produced` is counted here unless
  // it is given.
  struct Told {
    std::uint64_t produced = 0;
    std::uint64_t lost_full = 0;  // beyond those of lose(): nobody knows where
    std::uint64_t lost_first = 0;  // beyond those, too: before the channel's first event
    std::uint64_t lost_wrap = 0;
    std::uint64_t not_written = 0;  // taken from the source, and no event of a kind that is known
  };
  virtual void tell(std::uint32_t channel, const Told& told) = 0;
  // Writes the rest and the books. Nothing is written afterwards.
  virtual RecordingReport finish() = 0;
};

}  // namespace maxlat::trace
