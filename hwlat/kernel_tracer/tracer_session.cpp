// SPDX-License-Identifier: MIT
#include "tracer_session.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <maxlat/core/sys/text_file.hpp>
#include <optional>
#include <sstream>
#include <string_view>

namespace maxlat::hwlat {

namespace {

using core::read_text;
using core::selected_word;
using core::write_tracefs;

constexpr std::string_view kInstancePrefix = "maxlat-";

bool has_word(const std::string& words, const std::string& word) {
  std::istringstream stream(words);
  return std::find(std::istream_iterator<std::string>(stream), {}, word) != std::istream_iterator<std::string>();
}

std::string microseconds(uint64_t ns) {
  return std::to_string(ns / 1000);
}

}  // namespace

std::string find_hwlat_tracer(const std::string& root, std::string& why) {
  const core::Result<std::string> tracefs = core::open_tracefs(root);
  if (!tracefs) {
    why = tracefs.error().text;
  } else if (!has_word(read_text(*tracefs + "/available_tracers").value_or(""), "hwlat")) {
    why = "this kernel has no hwlat tracer (CONFIG_HWLAT_TRACER)";
  } else if (!read_text(*tracefs + "/hwlat_detector/mode")) {
    why = "this kernel's hwlat tracer has no mode per-cpu (needs Linux 5.14)";
  } else {
    return *tracefs;
  }
  return {};
}

// What a killed process had changed in the shared values nobody knows any more.
core::Result<TracerSession> TracerSession::start(const std::string& tracefs, const Settings& settings) {
  core::remove_instances_of_the_dead(tracefs, kInstancePrefix);
  auto instance = core::TraceInstance::make(tracefs, fmt::format("{}{}", kInstancePrefix, ::getpid()));
  if (!instance) return instance.error();
  TracerSession session(tracefs, *std::move(instance));
  if (const core::Status configured = session.configure(settings); !configured) return configured.error();
  return session;
}

// A destructor has nobody to tell; each step is tried whatever became of the one before. The instance goes first: it
// stops the tracer that the values are of.
TracerSession::~TracerSession() {
  instance_.remove();
  for (auto old = old_values_.rbegin(); old != old_values_.rend(); ++old) (void)write_tracefs(old->first, old->second);
}

core::Status TracerSession::set_shared(const std::string& name, const std::string& value) {
  const std::string path = tracefs_ + "/" + name;
  const std::optional<std::string> old = read_text(path);
  if (!old) return core::Error{fmt::format("cannot read '{}'", path), "the hwlat tracer needs root"};
  if (const core::Status written = write_tracefs(path, value); !written) return written;
  old_values_.emplace_back(path, std::string(selected_word(*old)));
  const std::optional<std::string> now = read_text(path);
  if (now && selected_word(*now) == value) return {};
  return core::Error{fmt::format("'{}' reads '{}' after '{}' was written", path, now.value_or("nothing"), value),
                     "another program is using the hwlat tracer, or this kernel refuses the value"};
}

core::Status TracerSession::configure(const Settings& settings) {
  const std::string window = microseconds(settings.window_ns), width = microseconds(settings.width_ns);
  // The kernel keeps width <= window at every moment, so whichever makes room goes first.
  const std::optional<std::string> old_window = read_text(tracefs_ + "/hwlat_detector/window");
  const bool window_first = old_window && std::strtoull(old_window->c_str(), nullptr, 10) <= settings.window_ns / 1000;
  const std::pair<std::string, std::string> window_value{"hwlat_detector/window", window};
  const std::pair<std::string, std::string> width_value{"hwlat_detector/width", width};
  for (const auto& [name, value] :
       window_first ? std::vector{window_value, width_value} : std::vector{width_value, window_value}) {
    if (const core::Status set = set_shared(name, value); !set) return set;
  }
  if (const core::Status set = set_shared("tracing_thresh", microseconds(settings.threshold_ns)); !set) return set;
  if (const core::Status set = set_shared("hwlat_detector/mode", "per-cpu"); !set) return set;
  if (const core::Status set = instance_.set("tracing_cpumask", core::to_mask(settings.cpus)); !set) return set;
  if (const core::Status set = instance_.set("current_tracer", "hwlat"); !set) return set;
  const std::optional<std::string> tracer = read_text(instance_.path() + "/current_tracer");
  if (!tracer || *tracer != "hwlat")
    return core::Error{fmt::format("the tracer reads '{}' after 'hwlat' was written", tracer.value_or(""))};
  // Read again with the tracer running: this is when kernels have been seen to fall back.
  const std::optional<std::string> mode = read_text(tracefs_ + "/hwlat_detector/mode");
  mode_ = mode ? std::string(selected_word(*mode)) : "unknown";
  if (mode_ != "per-cpu") {
    return core::Error{fmt::format("the hwlat tracer fell back to mode '{}': it would not watch every CPU", mode_),
                       "--backend loop watches every CPU, as an upper bound"};
  }
  return {};
}

}  // namespace maxlat::hwlat
