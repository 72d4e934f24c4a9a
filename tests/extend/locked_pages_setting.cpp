// SPDX-License-Identifier: MIT
//
// Whether the kernel may move pages that a program has locked.
#include <maxlat/core/machine/setting_readers.hpp>

namespace maxlat::core {

constexpr std::string_view kFile = "/proc/sys/vm/compact_unevictable_allowed";

extern const SettingGroup kLockedPages{[] {
  return std::vector<Setting>{
      {.name = "moving locked pages",
       .group = "memory",
       .expected = "0",
       .why = "compaction moves pages that are locked, too: the next access to one of them waits",
       .set = {{kFile, "0"}},
       .read = [](const MachineView& machine) { return file_holds(machine, kFile, "0"); }},
  };
}};

}  // namespace maxlat::core
