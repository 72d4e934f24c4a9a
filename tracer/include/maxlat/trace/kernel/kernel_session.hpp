// SPDX-License-Identifier: MIT
//
// The kernel's events by maxlat_trace.ko (kernel/README.md): a session of its own, its rings, the records in them.
//
//   Result<KernelSession> session = KernelSession::open();
//   session->start({.events = kernel_events_matching("sched:*")});
//   while (...) {
//     session->wait(1s);
//     session->read([](const KernelRecord& record) { ... });
//   }
//   session->stop();
//   session->read(...);  // what was left
//
// ORDER. Records of a CPU come in the order of their ticks; those of several CPUs one CPU after another
// (merge_stamped.hpp puts them together). THREADS: one at a time. DEATH of the program: the kernel ends the session.
#pragma once

#include <maxlat/trace/kernel/kernel_abi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <memory>
#include <string>
#include <vector>

namespace maxlat::trace {

struct KernelCapabilities {
  std::uint64_t counter_khz = 0;
  bool counter_constant = false;
  std::uint64_t events = 0;     // that this kernel has, a bit each
  std::uint32_t cpu_limit = 0;  // CPU numbers are below
};

struct KernelSessionOptions {
  std::uint64_t events = 0;              // a bit each; those that the kernel lacks are left out
  std::vector<std::uint32_t> cpus = {};  // empty: all
  std::uint32_t sub_buffer_bits = 16;
  std::uint32_t ring_bits = 3;            // of the number of sub-buffers
  bool overwrite = false;                 // the oldest go when there is no room; else the new ones
  std::chrono::milliseconds period{100};  // until an event can be read, at most. 0: the reader comes by its own timer
  bool trust_counter = false;             // start though the counter may change its rate
};

// An event that the table does not have (kernel_abi.h, RAW EVENTS): the arguments of a tracepoint, as the kernel hands
// them over, or of a function; of that also `caller`, the address that it returns to, as the first field.
struct KernelRawEvent {
  enum class Kind : std::uint32_t { tracepoint = MAXLAT_TRACE_TRACEPOINT, function = MAXLAT_TRACE_FUNCTION };
  struct Argument {
    std::string name;
    KernelFieldKind kind = KernelFieldKind::address;  // no text
    std::uint16_t bytes = 8;                          // of its type: 1, 2, 4 or 8
  };
  Kind kind = Kind::tracepoint;
  std::string group, name;  // `name` is the tracepoint's, or the function's symbol
  std::vector<Argument> arguments = {};
};

// After stop() and a last read(): events tried = delivered + lost; delivered - read were overwritten.
struct KernelBooks {
  std::uint64_t delivered = 0;  // in packets that were full, or ended by stop()
  std::uint64_t read = 0;       // before stop() also records of packets that are not delivered yet
  std::uint64_t lost_full = 0, lost_wrap = 0, lost_big = 0;
};

class KernelSession {
 public:
  // ERRORS: no such device: the module is not loaded; no right; no session left; another version of the module.
  static base::Result<KernelSession> open();

  KernelSession(KernelSession&&) noexcept;
  KernelSession& operator=(KernelSession&&) noexcept;
  ~KernelSession();

  const KernelCapabilities& capabilities() const;

  // Before start(). RETURNS: the type of its records; lives as long as the session. ERRORS: the kernel has no such
  // tracepoint or function, or allows no probe there; too many.
  base::Result<const KernelEventType*> add(const KernelRawEvent& event);
  // Once. ERRORS: the kernel has none of the events, and none was added; no memory; an unstable counter; options out of
  // range.
  base::Status start(const KernelSessionOptions& options);

  // Until something was written since the last read(), or the time is over. RETURNS: whether there was.
  base::Result<bool> wait(std::chrono::milliseconds at_most);
  // All that is there when it begins, but what a packet has that somebody is writing to; and of each CPU no more than
  // its ring holds.
  // ERRORS: a ring is damaged; what came before was given to `use`.
  base::Status read(const std::function<void(const KernelRecord&)>& use);
  // The same of one CPU. RETURNS: false: somebody was writing there, and what he wrote is not among it: ask again.
  // REQUIRES: one that the session has.
  base::Result<bool> read_cpu(std::uint32_t cpu, const std::function<void(const KernelRecord&)>& use);
  // Events of that CPU that found no room, and that no record has told of yet: they come before the next one.
  std::uint64_t lost_ahead(std::uint32_t cpu) const;
  // No event is written any more when it returns.
  base::Status stop();

  // REQUIRES: started.
  KernelBooks books() const;
  // For poll(2): readable when wait() would find something.
  int descriptor() const;

 private:
  struct State;
  explicit KernelSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace maxlat::trace
