// SPDX-License-Identifier: MIT
#include "run_directory.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>

namespace maxlat::rteval_ext {

namespace fs = std::filesystem;

namespace {

core::Result<base::Descriptor> take_lock(const std::string& directory) {
  const std::string path = directory + "/lock";
  base::Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!lock && errno == ELOOP)
    return core::Error{fmt::format("'{}' is a symbolic link, not followed", path), "give another directory with -o"};
  if (!lock) return core::system_error(fmt::format("cannot write '{}'", path), errno, "give another directory with -o");
  if (flock(lock.number(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return core::system_error(fmt::format("cannot lock '{}'", path), errno);
  return core::Error{fmt::format("another run is at work in '{}'", directory),
                     "wait for it, or give another directory with -o"};
}

// What is neither a run nor what one leaves that ended before its first result.
bool holds_something_else(const std::string& directory) {
  std::error_code error;
  if (fs::exists(directory + "/result.json", error)) return false;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (entry.path().filename() != "lock" && entry.path().filename() != "phases") return true;
  return false;
}

}  // namespace

core::Result<RunDirectory> RunDirectory::create(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (holds_something_else(absolute))
    return core::Error{fmt::format("'{}' is not empty, and what is in it is no run", path),
                       "give another directory with -o"};
  fs::create_directories(absolute + "/phases", error);
  if (error) {
    return core::system_error(fmt::format("cannot make the directory '{}'", path), error.value(),
                              "give another directory with -o");
  }
  core::Result<base::Descriptor> lock = take_lock(absolute);
  if (!lock) return lock.error();
  RunDirectory directory(absolute, *std::move(lock));
  if (fs::exists(directory.result_path(), error)) {
    return core::Error{fmt::format("'{}' holds a run already", path),
                       fmt::format("maxlat run --resume {} goes on with it; or give another directory with -o", path)};
  }
  return directory;
}

core::Result<RunDirectory> RunDirectory::open(const std::string& path) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (!fs::exists(absolute + "/result.json", error)) {
    return core::Error{fmt::format("'{}' holds no run to resume: it has no result.json", path),
                       "give the directory that an earlier `maxlat run` named"};
  }
  fs::create_directories(absolute + "/phases", error);
  core::Result<base::Descriptor> lock = take_lock(absolute);
  if (!lock) return lock.error();
  return RunDirectory(absolute, *std::move(lock));
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
  return core::Error{written.error().text,
                     fmt::format("what was measured before is in '{}'; make room, then: maxlat run --resume {}",
                                 result_path(), path_)};
}

}  // namespace maxlat::rteval_ext
