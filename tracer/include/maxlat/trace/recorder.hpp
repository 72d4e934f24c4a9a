// SPDX-License-Identifier: MIT
//
// The consuming side: takes the packets of one process's session out of the shared memory and writes them to disk
// (ctf_format.hpp). `maxlat trace record` runs it in a process of its own; InProcessRecorder runs it in a thread of the
// traced program itself.
//
//   Recorder::attach(memory) -> round() every period -> ... -> finish()
//
// A ROUND takes every packet that is ready and writes each straight from the mapping: the payload is never copied in
// user space, and the kernel copies it once, into the page cache (why not O_DIRECT: consumer/trace_file.hpp; splice
// from a memfd would end in the same copy). The CTF metadata is brought up to date before any packet that may need it.
// Rings are taken in the order of the room that their writers have left, the fullest first: that is looked at once,
// when the round begins, and for rings that have a packet only.
//
// FLUSH. The events in packets that are not full are taken once in `flush`, a time that each channel has. So an event
// is on disk after at most flush + period + the time of the write. The later, full packet is written without the part
// that was taken: each piece is a packet of its own, and no event is on disk twice.
//
// NAMES of threads (thread_names.hpp) are read when their rings are made, when the recorder sees that they were
// renamed, and at their end. Every 100 ms the recorder looks at 64 threads at most, in turn; and at all of them at a
// snapshot and at the end. The traced threads take no part but at their own end. A look is three system calls of the
// recorder's.
//
// FLIGHT RECORDER. Rings of overwriting channels are left alone until a snapshot is asked for: by snapshot(), or by the
// session's own request (requests in ring/freeze.h), at most once in `snapshot_interval`; requests that come sooner
// are counted and reported. Each snapshot is a whole trace in DIR/<n>. It takes what it writes out of the
// rings, so the next one begins where it ended. From a session's own request on, rings keep what they have until it is
// taken, ten seconds at most (ring/freeze.h); not so for a request that would be skipped. finish() takes the last one.
// A recorder that is not a flight recorder writes no snapshot, and says so in a line, once. Channels that discard are
// written to DIR/<process>-<pid> as always: the books in a folder are for the channels whose packets are in it.
//
// BOOKS. Every event that the program tried to record is in exactly one of the numbers; unaccounted() is 0, or the
// program has overwritten its own memory. They are written to DIR/<process>-<pid>/.books at the end.
//
// WRITE ERRORS. The file is cut back to its last whole packet; from then on nothing is written, but everything is still
// taken and counted (not_written), so that the traced program sees no difference. `say` gets one line.
//
// THREADS: one at a time. DEATH: a consumer that is killed leaves whole packets on disk, and the session as it was:
// another attaches and goes on; the packet in hand may then be written by both.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <maxlat/base/result.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

struct RecorderOptions {
  std::string directory;                        // exists; DIR/<process>-<pid> is made in it
  // Of polling, 0: without a rest. Wakeup channels are polled as often as they are flushed.
  std::chrono::nanoseconds period{1'000'000};
  std::chrono::nanoseconds flush{100'000'000};  // 0: never
  std::map<std::string, std::chrono::nanoseconds, std::less<>> flush_of = {};  // of channels with a time of their own
  bool flight_recorder = false;
  bool snapshots_only = false;  // and leave discarding channels alone
  std::chrono::nanoseconds snapshot_interval{1'000'000'000};
  // A requested snapshot is taken so long after its request, and up to half of each ring goes to what came then.
  std::chrono::nanoseconds post_trigger{0};
  std::function<void(const std::string& line)> say = [](const std::string&) {};  // from the recorder's thread
  // From there, too: one that was asked for is now taken, into a folder in this one.
  std::function<void(const std::string& folder)> on_snapshot = [](const std::string&) {};
};

// What became of the events of one channel. Of a flight recorder, an event that stood in an open packet when one
// snapshot was taken may be in the next, too: then it is in `recorded` twice, and by that in `produced`. `maxlat trace
// check` takes it off.
struct ChannelBooks {
  std::string name;
  std::uint64_t produced = 0;  // by the ring's own counters
  std::uint64_t recorded = 0;  // in the packets that were written
  std::uint64_t lost_full = 0;
  std::uint64_t lost_first = 0;  // of lost_full: before the channel's first event, where no packet can tell them
  std::uint64_t lost_wrap = 0;
  std::uint64_t lost_big = 0;
  std::uint64_t lost_no_ring = 0;
  std::uint64_t lost_frozen = 0;  // of channels that overwrite: while they kept what they had for a snapshot
  std::uint64_t overwritten = 0;  // in packets that newer ones replaced before they were taken
  std::uint64_t unfinished = 0;   // by threads that died inside a probe
  std::uint64_t not_written = 0;  // taken, but the disk did not take them
  std::uint64_t bytes = 0;        // on disk
  // Of channels that discard: the longest time from the first event of a packet to its write, in the counter's ticks.
  // No event waited longer for the disk.
  std::uint64_t delivery_max_ticks = 0;

