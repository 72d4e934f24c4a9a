// SPDX-License-Identifier: MIT
//
// lttng-ust:writer and lttng-ust:timer: the peer of Beamonte 2015. "writer" is LTTng-UST without its read timer, where
// the traced thread wakes the consumer at each full sub-buffer; "timer" is its --read-timer, which came out of that
// paper.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/npt/arm_definition.hpp>

#include "folder_bytes.hpp"
#include "lttng_session.hpp"
#include "plugin_object.hpp"

namespace maxlat::npt {
namespace {

// Events that babeltrace2 reads in the trace. ERRORS: it cannot read it.
core::Result<uint64_t> events_by_babeltrace(const std::string& folder, const core::CpuList& cpus) {
  core::ProcessSpec spec;
  spec.argv = {"babeltrace2", folder, "--component=sink.utils.counter", "--params=step=+0"};
  spec.standard_output = core::ProcessSpec::Output::capture;
  spec.cpus = cpus;
  auto end = core::run_process(spec, std::chrono::minutes(30));
  if (!end) return end.error();
  const size_t label = end->standard_output.find(" Event messages");
  const size_t single = end->standard_output.find(" Event message\n");
  if (!end->succeeded() || (label == std::string::npos && single == std::string::npos))
    return core::Error{fmt::format("babeltrace2: {}: {}", end->text(), end->standard_error)};
  return std::strtoull(end->standard_output.c_str(), nullptr, 10);
}

class LttngUstArm : public Arm {
 public:
  core::Status set_up(const ArmSurroundings& surroundings) override {
    surroundings_ = surroundings;
    auto path = find_plugin("lttng-ust");
    if (!path) return path.error();
    if (core::Status status = session_.start(surroundings); !status) return status;
    auto plugin = load_plugin(*path);  // now: its constructor looks for the daemon
    if (!plugin) return plugin.error();
    const maxlat_npt_plugin_options options{surroundings.clock.to_ns(1.0), surroundings.trace_folder.c_str()};
    char error[256] = "";
    if ((*plugin)->open(&options, &probe_, error, sizeof error) != 0)
      return core::Error{fmt::format("lttng-ust: {}", error), {}, core::Exit::cannot_run};
    return {};
  }
  maxlat_npt_probe probe() override { return probe_; }

  std::optional<double> consumer_cpu_s() const override { return session_.cpu_seconds(); }

  ArmBooks finish(const ArmRun& run) override {
    ArmBooks books;
    const LttngSession::End end = session_.stop();
    books.facts[core::fact::kTraceBytes] = fmt::format("{}", bytes_below(surroundings_.trace_folder));
    books.facts["lost_as_the_tracer_counts"] = fmt::format("{}", end.discarded);
    books.invalid = end.broken;
    core::EventCounts counts{.lost_full = end.discarded};
    if (core::find_program("babeltrace2").empty()) {
      books.verified_by = "not verified: babeltrace2 is not installed";
      counts.recorded = run.produced - std::min(run.produced, end.discarded);
    } else if (const auto recorded = events_by_babeltrace(surroundings_.trace_folder, surroundings_.consumer_cpus)) {
      books.verified_by = "babeltrace2";
      counts.recorded = *recorded;
    } else {
      books.verified_by = "not verified: " + recorded.error().text;
      if (books.invalid.empty()) books.invalid = recorded.error().text;
    }
    books.events = counts;
    return books;
  }

 private:
  ArmSurroundings surroundings_;
  LttngSession session_;
  maxlat_npt_probe probe_{};
};

}  // namespace

extern const ArmDefinition kLttngUstArm{.name = "lttng-ust",
                                        .make = [] { return std::unique_ptr<Arm>(std::make_unique<LttngUstArm>()); },
                                        .policies = {"writer", "timer"},
                                        .shortest_period_ns = 1000,
                                        .most_buffers = 65536,
                                        .default_size = kMiB,
                                        .largest_size = kGiB};

}  // namespace maxlat::npt
