// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <maxlat/core/result/culprit.hpp>
#include <maxlat/core/result/fact_names.hpp>

namespace maxlat::core {
namespace {

AccountedTime task(const std::string& name, double ns) {
  return {.kind = TimeClass::task, .name = name, .ns = ns, .count = 1};
}

CpuResult cpu_with(unsigned number, double largest_ns, const std::string& name) {
  CpuResult cpu;
  cpu.cpu = number;
  cpu.max_ns = largest_ns;
  for (const double share : {0.5, 1.0}) {
    Outlier& outlier = cpu.outliers.emplace_back();
    outlier.cpu = number;
    outlier.latency_ns = largest_ns * share;
    outlier.accounting = {task(name, outlier.latency_ns * 0.9)};
  }
  return cpu;
}

TEST(Culprit, IsOfTheLargestSampleOfAllCpus) {
  Phase phase;
  EXPECT_EQ(culprit_words(phase), "");
  phase.per_cpu = {cpu_with(0, 10'000, "kworker/0:1 (tid 7, nice 0)"), cpu_with(1, 30'000, "hog (tid 9, nice 0)")};
  EXPECT_EQ(culprit_words(phase), "task hog (tid 9, nice 0) 27.0 us");
  phase.per_cpu[1].outliers[1].accounting = {task("a", 10'000), task("b", 10'000), task("c", 10'000)};
  EXPECT_EQ(culprit_words(phase), "nobody had most of it");
  phase.per_cpu[1].outliers[1].accounting.clear();
  EXPECT_EQ(culprit_words(phase), "") << "it is not known, and that of a smaller one says nothing of it";
}

TEST(Culprit, OfAnotherProgramIsThatOfTheLatestWakeup) {
  Phase phase;
  CpuResult cpu;
  cpu.cpu = 1;
  cpu.max_ns = 3'110'000;
  phase.per_cpu = {cpu};
  for (const unsigned number : {0u, 1u}) {
    CpuInterference& of_cpu = phase.interference.emplace_back();
    of_cpu.cpu = number;
    of_cpu.wakeups = {{.latency_ns = 3'120'000, .accounting = {task(number == 0 ? "other" : "hog", 2'900'000)}}};
  }
  EXPECT_EQ(culprit_words(phase), "task hog 2.90 ms of 3.12 ms by the kernel's events");
  phase.per_cpu[0].max_ns = 3'130'000;
  EXPECT_EQ(culprit_words(phase), "") << "the largest came while events were lost";
}

TEST(Culprit, WhyNobodyLookedIsTold) {
  Phase phase;
  EXPECT_EQ(not_watched_because(phase), "");
  phase.facts[fact::kKernelEvents] = "recorded by tracefs, which makes each interrupt longer";
  EXPECT_EQ(not_watched_because(phase), "");
  phase.facts[fact::kKernelEvents] = "not recorded: tracefs is for root: run as root";
  EXPECT_EQ(not_watched_because(phase), "tracefs is for root: run as root");
}

}  // namespace
}  // namespace maxlat::core
