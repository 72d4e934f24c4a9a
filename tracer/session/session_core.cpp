// SPDX-License-Identifier: MIT
#include "session/session_core.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>
#include <maxlat/base/process_start.hpp>
#include <utility>

#include "session/boot_clock.hpp"
#include "session/events.hpp"
#include "session/live_channels.hpp"
#include "session/pattern.hpp"
#include "session/threads.hpp"

namespace maxlat::trace::detail {
namespace {

constexpr std::size_t kChannelsOfASession = 8;

ContainerIdentity identity_of(const TraceEnvironment& environment, const TraceClock& clock) {
  ContainerIdentity identity;
  identity.name = environment.session;
  identity.process = environment.process;
  identity.pid = static_cast<std::uint32_t>(environment.pid);
  identity.pid_start_time = base::start_time_of(environment.pid);
  identity.uuid = environment.uuid;
  identity.clock.ticks_per_second = clock.counter.to_ticks(1'000'000'000);
  identity.clock.realtime_offset_ns = clock.realtime_offset_ns;
  identity.clock.monotonic_offset_ns = clock.monotonic_offset_ns;
  std::copy(clock.uuid.begin(), clock.uuid.end(), identity.clock.uuid);
  return identity;
}

// Brings the event's word in step with every session's rules. RETURNS: the first failure to describe it.
base::Status refresh(Event& event) {
  base::Status failed;
  std::uint32_t channels = 0;
  for (const auto& session : sessions()) channels |= session->channels_wanting(event, &failed);
  std::uint32_t place = 0, place_with_cpu = 0;
  const CpuRings* cpu_rings = no_cpu_rings;
  auto kind = ProbeKind::anywhere;
  if (std::has_single_bit(channels) && event.id < MAXLAT_RING_LONG_ID) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(channels));
    const bool with_cpu = has_cpu_context(number);
    if (number < kFastChannels && !with_cpu) {
      place = 1 + number;
      kind = ProbeKind::in_thread_ring;
    } else if (number < kFastChannels && word_of_current_cpu() != nullptr) {
      place_with_cpu = 1 + number;
      kind = ProbeKind::in_thread_ring_with_cpu;
    } else if (number >= kFastChannels && other_channel(number).per_cpu && other_channel(number).wakeup < 0) {
      cpu_rings = other_channel(number).cpu_rings;
      kind = ProbeKind::in_cpu_ring;
    }
  }
  // release [K3], all: kind, description, channel before the words that lead to them. Partner: acquire [K3] in
  // probe.hpp.
  event.place.store(place, std::memory_order_release);
  event.place_with_cpu.store(place_with_cpu, std::memory_order_release);
  event.cpu_rings.store(cpu_rings, std::memory_order_release);
  event.choose_probe(kind);
  event.wanted.store(channels, std::memory_order_release);
  return failed;
}

base::Status refresh_all() {
  base::Status failed;
  for (Event* event = first_event(); event != nullptr; event = event->next) {
    const base::Status status = refresh(*event);
    if (!status && failed.ok()) failed = status;
  }
  return failed;
}

}  // namespace

namespace {

struct Registry {
  std::vector<std::shared_ptr<SessionCore>> living;
  std::vector<std::shared_ptr<SessionCore>> abandoned;  // in which a probe may still be
  const ThreadState* forked = nullptr;                  // all of these are the parent's; the thread that forked
};
Registry* registry = nullptr;  // never destroyed: static destructors trace, too

}  // namespace

std::vector<std::shared_ptr<SessionCore>>& sessions() {
  if (registry == nullptr) registry = new Registry;
  if (const ThreadState* forked = std::exchange(registry->forked, nullptr)) {
    std::move(registry->living.begin(), registry->living.end(), std::back_inserter(registry->abandoned));
    registry->living.clear();
    // No other thread can be in a probe of them. If the first to come here is another, they are kept for good.
    if (forked == &thread_state && thread_state.inside == 0) registry->abandoned.clear();
  }
  return registry->living;
}

void forget_sessions() {
  if (registry == nullptr) return;
  for (Event* event = first_event(); event != nullptr; event = event->next) lead_nowhere(*event);
  for (const auto* each : {&registry->living, &registry->abandoned}) {
    for (const auto& session : *each) session->forget();
  }
  forget_all_channels();
  registry->forked = &thread_state;
}

void event_appeared(Event& event) {
  if (sessions().empty()) return;
  // Nobody has asked for anything, so nobody waits for an answer: a line, as where declarations contradict each other.
  const base::Status described = refresh(event);
  if (!described) {
    std::fprintf(stderr, "maxlat: the event %s stays disabled: %s\n", full_name(*event.description).c_str(),
                 described.error().text.c_str());
  }
}

// The last rule that matches decides.
bool SessionCore::Plan::wants(const EventDescription& event) const {
  const std::string name = full_name(event);
  const auto rule = std::find_if(rules.rbegin(), rules.rend(), [&](const Rule& r) {
    return matches(r.pattern, name) && (!r.enables || event.level <= r.level);
  });
  return rule != rules.rend() && rule->enables;
}

SessionCore::~SessionCore() = default;

