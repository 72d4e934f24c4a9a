#!/bin/sh
# SPDX-License-Identifier: MIT
# What DKMS gets is of maxlat's version, and whole: the folders that Kbuild names, and each header of ours that a source
# includes. And dkms.conf names every module that Kbuild builds.
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

for folder in $(grep -o '\.\./[^,]*/' kernel/Kbuild | sort -u); do
  ls "kernel/$folder"*.c > /dev/null || fail "the sources in $folder are not in it"
done
for header in $(grep -rhoE '#include <maxlat/[^>]+' --include='*.[ch]' . | sed 's/.*<//' | sort -u); do
  [ -n "$(find . -path "*/include/$header" -o -path "./tracer/${header#maxlat/}")" ] || fail "$header is not in it"
done
built=$(sed -n 's/^obj-m := //p' kernel/Kbuild | tr ' ' '\n' | sed 's/\.o$//' | sort)
named=$(sed -n 's/^BUILT_MODULE_NAME.*="\(.*\)"/\1/p' dkms.conf | sort)
[ -n "$built" ] && [ "$built" = "$named" ] || fail "Kbuild builds $built, dkms.conf names $named"
