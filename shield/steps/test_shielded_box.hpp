// SPDX-License-Identifier: MIT
// For tests of a whole shield: a box of four CPUs, of each kind of cgroups, of which 2 and 3 are to be shielded.
#pragma once

#include <gtest/gtest.h>

#include <maxlat/test/temporary_folder.hpp>

#include "change/test_surface.hpp"
#include "shield.hpp"

namespace maxlat::shield {

class ShieldedBox : public testing::TestWithParam<Hierarchy> {
 protected:
  ShieldPlan plan() const {
    return {.cpus = {2, 3}, .housekeeping = {0, 1}, .journal = folder_ / "state/shield.journal"};
  }
  FakeSurface surface() const { return FakeSurface(box_, box_.view({2, 3}, {0, 1})); }

  test::TemporaryFolder folder_;
  FakeBox box_{GetParam()};
};

}  // namespace maxlat::shield
