// SPDX-License-Identifier: MIT
#include "tracefs_history.hpp"

#include <maxlat/base/counter.h>

#include <span>
#include <utility>

namespace maxlat::trace_tools {

TracefsHistory::TracefsHistory(const KernelPlan& plan, TracefsSession session)
    : plan_(plan), session_(std::move(session)) {
  for (const unsigned cpu : plan.cpus) cpus_.push_back({.cpu = cpu});
}

void TracefsHistory::keep_page(Cpu& cpu) {
  if (page_.lost_before) {
    for (const Page& older : cpu.pages) cpu.left_out += older.records.size();
    cpu.pages.clear();
  }
  Page& page = cpu.pages.emplace_back();
  for (const attribution::RingRecord& record : page_.records)
    page.bytes.insert(page.bytes.end(), record.bytes.begin(), record.bytes.end());
  std::size_t place = 0;
  for (const attribution::RingRecord& record : page_.records) {
    page.records.push_back({record.tick, std::span(page.bytes).subspan(place, record.bytes.size())});
    place += record.bytes.size();
  }
}

void TracefsHistory::read_pages(std::size_t place, std::uint64_t end) {
  Cpu& cpu = cpus_[place];
  for (std::uint64_t last = 0; !cpu.damaged && last < end;) {
    const core::Result<bool> any = session_.buffers.read(place, page_);
    if (!any) {
      plan_.say(nothing_more_of(cpu.cpu, any.error()));
      cpu.damaged = true;
    }
    if (!any || !*any) return;
    keep_page(cpu);
    if (!page_.records.empty()) last = page_.records.back().tick;
  }
}

trace::RecordingReport TracefsHistory::write(std::unique_ptr<trace::TraceWriter> writer) {
  TracefsTrace trace(std::move(writer), plan_.cpus, session_.conversions);
  const std::uint64_t end = maxlat_counter_plain();
  // All that is to be read first: it is overwritten meanwhile.
  for (std::size_t place = 0; place < cpus_.size(); ++place) read_pages(place, end);
  trace::TraceWriter::Told told{};
  for (std::size_t place = 0; place < cpus_.size(); ++place) {
    Cpu& cpu = cpus_[place];
    for (const Page& page : std::exchange(cpu.pages, {})) {
      for (const attribution::RingRecord& record : page.records) trace.take(place, record);
      told.produced += page.records.size();
    }
    const auto counts = session_.buffers.instance().counts_of(cpu.cpu);
    const std::uint64_t full = counts.dropped - std::exchange(cpu.lost_full, counts.dropped);
    const std::uint64_t wrap = counts.overrun_writer - std::exchange(cpu.lost_wrap, counts.overrun_writer);
    if (!cpu.damaged && full + wrap == 0) trace.end_of_cpu(place, end);
    told.produced += full + wrap;
    told.lost_full += full;
    told.lost_wrap += wrap;
  }
  trace.write_state();
  return trace.finish(told);
}

std::uint64_t TracefsHistory::overwritten() const {
  std::uint64_t sum = 0;
  for (const Cpu& cpu : cpus_) {
    const auto counts = session_.buffers.instance().counts_of(cpu.cpu);
    sum += counts.overwritten + cpu.left_out + (cpu.damaged ? counts.kept : 0);
  }
  return sum;
}

}  // namespace maxlat::trace_tools
