#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_arguments.sh COMPILER INCLUDE_FOLDERS: what MAXLAT_TRACE must refuse when it is compiled, and what it must take.
set -u
compiler=$1 folders=$2
wrong=0
header=trace/probe.hpp

# compiles EXPRESSION [DECLARATIONS]: whether a tracepoint with these arguments does, with no warning option at all. Leaves
# what the compiler says in $errors.
compiles() {
  errors=$("$compiler" -std=c++20 -fsyntax-only ${folders//;/ } -x c++ - 2>&1 <<EOF
#include <maxlat/$header>
#include <string>
MAXLAT_TRACE_EVENT(check, event, (std::uint8_t, a), (double, b), (maxlat::trace::Sequence<int, 4>, c), (maxlat::trace::String<4>, d))
MAXLAT_TRACE_EVENT(check, array, (std::array<int, 2>, a))
enum class State : std::uint8_t { idle, running };
enum Plain { plain };
enum class Bare { bare };
MAXLAT_TRACE_ENUM(State, idle, running,)
MAXLAT_TRACE_ENUM(Plain, plain)
MAXLAT_TRACE_EVENT(check, state, (State, a), (Plain, b), (maxlat::trace::Hex<std::uint8_t>, c))
${2-}
long big; float real; std::array<int, 3> three; int two[2]; std::array<long, 2> longs; std::string text;
void trace() { if (big) $1; else $1; }
EOF
  )
}
# must_refuse DECLARATIONS TEXT: and say this.
must_refuse() {
  compiles ';' "$1" && { echo "compiles: $1"; wrong=1; }
  grep -qF -- "$2" <<<"$errors" || { echo "no word of '$2' with: $1"; wrong=1; }
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
must 'MAXLAT_TRACE(check, state, State::idle, plain, 255)'
must_not 'MAXLAT_TRACE(check, state, 0, plain, 1)'             # no enumerator
must_not 'MAXLAT_TRACE(check, state, State::idle, 0, 1)'
must_not 'MAXLAT_TRACE(check, state, State::idle, plain, big)' # may not fit
must_refuse 'MAXLAT_TRACE_EVENT(check, bare, (Bare, a))' MAXLAT_TRACE_ENUM
must_refuse 'MAXLAT_TRACE_ENUM(Bare)' 'no labels'
must_refuse 'MAXLAT_TRACE_ENUM(Bare, other)' other
must_refuse 'MAXLAT_TRACE_EVENT(check, real, (maxlat::trace::Hex<float>, a))' 'Hex<> is of an integer'
must_refuse 'MAXLAT_TRACE_EVENT(check, text, (maxlat::trace::Hex<maxlat::trace::String<4>>, a))' 'Hex<> is of an integer'
# fields COUNT: so many of them, each with a comma before it.
fields() { for ((i = 0; i < $1; ++i)); do printf ', (int, f%d)' $i; done; }
compiles 'MAXLAT_TRACE(check, array, two)' "MAXLAT_TRACE_EVENT(check, most$(fields 32))" || { echo "32 fields do not compile"; wrong=1; }
for many in 33 64; do must_refuse "MAXLAT_TRACE_EVENT(check, many$(fields $many))" 'at most 32 fields'; done
must_refuse 'MAXLAT_TRACE_EVENT(check, name, (int, a$b))' 'names of fields are of A to Z'

# Lists of events, whose posts take what tracepoints take.
header=sensors/event_list.hpp
# list SLOTS EVENT [NAME]: a list called x, of the event check:EVENT.
list() { echo "maxlat::sensors::EventList<$1, MAXLAT_LISTED_EVENT(check, $2)> x{\"${3-x}\"};"; }
posts() { compiles "$1" "$(list 4 event)"; }
posts 'MAXLAT_POST(x, check, event, 5, real, two, text)' || { echo "does not compile: a post: $errors"; wrong=1; }
posts 'MAXLAT_POST(x, check, event, big, 1.0, two, "")' && { echo "compiles: a post that narrows"; wrong=1; }
posts 'MAXLAT_POST(x, check, event, 1, 1.0, two)' && { echo "compiles: a post with a field too few"; wrong=1; }
posts 'MAXLAT_POST(x, check, array, two)' && { echo "compiles: a post of an event that the list does not have"; wrong=1; }
grep -qF 'this list has no events of that type' <<<"$errors" || { echo "no word of the list's types: $errors"; wrong=1; }
must_refuse "$(list 3 event)" 'slots: a power of two'
must_refuse "MAXLAT_TRACE_EVENT(check, big, (char[4065], a)) $(list 4 big)" 'an event of the list is too large'
must_refuse "MAXLAT_TRACE_EVENT(check, name, (int, $(printf 'a%.0s' {1..40}))) $(list 4 name)" 'a name has at most 39 letters'
must_refuse "MAXLAT_TRACE_EVENT(check, \$name, (int, a)) $(list 4 '$name')" 'a name has at most 39 letters, of'
exit $wrong
