// SPDX-License-Identifier: MIT
#include "flight_recorder.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace maxlat::bench::papers {

trace::Session flight_recorder(const trace::SessionOptions& options, std::vector<trace::ChannelOptions> channels) {
  auto session = trace::Session::create(options);
  bool sound = session.ok();
  for (trace::ChannelOptions& channel : channels) {
    channel.when_full = trace::FullBuffer::overwrite;
    sound = sound && session->add_channel(channel) && session->enable(channel.name, "papers:" + channel.name);
  }
  if (!sound || !session->start() || !trace::prepare_thread()) {
    std::fputs("the tracer does not start\n", stderr);
    std::exit(1);
  }
  return std::move(*session);
}

}  // namespace maxlat::bench::papers
