// SPDX-License-Identifier: MIT
//
// What fuzz targets that come to a result share.
#pragma once

#include <maxlat/core/result/run_result.hpp>
#include <maxlat/test/fuzz_text.hpp>
#include <string>

namespace maxlat::test {

// As it is read from what is written of it. Figures are rounded once, on writing: from then on they stay as they are.
inline core::RunResult must_be_read_back(const core::RunResult& run) {
  const std::string first = core::to_json(run);
  const auto again = core::from_json(first);
  if (!again) fuzz_failed("not read back", again.error().text);
  const std::string second = core::to_json(*again);
  if (second == first) return *again;
  const auto third = core::from_json(second);
  if (!third || core::to_json(*third) != second) fuzz_failed("read back as another", second);
  return *again;
}

}  // namespace maxlat::test
