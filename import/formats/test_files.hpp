// SPDX-License-Identifier: MIT
//
// The files in testdata, and their texts with something changed.
#pragma once

#include <gtest/gtest.h>

#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/import/import_definition.hpp>
#include <string>

namespace maxlat::importing::test {

inline std::string testdata(const std::string& name) {
  const auto text = core::read_file(std::string(MAXLAT_TESTDATA) + "/" + name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// As by `maxlat import`: ftrace's file does not tell its unit.
inline core::Result<core::RunResult> imported(std::string_view text, double unit_ns = 0) {
  InputText input(text);
  return import_run(input, {.unit_ns = unit_ns});
}

// Of every format: a file of it, and whether it is cut off wherever it does not end by itself.
struct Example {
  const char* file;
  const char* format;
  double unit_ns = 0;
  bool has_end = true;
};
inline const Example kExamples[] = {
    {"cyclictest-2.4.json", "cyclictest-json"},
    {"cyclictest-2.4-histfile.txt", "cyclictest"},
    {"cyclictest-2.4-histogram.txt", "cyclictest", 0, false},
    {"cyclictest-2.4-summary.txt", "cyclictest", 0, false},
    {"cyclictest-2.4-verbose.txt", "cyclictest-raw", 0, false},
    {"oslat-2.4.json", "oslat-json"},
    {"oslat-2.4.txt", "oslat"},
    {"oslat-2.4-zero-omit.txt", "oslat"},
    {"hackbench-2.4.txt", "hackbench", 0, false},
    {"hwlatdetect-0.8.txt", "hwlatdetect"},
    {"hwlatdetect-2.4.txt", "hwlatdetect"},
    {"rtla-6.1-osnoise.txt", "rtla-hist"},
    {"rtla-6.1-timerlat.txt", "rtla-hist"},
    {"rtla-osnoise.txt", "rtla-hist"},
    {"rtla-timerlat.txt", "rtla-hist"},
    {"jitterdebugger-0.3.1.json", "jitterdebugger"},
    {"jitterdebugger-0.3.1-nsec.json", "jitterdebugger"},
    {"sysjitter-raw.txt", "sysjitter"},
    {"rteval-summary.xml", "rteval"},
    {"ftrace-6.1-hist-buckets.txt", "ftrace-hist", 1000},
    {"ftrace-6.1-hist-log2.txt", "ftrace-hist", 1000},
};

}  // namespace maxlat::importing::test
