// SPDX-License-Identifier: MIT
//
// Events that were asked for and cannot be recorded, by their reasons: how many of each, and which was the first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace maxlat::trace_tools {

class LeftOut {
 public:
  // `why` may have the event's name in quotes: two that differ in it alone are one reason.
  void add(const std::string& name, const std::string& why);

  std::size_t count() const;
  // "WHY: block_wide and 2 more; WHY: block_pair": the reasons in the order in which they were met, each as it was told
  // of the first.
  std::string text() const;

 private:
  struct Reason {
    std::string without_name, first, why;
    std::size_t count = 0;
  };
  std::vector<Reason> reasons_;
};

}  // namespace maxlat::trace_tools
