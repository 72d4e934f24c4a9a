// SPDX-License-Identifier: MIT
#include "seen_events.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <maxlat/trace/trace_folder.hpp>

#include "kernel/kernel_recording.hpp"

namespace maxlat::trace_tools {

void SeenEvents::add_list(const std::vector<std::string>& lines) {
  constexpr std::size_t kEvent = 6;
  for (const std::string& line : lines) {
    if (line.starts_with("event ")) names_.insert(line.substr(kEvent, line.rfind(' ') - kEvent));
  }
}

void SeenEvents::add_described(const std::string& directory) {
  std::error_code error;
  using Walk = std::filesystem::recursive_directory_iterator;
  for (Walk entry(directory, error); !error && entry != Walk(); entry.increment(error)) {
    if (entry->path().filename() != "metadata") continue;
    const auto processes = trace::open_trace_folder(entry->path().parent_path().string());
    if (!processes || entry->path().parent_path().filename() == kKernelFolder) continue;
    names_.merge(trace::event_names(*processes));
  }
}

bool SeenEvents::any_matches(const std::string& pattern) const {
  return std::any_of(names_.begin(), names_.end(),
                     [&](const std::string& name) { return fnmatch(pattern.c_str(), name.c_str(), 0) == 0; });
}

std::set<std::string> SeenEvents::providers() const {
  std::set<std::string> all;
  for (const std::string& name : names_) all.insert(name.substr(0, name.find(':')));
  return all;
}

}  // namespace maxlat::trace_tools
