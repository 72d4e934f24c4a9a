// SPDX-License-Identifier: MIT
#include "watching_cost.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <maxlat/core/result/fact_names.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/process.hpp>
#include <optional>

namespace maxlat::rteval_ext {

namespace {

// So long that some hundred ticks of a stock kernel are in it.
constexpr uint64_t kPiece_ns = 1'000'000'000;
constexpr std::chrono::seconds kWithin{30};

core::Result<core::Phase> piece_of(Meter& npt, const MeterJob& job) {
  const core::Result<core::ProcessSpec> spec = npt.command(job);
  if (!spec) return spec.error();
  core::Result<core::Child> child = core::Child::start(*spec);
  if (!child) return child.error();
  const std::optional<core::ProcessEnd> end = child->wait_for(kWithin);
  core::Result<core::Phase> phase = npt.read(job, end ? *end : child->stop());
  if (phase && phase->status != core::PhaseStatus::ok) return core::Error{phase->reason};
  if (phase && phase->per_cpu.empty()) return core::Error{"npt measured nothing"};
  return phase;
}

// A tick of the kernel is one sample of a hundred thousand.
std::string figures_of(const core::Phase& phase) {
  std::string text;
  for (const auto& [label, level] : {std::pair("p50", 0.5), std::pair("p99.9", 0.999), std::pair("p99.9999", 0.999999)})
    if (const auto ns = core::measured_quantile(phase.per_cpu.front(), level))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", label, core::latency_text(*ns));
  return text;
}

}  // namespace

std::string watching_cost(const std::function<std::unique_ptr<Meter>()>& make_npt, const core::CpuList& cpus,
                          const std::string& json_path) {
  std::string figures[2], recorded;
  for (const bool watched : {false, true}) {
    const MeterJob job{.cpus = cpus,
                       .duration_ns = kPiece_ns,
                       .json_path = json_path,
                       .arguments = {},
                       .kernel_events = watched};
    const core::Result<core::Phase> piece = piece_of(*make_npt(), job);
    std::error_code gone;
    std::filesystem::remove(json_path, gone);
    if (!piece) return "not measured: " + piece.error().text;
    figures[watched] = figures_of(*piece);
    if (!watched) continue;
    const auto told = piece->facts.find(core::fact::kKernelEvents);
    recorded = told == piece->facts.end() ? "not recorded" : told->second;
    if (!recorded.starts_with("recorded")) return "not measured: the kernel's events are " + recorded;
  }
  return fmt::format("{} of a loop's gaps with the kernel's events {}; {} without, in one piece of {} each", figures[1],
                     recorded, figures[0], core::duration_text(static_cast<double>(kPiece_ns) * 1e-9));
}

}  // namespace maxlat::rteval_ext
