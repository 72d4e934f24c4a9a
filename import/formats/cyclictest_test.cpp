// SPDX-License-Identifier: MIT
//
// The real files were made by Debian 12's rt-tests 2.4:
//   cyclictest -m -p95 -i100 --smp -h 20 -D 2 -q --json=FILE       and, for the status lines, SIGUSR1 while it ran
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <maxlat/import/cyclictest.hpp>

namespace maxlat::importing {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string read_testdata(const std::string& name) {
  std::ifstream file(std::string(MAXLAT_TESTDATA) + "/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(CyclictestImport, ReadsARealFile) {
  const auto report = parse_cyclictest_json(read_testdata("cyclictest-2.4.json"));
  ASSERT_TRUE(report.ok()) << report.error().text;
  EXPECT_EQ(report->version, "2.40");
  EXPECT_THAT(report->command, HasSubstr("-i100"));
  ASSERT_EQ(report->per_cpu.size(), 2u);
  const core::CpuResult& cpu = report->per_cpu[1];
  EXPECT_EQ(cpu.cpu, 1u);
  EXPECT_EQ(cpu.samples, 19951u);
  EXPECT_EQ(cpu.overflow_count, 479u);  // as its own text says: "# Histogram Overflows: 00831 00479"
  EXPECT_EQ(cpu.min_ns, 8000);
  EXPECT_EQ(cpu.max_ns, 166000);
  EXPECT_EQ(cpu.mean_ns, 13350);
  ASSERT_EQ(cpu.bins.size(), 12u);
  EXPECT_EQ(cpu.bins[4].low_ns, 12000);
  EXPECT_EQ(cpu.bins[4].high_ns, 13000);
  EXPECT_EQ(cpu.bins[4].count, 7962u);
}

TEST(CyclictestImport, EveryBinAndOverflowAddsUpToTheCycles) {
  const auto report = parse_cyclictest_json(read_testdata("cyclictest-2.4.json"));
  ASSERT_TRUE(report.ok());
  for (const core::CpuResult& cpu : report->per_cpu) {
    uint64_t sum = cpu.overflow_count;
    for (const core::Bin& bin : cpu.bins) sum += bin.count;
    EXPECT_EQ(sum, cpu.samples);
  }
}

// As rt-tests 2.4 writes it of a thread that was never woken.
std::string with_silent_thread(std::string text) {
  const size_t at = text.find("\"1\": {");
  return text.substr(0, at) + R"("1": {"histogram": {      }, "cycles": 0, "min": 1000000, "max": 0, "avg": -nan,
      "cpu": 1, "node": -1}}})";
}

// A defect: the words of C were no JSON, and the samples of the other CPUs were lost with it.
TEST(CyclictestImport, AThreadThatTookNoSampleCostsNoOtherItsOwn) {
  const std::string text = with_silent_thread(read_testdata("cyclictest-2.4.json"));
  for (const char* average : {"-nan", "nan", "inf", "-inf", "0.00"}) {
    const auto report = parse_cyclictest_json(replaced(text, "-nan", average));
    ASSERT_TRUE(report.ok()) << report.error().text;
    ASSERT_EQ(report->per_cpu.size(), 2u);
    EXPECT_EQ(report->per_cpu[0].samples, 19999u);
    EXPECT_EQ(report->per_cpu[1].cpu, 1u);
    EXPECT_EQ(report->per_cpu[1].samples, 0u);
    EXPECT_EQ(report->no_sample, "the thread on CPU 1 took no sample");
  }
  EXPECT_THAT(parse_cyclictest_json(replaced(text, "-nan", "nano")).error().text, HasSubstr("not a complete JSON"));
  EXPECT_THAT(parse_cyclictest_json(replaced(text, "\"cpu\": 1", "\"cpu\": 0")).error().text,
              HasSubstr("CPU 0 is there twice"));
  EXPECT_THAT(parse_cyclictest_json(replaced(text, "avg\": 13.57", "avg\": -nan")).error().text,
              HasSubstr("thread 0 has no 'avg'"));
  const std::string none = text.substr(0, text.find("\"thread\"")) +
                           R"("thread": {"0": {"histogram": {}, "cycles": 0, "avg": -nan, "cpu": 0}}})";
  EXPECT_THAT(parse_cyclictest_json(replaced(none, "\"num_threads\": 2", "\"num_threads\": 1")).error().text,
              HasSubstr("no thread of it took a sample"));
}

