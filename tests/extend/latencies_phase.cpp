// SPDX-License-Identifier: MIT
//
// latencies: runs a program of the user's own, the plan's `arguments`, and takes what it prints (latencies_import.cpp).
#include <maxlat/import/import_definition.hpp>
#include <maxlat/rteval_ext/meter.hpp>

namespace maxlat::rteval_ext {

extern const PhaseDefinition kLatenciesPhase;

namespace {

constexpr core::PhaseKind kFigures{.name = "latencies", .what = "latencies that another program prints"};

class LatenciesMeter : public Meter {
 public:
  PhaseKind kind() const override { return &kLatenciesPhase; }
  core::Result<core::ProcessSpec> command(const MeterJob& job) const override {
    if (job.arguments.empty()) return core::Error{"'arguments' names no program"};
    core::ProcessSpec spec;
    spec.argv = job.arguments;
    spec.cpus = job.cpus;
    spec.standard_output = core::ProcessSpec::Output::capture;
    return spec;
  }
  core::Result<core::Phase> read(const MeterJob&, const core::ProcessEnd& end) const override {
    if (!end.succeeded()) return core::Error{"the program " + end.text()};
    const core::Result<core::RunResult> run = importing::import_text(end.standard_output, "latencies");
    if (!run) return run.error();
    return run->phases.front();
  }
};

}  // namespace

extern const PhaseDefinition kLatenciesPhase{
    .figures = &kFigures, .make = [] { return std::unique_ptr<Meter>(std::make_unique<LatenciesMeter>()); }};

}  // namespace maxlat::rteval_ext
