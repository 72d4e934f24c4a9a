// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/lockdown.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <sstream>

namespace maxlat::core {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNeeds = "needs root, and a kernel with ftrace";

const char* hint_for(int failure) {
  switch (failure) {
    case EBUSY:
      return "it is in use, and exists once: is another program tracing?";
    case ENOMEM:
      return "this machine has not so much memory free: record with smaller buffers, or fewer CPUs";
    default:
      return kNeeds;
  }
}

std::string below(const std::string& root, const char* place) {
  return (root.ends_with('/') ? root.substr(0, root.size() - 1) : root) + place;
}

void remove_instance(const std::string& path) {
  (void)write_tracefs(path + "/current_tracer", "nop");
  ::rmdir(path.c_str());
}

void add_counts(const std::string& stats_file, TraceInstance::Counts& sum) {
  const std::pair<std::string_view, uint64_t*> kLines[] = {{"entries: ", &sum.kept},
                                                           {"read events: ", &sum.read},
                                                           {"overrun: ", &sum.overwritten},
                                                           {"dropped events: ", &sum.dropped},
                                                           {"commit overrun: ", &sum.overrun_writer}};
  std::istringstream stats(read_file(stats_file).value_or(""));
  for (std::string line; std::getline(stats, line);)
    for (const auto& [label, count] : kLines)
      if (line.starts_with(label)) *count += std::stoull(line.substr(label.size()));
}

struct OwnMount {
  base::Descriptor folder;
  int failure = 0;
};

OwnMount mount_for_this_process() {
  const base::Descriptor tracefs(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (!tracefs || ::fsconfig(tracefs.number(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return {{}, errno};
  base::Descriptor folder(::fsmount(tracefs.number(), FSMOUNT_CLOEXEC, 0));
  return {std::move(folder), errno};
}

}  // namespace

std::string find_tracefs(const std::string& root) {
  for (const char* place : kTracefsPlaces)
    if (const std::string path = below(root, place); read_file(path + "/available_tracers")) return path;
  return {};
}

std::string why_no_tracefs(const std::string& root) {
  const std::string mount_point = below(root, kTracefsPlaces[0]);
  if (::access(mount_point.c_str(), F_OK) != 0) return "this kernel has no tracefs (CONFIG_FTRACE)";
  if (::access(mount_point.c_str(), R_OK | X_OK) != 0) return "tracefs is for root: run as root";
  if (lockdown_in_force(root) == "confidentiality")
    return "this kernel is locked down (confidentiality) and lets nobody trace it";
  return "tracefs is not mounted: mount -t tracefs nodev " + mount_point;
}

Result<std::string> open_tracefs(const std::string& root) {
  if (std::string mounted = find_tracefs(root); !mounted.empty()) return mounted;
  const std::string why = why_no_tracefs(root);
  if (root != "/" || ::access(kTracefsPlaces[0], R_OK | X_OK) != 0) return cannot_run(why);
  static const OwnMount own = mount_for_this_process();
  if (!own.folder) return cannot_run(fmt::format("{}; this process may not: {}", why, std::strerror(own.failure)));
  std::string path = fmt::format("/proc/self/fd/{}", own.folder.number());
  if (!read_file(path + "/available_tracers")) return cannot_run(why);
  return path;
}

Status write_tracefs(const std::string& file, const std::string& value, TracefsWrite how) {
  const int way = how == TracefsWrite::replace ? O_TRUNC : O_APPEND;
  const base::Descriptor opened(::open(file.c_str(), O_WRONLY | O_CLOEXEC | way));
  if (opened && ::write(opened.number(), value.data(), value.size()) == static_cast<ssize_t>(value.size())) return {};
  const int failure = errno;
  return system_error(fmt::format("cannot write '{}' to '{}'", value, file), failure, hint_for(failure));
}

std::string_view selected_word(std::string_view choices) {
  const size_t open = choices.find('['), close = choices.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open)
    return choices.substr(open + 1, close - open - 1);
  return choices.find(' ') == std::string_view::npos ? choices : std::string_view();
}

Result<TraceInstance> TraceInstance::make(const std::string& tracefs, const std::string& name) {
  std::string path = fmt::format("{}/instances/{}", tracefs, name);
  if (::mkdir(path.c_str(), 0700) == 0) return TraceInstance(std::move(path));
  return system_error(fmt::format("cannot make the trace instance '{}'", path), errno, kNeeds);
}

void TraceInstance::remove() {
  if (!path_.empty()) remove_instance(std::exchange(path_, {}));
}

TraceInstance::Counts TraceInstance::counts() const {
  Counts sum;
  std::error_code unreadable;
  for (const auto& cpu : fs::directory_iterator(path_ + "/per_cpu", unreadable)) add_counts(cpu.path() / "stats", sum);
  return sum;
}

TraceInstance::Counts TraceInstance::counts_of(unsigned cpu) const {
  Counts counts;
  add_counts(fmt::format("{}/per_cpu/cpu{}/stats", path_, cpu), counts);
  return counts;
}

bool is_of_the_dead(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  const std::string_view number = name.substr(prefix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pid);
  if (error != std::errc{} || end != number.data() + number.size() || pid <= 0) return false;
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

void remove_instances_of_the_dead(const std::string& tracefs, std::string_view prefix) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(tracefs + "/instances", failure))
    if (is_of_the_dead(entry.path().filename().string(), prefix)) remove_instance(entry.path().string());
}

}  // namespace maxlat::core
