// SPDX-License-Identifier: MIT
//
// Figures for a monitoring system: a text in the format OpenMetrics 1.0 (docs/sources.md).
//
//   OpenMetrics metrics;
//   metrics.family("maxlat_exposure_seconds", OpenMetrics::Type::gauge, "seconds", "CPU-seconds really watched.");
//   metrics.sample("", {{"cpu", "3"}}, 59.2);
//   write(metrics.text());
//
// INVARIANTS, whatever is put in: names are of the letters that the format allows, with '_' in the place of others; a
// family's samples stand together; values of labels and help texts are escaped, and UTF-8; the last line is "# EOF".
// REQUIRES: a family's name ends in its unit, where it has one; sample() comes after family(), with a suffix of its
// type.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::core {

class OpenMetrics {
 public:
  enum class Type { gauge, counter, histogram, info, stateset };
  using Labels = std::vector<std::pair<std::string, std::string>>;

  void family(std::string_view name, Type type, std::string_view unit, std::string_view help);
  // `suffix`: "_total" of a counter, "_bucket", "_count" and "_sum" of a histogram, "_info"; empty of the others.
  void sample(std::string_view suffix, const Labels& labels, double value);
  // With the end, which may come once only.
  std::string text() const { return text_ + "# EOF\n"; }

 private:
  std::string text_, name_;
};

}  // namespace maxlat::core
