// SPDX-License-Identifier: MIT
#include "memory_nodes.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

namespace maxlat::trace {
namespace {

constexpr unsigned kMaxNodes = 1024;  // the most that the kernel is built for

detail::CpuMask listed_in(const std::string& path) {
  std::ifstream file(path);
  std::string list;
  std::getline(file, list);
  return detail::cpu_mask(list).value_or(detail::CpuMask{});
}

// The CPU that a thread is on, or was when it last ran.
std::optional<unsigned> cpu_of(std::uint32_t thread_id) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread_id) + "/stat");
  std::string text;
  std::getline(file, text);
  // Its name, the second word, may have blanks and parentheses; what follows has none.
  constexpr int kFromStateToProcessor = 36;
  std::size_t at = text.rfind(')');
  for (int i = 0; i <= kFromStateToProcessor && at != text.npos; ++i) at = text.find(' ', at + 1);
  unsigned cpu = 0;
  if (at == text.npos || std::from_chars(text.data() + at + 1, text.data() + text.size(), cpu).ec != std::errc()) {
    return std::nullopt;
  }
  return cpu;
}

}  // namespace

MemoryNodes MemoryNodes::read(const std::string& folder) {
  MemoryNodes nodes;
  const detail::CpuMask with_memory = listed_in(folder + "/has_memory");  // node lists look like lists of CPUs
  unsigned count = 0;
  for (unsigned node = 0; node < kMaxNodes; ++node) count += with_memory.has(node) ? 1 : 0;
  if (count < 2) return nodes;
  const detail::CpuMask online = listed_in(folder + "/online");
  for (unsigned node = 0; node < kMaxNodes; ++node) {
    if (!online.has(node)) continue;
    nodes.cpus_.resize(node + 1);
    nodes.cpus_[node] = listed_in(folder + "/node" + std::to_string(node) + "/cpulist");
  }
  return nodes;
}

int MemoryNodes::of_cpu(unsigned cpu) const {
  const auto node = std::find_if(cpus_.begin(), cpus_.end(), [&](const auto& cpus) { return cpus.has(cpu); });
  return node == cpus_.end() ? kNoNode : static_cast<int>(node - cpus_.begin());
}

int MemoryNodes::of_cpus(const detail::CpuMask& cpus) const {
  if (cpus.empty()) return kNoNode;
  for (std::size_t node = 0; node < cpus_.size(); ++node) {
    if (cpus.without(cpus_[node]).empty()) return static_cast<int>(node);
  }
  return kNoNode;
}

int MemoryNodes::of_thread(std::uint32_t thread_id) const {
  detail::CpuMask allowed;
  if (syscall(SYS_sched_getaffinity, thread_id, sizeof allowed.words, allowed.words.data()) < 0) return kNoNode;
  // First: a thread that sleeps since it was pinned is still said to be on the CPU that it was on before.
  if (const int node = of_cpus(allowed); node != kNoNode) return node;
  const std::optional<unsigned> cpu = cpu_of(thread_id);
  return cpu ? of_cpu(*cpu) : kNoNode;
}

const MemoryNodes& memory_nodes() {
  // Never destroyed: threads trace while the program's destructors run.
  static const MemoryNodes& nodes = *new MemoryNodes(MemoryNodes::read("/sys/devices/system/node"));
  return nodes;
}

int node_of_this_cpu() {
  unsigned cpu = 0, node = 0;
  return syscall(SYS_getcpu, &cpu, &node, nullptr) == 0 ? static_cast<int>(node) : kNoNode;
}

void prefer_node(int fd, std::int64_t offset, std::uint64_t size, int node) {
  // Without any right to it: a program that has locked all its memory to come (mlockall) would take the pages here.
  void* where = mmap(nullptr, size, PROT_NONE, MAP_SHARED, fd, offset);
  if (where == MAP_FAILED) return;
  std::uint64_t mask[kMaxNodes / 64] = {};
  const bool known = node >= 0 && static_cast<unsigned>(node) < kMaxNodes;
  if (known) mask[node / 64] = std::uint64_t{1} << node % 64;
  // One bit more: the kernel takes the last one for the end. Refused is a node without memory; then what the slot's
  // ring before had set must not stay.
  if (!known || syscall(SYS_mbind, where, size, MPOL_PREFERRED, mask, kMaxNodes + 1, 0) != 0) {
    syscall(SYS_mbind, where, size, MPOL_DEFAULT, nullptr, 0, 0);
  }
  munmap(where, size);
}

}  // namespace maxlat::trace
