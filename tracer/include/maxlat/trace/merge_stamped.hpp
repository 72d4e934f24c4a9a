// SPDX-License-Identifier: MIT
//
// One sequence in the order of their stamps, of any number of sources that are each in that order: the streams of a
// trace, a kernel's buffers, sensors.
//
//   StampedMerge<Source> merge;
//   merge.add(Source(...));                          also later, between two calls of next()
//   while (Source* source = merge.next()) ...        its current item is the next of all
//
// A SOURCE is a movable type with
//   bool advance();       makes its next item the current one, the first at the first call; false: there is none
//   Stamp stamp() const;  of the current item; stamps are compared by <=>, and cheap to copy
// Sources of several kinds are one type to the merge: a pointer to what they have in common, or a variant.
//
// ORDER  (1) by stamp; (2) of equal stamps, by source, the one added first in front; (3) within a source, as they come.
//        So the order is the same in every run, whatever the stamps are.
//        Only the current item of a source is known. An item that is added late, or goes backwards, cannot come before
//        items that were given already: it comes as soon as its stamp is the smallest of those that wait.
// END    A source that says false is at its end: it is destroyed, and never asked again. If there is more to read
//        later, add it again. An empty source is one that says false at once.
// TIME   A source advances only when its item has been given and the next is asked for. So what an item points to is
//        valid until then, and no source is read before it is needed.
// COST   next() compares 2 log2(sources) times at most, twice when the same source goes on. Nothing is allocated once
//        the sources have begun. THREADS: one at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <list>
#include <utility>
#include <vector>

namespace maxlat::trace {

template <class Source>
class StampedMerge {
 public:
  StampedMerge() = default;
  StampedMerge(const StampedMerge&) = delete;
  StampedMerge& operator=(const StampedMerge&) = delete;

  // The source is asked for its first item at the next call of next().
  void add(Source source) { coming_.push_back({std::move(source), added_++}); }

  // The source with the next item; null: all are at their end. Valid until the next call.
  Source* next() {
    if (given_) advance_first();
    while (!coming_.empty()) begin(coming_.begin());
    given_ = !heap_.empty();
    return given_ ? &heap_[0].member->source : nullptr;
  }

 private:
  using Stamp = decltype(std::declval<const Source&>().stamp());
  struct Member {
    Source source;
    std::size_t order;  // of adding
  };
  using Place = typename std::list<Member>::iterator;
  // The stamp is kept here, too: comparing does not go to the sources, which are far apart.
  struct Head {
    Stamp stamp;
    std::size_t order;
    Place member;
    bool before(const Head& other) const {
      const auto compared = stamp <=> other.stamp;
      return compared != 0 ? compared < 0 : order < other.order;
    }
  };

  void begin(Place member) {
    if (!member->source.advance()) {
      coming_.erase(member);
      return;
    }
    sources_.splice(sources_.end(), coming_, member);
    heap_.push_back({member->source.stamp(), member->order, member});
    sift_up();
  }

  void advance_first() {
    const Place member = heap_[0].member;
    if (member->source.advance()) {
      heap_[0].stamp = member->source.stamp();
    } else {
      sources_.erase(member);
      heap_[0] = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sift_down();
  }

  // The last of the heap is new: puts it where it belongs.
  void sift_up() {
    const Head moved = heap_.back();
    std::size_t hole = heap_.size() - 1;
    for (std::size_t parent; hole != 0 && moved.before(heap_[parent = (hole - 1) / 2]); hole = parent) {
      heap_[hole] = heap_[parent];
    }
    heap_[hole] = moved;
  }

  // The first of the heap has another stamp than before: puts it where it belongs.
  void sift_down() {
    const Head moved = heap_[0];
    std::size_t hole = 0;
    for (;;) {
      std::size_t child = 2 * hole + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1].before(heap_[child])) ++child;
      if (!heap_[child].before(moved)) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = moved;
  }

  std::list<Member> coming_;   // added, and not asked yet
  std::list<Member> sources_;  // with an item; a list, because they stay where they are and go one by one
  std::vector<Head> heap_;     // of those, a binary heap; the first is the next to be given
  std::size_t added_ = 0;
  bool given_ = false;  // the item of the heap's first was given
};

}  // namespace maxlat::trace
