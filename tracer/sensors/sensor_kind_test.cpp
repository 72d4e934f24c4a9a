// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <maxlat/sensors/striped.h>

#include <algorithm>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/sensor_kind.hpp>
#include <memory>
#include <set>
#include <string>

#include "sensors/test_group.hpp"

namespace maxlat::sensors {
namespace {

TEST(SensorKinds, NumbersAndWordsAreEachOneKinds) {
  std::set<std::uint32_t> numbers;
  std::set<std::string> words{"unknown"};
  for (const SensorKindDefinition* kind : sensor_kind_table()) {
    EXPECT_TRUE(numbers.insert(kind->number).second) << kind->number;
    EXPECT_TRUE(words.insert(kind->word).second) << kind->word;
    EXPECT_LT(kind->number, MAXLAT_SENSOR_YOURS) << kind->word;
    EXPECT_EQ(find_sensor_kind(kind->number), kind);
  }
  EXPECT_EQ(find_sensor_kind(MAXLAT_SENSOR_YOURS), nullptr);
}

TEST(SensorKinds, WhatOneFunctionOfAKindNeedsOfTheOthers) {
  for (const SensorKindDefinition* kind : sensor_kind_table()) {
    ASSERT_NE(kind->size_of, nullptr) << kind->word;
    EXPECT_EQ(kind->read == nullptr, kind->kind == SensorKind::unknown) << kind->word;
    EXPECT_TRUE(kind->read != nullptr || kind->check != nullptr) << kind->word;
    EXPECT_TRUE(kind->add_up == nullptr || kind->check == nullptr) << kind->word;
  }
}

TEST(SensorKinds, ReadersKnowThemByTheseWords) {
  for (const auto& [kind, word] : {std::pair{SensorKind::counter, "counter"},
                                   {SensorKind::gauge, "gauge"},
                                   {SensorKind::stat, "stat"},
                                   {SensorKind::counters, "counters"},
                                   {SensorKind::histogram, "histogram"},
                                   {SensorKind::events, "events"},
                                   {SensorKind::map, "map"},
                                   {SensorKind::unknown, "unknown"},
                                   {SensorKind{MAXLAT_SENSOR_YOURS}, "unknown"}}) {
    EXPECT_STREQ(word_of(kind), word);
    EXPECT_EQ(has_events(kind), kind == SensorKind::events) << word;
  }
}

// A kind of another program: how high it ever was.
struct PeakWords {
  maxlat_sensor sensor;
  std::uint64_t highest;
  std::uint64_t unused[7];
};
struct PeakValue : OwnValue {
  std::uint64_t highest = 0;
};

class Peak {
 public:
  constexpr Peak() : words_{sensor_head(MAXLAT_SENSOR_YOURS, 1, sizeof(PeakWords), kThread, "peak", "C", ""), 0, {}} {}
  void post(std::uint64_t value) { words_.highest = std::max(words_.highest, value); }

 private:
  PeakWords words_;
};

const SensorKindDefinition kPeak{
    .number = MAXLAT_SENSOR_YOURS,
    .word = "peak",
    .layout_version = 1,
    .kind = SensorKind{MAXLAT_SENSOR_YOURS},
    .size_of = size_without_shape<PeakWords>,
    .read = [](const std::uint8_t* sensor, const CheckedSensor&) -> SensorValue {
      auto value = std::make_shared<PeakValue>();
      value->highest = __atomic_load_n(&reinterpret_cast<const PeakWords*>(sensor)->highest, __ATOMIC_RELAXED);
      return value;
    },
    .add_up =
        [](SensorValue& all, const SensorValue& one) {
          auto both = std::make_shared<PeakValue>(*own_value<PeakValue>(all));
          both->highest = std::max(both->highest, own_value<PeakValue>(one)->highest);
          all = both;
        },
};

// As long as this lives, monitors of this program know the kind.
class KnownPeak {
 public:
  KnownPeak() { sensor_kind_table().push_back(&kPeak); }
  ~KnownPeak() { sensor_kind_table().pop_back(); }
};

struct Peaks {
  Peak peak;
  Counter counter{"counter"};
};

TEST(SensorKinds, AKindThatAProgramAddsIsReadByItAndUnknownToOthers) {
  test::TestGroup<Peaks> group("peaks");
  group->peak.post(7);
  group->peak.post(3);
  const GroupView unaware = group.view();
  EXPECT_EQ(test::facts_of(unaware, "peak").kind, SensorKind::unknown);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(unaware.read(test::facts_of(unaware, "peak"))));
  const KnownPeak known;
  const GroupView view = group.view();
  const SensorFacts& facts = test::facts_of(view, "peak");
  EXPECT_STREQ(word_of(facts.kind), "peak");
  EXPECT_EQ(facts.unit, "C");
  const SensorValue value = view.read(facts);
  ASSERT_NE(own_value<PeakValue>(value), nullptr);
  EXPECT_EQ(own_value<PeakValue>(value)->highest, 7u);
  EXPECT_EQ(own_value<PeakValue>(SensorValue(CounterValue{7})), nullptr);
  EXPECT_TRUE(view.is_made_as(group.view()));
}

struct StripedPeaks {
  maxlat_sensor head = sensor_head(MAXLAT_SENSOR_STRIPED, MAXLAT_STRIPED_VERSION, sizeof(StripedPeaks), kThread,
                                   "peaks", "", "", {2, sizeof(Peak)});
  Peak stripes[2];
};

TEST(SensorKinds, WhatAKindAddsUpCanBeStriped) {
  const KnownPeak known;
  test::TestGroup<StripedPeaks> group("striped");
  group->stripes[0].post(4);
  group->stripes[1].post(9);
  const GroupView view = group.view();
  EXPECT_STREQ(word_of(test::facts_of(view, "peaks").kind), "peak");
  const SensorValue value = view.read(test::facts_of(view, "peaks"));
  EXPECT_EQ(own_value<PeakValue>(value)->highest, 9u);
}

}  // namespace
}  // namespace maxlat::sensors
