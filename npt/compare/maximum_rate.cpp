// SPDX-License-Identifier: MIT
#include "maximum_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>

namespace maxlat::npt {
namespace {

constexpr double kLowestRate_hz = 100;  // who loses events at this rate has another problem than speed
constexpr double kBelowWhatWasTaken = 0.95;
constexpr double kStepUp = 1.2;  // at most, from a rate that was borne: the guess is near the limit mostly

// One that was tried.
struct Rate {
  double asked_hz;  // 0: no limit
  double hz = 0;    // its place in the search: as asked, or what the loop came to
  bool lossless = false;
  bool settled = false;           // its verdict is that of all the trials that it can ask for
  bool guessed_from = false;      // the guess below has been tried
  double produced_hz = 0;         // the most that the loop came to
  core::RateEvidence total = {};  // of all its trials
  // Of the trials since it was last asked for:
  core::RateEvidence last = {};
  double taken_hz = 0;  // the most that the trace of a lossy one held
  double borne_hz = 0;  // the most that one without a loss produced

  double guess() const { return kBelowWhatWasTaken * taken_hz; }
};

class Search {
 public:
  Search(double trial_s, const TryRate& try_rate) : try_rate_(try_rate), seconds_(trial_s) { found_.trial_s = trial_s; }

  RateSearch run() {
    core::Status status = search();
    report();
    return {std::move(found_), std::move(status)};
  }

 private:
  core::Status search() {
    rates_.push_back({.asked_hz = 0});
    Rate* next = &rates_.back();
    while (next != nullptr && may_go_on()) {
      if (core::Status status = next == lossless() ? confirm(*next) : look(*next); !status) return status;
      next = found_.confirmed ? nullptr : next_rate();
    }
    if (found_.confirmed) return {};
    if (next == nullptr && lossless() == nullptr)
      return core::Error{"it loses events at any rate", "is its consumer running, and its disk full?",
                         core::Exit::invalid};
    return core::Error{fmt::format("no rate is confirmed after {} trials", found_.trials.size()),
                       "the machine is too busy, or a longer -D is needed", core::Exit::invalid};
  }

  bool may_go_on() const { return found_.trials.size() < kMostTrials; }

  Rate* lossless() {
    Rate* best = nullptr;
    for (Rate& rate : rates_)
      if (rate.lossless && (best == nullptr || rate.hz > best->hz)) best = &rate;
    return best;
  }
  Rate* lossy() {
    Rate* lowest = nullptr;
    for (Rate& rate : rates_)
      if (!rate.lossless && rate.total.trials > 0 && (lowest == nullptr || rate.hz < lowest->hz)) lowest = &rate;
    return lowest;
  }

  // Null: there is none left.
  Rate* next_rate() {
    Rate* const low = lossless();
    Rate* const high = lossy();
    if (high == nullptr) return low;
    if (low != nullptr && high->hz <= low->hz * kBracket) return high->settled ? low : high;
    const double hz = between(low, *high);
    if (hz < kLowestRate_hz) return nullptr;
    return &rates_.emplace_back(Rate{.asked_hz = hz, .hz = hz});
  }

  static double between(const Rate* low, Rate& high) {
    const bool guesses = !high.guessed_from && (low == nullptr || high.guess() > low->hz * kBracket);
    high.guessed_from = true;
    if (guesses && high.guess() >= kLowestRate_hz) return std::min(high.guess(), high.hz / kBracket);
    if (low == nullptr) return high.hz / 2;
    return std::min(std::sqrt(low->hz * high.hz), low->hz * kStepUp);
  }

  // Lossless with the first trial that is.
  core::Status look(Rate& rate) {
    rate.settled = rate.total.trials > 0;
    core::Status status = ask(rate, 1, false);
    rate.lossless = rate.last.lossless() > 0;
    rate.settled = rate.settled && !rate.lossless;
    return status;
  }

  core::Status confirm(Rate& rate) {
    core::Status status = ask(rate, kMajority, true);
    if (!status) return status;
    found_.confirmed = rate.last.lossless() >= kMajority;
    if (found_.confirmed || rate.last.lossy < kMajority) return {};
    rate.lossless = false;
    rate.settled = true;
    rate.guessed_from = false;
    seconds_ = found_.trial_s * kConfirmationIsLonger;  // shorter ones would be as lucky again
    rates_.remove_if([&](const Rate& lucky) { return lucky.lossless && lucky.hz > rate.guess(); });
    return {};
  }

  // Until so many trials lost nothing, or kMajority lost something. How fast the loop goes is another each time, so as
  // a limit it is asked for whole.
  core::Status ask(Rate& rate, std::size_t lossless_needed, bool confirmation) {
    const std::size_t at_least = confirmation && lossy() == nullptr ? kConfirmations : 1;
    rate.last = {};
    rate.taken_hz = 0;
    rate.borne_hz = 0;
    while ((rate.last.lossless() < lossless_needed || rate.last.trials < at_least) && rate.last.lossy < kMajority &&
           may_go_on()) {
      auto tried = try_rate_(rate.asked_hz, confirmation ? found_.trial_s * kConfirmationIsLonger : seconds_);
      if (!tried) return tried.error();
      tried->confirmation = confirmation;
      found_.trials.push_back(*tried);
      enter(rate, *tried);
    }
    return {};
  }

  static void enter(Rate& rate, const core::RateTrial& trial) {
    rate.produced_hz = std::max(rate.produced_hz, trial.produced_hz);
    if (rate.asked_hz == 0) rate.hz = rate.produced_hz;
    for (core::RateEvidence* evidence : {&rate.last, &rate.total}) {
      ++evidence->trials;
      evidence->lossy += trial.lost != 0;
    }
    if (trial.lost == 0)
      rate.borne_hz = std::max(rate.borne_hz, trial.produced_hz);
    else
      rate.taken_hz = std::max(rate.taken_hz, trial.produced_hz - static_cast<double>(trial.lost) / trial.exposure_s);
  }

  // A loop may fall short of the rate that it was asked for; what it did is what was borne.
  void report() {
    if (const Rate* const low = lossless()) {
      found_.lossless_hz = low->last.lossless() > 0 ? low->borne_hz : std::min(low->hz, low->produced_hz);
      if (found_.confirmed) found_.lossless_evidence = low->last;
    }
    if (const Rate* const high = lossy()) {
      found_.lossy_hz = std::max(std::min(high->hz, high->produced_hz), found_.lossless_hz);
      found_.lossy_evidence = high->total;
    }
  }

  const TryRate& try_rate_;
  double seconds_;  // of a trial that is no confirmation
  std::list<Rate> rates_;
  core::MaximumRate found_;
};

}  // namespace

RateSearch find_maximum_rate(double trial_s, const TryRate& try_rate) {
  return Search(trial_s, try_rate).run();
}

}  // namespace maxlat::npt
