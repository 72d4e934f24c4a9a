// SPDX-License-Identifier: MIT
//
// The command line of `maxlat npt`: npt 1.01's letters with their meaning, then rt-tests', then ours.
#pragma once

#include <maxlat/core/sys/command.hpp>
#include <maxlat/npt/measure.hpp>
#include <optional>
#include <string>
#include <vector>

#include "load/kernel_trace_spec.hpp"

namespace maxlat::npt {

// The unit of the report, and of the width of its histogram rows.
struct Unit {
  const char* name;
  double ns;
};
inline constexpr Unit kMicroseconds{"us", 1e3}, kNanoseconds{"ns", 1}, kPicoseconds{"ps", 1e-3};

enum class Layout { npt, cyclictest };

struct NptArguments {
  Options measurement;
  Unit unit = kMicroseconds;
  Layout layout = Layout::npt;
  unsigned histogram_rows = 0;                       // -h N: 1 us rows as cyclictest has them; 0: none asked for
  std::string output_file;                           // -o
  std::string histogram_file;                        // --histfile
  std::string raw_file;                              // --raw: FILE.CPU for each CPU
  std::string json_file;                             // "-": stdout, and nothing else goes there
  std::vector<std::string> compared_arms;            // --compare; the first is the base. Empty: none of this
  std::vector<std::string> rated_arms;               // --find-max-rate
  std::optional<KernelTraceSpec> kernel_trace_load;  // --with-load
  unsigned rounds = 0;
  uint64_t seed = 0;
  core::Arguments for_each_process;  // the options that every process of a comparison or of a search gets
  bool rest_given = false;           // else it is what the scheduler demands
  bool quiet = false;
  bool verbose = false;
  enum class Show { run, help, version } show = Show::run;
};

core::Result<NptArguments> parse_arguments(const core::Arguments& arguments);
std::string npt_help();
std::string npt_version();

}  // namespace maxlat::npt
