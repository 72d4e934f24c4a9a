#!/bin/sh
# SPDX-License-Identifier: MIT
# What DKMS gets is of maxlat's version, and whole: every header of ours that a source in it includes is in it.
# usage: dkms_tree.sh FOLDER-OF-MODULES
set -eu
fail() { echo "FAIL: $*"; exit 1; }
command -v make > /dev/null || { echo "skipped: no make"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$MAXLAT" --version | sed -n '1s/^maxlat //p')
make -s -C "$1" dkms-tree DESTDIR="$work"
cd "$work/usr/src/maxlat-$version" || fail "it is not in maxlat-$version but in $(ls "$work/usr/src")"
grep -qx "PACKAGE_VERSION=\"$version\"" dkms.conf || fail "dkms.conf has another version than $version"

headers=$(grep -rhoE '#include <maxlat/[^>]+' --include='*.[ch]' . | sed 's/.*<//' | sort -u)
[ -n "$headers" ] || fail "no source includes a header of ours"
for header in $headers; do
  [ -n "$(find . -path "*/include/$header")" ] || fail "$header is not in it"
done
