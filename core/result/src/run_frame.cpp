// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <maxlat/core/result/run_frame.hpp>
#include <maxlat/core/sys/utc.hpp>
#include <maxlat/core/sys/version.hpp>

namespace maxlat::core {

RunResult run_frame(std::string_view command, const std::string& started) {
  RunResult run;
  run.id = fmt::format("{}-{}-{}", command, started, ::getpid());
  run.tool = version_text();
  run.build = build_id();
  run.started = started;
  run.ended = utc_text();
  run.state = RunResult::State::complete;
  return run;
}

void say_failed(RunResult& run, const std::string& why) {
  if (why.empty()) return;
  run.verdict.kind = Verdict::Kind::fail;
  run.verdict.reasons = {why};
}

}  // namespace maxlat::core
