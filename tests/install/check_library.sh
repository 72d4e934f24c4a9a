#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_library.sh CMAKE BUILD_FOLDER EXAMPLES TESTS SENSOR_PROGRAM: installs the tracer into an empty prefix, builds programs of somebody else's
# against it, in C++ (trace_hello) and in C (trace_hello_c), runs them, and records both into one trace; then one in Python. Then a
# monitor in C (TESTS/monitor_program.c), of SENSOR_PROGRAM; last the example of sensors: a loop, and monitors of it in C++ and Python.
set -eu
cmake=$1 build=$2 examples=$3 example=$3/trace_hello tests=$4 sensor_program=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# Where maxlat is instrumented, so must be who links it.
sanitizer=$(sed -n 's/^MAXLAT_SANITIZE:.*=//p' "$build/CMakeCache.txt")
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:.*=//p' "$build/CMakeCache.txt")

"$cmake" --install "$build" --prefix "$work/usr" --component tracer >"$work/log" || { cat "$work/log"; fail "cmake --install failed"; }
[ -f "$work/usr/include/maxlat/trace/trace.hpp" ] || fail "no headers"
grep -rl "$build\|$examples/../../tracer" "$work/usr/lib" --include='*.cmake' && fail "the package names the build tree"

# build_example SOURCE FOLDER
build_example() {
  "$cmake" -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror ${sanitizer:+-fsanitize=$sanitizer}" >"$work/log" 2>&1 &&
    "$cmake" --build "$2" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the example $1 does not build"; }
}
build_example "$example" "$work/build"
said=$("$work/build/trace_hello" 100) || fail "trace_hello: status $?: $said"
echo "$said"
grep -qE '^100 cycles: 1[0-9]{2} events recorded, 0 lost$' <<<"$said" || fail "trace_hello recorded something else"

# The C program knows the shared library alone, by pkg-config.
c_compiler=$(sed -n 's/^CMAKE_C_COMPILER:.*=//p' "$build/CMakeCache.txt")
library=$(dirname "$(find "$work/usr" -name 'libmaxlat-trace.so')")
[ -n "$library" ] || fail "no shared library"
pkg=$(PKG_CONFIG_PATH="$library/pkgconfig" pkg-config --cflags --libs maxlat-trace)
# shellcheck disable=SC2086  # the words of pkg-config are words
"$c_compiler" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 ${sanitizer:+-fsanitize=$sanitizer} "$examples/trace_hello_c/trace_hello_c.c" \
  -o "$work/trace_hello_c" $pkg || fail "the C example does not build"
# A defect: neither the C program nor the Python one found the library where no LD_LIBRARY_PATH named it.
unset LD_LIBRARY_PATH MAXLAT_TRACE_LIBRARY
"$MAXLAT" trace record -q -o "$work/trace" -- sh -c "'$work/build/trace_hello' 20 && '$work/trace_hello_c' 20" >/dev/null || fail "record: status $?"
for event in hello:cycle hello_c:cycle; do
  seen=$("$MAXLAT" trace print --json -e "$event" "$work/trace" | wc -l)
  [ "$seen" = 20 ] || fail "$event: $seen events, not 20"
done
if [ -z "$sanitizer" ]; then  # python3 is not instrumented
  mkdir -p "$work/usr/bin" && cp "$MAXLAT" "$work/usr/bin/maxlat"
  PATH=$work/usr/bin:$PATH maxlat trace record -q -o "$work/python" -- python3 "$examples/trace_hello_python/trace_hello.py" 20 \
    >/dev/null || fail "record of Python: status $?"
  seen=$("$MAXLAT" trace print --json -e hello:step "$work/python" | wc -l)
  [ "$seen" = 20 ] || fail "Python: $seen events, not 20"
fi
if command -v babeltrace2 >/dev/null; then
  [ "$(babeltrace2 "$work/trace" | grep -c ':cycle:')" = 40 ] || fail "babeltrace2 does not see 40 cycles"
fi

pkg=$(PKG_CONFIG_PATH="$library/pkgconfig" pkg-config --cflags --libs maxlat-sensors)
# shellcheck disable=SC2086  # the words of pkg-config are words
"$c_compiler" -std=c11 -Wall -Wextra -Werror -O2 ${sanitizer:+-fsanitize=$sanitizer} "$tests/monitor_program.c" \
  -o "$work/monitor_program" $pkg || fail "the monitor in C does not build"
"$tests/monitor_program.sh" "$work/monitor_program" "$sensor_program" || fail "the monitor in C: status $?"

build_example "$examples/sensors" "$work/sensors"
coproc robot { exec "$work/sensors/robot" 100; }
read -r said <&"${robot[0]}"
[ "$said" = "done" ] || fail "robot said: $said"
said=$("$work/sensors/monitor" "$robot_PID") || fail "the monitor in C++: status $?"
for line in 'cycles: 100' 'jitter: 100 values, p99 [0-9]+ ns' 'steps: 10 events are there, 0 overwritten'; do
  grep -qxE "$line" <<<"$said" || fail "the monitor in C++ said: $said"
done
if [ -z "$sanitizer" ]; then
  said=$(PATH=$work/usr/bin:$PATH PYTHONPATH=$examples/../../python PYTHONDONTWRITEBYTECODE=1 \
    python3 "$examples/sensors/monitor.py" "$robot_PID") || fail "the monitor in Python: status $?"
  grep -q "/robot/cycles Counter(count=100)" <<<"$said" || fail "the monitor in Python said: $said"
  grep -q "step {'axis': 0, 'position_mm': 45.0}" <<<"$said" || fail "the monitor in Python said: $said"
fi
kill "$robot_PID"
