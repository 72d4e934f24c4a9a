// SPDX-License-Identifier: MIT
//
// The events that recorded programs have, by name: a pattern of `maxlat trace record -e` that matches none of them is
// most likely misspelt.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class SeenEvents {
 public:
  void add_list(const std::vector<std::string>& lines);  // of a program's answer to `list`
  void add_described(const std::string& directory);      // by the metadata of every trace in it

  bool empty() const { return names_.empty(); }
  bool any_matches(const std::string& pattern) const;
  std::set<std::string> providers() const;

 private:
  std::set<std::string> names_;  // PROVIDER:NAME
};

}  // namespace maxlat::trace_tools
