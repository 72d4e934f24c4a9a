// SPDX-License-Identifier: MIT
//
// How long the way into the kernel or back takes on this box, by the run itself.
//
//     from     lone tick      to          of an interval in which nothing else came but the timer's interrupt
//      |--in--|==========|--out--|
//
// The way in differs from the way out, so each has its median; the limit is eight times the larger of the two. A
// rare way is longer, and still the kernel's: in one of 690 gaps that were counted in instructions (guest.planted_gaps)
// it took 2,139, where both ways beside a tick take 472; by four times the median it was nothing seen. On a virtual
// machine of 2.6 GHz half took less than 0.5 us and 99 of 100 less than 1.9 us. What was longer than the limit from the
// beginning (Interval::around_at_most) is not among them: it was something else. Where that is so of every way in,
// because a hypervisor brings each interrupt late, the way out tells alone: it has more to do.
//
//     interrupt      switch        stamp  of a thread that is woken
//    ===========|--in--|-----out-----|
//
// Beside a task switch a way is longer, and those of late wake-ups, which are accounted for, are the longer ones: so
// there it is twice the ninth decile. On a loaded virtual machine that was 17.6 us of 94 ways of `maxlat cyclic`, where
// the longest of 1,000 took 13.5 us, and on a quieter one 5.6 us, where one of 1,000 took longer, 6.8 us. In
// instructions they hardly differ: 1,250 took nine of ten of 1,000, and the longest 1,370 (exact mode, Linux 6.12.95).
// (In: of a partner that had the CPU. Else it is another's until the switch.)
//
// THREADS  one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/accounting.hpp>
#include <maxlat/attribution/kernel_watch.hpp>
#include <optional>
#include <vector>

namespace maxlat::attribution {

class AroundCalibration {
 public:
  static constexpr size_t kFewest = 10;  // of one direction
  static constexpr uint64_t kTimesTheMedian = 8, kTimesTheNinthDecile = 2;

  // Of the thread that was on the CPU at both ends, or was woken in between. Beside a tick nothing, if it had more in
  // it than a lone one.
  void see(const Accounting& accounting);
  void add(const AroundCalibration& other);

  size_t ways() const { return beside_tick_.in.size() + beside_tick_.out.size(); }
  size_t switch_ways() const { return beside_switch_.in.size() + beside_switch_.out.size(); }
  // In ticks, of one way. Nothing: there are too few ways out.
  std::optional<uint64_t> at_most() const;
  std::optional<uint64_t> switch_at_most() const;

 private:
  static constexpr size_t kMost = 4096;  // of each; the later ones are as the earlier
  using Lengths = std::vector<uint64_t>;
  struct Ways {
    Lengths in, out;
    void add(const Ways& other);
    // The larger of the two quantiles of `percent`, so many times.
    std::optional<uint64_t> limit(size_t percent, uint64_t times) const;
  };
  static void keep(uint64_t ticks, Lengths& lengths) {
    if (lengths.size() < kMost) lengths.push_back(ticks);
  }

  Ways beside_tick_, beside_switch_;
};

// Neither is longer than it was taken to be from the beginning: kAroundAtMost_ns, and `switch_at_most_ns` beside a task
// switch. There it is not shorter than kAroundAtMost_ns either: the scheduler's way is part of it.
AroundLimit around_limit(const AroundCalibration& around, double switch_at_most_ns, double ticks_per_ns);
LongestWays longest_ways(const AroundLimit& limit, double ticks_per_ns);

}  // namespace maxlat::attribution
