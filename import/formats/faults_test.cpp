// SPDX-License-Identifier: MIT
//
// Files that are damaged, edited or hostile: each is an error of one line that says what and, in a text, where; or it
// is a valid run.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <maxlat/test/temporary_folder.hpp>
#include <span>
#include <string>

#include "formats/test_files.hpp"

namespace maxlat::importing {
namespace {

using test::imported;
using test::kExamples;
using test::replaced;
using test::testdata;
using testing::HasSubstr;

void expect_one_line(const core::Error& error, const std::string& what) {
  EXPECT_FALSE(error.text.empty()) << what;
  EXPECT_EQ(error.text.find('\n'), std::string::npos) << what;
  EXPECT_TRUE(std::all_of(error.text.begin(), error.text.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) << what;
}

// What was measured, as text: without the run's name and time, which are those of the import.
std::string phases_of(core::RunResult run) {
  run.id = run.started = run.ended = "";
  return core::to_json(run);
}

// Where a file has an end of its own, nothing that is cut off changes a figure unnoticed.
TEST(Faults, AFileThatIsCutOffIsAnError) {
  for (const test::Example& example : kExamples) {
    const std::string text = testdata(example.file);
    const std::string_view part(text);
    const auto whole = imported(text, example.unit_ns);
    ASSERT_TRUE(whole.ok()) << example.file;
    const std::string figures = phases_of(*whole);
    size_t errors = 0;
    for (size_t length = 0; length < text.size(); ++length) {
      const auto run = imported(part.substr(0, length), example.unit_ns);
      errors += !run.ok();
      if (!run) expect_one_line(run.error(), example.file);
      if (run && example.has_end) {
        EXPECT_EQ(phases_of(*run), figures) << example.file << ": its first " << length << " bytes are taken for whole";
      }
    }
    EXPECT_GT(errors, text.size() / 2) << example.file;
  }
}

// A defect: cyclictest's histogram file from the log of a serial console was of no format.
TEST(Faults, LinesThatEndAsThoseOfASerialConsoleSayTheSame) {
  for (const test::Example& example : kExamples) {
    const std::string text = testdata(example.file);
    std::string from_console;
    for (const char letter : text) from_console += letter == '\n' ? "\r\n" : std::string(1, letter);
    const auto run = imported(from_console, example.unit_ns), plain = imported(text, example.unit_ns);
    ASSERT_TRUE(run.ok()) << example.file << ": " << run.error().text;
    ASSERT_TRUE(plain.ok()) << example.file;
    EXPECT_EQ(phases_of(*run), phases_of(*plain)) << example.file;
    for (const ImportDefinition* definition : import_table())
      EXPECT_EQ(definition->recognises(from_console), definition->name == example.format)
          << example.file << ": " << definition->name;
  }
}

TEST(Faults, ANumberThatIsNoneIsAnErrorOrNotLookedAt) {
  for (const test::Example& example : kExamples) {
    const std::string text = testdata(example.file);
    for (size_t at = 0; at < text.size(); ++at) {
      if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
      if (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1]))) continue;
      for (const char* other :
           {"-5", "nan", "inf", "1e999", "99999999999999999999", "18446744073709551615", "x\033[2J"}) {
        std::string edited = text;
        const auto run = imported(edited.replace(at, 1, other), example.unit_ns);
        if (!run) expect_one_line(run.error(), example.file);
      }
    }
  }
}

struct Fault {
  const char *file, *from, *to, *told;
  double unit_ns = 0;
};

void expect_told(std::span<const Fault> faults) {
  for (const Fault& fault : faults) {
    const auto run = imported(replaced(testdata(fault.file), fault.from, fault.to), fault.unit_ns);
    ASSERT_FALSE(run.ok()) << fault.file << ": " << fault.told;
    EXPECT_THAT(run.error().text, HasSubstr(fault.told)) << fault.file;
    expect_one_line(run.error(), fault.file);
  }
}

