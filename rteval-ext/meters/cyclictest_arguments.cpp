// SPDX-License-Identifier: MIT
#include "cyclictest_arguments.hpp"

#include <fmt/core.h>
#include <getopt.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace maxlat::rteval_ext {

namespace {

// Those of rt-tests 2.4, and --deepest-idle-state of newer ones. A long option that has no letter gets a number beyond
// the letters.
constexpr const char* kLetters = "a::A::b:c:d:D:F:h:H:i:l:MNo:p:mqrRsSt::uvx";
constexpr std::array<option, 42> kOptions{{{"affinity", optional_argument, nullptr, 'a'},
                                           {"aligned", optional_argument, nullptr, 'A'},
                                           {"breaktrace", required_argument, nullptr, 'b'},
                                           {"clock", required_argument, nullptr, 'c'},
                                           {"dbg_cyclictest", no_argument, nullptr, 256},
                                           {"deepest-idle-state", required_argument, nullptr, 257},
                                           {"default-system", no_argument, nullptr, 258},
                                           {"distance", required_argument, nullptr, 'd'},
                                           {"duration", required_argument, nullptr, 'D'},
                                           {"fifo", required_argument, nullptr, 'F'},
                                           {"help", no_argument, nullptr, 259},
                                           {"histfile", required_argument, nullptr, 260},
                                           {"histofall", required_argument, nullptr, 'H'},
                                           {"histogram", required_argument, nullptr, 'h'},
                                           {"interval", required_argument, nullptr, 'i'},
                                           {"json", required_argument, nullptr, 261},
                                           {"laptop", no_argument, nullptr, 262},
                                           {"latency", required_argument, nullptr, 263},
                                           {"loops", required_argument, nullptr, 'l'},
                                           {"mainaffinity", required_argument, nullptr, 264},
                                           {"mlockall", no_argument, nullptr, 'm'},
                                           {"nsecs", no_argument, nullptr, 'N'},
                                           {"oscope", required_argument, nullptr, 'o'},
                                           {"policy", required_argument, nullptr, 265},
                                           {"posix_timers", no_argument, nullptr, 'x'},
                                           {"priority", required_argument, nullptr, 'p'},
                                           {"priospread", no_argument, nullptr, 266},
                                           {"quiet", no_argument, nullptr, 'q'},
                                           {"refresh_on_max", no_argument, nullptr, 'M'},
                                           {"relative", no_argument, nullptr, 'r'},
                                           {"resolution", no_argument, nullptr, 'R'},
                                           {"secaligned", optional_argument, nullptr, 267},
                                           {"smi", no_argument, nullptr, 268},
                                           {"smp", no_argument, nullptr, 'S'},
                                           {"spike", required_argument, nullptr, 269},
                                           {"spike-nodes", required_argument, nullptr, 270},
                                           {"system", no_argument, nullptr, 's'},
                                           {"threads", optional_argument, nullptr, 't'},
                                           {"tracemark", no_argument, nullptr, 271},
                                           {"unbuffered", no_argument, nullptr, 'u'},
                                           {"verbose", no_argument, nullptr, 'v'},
                                           {nullptr, 0, nullptr, 0}}};

// They change what is measured, and neither how often nor in which unit nor for how long. Not among them: -r and -s,
// which wait an interval after each wake-up, so that a cycle is longer than its interval, and -x, whose latencies are
// negative ones in rt-tests 2.4.
constexpr std::array<std::string_view, 8> kAllowed{"aligned", "clock",   "default-system", "deepest-idle-state",
                                                   "laptop",  "latency", "mainaffinity",   "secaligned"};

}  // namespace

std::string refused_cyclictest_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;  // getopt_long() wants them writable
  words.insert(words.begin(), "cyclictest");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  opterr = 0;
  optind = 0;  // from the beginning, whoever used it before
  while (true) {
    const int at = std::max(optind, 1);
    const int found = ::getopt_long(static_cast<int>(words.size()), argv.data(), kLetters, kOptions.data(), nullptr);
    if (found == -1) return {};
    if (found == '?')
      return fmt::format("'{}' is no option of cyclictest, or lacks its value", argv[static_cast<size_t>(at)]);
    const auto known = std::find_if(kOptions.begin(), kOptions.end(), [&](const option& o) { return o.val == found; });
    if (std::find(kAllowed.begin(), kAllowed.end(), known->name) != kAllowed.end()) continue;
    std::string allowed;
    for (const std::string_view name : kAllowed) allowed += fmt::format("{}--{}", allowed.empty() ? "" : ", ", name);
    return fmt::format("cyclictest's --{} is not for a plan, only {} are: the figures would mean something else",
                       known->name, allowed);
  }
}

}  // namespace maxlat::rteval_ext