TEST(CyclictestImport, WordsOfCAreLeftAsTheyAreInStrings) {
  const auto report = parse_cyclictest_json(
      replaced(read_testdata("cyclictest-2.4.json"), "--json=c.json", R"(--json=\" nan, -inf \\)"));
  ASSERT_TRUE(report.ok()) << report.error().text;
  EXPECT_THAT(report->command, HasSubstr(R"(--json=" nan, -inf \)"));
}

TEST(CyclictestImport, BothSpellingsOfTheOddKeys) {
  std::string text = read_testdata("cyclictest-2.4.json");
  text = replaced(text, "cmdline:", "cmdline");
  text = replaced(text, "rt_test_version:", "rt_test_version");
  const auto report = parse_cyclictest_json(text);
  ASSERT_TRUE(report.ok()) << report.error().text;
  EXPECT_EQ(report->version, "2.40");
}

TEST(CyclictestImport, CutAtEveryByteIsAnError) {
  const std::string text = read_testdata("cyclictest-2.4.json");
  const size_t last_brace = text.rfind('}');
  for (size_t length = 0; length <= last_brace; ++length) {
    EXPECT_FALSE(parse_cyclictest_json(text.substr(0, length)).ok()) << length;
  }
}

// A defect: it was the library's own text, "[json.exception.parse_error.101] parse error at line 3, column 1: ...".
TEST(CyclictestImport, ACutFileIsToldAsOfAResultOfOurOwn) {
  const std::string text = read_testdata("cyclictest-2.4.json");
  const auto cut = parse_cyclictest_json(text.substr(0, text.size() / 2));
  ASSERT_FALSE(cut.ok());
  EXPECT_THAT(cut.error().text, HasSubstr("not a complete JSON text: it breaks off or goes wrong at byte "));
  EXPECT_EQ(cut.error().hint, "was the program that wrote it killed, or the disk full?");
  for (const char* other : {R"({"cmdline:": 5})", R"({"file_version": 1, "cmdline:": ["cyclictest"]})"})
    EXPECT_THAT(parse_cyclictest_json(other).error().text, Not(HasSubstr("json.exception"))) << other;
}

TEST(CyclictestImport, RubbishIsAnErrorThatSaysWhy) {
  const std::string real = read_testdata("cyclictest-2.4.json");
  const std::pair<std::string, const char*> cases[] = {
      {"", "empty"},
      {"hello", "not readable"},
      {"[]", "not from cyclictest"},
      {"{}", "not from cyclictest"},
      {replaced(real, "cyclictest -m", "oslat -m"), "not from cyclictest"},
      {replaced(real, "\"return_code\": 0", "\"return_code\": 1"), "return code 1"},
      {replaced(real, "\"thread\"", "\"threads\""), "no thread"},
      {replaced(real, "\"histogram\"", "\"hist\""), "no histogram"},
      {replaced(real, "\"cycles\": 19999", "\"cycles\": 0"), "no sample"},
      {replaced(real, "\"cycles\": 19999", "\"cycles\": 19"), "but only 19 in all"},
      {replaced(real, "\"cycles\": 19999", "\"cycles\": -1"), "cycles"},
      {replaced(real, "\"cpu\": 1,", ""), "no 'cpu'"},
      {replaced(real, "\"cpu\": 1,", "\"cpu\": 0,"), "CPU 0 is there twice"},
      {replaced(real, "\"max\": 171", "\"max\": \"x\""), "no 'max'"},
      {replaced(real, "\"max\": 171", "\"max\": 1"), "the minimum 7000 ns is above the maximum 1000 ns"},
      {replaced(real, "\"max\": 171", "\"max\": 12"), "the maximum 12000 ns is not in the last bin"},
      {replaced(real, "\"avg\": 13.57", "\"avg\": 1"), "the mean 1000 ns is not between"},
      {replaced(real, "\"7\": 4", "\"x\": 4"), "row 'x'"},
      {replaced(real, "\"7\": 4", "\"7\": -4"), "row '7'"},
  };
  for (const auto& [text, why] : cases) {
    const auto report = parse_cyclictest_json(text);
    ASSERT_FALSE(report.ok()) << why;
    EXPECT_THAT(report.error().text, HasSubstr(why));
    EXPECT_EQ(report.error().text.find('\n'), std::string::npos);
  }
}

core::CpuResult with_bins(std::vector<core::Bin> bins, uint64_t beyond, double mean_ns) {
  core::CpuResult cpu;
  cpu.bins = std::move(bins);
  cpu.overflow_count = cpu.samples = beyond;
  for (const core::Bin& bin : cpu.bins) cpu.samples += bin.count;
  cpu.mean_ns = mean_ns;
  return cpu;
}

TEST(CyclictestImport, EachCycleAccountsForItsIntervalAndWhatItWasLate) {
  constexpr double kInterval_ns = 100'000;
  EXPECT_DOUBLE_EQ(seconds_accounted_for(with_bins({{10'000, 11'000, 1000}}, 0, 10'500), kInterval_ns), 0.1);
  // Ten samples of a little more than 1.1 ms: each passed over eleven timers and waited for the twelfth.
  EXPECT_NEAR(seconds_accounted_for(with_bins({{1'100'000, 1'101'000, 10}}, 0, 1'100'000), kInterval_ns), 0.012, 1e-9);
  EXPECT_NEAR(seconds_accounted_for(with_bins({{150'000, 151'000, 10}}, 0, 150'000), kInterval_ns), 0.002, 1e-9);
  // One second-long sample beyond the histogram, known by the average alone.
  const double mean_ns = (1000 * 10'000.0 + 1e9) / 1001;
  EXPECT_NEAR(seconds_accounted_for(with_bins({{10'000, 11'000, 1000}}, 1, mean_ns), kInterval_ns), 1.1, 1e-3);
}

TEST(CyclictestImport, RunningMaximumFromRealStatusLines) {
  const auto timelines = parse_status_blocks(read_testdata("cyclictest-2.4-status.txt"), 5, {0});
  ASSERT_EQ(timelines.size(), 2u);
  EXPECT_THAT(timelines[0].max_ns, testing::ElementsAre(158000));
  EXPECT_THAT(timelines[1].max_ns, testing::ElementsAre(102000));
  EXPECT_EQ(timelines[1].step_s, 5);
  EXPECT_EQ(timelines[1].kind, core::Timeline::Kind::running_max);
}

TEST(CyclictestImport, StatusLinesOfRubbishAreNone) {
  EXPECT_TRUE(parse_status_blocks("# T: nothing\nT: x\nMax: 3\nT: 1 (2) Max:\n", 1, {0}).empty());
}

}  // namespace
}  // namespace maxlat::importing
