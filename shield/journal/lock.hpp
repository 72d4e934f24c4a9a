// SPDX-License-Identifier: MIT
//
// One shield of a box at a time, wherever its journal is: who is at work on it, who holds it, and which journal it has.
// That is in /run/maxlat, which is in memory: it can be written when no disk can, and goes with the boot, as the shield
// itself does. A box is what stands below `root`: "" in life, a folder in tests.
//
// The locks are POSIX's, which are a process's. A keeper that has just been forked has no part in them, and the kernel
// tells who has one. (A lock of an open file, F_OFD_SETLK, would be the keeper's, too, for as long as it takes to close
// what it has inherited, and the kernel does not tell whose it is.) The price: a process that opens the file once more,
// and closes it, has lost its lock. So holder() is not for who holds.
//
// THREADS: one of a process. SIGNALS: none.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <string>

namespace maxlat::shield {

// For as long as it lives, or its process.
class Lock {
 public:
  // Whoever changes the shield. Waits so long at most for another process that does. ERRORS: it still does ("another
  // maxlat shield is at work (process 812)"); /run/maxlat cannot be made or written (77).
  static core::Result<Lock> take(const std::string& root, std::chrono::milliseconds patience = {});
  // Whoever holds a shield (held_shield.hpp), all the while. ERRORS: another process holds one; as above.
  static core::Result<Lock> hold(const std::string& root);
  // The process that does; empty: none, or it cannot be known. REQUIRES: not this one, which would lose its lock by
  // asking.
  static std::optional<pid_t> holder(const std::string& root);
  static core::Error held_by(pid_t process);  // what hold() says then

 private:
  explicit Lock(base::Descriptor file) : file_(std::move(file)) {}
  base::Descriptor file_;
};

// The journal of the shield that was put on last, as an absolute path. It need not be there any more. Empty: none was,
// in this boot.
std::string last_journal(const std::string& root);
// REQUIRES: the Lock that take() gives. ERRORS: it cannot be written.
core::Status note_journal(const std::string& root, const std::string& journal);

}  // namespace maxlat::shield
