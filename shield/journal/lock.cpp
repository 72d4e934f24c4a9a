// SPDX-License-Identifier: MIT
#include "lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text_file.hpp>

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

constexpr const char* kIsHeld = "the shield that is on goes off when its holder ends";
constexpr const char* kWaitForHolder =
    "wait until it has ended; a shield for several commands is made by maxlat shield on";

// Until the owner of a lock has ended, or a moment has passed, for it may let go before. (F_SETLKW would wait without a
// bound, unless a signal ends it.)
void wait_for(std::optional<pid_t> owner) {
  constexpr int kMoment_ms = 20;
  const base::Descriptor process(owner ? static_cast<int>(syscall(SYS_pidfd_open, *owner, 0)) : -1);
  pollfd ended{process.number(), POLLIN, 0};  // without a process it is the moment alone
  static_cast<void>(::poll(&ended, 1, kMoment_ms));
}

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
    const std::optional<pid_t> owner = owner_of(file);
    if (std::chrono::steady_clock::now() >= until) return core::Error{by_process(by_another, owner), hint};
    wait_for(owner);
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
