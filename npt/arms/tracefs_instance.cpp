// SPDX-License-Identifier: MIT
#include "tracefs_instance.hpp"

#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace maxlat::npt {
namespace {

// Not being able to trace is no failure of the run.
core::Status as_cannot_run(core::Status status) {
  if (status) return status;
  core::Error error = status.error();
  error.exit_status = core::Exit::cannot_run;
  return error;
}

}  // namespace

core::Status TracefsInstance::find(const ArmFolder& folder) {
  root_ = core::find_tracefs("/");
  if (!root_.empty()) return {};
  auto inner = folder.make_inner("tracing");
  if (!inner) return inner.error();
  if (core::Status noted = folder.note("unmount " + *inner); !noted) return noted;
  if (::mount("tracefs", inner->c_str(), "tracefs", MS_NOSUID | MS_NOEXEC | MS_NODEV, nullptr) != 0)
    return as_cannot_run(
        core::system_error("tracefs is not mounted, and cannot be", errno, "needs root, and a kernel with ftrace"));
  root_ = *inner;
  return {};
}

core::Status TracefsInstance::add_uprobe(const ArmFolder& folder, const std::string& group, const std::string& event,
                                         const std::string& place) {
  const std::string file = root_ + "/uprobe_events";
  if (core::Status noted = folder.note(fmt::format("write {} -:{}/{}", file, group, event)); !noted) return noted;
  return as_cannot_run(
      core::write_tracefs(file, fmt::format("p:{}/{} {}", group, event, place), core::TracefsWrite::add));
}

core::Status TracefsInstance::make(const ArmFolder& folder, uint64_t buffer_bytes) {
  const std::string name = fmt::format("maxlat-npt-{}", ::getpid());
  if (core::Status noted = folder.note(fmt::format("rmdir {}/instances/{}", root_, name)); !noted) return noted;
  auto made = core::TraceInstance::make(root_, name);
  if (!made) return as_cannot_run(made.error());
  instance_.emplace(*std::move(made));
  if (core::Status status = set("buffer_size_kb", fmt::format("{}", buffer_bytes / 1024)); !status) return status;
  return set("options/overwrite", "0");
}

core::Status TracefsInstance::set(const std::string& name, const std::string& value) {
  return as_cannot_run(instance_->set(name, value));
}

core::Status TracefsInstance::enable(const std::string& event_path) {
  return set(fmt::format("events/{}/enable", event_path), "1");
}

core::Status TracefsInstance::enable_all() {
  return set("events/enable", "1");
}

core::Status TracefsInstance::stop() {
  return set("tracing_on", "0");
}

core::Status TracefsInstance::keep_the_newest() {
  return set("options/overwrite", "1");
}

uint64_t TracefsInstance::seen() const {
  if (!instance_) return 0;
  return instance_->counts().all();
}

core::Result<uint64_t> TracefsInstance::save(const std::string& file) const {
  std::ifstream trace(path() + "/trace");
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
