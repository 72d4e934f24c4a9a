// SPDX-License-Identifier: MIT
// What module_program.cpp loads: an event of its own, and one of a header that both have.
#include "session/test_module.hpp"

MAXLAT_TRACE_EVENT(module, own, (int, n))

extern "C" void trace_in_module(int n) {
  MAXLAT_TRACE(module, own, n);
  MAXLAT_TRACE(module, shared, n);
}
