// SPDX-License-Identifier: MIT
//
// SIGINT, SIGTERM and SIGHUP (a terminal or a connection that is gone) are a normal end that keeps results: they set a flag
// that loops look at and that poll() can see. SIGPIPE is no end: who looked on has gone, but what was measured goes to its
// file.
#pragma once

#include <atomic>

namespace maxlat::core {

// Once, at the start of a subcommand that runs for a while. A second SIGINT kills, but not within half a second. Under
// nohup SIGHUP stays ignored. Programs that are started then have the signals as ever.
void catch_stop_signals();
// Set by the handler. The measured loops read it relaxed at block borders.
const std::atomic<bool>& stop_requested();
int stop_fd();  // readable once stop is requested
void request_stop();

}  // namespace maxlat::core
