// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Two processors with one time, for fibers that write to a ring of the first: where each of them runs, and what a read
// of the counter may give there. (reserve.h, TIME ORDER.)
//
// An ordered read gives now. A plain one may have been done early, before a load that precedes it in the program has
// its value: up to kEarly ticks ago, but not before the processor's last read, and not before the last thing that a
// processor does not look across: a switch to this thread, its arrival from the other processor, a handler.
#pragma once

#include <maxlat/ring/port.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "test_fibers.hpp"

namespace maxlat::ring_test {

class Processors {
  struct Writer {
    uint32_t cpu = 0;
    bool may_move = false, inside = false;
  };

 public:
  // Fibers 0 to `writers` - 1 write.
  Processors(Fibers& fibers, int writers) : fibers_(fibers), writers_(static_cast<size_t>(writers)) {}

  // Called wherever a writer does something: is it still the one that runs there; is it moved to the other processor?
  void run() {
    Writer& me = writer();
    if (me.may_move && fibers_.chance(40)) {
      me.may_move = false;
      me.cpu = 1 - me.cpu;
      processor_[me.cpu].thread = kNobody;
    }
    Processor& here = processor_[me.cpu];
    if (here.thread != fibers_.current()) here = {fibers_.current(), now_, here.last};
  }

  // Every 40th look at the clock comes after a silence in which truncated times overflow, some of them several times.
  uint64_t clock(bool ordered) {
    const uint64_t silence = fibers_.chance(40) ? fibers_.random()() % (5ull << MAXLAT_RING_TIME_BITS) : 0;
    now_ += fibers_.random()() % 3 + silence;
    if (!fibers_.inside() || fibers_.current() >= writers_.size()) return now_;
    Processor& here = processor_[writer().cpu];
    const uint64_t early = now_ - fibers_.random()() % kEarly;
    return here.last = ordered ? now_ : std::max({early, here.since, here.last});
  }

  // What the ring is told of the writer: it is the ring of processor 0.
  maxlat_ring_cpu cpu() { return {&writer().cpu, 0}; }

  // A writer from its look where it is to the end of its event: on processor 0, from where it may be moved once, or,
  // where `anywhere`, on the other one all the time. To be moved away and back is the exception that reserve.h makes.
  class Probe {
   public:
    Probe(Processors& all, bool anywhere) : writer_(all.writer()), before_(writer_.may_move), outer_(!writer_.inside) {
      writer_.inside = true;
      writer_.may_move = before_ && anywhere;
      if (!outer_) return;
      writer_.cpu = anywhere && all.fibers_.chance(8) ? 1 : 0;
      writer_.may_move = anywhere && writer_.cpu == 0;
      all.run();
    }
    ~Probe() {
      if (outer_) writer_.inside = false;
      writer_.may_move = before_ && writer_.cpu == 0;
    }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

   private:
    Writer& writer_;
    const bool before_, outer_;
  };

  // A signal handler: what came before it is done, and so is what it did.
  class Handler {
   public:
    explicit Handler(Processors& all) : all_(all) { all_.barrier(); }
    ~Handler() { all_.barrier(); }
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;

   private:
    Processors& all_;
  };

 private:
  static constexpr uint64_t kEarly = 8;
  static constexpr size_t kNobody = ~size_t{0};

  struct Processor {
    size_t thread = kNobody;
    uint64_t since = 0;  // when it came
    uint64_t last = 0;   // read of the counter
  };

  Writer& writer() { return writers_[fibers_.current()]; }
  void barrier() { processor_[writer().cpu].since = now_; }

  Fibers& fibers_;
  std::vector<Writer> writers_;
  Processor processor_[2];
  uint64_t now_ = 1000;
};

}  // namespace maxlat::ring_test
