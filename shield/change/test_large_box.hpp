// SPDX-License-Identifier: MIT
//
// For tests and benchmarks: a box on paper of many CPUs and many threads, of which the upper half is to be shielded.
#pragma once

#include "test_surface.hpp"

namespace maxlat::shield {

struct LargeBox {
  LargeBox(unsigned cpus, int tasks) : fake(Hierarchy::v2) {
    const std::string all = fmt::format("0-{}", cpus - 1);
    for (const char* file : {"online", "possible"})
      fake.file(fmt::format("/sys/devices/system/cpu/{}", file), all + "\n");
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/", cpu);
      fake.file(folder + "cpufreq/scaling_governor", "powersave\n");
      for (int state = 0; state < 4; ++state) {
        fake.file(fmt::format("{}cpuidle/state{}/latency", folder, state), fmt::format("{}\n", state * 40));
        fake.file(fmt::format("{}cpuidle/state{}/disable", folder, state), "0\n");
      }
      fake.file(fmt::format("/proc/irq/{}/smp_affinity_list", 100 + cpu), all + "\n");
    }
    for (int task = 1000; task < 1000 + tasks; ++task) fake.thread(task, task, "worker", all, 0, 1);
    for (unsigned cpu = 0; cpu < cpus; ++cpu) (cpu < cpus / 2 ? housekeeping : shielded).push_back(cpu);
  }
  core::MachineView view() const { return fake.view(shielded, housekeeping); }
  FakeBox fake;
  core::CpuList shielded, housekeeping;
};

}  // namespace maxlat::shield
