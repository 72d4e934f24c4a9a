// SPDX-License-Identifier: MIT
// Snapshots: who asks, when they are due, what is kept for them meanwhile (ring/freeze.h); and the books of a session.
#include <errno.h>
#include <sys/stat.h>

#include "books_text.hpp"
#include "recorder_state.hpp"

namespace maxlat::trace {
namespace {

// Behind the stretch. Who has not taken a snapshot by then is dead, or its disk is: writers overwrite again.
constexpr std::chrono::nanoseconds kFreezeAtMost{10'000'000'000};

bool folder_exists(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0;
}

}  // namespace

base::Status has_overwriting_channel(const SessionMemory& memory) {
  for (const ChannelMemory& channel : memory.channels()) {
    if (channel.overwrites()) return {};
  }
  return base::Error{"session " + memory.session() + " has no overwriting channel to take a snapshot of"};
}

Recorder::State::~State() {
  if (announced_) announce(false);
}

// Writers keep what they have, from a request on, for who says so here.
void Recorder::State::announce(bool due) {
  announced_ = due;
  if (due) {
    memory_.announce_snapshots(options_.post_trigger, options_.post_trigger + kFreezeAtMost);
  } else {
    memory_.announce_snapshots({}, {});
  }
}

// What was asked for before we came is not ours to answer, unless somebody had taken that on and died.
void Recorder::State::begin_snapshots() {
  const bool inherited = options_.flight_recorder && memory_.expects_snapshot();
  requests_seen_ = inherited ? memory_.snapshots_answered() : memory_.snapshot_requests();
  memory_.answer_snapshots(requests_seen_);
  announce(options_.flight_recorder && !options_.snapshots_only);
}

void Recorder::State::answer_requests(std::chrono::nanoseconds now) {
  // Not before: nothing is to be kept for a snapshot that would be skipped.
  if (options_.flight_recorder && !announced_ && !is_too_soon(now)) announce(true);
  const std::uint64_t requests = memory_.snapshot_requests();
  if (requests == requests_seen_ || (announced_ && memory_.is_in_stretch())) return;
  requests_seen_ = requests;
  snapshot(now);
  memory_.answer_snapshots(requests);
}

bool Recorder::State::snapshot(std::chrono::nanoseconds now) {
  if (!options_.flight_recorder) {
    // Once: a program may ask with every period.
    if (!std::exchange(said_no_snapshots_, true)) {
      options_.say("no snapshot of session " + memory_.session() + ": only a flight recorder writes them");
    }
    return false;
  }
  if (is_too_soon(now)) {
    ++report_.snapshots_skipped;
    return false;
  }
  last_snapshot_ = now;
  const bool written = take_snapshot(Taking::everything, options_.on_snapshot);
  if (announced_ && is_too_soon(now)) announce(false);  // whoever asked for this one
  return written;
}

bool Recorder::State::take_snapshot(Taking taking, const std::function<void(const std::string&)>& tell_folder) {
  std::string directory;
  const std::string name = "/" + memory_.process() + "-" + std::to_string(memory_.pid());
  for (std::uint64_t number = report_.snapshots + 1;; ++number) {
    directory = options_.directory + "/" + std::to_string(number);
    if (!folder_exists(directory + name)) break;
  }
  if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    options_.say(base::system_error("cannot create the folder " + directory, errno).text);
    report_.write_failed = true;
    return false;
  }
  tell_folder(directory);
  base::Result<WrittenTrace> folder = WrittenTrace::create(directory, memory_, options_.say);
  if (!folder) {
    options_.say(folder.error().text);
    report_.write_failed = true;
    return false;
  }
  for (std::size_t channel = 0; channel < slots_.size(); ++channel) {
    if (!kept_for_snapshots(channel)) continue;
    for (std::uint32_t slot = 0; slot < slots_[channel].size(); ++slot) {
      for (int tries = 0; tries < kTriesForSlot && !visit(channel, slot, taking, *folder); ++tries) continue;
    }
  }
  const std::vector<ChannelBooks> now = books();
  folder->write_books(books_text(books_of(true, books_since(before_snapshot_, now))));
  before_snapshot_ = now;
  // After the books: then the packets of the next folder tell of no loss that its books have not.
  for (std::size_t channel = 0; channel < slots_.size(); ++channel) {
    if (!kept_for_snapshots(channel)) continue;
    for (SlotDrain& each : slots_[channel]) {
      if (each.drain) each.drain->begin_new_file();
    }
    names_.begin_new_folder(channel);
  }
  report_.write_failed |= folder->failed();
  ++report_.snapshots;
  options_.say("snapshot: " + folder->path());
  return !folder->failed();
}

std::vector<ChannelBooks> Recorder::State::books() const {
  std::vector<ChannelBooks> all;
  for (std::size_t channel = 0; channel < slots_.size(); ++channel) {
    ChannelBooks books;
    for (int tries = 0; tries < kTriesForSlot && !try_books(channel, &books); ++tries) continue;
    all.push_back(std::move(books));
  }
  return all;
}

// RETURNS: false: a slot was claimed anew under us, so its ring may count twice or not at all.
bool Recorder::State::try_books(std::size_t channel, ChannelBooks* books) const {
  const ReplacedBooks replaced = memory_.replaced(channel);
  *books = ended_[channel];
  for (std::uint32_t slot = 0; slot < slots_[channel].size(); ++slot) {
    const SlotDrain& entry = slots_[channel][slot];
    if (!entry.drain) continue;
    const SlotWord word = memory_.slot(channel, slot);
    entry.drain->add_to(*books, entry.generation != word.generation() && word.state() != MAXLAT_SHM_CLAIMED);
  }
  books->lost_no_ring = memory_.lost_no_ring(channel);
  books->lost_frozen += replaced.lost_full;
  books->lost_wrap += replaced.lost_wrap;
  books->lost_big += replaced.lost_big;
  books->overwritten += replaced.unread;
  books->produced +=
      books->lost_no_ring + replaced.lost_full + replaced.lost_wrap + replaced.lost_big + replaced.unread;
  return memory_.replaced(channel) == replaced;
}

std::vector<ChannelBooks> Recorder::State::books_of(bool kept, std::vector<ChannelBooks> all) const {
  std::vector<ChannelBooks> some;
  for (std::size_t channel = 0; channel < all.size(); ++channel) {
    if (kept_for_snapshots(channel) == kept) some.push_back(std::move(all[channel]));
  }
  return some;
}

}  // namespace maxlat::trace