TEST(Faults, EachIsToldWithItsLine) {
  const Fault faults[] = {
      {"cyclictest-2.4-histfile.txt", "000018 000005", "000018 -00005", "line 20: '-00005' is not a count"},
      {"cyclictest-2.4-histfile.txt", "000018 000005", "000018 000004", "but 4997 in all"},
      {"cyclictest-2.4-histfile.txt", "# Histogram Overflows:", "# Histogram:", "no line \"# Histogram Overflows:\""},
      {"cyclictest-2.4-histfile.txt", "# Max Latencies: 00555", "# Max Latencies: 00012",
       "the minimum 18000 ns is above the maximum"},
      {"cyclictest-2.4-histfile.txt", "# Max Latencies: 00555", "# Max Latencies: nan", "'nan' is not a count"},
      {"cyclictest-2.4-histfile.txt", "000019 ", "000018 ", "row 18 twice"},
      {"cyclictest-2.4-summary.txt", "Max:   52660", "Max:    -660", "it is no status line of cyclictest"},
      {"cyclictest-2.4-verbose.txt", "       0:       2:", "       0:       1:", "its cycle was there before"},
      {"cyclictest-2.4-verbose.txt", "       0:       2:", "       0 lost 2:", "is no sample: thread:cycle:latency"},
      {"oslat-2.4.txt", "Maximum:\t", "Maximum:\t nan", "3 of 2 CPUs"},
      {"oslat-2.4.txt", "002 (us):\t ", "002 (us):\t -", "is no count"},
      {"oslat-2.4.txt", "Duration:", "Durance:", "without the line \"Duration\""},
      {"oslat-2.4.json", "\"file_version\": 1", "\"file_version\": 7",
       "its file_version is 7, and this maxlat knows 1"},
      {"oslat-2.4.json", "\"duration\": 2.001", "\"duration\": -2.001", "'duration' is -2.001"},
      {"hackbench-2.4.txt", "Time: ", "Time: -", "is no time"},
      {"hackbench-2.4.txt", "Time: ", "Tome: ", "the round before it has no time"},
      {"hwlatdetect-0.8.txt", "inner:12", "inner:-12", "is no record of hwlatdetect"},
      {"hwlatdetect-0.8.txt", "Latency threshold: 10us", "Latency threshold: 10ms",
       "has no number as hwlatdetect writes it"},
      {"hwlatdetect-0.8.txt", "Samples recorded: 3", "Samples recorded: 4", "it tells of 4 records, and has 3"},
      {"rtla-osnoise.txt", "# Time unit is microseconds (us)\n", "", "no line \"# Time unit is\""},
      {"rtla-osnoise.txt", "microseconds (us)", "fortnights (fn)", "line 2: the unit is neither us nor ns"},
      {"rtla-osnoise.txt", "count:       18", "count:       19", "but 19 in all"},
      {"rtla-osnoise.txt", "6             4         0", "6             4", "line 6: it has no number for CPU-002"},
      {"rtla-osnoise.txt", "7             1", "6             1", "line 7: its rows do not ascend"},
      {"rtla-osnoise.txt", "osnoise histogram", "wakelat histogram",
       "line 1: 'wakelat' is neither osnoise nor timerlat"},
      {"jitterdebugger-0.3.1.json", "\"version\": 3", "\"version\": 9", "its version is 9"},
      {"jitterdebugger-0.3.1.json", "\"count\": 1950", "\"count\": 2",
       "counts 1947 in its histogram but only 2 in all"},
      {"jitterdebugger-0.3.1.json", "_in_ns\": 1000", "_in_ns\": 100",
       "its resolution is 100 ns, and this maxlat knows"},
      {"jitterdebugger-0.3.1.json", "_in_ns\": 1000", "_in_ns\": -1", "resolution_in_ns"},
      {"sysjitter-raw.txt", "# n_interruptions: 3", "# n_interruptions: 4", "3 of 4 interruptions were there"},
      {"sysjitter-raw.txt", "         1000000          0", "         1000000         -1", "line 12: "},
      {"rteval-summary.xml", "unit=\"us\">41", "unit=\"ms\">41", "line 12: core 0: the maximum is in 'ms', not in us"},
      {"rteval-summary.xml", "<samples>5", "<samples>4", "core 0 counts 5 in its histogram but only 4 in all"},
      {"rteval-summary.xml", "index=\"41\"", "index=\"-41\"", "the bucket '-41' with '1' is no count"},
      {"rteval-summary.xml", "<samples>5", "<timerlat/><samples>5", "a meter begins within a core"},
      {"rteval-summary.xml", "<samples>5", "<core id=\"1\"/><samples>5", "a core begins within a core"},
      {"rteval-summary.xml", "</core>", "</cure>", "not a complete XML text: mismatched tag"},
      {"ftrace-6.1-hist-log2.txt", "Hits: 688", "Hits: 687", "its rows count 688, and its totals 687", 1},
      {"ftrace-6.1-hist-buckets.txt", "~ 10-19", "~ 19-10", "line 8: lat: '~ 19-10' is no latency", 1},
      {"ftrace-6.1-hist-log2.txt", "", "", "does not tell its unit"},
  };
  expect_told(faults);
}

