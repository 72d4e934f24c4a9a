// SPDX-License-Identifier: MIT
//
// Timer storm: 32 periodic timers on each CPU, with periods of 100, 200 ... 3200 us. They come together and apart
// again, so the timer interrupt finds now one and now a dozen expired (10 kHz * (1 + 1/2 + ... + 1/32): about 40000 a
// second).
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <maxlat/base/owned.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <vector>

namespace maxlat::loadgen {
namespace {

constexpr unsigned kTimers = 32;
constexpr long kShortestPeriodNs = 100'000;

core::Result<base::Descriptor> armed_timer(const base::Descriptor& waiting, long period_ns) {
  base::Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer) return core::system_error("cannot make a timer", errno);
  const itimerspec spec{.it_interval = {0, period_ns}, .it_value = {0, period_ns}};
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = timer.number();
  if (timerfd_settime(timer.number(), 0, &spec, nullptr) != 0 ||
      epoll_ctl(waiting.number(), EPOLL_CTL_ADD, timer.number(), &event) != 0)
    return core::system_error("cannot arm a timer", errno);
  return timer;
}

core::Status timer_storm(WorkerSlot& slot) {
  const base::Descriptor waiting(epoll_create1(EPOLL_CLOEXEC));
  if (!waiting) return core::system_error("cannot wait for timers", errno);
  std::vector<base::Descriptor> timers;
  for (unsigned i = 1; i <= kTimers; ++i) {
    auto timer = armed_timer(waiting, kShortestPeriodNs * i);
    if (!timer) return timer.error();
    timers.push_back(*std::move(timer));
  }
  std::array<epoll_event, kTimers> events;
  for (;;) {
    const int ready = epoll_wait(waiting.number(), events.data(), kTimers, -1);
    if (ready < 0 && errno != EINTR) return core::system_error("cannot wait for timers", errno);
    for (int i = 0; i < ready; ++i) {
      uint64_t expirations = 0;
      if (read(events[static_cast<size_t>(i)].data.fd, &expirations, sizeof expirations) == sizeof expirations)
        slot.add(expirations);
    }
  }
}

}  // namespace

extern const LoadDefinition kTimersLoad = {
    .kind = {"timers", "", "timer storm: 32 periodic timers on each CPU", true},
    .unit = "expirations/s",
    .plan = [](std::string_view, const core::CpuList& cpus) -> core::Result<LoadPlan> {
      return one_worker_per_cpu("timers", cpus, timer_storm);
    },
};

}  // namespace maxlat::loadgen