  std::uint64_t lost() const { return lost_full + lost_wrap + lost_big + lost_no_ring + not_written; }
  std::int64_t unaccounted() const {
    return static_cast<std::int64_t>(produced - recorded - lost() - lost_frozen - overwritten - unfinished);
  }
};

enum class RecordingEnd {
  stopped,       // the session was stopped: no probe is inside
  producer_gone  // the process is dead, or has exec'd
};

struct RecordingReport {
  std::string trace;  // the folder
  std::vector<ChannelBooks> channels;
  std::uint64_t snapshots = 0;
  std::uint64_t snapshots_skipped = 0;
  std::uint64_t broken_rings = 0;  // that did not say what a ring can say
  bool write_failed = false;

  bool complete() const;  // nothing lost, nothing unaccounted for
};

// whoever: the session has no consumer; another: who has it, and is to be asked; nobody: who has it is no flight
// recorder, or wrote its last less than its snapshot_interval ago.
enum class SnapshotBy { whoever, another, nobody };

class Recorder {
 public:
  // `memory_fd` stays the caller's. ERRORS: not a session's memory; another consumer has it; the folder cannot be made;
  // snapshots_only, and no channel overwrites.
  static base::Result<Recorder> attach(int memory_fd, const RecorderOptions& options);
  // For who wants a snapshot: who would write it now. ERRORS: not a session's memory; no channel overwrites.
  static base::Result<SnapshotBy> snapshot_by(int memory_fd);
  // Behind a request to `another`: until that one has answered. RETURNS: false: it did not come in the time that it
  // gives itself.
  static base::Result<bool> await_snapshot(int memory_fd);
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;
  ~Recorder();

  // Everything that is due at `now` (of CLOCK_MONOTONIC).
  void round(std::chrono::nanoseconds now);
  // A snapshot now, if this is a flight recorder and the last was not less than snapshot_interval ago. RETURNS: it is
  // on disk, whole.
  bool snapshot(std::chrono::nanoseconds now);
  // Takes what is left and writes the books. Nothing is taken afterwards.
  RecordingReport finish(RecordingEnd end);

  const std::string& session() const;
  int pid() const;
  std::chrono::nanoseconds round_period() const;  // the flush's, if every channel delivers by wakeup

 private:
  class State;
  explicit Recorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One thread that serves any number of recorders. Its own: all signals blocked, SCHED_OTHER whoever starts it, timer
// slack of 1 ns, absolute deadlines. Missed deadlines are skipped, not made up.
class RecorderThread {
 public:
  RecorderThread();
  ~RecorderThread();  // REQUIRES: every recorder is finished, or its events may be given up
  RecorderThread(const RecorderThread&) = delete;
  RecorderThread& operator=(const RecorderThread&) = delete;

  using Id = std::uint64_t;
  // `wakeup_fd`: the session's eventfd, or -1; becomes ours.
  Id add(Recorder recorder, int wakeup_fd);
  void request_snapshot();  // of all
  RecordingReport finish(Id id, RecordingEnd end);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// The whole of it inside the traced program: no other process, no socket.
//
//   auto descriptors = session.descriptors();
//   auto recorder = InProcessRecorder::start(descriptors->memory, descriptors->wakeup, {.directory = "trace"});
//   ...
//   session.stop();
//   RecordingReport report = recorder->finish();
//
// After fork() the child's copy does nothing.
class InProcessRecorder {
 public:
  // Both descriptors become ours.
  static base::Result<InProcessRecorder> start(int memory_fd, int wakeup_fd, const RecorderOptions& options);
  InProcessRecorder(InProcessRecorder&&) noexcept;
  InProcessRecorder& operator=(InProcessRecorder&&) noexcept;
  ~InProcessRecorder();  // finishes, if finish() was not called

  void snapshot();
  RecordingReport finish();  // REQUIRES: the session is stopped, or what is inside a probe may be missed; once

 private:
  class State;
  explicit InProcessRecorder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace maxlat::trace
