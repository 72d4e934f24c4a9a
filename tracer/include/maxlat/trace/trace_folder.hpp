// SPDX-License-Identifier: MIT
//
// What lies in a trace's folder: one folder for each process, or a folder for each snapshot of a flight recorder and
// these in it; or the folder is that of one process itself (ctf_format.hpp).
#pragma once

#include <maxlat/base/result.hpp>
#include <maxlat/trace/packet_file.hpp>
#include <maxlat/trace/trace_description.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::trace {

struct StoredProcess {
  TraceProcess description;
  std::vector<std::string> stream_files;  // paths, sorted
};

// Sorted by folder. A process whose metadata cannot be read, or is missing beside its streams or books, hides no
// other's trace: it is left out, and `unreadable`, where given, gets the reason; where all metadata is missing, that
// alone.
// ERRORS: no folder, no trace in it, none of maxlat's that can be read.
base::Result<std::vector<StoredProcess>> open_trace_folder(const std::string& folder,
                                                           std::vector<TraceBreak>* unreadable = nullptr);

// Folders in it with CTF metadata that is not maxlat's, or another version's. Sorted.
std::vector<std::string> foreign_folders(const std::string& folder);

// "provider:name" of every event that is described.
std::set<std::string> event_names(const std::vector<StoredProcess>& processes);

// Whether the metadata, read again, describes an event that it did not when `process` was read: then that event was
// recorded after reading began.
bool described_since(const TraceProcess& process, std::uint32_t stream_id, std::uint32_t event_id);

// "threads" of "DIR/app-17/threads-3-0": CHANNEL-SLOT-GENERATION.
std::string channel_of_file(std::string_view path);

}  // namespace maxlat::trace
