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

# It has no libbabeltrace2, and says so of a trace that is not ours.
other=$(mktemp -d)
trap 'rm -rf "${box-}" "$other"' EXIT
printf '/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\n' >"$other/metadata"
status=0
said=$("$binary" trace print "$other" 2>&1) || status=$?
[ $status = 77 ] || fail "a trace of others ends with $status: $said"
echo "$said" | grep -q "has no libbabeltrace2" || fail "of a trace of others it says: $said"

# Nor has it PostgreSQL; SQLite it has.
status=0
said=$("$binary" report --series --text --store postgresql://nobody@localhost/none 2>&1) || status=$?
[ $status = 77 ] || fail "a store at PostgreSQL ends with $status: $said"
echo "$said" | grep -q "has no PostgreSQL" || fail "of a store at PostgreSQL it says: $said"
good=$(dirname "$0")/../../docs/examples/gate/good
"$binary" report --series --text --store "$other/index" "$good" >/dev/null || fail "it makes no index"
ls -lh "$binary"
