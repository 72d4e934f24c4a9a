// SPDX-License-Identifier: MIT
#include "recording_books.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace maxlat::trace_tools {

const std::vector<std::string> kFates = {"recorded",    "lost_full",  "lost_wrap",   "lost_big",   "lost_no_ring",
                                         "lost_frozen", "unfinished", "overwritten", "not_written"};

core::Result<std::vector<StoredBooks>> read_books(const std::string& process_folder) {
  const std::string path = process_folder + "/.books";
  std::vector<StoredBooks> books;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return books;
  std::ifstream file(path);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    std::istringstream words(line);
    std::string key;
    StoredBooks channel;
    words >> key >> channel.channel;
    bool sound = key == "channel" && !channel.channel.empty();
    for (std::uint64_t count = 0; words >> key;) {
      sound = sound && static_cast<bool>(words >> count);
      channel.counts[key] = count;
    }
    if (!sound) return core::Error{fmt::format("{}, line {}: not \"channel NAME produced N ...\"", path, number)};
    books.push_back(std::move(channel));
  }
  if (!file.eof()) return core::Error{"cannot read " + path};
  return books;
}

}  // namespace maxlat::trace_tools
