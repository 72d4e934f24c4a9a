// SPDX-License-Identifier: MIT
#include "module_backend.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <maxlat/core/sys/duration.hpp>
#include <maxlat/core/sys/stop.hpp>

#include "module_result.hpp"

namespace maxlat::hwlat {

namespace {

constexpr int kPollEvery_ms = 100;  // module_region.hpp tells why so often

std::string time_text(uint64_t ns) {
  return core::duration_text(static_cast<double>(ns) * 1e-9);
}

core::Status check_version(ModuleDevice& device, maxlat_hwlat_info& info) {
  if (const int error = device.info(info); error != 0 && error != ENOTTY) {
    return core::system_error("the module maxlat_hwlat does not tell what it offers", error);
  }
  if (info.abi_version == MAXLAT_HWLAT_ABI_VERSION && info.size == sizeof info) return {};
  return core::Error{
      fmt::format("the module maxlat_hwlat that is loaded speaks version {} of its interface, this maxlat "
                  "version {}",
                  uint32_t{info.abi_version}, MAXLAT_HWLAT_ABI_VERSION),
      "build and load the module of this maxlat's sources (kernel/README.md)", core::Exit::cannot_run};
}

uint32_t mode_of(SamplingMode mode) {
  switch (mode) {
    case SamplingMode::per_cpu:
      return MAXLAT_HWLAT_MODE_PER_CPU;
    case SamplingMode::round_robin:
      return MAXLAT_HWLAT_MODE_ROUND_ROBIN;
    case SamplingMode::stop_machine:
      return MAXLAT_HWLAT_MODE_STOP_MACHINE;
  }
  return 0;
}

core::Status configure(ModuleDevice& device, const Settings& settings, const maxlat_hwlat_info& info) {
  if (settings.cpus.back() >= info.cpu_limit) {
    return core::Error{fmt::format("this kernel has no CPU {}", settings.cpus.back())};
  }
  std::vector<uint8_t> mask(settings.cpus.back() / 8 + 1);
  for (const unsigned cpu : settings.cpus) mask[cpu / 8] = static_cast<uint8_t>(mask[cpu / 8] | 1u << cpu % 8);
  maxlat_hwlat_config config{};
  config.size = sizeof config;
  config.mode = mode_of(settings.mode);
  config.width_ns = settings.width_ns;
  config.window_ns = settings.window_ns;
  config.threshold_ns = settings.threshold_ns;
  config.duration_ns = settings.duration_ns == 0 ? MAXLAT_HWLAT_MAX_DURATION_NS : settings.duration_ns;
  config.cpu_mask = reinterpret_cast<uintptr_t>(mask.data());
  config.cpu_mask_bytes = static_cast<uint32_t>(mask.size());
  const int error = device.configure(config);
  if (error == 0) return {};
  return core::system_error("the module maxlat_hwlat does not take these settings", error);
}

core::Result<std::vector<ModuleCpu>> map_cpus(ModuleDevice& device, const Settings& settings,
                                              const maxlat_hwlat_info& info) {
  std::vector<ModuleCpu> cpus;
  for (const unsigned cpu : settings.cpus) {
    const std::byte* const region = device.map(cpu, info.region_bytes);
    if (region == nullptr)
      return core::system_error(fmt::format("cannot map the module's results of CPU {}", cpu), errno);
    cpus.push_back({cpu, ModuleRegion(region, settings.outliers)});
    if (!cpus.back().region.valid())
      return core::Error{fmt::format("what the module has mapped for CPU {} is not a region of its version", cpu)};
  }
  return cpus;
}

// One look at everything; false when no CPU samples any more because the duration is over.
bool poll_module(ModuleDevice& device, std::vector<ModuleCpu>& cpus) {
  for (ModuleCpu& cpu : cpus) {
    cpu.region.poll();
    cpu.went_offline = cpu.went_offline || cpu.region.header().state == MAXLAT_HWLAT_CPU_OFFLINE;
  }
  maxlat_hwlat_status status{};
  return device.status(status) == 0 && status.state == MAXLAT_HWLAT_RUNNING;
}

}  // namespace

core::Status ModuleBackend::takes(const Settings& s) const {
  const auto out_of_range = [](std::string text) {
    return core::Error{std::move(text), "maxlat-hwlat(1) tells why; --backend loop has other limits"};
  };
  const uint64_t max_width =
      s.mode == SamplingMode::stop_machine ? MAXLAT_HWLAT_MAX_STOP_MACHINE_WIDTH_NS : MAXLAT_HWLAT_MAX_WIDTH_NS;
  if (s.width_ns < MAXLAT_HWLAT_MIN_WIDTH_NS || s.width_ns > max_width) {
    return out_of_range(fmt::format("--width: the module takes {} to {}, not {}", time_text(MAXLAT_HWLAT_MIN_WIDTH_NS),
                                    time_text(max_width), time_text(s.width_ns)));
  }
  if (s.window_ns > MAXLAT_HWLAT_MAX_WINDOW_NS) {
    return out_of_range(fmt::format("--window: the module takes {} at most", time_text(MAXLAT_HWLAT_MAX_WINDOW_NS)));
  }
  if (s.width_ns >= s.window_ns || s.window_ns - s.width_ns < MAXLAT_HWLAT_MIN_REST_NS ||
      s.width_ns * 1000 > s.window_ns * MAXLAT_HWLAT_MAX_SHARE_PERMILLE) {
    return out_of_range(
        fmt::format("--width: the module keeps interrupts off for {:.0f} % of --window at most, and leaves "
                    "at least {}",
                    MAXLAT_HWLAT_MAX_SHARE_PERMILLE / 10.0, time_text(MAXLAT_HWLAT_MIN_REST_NS)));
  }
  if (s.threshold_ns == 0 || s.threshold_ns > MAXLAT_HWLAT_MAX_WIDTH_NS) {
    return out_of_range(fmt::format("--threshold: the module takes up to {}", time_text(MAXLAT_HWLAT_MAX_WIDTH_NS)));
  }
  if (s.duration_ns > MAXLAT_HWLAT_MAX_DURATION_NS) {
    return out_of_range(
        fmt::format("--duration: the module runs for {} at most", time_text(MAXLAT_HWLAT_MAX_DURATION_NS)));
  }
  return {};
}

core::Status ModuleBackend::usable() const {
  const auto device = open_();
  if (!device) return device.error();
  maxlat_hwlat_info info{};
  return check_version(**device, info);
}

core::Result<Measurement> ModuleBackend::measure(const Settings& settings, const Observer& observer) {
  if (const core::Status fits = takes(settings); !fits) return fits.error();
  auto opened = open_();
  if (!opened) return opened.error();
  ModuleDevice& device = **opened;
  maxlat_hwlat_info info{};
  if (const core::Status version = check_version(device, info); !version) return version.error();
  if (const core::Status configured = configure(device, settings, info); !configured) return configured.error();
  auto mapped = map_cpus(device, settings, info);
  if (!mapped) return mapped.error();
  std::vector<ModuleCpu>& cpus = *mapped;
  if (const int error = device.start(); error != 0) return core::system_error("the module cannot start", error);
  maxlat_hwlat_status status{};
  if (const int error = device.status(status); error != 0) return core::system_error("the module has no status", error);
  const uint64_t started_ns = status.started_ns;

  const auto start = std::chrono::steady_clock::now();
  const double snapshot_s = static_cast<double>(settings.snapshot_period_ns) * 1e-9;
  double next_second_s = 1, next_snapshot_s = snapshot_s;
  bool stopped = false;
  while (poll_module(device, cpus)) {
    stopped = core::stop_requested().load(std::memory_order_relaxed);  // relaxed: only the flag itself is looked at
    if (stopped) break;
    pollfd stop{core::stop_fd(), POLLIN, 0};
    ::poll(&stop, 1, kPollEvery_ms);
    const double elapsed_s = core::seconds_since(start);
    if (elapsed_s < next_second_s) continue;
    if (observer.on_second) observer.on_second(next_second_s);
    if (snapshot_s > 0 && next_second_s >= next_snapshot_s && observer.on_snapshot) {
      if (const auto so_far = module_measurement(settings, info, started_ns, cpus, true)) observer.on_snapshot(*so_far);
      next_snapshot_s += snapshot_s;
    }
    next_second_s += 1;
  }
  if (const int error = device.stop(); error != 0) return core::system_error("the module does not stop", error);
  for (ModuleCpu& cpu : cpus) cpu.region.poll();
  core::Result<Measurement> measured = module_measurement(settings, info, started_ns, cpus, false);
  if (measured && stopped && measured->phase.status == core::PhaseStatus::ok)
    measured->phase.status = core::PhaseStatus::interrupted;
  if (measured) measured->phase.facts["mode"] = to_string(settings.mode);
  return measured;
}

extern const BackendDefinition kModuleBackend{
    .name = "module",
    .what = "our kernel module: interrupts off, every gap in nanoseconds, SMIs and NMIs told",
    .interrupts_off = true,
    .samples_in_turn = true,
    .make = [] { return std::unique_ptr<Backend>(std::make_unique<ModuleBackend>()); }};

}  // namespace maxlat::hwlat
