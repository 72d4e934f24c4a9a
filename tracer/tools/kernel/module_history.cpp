// SPDX-License-Identifier: MIT
#include "module_history.hpp"

#include <fmt/format.h>
#include <maxlat/base/counter.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace maxlat::trace_tools {
namespace {

constexpr int kLooks = 100;
constexpr std::chrono::microseconds kBetweenLooks(100);

}  // namespace

// RETURNS: whether all was taken that was there when it began. Who writes to a packet then keeps it for a moment.
bool ModuleHistory::take_cpu(unsigned cpu, ModuleTrace& trace) {
  for (int look = 0; look < kLooks && !damaged_; ++look) {
    const auto whole = module_.session.read_cpu(cpu, [&](const trace::KernelRecord& record) { trace.take(record); });
    if (whole && *whole) return true;
    if (whole) {
      std::this_thread::sleep_for(kBetweenLooks);
      continue;
    }
    plan_.say(fmt::format("{}: nothing more is read", whole.error().text));
    damaged_ = true;
  }
  return false;
}

trace::RecordingReport ModuleHistory::write(std::unique_ptr<trace::TraceWriter> writer) {
  ModuleTrace trace(std::move(writer), plan_.cpus, module_.wanted);
  const std::uint64_t end = maxlat_counter_plain();
  // The events first: they are overwritten meanwhile.
  std::vector<bool> is_whole;
  for (const unsigned cpu : plan_.cpus) is_whole.push_back(take_cpu(cpu, trace));
  trace.write_state();
  const trace::KernelBooks now = module_.session.books();
  const std::uint64_t read = now.read - taken_.read;
  const trace::KernelBooks of_this = {.delivered = read,  // the others were overwritten, and are in the whole's books
                                      .read = read,
                                      .lost_full = now.lost_full - taken_.lost_full,
                                      .lost_wrap = now.lost_wrap - taken_.lost_wrap,
                                      .lost_big = now.lost_big - taken_.lost_big};
  taken_ = now;
  return trace.finish(of_this, end, is_whole);
}

void ModuleHistory::stop() {
  if (const base::Status stopped = module_.session.stop(); !stopped) plan_.say(stopped.error().text);
}

}  // namespace maxlat::trace_tools
