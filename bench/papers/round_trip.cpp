// SPDX-License-Identifier: MIT
//
// paper_round_trip [ROUNDS]: what a traced kernel adds to a round trip over loopback (Desnoyers 2009, section 8.4,
// Tables 8.1 and 8.2), with the interval that the thesis has of the difference of two means.
//
// The thesis sends a ping each 2 ms while a kernel is built on all CPUs. Here it is a datagram to a thread that sends
// it back, on the same CPU, one trip behind the other: what is around a trip is warm. The tracer is the kernel's own
// (tracefs): an instance of ours that keeps the newest events, those of the guest test paper_lmbench. Rounds with it
// and without it come in an order drawn anew. Where tracefs is mounted nowhere, this program has a mount of its own.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <maxlat/base/counter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <maxlat/core/stats/statistics.hpp>
#include <maxlat/core/sys/tracefs.hpp>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "rounds.hpp"

namespace {

using namespace maxlat;
using namespace maxlat::bench::papers;

constexpr unsigned kTrips = 1000;  // of an arm in a round: less than a real-time thread may take of a second
constexpr unsigned kWarmUp = 100;
constexpr auto kRest = std::chrono::milliseconds(20);
constexpr std::string_view kInstancePrefix = "maxlat-paper-";  // recorder.py has the same
constexpr char kTrip = 1, kEnd = 2;
constexpr std::array kEvents = {
    "raw_syscalls/sys_enter",       "raw_syscalls/sys_exit",    "exceptions/page_fault_user",
    "exceptions/page_fault_kernel", "sched/sched_switch",       "sched/sched_waking",
    "sched/sched_wakeup",           "sched/sched_wakeup_new",   "sched/sched_migrate_task",
    "sched/sched_process_fork",     "sched/sched_process_exec", "sched/sched_process_exit",
    "sched/sched_process_free",     "irq/softirq_entry",        "irq/softirq_exit"};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}
[[noreturn]] void no_loopback(const char* what) {
  fmt::print("there is no loopback to send on: {}: {}\n", what, std::strerror(errno));
  std::exit(77);
}

int socket_of_loopback(sockaddr_in& address) {
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int made = ::socket(AF_INET, SOCK_DGRAM, 0);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (made < 0 || ::bind(made, any, size) != 0 || ::getsockname(made, any, &size) != 0)
    no_loopback("a socket of 127.0.0.1");
  return made;
}

// Two ends; the far one's thread sends back what it is sent.
class Echo {
 public:
  Echo() {
    sockaddr_in near{}, far{};
    near_ = socket_of_loopback(near);
    far_ = socket_of_loopback(far);
    if (::connect(near_, reinterpret_cast<sockaddr*>(&far), sizeof far) != 0 ||
        ::connect(far_, reinterpret_cast<sockaddr*>(&near), sizeof near) != 0)
      no_loopback("connect");
    thread_ = std::thread([this] {
      for (char what = kTrip; what != kEnd;)
        if (::recv(far_, &what, 1, 0) != 1 || ::send(far_, &what, 1, 0) != 1) fail("the far end");
    });
  }
  ~Echo() {
    trip(kEnd);
    thread_.join();
    ::close(near_);
    ::close(far_);
  }
  void trip(char what = kTrip) const {
    if (::send(near_, &what, 1, 0) != 1 || ::recv(near_, &what, 1, 0) != 1) fail("a round trip");
  }

 private:
  int near_ = -1, far_ = -1;
  std::thread thread_;
};

core::Result<core::TraceInstance> flight_recorder() {
  const auto tracefs = core::open_tracefs("/");
  if (!tracefs) return tracefs.error();
  core::remove_instances_of_the_dead(*tracefs, kInstancePrefix);
  auto instance = core::TraceInstance::make(*tracefs, fmt::format("{}{}", kInstancePrefix, ::getpid()));
  if (!instance) return instance.error();
  for (const auto& [name, value] : {std::pair{"trace_clock", "x86-tsc"}, std::pair{"buffer_size_kb", "4096"}})
    if (const core::Status set = instance->set(name, value); !set) return set.error();
  return instance;
}
// RETURNS: how many this kernel has.
size_t enable(const core::TraceInstance& instance, bool on) {
  return static_cast<size_t>(std::count_if(kEvents.begin(), kEvents.end(), [&](const char* event) {
    return instance.set(fmt::format("events/{}/enable", event), on ? "1" : "0").ok();
  }));
}

