// SPDX-License-Identifier: MIT
#include "flight_recorder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace maxlat::bench::papers {
namespace {

core::Result<trace::Session> started(const trace::SessionOptions& options,
                                     std::vector<trace::ChannelOptions> channels) {
  auto session = trace::Session::create(options);
  if (!session) return session;
  for (trace::ChannelOptions& channel : channels) {
    channel.when_full = trace::FullBuffer::overwrite;
    if (const core::Status added = session->add_channel(channel); !added) return added.error();
    if (const core::Status enabled = session->enable(channel.name, "papers:" + channel.name); !enabled)
      return enabled.error();
  }
  if (const core::Status begun = session->start(); !begun) return begun.error();
  if (!trace::prepare_thread()) return core::Error{"there is no memory for this thread's rings", ""};
  return session;
}

}  // namespace

trace::Session flight_recorder(const base::CounterClock& clock, std::vector<trace::ChannelOptions> channels) {
  auto session = started({.name = "papers", .clock = base::clock_with_rate(clock.ticks_per_ns)}, std::move(channels));
  if (session) return *std::move(session);
  fmt::print("the tracer does not start: {}\n", session.error().text);
  std::exit(static_cast<int>(core::Exit::cannot_run));
}

}  // namespace maxlat::bench::papers
