// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/rteval_ext/meter.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace maxlat::rteval_ext {
namespace {

using testing::UnorderedElementsAreArray;

// A kind whose figures mean nothing to reports would be shown as if it were any other.
TEST(PhaseTable, WhatEachKindsFiguresMeanIsKnownOnce) {
  announce_phase_kinds();
  announce_phase_kinds();
  for (const PhaseKind kind : phase_table()) {
    core::Phase phase;
    phase.kind = to_string(kind);
    EXPECT_EQ(&core::kind_of(phase), kind->figures) << kind->name();
  }
  std::vector<std::string_view> names;
  for (const core::PhaseKind* kind : core::phase_kinds()) names.push_back(kind->name);
  EXPECT_THAT(std::set(names.begin(), names.end()), testing::SizeIs(names.size()));
}

TEST(PhaseTable, EachKindHasItsOwnMeter) {
  for (const PhaseKind kind : phase_table()) {
    if (is_control(kind)) {
      EXPECT_EQ(kind->make, nullptr);
    } else {
      EXPECT_EQ(kind->make()->kind(), kind) << kind->name();
    }
  }
}

// docs/result.schema.json names the kinds, and those that are never ok without a sample.
TEST(PhaseTable, TheSchemaNamesEveryKind) {
  announce_phase_kinds();
  std::vector<std::string> all, measuring;
  for (const core::PhaseKind* kind : core::phase_kinds()) {
    all.emplace_back(kind->name);
    if (kind->measures) measuring.emplace_back(kind->name);
  }
  const auto schema = nlohmann::json::parse(core::read_file(MAXLAT_DOCS "/result.schema.json").value_or(""));
  const auto& phase = schema.at("$defs").at("phase");
  EXPECT_THAT(phase.at("properties").at("kind").at("examples").get<std::vector<std::string>>(),
              UnorderedElementsAreArray(all));
  EXPECT_THAT(phase.at("if").at("properties").at("kind").at("enum").get<std::vector<std::string>>(),
              UnorderedElementsAreArray(measuring));
}

}  // namespace
}  // namespace maxlat::rteval_ext
