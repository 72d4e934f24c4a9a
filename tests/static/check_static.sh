#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_static.sh BINARY: one file that can be copied to a target box. It names no interpreter and no library, and, as
# root, it runs in a folder that holds nothing else.
set -eu
binary=$1
[ -x "$binary" ] || { echo "not built: cmake --preset static && cmake --build --preset static"; exit 77; }

fail() { echo "$*"; exit 1; }
readelf -lW "$binary" | grep -q INTERP && fail "it names an interpreter"
readelf -dW "$binary" | grep NEEDED && fail "it needs these libraries"
"$binary" --version | grep -q "linked: statically" || fail "--version does not say that it is static"

if [ "$(id -u)" = 0 ]; then
  box=$(mktemp -d)
  trap 'rm -rf "$box"' EXIT
  cp "$binary" "$box/npt"
  chroot "$box" /npt --help >/dev/null || fail "it does not run alone in a folder"
fi
ls -lh "$binary"
