// SPDX-License-Identifier: MIT
#include "ring_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace maxlat::trace {
namespace {

// Whether /proc/PID has this memory mapped. A PID of the session's header may be that of another namespace, or a lie.
bool maps_memory(int pid, const SessionMemory& memory) {
  const std::optional<SessionMemory::FileId> id = memory.file_id();
  const std::string path = "/proc/" + std::to_string(pid) + "/maps";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen(path.c_str(), "re"), std::fclose);
  if (!id || !maps) return false;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
    unsigned major_number = 0, minor_number = 0;
    std::uint64_t inode = 0;
    if (std::sscanf(line.data(), "%*s %*s %*s %x:%x %" SCNu64, &major_number, &minor_number, &inode) == 3 &&
        inode == id->inode && makedev(major_number, minor_number) == id->device) {
      return true;
    }
  }
  return false;
}

}  // namespace

void RingNames::begin(std::uint64_t generation, std::uint32_t thread_id, std::string first_name) {
  *this = RingNames();
  generation_ = generation;
  thread_id_ = thread_id;
  if (!first_name.empty()) names_.push_back({0, std::move(first_name)});
}

void RingNames::note(std::string text, std::uint64_t ticks) {
  if (names_.empty() || names_.back().text != text) {
    names_.push_back({last_look_, std::move(text)});
    if (names_.size() > kMost) {
      names_.erase(names_.begin() + 1);
      if (told_ > 1) --told_;
    }
  }
  last_look_ = ticks;
}

void RingNames::tell(WrittenTrace& folder, const std::string& ring) {
  if (told_ == names_.size()) return;
  std::string lines;
  for (; told_ < names_.size(); ++told_) lines += thread_name_line(ring, thread_id_, names_[told_]);
  folder.append_thread_names(lines);
}

std::optional<std::string> ProcessThreads::name(const SessionMemory& memory, std::uint32_t thread_id) {
  if (!is_the_process_) is_the_process_ = memory.pid() == getpid() || maps_memory(memory.pid(), memory);
  if (!*is_the_process_) return std::nullopt;
  const std::string path = "/proc/" + std::to_string(memory.pid()) + "/task/" + std::to_string(thread_id) + "/comm";
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 64> text{};
  const ssize_t got = read(file.number(), text.data(), text.size());
  if (got <= 1) return std::nullopt;
  return std::string(text.data(), static_cast<std::size_t>(got - 1));  // without its line's end
}

}  // namespace maxlat::trace