// Of all trips of an arm together, and the mean of each round.
struct ArmTrips {
  double sum = 0, squares = 0, samples = 0;
  std::vector<double> means;
  uint64_t events = 0;

  core::Moments moments() const {
    const double mean = sum / samples;
    return {.mean = mean, .stddev = std::sqrt(std::max(0.0, squares / samples - mean * mean)), .samples = samples};
  }
};

void run_round(const Echo& echo, const base::CounterClock& clock, ArmTrips& arm) {
  for (unsigned i = 0; i < kWarmUp; ++i) echo.trip();
  double round_us = 0;
  for (unsigned i = 0; i < kTrips; ++i) {
    const uint64_t begin = maxlat_counter_fenced();
    echo.trip();
    const double us = clock.to_ns(static_cast<double>(maxlat_counter_fenced() - begin)) / 1e3;
    round_us += us;
    arm.squares += us * us;
  }
  arm.sum += round_us;
  arm.samples += kTrips;
  arm.means.push_back(round_us / kTrips);
}

void print(const std::array<ArmTrips, 2>& arms, size_t kinds) {
  fmt::print("| kernel | events a trip | mean, µs | deviation, µs | median of the rounds' means, µs |\n");
  fmt::print("|---|--:|--:|--:|--:|\n");
  for (const auto& [name, arm] : {std::pair{"not traced", &arms[0]}, std::pair{"traced", &arms[1]}})
    fmt::print("| {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} |\n", name,
               static_cast<double>(arm->events) / static_cast<double>(arm->means.size() * (kTrips + kWarmUp)),
               arm->moments().mean, arm->moments().stddev, core::median(arm->means));
  const core::Interval of_means = core::difference_of_means(arms[0].moments(), arms[1].moments());
  std::vector<double> differences, ratios;
  for (size_t round = 0; round < arms[0].means.size(); ++round) {
    differences.push_back(arms[1].means[round] - arms[0].means[round]);
    ratios.push_back(arms[1].means[round] / arms[0].means[round]);
  }
  const core::Interval of_rounds = core::median_interval(differences);
  fmt::print("\n{} kinds of events. Traced to not traced: {:.2f}. 95 % intervals, in µs:\n\n", kinds,
             core::median(ratios));
  fmt::print("- of the difference of the means, as the thesis has it: [{:.2f}, {:.2f}]\n", of_means.low, of_means.high);
  fmt::print("- of the median of the rounds' differences: [{:.2f}, {:.2f}]\n", of_rounds.low, of_rounds.high);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned rounds = rounds_of(argc, argv, 100);
  if (rounds == 0) return 1;
  const base::CounterClock clock = base::calibrate();
  fmt::print("## A round trip on loopback (Desnoyers 2009, Tables 8.1 and 8.2)\n\n");
  static const auto instance = flight_recorder();  // static: exit() removes it, too
  const size_t kinds = instance ? enable(*instance, true) : 0;
  if (kinds == 0) {
    fmt::print("the kernel cannot be traced here: {}\n",
               instance ? "it has none of the events" : instance.error().text);
    return 77;
  }
  const unsigned cpu = begin_on_one_cpu(clock);
  fmt::print("{} rounds, {} trips of each kind in each.\n\n", rounds, kTrips);
  const Echo echo;
  std::array<ArmTrips, 2> arms;
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    const size_t first = random() % 2;
    for (const size_t arm : {first, 1 - first}) {
      if (enable(*instance, arm == 1) != kinds) fail("events are gone");
      const uint64_t before = instance->counts_of(cpu).all();
      run_round(echo, clock, arms[arm]);
      arms[arm].events += instance->counts_of(cpu).all() - before;
      std::this_thread::sleep_for(kRest);
    }
  }
  print(arms, kinds);
  return 0;
}
