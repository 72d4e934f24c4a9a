// SPDX-License-Identifier: MIT
#include <fmt/core.h>

#include <maxlat/core/result/preemption.hpp>
#include <maxlat/core/sys/counted.hpp>

#include "run_names.hpp"

namespace maxlat::core {

// What must happen did if every round shows it and one does; a single round breaks a promise.
PolicyPair::Verdict PolicyPair::verdict() const {
  if (!refused.empty()) return Verdict::refused;
  if (promise == Promise::may) return rounds > untold ? Verdict::no_promise : Verdict::not_shown;
  const uint64_t keeping = promise == Promise::must ? preempted : waited;
  const uint64_t breaking = promise == Promise::must ? waited : preempted;
  if (breaking > 0) return Verdict::broken;
  return keeping > 0 ? Verdict::kept : Verdict::not_shown;
}

const char* to_string(PolicyPair::Promise promise) {
  return name_of(promise);
}

std::string shown_name(const PolicyPair& pair) {
  return fmt::format("CPU {}: {} over {}", pair.cpu, pair.woken, pair.running);
}

std::string broken_text(const PolicyPair& pair) {
  const bool must = pair.promise == PolicyPair::Promise::must;
  return fmt::format("{}: {} preempt, and {} in {} of {}", shown_name(pair), to_string(pair.promise),
                     must ? "did not" : "did", must ? pair.waited : pair.preempted, counted(pair.rounds, "round"));
}

}  // namespace maxlat::core
