// SPDX-License-Identifier: MIT
#include "journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <nlohmann/json.hpp>

namespace maxlat::shield {
namespace {

constexpr int kVersion = 1;

std::string sealed(const std::string& json) {
  boost::crc_32_type crc;
  crc.process_bytes(json.data(), json.size());
  return fmt::format("{}\t{:08x}\n", json, crc.checksum());
}

// The JSON of a line, without its end; nothing when it is not as it was written.
std::optional<std::string> unsealed(const std::string& line) {
  const size_t tab = line.rfind('\t');
  if (tab == std::string::npos) return std::nullopt;
  std::string json = line.substr(0, tab);
  return sealed(json) == line + "\n" ? std::optional(std::move(json)) : std::nullopt;
}

std::string header_json(const JournalHeader& header) {
  nlohmann::ordered_json json{{"maxlat-shield", kVersion},
                              {"boot", header.boot_id},
                              {"cpus", core::to_string(header.cpus)},
                              {"housekeeping", core::to_string(header.housekeeping)},
                              {"since", header.since},
                              {"held", header.held}};
  if (!header.siblings.empty()) json["siblings"] = core::to_string(header.siblings);
  if (header.interrupts) json["interrupts"] = *header.interrupts;
  return json.dump();
}

core::Result<JournalHeader> header_from(const std::string& line, const std::string& path) {
  const auto json = nlohmann::json::parse(unsealed(line).value_or(line.substr(0, line.rfind('\t'))), nullptr, false);
  if (json.is_object() && json.contains("maxlat-shield") && json["maxlat-shield"] != kVersion)
    return core::Error{fmt::format("{} was written by another version of maxlat", path),
                       "end the shield with the version that began it: maxlat shield off"};
  const auto string_at = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  const auto cpus = core::parse_cpu_list(string_at("cpus")),
             housekeeping = core::parse_cpu_list(string_at("housekeeping")),
             siblings = core::parse_cpu_list(string_at("siblings"));
  if (!unsealed(line) || !cpus || !housekeeping)
    return core::Error{fmt::format("{} is damaged in its first line", path),
                       "look at it: each line has a path, what it held before and what it was to hold"};
  const bool held = json.is_object() && json.value("held", false);
  std::optional<std::vector<unsigned>> interrupts;
  if (json.is_object() && json.contains("interrupts") && json["interrupts"].is_array()) {
    interrupts.emplace();
    for (const auto& number : json["interrupts"])
      if (number.is_number_unsigned()) interrupts->push_back(number.get<unsigned>());
  }
  return JournalHeader{.boot_id = string_at("boot"),
                       .cpus = *cpus,
                       .housekeeping = *housekeeping,
                       .siblings = siblings ? *siblings : core::CpuList{},
                       .since = string_at("since"),
                       .held = held,
                       .interrupts = std::move(interrupts)};
}

std::vector<std::string> lines_of(const std::string& text, bool& torn) {
  std::vector<std::string> lines;
  size_t at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  torn = at < text.size();
  return lines;
}

core::Status write_whole(int file, const std::string& text, const char* what) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return core::system_error(what, wrote == 0 ? ENOSPC : errno);
    at += static_cast<size_t>(wrote);
  }
  if (::fdatasync(file) != 0) return core::system_error(what, errno);
  return {};
}

// A file is there after a power cut when its folder is on stable storage, too.
core::Status sync_folder_of(const std::string& path) {
  const base::Descriptor folder(
      ::open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.number()) != 0)
    return core::system_error(fmt::format("cannot sync the folder of {}", path), errno);
  return {};
}

