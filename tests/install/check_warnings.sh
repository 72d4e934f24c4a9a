#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_warnings.sh CMAKE SOURCE: a warning of a compiler that we never saw does not keep a user from building, whatever
# the build type; where warnings shall be errors, they are. One small room is built as a user would, with a compiler that
# warns of what ours does not (-Wpadded stands for it).
set -eu
cmake=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

configured() {  # CMAKE-OPTION...: a Release build, as a user makes it; prints how many of the compiler's commands have -Werror
  "$cmake" -G Ninja -S "$source" -B "$folder/build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS=-Wpadded -DMAXLAT_BUILD_TESTS=OFF -DMAXLAT_BUILD_BENCHMARKS=OFF "$@" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; fail "cmake fails with $*"; }
  grep -c -- '"command":.* -Werror' "$folder/build/compile_commands.json" || true
}
builds() { "$cmake" --build "$folder/build" --target maxlat_base >"$folder/log" 2>&1; }  # its warnings in the log

[ "$(configured)" = 0 ] || fail "a Release build makes warnings errors"
builds || { tail "$folder/log"; fail "a warning keeps a Release build from success"; }
grep -q 'warning:.*\[-Wpadded\]' "$folder/log" || fail "the build had no warning: it shows nothing"

rm -rf "$folder/build"
[ "$(configured -DMAXLAT_WARNINGS_AS_ERRORS=ON)" -gt 0 ] || fail "MAXLAT_WARNINGS_AS_ERRORS does nothing"
! builds || fail "a warning is no error with MAXLAT_WARNINGS_AS_ERRORS"
