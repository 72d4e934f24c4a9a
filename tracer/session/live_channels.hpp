// SPDX-License-Identifier: MIT
//
// The table of running channels, by the number that probes know them by; and what threads do through it: claim a ring,
// count a loss, leave.
//
// The table's entries are read by threads of the list in threads.hpp that are inside, and stay for them as long as a
// ring does; and under liburcu's read lock by a thread that ends, which hands back its rings after it has left the
// list. For it they are taken out with synchronize_rcu() before the channel is destroyed: it finds a channel or none,
// never a dangling one. Probes do not take that lock: liburcu allocates for a thread's first, and a handler that forked
// in it would wait for whoever waits for its end.
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

// REQUIRES for all: the control lock.
// Gives the channel a free number of its kind. ERRORS: all 16 are taken.
base::Status enter_channel(Channel& channel);
// The channel's rings for the threads that are prepared, as far as there is room. REQUIRES: entered, not running.
void prepare_channel(Channel& channel);
// Takes the number back, and returns when no thread can be in the channel. REQUIRES: not running, all threads outside.
void remove_channel(Channel& channel);
// After fork(), in the child: no channel, no ring.
void forget_all_channels();

}  // namespace maxlat::trace::detail
