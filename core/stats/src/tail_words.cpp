// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/stats/tail_words.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <optional>

namespace maxlat::core {
namespace {

const Outlier* largest_outlier(const Phase& phase) {
  const Outlier* largest = nullptr;
  for (const CpuResult& cpu : phase.per_cpu)
    if (!cpu.outliers.empty() && (largest == nullptr || cpu.outliers.front().latency_ns > largest->latency_ns))
      largest = &cpu.outliers.front();
  return largest;
}

const PathResult* path_named(const Phase& phase, const std::string& name) {
  const auto found =
      std::find_if(phase.paths.begin(), phase.paths.end(), [&](const PathResult& path) { return path.name == name; });
  return found == phase.paths.end() ? nullptr : &*found;
}

const PathResult* worst_rare(const Phase& phase) {
  const PathResult* worst = nullptr;
  for (const PathResult& path : phase.paths)
    if (path.rare && (worst == nullptr || path.gaps.max_ns > worst->gaps.max_ns)) worst = &path;
  return worst;
}

const char* article(const std::string& word) {
  return word.find_first_of("aeio") == 0 ? "an" : "a";
}

std::string was_a(const PathResult& path) {
  const std::optional<double> median = measured_quantile(path.gaps, 0.5);  // the only one has none
  return fmt::format("was {} {} ({} of them{})", article(path.name), path.name, path.gaps.samples,
                     median ? ", median " + latency_text(*median) : "");
}

std::string of_the_worst(const Phase& arm, const Outlier& worst) {
  const PathResult* path = path_named(arm, worst.path);
  if (path != nullptr && path->rare) return was_a(*path);
  if (path != nullptr)
    return fmt::format("was {} {}, none of the tracer's rare paths", article(path->name), path->name);
  if (!worst.path.empty()) return fmt::format("was {} {}", article(worst.path), worst.path);
  if (!worst.cause.empty()) return fmt::format("took no path that its trace tells ({})", worst.cause);
  return "has no path in its trace";
}

}  // namespace

std::string worst_in_words(const Phase& arm) {
  const Outlier* worst = largest_outlier(arm);
  if (worst == nullptr || arm.paths.empty()) return {};
  std::string text =
      fmt::format("the worst gap of {}, {}, {}", arm.arm, latency_text(worst->latency_ns), of_the_worst(arm, *worst));
  const PathResult* path = path_named(arm, worst->path);
  const PathResult* rare = worst_rare(arm);
  if (rare != nullptr && (path == nullptr || !path->rare))
    text += fmt::format("; the worst of the rare ones, {}, {}", latency_text(rare->gaps.max_ns), was_a(*rare));
  return text;
}

std::string story_of(const Outlier& outlier) {
  const std::string story = outlier.cause + (outlier.cause.empty() || outlier.path.empty() ? "" : ": ") + outlier.path;
  if (outlier.accounting.empty()) return story;
  return story + (story.empty() ? "" : "; ") + accounting_text(outlier.accounting);
}

std::string line_of(const NearbyEvent& event, const Outlier& outlier) {
  return fmt::format("{:+12.0f} ns  {}{}{}{}{}", event.t_ns - outlier.t_ns, event.name,
                     event.fields.empty() ? "" : "  ", event.fields, event.path.empty() ? "" : "  ", event.path);
}

}  // namespace maxlat::core
