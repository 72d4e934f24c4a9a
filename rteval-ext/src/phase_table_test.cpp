// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <maxlat/core/result/phase_kind.hpp>

#include "meter.hpp"
#include "phase_definition.hpp"

namespace maxlat::rteval_ext {
namespace {

// A kind whose figures mean nothing to reports would be shown as if it were any other.
TEST(PhaseTable, WhatEachKindsFiguresMeanIsKnown) {
  const auto kinds = core::phase_kinds();
  for (const PhaseKind kind : phase_table())
    EXPECT_TRUE(std::any_of(kinds.begin(), kinds.end(), [&](const auto& known) { return known.name == kind->name; }))
        << kind->name;
}

TEST(PhaseTable, EachKindHasItsOwnMeter) {
  for (const PhaseKind kind : phase_table()) {
    if (is_control(kind)) {
      EXPECT_EQ(kind->make, nullptr);
    } else {
      EXPECT_EQ(kind->make()->kind(), kind) << kind->name;
    }
  }
}

}  // namespace
}  // namespace maxlat::rteval_ext
