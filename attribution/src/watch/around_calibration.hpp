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
// THREADS  one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <maxlat/attribution/accounting.hpp>
#include <optional>
#include <vector>

namespace maxlat::attribution {

class AroundCalibration {
 public:
  static constexpr size_t kFewest = 10;  // of one direction
  static constexpr uint64_t kTimesTheMedian = 8;

  // Of the thread that was on the CPU at both ends. Nothing, if it had more in it than a lone tick.
  void see(const Accounting& accounting);
  void add(const AroundCalibration& other);

  size_t ways() const { return in_.size() + out_.size(); }
  // In ticks, of one way. Nothing: there are too few ways out.
  std::optional<uint64_t> at_most() const;

 private:
  static constexpr size_t kMost = 4096;  // of each; the later ones are as the earlier

  std::vector<uint64_t> in_, out_;
};

}  // namespace maxlat::attribution
