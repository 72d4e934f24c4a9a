#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_install.sh CMAKE BUILD_FOLDER: installs into an empty prefix, and into a DESTDIR, and runs what lies there.
set -eu
cmake=$1 build=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
fail() { echo "$*"; exit 1; }

"$cmake" --install "$build" --prefix "$prefix/usr" >"$prefix/log" || { cat "$prefix/log"; fail "cmake --install failed"; }
"$prefix/usr/bin/maxlat" --version | grep -q '^maxlat ' || fail "the installed maxlat does not run"
for name in npt hwlat; do
  [ "$(readlink "$prefix/usr/bin/$name")" = maxlat ] || fail "$name is not a link to the maxlat beside it"
  # By its name alone it is the subcommand: so its help is the subcommand's.
  [ "$("$prefix/usr/bin/$name" --help)" = "$("$prefix/usr/bin/maxlat" "$name" --help)" ] || fail "$name is not maxlat $name"
done
for page in maxlat maxlat-npt; do
  [ -f "$prefix/usr/share/man/man1/$page.1" ] || fail "no man page $page.1"
done

"$cmake" --install "$build" --prefix "$prefix/usr" >/dev/null || fail "installing a second time failed"
DESTDIR=$prefix/dest "$cmake" --install "$build" --prefix /usr >/dev/null || fail "DESTDIR failed"
[ -x "$prefix/dest/usr/bin/npt" ] || fail "DESTDIR lacks the link npt"
