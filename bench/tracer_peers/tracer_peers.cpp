// SPDX-License-Identifier: MIT
//
// What an event costs here and in LTTng-UST, in one run: all arms in every round, in an order drawn anew, so that what
// the machine does meanwhile hits them alike. Started by tracer_peers.py, which gives LTTng its daemons.
//
//   batch    20 000 events back to back; ns an event, and the median over rounds of the ratio to the bare counter reads
//            just before; of the rounds in which no other hyperthread ran on the core (contest.hpp, Batch), and of all
//   single   one event between lfence;rdtsc and rdtscp: quantiles of the samples, the harness itself beside them;
//            arms take turns every 256 samples
//   cold     the same, a millisecond apart, after 4 MiB of other memory were touched, while another CPU floods the
//            cache that all have in common; turns of 40, so that each arm's own rate is 1 kHz
//   first    the first event of a new thread, prepared where that can be (work.hpp: what is warm then, and what is not)
//   later    the same where the session is made and started after the thread was prepared; ours alone
//   threads  events a second of 1 and of all threads, each on a CPU of its own
//   goals    what the tracer must reach, worked out from these
//   rate     (FOLDER rate WHO EVENTS_A_MICROSECOND, a run of its own): events lost with 32 sub-buffers of 1 MiB
//
// Start with work.hpp (what is measured), then contest.hpp (in which order), goals.hpp. LTTng-UST with a TSC clock is
// in a second process: second_process.hpp.
//
// Rings of the batch have 4 sub-buffers of 1 MiB; this thread drains ours between batches, and lets LTTng's daemons
// drain theirs.
#include <maxlat/base/counter.h>

#include <cstdio>
#include <filesystem>
#include <maxlat/base/clock.hpp>
#include <maxlat/trace/recorder.hpp>
#include <maxlat/trace/session.hpp>
#include <maxlat/trace/thread.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arms.hpp"
#include "contest.hpp"
#include "goals.hpp"
#include "harness.hpp"
#include "second_process.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::bench;

// Our side: one session in which every arm has its channel. The full one is small and nobody reads it.
class OurSession {
 public:
  explicit OurSession(std::filesystem::path folder)
      : folder_(std::move(folder)),
        session_(value_of(trace::Session::create({.name = "peers"}))),
        full_(value_of(trace::Session::create({.name = "full"}))) {
    using trace::Delivery, trace::FullBuffer, trace::Ownership;
    channel("thread_discard", Ownership::per_thread, FullBuffer::discard, Delivery::timer);
    channel("thread_overwrite", Ownership::per_thread, FullBuffer::overwrite, Delivery::timer);
    channel("thread_wakeup", Ownership::per_thread, FullBuffer::discard, Delivery::wakeup);
    channel("thread_with_cpu", Ownership::per_thread, FullBuffer::discard, Delivery::timer, trace::Context::cpu);
    channel("cpu_discard", Ownership::per_cpu, FullBuffer::discard, Delivery::timer);
    channel("cpu_overwrite", Ownership::per_cpu, FullBuffer::overwrite, Delivery::timer);
    channel("cpu_wakeup", Ownership::per_cpu, FullBuffer::discard, Delivery::wakeup);
    check(full_.add_channel({.name = "full", .sub_buffer_size = 4096, .sub_buffers = 2}));
    check(full_.enable("full", "full:*"));
    check(session_.start());
    check(full_.start());
    const auto descriptors = value_of(session_.descriptors());
    std::filesystem::create_directory(folder_);
    recorder_ = std::make_unique<trace::Recorder>(
        value_of(trace::Recorder::attach(descriptors.memory, {.directory = folder_.string()})));
  }
  void drain() { recorder_->round(now()); }
  void finish() {
    check(session_.stop());
    for (const auto& books : recorder_->finish(trace::RecordingEnd::stopped).channels)
      if (books.lost() != 0)
        std::printf("# %s: %lu of %lu events lost\n", books.name.c_str(), books.lost(), books.produced);
    check(session_.destroy());
    check(full_.destroy());
    std::filesystem::remove_all(folder_);
  }

 private:
  void channel(const std::string& name, trace::Ownership ownership, trace::FullBuffer when_full,
               trace::Delivery delivery, trace::Context context = trace::Context::none) {
    check(session_.add_channel(
        {.name = name, .when_full = when_full, .ownership = ownership, .delivery = delivery, .context = context}));
    check(session_.enable(name, name + ":*"));
  }
  std::filesystem::path folder_;
  trace::Session session_, full_;
  std::unique_ptr<trace::Recorder> recorder_;
};

