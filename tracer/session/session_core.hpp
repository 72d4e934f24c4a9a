// SPDX-License-Identifier: MIT
//
// What is behind a Session: its channels and rules before and after the first start, and the words of all events kept
// in step with them. REQUIRES everywhere, but where marked: the control lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <maxlat/base/owned.hpp>
#include <maxlat/trace/ctf_format.hpp>
#include <maxlat/trace/event.hpp>
#include <maxlat/trace/session.hpp>
#include <memory>
#include <string>
#include <vector>

#include "session/channel.hpp"

namespace maxlat::trace::detail {

class SessionCore {
 public:
  explicit SessionCore(SessionOptions options) : options_(std::move(options)) {}
  ~SessionCore();
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  const std::string& name() const { return options_.name; }
  SessionState state() const { return state_; }

  base::Status add_channel(const ChannelOptions& options);
  base::Status add_rule(std::string_view channel, std::string_view pattern, Level level, bool enables);
  base::Status start();
  base::Status stop();
  base::Status destroy();
  SessionStatus status() const;
  base::Result<SessionDescriptors> descriptors() const;
  // In the child of a fork(): without a word to anybody, and without the heap.
  void forget();

  // The channels of this session that the event goes to, as bits of their numbers. Describes the event in the metadata
  // where that is still to be done; where it cannot be the event stays out, and *failed says why.
  std::uint32_t channels_wanting(const Event& event, base::Status* failed);

  // Any thread, signal handlers too, without the lock. RETURNS: null before the first start.
  maxlat_shm_session* shared() const { return shared_.load(std::memory_order_acquire); }  // acquire [K5]: start()

  std::atomic<std::int64_t> last_snapshot{0};  // ns of CLOCK_MONOTONIC: of snapshot_if_above()

 private:
  struct Rule {
    std::string pattern;
    Level level;
    bool enables;
  };
  struct Plan {
    ChannelOptions options;
    std::vector<Rule> rules;
    std::vector<bool> described;       // by event id
    std::unique_ptr<Channel> channel;  // from the first start to the end
    ChannelStatus last_status;         // before and after that

    bool wants(const EventDescription& event) const;
  };

  base::Status make_memory();
  base::Status make_channels();
  // The second half of stop(): waits for the threads that are inside, and flushes. ERRORS: one is still there.
  base::Status end_run();
  base::Status check_alive() const;
  Plan* plan_of(std::string_view channel);

  SessionOptions options_;
  SessionState state_ = SessionState::created;
  bool forgotten_ = false;
  bool still_inside_ = false;          // stopped, but a thread was not seen outside since
  std::unique_ptr<SessionFile> file_;  // before the channels, which unmap their rings by it when they go
  std::vector<Plan> plans_;
  base::Descriptor wakeup_;
  std::atomic<maxlat_shm_session*> shared_{nullptr};
};

// Every session that is not destroyed.
std::vector<std::shared_ptr<SessionCore>>& sessions();

// In the child of a fork(): events, channels and sessions.
void forget_sessions();

}  // namespace maxlat::trace::detail
