// SPDX-License-Identifier: MIT
#include "tracer_backend.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <maxlat/base/moment.hpp>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/stop.hpp>

#include "loop/sampling_threads.hpp"
#include "tracer_result.hpp"
#include "tracer_session.hpp"

namespace maxlat::hwlat {

namespace {

using Clock = std::chrono::steady_clock;

// The records so far, and the unfinished line.
class RecordReader {
 public:
  void read(int pipe) {
    char block[65536];
    ssize_t got = 0;
    while ((got = ::read(pipe, block, sizeof block)) > 0) {
      text_.append(block, static_cast<size_t>(got));
      for (size_t end = 0; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
        const std::string_view line(text_.data(), end);
        if (const auto record = parse_tracer_line(line)) records_.push_back(*record);
        lost_ += parse_lost_line(line);
      }
    }
  }
  const std::vector<TracerRecord>& records() const { return records_; }
  uint64_t lost() const { return lost_; }

 private:
  std::string text_;
  std::vector<TracerRecord> records_;
  uint64_t lost_ = 0;
};

// By the threads' own run time, never more than the windows that have passed allow.
std::vector<TracerExposure> exposure_of(const Settings& settings, double elapsed_s) {
  const double window_s = static_cast<double>(settings.window_ns) * 1e-9;
  const double width_s = static_cast<double>(settings.width_ns) * 1e-9;
  std::vector<TracerExposure> exposure;
  for (const auto& [cpu, run_s] : sampling_thread_seconds()) {
    const double watched_s = std::min(run_s, (elapsed_s / window_s + 1) * width_s);
    exposure.push_back({cpu, watched_s, static_cast<uint64_t>(watched_s / width_s + 0.5)});
  }
  return exposure;
}

}  // namespace

core::Status TracerBackend::usable() const {
  std::string why;
  if (find_hwlat_tracer(root_, why).empty()) {
    return core::Error{"the kernel's hwlat tracer is not usable: " + why, "--backend loop, as an upper bound",
                       core::Exit::cannot_run};
  }
  return {};
}

core::Result<Measurement> TracerBackend::measure(const Settings& settings, const Observer& observer) {
  std::string why;
  const std::string tracefs = find_hwlat_tracer(root_, why);
  if (tracefs.empty()) return usable().error();
  const uint64_t start_realtime_ns = base::clock_ns(CLOCK_REALTIME);
  const Clock::time_point start = Clock::now();
  core::Result<TracerSession> session = TracerSession::start(tracefs, settings);
  if (!session) return session.error();
  const base::Descriptor pipe(::open(session->pipe_path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe) return core::system_error(fmt::format("cannot read '{}'", session->pipe_path()), errno);

  RecordReader reader;
  const auto elapsed_s = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto result = [&] {
    core::Result<Measurement> measured = tracer_measurement(settings, reader.records(), reader.lost(),
                                                            exposure_of(settings, elapsed_s()), start_realtime_ns);
    if (measured) measured->phase.facts["mode"] = session->mode();
    return measured;
  };
  const double duration_s = static_cast<double>(settings.duration_ns) * 1e-9;
  const double snapshot_s = static_cast<double>(settings.snapshot_period_ns) * 1e-9;
  double next_second_s = 1, next_snapshot_s = snapshot_s;
  while (!core::stop_requested().load(std::memory_order_relaxed)) {
    const double now_s = elapsed_s();
    if (duration_s > 0 && now_s >= duration_s) break;
    const double until_s = std::min(next_second_s, duration_s > 0 ? duration_s : next_second_s);
    pollfd stop{core::stop_fd(), POLLIN, 0};
    ::poll(&stop, 1, static_cast<int>(std::max(1.0, (until_s - now_s) * 1000)));
    reader.read(pipe.number());
    if (elapsed_s() < next_second_s) continue;
    if (observer.on_second) observer.on_second(next_second_s);
    if (snapshot_s > 0 && next_second_s >= next_snapshot_s && observer.on_snapshot) {
      // In the first windows a CPU may not have been watched yet: then there is no snapshot yet.
      if (const auto snapshot = result()) observer.on_snapshot(*snapshot);
      next_snapshot_s += snapshot_s;
    }
    next_second_s += 1;
  }
  reader.read(pipe.number());
  core::Result<Measurement> measured = result();
  if (measured && (duration_s <= 0 || elapsed_s() < duration_s))
    measured->phase.status = core::PhaseStatus::interrupted;
  return measured;
}

extern const BackendDefinition kTracerBackend{
    .name = "tracer",
    .what = "the kernel's hwlat tracer: interrupts off, one maximum a window, in microseconds",
    .interrupts_off = true,
    .samples_in_turn = false,
    .make = [] { return std::unique_ptr<Backend>(std::make_unique<TracerBackend>()); }};

}  // namespace maxlat::hwlat