// A second of 3-field events at a given rate, evenly in groups of 50, with the consumer on the other CPUs.
// RETURNS: events tried.
std::uint64_t at_rate(Arm::Run run, double events_a_tick, double ticks_per_ns) {
  const std::uint64_t begin = maxlat_counter_fenced(), end = begin + static_cast<std::uint64_t>(1e9 * ticks_per_ns);
  std::uint64_t done = 0;
  for (std::uint64_t time = begin; time < end; time = maxlat_counter_fenced())
    for (const auto due = static_cast<std::uint64_t>(static_cast<double>(time - begin) * events_a_tick); done < due;
         done += 50)
      run(50);
  return done;
}

// Prints "TRIED LOST"; what LTTng lost, its own tools tell.
int run_at_rate(const std::string& folder, const std::string& who, double events_a_us, const std::vector<int>& cpus) {
  const double ticks_per_ns = base::calibrate().ticks_per_ns;
  const double events_a_tick = events_a_us / 1e3 / ticks_per_ns;
  if (who != "maxlat") {
    pin(cpus.front());
    for (const Arm& arm : lttng_arms())
      if ((std::string(arm.name).find("timer") != std::string::npos) == (who == "timer"))
        std::printf("%lu 0\n", at_rate(arm.with_three_fields(), events_a_tick, ticks_per_ns));
    return 0;
  }
  auto session = value_of(trace::Session::create({.name = "flat"}));
  check(session.add_channel({.name = "flat", .sub_buffers = 32}));
  check(session.enable("flat", "thread_discard:*"));
  check(session.start());
  auto descriptors = value_of(session.descriptors());
  pin(cpus.back());  // the recorder's thread inherits it
  trace::RecorderThread thread;
  const auto id =
      thread.add(value_of(trace::Recorder::attach(descriptors.memory, {.directory = folder})), descriptors.wakeup);
  pin(cpus.front());
  trace::prepare_thread();
  const std::uint64_t tried = at_rate(maxlat_arms()[1].with_three_fields(), events_a_tick, ticks_per_ns);
  check(session.stop());
  std::uint64_t lost = 0;
  for (const auto& books : thread.finish(id, trace::RecordingEnd::stopped).channels) lost += books.lost();
  std::printf("%lu %lu\n", tried, lost);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "serve") return serve(std::stoi(words[1]));
  if (words.size() == 4 && words[1] == "rate")
    return run_at_rate(words[0], words[2], std::stod(words[3]), allowed_cpus());
  if (words.size() != 2 && words.size() != 4)
    fail("FOLDER SCALE [LTTNG_HOME CLOCK_PLUGIN]: started by tracer_peers.py");
  const auto scale = static_cast<unsigned>(std::stoul(words[1]));
  Contest contest;
  contest.cpus = allowed_cpus();
  pin(contest.cpus.front());
  contest.ticks_per_ns = base::calibrate().ticks_per_ns;
  std::optional<SecondProcess> second;
  if (words.size() == 4) second.emplace(words[2], words[3], contest.cpus.front());
  trace::prepare_thread();
  const auto traces = std::filesystem::path(words[0]) / "ours";
  std::optional<OurSession> ours(std::in_place, traces);
  contest.drain = [&] { ours->drain(); };
  contest.renew = [&] {
    ours->finish();
    ours.reset();
    ours.emplace(traces);
  };
  contest.arms = contestants(contest.drain, second ? &*second : nullptr);
  std::printf("# %.4f ticks a ns, %zu CPUs, LTTng-UST %s\n", contest.ticks_per_ns, contest.cpus.size(),
              lttng_arms().empty() ? "not built in"
              : second             ? "beside, also with a TSC clock"
                                   : "beside");

  batches(contest, 8 * scale);
  singles(contest, 25'600 * scale);
  cold(contest, 1200 * scale);
  first_events(contest, 10 * scale);
  later_sessions(contest, 20 * scale, "SCHED_OTHER");
  const sched_param fifo{.sched_priority = 80};
  if (sched_setscheduler(0, SCHED_FIFO, &fifo) == 0) {
    later_sessions(contest, 20 * scale, "SCHED_FIFO 80");
    const sched_param other{};
    if (sched_setscheduler(0, SCHED_OTHER, &other) != 0) fail("cannot go back to SCHED_OTHER");
  }
  threads(contest, scale);
  print_goals(contest);
  std::fflush(stdout);
  ours->finish();
  return 0;
}
