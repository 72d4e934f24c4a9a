// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/npt/arm_spec.hpp>
#include <optional>

namespace maxlat::npt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string again(std::string_view text) {
  auto arm = parse_arm(text);
  return arm ? to_string(*arm) : "refused: " + arm.error().text;
}

std::vector<std::string> list(std::string_view text) {
  auto arms = parse_arm_list(text);
  if (!arms) return {"refused: " + arms.error().text};
  std::vector<std::string> names;
  for (const ArmSpec& arm : *arms) names.push_back(to_string(arm));
  return names;
}

TEST(ArmSpec, TheDefaultsAreThePaperS) {
  const ArmSpec arm = *parse_arm("lttng-ust:timer");
  EXPECT_EQ(arm.name, "lttng-ust");
  EXPECT_EQ(arm.policy, "timer");
  EXPECT_EQ(arm.sub_buffer_bytes, 1u << 20);
  EXPECT_EQ(arm.sub_buffers, 32u);
}

TEST(ArmSpec, APolicyThatIsLeftOutIsTheFirst) {
  EXPECT_EQ(again("maxlat"), "maxlat:timer");
  EXPECT_EQ(again("lttng-ust"), "lttng-ust:writer");
  EXPECT_EQ(again("none"), "none");
}

TEST(ArmSpec, OptionsAreReadAndDefaultsAreNotWritten) {
  const ArmSpec arm = *parse_arm("maxlat:wakeup,cpu,overwrite,size=64k,count=8");
  EXPECT_EQ(arm.owner, ArmSpec::Owner::cpu);
  EXPECT_EQ(arm.when_full, ArmSpec::WhenFull::overwrite);
  EXPECT_EQ(arm.sub_buffer_bytes, 65536u);
  EXPECT_EQ(arm.sub_buffers, 8u);
  EXPECT_EQ(to_string(arm), "maxlat:wakeup,cpu,overwrite,size=64k,count=8");
  EXPECT_EQ(again("maxlat:timer,thread,discard,size=1M,count=32"), "maxlat:timer");
  EXPECT_EQ(again("uprobe,size=8M"), "uprobe,size=8M");
}

