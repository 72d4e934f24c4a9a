// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/trace/session.hpp>

#include "session/control_lock.hpp"
#include "session/pattern.hpp"
#include "session/session_core.hpp"

namespace maxlat::trace {

using detail::ControlLock;
using detail::sessions;

Session::Session(std::shared_ptr<detail::SessionCore> core) : core_(std::move(core)) {}

base::Result<Session> Session::create(SessionOptions options) {
  const ControlLock lock;
  if (!detail::is_name(options.name)) {
    return base::Error{"not the name of a session: " + options.name, detail::kNameHint};
  }
  for (const auto& session : sessions()) {
    if (session->name() == options.name) return base::Error{"there is a session " + options.name + " already"};
  }
  sessions().push_back(std::make_shared<detail::SessionCore>(std::move(options)));
  return Session(sessions().back());
}

base::Result<Session> Session::find(std::string_view name) {
  const ControlLock lock;
  for (const auto& session : sessions()) {
    if (session->name() == name) return Session(session);
  }
  return base::Error{"there is no session " + std::string(name)};
}

std::vector<SessionStatus> Session::all() {
  const ControlLock lock;
  std::vector<SessionStatus> all;
  for (const auto& session : sessions()) all.push_back(session->status());
  return all;
}

base::Status Session::add_channel(const ChannelOptions& options) {
  const ControlLock lock;
  return core_->add_channel(options);
}

base::Status Session::enable(std::string_view channel, std::string_view pattern, Level level) {
  const ControlLock lock;
  return core_->add_rule(channel, pattern, level, true);
}

base::Status Session::disable(std::string_view channel, std::string_view pattern) {
  const ControlLock lock;
  return core_->add_rule(channel, pattern, Level::debug, false);
}

base::Status Session::start() {
  const ControlLock lock;
  return core_->start();
}

base::Status Session::stop() {
  const ControlLock lock;
  return core_->stop();
}

base::Status Session::destroy() {
  const ControlLock lock;
  return core_->destroy();
}

SessionStatus Session::status() const {
  const ControlLock lock;
  return core_->status();
}

base::Result<SessionDescriptors> Session::descriptors() const {
  const ControlLock lock;
  return core_->descriptors();
}

void Session::request_snapshot() {
  const detail::Inside like_a_probe;  // so that a fork() of a handler leaves the memory's head where it is
  maxlat_shm_session* shared = core_->shared();
  if (shared == nullptr) return;
  maxlat_ring_request_snapshot(&shared->freeze);
}

bool Session::snapshot_if_above(std::uint64_t latency, std::uint64_t limit, std::chrono::nanoseconds at_least_apart) {
  if (latency <= limit) return false;
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  // relaxed, both: of several threads at once one wins the exchange, and it orders nothing else.
  std::int64_t last = core_->last_snapshot.load(std::memory_order_relaxed);
  if (last != 0 && now - last < at_least_apart.count()) return false;
  if (!core_->last_snapshot.compare_exchange_strong(last, now, std::memory_order_relaxed)) return false;
  request_snapshot();
  return true;
}

}  // namespace maxlat::trace
