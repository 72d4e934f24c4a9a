// SPDX-License-Identifier: MIT
//
// SIGINT and SIGTERM are a normal end that keeps results: they set a flag that loops look at and that poll() can see.
#pragma once

#include <atomic>

namespace maxlat::core {

// Once, at the start of a subcommand that runs for a while. A second SIGINT kills, but not within half a second.
void catch_stop_signals();
// Set by the handler. The measured loops read it relaxed at block borders.
const std::atomic<bool>& stop_requested();
int stop_fd();  // readable once stop is requested
void request_stop();

}  // namespace maxlat::core
