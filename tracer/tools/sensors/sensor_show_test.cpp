// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/sensors/sensor_kind.hpp>
#include <maxlat/trace_tools/sensor_show.hpp>
#include <set>
#include <string>

#include "sensors/value_text.hpp"

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

}  // namespace
}  // namespace maxlat::trace_tools
