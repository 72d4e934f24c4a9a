// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace maxlat::npt {
namespace {

using testing::HasSubstr;

NptArguments parsed(const core::Arguments& words) {
  auto arguments = parse_arguments(words);
  EXPECT_TRUE(arguments.ok()) << (arguments.ok() ? "" : arguments.error().text);
  return arguments.ok() ? *arguments : NptArguments{};
}

std::string refusal(const core::Arguments& words) {
  auto arguments = parse_arguments(words);
  EXPECT_FALSE(arguments.ok());
  return arguments.ok() ? "" : arguments.error().text;
}

TEST(NptOptions, TheDefaultsAreThoseOfNpt) {
  const NptArguments a = parsed({});
  EXPECT_TRUE(a.measurement.cpus.empty());
  EXPECT_EQ(a.measurement.loops, 10'000'000u);
  EXPECT_EQ(a.measurement.uncounted_loops, 5u);
  EXPECT_EQ(a.measurement.scheduling.policy, core::Policy::fifo);
  EXPECT_EQ(a.measurement.scheduling.priority, 99);
  EXPECT_TRUE(a.measurement.lock_memory);
  EXPECT_STREQ(a.unit.name, "us");
}

TEST(NptOptions, EveryLetterOfNptMeansWhatItMeant) {
  const NptArguments a = parsed({"-a", "0", "-d", "2m", "-e", "-i", "-n", "7", "-o", "f", "-p", "42", "-v"});
  EXPECT_EQ(a.measurement.cpus, core::CpuList{0});
  EXPECT_EQ(a.measurement.duration_ns, 120'000'000'000u);
  EXPECT_EQ(a.measurement.loops, 0u) << "a duration takes the place of the loop count";
  EXPECT_TRUE(a.measurement.measure_counter_rate);
  EXPECT_TRUE(a.measurement.allow_interrupts);
  EXPECT_EQ(a.measurement.uncounted_loops, 7u);
  EXPECT_THAT(refusal({"-n", "10000001"}), HasSubstr("--nocountloop: 10000000 is the most"));
  EXPECT_EQ(a.output_file, "f");
  EXPECT_EQ(a.measurement.scheduling.priority, 42);
  EXPECT_TRUE(a.verbose);
  EXPECT_EQ(parsed({"-l", "123"}).measurement.loops, 123u);
  EXPECT_STREQ(parsed({"--nanoseconds"}).unit.name, "ns");
  EXPECT_STREQ(parsed({"--picoseconds"}).unit.name, "ps");
  EXPECT_EQ(parsed({"-V"}).show, NptArguments::Show::version);
  EXPECT_TRUE(parsed({"-vv", "-v"}).verbose);
}

TEST(NptOptions, BothAreGivenBothCount) {
  const NptArguments a = parsed({"-l", "10", "-D", "1s"});
  EXPECT_EQ(a.measurement.loops, 10u);
  EXPECT_EQ(a.measurement.duration_ns, 1'000'000'000u);
}

TEST(NptOptions, CpuListsAreWrittenInEveryWayOfRtTests) {
  for (const core::Arguments& words :
       std::vector<core::Arguments>{{"-a", "0"}, {"-a0"}, {"--affinity=0"}, {"--affinity", "0"}})
    EXPECT_EQ(parsed(words).measurement.cpus, core::CpuList{0});
  EXPECT_EQ(parsed({"-a", "0,2-4"}).measurement.cpus, (core::CpuList{0, 2, 3, 4}));
  EXPECT_FALSE(parsed({"-a"}).measurement.cpus.empty()) << "alone: all";
}

TEST(NptOptions, HAloneIsHelpAndWithANumberAHistogram) {
  EXPECT_EQ(parsed({"-h"}).show, NptArguments::Show::help);
  EXPECT_EQ(parsed({"--help"}).show, NptArguments::Show::help);
  EXPECT_EQ(parsed({"-h", "400"}).histogram_rows, 400u);
  EXPECT_EQ(parsed({"-h400"}).histogram_rows, 400u);
  EXPECT_EQ(parsed({"--histogram=400"}).histogram_rows, 400u);
}

TEST(NptOptions, ATimeHasItsUnitButForTheLettersOfNptAndCyclictest) {
  EXPECT_EQ(parsed({"-b", "50"}).measurement.break_above_ns, 50'000u);
  EXPECT_EQ(parsed({"-b", "2ms"}).measurement.break_above_ns, 2'000'000u);
  EXPECT_EQ(parsed({"-D", "3"}).measurement.duration_ns, 3'000'000'000u);
  EXPECT_EQ(parsed({"--rest", "60ms"}).measurement.rest_ns, 60'000'000u);
  EXPECT_THAT(refusal({"--rest", "60"}), HasSubstr("no unit"));
  EXPECT_THAT(refusal({"--trace-window", "1", "--wait-window", "1s"}), HasSubstr("no unit"));
}

TEST(NptOptions, ADurationOfZeroHasNoEnd) {
  for (const char* letter : {"-d", "-D"}) {
    EXPECT_EQ(parsed({letter, "0"}).measurement.duration_ns, 0u);
    EXPECT_EQ(parsed({letter, "0"}).measurement.loops, 0u);
  }
  EXPECT_THAT(refusal({"--compare", "none,delay:1us", "-D", "0"}), HasSubstr("--wall-time"));
}

TEST(NptOptions, RestsAsTheSchedulerDemandsUnlessToldOtherwise) {
  EXPECT_FALSE(parsed({}).rest_given);
  EXPECT_TRUE(parsed({"--rest", "0"}).rest_given);
  EXPECT_EQ(parsed({"--rest", "0"}).measurement.rest_ns, 0u);
}

// A tracer's daemon does not share our working directory.
TEST(NptOptions, TheFolderOfATraceIsAbsolute) {
  EXPECT_EQ(parsed({"--arm", "maxlat", "--trace-dir", "tr/x"}).measurement.trace_folder,
            std::filesystem::absolute("tr/x").string());
}

TEST(NptOptions, AnArmWithRateAndWindows) {
  const Options options =
      parsed({"--arm", "maxlat:wakeup,cpu", "-f", "2.5k", "--trace-window", "100ms", "--wait-window=2s"}).measurement;
  EXPECT_EQ(to_string(options.arm), "maxlat:wakeup,cpu");
  EXPECT_EQ(options.max_event_hz, 2500);
  EXPECT_EQ(options.trace_window_ns, 100'000'000u);
  EXPECT_EQ(options.wait_window_ns, 2'000'000'000u);
}

TEST(NptOptions, RateAndWindowsWorkOnTheArmNone) {
  EXPECT_EQ(parsed({"-f", "1M", "--trace-window", "1s", "--wait-window", "1s"}).measurement.max_event_hz, 1e6);
}

TEST(NptOptions, ArmsAndRatesThatAreNoneAreRefused) {
  EXPECT_THAT(refusal({"--arm", "dtrace"}), HasSubstr("no arm \"dtrace\""));
  EXPECT_THAT(refusal({"--arm", "maxlat:timer,none"}), HasSubstr("no option"));
  EXPECT_THAT(refusal({"-f", "0"}), HasSubstr("--tp-max-freq"));
  EXPECT_THAT(refusal({"-f", "-5"}), HasSubstr("--tp-max-freq"));
  EXPECT_THAT(refusal({"-f", "5 per second"}), HasSubstr("--tp-max-freq"));
  EXPECT_THAT(refusal({"-f", "nan"}), HasSubstr("--tp-max-freq"));
  EXPECT_THAT(refusal({"--trace-window", "1s"}), HasSubstr("--trace-window alone"));
  EXPECT_THAT(refusal({"--wait-window=1s"}), HasSubstr("--wait-window alone"));
  EXPECT_THAT(refusal({"--trace-dir", "/tmp/t"}), HasSubstr("--trace-dir needs an arm"));
}

TEST(NptOptions, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(refusal({"--frobnicate"}), HasSubstr("frobnicate"));
  EXPECT_THAT(refusal({"-l", "0"}), HasSubstr("--loops"));
  EXPECT_THAT(refusal({"-b", "0"}), HasSubstr("--break"));
  EXPECT_THAT(refusal({"-h", "400us"}), HasSubstr("no number of rows"));
  EXPECT_THAT(refusal({"-h", "0"}), HasSubstr("--histogram"));
  EXPECT_THAT(refusal({"-d", "5 parsecs"}), HasSubstr("--duration"));
  EXPECT_THAT(refusal({"-p", "100"}), HasSubstr("1 to 99"));
  EXPECT_THAT(refusal({"-p", "0"}), HasSubstr("1 to 99"));
  EXPECT_THAT(refusal({"--policy", "batch"}), HasSubstr("batch"));
  EXPECT_THAT(refusal({"--counter", "hpet"}), HasSubstr("hpet"));
  EXPECT_THAT(refusal({"--format", "xml"}), HasSubstr("xml"));
  EXPECT_THAT(refusal({"--outliers", "1000000"}), HasSubstr("outliers"));
  EXPECT_THAT(refusal({"--snapshot", "10s"}), HasSubstr("file"));
  EXPECT_THAT(refusal({"--snapshot", "10s", "--json", "-"}), HasSubstr("file"));
  EXPECT_THAT(refusal({"surplus"}), HasSubstr("surplus"));
  EXPECT_THAT(refusal({"--kernel-loop", "-i"}), HasSubstr("does not go with -i"));
  EXPECT_THAT(refusal({"--kernel-loop", "--arm", "delay:100ns"}), HasSubstr("no tracepoints"));
  EXPECT_THAT(refusal({"--kernel-loop", "--counter", "plain"}), HasSubstr("fenced"));
  EXPECT_THAT(refusal({"--kernel-loop", "-f", "1k"}), HasSubstr("no tracepoints"));
  refusal({"-a", "1-"});
  refusal({"-l", "-5"});
}

// What is of no use must not be ignored, and must not be found out in the middle.
TEST(NptOptions, AComparisonAndASearchRefuseWhatIsNotTheirs) {
  EXPECT_THAT(refusal({"--find-max-rate", "maxlat", "--rounds", "3"}), HasSubstr("--rounds belongs to --compare"));
  EXPECT_THAT(refusal({"--find-max-rate", "maxlat", "--seed", "3"}), HasSubstr("--seed belongs to --compare"));
  EXPECT_THAT(refusal({"--rounds", "3"}), HasSubstr("--rounds belongs to --compare"));
  EXPECT_THAT(refusal({"--compare", "none,maxlat", "--trace-dir", "/tmp"}),
              HasSubstr("--trace-dir is of a single run"));
  EXPECT_THAT(refusal({"--trace-dir", "/tmp"}), HasSubstr("needs an arm"));
  EXPECT_THAT(refusal({"--compare", "none,maxlat:timer,count=1024"}),
              HasSubstr("\"count=1024\" is no power of two from 2 to 128"));
}

TEST(NptOptions, HelpFitsAScreenAndEndsWithTwoExamples) {
  const std::string help = npt_help();
  EXPECT_LE(std::count(help.begin(), help.end(), '\n'), 55);
  const std::string examples = help.substr(help.find("Examples:"));
  EXPECT_EQ(std::count(examples.begin(), examples.end(), '\n'), 3);
}

}  // namespace
}  // namespace maxlat::npt
