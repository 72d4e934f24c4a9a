#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_arguments.sh COMPILER INCLUDE_FOLDERS: what MAXLAT_TRACE must refuse when it is compiled, and what it must take.
set -u
compiler=$1 folders=$2
wrong=0

# compiles "EXPRESSION": whether a tracepoint with these arguments does, with no warning option at all.
compiles() {
  "$compiler" -std=c++20 -fsyntax-only ${folders//;/ } -x c++ - 2>/dev/null <<EOF
#include <maxlat/trace/probe.hpp>
#include <string>
MAXLAT_TRACE_EVENT(check, event, (std::uint8_t, a), (double, b), (maxlat::trace::Sequence<int, 4>, c), (maxlat::trace::String<4>, d))
MAXLAT_TRACE_EVENT(check, array, (std::array<int, 2>, a))
long big; float real; std::array<int, 3> three; int two[2]; std::array<long, 2> longs; std::string text;
void trace() { if (big) $1; else $1; }
EOF
}
must() { compiles "$1" || { echo "does not compile: $1"; wrong=1; }; }
must_not() { compiles "$1" && { echo "compiles: $1"; wrong=1; }; }

must 'MAXLAT_TRACE(check, event, 5, real, two, text)'
must 'MAXLAT_TRACE(check, event, 255, 1.0, three, "text")'
must 'MAXLAT_TRACE(check, array, two)'
must_not 'MAXLAT_TRACE(check, event, big, 1.0, two, "")'       # may not fit
must_not 'MAXLAT_TRACE(check, event, 256, 1.0, two, "")'       # does not fit
must_not 'MAXLAT_TRACE(check, event, 1.5, 1.0, two, "")'       # not whole
must_not 'MAXLAT_TRACE(check, event, 1, big, two, "")'         # long to double
must_not 'MAXLAT_TRACE(check, event, 1, 1.0, longs, "")'       # elements of another type
must_not 'MAXLAT_TRACE(check, event, 1, 1.0, two)'             # too few
must_not 'MAXLAT_TRACE(check, event, 1, 1.0, two, "", 1)'      # too many
must_not 'MAXLAT_TRACE(check, event)'
must_not 'MAXLAT_TRACE(check, array, three)'                   # another length
must_not 'MAXLAT_TRACE(check, unknown)'
exit $wrong
