// SPDX-License-Identifier: MIT
//
// The kernel's log from one moment to another, by /dev/kmsg: the kernel numbers its records, and a descriptor that
// stands behind the last one reads only what comes later. Nothing is switched on, nobody else's reading is disturbed.
//
// Source: the kernel's Documentation/ABI/testing/dev-kmsg.
#pragma once

#include <maxlat/base/owned.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/core/result/kernel_messages.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

class KernelLog {
 public:
  // From now on. Where it cannot be read (dmesg_restrict, no /dev/kmsg in a container), messages() has nothing to tell.
  explicit KernelLog(const MachineView& machine);
  // What has come since, or since the last call. Absent: it cannot be read.
  std::optional<KernelMessages> messages();

 private:
  base::Descriptor file_;
  std::string host_name_;
  std::optional<uint64_t> next_;  // number of the next record, once one was read
};

// One record, "6,339,5140900,-;text\n KEY=value\n". Absent: it is none, or a program's.
struct KernelRecord {
  uint64_t number = 0;
  std::optional<KernelMessage> message;
};
std::optional<KernelRecord> kernel_record(std::string_view text);
// A message's text as results have it: without what identifies the machine or its users, and not too long.
std::string shown_text(std::string_view text, std::string_view host_name);
// The first of them, or the worst where there are too many.
KernelMessages bounded(std::vector<KernelMessage> messages, uint64_t overwritten);

}  // namespace maxlat::core
