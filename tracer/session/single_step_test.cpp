// SPDX-License-Identifier: MIT
// The probe that ships, MAXLAT_TRACE, and flush(), interrupted after every single instruction by a handler that also
// traces: for each way a probe can take (a ring per thread, with the CPU, per CPU, several channels, wakeups, no ring),
// in both modes, in the middle of a packet and at its edges. ring/single_step_test.cpp does it to the ring alone.
//
// Handlers. One traces once, hands over what there is and reads it at once, which shows a commit that comes too
// early; and where the interrupted probe says that it is outside, nothing of it may be open any more. The other goes
// once round the whole ring, so that what the interrupted probe stores too late falls on younger records. The third
// forks, and the probe goes on in both processes.
#include <sched.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <maxlat/trace/probe.hpp>
#include <optional>
#include <semaphore>
#include <set>
#include <thread>
#include <tuple>

#include "ring/test_single_step.hpp"
#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(step, words, (std::uint64_t, number), (std::uint64_t, inverse), (std::uint64_t, triple))
MAXLAT_TRACE_EVENT(step, text, (std::uint64_t, number), (maxlat::trace::String<32>, letters))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using maxlat::ring_test::kApart;
using maxlat::ring_test::SingleStep;

constexpr std::uint64_t kRound = 40;  // events that are more than a ring of two sub-buffers of 512 bytes holds

#ifdef __SANITIZE_ADDRESS__  // a fork copies the shadow memory's page tables
constexpr bool kForks = false;
#else
constexpr bool kForks = true;
#endif

constexpr const char* kLetters = "not a multiple of 8";

// The ways of a probe, and the channels that lead there.
struct Way {
  const char* name;
  std::vector<ChannelOptions> channels;
  bool has_ring = true;
  bool has_edges = false;  // of its own: the other ways share theirs
  std::uint64_t apart = 1;  // instructions between two places of an interruption
};

ChannelOptions channel(Ownership ownership, Delivery delivery = Delivery::timer, Context context = Context::none) {
  return {.name = ownership == Ownership::per_cpu ? "cpu" : "thread",
          .ownership = ownership,
          .delivery = delivery,
          .sub_buffer_size = 512,
          .sub_buffers = 2,
          .slots = 1,
          .context = context};
}

const Way kWays[] = {
    {"thread", {channel(Ownership::per_thread)}, true, true},
    {"cpu", {channel(Ownership::per_cpu)}, true, true},
    {"thread_wakeup", {channel(Ownership::per_thread, Delivery::wakeup)}},
    {"thread_with_cpu", {channel(Ownership::per_thread, Delivery::timer, Context::cpu)}},
    // Twice as long, and only one after the other what the first two are: its four tests share the instructions.
    {"several", {channel(Ownership::per_thread), channel(Ownership::per_cpu)}, true, false, 3},
    {"no_ring", {channel(Ownership::per_thread)}, false},
};

void trace_words(std::uint64_t number) {
  MAXLAT_TRACE(step, words, number, ~number, 3 * number);
}

enum class Victim { words, text, flush };
enum class Handler { reads, goes_round, forks };

// In the child, after the interrupted probe. RETURNS: what is wrong, or 0.
int live_on() {
  trace_words(0);
  if (!Session::all().empty()) return 1;
  prepare_thread();
  Recording own;
  own.start("step:*");
  for (std::uint64_t number = 0; number < 3; ++number) trace_words(number);
  return own.finish().size() == 3 ? 0 : 2;
}

