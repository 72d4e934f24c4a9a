// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <maxlat/core/result/merge.hpp>
#include <vector>

namespace maxlat::core {
namespace {

// Bins of one histogram layout either are the same or do not meet; a clock calibrated anew for each part moves their
// edges by parts in a million, so the lower one decides and the upper one gives way.
void add_what_is_the_same(std::vector<Bin>& bins) {
  std::sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.low_ns < b.low_ns; });
  auto out = bins.begin();
  for (auto in = bins.begin(); in != bins.end(); ++in) {
    if (out != bins.begin()) {
      Bin& before = *std::prev(out);
      if (in->low_ns < (before.low_ns + before.high_ns) / 2) {
        before.count += in->count;
        before.high_ns = std::max(before.high_ns, in->high_ns);
        continue;
      }
      before.high_ns = std::min(before.high_ns, in->low_ns);
    }
    *out++ = *in;
  }
  bins.erase(out, bins.end());
}

// Bins together give a quantile to the width of a bin, the meter gave each part's exactly. That of all lies between the
// smallest and the largest of theirs, so with one part it is the meter's own.
void keep_within_those_of(std::span<const CpuResult> parts, std::vector<std::pair<std::string, double>>& quantiles) {
  for (auto& quantile : quantiles) {
    double smallest = INFINITY, largest = 0;
    bool known_of_all = true;
    for (const CpuResult& part : parts) {
      if (part.samples == 0) continue;
      const auto own = std::find_if(part.quantiles_ns.begin(), part.quantiles_ns.end(),
                                    [&](const auto& one) { return one.first == quantile.first; });
      known_of_all = known_of_all && own != part.quantiles_ns.end();
      if (own == part.quantiles_ns.end()) continue;
      smallest = std::min(smallest, own->second);
      largest = std::max(largest, own->second);
    }
    if (known_of_all && smallest <= largest) quantile.second = std::clamp(quantile.second, smallest, largest);
  }
}

void raise_to(Timeline& into, const Timeline& from) {
  if (into.max_ns.empty()) {
    into = from;
    return;
  }
  into.max_ns.resize(std::max(into.max_ns.size(), from.max_ns.size()), 0);
  for (std::size_t i = 0; i < from.max_ns.size(); ++i) into.max_ns[i] = std::max(into.max_ns[i], from.max_ns[i]);
}

template <typename List>
void append(List& to, const List& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void add(std::vector<Interruption>& sum, const std::vector<Interruption>& more) {
  for (const Interruption& line : more) {
    const auto same = [&](const auto& each) {
      return each.kind == line.kind && each.name == line.name && each.what == line.what && each.by == line.by;
    };
    if (const auto found = std::find_if(sum.begin(), sum.end(), same); found != sum.end())
      found->count += line.count;
    else
      sum.push_back(line);
  }
}

void add(CpuActivity& sum, const CpuActivity& more) {
  sum.switches = sum.switches && more.switches ? std::optional(*sum.switches + *more.switches) : std::nullopt;
  add(sum.counted, more.counted);
  add(sum.named, more.named);
}

}  // namespace

// Chan 1983: no square of a sum is taken from a sum of squares.
Moments pooled(std::span<const Moments> parts) {
  Moments all;
  double squares = 0;  // about the mean of all so far
  for (const Moments& part : parts) {
    if (part.samples == 0) continue;
    const double together = all.samples + part.samples, apart = part.mean - all.mean;
    squares += part.stddev * part.stddev * part.samples + apart * apart * all.samples * part.samples / together;
    all.mean += apart * part.samples / together;
    all.samples = together;
  }
  if (all.samples > 0) all.stddev = std::sqrt(squares / all.samples);
  return all;
}

CpuResult merged(std::span<const CpuResult> parts, std::size_t least_outliers) {
  CpuResult all;
  if (!parts.empty()) all.cpu = parts.front().cpu;
  std::vector<Moments> moments;
  std::size_t kept = least_outliers;
  for (const CpuResult& part : parts) {
    all.exposure_s += part.exposure_s;
    raise_to(all.timeline, part.timeline);
    if (part.samples == 0) continue;
    all.min_ns = all.samples == 0 ? part.min_ns : std::min(all.min_ns, part.min_ns);
    all.max_ns = all.samples == 0 ? part.max_ns : std::max(all.max_ns, part.max_ns);
    all.samples += part.samples;
    all.overflow_count += part.overflow_count;
    append(all.bins, part.bins);
    append(all.overflow, part.overflow);
    append(all.outliers, part.outliers);
    moments.push_back({part.mean_ns, part.stddev_ns, static_cast<double>(part.samples)});
    kept = std::max(kept, part.outliers.size());
  }
  const Moments together = pooled(moments);
  all.mean_ns = together.mean;
  all.stddev_ns = together.stddev;
  std::stable_sort(all.outliers.begin(), all.outliers.end(),
                   [](const Outlier& a, const Outlier& b) { return a.latency_ns > b.latency_ns; });
  all.outliers.resize(std::min(all.outliers.size(), kept));
  add_what_is_the_same(all.bins);
  all.quantiles_ns = measured_quantiles(all);
  keep_within_those_of(parts, all.quantiles_ns);
  return all;
}

std::vector<PathResult> merged_paths(std::span<const std::vector<PathResult>> rounds) {
  std::vector<PathResult> paths;
  std::vector<std::vector<CpuResult>> gaps;
  for (const auto& round : rounds)
    for (const PathResult& path : round) {
      const auto same = [&](const PathResult& known) { return known.name == path.name; };
      auto found = std::find_if(paths.begin(), paths.end(), same);
      if (found == paths.end()) {
        found = paths.insert(found, path);
        gaps.emplace_back();
      }
      gaps[static_cast<size_t>(found - paths.begin())].push_back(path.gaps);
    }
  for (size_t i = 0; i < paths.size(); ++i) paths[i].gaps = merged(gaps[i]);
  return paths;
}

std::vector<CpuActivity> merged_activity(std::span<const std::vector<CpuActivity>> stretches) {
  if (stretches.empty()) return {};
  std::vector<CpuActivity> all = stretches.front();
  for (const auto& stretch : stretches.subspan(1)) {
    std::erase_if(all, [&](CpuActivity& sum) {
      const auto more =
          std::find_if(stretch.begin(), stretch.end(), [&](const auto& cpu) { return cpu.cpu == sum.cpu; });
      if (more == stretch.end()) return true;
      add(sum, *more);
      return false;
    });
  }
  return all;
}

}  // namespace maxlat::core