SessionCore::Plan* SessionCore::plan_of(std::string_view channel) {
  const auto plan =
      std::find_if(plans_.begin(), plans_.end(), [&](const Plan& p) { return p.options.name == channel; });
  return plan == plans_.end() ? nullptr : &*plan;
}

base::Status SessionCore::check_alive() const {
  if (state_ != SessionState::destroyed) return {};
  return base::Error{"session " + name() + " is destroyed"};
}

base::Status SessionCore::add_channel(const ChannelOptions& options) {
  if (const base::Status alive = check_alive(); !alive) return alive;
  if (file_ != nullptr) return base::Error{"session " + name() + " was started: no more channels"};
  if (!is_name(options.name)) return base::Error{"not the name of a channel: " + options.name, kNameHint};
  if (plan_of(options.name) != nullptr) return base::Error{"there is a channel " + options.name + " already"};
  if (plans_.size() == kChannelsOfASession)
    return base::Error{"a session has no more than " + std::to_string(kChannelsOfASession) + " channels"};
  const base::Result<ChannelLayout> layout = layout_of(options);
  if (!layout) return layout.error();
  plans_.push_back(Plan{options, {}, {}, nullptr, {options.name, {}, 0, layout->slots}});
  return {};
}

base::Status SessionCore::add_rule(std::string_view channel, std::string_view pattern, Level level, bool enables) {
  if (const base::Status alive = check_alive(); !alive) return alive;
  Plan* plan = plan_of(channel);
  if (plan == nullptr) return base::Error{"session " + name() + " has no channel " + std::string(channel)};
  if (!is_pattern(pattern)) {
    return base::Error{"not a pattern of events: " + std::string(pattern), "PROVIDER:NAME, with * and ?"};
  }
  plan->rules.push_back({std::string(pattern), level, enables});
  return state_ == SessionState::running ? refresh_all() : base::Status{};
}

std::uint32_t SessionCore::channels_wanting(const Event& event, base::Status* failed) {
  if (state_ != SessionState::running) return 0;
  std::uint32_t channels = 0;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    Plan& plan = plans_[i];
    if (!plan.wants(*event.description)) continue;
    if (plan.described.size() <= event.id) plan.described.resize(event.id + 1);
    if (!plan.described[event.id]) {
      const base::Status status =
          file_->append_metadata(metadata_of_event(static_cast<std::uint32_t>(i), event.id, *event.description));
      if (!status) {
        *failed = status;
        continue;
      }
      plan.described[event.id] = true;
    }
    channels |= 1u << plan.channel->number();
  }
  return channels;
}

// The memory, the clock's part of the metadata, and the channels' part.
base::Status SessionCore::make_memory() {
  const base::CounterClock counter = options_.clock ? *options_.clock : base::calibrate();
  if (!counter.trusted) {
    return base::Error{"the time-stamp counter cannot be trusted: " + counter.why, "the tracer has no other clock",
                       base::Exit::cannot_run};
  }
  std::vector<ChannelLayout> layouts;
  for (const Plan& plan : plans_) {
    const base::Result<ChannelLayout> layout = layout_of(plan.options);
    if (!layout) return layout.error();
    layouts.push_back(*layout);
  }
  const TraceEnvironment environment{random_uuid(), name(), program_invocation_short_name, static_cast<int>(getpid())};
  // A caller's clock is that caller's alone.
  const TraceClock clock = options_.clock ? trace_clock(counter) : boot_clock(counter);
  base::Result<std::unique_ptr<SessionFile>> file = SessionFile::create(identity_of(environment, clock), layouts);
  if (!file) return file.error();
  std::string text = metadata_of_trace(environment, clock);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const ChannelOptions& options = plans_[i].options;
    text += metadata_of_channel(static_cast<std::uint32_t>(i), options.name,
                                options.ownership == Ownership::per_cpu ? StreamKind::cpu
                                : options.context == Context::cpu       ? StreamKind::thread_with_cpu
                                                                        : StreamKind::thread);
  }
  if (const base::Status status = (*file)->append_metadata(text); !status) return status;
  file_ = std::move(*file);
  return {};
}

base::Status SessionCore::make_channels() {
  const bool wakes =
      std::any_of(plans_.begin(), plans_.end(), [](const Plan& p) { return p.options.delivery == Delivery::wakeup; });
  if (wakes) {
    wakeup_ = base::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wakeup_) return base::system_error("cannot make an eventfd", errno);
  }
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    auto channel = std::make_unique<Channel>(*file_, static_cast<std::uint32_t>(i), plans_[i].options);
    if (channel->per_cpu()) {
      if (const base::Status made = channel->make_cpu_rings(); !made) return made;
    }
    if (const base::Status entered = enter_channel(*channel); !entered) return entered;
    if (channel->number() >= kFastChannels) {
      other_channel(channel->number()) = channel->for_probes(wakeup_.number());
    }
    plans_[i].channel = std::move(channel);
  }
  return {};
}

