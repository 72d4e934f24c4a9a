// SPDX-License-Identifier: MIT
//
// What fuzz targets that come to a result share.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/test/fuzz_text.hpp>
#include <string>

namespace maxlat::test {

// `again` is what was read from `first`. Figures are rounded once, on writing: from then on they stay as they are.
inline void must_stay_the_same(const std::string& first, const core::RunResult& again) {
  const std::string second = core::to_json(again);
  if (second == first) return;
  const auto third = core::from_json(second);
  if (!third || core::to_json(*third) != second) fuzz_failed("read back as another", second);
}

}  // namespace maxlat::test
