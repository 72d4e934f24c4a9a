// SPDX-License-Identifier: MIT
#include "session/boot_clock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/control_protocol.hpp>
#include <optional>

#include "session/control_folder.hpp"
#include "shm/local_socket.hpp"

namespace maxlat::trace::detail {
namespace {

constexpr std::int64_t kDriftNs = 1'000'000;  // of the wall clock, until the offsets are taken anew
constexpr double kSameRate = 1e-3;            // a record whose rate is another is not of this counter

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id.find_first_not_of("0123456789abcdef-") == id.npos ? id : std::string();
}

// Only a file that nobody else can have written to.
bool is_ours(const base::Descriptor& file) {
  struct stat found {};
  return file && fstat(file.number(), &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 077) == 0 && found.st_nlink == 1;
}

bool lock(const base::Descriptor& file) {
  for (int tries = 0; tries < 100; ++tries) {
    if (flock(file.number(), LOCK_EX | LOCK_NB) == 0) return true;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

// A line: version, uuid (for programs with a library of before it was the boot's), rate, offsets.
std::string text_of(const TraceClock& clock) {
  std::string text = "maxlat-clock 1 ";
  char part[128];
  for (const unsigned byte : clock.uuid) {
    std::snprintf(part, sizeof part, "%02x", byte);
    text += part;
  }
  // The rate's bits: how a fraction is written depends on the program's locale.
  std::snprintf(part, sizeof part, " %016" PRIx64 " %" PRId64 " %" PRId64 "\n",
                std::bit_cast<std::uint64_t>(clock.counter.ticks_per_ns), clock.realtime_offset_ns,
                clock.monotonic_offset_ns);
  return text + part;
}

// `clock` has what was measured now; from the record come rate and offsets.
std::optional<TraceClock> parsed(const std::string& text, TraceClock clock) {
  std::uint64_t rate_bits = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "maxlat-clock 1 %*32[0-9a-f] %" SCNx64 " %" SCNd64 " %" SCNd64 "%n", &rate_bits,
                  &clock.realtime_offset_ns, &clock.monotonic_offset_ns, &end) != 3 ||
      text.substr(static_cast<std::size_t>(end)) != "\n") {
    return std::nullopt;
  }
  const auto rate = std::bit_cast<double>(rate_bits);
  if (!(std::fabs(rate / clock.counter.ticks_per_ns - 1) < kSameRate)) return std::nullopt;
  const base::CounterClock recorded = base::clock_with_rate(rate);
  clock.counter.ticks_per_ns = recorded.ticks_per_ns;
  clock.counter.ratio = recorded.ratio;
  return clock;
}

std::string read_all(const base::Descriptor& file) {
  char text[256];
  const ssize_t got = pread(file.number(), text, sizeof text, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : std::string();
}

bool write_whole(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  unlink(fresh.c_str());
  const base::Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && write(file.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
         rename(fresh.c_str(), path.c_str()) == 0;
}

// The boot's own id, with some bits changed: it names the counter. RETURNS: zeros: that is no id.
Uuid uuid_of(const std::string& boot) {
  Uuid uuid{};
  std::string digits;
  for (const char c : boot) {
    if (c != '-') digits += c;
  }
  if (digits.size() != 2 * uuid.size() || digits.find_first_not_of('0') == digits.npos) return uuid;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    const char two[] = {digits[2 * i], digits[2 * i + 1], 0};
    uuid[i] = static_cast<std::uint8_t>(std::strtoul(two, nullptr, 16));
    if (i < 6) uuid[i] = static_cast<std::uint8_t>(uuid[i] ^ "maxlat"[i]);
  }
  return uuid;
}

}  // namespace

TraceClock boot_clock(const base::CounterClock& measured) {
  TraceClock own = trace_clock(measured);
  const std::string boot = boot_id(), folder = control_folder();
  own.uuid = uuid_of(boot);
  if (boot.empty() || !make_control_folder().ok()) return own;
  const base::Descriptor guard(open((folder + "/clock.lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!is_ours(guard) || !lock(guard)) return own;
  const std::string path = folder + "/clock-" + boot;
  for (const std::string& name : names_in(folder)) {  // of an earlier boot, where the folder outlives one
    if (name.starts_with("clock-") && name != "clock-" + boot) unlink((folder + "/" + name).c_str());
  }
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::optional<TraceClock> clock;
  if (is_ours(file)) clock = parsed(read_all(file), own);
  if (clock) {
    const TraceClock now = trace_clock(clock->counter);
    if (std::llabs(now.realtime_offset_ns - clock->realtime_offset_ns) < kDriftNs) return *clock;
    clock->realtime_offset_ns = now.realtime_offset_ns;
    clock->monotonic_offset_ns = now.monotonic_offset_ns;
  } else {
    clock = own;
  }
  return write_whole(path, text_of(*clock)) ? *clock : own;
}

}  // namespace maxlat::trace::detail
