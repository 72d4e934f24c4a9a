// SPDX-License-Identifier: MIT
#include "trace_drain.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <maxlat/core/sys/affinity.hpp>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <mutex>

namespace maxlat::npt {
namespace {

constexpr std::uint64_t kLongestFile = 256u << 20;
constexpr std::chrono::milliseconds kDrainPeriod{10};

// What trace_pipe_raw gives: a page of the kernel's, filled up with zeros. Its head is a time and how much of it is
// used, a long with flags above 27 bits (tracefs, events/header_page).
using TracePage = std::array<char, 4096>;
constexpr std::size_t kUsedAt = sizeof(std::uint64_t);
constexpr unsigned long kUsedBits = (1ul << 27) - 1;

// One that is not may be the page that the kernel is writing to: who reads on then reads an event at a time.
bool is_half_full(const TracePage& page, std::size_t size) {
  unsigned long used = 0;
  if (size < kUsedAt + sizeof used) return false;
  std::memcpy(&used, page.data() + kUsedAt, sizeof used);
  return (used & kUsedBits) >= size / 2;
}

}  // namespace

core::Status TraceDrain::start(const std::string& instance, unsigned measured_cpu, const std::string& folder) {
  folder_ = folder;
  left_out_ = base::Descriptor(::open((instance + "/set_event_notrace_pid").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  std::error_code failure;
  for (const auto& cpu : std::filesystem::directory_iterator(instance + "/per_cpu", failure)) {
    const std::string trace = cpu.path().string() + "/trace_pipe_raw";
    OfCpu one{base::Descriptor(::open(trace.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)), {}};
    if (!one.trace) return core::system_error("cannot read " + trace, errno);
    auto file = core::file_without_a_name(folder);
    if (!file) return file.error();
    one.file = *std::move(file);
    cpus_.push_back(std::move(one));
  }
  if (cpus_.empty()) return core::Error{fmt::format("no CPU's trace in {}/per_cpu", instance)};
  for (const OfCpu& cpu : cpus_)
    threads_.emplace_back([this, &cpu, measured_cpu](const std::stop_token& stopped) {
      const core::OffCpus off_the_cpu({measured_cpu});
      leave_this_thread_out();
      drain(stopped, cpu);
    });
  return {};
}

void TraceDrain::stop() {
  threads_.clear();  // joins them
  cpus_.clear();     // an open file of an instance keeps it
  left_out_ = {};
}

core::Status TraceDrain::status() const {
  // relaxed: nothing else is told by it.
  const int failure = failure_.load(std::memory_order_relaxed);
  if (failure == 0) return {};
  return core::system_error("the kernel's trace cannot be written to " + folder_, failure);
}

void TraceDrain::leave_this_thread_out() {
  const std::string thread = fmt::format("{}\n", ::gettid());
  if (left_out_ && ::write(left_out_.number(), thread.data(), thread.size()) == static_cast<ssize_t>(thread.size()))
    return;
  is_traced_itself_.store(true, std::memory_order_relaxed);  // relaxed: as in is_traced_itself()
}

void TraceDrain::drain(const std::stop_token& stopped, const OfCpu& cpu) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::uint64_t in_file = 0;
  while (!stopped.stop_requested() && status()) {
    while (!stopped.stop_requested() && take(cpu, in_file)) {
    }
    std::unique_lock lock(mutex);
    woken.wait_for(lock, stopped, kDrainPeriod, [] { return false; });
  }
}

bool TraceDrain::take(const OfCpu& cpu, std::uint64_t& in_file) {
  TracePage page;
  const ssize_t size = ::read(cpu.trace.number(), page.data(), page.size());
  if (size <= 0) return false;  // empty for now
  if (in_file >= kLongestFile && ::lseek(cpu.file.number(), 0, SEEK_SET) == 0) in_file = 0;
  if (const ssize_t written = ::write(cpu.file.number(), page.data(), static_cast<std::size_t>(size));
      written != size) {
    failure_.store(written < 0 ? errno : ENOSPC, std::memory_order_relaxed);  // relaxed: as in status()
    return false;
  }
  in_file += static_cast<std::uint64_t>(size);
  bytes_.fetch_add(static_cast<std::uint64_t>(size), std::memory_order_relaxed);  // relaxed: as in bytes()
  return is_half_full(page, static_cast<std::size_t>(size));
}

}  // namespace maxlat::npt
