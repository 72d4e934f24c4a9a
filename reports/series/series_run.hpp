// SPDX-License-Identifier: MIT
//
// What a series keeps of one result: when, which box in which state, and a few figures of each phase. Everything that a
// trend needs and nothing that grows with the length of a run, so that thousands of them fit into an index.
#pragma once

#include <map>
#include <maxlat/core/result/run_result.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace maxlat::reports {

// "p50" to "p99.9999", then "max": SeriesPhase::figures_ns has them in this order.
const std::vector<std::string>& series_figures();

struct SeriesPhase {
  std::string name, kind;
  std::string how;  // it was measured: phases that differ in it are different lines
  // Why it is no headline figure. An investigation is right about what it looked at, and its figures are not those of
  // the box left alone. What is not valid says nothing. headline: `why` is empty.
  enum class Use { headline, investigation, not_valid } use = Use::headline;
  std::string why;
  uint64_t samples = 0;
  double exposure_s = 0;
  std::vector<std::optional<double>> figures_ns;  // of all CPUs together; nothing: not measured
};

// Its name; where its figures are no more than an upper bound, that is said: "hwlat (upper bound)".
std::string shown_name(const SeriesPhase& phase);

struct SeriesRun {
  std::string place;  // where it was found: a folder, of a host where several share a store
  std::string path;   // of its result file, from there
  std::string id;
  std::string started;  // ISO 8601, UTC; where the result does not tell: of its file
  bool time_of_file = false;
  std::string box;      // whose results belong together
  std::string plan;     // what measured: its plan; empty: none, a tool by itself
  std::string verdict;  // "pass", "fail", ...
  // The fingerprint, then what built the result and what the user noted. Equal groups are the same object.
  std::vector<std::shared_ptr<const core::FingerprintGroup>> machine;
  std::vector<SeriesPhase> phases;  // those that measure
};

// Gives equal groups the same object.
class MachineGroups {
 public:
  std::shared_ptr<const core::FingerprintGroup> shared(core::FingerprintGroup group);

 private:
  std::map<std::string, std::vector<std::shared_ptr<const core::FingerprintGroup>>> by_key_;
};

SeriesRun series_run(const core::RunResult& run, MachineGroups& groups);

// Words of the field in a store.
const char* to_string(SeriesPhase::Use use);
SeriesPhase::Use use_of(std::string_view text);

}  // namespace maxlat::reports
