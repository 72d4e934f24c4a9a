// SPDX-License-Identifier: MIT
//
// The gaps whose time somebody is to account for, handed from a measured loop to a thread that has time for it.
//
// ROLES      ask(), watch(), begin(), end(): the measuring thread; take(), begun(), ended(): the thread that accounts.
// PROGRESS   wait-free, both: a loop never waits. A gap that finds no room is nobody's.
// ORDER      [A1] the release of `put_` by ask(), acquired by take(): who sees a gap also sees, in the kernel's trace
//            buffer, all that its CPU recorded up to the gap's end. Without, a gap is accounted for before its events.
//            [A3] the release of begin() and end(), acquired by begun() and ended(): whose the gaps are is then known.
//            [A2] the release of `taken_` by take(), acquired by ask(): a place is written again when it was read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace maxlat::core {

struct AskedGap {
  uint64_t ticks = 0;
  uint64_t end = 0;  // counter
  int32_t thread = 0;   // that measured it; 0: the one of watch()
  int32_t partner = 0;  // another of the meter's, which reads the counter and nothing else; 0: there is none
};

class AskedGaps {
 public:
  // Before the first ask(): whose gaps they are. thread() is known to who took one of them ([A1]), or saw the begin
  // ([A3]).
  void watch(int32_t thread) { thread_ = thread; }
  int32_t thread() const { return thread_; }

  // From when to when the thread measured, in the time of its gaps' ends. Never 0.
  void begin(uint64_t time) noexcept { begun_.store(time, std::memory_order_release); }  // [A3]
  void end(uint64_t time) noexcept { ended_.store(time, std::memory_order_release); }    // [A3]
  std::optional<uint64_t> begun() const { return told(begun_); }
  std::optional<uint64_t> ended() const { return told(ended_); }

  // False: there was no room for it.
  bool ask(uint64_t ticks, uint64_t end) noexcept { return ask({.ticks = ticks, .end = end}); }
  bool ask(const AskedGap& gap) noexcept {
    const uint64_t put = put_.load(std::memory_order_relaxed);                // relaxed: our own
    if (put - taken_.load(std::memory_order_acquire) == kRoom) return false;  // [A2]
    gaps_[put % kRoom] = gap;
    put_.store(put + 1, std::memory_order_release);  // [A1]
    return true;
  }
  // In the place of ask(): one that ended on another CPU, where the thread was moved. That is not this CPU's time.
  void decline() noexcept {
    declined_.store(declined() + 1, std::memory_order_relaxed);  // relaxed: a count alone, one writer
  }
  uint64_t declined() const { return declined_.load(std::memory_order_relaxed); }  // relaxed: a count alone
  // Of each gap asked for since the last call.
  template <class Visitor>
  void take(Visitor visit) {
    const uint64_t put = put_.load(std::memory_order_acquire);  // [A1]
    uint64_t taken = taken_.load(std::memory_order_relaxed);    // relaxed: our own
    for (; taken < put; ++taken) visit(gaps_[taken % kRoom]);
    taken_.store(taken, std::memory_order_release);  // [A2]
  }

 private:
  static std::optional<uint64_t> told(const std::atomic<uint64_t>& time) {
    const uint64_t value = time.load(std::memory_order_acquire);  // [A3]
    return value == 0 ? std::nullopt : std::optional(value);
  }

  static constexpr uint64_t kRoom = 1024;
  alignas(64) std::atomic<uint64_t> put_{0};
  int32_t thread_ = 0;
  std::atomic<uint64_t> begun_{0}, ended_{0}, declined_{0};
  alignas(64) std::atomic<uint64_t> taken_{0};
  alignas(64) std::array<AskedGap, kRoom> gaps_{};
};

}  // namespace maxlat::core
