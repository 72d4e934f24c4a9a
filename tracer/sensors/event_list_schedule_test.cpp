// SPDX-License-Identifier: MIT
// Lists of events under a scheduler that may interrupt writers and reader before every access to a shared word: nested
// posts, several writers, writers that die in the middle, handlers that leave a post for ever, in interleavings drawn
// from a seed (ring/test_fibers.hpp). A processor may read its counter early. Every event bears a number and its
// complement in each word of its payload, so that two events in one place are seen; and at the end the books must
// balance, to the event. Lists of fixed slots, and one whose events have one to four words, or more than it takes.
#include <gtest/gtest.h>
#include <maxlat/sensors/event_list_read.h>

#include <algorithm>
#include <array>
#include <map>
#include <maxlat/ring/test_fibers.hpp>
#include <string>
#include <vector>

#ifndef MAXLAT_SCHEDULES
#define MAXLAT_SCHEDULES 3000u
#endif

namespace {

using maxlat::ring_test::Fibers;

struct Setting {
  const char* name;
  maxlat_sensor_writers writers;
  int threads;
  bool die = false;
  bool vary = false;   // in size
  bool leave = false;  // by siglongjmp()
};
struct Left {};  // a post, for ever

constexpr std::uint64_t kSlots = 4, kWords = 3, kSlotSize = sizeof(maxlat_event_slot) + kWords * 8;
constexpr std::uint64_t kRing = 64, kMemory = kSlots * sizeof(maxlat_var_event_slot) + kRing + 8;
constexpr int kPosts = 25;
constexpr std::uint64_t kEarly = 8;

class Play {
 public:
  Play(const Setting& setting, std::uint64_t seed)
      : setting_(setting),
        fibers_(seed),
        pace_(2 + static_cast<std::uint32_t>(fibers_.random()() % 12)),
        patience_(seed % 3 == 0 ? 1 : 40) {
    current_ = this;
    if (setting.vary) {
      where_.slots.size = sizeof(maxlat_var_event_slot);
      where_.ring = {memory_.data() + kSlots * sizeof(maxlat_var_event_slot), kRing};
      list_.claimed = seed % 3 * kRing - 24;  // where it begins anew, too
    }
    // Where the first lap begins, and a second; where positions come to have more than 32 bits; where they end.
    constexpr std::uint64_t kStarts[]{0, kSlots, (std::uint64_t{1} << 32) - 2 * kSlots,
                                      (std::uint64_t{1} << 63) - 4096};
    list_.next = kStarts[seed % std::size(kStarts)];
    first_ = list_.next;
    if (first_ != 0)
      for (std::uint64_t i = 0; i < kSlots; ++i) slot(i).stamp = maxlat_event_whole(first_ - kSlots + i);
  }
  ~Play() { current_ = nullptr; }

  std::string result() {
    maxlat_event_reader_begin(&early_.reader, where_, patience_);
    early_.reader.position = early_.reader.began_at = first_;  // what is there before has no number
    for (int i = 0; i < setting_.threads; ++i) fibers_.add([this] { write(); });
    fibers_.add([this] { read(); });
    fibers_.run();
    if (deaths_ > 0 && error_.empty()) post_two_laps_more();
    for (Monitor* monitor : {&early_, &late_}) {
      if (!monitor->begun) continue;
      // For each position that a writer left behind the reader waits once.
      for (int wait = 0; wait < 10; ++wait) {
        now_ += 2 * patience_;
        while (error_.empty() && read_one(*monitor)) {
        }
      }
      if (error_.empty()) settle(*monitor);
    }
    return error_;
  }

  static void step() {
    if (current_ != nullptr && current_->fibers_.inside()) current_->interrupt();
  }
  static std::uint64_t clock(bool ordered) { return current_ == nullptr ? 0 : current_->read_clock(ordered); }

 private:
  maxlat_event_slot& slot(std::uint64_t number) {
    return *reinterpret_cast<maxlat_event_slot*>(memory_.data() + number * where_.slots.size);
  }

  void write() {
    for (int i = 0; i < kPosts && error_.empty(); ++i) {
      try {
        post();
      } catch (Left) {
        depth_ = 0;
      }
    }
    --writing_;
  }

  void post() {
    const std::uint64_t number = ++posts_;
    ++attempts_;
    if (setting_.vary)
      post_varying(number);
    else
      post_fixed(number);
  }

