// SPDX-License-Identifier: MIT
//
// The write-ahead journal of a shield: what was there before, on stable storage before anything is changed.
//
// A file of lines. Each is JSON, a tab, and the CRC-32 of the JSON in hex; the first is the header:
//
//   {"maxlat-shield":1,"boot":"c3a1…","cpus":"2-3","housekeeping":"0-1","since":"2026-11-24T22:01:07Z"}	9f0c1e2a
//   {"change":"file","path":"/proc/sys/kernel/nmi_watchdog","before":"1","wanted":"0"}	5d1b77c3
//
// INVARIANTS, each with a test in journal_test.cpp
//   (1) append() returns only when its lines, and the file's name, are on stable storage. A change that is not in the
//       journal has not been made.
//   (2) A journal that ends anywhere is one that was not written to its end: the last line is torn and not believed,
//       and the change in it was not made. Damage before the last line is damage, and said so.
//   (3) A journal of another version is not touched.
//
// THREADS: one process at a time, by Lock (lock.hpp). SIGNALS: none.
#pragma once

#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cpu_list.hpp>
#include <maxlat/core/sys/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "change/change.hpp"

namespace maxlat::shield {

struct JournalHeader {
  std::string boot_id;
  core::CpuList cpus, housekeeping, siblings{};
  std::string since;  // UTC
  bool held = false;  // by a process, whose end is to be its end
  // That there were, ascending; nothing in the journal of an earlier maxlat.
  std::optional<std::vector<unsigned>> interrupts{};
};

struct JournalContent {
  JournalHeader header;
  std::vector<Change> changes;  // in the order in which they were made; without moves that were taken back
  std::vector<Change> refused;  // of these, by lines of their own: the kernel did not take them
  bool torn = false;            // it ends in a line that was not written to its end
  std::vector<size_t> damaged;  // other lines that are not what was written, by number
};

// A group that was refused is somebody else's, whatever stands there: it was he was faster than we.
bool is_group_of_others(const Change& change, const JournalContent& journal);
// Whether it is one of those that are counted, and said to stand or not, when this became of it: it changes something,
// and is no refused one that is as before, or somebody else's.
bool counts(const Change& change, Standing now, const JournalContent& journal);

// A thread that was kept off the shield, and was sent into it since: the later line tells where it belongs.
bool was_moved_since(const Change& affinity, const JournalContent& journal);
// "/var/lib/maxlat/shield.journal is damaged in line 4 and 2 more"; empty: it is not.
std::string damage_text(const JournalContent& journal, const std::string& path);

// Nothing when there is none. ERRORS: it cannot be read; others than root and we may write it, and so could have root
// write what they like; it is another version's; its first line is damaged.
core::Result<std::optional<JournalContent>> read_journal(const std::string& path);

class Journal {
 public:
  // ERRORS: there is one already; the folder cannot be made or written.
  static core::Result<Journal> create(const std::string& path, const JournalHeader& header);
  // One that is there, to go on with. REQUIRES: the Lock; it was read, and is whole. ERRORS: it cannot be written.
  static core::Result<Journal> reopen(const std::string& path);
  // ERRORS: the disk is full, for example: then nothing of these changes may be made.
  core::Status append(std::span<const Change> changes);

 private:
  explicit Journal(base::Descriptor file) : file_(std::move(file)) {}
  base::Descriptor file_;
};

core::Status remove_journal(const std::string& path);
core::Status rename_journal(const std::string& path, const std::string& to);

}  // namespace maxlat::shield
