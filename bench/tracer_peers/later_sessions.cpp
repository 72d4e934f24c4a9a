// SPDX-License-Identifier: MIT
// A thread is prepared, then somebody makes a session and starts it, then the thread traces its first event there. The
// session's own side has made its ring and touched it, so the thread should notice nothing.
#include <cstdio>
#include <maxlat/trace/session.hpp>
#include <optional>

#include "contest.hpp"
#include "harness.hpp"

namespace maxlat::bench {
namespace {

// Of the arm whose events no other session has.
Ticks later(Arm::Run run, trace::Ownership ownership, unsigned sessions, bool cold) {
  Ticks ticks(sessions);
  for (std::uint64_t& each : ticks) {
    std::optional<trace::Session> session;
    each = first_event(run, [&] {
      session = value_of(trace::Session::create({.name = "later"}));
      check(session->add_channel({.name = "later", .ownership = ownership}));
      check(session->enable("later", "off:f3"));
      check(session->start());
      if (cold) flood();
    });
    check(session->destroy());
  }
  return ticks;
}

}  // namespace

void later_sessions(Contest& contest, unsigned sessions, const char* scheduling) {
  const Contestant& arm = *find(contest, kDisabled);
  std::printf(
      "\n## First event in a session that was started after the thread was prepared, %s, %u sessions: ns\n\n"
      "| ring | p50 | p99 | max | cold: p50 | p99 | max |\n|---|---|---|---|---|---|---|\n",
      scheduling, sessions);
  for (const bool per_cpu : {false, true}) {
    const auto ownership = per_cpu ? trace::Ownership::per_cpu : trace::Ownership::per_thread;
    const auto measured = [&](bool cold) {
      return quantiles_of(later(arm.with_three_fields, ownership, sessions, cold), contest.ticks_per_ns);
    };
    const Quantiles warm = measured(false), cold = measured(true);
    if (!(contest.later[per_cpu].p50_ns > cold.p50_ns)) contest.later[per_cpu] = cold;
    std::printf("| per %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", per_cpu ? "CPU" : "thread", warm.p50_ns,
                warm.p99_ns, warm.max_ns, cold.p50_ns, cold.p99_ns, cold.max_ns);
  }
}

}  // namespace maxlat::bench