base::Status SessionCore::start() {
  if (const base::Status alive = check_alive(); !alive) return alive;
  if (state_ == SessionState::running) return base::Error{"session " + name() + " is running"};
  if (plans_.empty()) return base::Error{"session " + name() + " has no channel", "add one before the first start"};
  // A thread that the last stop did not see outside would write for two runs, and the books of neither be exact.
  if (still_inside_) {
    if (const base::Status ended = end_run(); !ended) return ended;
  }
  make_ready_for_threads();
  if (file_ == nullptr) {
    base::Status made = make_memory();
    if (made.ok()) made = make_channels();
    if (!made) {
      for (Plan& plan : plans_) {
        if (plan.channel != nullptr) remove_channel(*plan.channel);
        plan.channel.reset();
      }
      file_.reset();
      return made;
    }
    // release [K5]: the words before the pointer. Partner: shared(). Shape: publish.
    shared_.store(&file_->session(), std::memory_order_release);
  }
  state_ = SessionState::running;
  __atomic_store_n(&file_->session().running, 1, __ATOMIC_RELAXED);  // relaxed: no code of ours reads it
  std::uint32_t numbers = 0;
  for (const Plan& plan : plans_) {
    numbers |= 1u << plan.channel->number();
    forgive_refusals(plan.channel->number());
    prepare_channel(*plan.channel);
    if (plan.channel->per_cpu()) plan.channel->open_cpu_rings();
  }
  running_channels.fetch_or(numbers, std::memory_order_release);  // release [K3], as the events' words that follow
  return refresh_all();
}

base::Status SessionCore::stop() {
  if (const base::Status alive = check_alive(); !alive) return alive;
  if (state_ != SessionState::running) return still_inside_ ? end_run() : base::Status{};
  state_ = SessionState::stopped;
  std::uint32_t numbers = 0;
  for (const Plan& plan : plans_) numbers |= 1u << plan.channel->number();
  (void)refresh_all();  // what another session failed to describe is not this one's news
  running_channels.fetch_and(~numbers, std::memory_order_relaxed);  // relaxed: the barrier that follows orders it
  return end_run();
}

base::Status SessionCore::end_run() {
  still_inside_ = !wait_until_all_outside();
  if (still_inside_) {
    return base::Error{"session " + name() + ": a thread has been inside a probe for " +
                           std::to_string(patience_seconds) + " s; the books are not exact",
                       "is it stopped, or did it jump out of a signal handler?", base::Exit::invalid};
  }
  for (const Plan& plan : plans_) plan.channel->flush_all();
  // relaxed: as at the start. Our consumer is told over the socket, which orders.
  __atomic_store_n(&file_->session().running, 0, __ATOMIC_RELAXED);
  return {};
}

base::Status SessionCore::destroy() {
  if (const base::Status alive = check_alive(); !alive) return alive;
  if (state_ == SessionState::running) (void)stop();  // whether it failed is asked again:
  const bool exclusive = file_ == nullptr || wait_until_all_outside();
  const auto self = std::find_if(sessions().begin(), sessions().end(), [&](const auto& s) { return s.get() == this; });
  const std::shared_ptr<SessionCore> kept = *self;
  if (exclusive) {
    for (Plan& plan : plans_) {
      if (plan.channel == nullptr) continue;
      plan.channel->finalise_all();
      plan.last_status = plan.channel->status();
      remove_channel(*plan.channel);
      plan.channel.reset();
    }
    state_ = SessionState::destroyed;
    sessions().erase(self);
    return {};
  }
  // Somebody may still store into the rings: they stay mapped for good, with the object that knows them.
  registry->abandoned.push_back(kept);
  state_ = SessionState::destroyed;
  sessions().erase(self);
  return base::Error{"session " + name() + ": a thread is inside a probe; the session's memory stays mapped", "",
                     base::Exit::invalid};
}

SessionStatus SessionCore::status() const {
  SessionStatus status{name(), state_, {}};
  if (forgotten_) return status;
  for (const Plan& plan : plans_) {
    status.channels.push_back(plan.channel != nullptr ? plan.channel->status() : plan.last_status);
  }
  return status;
}

base::Result<SessionDescriptors> SessionCore::descriptors() const {
  if (const base::Status alive = check_alive(); !alive) return alive.error();
  if (file_ == nullptr) return base::Error{"session " + name() + " has no memory yet", "start it"};
  SessionDescriptors copies;
  copies.memory = fcntl(file_->fd(), F_DUPFD_CLOEXEC, 0);
  if (copies.memory < 0) return base::system_error("cannot hand over the session's memory", errno);
  if (wakeup_) copies.wakeup = fcntl(wakeup_.number(), F_DUPFD_CLOEXEC, 0);
  return copies;
}

// fork.hpp, IN A PROBE
void SessionCore::forget() {
  if (forgotten_) return;
  const bool in_a_probe = thread_state.inside != 0;
  shared_.store(nullptr, std::memory_order_relaxed);  // relaxed: one thread in the world
  for (Plan& plan : plans_) {
    if (plan.channel != nullptr) plan.channel->forget(in_a_probe);
  }
  if (file_ != nullptr) file_->forget(in_a_probe);
  if (!in_a_probe) wakeup_ = {};
  state_ = SessionState::destroyed;
  forgotten_ = true;
}

}  // namespace maxlat::trace::detail
