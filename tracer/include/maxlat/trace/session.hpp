// SPDX-License-Identifier: MIT
//
// Sessions: which events go where. Start here to record from inside a program; `maxlat trace` makes the same calls
// through the control socket (control.hpp).
//
//   auto session = Session::create({.name = "run"});
//   session->add_channel({.name = "all"});
//   session->enable("all", "motor:*");
//   session->start();
//   ...
//   session->stop();                       the books are exact from here on
//
// A Session is a handle, to copy at will; the session itself lives until destroy() or the end of the process, its
// memory until the last handle and the last consumer are gone, too.
//
// A session owns up to 8 channels; a process has at most 32 running: 16 with a ring per thread and timer delivery (the
// fast kind), 16 others. ENABLING is by pattern (`*` and `?`) and level; rules apply in order, the last one that
// matches an event decides, and events that are registered later (dlopen) obey them, too. A rule that is added while
// the session runs takes effect at once. An event goes to every channel that wants it.
//
// MEMORY is one memfd (shm/session_layout.h), made by the first start(); a ring costs memory when its thread claims it,
// before its first event or in prepare_thread() (thread.hpp), on the NUMA node where the thread is then; rings of CPUs
// are on those of their CPUs. A consumer takes packets from there, in this process or in another; without one, a
// discarding channel fills up and drops, an overwriting one keeps the latest.
//
// stop() returns when no probe is inside any more and every ring is flushed. It waits only for probes that were
// interrupted. Limit: for a thread that is stopped (SIGSTOP, a debugger), or that left a probe by siglongjmp() out of a
// handler, it waits ten seconds; then stop() returns an error that says so, and memory is not given back. The next call
// waits again; start() does, too, and is refused while the thread is there.
//
// THREADS: any, serialised inside; not from signal handlers, but for request_snapshot(). fork(): the child has no
// sessions; its Session objects say "destroyed", its events are disabled, its control is closed. Also from a handler,
// one that interrupted a probe included; it waits for no probe (session/fork.hpp). exec() ends it all.
// ERRORS: base::Result, one line.
#pragma once

#include <chrono>
#include <cstdint>
#include <maxlat/base/clock.hpp>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/description.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

enum class Ownership { per_thread, per_cpu };
enum class FullBuffer { discard, overwrite };
enum class Delivery { timer, wakeup };
// What each event of a channel has beside its own fields.
enum class Context { none, cpu };

struct ChannelOptions {
  std::string name = "channel0";
  FullBuffer when_full = FullBuffer::discard;
  Ownership ownership = Ownership::per_thread;
  Delivery delivery = Delivery::timer;
  std::uint64_t sub_buffer_size = 1 << 20;  // bytes, a power of two
  std::uint32_t sub_buffers = 4;            // a power of two, 2 at least
  std::uint32_t slots = 64;                 // rings of threads at one time; per CPU there are as many as CPUs
  // cpu: the CPU that the thread was on beside the event's time, which is read before or after it without a lock: a
  // thread that is moved in between has either. Eight bytes more a record. Rings per CPU tell it anyway.
  Context context = Context::none;
};

struct SessionOptions {
  std::string name;
  // For callers that have calibrated already; without it the first start() does. One that is not trusted is refused.
  std::optional<base::CounterClock> clock{};
};

// produced = recorded + lost_full + lost_wrap + lost_big + lost_no_ring. Exact while the session is stopped.
struct Books {
  std::uint64_t recorded = 0;
  std::uint64_t lost_full = 0;  // no free sub-buffer, or kept for a snapshot
  std::uint64_t lost_wrap = 0;  // overtaken
  std::uint64_t lost_big = 0;   // larger than a sub-buffer
  // No slot or no memory for the thread's ring, or the thread was at its very end, or would have had to allocate in its
  // first event (thread.hpp).
  std::uint64_t lost_no_ring = 0;

  std::uint64_t produced() const { return recorded + lost_full + lost_wrap + lost_big + lost_no_ring; }
};

struct ChannelStatus {
  std::string name;
  Books books;
  std::uint32_t slots_used = 0;
  std::uint32_t slots = 0;
};

enum class SessionState { created, running, stopped, destroyed };

struct SessionStatus {
  std::string name;
  SessionState state = SessionState::created;
  std::vector<ChannelStatus> channels;
};

// What a consumer attaches to. Duplicates: the caller's to close.
struct SessionDescriptors {
  int memory = -1;
  int wakeup = -1;  // eventfd, if a channel delivers by wakeup
};

namespace detail {
class SessionCore;
}

class Session {
 public:
  static base::Result<Session> create(SessionOptions options);
  // The live session of that name, whoever made it.
  static base::Result<Session> find(std::string_view name);
  static std::vector<SessionStatus> all();

  // REQUIRES, this one: before the first start.
  base::Status add_channel(const ChannelOptions& options);
  base::Status enable(std::string_view channel, std::string_view pattern, Level level = Level::debug);
  base::Status disable(std::string_view channel, std::string_view pattern);
  base::Status start();
  base::Status stop();
  // Stops, finalises every ring and gives the memory back; a consumer that has it mapped keeps what it needs.
  base::Status destroy();

  SessionStatus status() const;
  base::Result<SessionDescriptors> descriptors() const;

  // Asks the recorder of an overwriting session for a snapshot of now: what the rings have stays until it is taken
  // (ring/freeze.h). Async-signal-safe, no system call.
  void request_snapshot();
  // The same when a latency is above its limit, at most once in `at_least_apart`; returns whether it did. Both
  // latencies in the same unit. Any thread; no system call where the vDSO has CLOCK_MONOTONIC.
  bool snapshot_if_above(std::uint64_t latency, std::uint64_t limit, std::chrono::nanoseconds at_least_apart);

 private:
  explicit Session(std::shared_ptr<detail::SessionCore> core);
  std::shared_ptr<detail::SessionCore> core_;
};

}  // namespace maxlat::trace
