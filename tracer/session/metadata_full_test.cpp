// SPDX-License-Identifier: MIT
// A session's metadata has an end: 16 MiB. Who enables an event that does not fit is told so, an event that comes later
// says so on stderr, and both stay disabled; what fits is traced as ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/trace/probe.hpp>
#include <string>

#include "session/test_recording.hpp"

MAXLAT_TRACE_EVENT(full, small, (int, n))

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;
using testing::HasSubstr;

// An event that takes more than half of a session's metadata, as a plug-in may bring one.
class WideEvent {
 public:
  explicit WideEvent(const char* name) : description_{"full", name, Level::info, {&field_, 1}} {}
  ~WideEvent() { unregister(event_); }
  WideEvent(const WideEvent&) = delete;
  WideEvent& operator=(const WideEvent&) = delete;

  void appear() { Registration(event_, event_.declared); }
  bool is_enabled() const { return event_.wanted.load(std::memory_order_relaxed) != 0; }  // relaxed: one thread

 private:
  std::string field_name_ = std::string(9 << 20, 'x');
  Field field_{field_name_, FieldKind::integer, 4};
  EventDescription description_;
  Event event_{.fixed_size = 4, .choose_probe = [](detail::ProbeKind) {}, .description = &description_};
};

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t lines = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++lines;
  return lines;
}

TEST(MetadataFull, EnableSaysSoAndWhatFitsIsTraced) {
  WideEvent first("first"), second("second");
  first.appear();
  second.appear();
  Recording recording;
  recording.start("full:first");
  const maxlat::base::Status enabled = recording.session.enable("all", "full:*");
  ASSERT_FALSE(enabled.ok());
  EXPECT_THAT(enabled.error().text, HasSubstr("the session's metadata is full"));
  EXPECT_THAT(enabled.error().hint, HasSubstr("fewer events"));
  EXPECT_TRUE(first.is_enabled());
  EXPECT_FALSE(second.is_enabled());
  MAXLAT_TRACE(full, small, 1);
  EXPECT_EQ(recording.finish().size(), 1u);
}

TEST(MetadataFull, AnEventThatComesLaterStaysDisabledAndSaysSoOnce) {
  WideEvent first("first"), late("late");
  first.appear();
  Recording recording;
  recording.start("full:*");
  testing::internal::CaptureStderr();
  late.appear();
  late.appear();  // as each source file of its module does
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines_with(said, "maxlat: the event full:late stays disabled: the session's metadata is full\n"), 1u)
      << said;
  EXPECT_FALSE(late.is_enabled());
  EXPECT_TRUE(first.is_enabled());
  EXPECT_EQ(Memory(recording.session).metadata().find("full:late"), std::string::npos);
  recording.finish();
}

}  // namespace
