// SPDX-License-Identifier: MIT
//
// The table of running channels, by the number that probes know them by; and what threads do through it: claim a ring,
// count a loss, leave.
//
// The table's entries are read under liburcu's read lock (bulletproof: any thread, no registration, signal handlers
// too) and taken out with synchronize_rcu() before the channel is destroyed. So threads that are not in the list of
// threads.hpp, because they are about to enter it or have left it, find a channel or none, never a dangling one.
//
// A number is running from release() of the events' words until stop; `running_channels` has its bit for who is no
// probe (flush, prepare_thread) but plays by the probes' rules: inside, look, use, leave.
#pragma once

#include <atomic>
#include <cstdint>
#include <maxlat/base/result.hpp>

#include "session/channel.hpp"

namespace maxlat::trace::detail {

extern constinit std::atomic<std::uint32_t> running_channels;

// REQUIRES for all three: the control lock.
// Gives the channel a free number of its kind. ERRORS: all 16 are taken.
base::Status enter_channel(Channel& channel);
// Takes the number back, and returns when no thread can be in the channel. REQUIRES: not running, all threads outside.
void remove_channel(Channel& channel);
// After fork(), in the child: no channel, no ring.
void forget_all_channels();

}  // namespace maxlat::trace::detail
