// SPDX-License-Identifier: MIT
// guest_steps FILE: traces an event every millisecond until FILE is there, and says "stepped" when there are some. For
// who records a program and the kernel.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <maxlat/trace/control.hpp>
#include <maxlat/trace/probe.hpp>

#include "or_fail.hpp"

MAXLAT_TRACE_EVENT(guest, step, (std::uint64_t, n))

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  must(maxlat::trace::open_control());
  for (std::uint64_t n = 1; access(argv[1], F_OK) != 0; ++n) {
    MAXLAT_TRACE(guest, step, n);
    if (n == 10) std::puts("stepped");
    std::fflush(stdout);
    usleep(1000);
  }
  return 0;
}
