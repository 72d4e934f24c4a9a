// SPDX-License-Identifier: MIT
#include "goals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness.hpp"

namespace maxlat::bench {
namespace {

constexpr std::size_t kThreeFields = 2;  // index in kFieldCounts
constexpr double kWithinNoise = 0.9;     // of linear

// Both arms of LTTng-UST, as it is installed or with the other clock. A goal must hold against the better of the two.
struct Peer {
  const Contestant* writer;
  const Contestant* timer;
  bool is_there() const { return writer != nullptr && timer != nullptr; }
};

Peer peer(const Contest& contest, const std::string& clock) {
  return {find(contest, kUstWriter + clock), find(contest, kUstTimer + clock)};
}

// A figure that is not a number was not measured.
class Table {
 public:
  Table() { std::printf("\n## Goals\n\n| goal | limit | figure | reached |\n|---|---|---|---|\n"); }
  void at_most(const std::string& what, double limit, double figure, const char* unit = " x") {
    row(what, "at most", limit, figure, unit, figure <= limit);
  }
  void at_least(const std::string& what, double limit, double figure) {
    row(what, "at least", limit, figure, " x", figure >= limit);
  }

 private:
  static void row(const std::string& what, const char* side, double limit, double figure, const char* unit,
                  bool reached) {
    std::printf("| %s | %s %g%s |", what.c_str(), side, limit, unit);
    if (std::isnan(figure))
      std::printf(" not measured | - |\n");
    else
      std::printf(" %.2f%s | %s |\n", figure, unit, reached ? "yes" : "NO");
  }
};

// How much more three fields cost there: the median over rounds of the ratio within each round, core shared or not.
double times_dearer(const Peer& peer, const Contestant& ours) {
  if (!peer.is_there()) return NAN;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < ours.batches[kThreeFields].size(); ++round)
    ratios.push_back(std::min(peer.writer->batches[kThreeFields][round].events_ns,
                              peer.timer->batches[kThreeFields][round].events_ns) /
                     ours.batches[kThreeFields][round].events_ns);
  return median(ratios);
}

double share(const Peer& peer, const Contestant& ours, std::optional<Quantiles> Contestant::*section,
             double Quantiles::*level) {
  if (!peer.is_there() || !(ours.*section) || !(peer.writer->*section) || !(peer.timer->*section)) return NAN;
  return (*(ours.*section)).*level / std::min((*(peer.writer->*section)).*level, (*(peer.timer->*section)).*level);
}

double to_recording(const Contestant& full, const Contestant& recording, double Quantiles::*level) {
  return full.single && recording.single ? (*full.single).*level / (*recording.single).*level : NAN;
}

}  // namespace

void print_goals(const Contest& contest) {
  const Contestant& thread = *find(contest, kThread);
  const Contestant& cpu = *find(contest, kCpu);
  const Contestant& full = *find(contest, kFull);
  const Peer installed = peer(contest, ""), with_tsc = peer(contest, kWithTsc);
  const auto alone = [&](const Contestant& arm) { return alone_of(contest, arm.batches[kThreeFields]); };
  Table goals;
  goals.at_most("3 fields, per thread, to a bare counter read, core alone", 1.05, median_to_bare_read(alone(thread)));
  goals.at_most("3 fields, per CPU, to a bare counter read, core alone", 1.15, median_to_bare_read(alone(cpu)));
  goals.at_most("3 fields, per thread with the CPU, to a bare counter read, core alone", 1.15,
                median_to_bare_read(alone(*find(contest, kThreadWithCpu))));
  for (const Contestant* ours : {&thread, &cpu}) {
    const std::string who = ours == &thread ? "per thread" : "per CPU";
    goals.at_least("3 fields, LTTng-UST as installed to " + who, 5, times_dearer(installed, *ours));
    goals.at_least("3 fields, LTTng-UST with a TSC clock to " + who, 4, times_dearer(with_tsc, *ours));
    goals.at_most("one event, p99.9, " + who + " to LTTng-UST", 0.25,
                  share(installed, *ours, &Contestant::single, &Quantiles::p999_ns));
    goals.at_most("one event, p99.99, " + who + " to LTTng-UST", 0.4,
                  share(installed, *ours, &Contestant::single, &Quantiles::p9999_ns));
    goals.at_most("cold, p99, " + who + " to LTTng-UST", 0.5,
                  share(installed, *ours, &Contestant::cold, &Quantiles::p99_ns));
    goals.at_most("cold, p99.9, " + who + " to LTTng-UST", 0.5,
                  share(installed, *ours, &Contestant::cold, &Quantiles::p999_ns));
    goals.at_most("first event of a prepared thread, median, " + who, 200, ours->first ? ours->first->p50_ns : NAN,
                  " ns");
    goals.at_most("the same, session started later, cold, median, " + who, 2000,
                  contest.later[ours == &cpu ? 1 : 0].p50_ns, " ns");
  }
  goals.at_most("ring full, mean, to recording", 1, median_ns(alone(full)) / median_ns(alone(thread)));
  goals.at_most("ring full, p99.9, to recording", 1, to_recording(full, thread, &Quantiles::p999_ns));
  goals.at_most("ring full, p99.99, to recording", 1, to_recording(full, thread, &Quantiles::p9999_ns));
  goals.at_most("disabled, above an empty loop", 1, median_ns(alone(*find(contest, kDisabled))) - contest.empty_loop_ns,
                " ns");
  goals.at_least("threads on all CPUs, to as many times one", kWithinNoise,
                 thread.all_threads_us / (thread.one_thread_us * static_cast<double>(contest.cpus.size())));
}

}  // namespace maxlat::bench
