// SPDX-License-Identifier: MIT
//
// One CPU's ring of a kernel session, mapped read-only: records out of the packets that the kernel hands over, and out
// of the one that the CPU is still writing. What was read out of that is not given again when its packet comes.
#pragma once

#include <maxlat/ring/read.h>
#include <maxlat/ring/walk.h>

#include <cstdint>
#include <functional>
#include <maxlat/base/result.hpp>
#include <maxlat/trace/kernel/kernel_events.hpp>
#include <span>
#include <vector>

namespace maxlat::trace::detail {

using UseKernelRecord = std::function<void(const KernelRecord&)>;

class KernelRing {
 public:
  // A ring that somebody else writes. `raw`: the session's own events, by id - MAXLAT_TRACE_FIRST_RAW, null where there
  // is none. ERRORS: it is none, or not whole. REQUIRES: `memory` stays mapped, and `raw` where it is.
  static base::Result<KernelRing> attach(std::uint32_t cpu, void* memory, std::uint64_t size,
                                         std::span<const KernelEventType* const> raw = {});

  // A packet that was got. REQUIRES: it lies in this ring's memory. ERRORS: what lies there is no packet of ours.
  base::Status read(const std::uint8_t* packet, std::uint64_t content_size, std::uint64_t sequence,
                    const UseKernelRecord& use);
  // The open packet, if there is nothing else. RETURNS: false: it has something, but a writer is inside; ask again.
  base::Result<bool> read_open(const UseKernelRecord& use);

  std::uint32_t cpu() const { return cpu_; }
  std::uint64_t sub_buffer_size() const { return reader_.ring.shape.sub_buffer_size; }
  const maxlat_ring_header& header() const { return *reader_.ring.header; }
  std::uint64_t records_read() const { return records_read_; }
  std::uint64_t lost_told() const { return lost_ - lost_untold_; }  // by lost_before of records

 private:
  KernelRing() = default;
  const KernelEventType* type_of(const maxlat_ring_walked& record) const;
  void tell_loss(std::uint64_t events);
  void tell_loss_before(std::uint64_t lost, std::uint64_t content_size);

  std::uint32_t cpu_ = 0;
  std::span<const KernelEventType* const> raw_;
  maxlat_ring_reader reader_{};  // for looking only: the kernel has the one that takes packets
  std::vector<std::uint64_t> copy_;
  std::uint64_t sequence_ = UINT64_MAX;  // of the packet that was read last
  std::uint64_t taken_ = 0;              // records of it
  std::uint64_t records_read_ = 0;
  std::uint64_t lost_ = 0;         // as the packets that were read count them
  std::uint64_t lost_untold_ = 0;  // of these, since the last record
  bool was_full_ = false;          // the packet that was read last, to its last byte
};

}  // namespace maxlat::trace::detail
