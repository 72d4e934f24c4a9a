// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <maxlat/core/machine/kernel_log.hpp>

#include "redact.hpp"

namespace maxlat::core {
namespace {

constexpr size_t kLongestRecord = 8192;  // CONSOLE_EXT_LOG_MAX: a read with less room fails
constexpr size_t kLongestText = 240;

// The number in front of `after`, which is taken away with it.
std::optional<uint64_t> number_before(char after, std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const size_t length = static_cast<size_t>(end - text.data());
  if (error != std::errc() || length == text.size() || text[length] != after) return std::nullopt;
  text.remove_prefix(length + 1);
  return number;
}

// What is in no other text of the machine: serial numbers of devices, and who did what, which is the audit's business.
std::string without_private(std::string_view text, std::string_view host_name) {
  std::string clean = redact(text, host_name);
  for (const std::string_view before : {"SerialNumber: ", "audit: "})
    if (const size_t found = clean.find(before); found != std::string::npos)
      clean.replace(found + before.size(), std::string::npos, kRedacted);
  return clean;
}

}  // namespace

std::optional<KernelRecord> kernel_record(std::string_view text) {
  const auto priority = number_before(',', text), number = number_before(',', text), time_us = number_before(',', text);
  const size_t flags = text.find(';');
  if (!priority || !number || !time_us || flags == std::string_view::npos) return std::nullopt;
  KernelRecord record{.number = *number, .message = {}};
  constexpr uint64_t kLevels = 8;  // above them is the facility: 0 is the kernel's
  if (*priority < kLevels)
    record.message = {static_cast<KernelMessage::Level>(*priority), static_cast<double>(*time_us) * 1e-6,
                      std::string(text.substr(flags + 1, text.find('\n', flags) - flags - 1))};
  return record;
}

// Redacted whole, then cut: a part of an address does not look like one.
std::string shown_text(std::string_view text, std::string_view host_name) {
  std::string clean = without_private(text, host_name);
  if (clean.size() <= kLongestText) return clean;
  size_t length = kLongestText;
  while ((static_cast<unsigned char>(clean[length]) & 0xc0) == 0x80) --length;  // not within a character of UTF-8
  return clean.substr(0, length) + "...";
}

KernelMessages bounded(std::vector<KernelMessage> messages, uint64_t overwritten) {
  KernelMessages result{.count = messages.size(), .overwritten = overwritten, .kept = {}};
  const auto worse = [](const KernelMessage& one, const KernelMessage& other) { return one.level < other.level; };
  const auto earlier = [](const KernelMessage& one, const KernelMessage& other) {
    return one.uptime_s < other.uptime_s;
  };
  if (messages.size() > KernelMessages::kMostKept) {
    std::stable_sort(messages.begin(), messages.end(), worse);
    messages.resize(KernelMessages::kMostKept);
    std::stable_sort(messages.begin(), messages.end(), earlier);
  }
  result.kept = std::move(messages);
  return result;
}

KernelLog::KernelLog(const MachineView& machine)
    : file_(::open((machine.root + "/dev/kmsg").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
      host_name_(private_host_name(machine)) {
  if (file_ && ::lseek(file_.number(), 0, SEEK_END) < 0) file_ = base::Descriptor();
}

std::optional<KernelMessages> KernelLog::messages() {
  if (!file_) return std::nullopt;
  std::vector<KernelMessage> messages;
  uint64_t overwritten = 0;
  std::array<char, kLongestRecord> buffer;
  while (true) {
    const ssize_t length = ::read(file_.number(), buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && errno == EPIPE) {  // some were overwritten: the next number tells how many, but for the first
      overwritten += next_ ? 0 : 1;
      continue;
    }
    if (length <= 0) break;
    std::optional<KernelRecord> record = kernel_record({buffer.data(), static_cast<size_t>(length)});
    if (!record) continue;
    if (next_ && record->number > *next_) overwritten += record->number - *next_;
    next_ = record->number + 1;
    if (!record->message) continue;
    record->message->text = shown_text(record->message->text, host_name_);
    messages.push_back(*std::move(record->message));
  }
  return bounded(std::move(messages), overwritten);
}

}  // namespace maxlat::core
