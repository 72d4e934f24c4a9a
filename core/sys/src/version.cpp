// SPDX-License-Identifier: MIT
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <maxlat/core/sys/version.hpp>

namespace maxlat::core {

// The MAXLAT_... macros are set in core/CMakeLists.txt, for this file alone.
std::string version_text() {
  return "maxlat " MAXLAT_VERSION;
}

std::string build_text() {
#if defined(__clang__)
  const char* compiler = "clang " __clang_version__;
#else
  const char* compiler = "gcc " __VERSION__;
#endif
  const std::string_view sanitizers = MAXLAT_SANITIZERS;
  const std::string id = build_id();
  return fmt::format("{}, {}, {}, sanitizers: {}, linked: {}{}", compiler, MAXLAT_BUILD_TYPE, MAXLAT_PROCESSOR,
                     sanitizers.empty() ? "none" : sanitizers, MAXLAT_LINKED, id.empty() ? "" : ", build " + id);
}

// The first note of that type in the first object of the list, which is the program itself.
std::string build_id() {
  std::string id;
  const auto look = [](dl_phdr_info* object, size_t, void* found) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const char* at = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
      const char* const end = at + segment.p_memsz;
      const size_t align = segment.p_align == 8 ? 8 : 4;
      const auto padded = [align](size_t size) { return (size + align - 1) / align * align; };
      ElfW(Nhdr) note;
      for (; at + sizeof note <= end; at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz)) {
        std::memcpy(&note, at, sizeof note);
        const char* const name = at + sizeof note;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || std::memcmp(name, "GNU", 4) != 0) continue;
        const char* const bytes = name + padded(note.n_namesz);
        for (size_t byte = 0; byte < note.n_descsz && bytes + byte < end; ++byte)
          *static_cast<std::string*>(found) += fmt::format("{:02x}", static_cast<unsigned char>(bytes[byte]));
        return 1;
      }
    }
    return 1;  // of the libraries nothing is asked
  };
  dl_iterate_phdr(look, &id);
  return id;
}

}  // namespace maxlat::core
