// SPDX-License-Identifier: MIT
#include "container.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cctype>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace maxlat::trace {
namespace {

// What a name becomes: a part of a path, or of a line of words (control_protocol.hpp), with nothing hidden in it.
enum class Letters { ours, any_replaced };

base::Result<std::string> checked_name(const char (&name)[MAXLAT_SHM_NAME], const std::string& what, Letters letters) {
  const auto* end = static_cast<const char*>(std::memchr(name, 0, sizeof name));
  if (end == nullptr || end == name) return unfit_memory(what + " has no name");
  std::string text(name, static_cast<std::size_t>(end - name));
  for (char& letter : text) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(letter)) || std::strchr("_.:-+", letter) != nullptr;
    if (allowed) continue;
    if (letters == Letters::ours) return unfit_memory(what + " has a name with other characters than [A-Za-z0-9_.:+-]");
    letter = '_';
  }
  if (text.front() == '.') text.front() = '_';
  return text;
}

// What holds for the objects of all kinds, known or not.
base::Result<ObjectEntry> checked_entry(const maxlat_shm_entry& copy, const ObjectKind* kind,
                                        const maxlat_shm_header& header) {
  const std::string what = kind != nullptr ? std::string("a ") + kind->name : "an object";
  base::Result<std::string> name =
      checked_name(copy.name, what, kind != nullptr ? Letters::ours : Letters::any_replaced);
  if (!name) return name.error();
  if (copy.offset % MAXLAT_SHM_OBJECT_ALIGNMENT != 0 ||
      !inside(copy.offset, copy.size, header.header_size, header.head_size)) {
    return unfit_memory((kind != nullptr ? kind->name : "object") + (" " + *name) + ": place of the object");
  }
  ObjectEntry entry;
  entry.kind = copy.kind;
  entry.layout_version = copy.layout_version;
  entry.id = copy.id;
  entry.group = copy.group;
  entry.offset = copy.offset;
  entry.size = copy.size;
  entry.generation = copy.word >> MAXLAT_SHM_GENERATION_SHIFT;
  entry.name = std::move(*name);
  return entry;
}

}  // namespace

std::optional<maxlat_shm_entry> copy_of_entry(const maxlat_shm_entry& shared) {
  // acquire [S6]: entry and object before the word that says LIVE. Partner: release [S6] in container_plan.cpp. Shape:
  // publish.
  const std::uint64_t word = __atomic_load_n(&shared.word, __ATOMIC_ACQUIRE);
  if ((word & MAXLAT_SHM_STATE_MASK) != MAXLAT_SHM_ENTRY_LIVE) return std::nullopt;
  maxlat_shm_entry copy = copy_of(shared);
  // acquire [S8]: the copy before the second look. Partner: release [S8] in container_plan.cpp. Shape: seqlock. Without
  // this, the fields of two objects could pass for one.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (once(shared.word) != word) return std::nullopt;
  copy.word = word;
  return copy;
}

base::Error unfit_memory(const std::string& what) {
  return base::Error{"the shared memory is not valid: " + what, "is it the memfd of a program with maxlat's tracer?"};
}

base::Error memory_of_another_version(const std::string& what) {
  return base::Error{"the shared memory, with " + what + ", is of another version of maxlat",
                     "use the maxlat the program was built with"};
}

base::Status Container::open(int memory_fd) {
  // The seals first: what has none may be anything, and to open it may take for ever.
  const int seals = fcntl(memory_fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return unfit_memory("not sealed against shrinking");
  is_sealed_ = (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)) != 0;
  // A hole in large pages may find none to be read from, and that would kill the reader.
  struct statfs system {};
  if (view_ == ContainerView::read_only && !is_sealed_ &&
      (fstatfs(memory_fd, &system) != 0 || system.f_type != TMPFS_MAGIC))
    return unfit_memory("not sealed against writing");
  // A description of its own: the one that was handed over is the producer's.
  const int access = view_ == ContainerView::writable ? O_RDWR : O_RDONLY;
  file_ = base::Descriptor(::open(("/proc/self/fd/" + std::to_string(memory_fd)).c_str(), access | O_CLOEXEC));
  if (!file_) return base::system_error("cannot open the shared memory", errno);
  return {};
}

base::Status Container::map_head(std::uint64_t size) {
  const int access = view_ == ContainerView::writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* where = mmap(nullptr, size, access, MAP_SHARED, fd(), 0);
  if (where == MAP_FAILED) return base::system_error("cannot map the shared memory", errno);
  head_ = base::Mapping(where, size);
  return {};
}

