// SPDX-License-Identifier: MIT
//
// paper_sensors [ROUNDS]: what a post to a sensor costs (Pohlack 2010, Table 5.2 and section 5.3.3): lists of 1024
// slots of 64 bytes, and of 64 KiB for events that vary in size; events of 24 bytes beside their time. Warm, in loops,
// in which each kind has its turn in each round; and cold, one at a time behind a flush of all caches (cold.hpp), which
// is what his program that wrote over them was for. Beside them: an event of the tracer, lists behind locks.
//
// A post is to a sensor of a global group, which is published, as programs have it. Values vary from turn to turn.
#include <fmt/format.h>

#include <array>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/map.hpp>
#include <maxlat/sensors/sensors.hpp>
#include <maxlat/sensors/var_event_list.hpp>
#include <maxlat/trace/trace.hpp>
#include <vector>

#include "cold.hpp"
#include "flight_recorder.hpp"
#include "locked_list.hpp"
#include "rounds.hpp"

#define THREE_NUMBERS (std::uint64_t, a), (std::uint64_t, b), (std::uint64_t, c)
MAXLAT_TRACE_EVENT(papers, traced, THREE_NUMBERS)
MAXLAT_TRACE_EVENT(papers, three, THREE_NUMBERS)
MAXLAT_TRACE_EVENT(papers, eight, THREE_NUMBERS, (std::uint64_t, d), (std::uint64_t, e), (std::uint64_t, f),
                   (std::uint64_t, g), (std::uint64_t, h))

// As a program has it that shares it among its files: not in an unnamed namespace.
struct PaperSensors {
  maxlat::sensors::Counter counter{"counter"};
  maxlat::sensors::SharedCounter shared_counter{"shared_counter"};
  maxlat::sensors::Gauge gauge{"gauge"};
  maxlat::sensors::Stat stat{"stat"};
  maxlat::sensors::Counters<4> counters{"counters", {"a", "b", "c", "d"}};
  maxlat::sensors::Histogram<> histogram{"histogram"};
  maxlat::sensors::LinearHistogram<maxlat::sensors::Cells{.low = 0, .width = 10, .count = 512}> linear{"linear"};
  maxlat::sensors::Map<maxlat::sensors::Cells{.low = 0, .width = 16, .count = 64},
                       maxlat::sensors::Cells{.low = 0, .width = 16, .count = 64}>
      map{"map", "", {"x"}, {"y"}};
  maxlat::sensors::EventList<1024, MAXLAT_LISTED_EVENT(papers, three)> list{"list"};
  maxlat::sensors::SharedEventList<1024, MAXLAT_LISTED_EVENT(papers, three)> shared_list{"shared_list"};
  maxlat::sensors::VarEventList<1024, 65536, MAXLAT_LISTED_EVENT(papers, three), MAXLAT_LISTED_EVENT(papers, eight)>
      var_list{"var_list"};
};
MAXLAT_SENSORS(papers, PaperSensors)

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

LockedList plain_lock(PTHREAD_PRIO_NONE), inheriting_lock(PTHREAD_PRIO_INHERIT);

// A function for run_rounds(): each post has a loop of its own.
#define TURNS(post)                                          \
  [](uint64_t turns) {                                       \
    for (uint64_t n = 0; n < turns; ++n) {                   \
      [[maybe_unused]] const uint64_t value = n * 31 % 1024; \
      post;                                                  \
      keep(n);                                               \
    }                                                        \
  }
#define NUMBER(value) static_cast<std::int64_t>(value)

struct Row {
  Arm arm;
  const char* in_paper;  // cycles on its machine B; "": it has no such row
};
const std::array kRows = {
    Row{{"loop alone", empty_loop}, ""},
    Row{{"counter read", counter_reads}, ""},
    Row{{"`Counter`", TURNS(papers->counter.add())}, ""},
    Row{{"`SharedCounter`", TURNS(papers->shared_counter.add())}, ""},
    Row{{"`Gauge`", TURNS(papers->gauge.set(NUMBER(value)))}, ""},
    Row{{"`Stat`", TURNS(papers->stat.post(NUMBER(value)))}, ""},
    Row{{"`Counters<4>`", TURNS(papers->counters.add(value % 4))}, ""},
    Row{{"`Histogram`, bucket alone", TURNS(papers->histogram.count_in_range(value))}, ""},
    Row{{"`Histogram`", TURNS(papers->histogram.post(value))}, ""},
    Row{{"`LinearHistogram`, bucket alone", TURNS(papers->linear.count(value))}, ""},
    Row{{"`LinearHistogram`", TURNS(papers->linear.post(value))}, ""},
    Row{{"`Map`", TURNS(papers->map.post(value, 1023 - value, n))}, ""},
    Row{{"`EventList`", TURNS(MAXLAT_POST(papers->list, papers, three, n, n, n))}, "172"},
    Row{{"`VarEventList`", TURNS(MAXLAT_POST(papers->var_list, papers, three, n, n, n))}, "228"},
    Row{{"`VarEventList`, 64 bytes", TURNS(MAXLAT_POST(papers->var_list, papers, eight, n, n, n, n, n, n, n, n))},
        "259"},
    Row{{"`SharedEventList`", TURNS(MAXLAT_POST(papers->shared_list, papers, three, n, n, n))}, "273"},
    Row{{"list behind a lock", TURNS(plain_lock.post(n, n, n))}, "100"},
    Row{{"list behind a lock that inherits priority", TURNS(inheriting_lock.post(n, n, n))}, "100"},
    Row{{"`MAXLAT_TRACE`, flight recorder", TURNS(MAXLAT_TRACE(papers, traced, n, n, n))}, ""}};

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 101);
  if (rounds == 0) return 1;
  const base::CounterClock clock = base::calibrate();
  fmt::print("## Posts to sensors (Pohlack 2010, Table 5.2)\n\n");
  begin_on_one_cpu(clock);
  const trace::Session session = flight_recorder(clock, {{.name = "traced", .sub_buffer_size = 64 << 10}});
  std::vector<Arm> arms;
  for (const Row& row : kRows) arms.push_back(row.arm);
  const Outcome warm = run_rounds(arms, rounds, clock);
  const unsigned samples = rounds;  // each takes a flush of all that is mapped, tens of milliseconds
  const double harness_ns = cold_harness_ns(samples, clock);
  fmt::print("{} Cold: {} posts of each kind; the harness takes {:.0f} ns of each, which are taken off.\n\n",
             about_rounds(warm), samples, harness_ns);
  fmt::print(
      "| post | ns | ticks | to a counter read | cold: p50, ns | p90, ns | the paper, cycles |\n"
      "|---|--:|--:|--:|--:|--:|--:|\n");
  for (size_t i = 0; i < kRows.size(); ++i) {
    const std::vector<double> one_by_one = cold(kRows[i].arm.run, samples, clock);
    fmt::print("| {} | {:.1f} | {:.0f} | {:.2f} | {:.0f} | {:.0f} | {} |\n", kRows[i].arm.name, warm.costs[i].ns,
               warm.costs[i].ns * clock.ticks_per_ns, warm.costs[i].to_read, core::median(one_by_one) - harness_ns,
               one_by_one[one_by_one.size() * 9 / 10] - harness_ns, kRows[i].in_paper);
  }
  fmt::print(
      "\nThe paper's are of its machine B, a Pentium 4E of 3.2 GHz, where reading the counter took part of them.\n");
  return 0;
}
