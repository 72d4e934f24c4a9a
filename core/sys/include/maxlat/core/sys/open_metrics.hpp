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
//
// FORMATS. Prometheus itself asks for OpenMetrics. What reads only the older text format 0.0.4 of Prometheus (the node
// exporter's folder, promtool check metrics) takes "# TYPE x" and "x_total" for two things: there the family's name has
// the suffix, too, there are no units, no infos and no end. Samples are the same lines in both.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace maxlat::core {

class OpenMetrics {
 public:
  enum class Type { gauge, counter, histogram, info, stateset };
  enum class Format { open_metrics, prometheus };
  using Labels = std::vector<std::pair<std::string, std::string>>;

  explicit OpenMetrics(Format format = Format::open_metrics) : format_(format) {}
  void family(std::string_view name, Type type, std::string_view unit, std::string_view help);
  // `suffix`: "_total" of a counter, "_bucket", "_count" and "_sum" of a histogram, "_info"; empty of the others.
  void sample(std::string_view suffix, const Labels& labels, double value);
  // With the end, which may come once only.
  std::string text() const { return format_ == Format::open_metrics ? text_ + "# EOF\n" : text_; }

 private:
  Format format_;
  std::string text_, name_;
};

}  // namespace maxlat::core
