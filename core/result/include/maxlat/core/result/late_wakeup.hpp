// SPDX-License-Identifier: MIT
//
// One late wake-up of a meter that is another program (cyclictest), as the kernel's own events tell it: from the time
// at which the thread's timer was due until the thread has read its clock and sets the timer again, or sleeps.
//
//   due              interrupt          woken                        runs         sets its timer
//    |----------------|==================|----------------------------|----------------|
//     late interrupt    handler           waking, others running: the way into the program, too
//
// latency_ns is more than the program's own figure of that wake-up by what it does behind its read of the clock, which
// of cyclictest is little. Made by the room attribution/.
#pragma once

#include <maxlat/core/result/accounting.hpp>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::core {

struct LateWakeup {
  double t_ns = 0;  // when it was due, since the start of the phase
  double latency_ns = 0;
  std::optional<double> late_interrupt_ns{};  // absent: when it was due is not known; it begins with the interrupt then
  double handler_ns = 0;                      // of the timer's interrupt, until the thread was woken
  double waking_ns = 0;  // from there on what nobody else had: the rest of the interrupt, the switch, the way back
  double others_ns = 0;  // from there on: other tasks and interrupts
  std::vector<AccountedTime> accounting{};  // who had the time, largest first; in sum latency_ns
};

// Null: nobody had most of it, or it cannot be told.
const AccountedTime* culprit_of(const LateWakeup& wakeup);
// "late interrupt 12.0 us, handler 1.20 us, waking 1.00 us, others running 310 us"
std::string split_text(const LateWakeup& wakeup);

}  // namespace maxlat::core