  void post_fixed(std::uint64_t number) {
    maxlat_event_place place;
    if (!maxlat_event_claim(setting_.writers, &list_, where_.slots, &place)) {
      ++dropped_;
      return;
    }
    const std::uint64_t index = place.position % kSlots;
    if (++inside_[index] > 1) error_ = "two writers in a slot";  // one who died there stays inside
    for (std::uint64_t i = 0; i < kWords; ++i) maxlat_event_store(place, i, i % 2 == 0 ? number : ~number);
    --inside_[index];
    maxlat_event_commit(place, static_cast<std::uint32_t>(number), 7);
    times_[number] = place.time;
  }

  // Bytes of the ring, as long as somebody writes to them. One that left does not any more.
  class Writing {
   public:
    Writing(Play& play, std::uint64_t begin, std::uint64_t words) : play_(play), begin_(begin), words_(words) {
      for (std::uint64_t i = 0; i < words_; ++i)
        if (++of(i) > 1) play_.error_ = "two writers of a byte";
    }
    ~Writing() {
      for (std::uint64_t i = 0; i < words_; ++i) --of(i);
    }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    int& of(std::uint64_t word) { return play_.bytes_inside_[(begin_ / 8 + word) % play_.bytes_inside_.size()]; }
    Play& play_;
    const std::uint64_t begin_, words_;
  };

  static std::uint64_t words_of(std::uint64_t number) { return number % 13 == 0 ? kRing / 8 + 1 : 1 + number % 4; }

  void post_varying(std::uint64_t number) {
    const std::uint64_t words = words_of(number);
    maxlat_var_event_place place;
    if (!maxlat_var_event_claim(&list_, where_.slots, where_.ring, words * 8 - number % 8, &place)) {
      ++dropped_;
      return;
    }
    if (place.begin % 8 != 0) error_ = "an event begins within a word";
    if (words * 8 > kRing) error_ = "an event is larger than the list";
    if (!error_.empty()) return;
    {
      const Writing writing(*this, place.begin, words);
      for (std::uint64_t i = 0; i < words; ++i)
        maxlat_var_event_store(where_.ring, place, i, i % 2 == 0 ? number : ~number);
    }
    maxlat_var_event_commit(&list_, place, static_cast<std::uint32_t>(number), 7);
    times_[number] = place.event.time;
  }

  // Before every shared access of a writer: a handler that posts, too, another's turn, or the end.
  void interrupt() {
    const bool reading = fibers_.current() == static_cast<std::size_t>(setting_.threads);
    if (!reading && depth_ < 3 && handlers_ < 40 && fibers_.chance(20)) {
      ++depth_;
      ++handlers_;
      // Now and then for longer than the list is.
      const int posts = fibers_.chance(6) ? static_cast<int>(2 * kSlots) : 1;
      for (int i = 0; i < posts && error_.empty(); ++i) post();
      --depth_;
    }
    if (!reading && setting_.leave && fibers_.chance(300) && ++left_ <= 3) throw Left();
    if (!reading && setting_.die && depth_ == 0 && deaths_ < setting_.threads - 1 && fibers_.chance(150)) die();
    if (fibers_.chance(pace_)) {
      const int depth = depth_;
      fibers_.pass();
      depth_ = depth;
    }
  }

  void die() {
    ++deaths_;
    --writing_;
    fibers_.abandon();
  }

  void post_two_laps_more() {
    for (std::uint64_t i = 0; i < kSlots; ++i) held_ += slot(i).stamp % 2;
    if (held_ > static_cast<std::uint64_t>(deaths_)) error_ = "a dead writer holds two slots";
    const std::uint64_t before = dropped_;
    for (std::uint64_t i = 0; i < 2 * kSlots; ++i) post();
    if (dropped_ - before != 2 * held_) error_ = "a dead writer costs other than one event a lap";
  }

  std::uint64_t read_clock(bool ordered) {
    now_ += fibers_.random()() % 3;
    if (!fibers_.inside()) return now_;
    std::uint64_t& last = last_[fibers_.current()];
    return last = ordered ? now_ : std::max(last, now_ - fibers_.random()() % kEarly);
  }

  // What one reader has seen. The second begins at any moment.
  struct Monitor {
    maxlat_event_reader reader{};
    bool begun = false;
    std::uint64_t last_time = 0, last_position = 0;
    std::map<std::uint64_t, std::uint64_t> seen{};
  };

  void read() {
    while (writing_ > 0 && error_.empty()) {
      read_one(early_);
      now_ += fibers_.random()() % 4;
      fibers_.pass();
      if (late_.begun) {
        read_one(late_);
      } else if (list_.next - first_ >= kSlots && fibers_.chance(20)) {  // what it finds has a number
        maxlat_event_reader_begin(&late_.reader, where_, patience_);
        late_.begun = true;
      }
    }
  }

