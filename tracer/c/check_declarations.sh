#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_declarations.sh C_COMPILER CXX_COMPILER INCLUDE_FOLDER: what MAXLAT_C_EVENT must refuse when it is compiled, as C11
# and as C++17, and what it must take.
set -u
folder=$3
wrong=0
as_c() { "$1" -std=c11 -x c "${@:2}"; }
as_cpp() { "$1" -std=c++17 -x c++ "${@:2}"; }

# compiles LANGUAGE COMPILER DECLARATION: leaves what the compiler says in $errors.
compiles() {
  errors=$("as_$1" "$2" -fsyntax-only -I"$folder" - 2>&1 <<EOF
#include <maxlat/trace.h>
enum state { idle };
$3
EOF
  )
}
each_language() { "$1" c "$compiler_c" "${@:2}"; "$1" cpp "$compiler_cpp" "${@:2}"; }
compiler_c=$1 compiler_cpp=$2

takes() { compiles "$1" "$2" "$3" || { echo "does not compile as $1: $3"; wrong=1; }; }
# refuses LANGUAGE COMPILER DECLARATION TEXT: and says this.
refuses() {
  compiles "$1" "$2" "$3" && { echo "compiles as $1: $3"; wrong=1; }
  grep -qF -- "$4" <<<"$errors" || { echo "no word of '$4' as $1 with: $3"; wrong=1; }
}
must() { each_language takes "$1"; }
must_refuse() { each_language refuses "$1" "$2"; }

# fields COUNT: so many of them, each with a comma before it.
fields() { for ((i = 0; i < $1; ++i)); do printf ', scalar(int, f%d)' $i; done; }

must 'MAXLAT_C_EVENT(c, e)'
must 'MAXLAT_C_EVENT(c, e, text(t, 65535), array(int, a, 65535), sequence(double, s, 1), hex(bool, h), scalar(enum state, x))'
must 'MAXLAT_C_EVENT_LEVEL(c, e, MAXLAT_TRACE_DEBUG, scalar(float, x))'
must "MAXLAT_C_EVENT(c, e$(fields 32))"
for many in 33 34 64; do must_refuse "MAXLAT_C_EVENT(c, e$(fields $many))" 'at most 32 fields'; done
must_refuse 'MAXLAT_C_EVENT_LEVEL(c, e, 8)' 'a level is 0 to 7'
must_refuse 'MAXLAT_C_EVENT_LEVEL(c, e, -1)' 'a level is 0 to 7'
for kind in 'scalar(%s, x)' 'hex(%s, x)' 'array(%s, x, 2)' 'sequence(%s, x, 2)'; do
  for type in 'long double' '__int128'; do
    # shellcheck disable=SC2059
    must_refuse "MAXLAT_C_EVENT(c, e, $(printf "$kind" "$type"))" '1, 2, 4 or 8 bytes'
  done
done
must_refuse 'MAXLAT_C_EVENT(c, e, hex(double, x))' 'hex is of an integer'
for count in 0 65536 -1; do
  must_refuse "MAXLAT_C_EVENT(c, e, text(x, $count))" '1 to 65535'
  must_refuse "MAXLAT_C_EVENT(c, e, array(int, x, $count))" '1 to 65535'
  must_refuse "MAXLAT_C_EVENT(c, e, sequence(int, x, $count))" '1 to 65535'
done
exit $wrong
