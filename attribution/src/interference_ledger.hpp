// SPDX-License-Identifier: MIT
//
// What ran on one CPU from a meter's start to its end, summed up while its events come in: interference.hpp of
// core/result says what an occurrence is. Each tick of that time has one owner, the innermost context:
//
//         start                                                                      end
//   meter   |------|= local timer =|-hrtimer-|======|-----|== task ==|-----| lost | ? |--|
//           undisturbed                              undisturbed            before_history
//
// INVARIANTS
//   (1) undisturbed and the ticks of all rows are end - start, whatever is lost:
//       InterferenceLedger.EveryTickHasOneOwner
//   (2) memory does not grow with the run: `most_names` rows, and one for each kind of event beyond them
// LIMITS   What a page fault took is not recorded: it is counted, and its time is the meter's. So is the way into the
//          kernel and back. From a loss to the next switch nobody knows which task had the CPU: `before_history`.
//          A preempted softirq, timer function or work item (PREEMPT_RT) is its task's time when that goes on.
#pragma once

#include <cstdint>
#include <map>
#include <maxlat/attribution/kernel_event.hpp>
#include <maxlat/core/result/interference.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace maxlat::attribution {

class InterferenceLedger {
 public:
  static constexpr size_t kMostNames = 256;

  explicit InterferenceLedger(double ticks_per_ns, size_t most_names = kMostNames)
      : ticks_per_ns_(ticks_per_ns), most_names_(most_names) {}

  // Once each, as soon as they are known: `thread` is the meter's. What was seen before begin() is not counted.
  void begin(uint64_t tick, int32_t thread);
  void end(uint64_t tick) { end_ = tick; }
  bool has_begun() const { return begun_; }

  // In the order in which the CPU recorded them.
  void see(std::span<const KernelEvent> events);
  // Nothing is seen any more: what still goes on is summed up.
  void close();

  // Addresses of the functions in the rows.
  std::vector<uint64_t> functions() const;
  // REQUIRES: close(). `functions` has the names of all of them that are known.
  core::CpuInterference told(unsigned cpu, const std::map<uint64_t, std::string>& functions) const;

 private:
  struct Context {
    KernelEvent opened;  // kind hole: what runs is not known
    uint64_t ticks = 0;  // its own
  };
  struct Sum {
    uint64_t count = 0, ticks = 0, largest = 0;
  };
  using Key = std::tuple<EventKind, int32_t, uint64_t, ShortName>;
  static constexpr int32_t kOthers = INT32_MIN;  // as the number of what found no room

  static Key key_of(const KernelEvent& event);
  void see(const KernelEvent& event);
  void see_entry(const KernelEvent& event);
  void see_exit(const KernelEvent& event);
  void go_on_until(uint64_t tick);
  void leave(const Context& context);
  void leave_inner(size_t depth);
  void leave_all();
  void add(Key key, uint64_t ticks);

  const double ticks_per_ns_;
  const size_t most_names_;
  bool begun_ = false, closed_ = false;
  int32_t thread_ = 0;
  uint64_t from_ = 0, end_ = UINT64_MAX;
  uint64_t mark_ = 0;           // everything before it has an owner
  Context task_{};              // not known yet
  std::vector<Context> inner_;  // the innermost last
  uint64_t undisturbed_ = 0;
  std::map<Key, Sum> sums_;
};

}  // namespace maxlat::attribution
