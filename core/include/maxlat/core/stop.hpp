// SPDX-License-Identifier: MIT
//
// SIGINT and SIGTERM are a normal end that keeps results: they set a flag that loops look at and that poll() can see.
#pragma once

#include <atomic>

namespace maxlat::core {

// Installs the handlers (once, at the start of a subcommand that runs for a while). A second SIGINT within a run kills.
void catch_stop_signals();
// Set by the handler. The measured loops read it relaxed at block borders.
const std::atomic<bool>& stop_requested();
int stop_fd();  // readable once stop is requested
void request_stop();

}  // namespace maxlat::core
