// SPDX-License-Identifier: MIT
//
// Where the time of one outlier went: a list of parts whose sum is its whole length. Made by the room attribution/ from
// the kernel's own events; told by every report in the same words.
//
// THE LAST TWO are no names but the lack of one. before_history: the record of that time is lost or was never made.
// nothing_seen: the record is whole, and nothing in it tells what happened then, so it was below the kernel: firmware,
// the hypervisor, or the processor itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace maxlat::core {

enum class TimeClass : uint8_t {
  nmi,
  smi,          // a system management interrupt: nothing is seen, and the processor counted one about then
  irq,          // a device's line, with the name of its handler
  local_timer,  // its interrupt, without the functions below
  hrtimer,
  timer,
  softirq,
  ipi,         // an interrupt that another CPU, or this one, asked for
  page_fault,  // of the measured thread
  work,        // an item of a workqueue
  task,
  around,  // entry and exit of what is named in the same list: before its first event, behind its last, between two
  before_history,
  nothing_seen,
};

// seen: both ends were recorded. next_to: one end was, or it is beside what was recorded or counted. unknown: neither.
enum class Certainty : uint8_t { seen, next_to, unknown };

// Of the class task. It runs where nobody else wants the CPU, so it takes no time from anybody and is no culprit.
inline constexpr const char* kIdleTask = "idle";

struct AccountedTime {
  TimeClass kind = TimeClass::nothing_seen;
  std::string name;  // "24 eth0", "NET_RX", "kworker/1:2 (tid 77, real-time 50)"; "" where the class says it all
  double ns = 0;
  uint64_t count = 0;  // how many of them, at least one
  Certainty certainty = Certainty::unknown;
  std::string woken_by{};  // of a task: what ran when it was woken, with its CPU if that was another; "" when unknown
  std::string sent_by{};   // of an ipi: CPU, task and function that asked for it; "" when unknown
};

struct Outlier;

const char* to_string(TimeClass kind);       // as in the file: "irq"
const char* to_string(Certainty certainty);  // "next to"
// "irq 24 eth0", "before the history", "nothing seen: hardware or hypervisor"
std::string name_of(const AccountedTime& part);
// Who took most of the outlier: the part with more than half of its length. Null: nobody did, or it cannot be told.
const AccountedTime* culprit_of(const Outlier& outlier);
// "irq 24 eth0 61.0 us, softirq NET_RX 20.0 us, 2 others 1.2 us": the largest first, at most three by name.
std::string accounting_text(const std::vector<AccountedTime>& parts);

}  // namespace maxlat::core
