// SPDX-License-Identifier: MIT
#include "session_names.hpp"

#include <maxlat/base/counter.h>

#include <utility>

namespace maxlat::trace {
namespace {

// Looks at names of threads: so often, and at no more than so many of them at once, in turn.
constexpr std::chrono::nanoseconds kNamePeriod{100'000'000};
constexpr int kNamesAtOnce = 64;

}  // namespace

SessionNames::SessionNames(const SessionMemory& memory) : memory_(&memory) {
  for (const ChannelMemory& channel : memory.channels()) names_.emplace_back(channel.slots);
}

void SessionNames::begin(std::size_t channel, std::uint32_t slot, SlotWord word) {
  RingNames& names = of(channel, slot);
  if (!of_threads(channel) || names.are_of(word.generation())) return;
  names.begin(word.generation(), memory_->owner(channel, slot), memory_->thread_name(channel, slot, word));
}

bool SessionNames::look_at(std::size_t channel, std::uint32_t slot) {
  const SlotWord word = memory_->slot(channel, slot);
  if (!of_threads(channel) || word.state() != MAXLAT_SHM_LIVE) return false;
  begin(channel, slot, word);
  const std::uint64_t now = maxlat_counter_plain();  // before the look: it had the name since then, or longer
  std::optional<std::string> name = threads_.name(*memory_, memory_->owner(channel, slot));
  // A thread ends its ring before its number can be another's.
  const SlotWord after = memory_->slot(channel, slot);
  if (name && after.state() == MAXLAT_SHM_LIVE && after.generation() == word.generation()) {
    of(channel, slot).note(std::move(*name), now);
  }
  return true;
}

// Some of them each time, so that this costs as little with a thousand threads as with ten.
void SessionNames::look_at_some(std::chrono::nanoseconds now, const Seen& seen) {
  if (now < next_) return;
  next_ = now + kNamePeriod;
  std::size_t left = 0;
  for (const auto& channel : names_) left += channel.size();
  for (int looks = 0; left > 0 && looks < kNamesAtOnce; --left, ++slot_) {
    while (slot_ >= names_[channel_].size()) {
      slot_ = 0;
      channel_ = (channel_ + 1) % names_.size();
    }
    if (!look_at(channel_, slot_)) continue;
    ++looks;
    seen(channel_, slot_);
  }
}

void SessionNames::begin_new_folder(std::size_t channel) {
  for (RingNames& names : names_[channel]) names.begin_new_folder();
}

}  // namespace maxlat::trace
