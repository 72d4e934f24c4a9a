// SPDX-License-Identifier: MIT
//
// The directory: a process that keeps the sensors of ended programs, and shows these and those of running programs to
// users who may see them (Pohlack 2010, section 3.2.3; docs/sources.md).
//
//   program ---- its memory, once, when a group is published ----> directory
//   monitor ---- which are there? -------------------------------> directory ---- each with its memory ---> monitor
//
// Shared memory exists as long as a process has it. A killed program no longer has it, but the directory still does. So
// what was posted last can be read after the program's death, and by users who may not look at the
// program itself. Values go through the memory alone: the directory reads none, and when it dies, monitors and programs
// go on. A new directory takes over the programs that still run.
//
// There may be one of each user (user_directory()), and root's for everybody (kSystemDirectory). A program passes its
// groups to both, if they exist: no thread, no wait, some system calls for each of the four places where one could
// be. A program that may not be debugged hands them to root's alone.
//
// LIMITS, of each user: 1024 groups of running programs, and as many of ended ones, of so many programs as
// DirectoryOptions says; 256 MiB of ended ones, and 1 GiB in all; 4 GiB of all users. Of too many groups the oldest is
// dropped; what is too large is not taken.
// TRUST: a program and a monitor believe a directory of their own user or of root. It believes nobody: it takes the
// memory of groups only, which cannot grow any more, and of a process that runs that process's alone. Programs
// choose their names and those of their groups; the owner is known from the kernel.
// THREADS: one, beside those that close what is none of a group's. NEEDS Linux 5.3 (pidfd_open).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <maxlat/base/result.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::sensors {

std::string user_directory();  // where it listens
inline constexpr const char* kSystemDirectory = "/run/maxlat/sensors.directory";

// Who else may read a group than its owner and root: everybody, a user, or a group of users.
struct DirectoryRule {
  std::optional<uid_t> user;
  std::optional<gid_t> users;  // neither: everybody
  std::string pattern;         // PROGRAM/GROUP; in each part * ? []
};

// A line each: "allow USER PATTERN", where USER is a name of /etc/passwd, @ and one of /etc/group, a number in place of
// a name, or *; and PATTERN is PROGRAM/GROUP with * ? [] in each part, or * for all. Behind a # comes a comment.
// ERRORS: the first line that is none.
base::Result<std::vector<DirectoryRule>> directory_rules(std::string_view text);

struct DirectoryOptions {
  std::string path = user_directory();
  bool for_everybody = false;  // every user may ask, and hand over
  std::size_t keep = 64;       // ended programs, of each user
  std::vector<DirectoryRule> rules{};
};

class Directory {
 public:
  // Listens, and has what runs already. ERRORS: another directory is there; the system's.
  static base::Result<std::unique_ptr<Directory>> open(DirectoryOptions options);
  virtual ~Directory() = default;  // nobody finds it any more
  virtual std::size_t groups() const = 0;
  virtual std::size_t of_the_ended() const = 0;  // of them
  // From now on, for whoever asks. What monitors have got already they keep. Not while it serves.
  virtual void set_rules(std::vector<DirectoryRule> rules) = 0;
  // Until one of those descriptors is readable. May be called again. ERRORS: the system's.
  virtual base::Status serve(std::span<const int> ends) = 0;
};

// A group, of a program that may have ended, or has withdrawn it.
struct KnownGroup {
  GroupView group;
  bool ended = false;
  std::uint64_t ended_ns = 0;  // when, by the wall clock of the directory; 0: it has not, or nobody knows
};

// Those of find_groups(), and what the directories have beside, with those that have ended or without; in the order of
// their programs. A directory that does not answer within a second has nothing, is a line of `refused`, and is left
// alone for ten seconds. NEEDS a descriptor and a mapping a group.
base::Result<std::vector<KnownGroup>> known_groups(bool ended_too, std::vector<std::string>* refused = nullptr);

// The directories drop a group. ERRORS: none has it, or it is another user's.
base::Status forget_group(const GroupView& group);

}  // namespace maxlat::sensors
