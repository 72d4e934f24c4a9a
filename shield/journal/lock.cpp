// SPDX-License-Identifier: MIT
#include "lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <thread>

namespace maxlat::shield {
namespace {

constexpr const char* kWorker = "/run/maxlat/shield.lock";
constexpr const char* kHolder = "/run/maxlat/shield.holder";
constexpr const char* kJournal = "/run/maxlat/shield.journal";  // its path, and no more

struct flock write_lock() {
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  return wanted;
}

// Who has it; empty: nobody, or that is not known.
std::optional<pid_t> owner_of(const base::Descriptor& file) {
  struct flock asked = write_lock();
  if (::fcntl(file.number(), F_GETLK, &asked) != 0 || asked.l_type == F_UNLCK) return std::nullopt;
  return asked.l_pid;
}

std::string by_process(const char* what, std::optional<pid_t> process) {
  return process ? fmt::format("{} (process {})", what, *process) : what;
}

constexpr std::chrono::milliseconds kMoment(20);
constexpr const char* kIsHeld = "the shield that is on goes off when its holder ends";
constexpr const char* kWaitForHolder =
    "wait until it has ended; a shield for several commands is made by maxlat shield on";

core::Result<base::Descriptor> locked(const std::string& path, const char* by_another, const char* hint,
                                      std::chrono::milliseconds patience = {}) {
  const auto not_here = [](const std::string& why) {
    return core::cannot_run("no shield can be set up or undone here: " + why,
                            "it is locked by a file there: run it as root of the machine itself");
  };
  if (const core::Status made = core::make_folder_of(path); !made) return not_here(made.error().text);
  base::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return not_here(core::system_error("cannot open " + path, errno).text);
  struct flock wanted = write_lock();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::fcntl(file.number(), F_SETLK, &wanted) != 0) {
    if (std::chrono::steady_clock::now() >= until) return core::Error{by_process(by_another, owner_of(file)), hint};
    std::this_thread::sleep_for(kMoment);  // F_SETLKW would wait without a bound, unless a signal ends it
  }
  return file;
}

}  // namespace

core::Result<Lock> Lock::take(const std::string& root, std::chrono::milliseconds patience) {
  core::Result<base::Descriptor> file =
      locked(root + kWorker, "another maxlat shield is at work", "wait until it has ended", patience);
  if (!file) return file.error();
  return Lock(*std::move(file));
}

core::Result<Lock> Lock::hold(const std::string& root) {
  core::Result<base::Descriptor> file = locked(root + kHolder, kIsHeld, kWaitForHolder);
  if (!file) return file.error();
  return Lock(*std::move(file));
}

std::optional<pid_t> Lock::holder(const std::string& root) {
  const base::Descriptor file(::open((root + kHolder).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file ? owner_of(file) : std::nullopt;
}

core::Error Lock::held_by(pid_t process) {
  return core::Error{by_process(kIsHeld, process), kWaitForHolder};
}

std::string last_journal(const std::string& root) {
  return core::read_text(root + kJournal).value_or("");
}

core::Status note_journal(const std::string& root, const std::string& journal) {
  return core::write_atomically(root + kJournal, std::filesystem::absolute(journal).string() + "\n");
}

}  // namespace maxlat::shield
