// SPDX-License-Identifier: MIT
//
// LTTng-UST with another clock, in the same run. A process has one clock, chosen when liblttng-ust comes up, and so
// have its session daemon and its buffers. So this program is started once more, with LTTNG_UST_CLOCK_PLUGIN and a
// daemon of its own that has it too, and works for us: an order through a pipe, the ticks of it back. It is pinned to
// our CPU and we wait meanwhile, so its arms take their turns among ours, in every round, in the same random order, and
// are measured by the same code. What differs: a process switch before each turn, which the 16 events before the
// samples, or the 20 000 of a batch, outweigh.
#pragma once

#include <sys/types.h>

#include <string>

#include "work.hpp"

namespace maxlat::bench {

class SecondProcess {
 public:
  // `lttng_home` is where its daemon is. Ends the program when it cannot be started.
  SecondProcess(const std::string& lttng_home, const std::string& clock_plugin, int cpu);
  ~SecondProcess();
  SecondProcess(const SecondProcess&) = delete;
  SecondProcess& operator=(const SecondProcess&) = delete;

  // `arm` of lttng_arms().
  Ticks perform(std::uint32_t arm, std::uint32_t fields, Work work, std::uint32_t samples);

 private:
  pid_t pid_ = -1;
  int orders_ = -1, ticks_ = -1;
};

// The other end, main() of the second process: until its standard input ends.
int serve(int cpu);

}  // namespace maxlat::bench