TEST(Faults, AFileThatContradictsItselfIsRefused) {
  const Fault faults[] = {
      {"cyclictest-2.4-histogram.txt", "Latencies: 00065 00071", "Latencies: 00064 00071",
       "thread 0: the maximum is 65 in its status line and 64 at its histogram"},
      {"cyclictest-2.4-histogram.txt", "Latencies: 00065 00071", "Latencies: 00066 00071",
       "thread 0: the maximum is 65 in its status line and 66 at its histogram"},
      {"cyclictest-2.4-histogram.txt", "C:    500 Min:     19", "C:    501 Min:     19",
       "thread 0: the count is 501 in its status line and 500 at its histogram"},
      {"cyclictest-2.4-histogram.txt", "C:    500 Min:     19", "C:    500 Min:     18",
       "the minimum is 18 in its status"},
      {"cyclictest-2.4-histfile.txt", "Min Latencies: 00018", "Min Latencies: 00017",
       "the minimum 17000 ns is in no row"},
      {"cyclictest-2.4.json", "\"min\": 7", "\"min\": 6", "thread 0: the minimum 6000 ns is in no row"},
      {"cyclictest-2.4.json", "\"max\": 171", "\"max\": 19",
       "thread 0 counts 19168 in its histogram but 19999 in all, and its maximum 19000 ns is in the last row"},
      {"cyclictest-2.4.json", "num_threads\": 2", "num_threads\": 4", "it tells of 4 threads, and has 2"},
      {"cyclictest-2.4.json", "\"1\": {", "\"0\": {", "the key '0' is there twice"},
      {"cyclictest-2.4.json", "\"8\": 18", "\"7\": 18", "the key '7' is there twice"},
      {"oslat-2.4.json", "num_threads\": 1", "num_threads\": 2", "it tells of 2 threads, and has 1"},
      {"jitterdebugger-0.3.1.json", "\"1\": {", "\"0\": {", "the key '0' is there twice"},
      {"hackbench-2.4.txt", "Time: 0.204", "Time: 0.000", "line 3: a time of 0 tells no rate"},
      {"sysjitter-raw.txt", "# threshold: 200ns\n", "", "\"# threshold:\" is missing"},
      {"sysjitter-raw.txt", "# threshold: 200ns", "# threshold: high", "'high' is no threshold"},
      {"sysjitter-raw.txt", "# threshold: 200ns", "# threshold: 200us", "line 12: it is shorter than the threshold"},
      {"sysjitter-raw.txt", "mhz: 2000", "mhz: 0", "line 1: '0' is no clock rate"},
      {"sysjitter-raw.txt", "mhz: 2000", "mhz: 2100", "line 12: its cycles do not fit its nanoseconds"},
      {"sysjitter-raw.txt", "18000       9000", "19000       9000", "line 13: its cycles do not fit"},
      {"sysjitter-raw.txt", "21000 cycles", "21005 cycles", "21000 cycles together, and it tells of 21005"},
      {"sysjitter-raw.txt", "0.000010500 s", "0.000010510 s", "1.05e-05 s together, and it tells of 1.051e-05"},
  };
  expect_told(faults);
}

