// SPDX-License-Identifier: MIT
#include <maxlat/trace/scope.hpp>

#include "session/test_recording.hpp"

MAXLAT_TRACE_SPAN(scope, work, (std::uint64_t, n))
MAXLAT_TRACE_SPAN(scope, bare)

namespace {

using namespace maxlat::trace;
using namespace maxlat::trace::test;

std::vector<std::uint32_t> ids(const std::vector<Recorded>& all) {
  std::vector<std::uint32_t> found;
  for (const Recorded& each : all) found.push_back(each.id);
  return found;
}

const std::uint32_t work_begin = MaxlatTraceEvent_scope_work_begin::event.id;
const std::uint32_t work_end = MaxlatTraceEvent_scope_work_end::event.id;
const std::uint32_t bare_begin = MaxlatTraceEvent_scope_bare_begin::event.id;
const std::uint32_t bare_end = MaxlatTraceEvent_scope_bare_end::event.id;

int leaves_early(bool early) {
  MAXLAT_TRACE_SCOPE(scope, work, 7);
  if (early) return 1;
  MAXLAT_TRACE_SCOPE(scope, bare);
  return 2;
}

TEST(Scope, EndsWithItsBlockWhicheverWay) {
  Recording recording;
  recording.start("scope:*");
  leaves_early(true);
  leaves_early(false);
  const std::vector<Recorded> all = recording.finish();
  EXPECT_EQ(ids(all), (std::vector<std::uint32_t>{work_begin, work_end, work_begin, bare_begin, bare_end, work_end}));
  EXPECT_EQ(all.at(0).at<std::uint64_t>(0), 7u);
}

TEST(Scope, OfNobodyTracesNothing) {
  Recording recording;
  recording.start("scope:bare*");
  leaves_early(true);
  EXPECT_TRUE(recording.finish().empty());
}

TEST(Enabled, IsWhatTheSessionsWant) {
  EXPECT_FALSE(MAXLAT_TRACE_ENABLED(scope, work_begin));
  Recording recording;
  recording.start("scope:work*");
  EXPECT_TRUE(MAXLAT_TRACE_ENABLED(scope, work_begin));
  EXPECT_FALSE(MAXLAT_TRACE_ENABLED(scope, bare_end));
  recording.finish();
  EXPECT_FALSE(MAXLAT_TRACE_ENABLED(scope, work_begin));
}

}  // namespace