// One session, and what was tried in it. Stopped and started for each interruption, so that each begins with a ring
// that is empty, or as full as one that only overwrites can be, and with no packet open.
class Trial {
 public:
  Trial(const Way& way, FullBuffer mode) : recording_(in_mode(way.channels, mode)) {
    detail::thread_state.prepared = false;  // by an earlier trial: the start would make its ring
    for (const ChannelOptions& each : way.channels) {
      Recording::expect_ok(recording_.session.enable(each.name, "step:*"));
    }
    Recording::expect_ok(recording_.session.start());
    has_ring_ = way.has_ring;
    if (way.channels[0].context == Context::cpu) fields_at_ = 8;
    if (has_ring_) {
      prepare_thread();
    } else {
      other_.emplace([this] {
        prepare_thread();
        has_prepared_.release();
        may_end_.acquire();
      });
      has_prepared_.acquire();
    }
    memory_.emplace(recording_.session);
    discards_ = mode == FullBuffer::discard;
    // flush() leaves rings of CPUs to the control side.
    is_handed_over_ = discards_ && way.channels.size() == 1 && way.channels[0].ownership == Ownership::per_thread;
  }

  ~Trial() {
    may_end_.release();
    if (other_) other_->join();
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void event() { trace_words(next_number()); }

  void run(Victim victim) {
    if (victim == Victim::flush) {
      flush();
    } else if (victim == Victim::words) {
      event();
    } else {
      const std::uint64_t number = next_number();
      MAXLAT_TRACE(step, text, number, kLetters);
    }
  }

  void interrupt(Handler handler) {
    if (handler == Handler::forks) {
      int status = 0;
      const pid_t child = fork();
      is_child_ = child == 0;
      if (is_child_) return;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status)) << "the child died of signal " << WTERMSIG(status);
      EXPECT_EQ(WEXITSTATUS(status), 0);
      return;
    }
    if (handler == Handler::goes_round) {
      for (std::uint64_t i = 0; i < kRound; ++i) event();
      return;
    }
    const bool outside = detail::thread_state.inside == 0;
    const std::uint64_t begun = tried_;
    event();
    flush();
    read();
    // The one event that may be missing is the interrupted one, before its first step.
    if (outside && is_handed_over_) {
      EXPECT_GE(seen_[0].size() + lost(0), begun) << "outside, and not committed";
    }
  }

  bool is_child() const { return is_child_; }

  void settle() {
    Recording::expect_ok(recording_.session.stop());
    read();
    for (std::size_t each = 0; each < recording_.session.status().channels.size(); ++each) {
      EXPECT_EQ(recording_.books(each).produced(), tried_) << "channel " << each;
      if (!has_ring_) {
        EXPECT_EQ(recording_.books(each).lost_no_ring, tried_);
      }
      if (discards_) {
        EXPECT_EQ(recording_.books(each).recorded, seen_[each].size()) << "channel " << each;
      }
    }
    Recording::expect_ok(recording_.session.start());
  }

 private:
  // In one instruction: handlers come here, too.
  std::uint64_t next_number() { return __atomic_fetch_add(&tried_, 1, __ATOMIC_RELAXED); }

  static std::vector<ChannelOptions> in_mode(std::vector<ChannelOptions> channels, FullBuffer mode) {
    for (ChannelOptions& each : channels) each.when_full = mode;
    return channels;
  }

  std::uint64_t lost(std::size_t channel) const {
    const Books books = recording_.books(channel);
    return books.produced() - books.recorded;
  }

  // The order of times is checked where the records are taken.
  void read() {
    for (const Recorded& record : memory_->take()) {
      const auto number = record.at<std::uint64_t>(fields_at_);
      EXPECT_LT(number, tried_);
      EXPECT_TRUE(seen_[record.channel].insert(number).second) << "event " << number << " was read twice";
      if (record.id == MaxlatTraceEvent_step_words::event.id) {
        EXPECT_EQ(record.at<std::uint64_t>(fields_at_ + 8), ~number);
        EXPECT_EQ(record.at<std::uint64_t>(fields_at_ + 16), 3 * number);
        if (fields_at_ != 0) {
          EXPECT_EQ(record.at<std::uint64_t>(0), static_cast<std::uint64_t>(sched_getcpu()));
        }
      } else {
        EXPECT_EQ(record.id, MaxlatTraceEvent_step_text::event.id);
        ASSERT_GT(record.payload.size(), fields_at_ + 8 + std::strlen(kLetters));
        EXPECT_STREQ(reinterpret_cast<const char*>(record.payload.data()) + fields_at_ + 8, kLetters);
      }
    }
  }

  Recording recording_;
  std::optional<Memory> memory_;
  bool has_ring_ = true;
  std::size_t fields_at_ = 0;
  std::optional<std::thread> other_;  // without a ring: has the only slot, as long as this lives
  std::binary_semaphore has_prepared_{0}, may_end_{0};
  bool is_child_ = false;
  bool discards_ = false;
  bool is_handed_over_ = false;  // by flush(), all that is committed
  std::uint64_t tried_ = 0;
  std::set<std::uint64_t> seen_[2];  // by channel
};