// Makes the copy, once. Nothing of the shared header is used after this.
base::Status Container::check_header(std::uint64_t file_size) {
  const auto& shared = *static_cast<const maxlat_shm_header*>(head_.where());
  // acquire [S5]: a header that has its magic is whole. Partner: release [S5] in container_plan.cpp. Shape: publish.
  if (__atomic_load_n(&shared.magic, __ATOMIC_ACQUIRE) != MAXLAT_SHM_MAGIC) return unfit_memory("no magic number");
  header_ = copy_of(shared);
  if (header_.major != MAXLAT_SHM_MAJOR) {
    return memory_of_another_version("layout " + std::to_string(header_.major) + " where this one reads " +
                                     std::to_string(MAXLAT_SHM_MAJOR));
  }
  if ((header_.needed_features & ~MAXLAT_SHM_KNOWN_FEATURES) != 0) {
    return memory_of_another_version("features that this one does not know");
  }
  if (header_.header_size < sizeof(maxlat_shm_header) || header_.table_offset < header_.header_size ||
      header_.entry_size < sizeof(maxlat_shm_entry) || header_.table_offset % alignof(maxlat_shm_entry) != 0 ||
      header_.entry_size % alignof(maxlat_shm_entry) != 0) {
    return unfit_memory("sizes of header and entries");
  }
  if (header_.total_size > file_size) return unfit_memory("larger than its file");
  if (header_.head_size < MAXLAT_SHM_PAGE || header_.head_size % MAXLAT_SHM_PAGE != 0 ||
      header_.head_size > header_.total_size) {
    return unfit_memory("size of the head");
  }
  // Both factors have 32 bits.
  if (header_.table_capacity > MAXLAT_SHM_MAX_OBJECTS ||
      !inside(header_.table_offset, std::uint64_t{header_.table_capacity} * header_.entry_size, 0, header_.head_size)) {
    return unfit_memory("place of the table of objects");
  }
  if (pid() < 0 || (pid() == 0) != is_common()) return unfit_memory("process number");
  if (is_common() && view_ == ContainerView::writable) return unfit_memory("of several processes");
  // Or holes could be punched under a view that only reads, and reading them would take memory.
  if (view_ == ContainerView::read_only && !is_sealed_ && !is_common())
    return unfit_memory("not sealed against writing");
  base::Result<std::string> name = checked_name(header_.name, "the memory", Letters::ours);
  if (!name) return name.error();
  base::Result<std::string> process = checked_name(header_.process, "the process", Letters::any_replaced);
  if (!process) return process.error();
  name_ = std::move(*name);
  process_ = std::move(*process);
  return {};
}

base::Status Container::check_table(std::span<const ObjectKind> kinds) {
  const std::uint8_t* table = memory().head + header_.table_offset;
  std::uint64_t left = view_ == ContainerView::read_only ? header_.head_size : UINT64_MAX;
  for (std::uint32_t i = 0; i < header_.table_capacity; ++i) {
    const auto copy =
        copy_of_entry(*reinterpret_cast<const maxlat_shm_entry*>(table + std::uint64_t{i} * header_.entry_size));
    if (!copy) continue;
    const auto row =
        std::find_if(kinds.begin(), kinds.end(), [&](const ObjectKind& k) { return k.kind == copy->kind; });
    const ObjectKind* kind = row == kinds.end() ? nullptr : &*row;
    base::Result<ObjectEntry> entry = checked_entry(*copy, kind, header_);
    if (!entry) return entry.error();
    // Before anything is read of it: what a check keeps would be kept for each entry of the same place.
    if (entry->size > left) return unfit_memory("its objects overlap");
    left -= entry->size;
    if (kind != nullptr && kind->layout_version == entry->layout_version) {
      auto checked = kind->check(*entry, memory());
      if (!checked) return checked.error();
      entry->checked = std::move(*checked);
    }
    objects_.push_back(std::move(*entry));
  }
  return {};
}

base::Result<Container> Container::attach(int memory_fd, std::span<const ObjectKind> kinds, ContainerView view) {
  Container container(view);
  if (const base::Status opened = container.open(memory_fd); !opened) return opened.error();
  struct stat facts {};
  if (fstat(container.fd(), &facts) != 0) return base::system_error("cannot look at the shared memory", errno);
  const auto file_size = static_cast<std::uint64_t>(facts.st_size);
  if (file_size < MAXLAT_SHM_PAGE) return unfit_memory("smaller than its header");
  constexpr std::uint64_t kBlock = 512;  // stat(2)
  if (view == ContainerView::read_only && static_cast<std::uint64_t>(facts.st_blocks) * kBlock < file_size)
    return unfit_memory("it has holes");
  // The header's page alone first: how long the head is stands in it.
  if (const base::Status mapped = container.map_head(MAXLAT_SHM_PAGE); !mapped) return mapped.error();
  if (const base::Status checked = container.check_header(file_size); !checked) return checked.error();
  if (const base::Status mapped = container.map_head(container.header_.head_size); !mapped) return mapped.error();
  if (const base::Status checked = container.check_table(kinds); !checked) return checked.error();
  return container;
}

}  // namespace maxlat::trace
