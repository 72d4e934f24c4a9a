// SPDX-License-Identifier: MIT
#include "sensor_monitors.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace maxlat::npt {
namespace {

constexpr std::chrono::seconds kPatience{20};

bool has_mapped(pid_t monitor, const std::vector<std::string>& groups) {
  const std::string maps = core::read_file(fmt::format("/proc/{}/maps", monitor)).value_or("");
  return std::all_of(groups.begin(), groups.end(), [&](const std::string& group) {
    return maps.find("maxlat-sensors:" + group + " ") != std::string::npos;
  });
}

struct Seen {
  uint64_t looks = 0, lost = 0;
};

// RETURNS: nothing: it has not looked at all groups, or not to the end.
std::optional<Seen> seen_by(const core::ProcessEnd& end) {
  const auto rows = nlohmann::json::parse(end.standard_output, nullptr, false);
  if (!end.succeeded() || !rows.is_array() || rows.empty()) return std::nullopt;
  Seen seen;
  for (const auto& row : rows) {
    seen.looks = std::max(seen.looks, row.value("looks", uint64_t{0}));  // one look is at all of them
    seen.lost += row.value("lost", uint64_t{0});
  }
  return seen;
}

}  // namespace

core::Status SensorMonitors::start(const ArmSurroundings& surroundings) {
  const ArmSpec& arm = surroundings.spec;
  core::ProcessSpec spec;
  spec.argv = {core::own_executable(), "sensors", "stats", "--wait", "--json", "--duration", "10000h", "--interval",
               exact_time(arm.poll_ns)};
  for (size_t thread = 0; thread < surroundings.measured_cpus.size(); ++thread) {
    groups_.push_back(fmt::format("npt-{}", thread));
    spec.argv.push_back(fmt::format("{}/{}", ::getpid(), groups_.back()));
  }
  spec.cpus = surroundings.consumer_cpus;
  spec.standard_output = core::ProcessSpec::Output::capture;
  while (running_.size() < arm.monitors) {
    auto started = core::Child::start(spec);
    if (!started) return started.error();
    running_.push_back(std::move(*started));
  }
  return {};
}

core::Status SensorMonitors::wait_until_they_look() const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (const core::Child& each : running_)
    while (!has_mapped(each.pid(), groups_)) {
      if (std::chrono::steady_clock::now() > deadline)
        return core::Error{"a monitor did not see all sensors within 20 s", {}, core::Exit::cannot_run};
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  return {};
}

std::optional<double> SensorMonitors::cpu_seconds() const {
  if (running_.empty()) return {};
  double all = 0;
  for (const core::Child& each : running_) all += each.cpu_seconds();
  return all;
}

void SensorMonitors::finish(ArmBooks& books) {
  if (running_.empty()) return;
  for (core::Child& each : running_) each.signal(SIGINT);
  Seen all;
  for (core::Child& each : running_) {
    auto end = each.wait_for(kPatience);
    if (!end) end = each.stop();
    if (const auto seen = seen_by(*end)) {
      all.looks += seen->looks;
      all.lost += seen->lost;
    } else if (books.invalid.empty()) {
      books.invalid = fmt::format("a monitor {}: {}", end->text(), end->standard_error);
    }
  }
  books.facts["monitors"] = fmt::format("{}", running_.size());
  books.facts["monitor_looks"] = fmt::format("{}", all.looks);
  books.facts["monitors_missed"] = fmt::format("{}", all.lost);
}

}  // namespace maxlat::npt
