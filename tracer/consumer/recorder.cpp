// SPDX-License-Identifier: MIT
// All rings of one session: slots that come and go, the flush, the end. Contract: recorder.hpp.
#include <maxlat/base/counter.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "books_text.hpp"
#include "recorder_state.hpp"

namespace maxlat::trace {
namespace {

constexpr int kTriesForOpenPacket = 1000;  // a writer that is inside at every one of them was stopped there
constexpr std::uint64_t kNobodyHurries = ~std::uint64_t{0};

}  // namespace

base::Status Recorder::State::begin() {
  const base::Status locked = memory_.lock();
  if (!locked) return locked.error();
  begin_snapshots();
  if (options_.snapshots_only) return has_overwriting_channel(memory_);
  bool continuous = false;
  for (std::size_t channel = 0; channel < slots_.size(); ++channel) continuous |= !kept_for_snapshots(channel);
  if (!continuous) return {};
  base::Result<WrittenTrace> folder = WrittenTrace::create(options_.directory, memory_, options_.say);
  if (!folder) return folder.error();
  folder_.emplace(std::move(*folder));
  return {};
}

std::span<std::uint64_t> Recorder::State::copy_for(const RingDrain& drain) {
  copy_.resize(std::max<std::size_t>(copy_.size(), drain.sub_buffer_size() / sizeof(std::uint64_t)));
  return copy_;
}

void Recorder::State::look_at_names(std::chrono::nanoseconds now) {
  names_.look_at_some(now, [&](std::size_t channel, std::uint32_t slot) {
    const SlotDrain& entry = slots_[channel][slot];
    RingNames& names = names_.of(channel, slot);
    const bool told_here = folder_ && !kept_for_snapshots(channel) && names.are_of(entry.generation);
    if (told_here && entry.drain && entry.drain->has_file()) names.tell(*folder_, entry.drain->file_name());
  });
}

bool Recorder::State::start_drain(std::size_t channel, std::uint32_t slot, SlotDrain& entry, SlotWord word) {
  entry.generation = word.generation();
  base::Result<MappedRing> mapped = memory_.map_ring(channel, slot);
  const std::string name =
      memory_.channels()[channel].name + "-" + std::to_string(slot) + "-" + std::to_string(word.generation());
  base::Result<RingDrain> drain =
      mapped ? RingDrain::start(std::move(*mapped), name) : base::Result<RingDrain>(mapped.error());
  entry.refused = !drain;
  if (drain) {
    entry.drain.emplace(std::move(*drain));
    return true;
  }
  ++report_.broken_rings;
  options_.say(drain.error().text);
  return false;
}

void Recorder::State::retire(std::size_t channel, SlotDrain& entry, bool replaced) {
  if (entry.drain->broken()) ++report_.broken_rings;
  entry.drain->add_to(ended_[channel], replaced);
  entry.drain.reset();
}

bool Recorder::State::take(RingDrain& drain, Taking taking, WrittenTrace& folder) {
  const bool complete = take_packets(drain, taking, folder);
  drain.settle();
  const bool last = taking == Taking::everything || taking == Taking::what_the_dead_left;
  if (complete && (last || drain.ended())) drain.tell_late_losses(folder);
  return complete;
}

bool Recorder::State::take_packets(RingDrain& drain, Taking taking, WrittenTrace& folder) {
  drain.take_ready(folder);
  if (taking == Taking::ready) return true;
  if (taking == Taking::ready_and_open) return drain.take_open(folder, copy_for(drain));
  if (taking == Taking::what_the_dead_left) {
    drain.recover(folder, copy_for(drain));
    return true;
  }
  for (int i = 0; i < kTriesForOpenPacket; ++i) {
    if (drain.take_open(folder, copy_for(drain))) return true;
    sched_yield();
    drain.take_ready(folder);
  }
  return false;
}

// From CLAIMED on the memory is another ring's; the books of the one before are all there when it is past that.
void Recorder::State::forget_replaced(std::size_t channel, SlotDrain& entry, SlotWord word) {
  if (entry.generation == word.generation() || word.state() == MAXLAT_SHM_CLAIMED) return;
  if (entry.drain) retire(channel, entry, true);
  entry.refused = false;
}

bool Recorder::State::visit(std::size_t channel, std::uint32_t slot, Taking taking, WrittenTrace& folder) {
  SlotDrain& entry = slots_[channel][slot];
  SlotWord word = memory_.slot(channel, slot);
  forget_replaced(channel, entry, word);
  const bool overwrites = memory_.channels()[channel].overwrites();
  bool reading = false;
  if (word.state() == MAXLAT_SHM_LIVE && taking != Taking::what_the_dead_left) {
    if (entry.refused) return true;
    if (entry.drain && taking == Taking::ready && !entry.drain->has_ready()) return true;
    if (overwrites) {
      if (!memory_.exchange(channel, slot, word, word.word | MAXLAT_SHM_READING)) return false;
      reading = true;
    }
  } else if (word.state() == MAXLAT_SHM_ENDED) {
    const std::uint64_t taken = (word.word & ~std::uint64_t{0xff}) | MAXLAT_SHM_TAKEN;
    if (!memory_.exchange(channel, slot, word, taken)) return false;
    word = SlotWord{taken};
  } else if (word.state() != MAXLAT_SHM_LIVE && word.state() != MAXLAT_SHM_TAKEN) {
    return true;
  }

  const bool of_threads = !memory_.channels()[channel].per_cpu;
  RingNames& names = names_.of(channel, slot);
  names_.begin(channel, slot, word);
  if (taking == Taking::everything) names_.look_at(channel, slot);
  bool complete = true;
  if (entry.drain || (!entry.refused && start_drain(channel, slot, entry, word))) {
    complete = take(*entry.drain, taking, folder);
    if (of_threads && word.state() == MAXLAT_SHM_TAKEN && entry.drain->ended()) {
      const std::string name = entry.drain->name_at_end();
      if (!name.empty()) names.note(name, maxlat_counter_plain());
    }
    if (of_threads && entry.drain->has_file()) names.tell(folder, entry.drain->file_name());
  }
  if (reading) memory_.end_reading(channel, slot);
  if (word.state() == MAXLAT_SHM_TAKEN && taking != Taking::what_the_dead_left &&
      (!entry.drain || entry.drain->ended() || entry.drain->broken())) {
    if (entry.drain) retire(channel, entry, false);
    const base::Status freed = memory_.free_slot(channel, slot);
    if (!freed) options_.say(freed.error().text);
  }
  return complete;
}

std::chrono::nanoseconds Recorder::State::round_period() const {
  const auto& channels = memory_.channels();
  const bool wakeup = std::all_of(channels.begin(), channels.end(), [](const auto& channel) { return channel.wakeup; });
  std::chrono::nanoseconds shortest{0};  // 0: nobody is flushed
  for (const Flush& flush : flushes_) {
    if (flush.period.count() > 0 && (shortest.count() == 0 || flush.period < shortest)) shortest = flush.period;
  }
  const auto period = wakeup && shortest.count() > 0 ? shortest : options_.period;
  return std::max(period, std::chrono::nanoseconds(1));
}

std::optional<std::uint64_t> Recorder::State::room_left(std::size_t channel, std::uint32_t slot, Taking taking) {
  SlotDrain& entry = slots_[channel][slot];
  const SlotWord word = memory_.slot(channel, slot);
  forget_replaced(channel, entry, word);
  if (word.state() == MAXLAT_SHM_ENDED || word.state() == MAXLAT_SHM_TAKEN) return kNobodyHurries;
  if (word.state() != MAXLAT_SHM_LIVE || entry.refused) return std::nullopt;
  if (!entry.drain) {
    // An overwriting ring may be mapped only by who has marked its slot: a thread could claim it meanwhile.
    if (memory_.channels()[channel].overwrites()) return kNobodyHurries;
    if (!start_drain(channel, slot, entry, word)) return std::nullopt;
  }
  if (entry.drain->has_ready()) return entry.drain->room();
  if (taking == Taking::ready) return std::nullopt;
  return kNobodyHurries;
}

// In the order in which their writers would lose events, as it is when the round begins: what the round itself takes
// long for may change it. Rings that nobody hurries to come last, in the order of their slots.
void Recorder::State::take_fullest_first(WrittenTrace& folder) {
  hurried_.clear();
  others_.clear();
  for (std::uint32_t channel = 0; channel < slots_.size(); ++channel) {
    if (kept_for_snapshots(channel)) continue;
    for (std::uint32_t slot = 0; slot < slots_[channel].size(); ++slot) {
      const std::optional<std::uint64_t> room = room_left(channel, slot, taking_of(channel));
      if (room) (*room == kNobodyHurries ? others_ : hurried_).push_back({*room, channel, slot});
    }
  }
  std::sort(hurried_.begin(), hurried_.end(), [](const Waiting& a, const Waiting& b) {
    return std::tie(a.room, a.channel, a.slot) < std::tie(b.room, b.channel, b.slot);
  });
  for (const auto* each : {&hurried_, &others_}) {
    for (const Waiting& ring : *each) {
      const bool complete = visit(ring.channel, ring.slot, taking_of(ring.channel), folder);
      Flush& flush = flushes_[ring.channel];
      flush.pending |= flush.due && !complete;
    }
  }
}

bool Recorder::State::begin_flushes(std::chrono::nanoseconds now) {
  bool any = false;
  for (Flush& flush : flushes_) {
    flush.due = flush.pending || (flush.period.count() > 0 && now >= flush.next);
    if (!flush.due) continue;
    flush.next = now + flush.period;
    flush.pending = false;
    any = true;
  }
  return any;
}

void Recorder::State::round(std::chrono::nanoseconds now) {
  const bool due = begin_flushes(now);
  if (folder_) {
    if (due) folder_->append_metadata();
    take_fullest_first(*folder_);
  }
  look_at_names(now);
  answer_requests(now);
}

RecordingReport Recorder::State::finish(RecordingEnd end) {
  const Taking taking = end == RecordingEnd::stopped ? Taking::everything : Taking::what_the_dead_left;
  if (folder_) {
    for (std::size_t channel = 0; channel < slots_.size(); ++channel) {
      if (kept_for_snapshots(channel)) continue;
      for (std::uint32_t slot = 0; slot < slots_[channel].size(); ++slot) {
        for (int tries = 0; tries < kTriesForSlot && !visit(channel, slot, taking, *folder_); ++tries) continue;
      }
    }
  }
  if (options_.flight_recorder) take_snapshot(taking, [](const std::string&) {});  // nobody has asked for it
  for (auto& channel : slots_) {
    for (SlotDrain& entry : channel) {
      if (!entry.drain) continue;
      report_.broken_rings += entry.drain->broken() ? 1 : 0;
      entry.drain->begin_new_file();  // closes this one
    }
  }
  report_.channels = books();
  const std::vector<ChannelBooks> summed = books_since({}, report_.channels);
  for (std::size_t channel = 0; channel < slots_.size(); ++channel) {
    if (kept_for_snapshots(channel)) report_.channels[channel] = summed[channel];
  }
  if (folder_) {
    report_.trace = folder_->path();
    folder_->write_books(books_text(books_of(false, report_.channels)));
    report_.write_failed |= folder_->failed();
  } else {
    report_.trace = options_.directory;
  }
  return report_;
}

bool RecordingReport::complete() const {
  bool all = broken_rings == 0 && !write_failed;
  for (const ChannelBooks& channel : channels) {
    all = all && channel.lost() == 0 && channel.unfinished == 0 && channel.unaccounted() == 0;
  }
  return all;
}

base::Result<Recorder> Recorder::attach(int memory_fd, const RecorderOptions& options) {
  base::Result<SessionMemory> memory = SessionMemory::attach(memory_fd);
  if (!memory) return memory.error();
  auto state = std::make_unique<State>(std::move(*memory), options);
  const base::Status begun = state->begin();
  if (!begun) return begun.error();
  return Recorder(std::move(state));
}

base::Result<SnapshotBy> Recorder::snapshot_by(int memory_fd) {
  base::Result<SessionMemory> memory = SessionMemory::attach(memory_fd);
  if (!memory) return memory.error();
  const base::Status possible = has_overwriting_channel(*memory);
  if (!possible) return possible.error();
  if (memory->lock().ok()) return SnapshotBy::whoever;
  return memory->snapshots_are_announced() ? SnapshotBy::another : SnapshotBy::nobody;
}

base::Result<bool> Recorder::await_snapshot(int memory_fd) {
  base::Result<SessionMemory> memory = SessionMemory::attach(memory_fd);
  if (!memory) return memory.error();
  const std::uint64_t wanted = memory->snapshot_requests();
  const auto answered = [&] { return !maxlat_ring_unanswered(wanted, memory->snapshots_answered()); };
  while (!answered() && memory->expects_snapshot()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return answered();
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

void Recorder::round(std::chrono::nanoseconds now) {
  state_->round(now);
}
bool Recorder::snapshot(std::chrono::nanoseconds now) {
  return state_->snapshot(now);
}
RecordingReport Recorder::finish(RecordingEnd end) {
  return state_->finish(end);
}
const std::string& Recorder::session() const {
  return state_->memory().session();
}
int Recorder::pid() const {
  return state_->memory().pid();
}
std::chrono::nanoseconds Recorder::round_period() const {
  return state_->round_period();
}

}  // namespace maxlat::trace
