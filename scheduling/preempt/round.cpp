// SPDX-License-Identifier: MIT
#include "round.hpp"

namespace maxlat::scheduling {

RoundOutcome judge(const Round& round, uint64_t tolerance) {
  const bool spun_at_the_wake_up = round.spin_begin != 0 && round.spin_begin < round.wake;
  if (!spun_at_the_wake_up || !round.ended()) return RoundOutcome::untold;
  if (round.gave_up != 0) return RoundOutcome::waited;
  if (round.first < round.before || round.last > round.after) return RoundOutcome::waited;
  if (round.before + tolerance < round.wake) return RoundOutcome::untold;
  return RoundOutcome::preempted;
}

}  // namespace maxlat::scheduling
