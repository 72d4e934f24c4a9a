// SPDX-License-Identifier: MIT
//
// The loop in the kernel against a kernel of paper: what is asked of it, and what becomes of its answers. One tick is
// one nanosecond. The real module is tested in the guest (tests/guest/npt_interrupts.guest.sh).
#include "kernel_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "measurement_of_runs.hpp"
#include "surroundings.hpp"

namespace maxlat::npt {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kGap = 1000;

// Time passes in its loop only.
struct PaperKernel {
  std::atomic<bool> stop{false}, halt{false};
  Options options;
  core::JournalSpec spec;
  uint64_t now = 5 * kSecond;
  std::unique_ptr<maxlat_histogram> histogram = std::make_unique<maxlat_histogram>();
  std::vector<maxlat_irqoff_loop> asked;
  std::vector<uint64_t> sleeps;
  uint64_t stall_in_piece = 0, stall = 0;  // the piece of that number has one gap as long as this
  int errors_to_come = 0, error = 0;
  std::unique_ptr<CpuRun> run;

  PaperKernel() {
    maxlat_histogram_init(histogram.get());
    options.loops = 0;
    options.kernel_loop = true;
    spec.stop = &stop;
    spec.halt = &halt;
    spec.outliers = 1;
    spec.look_every_ticks = kSecond / 10;
    spec.step_ticks = kSecond;
    spec.steps = 10;
  }

  int piece(maxlat_irqoff_loop& loop) {
    asked.push_back(loop);
    if (errors_to_come > 0 && errors_to_come-- > 0) return error;
    if ((loop.flags & MAXLAT_IRQOFF_LOOP_ONLY_COPY) == 0) {
      const uint64_t end = now + loop.duration_ns;
      while (now < end && (loop.max_samples == 0 || loop.samples < loop.max_samples)) {
        const uint64_t gap = loop.samples == 0 && asked.size() == stall_in_piece ? stall : kGap;
        now += gap;
        maxlat_histogram_record(histogram.get(), gap, now);
        ++loop.samples;
        loop.watched_ticks += gap;
        if (gap > loop.max_ticks) loop.max_ticks = gap, loop.max_at = now;
      }
    }
    if (loop.histogram != 0) *reinterpret_cast<maxlat_histogram*>(loop.histogram) = *histogram;
    return 0;
  }

  CpuRun& go() {
    struct Counter {
      const uint64_t* now;
      uint64_t read() const { return *now; }
    };
    run = std::make_unique<CpuRun>(3, spec);
    const auto sleep = [this](uint64_t ns) {
      sleeps.push_back(ns);
      now += ns;
    };
    run_cpu_in_kernel([this](maxlat_irqoff_loop& loop) { return piece(loop); }, Counter{&now}, sleep, options,
                      base::clock_with_rate(1.0), *run);
    return *run;
  }
};

TEST(KernelLoop, TheBooksBalanceAndNoPieceIsLongerThanAStretch) {
  PaperKernel kernel;
  kernel.spec.duration_ticks = 3 * kSecond / 2;
  const CpuRun& run = kernel.go();
  EXPECT_TRUE(check_books(run).ok());
  EXPECT_EQ(run.journal.why(), core::Journal::Why::duration_over);
  EXPECT_EQ(run.exposure_ticks, 3 * kSecond / 2);
  EXPECT_FALSE(run.interrupts_enabled);
  size_t copies = 0;
  for (const maxlat_irqoff_loop& piece : kernel.asked) {
    EXPECT_LE(piece.duration_ns, kInterruptsOffStretch_ns);
    EXPECT_EQ(piece.size, sizeof piece);
    copies += piece.histogram != 0 ? 1 : 0;
  }
  EXPECT_EQ(copies, 3u) << "one in each second, and the last";
  EXPECT_EQ(kernel.asked.back().flags, MAXLAT_IRQOFF_LOOP_ONLY_COPY);
}

TEST(KernelLoop, EndsAtTheCount) {
  PaperKernel kernel;
  kernel.options.loops = 12'345;
  EXPECT_EQ(kernel.go().samples, 12'345u);
  EXPECT_EQ(kernel.run->histogram.total(), 12'345u);
}

TEST(KernelLoop, TheLargestGapOfAPieceIsAnOutlierWithItsTime) {
  PaperKernel kernel;
  kernel.spec.duration_ticks = kSecond / 10;
  kernel.stall_in_piece = 4;
  kernel.stall = 70'000;
  const CpuRun& run = kernel.go();
  ASSERT_FALSE(run.journal.outliers().largest_first().empty());
  EXPECT_EQ(run.journal.outliers().largest_first()[0].ticks, 70'000u);
  EXPECT_EQ(run.journal.outliers().largest_first()[0].time, 5 * kSecond + 3 * kInterruptsOffStretch_ns + 70'000);
  EXPECT_EQ(run.journal.step_max(0), 70'000u);
}

TEST(KernelLoop, ABreakLimitARequestAndARestEndItsPieces) {
  PaperKernel broken;
  broken.spec.break_above = 60'000;
  broken.stall_in_piece = 2;
  broken.stall = 70'000;
  EXPECT_EQ(broken.go().journal.why(), core::Journal::Why::broken);
  EXPECT_TRUE(broken.halt);
  PaperKernel stopped;
  stopped.stop = true;
  EXPECT_EQ(stopped.go().journal.why(), core::Journal::Why::stopped);
  PaperKernel resting;
  resting.options.rest_ns = resting.spec.rest_ticks = 60'000'000;
  resting.spec.duration_ticks = 2 * kSecond;
  EXPECT_TRUE(check_books(resting.go()).ok());
  EXPECT_EQ(resting.run->exposure_ticks, 2 * 940'000'000u);
  EXPECT_EQ(resting.sleeps.size(), 3u) << "one before the start, one at the end of each second";
}

TEST(KernelLoop, ASignalIsNoErrorAndAnErrorIsTold) {
  PaperKernel interrupted;
  interrupted.options.loops = 10;
  interrupted.errors_to_come = 2;
  interrupted.error = EINTR;
  EXPECT_EQ(interrupted.go().samples, 10u);
  EXPECT_EQ(interrupted.run->kernel_loop_error, 0);
  PaperKernel failed;
  failed.errors_to_come = 1;
  failed.error = EPERM;
  EXPECT_EQ(failed.go().kernel_loop_error, EPERM);
}

TEST(IrqoffDevice, EveryReasonThatItCannotBeUsedHasItsLine) {
  using testing::HasSubstr;
  EXPECT_THAT(why_no_irqoff(ENOENT).text, HasSubstr("not loaded"));
  EXPECT_THAT(why_no_irqoff(EPERM).text, HasSubstr("not permit"));
  EXPECT_THAT(why_no_irqoff(EBUSY).text, HasSubstr("no CPU left"));
  EXPECT_THAT(why_no_irqoff(EPROTO).text, HasSubstr("another version"));
  EXPECT_THAT(why_no_irqoff(EMFILE).text, HasSubstr("maxlat_irqoff: "));
  for (const int error : {ENOENT, EPERM, EBUSY, EOPNOTSUPP, EPROTO, EMFILE})
    EXPECT_EQ(why_no_irqoff(error).exit_status, core::Exit::cannot_run);
}

}  // namespace
}  // namespace maxlat::npt
