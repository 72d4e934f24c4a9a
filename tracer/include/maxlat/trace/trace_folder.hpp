// SPDX-License-Identifier: MIT
//
// What lies in a trace's folder: one folder for each process, or a folder for each snapshot of a flight recorder and
// these in it; or the folder is that of one process itself (ctf_format.hpp).
#pragma once

#include <maxlat/base/result.hpp>
#include <maxlat/trace/trace_description.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

struct StoredProcess {
  TraceProcess description;
  std::vector<std::string> stream_files;  // paths, sorted
};

// Sorted by folder. ERRORS: no folder, no trace in it, or not one of maxlat's.
base::Result<std::vector<StoredProcess>> open_trace_folder(const std::string& folder);

// "threads" of "DIR/app-17/threads-3-0": CHANNEL-SLOT-GENERATION.
std::string channel_of_file(std::string_view path);

}  // namespace maxlat::trace
