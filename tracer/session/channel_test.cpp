// SPDX-License-Identifier: MIT
// A channel by itself: what its callers make of it in an order that is hard to come by.
#include "session/channel.hpp"

#include <gtest/gtest.h>

namespace maxlat::trace::detail {
namespace {

// It had left the list of threads when the session was stopped and destroyed, and then comes to its rings: the end of a
// thread wrote its name into a ring that was unmapped.
TEST(Channel, AThreadThatEndsItsRingAfterTheSessionDidLeavesItAlone) {
  const ChannelOptions options{.name = "all", .sub_buffer_size = 4096, .sub_buffers = 2, .slots = 1};
  const auto layout = layout_of(options);
  ASSERT_TRUE(layout) << layout.error().text;
  const auto file = SessionFile::create("test", {}, {&*layout, 1});
  ASSERT_TRUE(file) << file.error().text;
  Channel channel(**file, 0, options);
  std::uint16_t refused = 0;
  const maxlat_ring* ring = channel.claim(this_thread_id(), &refused);
  ASSERT_NE(ring, nullptr);
  channel.finalise_all();
  const std::uint64_t ended = (*file)->slots(0)[0].word;
  EXPECT_EQ(ended & MAXLAT_SHM_STATE_MASK, static_cast<std::uint64_t>(MAXLAT_SHM_ENDED));
  channel.end(ring);
  EXPECT_EQ((*file)->slots(0)[0].word, ended);
}

}  // namespace
}  // namespace maxlat::trace::detail
