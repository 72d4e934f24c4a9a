// SPDX-License-Identifier: MIT
//
// What a recorder knows while it records one session, in two parts: rounds, which take what rings have (recorder.cpp),
// and snapshots, with the books that go with them (recorder_snapshots.cpp). Contract: maxlat/trace/recorder.hpp.
#pragma once

#include <maxlat/trace/recorder.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ring_drain.hpp"
#include "session_names.hpp"
#include "shm/session_memory.hpp"
#include "written_trace.hpp"

namespace maxlat::trace {

inline constexpr int kTriesForSlot = 4;  // a slot changes its state once in the life of a thread

enum class Taking { ready, ready_and_open, everything, what_the_dead_left };

struct SlotDrain {
  std::uint64_t generation = 0;
  std::optional<RingDrain> drain;
  bool refused = false;  // this generation is no ring
};

// When what stands in a channel's packets that are not full is taken.
struct Flush {
  std::chrono::nanoseconds period{0};  // 0: never
  std::chrono::nanoseconds next{0};
  bool pending = false;  // it was not possible the last time
  bool due = false;      // in this round
};

// A ring that a round has something to do for.
struct Waiting {
  std::uint64_t room = 0;  // for what its writers reserve next, in bytes
  std::uint32_t channel = 0;
  std::uint32_t slot = 0;
};

// ERRORS: there is none.
base::Status has_overwriting_channel(const SessionMemory& memory);

class Recorder::State {
 public:
  State(SessionMemory memory, const RecorderOptions& options)
      : memory_(std::move(memory)), options_(options), names_(memory_) {
    std::size_t slots = 0;
    for (const ChannelMemory& channel : memory_.channels()) {
      slots_.emplace_back(channel.slots);
      ended_.push_back({.name = channel.name});
      const auto own = options_.flush_of.find(channel.name);
      flushes_.push_back({.period = own != options_.flush_of.end() ? own->second : options_.flush});
      slots += channel.slots;
    }
    hurried_.reserve(slots);  // so that no round allocates
    others_.reserve(slots);
  }

  ~State();
  base::Status begin();
  void round(std::chrono::nanoseconds now);
  bool snapshot(std::chrono::nanoseconds now);
  std::chrono::nanoseconds round_period() const;
  RecordingReport finish(RecordingEnd end);
  const SessionMemory& memory() const { return memory_; }

 private:
  bool kept_for_snapshots(std::size_t channel) const {
    return options_.flight_recorder && memory_.channels()[channel].overwrites();
  }
  // What the order of a round goes by. Nothing: there is nothing to do for this slot.
  std::optional<std::uint64_t> room_left(std::size_t channel, std::uint32_t slot, Taking taking);
  // RETURNS: a channel is to be flushed in this round.
  bool begin_flushes(std::chrono::nanoseconds now);
  Taking taking_of(std::size_t channel) const { return flushes_[channel].due ? Taking::ready_and_open : Taking::ready; }
  void take_fullest_first(WrittenTrace& folder);
  void forget_replaced(std::size_t channel, SlotDrain& entry, SlotWord word);
  // RETURNS: false: not now: a writer was inside its open packet, or the slot changed its state under us.
  bool visit(std::size_t channel, std::uint32_t slot, Taking taking, WrittenTrace& folder);
  bool take(RingDrain& drain, Taking taking, WrittenTrace& folder);
  bool take_packets(RingDrain& drain, Taking taking, WrittenTrace& folder);
  void look_at_names(std::chrono::nanoseconds now);
  bool start_drain(std::size_t channel, std::uint32_t slot, SlotDrain& entry, SlotWord word);
  void retire(std::size_t channel, SlotDrain& entry, bool replaced);
  bool take_snapshot(Taking taking, const std::function<void(const std::string& folder)>& tell_folder);
  void announce(bool due);
  void begin_snapshots();
  void answer_requests(std::chrono::nanoseconds now);
  bool is_too_soon(std::chrono::nanoseconds now) const {
    return last_snapshot_ && now - *last_snapshot_ < options_.snapshot_interval;
  }
  std::vector<ChannelBooks> books() const;
  bool try_books(std::size_t channel, ChannelBooks* books) const;
  // Of the channels whose packets go to snapshots, or of the others: what is in one folder.
  std::vector<ChannelBooks> books_of(bool kept, std::vector<ChannelBooks> all) const;
  std::span<std::uint64_t> copy_for(const RingDrain& drain);

  SessionMemory memory_;
  RecorderOptions options_;
  std::optional<WrittenTrace> folder_;  // none when every channel is kept for snapshots
  std::vector<std::vector<SlotDrain>> slots_;
  std::vector<Waiting> hurried_, others_;  // in this round
  std::vector<ChannelBooks> ended_;        // of rings that are no more
  std::vector<ChannelBooks> before_snapshot_;
  std::vector<std::uint64_t> copy_;
  std::vector<Flush> flushes_;  // by channel
  SessionNames names_;
  std::uint64_t requests_seen_ = 0;
  std::optional<std::chrono::nanoseconds> last_snapshot_;
  bool announced_ = false;  // writers keep what they have from a request on
  bool said_no_snapshots_ = false;
  RecordingReport report_;
};

}  // namespace maxlat::trace