TEST(ArmSpec, ASnapshotIsOfAFlightRecorder) {
  EXPECT_EQ(parse_arm("maxlat,overwrite,snapshot=50us")->snapshot_above_ns, 50'000u);
  EXPECT_EQ(again("maxlat,snapshot=50us,overwrite"), "maxlat:timer,overwrite,snapshot=50us");
  EXPECT_THAT(again("maxlat,snapshot=50us"), HasSubstr("of buffers that are overwritten"));
  EXPECT_THAT(again("lttng-ust,snapshot=50us"), HasSubstr("does not have the option"));
  EXPECT_THAT(again("maxlat,overwrite,snapshot=soon"), HasSubstr("snapshot=soon"));
  EXPECT_THAT(again("maxlat,overwrite,snapshot=0"), HasSubstr("snapshot=0"));
  EXPECT_THAT(again("maxlat,overwrite,snapshot=50"), HasSubstr("snapshot=50")) << "a time needs its unit";
}

TEST(ArmSpec, APeriodIsOfAConsumerThatComesByTime) {
  EXPECT_EQ(parse_arm("maxlat")->period_ns, std::nullopt);
  EXPECT_EQ(parse_arm("maxlat,period=0")->period_ns, 0u);
  EXPECT_EQ(parse_arm("maxlat:timer,period=200us")->period_ns, 200'000u);
  for (const char* arm : {"maxlat:timer,period=0", "maxlat:timer,period=20us", "maxlat:timer,cpu,size=64k,period=1s",
                          "lttng-ust:timer,period=1us", "lttng-ust:timer,count=8,period=1ms"})
    EXPECT_EQ(again(arm), arm);
  EXPECT_THAT(list("none,maxlat:timer,period=0,lttng-ust:timer,period=20us"),
              ElementsAre("none", "maxlat:timer,period=0", "lttng-ust:timer,period=20us"));
  EXPECT_THAT(again("maxlat:wakeup,period=1ms"), HasSubstr("\"maxlat:wakeup\" wakes its consumer"));
  EXPECT_THAT(again("lttng-ust,period=1ms"), HasSubstr("\"lttng-ust:writer\" wakes its consumer"));
  EXPECT_THAT(again("lttng-ust:timer,period=0"), HasSubstr("cannot poll without a rest"));
  EXPECT_THAT(again("uprobe,period=1ms"), HasSubstr("does not have the option"));
  EXPECT_THAT(again("kernel:ftrace,period=1ms"), HasSubstr("does not have the option"));
  for (const char* period : {"19us", "2s", "20500ns"})
    EXPECT_THAT(again("maxlat,period=" + std::string(period)), HasSubstr("whole microseconds from 20us to 1s"));
  for (const char* period : {"", "often", "200", "-1us"})
    EXPECT_THAT(again("maxlat,period=" + std::string(period)), HasSubstr("\"period=" + std::string(period) + "\""));
}

TEST(ArmSpec, MonitorsAreOfSensors) {
  EXPECT_EQ(parse_arm("sensor:counter")->monitors, 0u);
  EXPECT_EQ(parse_arm("sensor:counter,monitors=4")->poll_ns, 1'000'000u);
  EXPECT_EQ(parse_arm("sensor:alist,monitors=1,poll=20us")->poll_ns, 20'000u);
  for (const char* arm : {"sensor:counter,monitors=4", "sensor:alist,monitors=64,poll=20us"})
    EXPECT_EQ(again(arm), arm);
  EXPECT_EQ(again("sensor:glist,poll=1ms,monitors=2"), "sensor:glist,monitors=2");
  EXPECT_THAT(list("none,sensor:counter,sensor:counter,monitors=4,poll=2ms,maxlat"),
              ElementsAre("none", "sensor:counter", "sensor:counter,monitors=4,poll=2ms", "maxlat:timer"));
  EXPECT_THAT(again("sensor:counter,monitors=1,monitors=2"), HasSubstr("has the option \"monitors=N\" twice"));
  EXPECT_THAT(again("sensor:counter,poll=1ms"), HasSubstr("has no monitors"));
  EXPECT_THAT(again("maxlat,monitors=4"), HasSubstr("does not have the option"));
  EXPECT_THAT(again("maxlat,poll=1ms"), HasSubstr("does not have the option"));
  for (const char* number : {"", "0", "65", "-1", "4x"})
    EXPECT_THAT(again("sensor:counter,monitors=" + std::string(number)), HasSubstr("is no number from 1 to 64"));
  for (const char* time : {"", "1", "9us", "2s", "often"})
    EXPECT_THAT(again("sensor:counter,monitors=1,poll=" + std::string(time)), HasSubstr("no time from 10us to 1s"));
}

TEST(ArmSpec, EventsAreOfATracerOfTheKernel) {
  EXPECT_EQ(again("kernel"), "kernel:none");
  EXPECT_EQ(again("kernel:perf,size=4k,count=64"), "kernel:perf,size=4k,count=64");
  EXPECT_THAT(list("kernel:none,kernel:maxlat,events=sched:*,events=irq:irq_handler_entry,maxlat"),
              ElementsAre("kernel:none", "kernel:maxlat,events=sched:*,events=irq:irq_handler_entry", "maxlat:timer"));
  EXPECT_THAT(again("kernel:dtrace"), HasSubstr("no policy \"dtrace\""));
  EXPECT_THAT(again("kernel:none,events=sched:*"), HasSubstr("records no events"));
  EXPECT_THAT(again("kernel:maxlat,overwrite"), HasSubstr("does not have the option"));
  EXPECT_THAT(again("uprobe,events=sched:*"), HasSubstr("does not have the option"));
  for (const char* events : {"events=", "events=sched", "events=sched:", "events=:sched_switch"})
    EXPECT_THAT(again("kernel:ftrace," + std::string(events)), HasSubstr("names no event"));
}

TEST(ArmSpec, ControlsArePlannedDelays) {
  const ArmSpec tail = *parse_arm("delay:100us/1000000");
  EXPECT_EQ(tail.delay_ns, 100'000u);
  EXPECT_EQ(tail.delay_every, 1'000'000u);
  EXPECT_EQ(to_string(tail), "delay:100us/1000000");
  EXPECT_EQ(again(to_string(tail)), to_string(tail));
  EXPECT_EQ(again("delay:50ns"), "delay:50ns");
  EXPECT_EQ(again("delay:0ns"), "delay:0ns");
  EXPECT_EQ(again("delay:1500us/3"), "delay:1500us/3");
  EXPECT_EQ(again("delay:2000us"), "delay:2ms");
}

TEST(ArmSpec, InAListAnOptionBelongsToTheArmBeforeIt) {
  EXPECT_THAT(list("none,maxlat:timer,cpu,size=64k,lttng-ust:writer,count=8,delay:50ns"),
              ElementsAre("none", "maxlat:timer,cpu,size=64k", "lttng-ust:writer,count=8", "delay:50ns"));
  EXPECT_THAT(list("none,none"), ElementsAre("none", "none"));
}

TEST(ArmSpec, WhatIsNoArmIsRefusedByName) {
  EXPECT_THAT(again("dtrace"), HasSubstr("no arm \"dtrace\""));
  EXPECT_THAT(again(""), HasSubstr("no arm \"\""));
  EXPECT_THAT(again("maxlat:writer"), HasSubstr("no policy \"writer\""));
  EXPECT_THAT(again("maxlat:"), HasSubstr("no policy"));
  EXPECT_THAT(again("none:timer"), HasSubstr("no policy"));
  EXPECT_THAT(again("none,cpu"), HasSubstr("does not have the option \"cpu\""));
  EXPECT_THAT(again("lttng-ust,overwrite"), HasSubstr("does not have the option"));
  EXPECT_THAT(again("maxlat,fast"), HasSubstr("\"fast\" is no option"));
  EXPECT_THAT(again("delay"), HasSubstr("needs a time"));
  EXPECT_THAT(again("delay:soon"), HasSubstr("refused"));
  EXPECT_THAT(again("delay:1us/0"), HasSubstr("no number of events"));
  EXPECT_THAT(again("delay:1us/12x"), HasSubstr("no number of events"));
  for (const char* size : {"size=", "size=3k", "size=1T", "size=-4k", "size=2k", "size=0", "size=9223372036854775808G"})
    EXPECT_THAT(again("maxlat," + std::string(size)), HasSubstr(size));
  for (const char* count : {"count=0", "count=1", "count=33", "count=131072"})
    EXPECT_THAT(again("maxlat," + std::string(count)), HasSubstr(count));
  EXPECT_THAT(list("cpu,maxlat"), ElementsAre(HasSubstr("before the first arm")));
  EXPECT_THAT(list("none,,maxlat"), ElementsAre(HasSubstr("no arm \"\"")));
}

// A comparison must not find out in its middle that a ring cannot be made.
TEST(ArmSpec, LimitsAreThoseOfTheArm) {
  EXPECT_EQ(again("maxlat,count=128,size=64M"), "maxlat:timer,size=64M,count=128");
  EXPECT_THAT(again("maxlat:timer,count=256"), HasSubstr("\"count=256\" is no power of two from 2 to 128"));
  EXPECT_THAT(again("maxlat,size=128M"), HasSubstr("\"size=128M\" is no power of two from 4k to 64M"));
  EXPECT_EQ(again("lttng-ust,count=1k"), "lttng-ust:writer,count=1024");
  EXPECT_THAT(again("lttng-ust,count=128k"), HasSubstr("from 2 to 64k"));
  EXPECT_THAT(again("uprobe,size=2G"), HasSubstr("from 4k to 1G"));
}

}  // namespace
}  // namespace maxlat::npt