// What is read here, root writes. ERRORS: it is somebody else's, or he may write it.
core::Status trusted(const base::Descriptor& file, const std::string& path) {
  struct stat found {};
  if (!file || ::fstat(file.number(), &found) != 0) return core::system_error("cannot read " + path, errno);
  const bool is_ours = found.st_uid == 0 || found.st_uid == ::geteuid();
  if (S_ISREG(found.st_mode) && is_ours && (found.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return core::Error{fmt::format("others than root may write {}, so it is not believed", path),
                     "look at it; if it is yours: chown root, and chmod 600"};
}

bool was_refused(const Change& change, const JournalContent& journal) {
  return std::any_of(journal.refused.begin(), journal.refused.end(), [&](Change refused) {
    refused.kind = change.kind;
    return refused == change;
  });
}

// The last one: a thread may be moved in and out several times.
void take_back_move(Change returned, std::vector<Change>& changes) {
  returned.kind = Change::Kind::moved;
  const auto moved = std::find(changes.rbegin(), changes.rend(), returned);
  if (moved != changes.rend()) changes.erase(std::next(moved).base());
}

}  // namespace

std::string damage_text(const JournalContent& journal, const std::string& path) {
  if (journal.damaged.empty()) return {};
  const size_t more = journal.damaged.size() - 1;
  return fmt::format("{} is damaged in line {}{}", path, journal.damaged.front(),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

bool is_group_of_others(const Change& change, const JournalContent& journal) {
  return change.kind == Change::Kind::folder && was_refused(change, journal);
}

bool counts(const Change& change, Standing now, const JournalContent& journal) {
  if (!changes_something(change) || is_group_of_others(change, journal)) return false;
  return now != Standing::as_before || !was_refused(change, journal);
}

bool was_moved_since(const Change& affinity, const JournalContent& journal) {
  if (affinity.kind != Change::Kind::affinity) return false;
  return std::any_of(journal.changes.begin(), journal.changes.end(), [&](const Change& change) {
    return change.kind == Change::Kind::moved && change.task == affinity.task && change.started == affinity.started;
  });
}

core::Result<std::optional<JournalContent>> read_journal(const std::string& path) {
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::optional<JournalContent>();
  if (const core::Status may_read = trusted(file, path); !may_read) return may_read.error();
  // By its descriptor: another file may have got its name since.
  const auto text = core::read_file(fmt::format("/proc/self/fd/{}", file.number()));
  if (!text) return core::system_error("cannot read " + path, errno);
  JournalContent content;
  const std::vector<std::string> lines = lines_of(*text, content.torn);
  // Torn in its first line, it is as if it had not been begun: nothing was changed.
  if (lines.empty()) return std::optional(std::move(content));
  core::Result<JournalHeader> header = header_from(lines.front(), path);
  if (!header) return header.error();
  content.header = *std::move(header);
  for (size_t i = 1; i < lines.size(); ++i) {
    const auto json = unsealed(lines[i]);
    auto change = json ? change_from_json(*json) : std::nullopt;
    if (!change)
      content.damaged.push_back(i + 1);
    else if (change->kind == Change::Kind::returned)
      take_back_move(*std::move(change), content.changes);
    else
      (change->kind == Change::Kind::refused ? content.refused : content.changes).push_back(*std::move(change));
  }
  return std::optional(std::move(content));
}

core::Result<Journal> Journal::create(const std::string& path, const JournalHeader& header) {
  if (const core::Status made = core::make_folder_of(path); !made) return made.error();
  base::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!file) return core::system_error("cannot make the journal " + path, errno);
  // On a file system that makes root nobody, off would not believe it.
  core::Status written = trusted(file, path);
  if (written) written = write_whole(file.number(), sealed(header_json(header)), "cannot write the journal");
  if (written) written = sync_folder_of(path);
  if (!written) {
    ::unlink(path.c_str());
    return written.error();
  }
  return Journal(std::move(file));
}

core::Result<Journal> Journal::reopen(const std::string& path) {
  base::Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return core::system_error("cannot write the journal " + path, errno);
  return Journal(std::move(file));
}

core::Status Journal::append(std::span<const Change> changes) {
  std::string text;
  for (const Change& change : changes) text += sealed(to_json(change));
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  core::Status written = write_whole(file_.number(), text, "cannot write the journal");
  // What was not written whole is not left there half: later lines would stand behind damage.
  if (!written && end >= 0 && ::ftruncate(file_.number(), end) != 0)
    return core::system_error(written.error().text + ", nor shorten it again", errno);
  return written;
}

core::Status remove_journal(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return sync_folder_of(path);
  return errno == ENOENT ? core::Status{} : core::system_error("cannot remove " + path, errno);
}

core::Status rename_journal(const std::string& path, const std::string& to) {
  if (::rename(path.c_str(), to.c_str()) != 0) return core::system_error(fmt::format("cannot rename {}", path), errno);
  return sync_folder_of(to);
}

}  // namespace maxlat::shield