// What rtla's manual pages show of each. It was "of no format that maxlat knows".
TEST(Faults, ASummaryOfRtlaIsSaidToHaveNoHistogram) {
  const char* const duration = "duration:   0 00:00:10 | time is in us\nCPU Period       Runtime        Noise\n";
  for (const auto& [title, rest] :
       {std::pair{"                                        Operating System Noise\n", duration},
        {"                                         Hardware-related Noise\n", duration},
        {"                                     Timer Latency\n",
         "  0 00:00:12   |          IRQ Timer Latency (us)\n"}}) {
    const auto run = imported(std::string("# rtla -c 0-3 -d 10s -q\n") + title + rest);
    ASSERT_FALSE(run) << title;
    EXPECT_EQ(run.error().text,
              "line 2: it is a summary, without a histogram: rtla osnoise hist and rtla timerlat hist print one");
  }
}

TEST(Faults, ARunWithAThreadThatTookNoSampleIsNotValid) {
  std::string text = testdata("cyclictest-2.4.json");
  text = text.substr(0, text.find("\"1\": {"));
  text += R"("1": {"histogram": {}, "cycles": 0, "min": 1000000, "max": 0, "avg": -nan, "cpu": 1}}})";
  const auto run = imported(text);
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].status, core::PhaseStatus::invalid);
  EXPECT_EQ(run->phases[0].reason, "the thread on CPU 1 took no sample");
  EXPECT_EQ(run->phases[0].per_cpu.at(0).samples, 19999u);
  EXPECT_TRUE(core::from_json(core::to_json(*run)).ok());
}

// A defect that the fuzzer found: seconds of such a year are too many nanoseconds, and another date came of it.
TEST(Faults, AYearThatNoClockHasIsNoTime) {
  const std::string text = testdata("oslat-2.4.json");
  for (const char* year : {"0002", "1969", "9999"}) {
    const auto run = imported(replaced(text, "25 Nov 2026 12:37:49", std::string("25 Nov ") + year + " 12:37:49"));
    ASSERT_TRUE(run) << run.error().text;
    EXPECT_EQ(run->started, "") << year;
  }
  EXPECT_EQ(imported(text)->started, "2026-11-25T12:37:49Z");
}

// "Billion laughs": an entity that is made of others.
TEST(Faults, EntitiesAreRefused) {
  const auto run =
      imported(replaced(testdata("rteval-summary.xml"), "<rteval version",
                        "<!DOCTYPE rteval [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<rteval version"));
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().text, HasSubstr("it declares entities"));
}

TEST(Faults, AHundredThousandRowsAreRead) {
  std::string text = "# Histogram\n";
  constexpr int kRows = 100'000;
  for (int row = 0; row < kRows; ++row) text += std::to_string(row) + " 1\n";
  text +=
      "# Total: 100000\n# Min Latencies: 0\n# Avg Latencies: 49999\n# Max Latencies: 99999\n# Histogram Overflows: 0\n";
  const auto run = imported(text);
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->phases[0].per_cpu[0].bins.size(), static_cast<size_t>(kRows));
  EXPECT_EQ(run->phases[0].per_cpu[0].samples, static_cast<uint64_t>(kRows));
}

TEST(Faults, ALineThatNeverEndsIsNoText) {
  const maxlat::test::TemporaryFolder folder;
  const std::string path = folder / "long";
  folder.write("long", "");
  std::filesystem::resize_file(path, 40 << 20);
  auto input = InputText::open(path);
  ASSERT_TRUE(input.ok());
  EXPECT_FALSE(input->next_line());
  ASSERT_FALSE(input->status().ok());
  EXPECT_THAT(input->status().error().text, HasSubstr("line 1 is longer than 16 MiB"));
}

}  // namespace
}  // namespace maxlat::importing