  // RETURNS: whether there may be more.
  bool read_one(Monitor& monitor) {
    maxlat_event_copy copy;
    const maxlat_event_read got = maxlat_event_read_next(&monitor.reader, now_, &copy);
    if (got == MAXLAT_EVENT_NONE) return false;
    if (got == MAXLAT_EVENT_AGAIN) return true;
    const std::uint64_t number = setting_.vary ? copy.type : copy.payload[0];
    const std::uint64_t words = setting_.vary ? words_of(copy.type) : kWords;
    for (std::uint64_t i = 0; i < copy.size / 8; ++i)
      if (copy.payload[i] != (i % 2 == 0 ? number : ~number)) error_ = "an event is of two";
    if (copy.size != words * 8) error_ = "an event has another size";
    if (copy.type != number || copy.cpu != 7) error_ = "an event has another's words";
    if (!monitor.seen.emplace(number, copy.time).second) error_ = "an event came twice";
    if (got == MAXLAT_EVENT_IN_ORDER) {
      if (copy.time < monitor.last_time) error_ = "time goes back";
      if (copy.position < monitor.last_position) error_ = "positions go back";
      monitor.last_time = copy.time;
      monitor.last_position = copy.position;
    }
    return true;
  }

  void settle(const Monitor& monitor) {
    for (const auto& [number, time] : monitor.seen) {
      const auto written = times_.find(number);
      // A writer that died behind its last store has written it all.
      if (written != times_.end() && written->second != time) error_ = "another time than was written";
    }
    std::uint64_t posts = 0;
    const maxlat_event_books books = maxlat_event_books_now(&monitor.reader, &posts);
    const std::uint64_t sum = books.delivered + books.late + books.overwritten + books.dropped + books.unfinished +
                              books.open + books.pending;
    if (sum != posts) error_ = "the books do not balance";
    if (books.pending != 0) error_ = "events are left";
    if (books.delivered + books.late != monitor.seen.size()) error_ = "the books count other events than came";
    if (books.dropped > dropped_) error_ = "an event was called dropped that was not";
    if (left_ > 0) return;
    if (books.open > held_) error_ = "an event without a writer is awaited";
    if (deaths_ > 0) return;
    if (&monitor == &late_) return;
    if (posts != attempts_) error_ = "posts are missing in the books";
    if (monitor.seen.size() + books.overwritten + books.unfinished < times_.size())
      error_ = "an event that was written is in no book";
  }

  static inline Play* current_ = nullptr;

  const Setting setting_;
  Fibers fibers_;
  const std::uint32_t pace_;
  const std::uint64_t patience_;
  maxlat_event_list list_{};
  alignas(64) std::array<std::uint8_t, kMemory> memory_{};
  maxlat_event_memory where_{&list_, {memory_.data(), kSlots, kSlotSize}, {nullptr, 0}};
  Monitor early_{.begun = true}, late_{};
  std::string error_;
  int writing_ = setting_.threads, depth_ = 0, handlers_ = 0, deaths_ = 0, left_ = 0;
  std::uint64_t first_ = 0, held_ = 0, posts_ = 0, attempts_ = 0, dropped_ = 0, now_ = 1000;
  std::map<std::size_t, std::uint64_t> last_;
  std::map<std::uint64_t, std::uint64_t> times_;
  std::array<int, kSlots> inside_{};
  std::array<int, kRing / 8> bytes_inside_{};
};

class EventListSchedule : public testing::TestWithParam<Setting> {};

TEST_P(EventListSchedule, EveryEventIsInTheBooks) {
  for (std::uint64_t seed = 1; seed <= MAXLAT_SCHEDULES; ++seed) {
    Play play(GetParam(), seed);
    ASSERT_EQ(play.result(), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventListSchedule,
                         testing::Values(Setting{"OneThread", MAXLAT_SENSOR_THREAD, 1},
                                         Setting{"Threads", MAXLAT_SENSOR_SHARED, 3},
                                         Setting{"Deaths", MAXLAT_SENSOR_SHARED, 3, true},
                                         Setting{"Varying", MAXLAT_SENSOR_THREAD, 1, false, true},
                                         Setting{"VaryingAndLeft", MAXLAT_SENSOR_THREAD, 1, false, true, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace

extern "C" void maxlat_ring_test_step(void) {
  Play::step();
}
extern "C" std::uint64_t maxlat_ring_test_clock(bool ordered) {
  return Play::clock(ordered);
}
