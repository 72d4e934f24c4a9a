// SPDX-License-Identifier: MIT
//
// The latest of the kernel's events by tracefs, whose buffers overwrite (kernel_flight_recorder.hpp).
//
// A history has no hole. What was read before one is dropped, and counts as overwritten, too: newer events were
// overwritten while it was being read, which reads of memory alone make rare; or it is the rest of a page that the
// snapshot before could read in part only, because it was still being written. Such a page is out of the kernel's ring
// from then on, and is what is read first the next time, however old it is by then.
//
// MEMORY  while a snapshot is taken, as much as the kernel's buffers have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel_flight_recorder.hpp"
#include "tracefs_trace.hpp"

namespace maxlat::trace_tools {

class TracefsHistory final : public KernelHistory {
 public:
  TracefsHistory(const KernelPlan& plan, TracefsSession session);

  const char* backend() const override { return kTracefsBackend; }
  trace::RecordingReport write(std::unique_ptr<trace::TraceWriter> writer) override;
  void stop() override { session_.buffers.stop(); }
  std::uint64_t overwritten() const override;

 private:
  struct Page {
    std::vector<std::byte> bytes;
    std::vector<attribution::RingRecord> records;  // in `bytes`
  };
  struct Cpu {
    unsigned cpu = 0;
    bool damaged = false;
    std::vector<Page> pages{};    // of this snapshot
    std::uint64_t left_out = 0;   // read, and dropped: older than a hole
    std::uint64_t lost_full = 0;  // the kernel's counts up to the last snapshot
    std::uint64_t lost_wrap = 0;
  };

  // What is there, up to what was recorded at the tick `end`.
  void read_pages(std::size_t place, std::uint64_t end);
  void keep_page(Cpu& cpu);

  const KernelPlan plan_;
  TracefsSession session_;
  std::vector<Cpu> cpus_;
  attribution::RingPage page_;
};

}  // namespace maxlat::trace_tools
