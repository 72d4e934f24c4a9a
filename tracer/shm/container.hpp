// SPDX-License-Identifier: MIT
//
// A reader's view of a container: header and table checked once, and every object by the check of its kind. Layout,
// versions and who may write what: container_layout.h.
//
// TRUST. The producer may be hostile, and may write while we look. So nothing is looked at twice: header, entries and
// what is constant in an object are copied, the copy is checked, and the copy is used from then on.
// A KIND is data: a number, its name, its layout version, and the function that checks an object. Whoever reads
// containers says which kinds it knows. Objects of other kinds, or of other layouts, are listed and not touched.
//
// OWNERSHIP: a file description of its own and a mapping of the head. Everything is undone by the destructor.
// ERRORS: one line that says what does not fit. THREADS: one thread a view.
#pragma once

#include <cstdint>
#include <cstring>
#include <maxlat/base/owned.hpp>
#include <maxlat/base/result.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "container_layout.h"

namespace maxlat::trace {

// relaxed: constant in an honest producer, or a counter; read exactly once because a hostile one may change it.
template <typename T>
T once(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// The whole of it, each word once.
template <typename T>
T copy_of(const T& shared) {
  static_assert(sizeof(T) % sizeof(std::uint64_t) == 0 && alignof(T) % alignof(std::uint64_t) == 0);
  using Word [[gnu::may_alias]] = std::uint64_t;  // whatever the fields are
  std::uint64_t words[sizeof(T) / sizeof(std::uint64_t)];
  for (std::size_t i = 0; i < std::size(words); ++i) words[i] = once(reinterpret_cast<const Word*>(&shared)[i]);
  T copy;
  std::memcpy(&copy, words, sizeof copy);
  return copy;
}

// Is [offset, offset + size) inside [from, to)?
inline bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t from, std::uint64_t to) {
  return offset >= from && offset <= to && size <= to - offset;
}

base::Error unfit_memory(const std::string& what);
// `what`: as far as "... is of another version of maxlat".
base::Error memory_of_another_version(const std::string& what);

// One look at an entry, which its producer may be writing. RETURNS: nothing: no object is there, or it changed
// meanwhile.
std::optional<maxlat_shm_entry> copy_of_entry(const maxlat_shm_entry& shared);

// The head, mapped, and how long the memory is behind it.
struct ContainerMemory {
  std::uint8_t* head = nullptr;
  std::uint64_t head_size = 0;
  std::uint64_t total_size = 0;
};

// What the check of a kind leaves of an object: a copy of what is constant in it. Kinds derive from it.
struct CheckedObject {
  virtual ~CheckedObject() = default;
};

// An entry as it was when it was checked: [offset, offset + size) is in the head, the name has letters of a file's
// name.
struct ObjectEntry {
  std::uint32_t kind = 0;
  std::uint32_t layout_version = 0;
  std::uint32_t id = 0;
  std::uint32_t group = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t generation = 0;
  std::string name;
  std::shared_ptr<const CheckedObject> checked;  // null: of a kind or a layout that this reader does not know

  // The object's beginning. REQUIRES: the entry is of that memory, and size >= sizeof(T).
  template <typename T>
  T& in(const ContainerMemory& memory) const {
    return *reinterpret_cast<T*>(memory.head + offset);
  }
};

using CheckObject = base::Result<std::shared_ptr<const CheckedObject>> (*)(const ObjectEntry&, const ContainerMemory&);

struct ObjectKind {
  std::uint32_t kind;
  const char* name;  // for messages: "channel"
  std::uint32_t layout_version;
  CheckObject check;
};

// The row of a kind T: it has kKind, kKindName, kLayoutVersion and check(entry, memory), which makes a T.
template <typename T>
constexpr ObjectKind kind_of() {
  return {T::kKind, T::kKindName, T::kLayoutVersion,
          [](const ObjectEntry& entry,
             const ContainerMemory& memory) -> base::Result<std::shared_ptr<const CheckedObject>> {
            base::Result<T> checked = T::check(entry, memory);
            if (!checked) return checked.error();
            return std::shared_ptr<const CheckedObject>(std::make_shared<const T>(std::move(*checked)));
          }};
}

// What a view does to the memory: a consumer of sessions writes words of its own there, a monitor of sensors nothing.
enum class ContainerView { read_only, writable };

class Container {
 public:
  // `memory_fd` stays the caller's.
  static base::Result<Container> attach(int memory_fd, std::span<const ObjectKind> kinds, ContainerView view);

  const std::string& name() const { return name_; }
  const std::string& process() const { return process_; }
  int pid() const { return static_cast<int>(header_.pid); }  // 0: it is several processes'
  bool is_common() const { return (header_.needed_features & MAXLAT_SHM_COMMON) != 0; }
  // The rest of the header: numbers that select nothing here.
  const maxlat_shm_header& header() const { return header_; }
  const std::vector<ObjectEntry>& objects() const { return objects_; }  // in the table's order

  ContainerMemory memory() const {
    return {static_cast<std::uint8_t*>(head_.where()), header_.head_size, header_.total_size};
  }
  int fd() const { return file_.number(); }

 private:
  explicit Container(ContainerView view) : view_(view) {}
  base::Status open(int memory_fd);
  base::Status map_head(std::uint64_t size);
  base::Status check_header(std::uint64_t file_size);
  base::Status check_table(std::span<const ObjectKind> kinds);

  ContainerView view_;
  bool is_sealed_ = false;  // against writing
  base::Descriptor file_;
  base::Mapping head_;
  maxlat_shm_header header_{};  // a copy
  std::string name_;
  std::string process_;
  std::vector<ObjectEntry> objects_;
};

}  // namespace maxlat::trace
