// SPDX-License-Identifier: MIT
#include "trace_folder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

namespace maxlat::trace {
namespace {

constexpr std::size_t kRoomForBooks = 4096;  // 8 channels of ten words
constexpr const char* kBooksBegun = "/.books.begun";

iovec text_part(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace

base::Result<TraceFolder> TraceFolder::create(const std::string& directory, const SessionMemory& memory, Say say) {
  TraceFolder folder(memory, std::move(say));
  const std::string name = directory + "/" + memory.process() + "-" + std::to_string(memory.pid());
  folder.path_ = name;
  for (int again = 2; mkdir(folder.path_.c_str(), 0755) != 0; ++again) {
    if (errno != EEXIST) return base::system_error("cannot create the folder " + folder.path_, errno);
    folder.path_ = name + "-" + std::to_string(again);
  }
  base::Result<TraceFile> metadata = TraceFile::create(folder.path_ + "/metadata");
  if (!metadata) return metadata.error();
  folder.metadata_ = std::make_unique<TraceFile>(std::move(*metadata));
  // At once, not with the first packet: a recorder that is killed before there was one leaves an empty trace, not a damaged
  // one.
  folder.append_metadata();
  base::Result<TraceFile> books = TraceFile::create(folder.path_ + kBooksBegun);
  if (!books) return books.error();
  const std::string blank(kRoomForBooks, '\n');
  const base::Status reserved = books->append(text_part(blank));
  if (!reserved) return reserved.error();
  return folder;
}

bool TraceFolder::fail(const base::Error& error) {
  failed_ = true;
  say_(error.text + ": nothing more is written to " + path_);
  return false;
}

bool TraceFolder::append_metadata() {
  if (failed_) return false;
  const std::uint64_t length = memory_->metadata_length();
  if (length <= metadata_->size()) return true;
  const base::Result<std::string> text = memory_->metadata(metadata_->size(), length);
  if (!text) return fail(text.error());
  const base::Status appended = metadata_->append(text_part(*text));
  return appended ? true : fail(appended.error());
}

bool TraceFolder::append(std::unique_ptr<TraceFile>& file, const std::string& name, iovec header, iovec records) {
  if (!append_metadata()) return false;
  if (!file) {
    base::Result<TraceFile> created = TraceFile::create(path_ + "/" + name);
    if (!created) return fail(created.error());
    file = std::make_unique<TraceFile>(std::move(*created));
  }
  const base::Status appended = file->append(header, records);
  return appended ? true : fail(appended.error());
}

void TraceFolder::write_books(const std::string& text) {
  append_metadata();
  const std::string begun = path_ + kBooksBegun, done = path_ + "/.books";
  const Descriptor file(open(begun.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || pwrite(file.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(file.number(), static_cast<off_t>(text.size())) != 0 || rename(begun.c_str(), done.c_str()) != 0) {
    say_(base::system_error("cannot write " + done, errno).text);
  }
}

}  // namespace maxlat::trace
