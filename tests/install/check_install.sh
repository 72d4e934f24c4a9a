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

# A defect: after ./validate, which builds maxlat alone, an install ended half-way.
# And the page named a folder nobody made.
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:.*=//p' "$build/CMakeCache.txt")
"$cmake" -S "$source" -B "$prefix/unbuilt" -DMAXLAT_BUILD_TESTS=OFF -DMAXLAT_BUILD_BENCHMARKS=OFF >"$prefix/log" 2>&1 ||
  { cat "$prefix/log"; fail "cmake failed"; }
said=$("$cmake" --install "$prefix/unbuilt" --prefix "$prefix/none" 2>&1) && fail "what was not built was installed"
[[ $said == *"is not built"* ]] || fail "the install of what is not built says: $said"
[ ! -e "$prefix/none" ] || fail "the install of what is not built left files"
page=$source/docs/trace-your-program.md
folder=$(sed -n 's|.*cmake --install build/\([a-z]*\) .*|\1|p' "$page")
grep -q "cmake --preset $folder && cmake --build --preset $folder && cmake --install build/$folder " "$page" ||
  fail "$page installs build/$folder, and does not say how it is made"
"$cmake" --list-presets -S "$source" | grep -q "\"$folder\"" || fail "$page: preset $folder does not exist"
