// SPDX-License-Identifier: MIT
#include "run_directory.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/process.hpp>
#include <string>

namespace maxlat::rteval_ext {

namespace fs = std::filesystem;

namespace {

constexpr const char* kElsewhere = "give another directory with -o";

// `otherwise`: what to do where the lock cannot be written.
core::Result<base::Descriptor> take_lock(const std::string& directory, const char* otherwise) {
  const std::string path = directory + "/lock";
  base::Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!lock && errno == ELOOP)
    return core::Error{fmt::format("'{}' is a symbolic link, not followed", path), otherwise};
  if (!lock) return core::system_error(fmt::format("cannot write '{}'", path), errno, otherwise);
  if (flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return core::system_error(fmt::format("cannot lock '{}'", path), errno);
  return core::Error{fmt::format("another run is at work in '{}'", directory),
                     std::string("wait for it, or ") + kElsewhere};
}

// What is neither a run nor what one leaves that ended before its first result.
bool holds_something_else(const std::string& directory) {
  std::error_code error;
  if (fs::exists(directory + "/result.json", error)) return false;
  const bool was_locked = fs::exists(directory + "/lock", error);
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const fs::path name = entry.path().filename();
    if (name != "lock" && name != "phases" && !(was_locked && name == "kernel-config")) return true;
  }
  return false;
}

// As every other output: a folder that is not there may be a slip of the pen.
core::Status require_parent(const std::string& absolute, const std::string& path) {
  const fs::path whole = absolute;
  const fs::path parent = (whole.has_filename() ? whole : whole.parent_path()).parent_path();
  std::error_code error;
  if (fs::is_directory(parent, error)) return {};
  return core::Error{
      fmt::format("cannot make the directory '{}': '{}' is no directory", path, parent.string()),
      fmt::format("make it first: mkdir -p {}; or {}", core::quote_command({parent.string()}), kElsewhere)};
}

}  // namespace

core::Result<RunDirectory> RunDirectory::create(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (holds_something_else(absolute))
    return core::Error{fmt::format("'{}' is not empty, and what is in it is no run", path), kElsewhere};
  if (const core::Status there = require_parent(absolute, path); !there) return there.error();
  fs::create_directories(absolute + "/phases", error);
  if (error) {
    return core::system_error(fmt::format("cannot make the directory '{}'", path), error.value(), kElsewhere);
  }
  core::Result<base::Descriptor> lock = take_lock(absolute, kElsewhere);
  if (!lock) return lock.error();
  RunDirectory directory(absolute, *std::move(lock));
  if (fs::exists(directory.result_path(), error)) {
    return core::Error{fmt::format("'{}' holds a run already", path),
                       fmt::format("maxlat run --resume {} goes on with it; or give another directory with -o", path)};
  }
  return directory;
}

void RunDirectory::remove_unused() const {
  std::error_code in_use;
  const bool is_run = fs::exists(result_path(), in_use);
  for (const std::string& name : is_run ? made_ : std::vector<std::string>{"/phases", "/kernel-config", "/lock", ""})
    fs::remove(path_ + name, in_use);
}

core::Result<RunDirectory> RunDirectory::open(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (!fs::exists(absolute + "/result.json", error)) {
    return core::Error{fmt::format("'{}' holds no run to resume: it has no result.json", path),
                       "give the directory that an earlier `maxlat run` named"};
  }
  std::vector<std::string> made;
  for (const char* name : {"/phases", "/lock"})
    if (!fs::exists(absolute + name, error)) made.emplace_back(name);
  core::Result<base::Descriptor> lock = take_lock(absolute, "resume it as root, or as the user who started it");
  if (!lock) return lock.error();
  fs::create_directories(absolute + "/phases", error);
  RunDirectory directory(absolute, *std::move(lock));
  directory.made_ = std::move(made);
  return directory;
}

std::string RunDirectory::fresh_phase_path(size_t number, const std::string& name) const {
  std::string file;  // "control before (npt)" is control-before-npt: a name that no shell needs quotes for
  for (const char c : name) {
    if (c == '(' || c == ')') continue;
    file += c == ' ' ? '-' : c;
  }
  const std::string path = fmt::format("{}/phases/{:02}-{}.json", path_, number, file);
  std::error_code none;  // nothing there: the usual case
  fs::rename(path, path + ".interrupted", none);
  return path;
}

core::Status RunDirectory::write_kernel_config(const std::string& text) const {
  return core::write_atomically(path_ + "/kernel-config", text);
}

core::Status RunDirectory::write(const core::RunResult& run) const {
  const core::Status written = core::write_run(result_path(), run);
  if (written) return {};
  std::error_code error;
  if (!fs::exists(result_path(), error))
    return core::Error{written.error().text, "nothing was measured yet: make room, and start the run again"};
  return core::Error{written.error().text,
                     fmt::format("what was measured before is in '{}'; make room, then: maxlat run --resume {}",
                                 result_path(), path_)};
}

}  // namespace maxlat::rteval_ext
