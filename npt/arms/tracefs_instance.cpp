// SPDX-License-Identifier: MIT
#include "tracefs_instance.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace maxlat::npt {
namespace {

namespace fs = std::filesystem;

core::Error cannot_run(const std::string& what, int failure) {
  core::Error error = core::system_error(what, failure, "needs root, and a kernel with ftrace");
  error.exit_status = core::Exit::cannot_run;
  return error;
}

}  // namespace

core::Status TracefsInstance::find(const ArmFolder& folder) {
  std::error_code unreadable;
  for (const char* mounted : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"})
    if (fs::exists(fs::path(mounted) / "trace_marker", unreadable)) {
      root_ = mounted;
      return {};
    }
  auto inner = folder.make_inner("tracing");
  if (!inner) return inner.error();
  if (core::Status noted = folder.note("unmount " + *inner); !noted) return noted;
  if (::mount("tracefs", inner->c_str(), "tracefs", MS_NOSUID | MS_NOEXEC | MS_NODEV, nullptr) != 0)
    return cannot_run("tracefs is not mounted, and cannot be", errno);
  root_ = *inner;
  return {};
}

core::Status TracefsInstance::write(const std::string& file, const std::string& text) const {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written =
      descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int failure = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!written) return cannot_run(fmt::format("cannot write \"{}\" to {}", text, file), failure);
  return {};
}

core::Status TracefsInstance::add_uprobe(const ArmFolder& folder, const std::string& group, const std::string& event,
                                         const std::string& place) {
  const std::string file = root_ + "/uprobe_events";
  if (core::Status noted = folder.note(fmt::format("write {} -:{}/{}", file, group, event)); !noted) return noted;
  return write(file, fmt::format("p:{}/{} {}", group, event, place));
}

core::Status TracefsInstance::make(const ArmFolder& folder, uint64_t buffer_bytes) {
  path_ = fmt::format("{}/instances/maxlat-npt-{}", root_, ::getpid());
  if (core::Status noted = folder.note("rmdir " + path_); !noted) return noted;
  if (::mkdir(path_.c_str(), 0700) != 0) return cannot_run("cannot make a tracing instance", errno);
  if (core::Status status = write(path_ + "/buffer_size_kb", fmt::format("{}", buffer_bytes / 1024)); !status)
    return status;
  return write(path_ + "/options/overwrite", "0");
}

core::Status TracefsInstance::enable(const std::string& event_path) {
  return write(fmt::format("{}/events/{}/enable", path_, event_path), "1");
}

core::Status TracefsInstance::stop() {
  return write(path_ + "/tracing_on", "0");
}

core::Status TracefsInstance::keep_the_newest() {
  return write(path_ + "/options/overwrite", "1");
}

uint64_t TracefsInstance::sum_of_stats(std::initializer_list<std::string_view> labels) const {
  uint64_t sum = 0;
  std::error_code unreadable;
  for (const auto& cpu : fs::directory_iterator(path_ + "/per_cpu", unreadable)) {
    std::ifstream stats(cpu.path() / "stats");
    for (std::string line; std::getline(stats, line);)
      for (const std::string_view label : labels)
        if (line.starts_with(label)) sum += std::stoull(line.substr(label.size()));
  }
  return sum;
}

uint64_t TracefsInstance::dropped() const {
  return sum_of_stats({"dropped events: "});
}

uint64_t TracefsInstance::seen() const {
  return sum_of_stats({"entries: ", "overrun: ", "dropped events: "});
}

core::Result<uint64_t> TracefsInstance::save(const std::string& file) const {
  std::ifstream trace(path_ + "/trace");
  std::ofstream copy(file);
  uint64_t events = 0;
  for (std::string line; std::getline(trace, line);) {
    if (line.empty() || line.front() == '#') continue;
    ++events;
    copy << line << '\n';
  }
  copy.close();
  if (trace.bad() || !copy) return core::system_error("cannot write " + file, errno);
  return events;
}

}  // namespace maxlat::npt