Trial* trial;
Handler handler;

class ProbeSingleStep : public testing::TestWithParam<std::tuple<Way, FullBuffer, Victim>> {
 protected:
  // On one CPU, so that its ring is where it was filled up to.
  ProbeSingleStep() {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    sched_setaffinity(0, sizeof(here), &here);
  }
  ~ProbeSingleStep() override { sched_setaffinity(0, sizeof(before_), &before_); }

  // RETURNS: how often: after each instruction, or every so many.
  std::uint64_t interrupt_each(std::uint64_t filled) {
    const auto& [way, mode, victim] = GetParam();
    const std::uint64_t apart = way.apart * kApart;
    const SingleStep stepper;
    Trial now(way, mode);
    trial = &now;
    bool inside = true;
    std::uint64_t at = 0, interruptions = 0;
    if (way.apart > 1) at = (mode == FullBuffer::overwrite ? 1 : 0) + (victim == Victim::text ? 1 : 0);
    while (inside && !HasFailure()) {
      at += apart;
      ++interruptions;
      for (std::uint64_t i = 0; i < filled; ++i) now.event();
      inside = SingleStep::interrupt(
          at, [] { trial->interrupt(handler); }, [&now] { now.run(std::get<2>(GetParam())); });
      if (now.is_child()) _exit(live_on());
      now.settle();
      if (HasFailure()) std::printf("%lu events before, interrupted after %lu instructions\n", filled, at);
    }
    return interruptions - 1;
  }

 private:
  cpu_set_t before_;
};

TEST_P(ProbeSingleStep, AHandlerThatTracesAtEveryInstruction) {
  std::uint64_t interrupted = 0;
  // A sub-buffer holds 12 words: in the middle of it, its last record, the first of the next, and a full ring.
  const bool has_edges = std::get<0>(GetParam()).has_edges && std::get<2>(GetParam()) == Victim::words;
  for (const std::uint64_t filled :
       has_edges ? std::vector<std::uint64_t>{1, 11, 12, 24} : std::vector<std::uint64_t>{12}) {
    for (const Handler each : {Handler::reads, Handler::goes_round, Handler::forks}) {
      const bool is_text = std::get<2>(GetParam()) == Victim::text;
      if (each == Handler::forks && (is_text || !kForks)) continue;  // text: nothing that words have not
      handler = each;
      interrupted += interrupt_each(filled);
    }
  }
  std::printf("%lu interruptions\n", interrupted);
  EXPECT_GT(interrupted * kApart * std::get<0>(GetParam()).apart, 200u);
}

std::string name_of(const testing::TestParamInfo<ProbeSingleStep::ParamType>& setting) {
  const auto& [way, mode, victim] = setting.param;
  constexpr const char* kVictims[] = {"words", "text", "flush"};
  return std::string(way.name) + (mode == FullBuffer::overwrite ? "_overwrite_" : "_discard_") +
         kVictims[static_cast<int>(victim)];
}

INSTANTIATE_TEST_SUITE_P(Ways, ProbeSingleStep,
                         testing::Combine(testing::ValuesIn(kWays),
                                          testing::Values(FullBuffer::discard, FullBuffer::overwrite),
                                          testing::Values(Victim::words, Victim::text)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Flush, ProbeSingleStep,
                         testing::Combine(testing::Values(kWays[0]),
                                          testing::Values(FullBuffer::discard, FullBuffer::overwrite),
                                          testing::Values(Victim::flush)),
                         name_of);

}  // namespace
