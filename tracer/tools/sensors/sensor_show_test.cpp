// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <maxlat/sensors/event_list.hpp>
#include <maxlat/sensors/group.hpp>
#include <maxlat/sensors/sensor_kind.hpp>
#include <maxlat/trace_tools/sensor_show.hpp>
#include <set>
#include <string>
#include <thread>

#include "sensors/value_text.hpp"

MAXLAT_TRACE_EVENT(show, posted, (std::uint64_t, n))

namespace maxlat::trace_tools {
namespace {

using sensors::SensorKind;

TEST(SensorShow, EachKindThatReadersKnowIsShownInOneWay) {
  std::set<std::string> defined, shown;
  for (const sensors::SensorKindDefinition* kind : sensors::sensor_kind_table())
    if (kind->kind != SensorKind::unknown) defined.insert(sensors::word_of(kind->kind));  // those are striped ones
  for (const SensorShow* show : sensor_show_table()) {
    EXPECT_TRUE(shown.insert(sensors::word_of(show->kind)).second) << sensors::word_of(show->kind);
    EXPECT_EQ(&show_of(show->kind), show);
  }
  EXPECT_EQ(shown, defined);
}

TEST(SensorShow, WhatOneFunctionOfAShowNeedsOfTheOthers) {
  for (const SensorShow* show : sensor_show_table()) {
    const char* const word = sensors::word_of(show->kind);
    EXPECT_NE(show->line, nullptr) << word;
    EXPECT_NE(show->json, nullptr) << word;
    EXPECT_TRUE(!show->posts_are_counted || show->posts != nullptr) << word;
    EXPECT_TRUE(!sensors::has_events(show->kind) || show->posts != nullptr) << word;  // `sensors stats`
  }
}

TEST(SensorShow, AKindOfALaterVersionHasNoValueAndSaysSo) {
  const sensors::SensorFacts facts;
  EXPECT_EQ(value_text(facts, {}), "(of a later version of the tracer)");
  EXPECT_EQ(posts_of(facts, {}), std::nullopt);
  EXPECT_EQ(show_of(facts.kind).json({}), nullptr);
  EXPECT_EQ(show_of(facts.kind).samples, nullptr);
}

struct Posted {
  sensors::EventList<64, MAXLAT_LISTED_EVENT(show, posted)> list{"list"};
};

// A defect: the count was read before the events, so that they were more than it. However fast somebody posts.
TEST(SensorShow, AListHasAtLeastThePostsWhoseEventsAreShown) {
  sensors::OwnedGroup<Posted> group;
  ASSERT_TRUE(group.publish("shown_while_posting"));
  std::atomic<bool> ending{false};
  std::thread poster([&] {
    while (!ending.load()) MAXLAT_POST(group->list, show, posted, 1);
  });
  const auto chosen = choose_sensors({std::to_string(getpid()) + "/shown_while_posting/list"});
  EXPECT_TRUE(chosen);
  for (int i = 0; chosen && i < 200; ++i) {
    ListTails tails({});
    const nlohmann::ordered_json value = value_json(chosen->sensors.front(), tails)["value"];
    EXPECT_GE(value["posts"].get<std::uint64_t>(), value["books"]["posts"].get<std::uint64_t>());
  }
  ending = true;
  poster.join();
}

}  // namespace
}  // namespace maxlat::trace_tools
