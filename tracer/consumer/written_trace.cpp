// SPDX-License-Identifier: MIT
#include "written_trace.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <maxlat/trace/thread_names.hpp>

namespace maxlat::trace {
namespace {

constexpr std::size_t kRoomForBooks = 512;  // of a channel: its name and ten words
constexpr const char* kBooksBegun = "/.books.begun";

base::Status write_file(const std::string& path, const std::string& text) {
  const base::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return base::system_error("cannot create " + path, errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file.number(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return base::system_error("cannot write " + path, wrote < 0 ? errno : EIO);
    done += static_cast<std::size_t>(wrote);
  }
  return {};
}

}  // namespace

base::Result<WrittenTrace> WrittenTrace::create(const std::string& directory, const SessionMemory& memory, Say say) {
  return create(directory,
                {.process = memory.process(),
                 .pid = memory.pid(),
                 .channels = memory.channels().size(),
                 .metadata_length = [&memory] { return memory.metadata_length(); },
                 .metadata = [&memory](std::uint64_t length) { return memory.metadata(0, length); }},
                std::move(say));
}

base::Result<WrittenTrace> WrittenTrace::create(const std::string& directory, DescribedTrace trace, Say say) {
  WrittenTrace folder(std::move(trace), std::move(say));
  const std::string name = directory + "/" + folder.trace_.process + "-" + std::to_string(folder.trace_.pid);
  folder.path_ = name;
  for (int again = 2; mkdir(folder.path_.c_str(), 0755) != 0; ++again) {
    if (errno != EEXIST) return base::system_error("cannot create the folder " + folder.path_, errno);
    folder.path_ = name + "-" + std::to_string(again);
  }
  // At once, not with the first packet: a recorder that is killed before there was one leaves an empty trace, not a
  // damaged one.
  if (const base::Status metadata = folder.replace_metadata(folder.trace_.metadata_length()); !metadata)
    return metadata.error();
  const base::Status reserved =
      write_file(folder.path_ + kBooksBegun, std::string(folder.trace_.channels * kRoomForBooks, '\n'));
  if (!reserved) return reserved.error();
  return folder;
}

bool WrittenTrace::fail(const base::Error& error) {
  failed_ = true;
  say_(error.text + ": nothing more is written to " + path_);
  return false;
}

base::Status WrittenTrace::replace_metadata(std::uint64_t length) {
  const base::Result<std::string> text = trace_.metadata(length);
  if (!text) return text.error();
  const std::string begun = path_ + "/.metadata.begun", done = path_ + "/metadata";
  if (const base::Status written = write_file(begun, *text); !written) {
    unlink(begun.c_str());
    return written;
  }
  if (rename(begun.c_str(), done.c_str()) != 0) return base::system_error("cannot write " + done, errno);
  metadata_length_ = length;
  return {};
}

bool WrittenTrace::append_metadata() {
  if (failed_) return false;
  const std::uint64_t length = trace_.metadata_length();
  if (length <= metadata_length_) return true;
  const base::Status replaced = replace_metadata(length);
  return replaced ? true : fail(replaced.error());
}

bool WrittenTrace::append(std::unique_ptr<TraceFile>& file, const std::string& name, const maxlat_ring_packet& head,
                         std::span<const std::uint8_t> records) {
  if (!append_metadata()) return false;
  if (!file) {
    auto created = TraceFile::create(path_ + "/" + name);
    if (!created) return fail(created.error());
    file = std::move(*created);
  }
  const base::Status appended = file->append(head, records);
  return appended ? true : fail(appended.error());
}

void WrittenTrace::append_thread_names(const std::string& lines) {
  if (failed_ || names_failed_) return;  // behind half a line no other begins
  const std::string path = path_ + "/" + kThreadNamesFile;
  const base::Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file && write(file.number(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size())) return;
  names_failed_ = true;
  say_(base::system_error("cannot write the names of threads to " + path, errno).text);
}

void WrittenTrace::write_books(const std::string& text) {
  append_metadata();
  const std::string begun = path_ + kBooksBegun, done = path_ + "/.books";
  const base::Descriptor file(open(begun.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || pwrite(file.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(file.number(), static_cast<off_t>(text.size())) != 0 || rename(begun.c_str(), done.c_str()) != 0) {
    failed_ = true;  // a trace without books cannot be checked: it must not pass for a whole one
    say_(base::system_error("cannot write " + done, errno).text);
  }
}

}  // namespace maxlat::trace
