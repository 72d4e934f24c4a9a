#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_library.sh CMAKE BUILD_FOLDER EXAMPLE: installs the tracer into an empty prefix, builds a program of somebody else's
# against it, and runs it.
set -eu
cmake=$1 build=$2 example=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# Where maxlat is instrumented, so must be who links it.
sanitizer=$(sed -n 's/^MAXLAT_SANITIZE:.*=//p' "$build/CMakeCache.txt")
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:.*=//p' "$build/CMakeCache.txt")

"$cmake" --install "$build" --prefix "$work/usr" --component tracer >"$work/log" || { cat "$work/log"; fail "cmake --install failed"; }
[ -f "$work/usr/include/maxlat/trace/trace.hpp" ] || fail "no headers"
grep -rl "$build\|$(dirname "$example")/../../tracer" "$work/usr/lib" --include='*.cmake' && fail "the package names the build tree"

"$cmake" -S "$example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror ${sanitizer:+-fsanitize=$sanitizer}" >"$work/log" 2>&1 &&
  "$cmake" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the example does not build"; }
said=$("$work/build/trace_hello" 100) || fail "trace_hello: status $?: $said"
echo "$said"
grep -qE '^100 cycles: 1[0-9]{2} events recorded, 0 lost$' <<<"$said" || fail "trace_hello recorded something else"
