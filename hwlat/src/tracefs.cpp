// SPDX-License-Identifier: MIT
#include "tracefs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include "tracer_format.hpp"

namespace maxlat::hwlat {

namespace {

std::optional<std::string> read_value(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

// One write() of the whole value: tracefs takes each write as a command.
core::Status write_value(const std::string& path, const std::string& value) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return core::system_error(fmt::format("cannot write '{}'", path), errno, "the hwlat tracer needs root");
  const ssize_t written = ::write(fd, value.data(), value.size());
  const int error = errno;
  ::close(fd);
  if (written == static_cast<ssize_t>(value.size())) return {};
  const char* hint = error == EBUSY ? "only one instance may run the hwlat tracer: is another one running?" : "";
  return core::system_error(fmt::format("cannot write '{}' to '{}'", value, path), error, hint);
}

bool has_word(const std::string& words, const std::string& word) {
  std::istringstream stream(words);
  return std::find(std::istream_iterator<std::string>(stream), {}, word) != std::istream_iterator<std::string>();
}

// Why nothing can be read at the mount point, and what to do. Nothing is mounted here: that is the box's owner's to do.
std::string why_no_tracefs(const std::string& mount_point) {
  if (::access(mount_point.c_str(), F_OK) != 0) return "this kernel has no tracefs (CONFIG_FTRACE)";
  if (::access(mount_point.c_str(), R_OK | X_OK) != 0) return "tracefs is for root: run as root";
  return "tracefs is not mounted: mount -t tracefs nodev " + mount_point;
}

std::string microseconds(uint64_t ns) {
  return std::to_string(ns / 1000);
}

}  // namespace

std::string tracing_mask(const core::CpuList& cpus) {
  return core::to_mask(cpus);
}

std::string find_tracefs(const std::string& root, std::string& why) {
  constexpr const char* kPlaces[] = {"sys/kernel/tracing", "sys/kernel/debug/tracing"};
  const std::string below = root.ends_with('/') ? root : root + "/";
  why = why_no_tracefs(below + kPlaces[0]);
  for (const char* place : kPlaces) {
    const std::string path = below + place;
    const std::optional<std::string> tracers = read_value(path + "/available_tracers");
    if (!tracers) continue;
    if (!has_word(*tracers, "hwlat")) {
      why = "this kernel has no hwlat tracer (CONFIG_HWLAT_TRACER)";
    } else if (!read_value(path + "/hwlat_detector/mode")) {
      why = "this kernel's hwlat tracer has no mode per-cpu (needs Linux 5.14)";
    } else {
      return path;
    }
  }
  return {};
}

namespace {

constexpr std::string_view kInstancePrefix = "maxlat-";

// A killed process's instance samples on, with interrupts off, and keeps the tracer from everybody. What the process had
// changed in the shared values nobody knows any more.
void remove_instances_of_the_dead(const std::string& tracefs) {
  namespace fs = std::filesystem;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(tracefs + "/instances", failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kInstancePrefix)) continue;
    const int pid = std::atoi(name.c_str() + kInstancePrefix.size());
    if (pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH) continue;
    (void)write_value(entry.path().string() + "/current_tracer", "nop");
    ::rmdir(entry.path().c_str());
  }
}

}  // namespace

core::Result<TracerSession> TracerSession::start(const std::string& tracefs, const Settings& settings) {
  remove_instances_of_the_dead(tracefs);
  const std::string instance = fmt::format("{}/instances/{}{}", tracefs, kInstancePrefix, ::getpid());
  if (::mkdir(instance.c_str(), 0700) != 0) {
    return core::system_error(fmt::format("cannot make the trace instance '{}'", instance), errno,
                              "the hwlat tracer needs root");
  }
  TracerSession session(tracefs, instance);
  if (const core::Status configured = session.configure(settings); !configured) return configured.error();
  return session;
}

TracerSession::TracerSession(TracerSession&& other) noexcept
    : tracefs_(std::move(other.tracefs_)),
      instance_(std::exchange(other.instance_, {})),
      mode_(std::move(other.mode_)),
      old_values_(std::exchange(other.old_values_, {})) {}

// A destructor has nobody to tell; each step is tried whatever became of the one before.
TracerSession::~TracerSession() {
  if (instance_.empty()) return;
  (void)write_value(instance_ + "/current_tracer", "nop");
  for (auto old = old_values_.rbegin(); old != old_values_.rend(); ++old) (void)write_value(old->first, old->second);
  ::rmdir(instance_.c_str());
}

core::Status TracerSession::set_shared(const std::string& name, const std::string& value) {
  const std::string path = tracefs_ + "/" + name;
  const std::optional<std::string> old = read_value(path);
  if (!old) return core::Error{fmt::format("cannot read '{}'", path), "the hwlat tracer needs root"};
  if (const core::Status written = write_value(path, value); !written) return written;
  old_values_.emplace_back(path, std::string(selected_word(*old)));
  const std::optional<std::string> now = read_value(path);
  if (now && selected_word(*now) == value) return {};
  return core::Error{fmt::format("'{}' reads '{}' after '{}' was written", path, now.value_or("nothing"), value),
                     "another program is using the hwlat tracer, or this kernel refuses the value"};
}

core::Status TracerSession::configure(const Settings& settings) {
  const std::string window = microseconds(settings.window_ns), width = microseconds(settings.width_ns);
  // The kernel keeps width <= window at every moment, so whichever makes room goes first.
  const std::optional<std::string> old_window = read_value(tracefs_ + "/hwlat_detector/window");
  const bool window_first = old_window && std::strtoull(old_window->c_str(), nullptr, 10) <= settings.window_ns / 1000;
  const std::pair<std::string, std::string> window_value{"hwlat_detector/window", window};
  const std::pair<std::string, std::string> width_value{"hwlat_detector/width", width};
  for (const auto& [name, value] :
       window_first ? std::vector{window_value, width_value} : std::vector{width_value, window_value}) {
    if (const core::Status set = set_shared(name, value); !set) return set;
  }
  if (const core::Status set = set_shared("tracing_thresh", microseconds(settings.threshold_ns)); !set) return set;
  if (const core::Status set = set_shared("hwlat_detector/mode", "per-cpu"); !set) return set;
  const std::string mask = tracing_mask(settings.cpus);
  if (const core::Status set = write_value(instance_ + "/tracing_cpumask", mask); !set) return set;
  if (const core::Status set = write_value(instance_ + "/current_tracer", "hwlat"); !set) return set;
  const std::optional<std::string> tracer = read_value(instance_ + "/current_tracer");
  if (!tracer || *tracer != "hwlat")
    return core::Error{fmt::format("the tracer reads '{}' after 'hwlat' was written", tracer.value_or(""))};
  // Read again with the tracer running: this is when kernels have been seen to fall back.
  const std::optional<std::string> mode = read_value(tracefs_ + "/hwlat_detector/mode");
  mode_ = mode ? std::string(selected_word(*mode)) : "unknown";
  if (mode_ != "per-cpu") {
    return core::Error{fmt::format("the hwlat tracer fell back to mode '{}': it would not watch every CPU", mode_),
                       "--backend loop watches every CPU, as an upper bound"};
  }
  return {};
}

}  // namespace maxlat::hwlat
