#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_validate.sh SOURCE: what cannot be built is not measured, and not taken for built. In a copy, with programs that
# stand for cmake and ctest; a log that cannot be opened is a folder here, since root may open every file.
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

mkdir -p "$folder/scripts" "$folder/bin" "$folder/build/validate/cli" "$folder/build/try"
cp "$source/validate" "$folder/"
cp "$source/scripts/try-build" "$folder/scripts/"
printf '#!/bin/sh\n' >"$folder/scripts/install-packages"
printf '#!/bin/sh\necho an old binary ran in "$PWD"; printf "<%%s>" "$@"\n' >"$folder/build/validate/cli/maxlat"
for name in cmake ctest; do printf '#!/bin/sh\necho "%s $*"\n' "$name" >"$folder/bin/$name"; done
chmod +x "$folder"/*/* "$folder/build/validate/cli/maxlat"
export PATH=$folder/bin:$PATH
cd "$folder"

said=$(./validate 2>&1) || fail "validate fails where the build does not: $said"
grep -q 'an old binary ran' <<<"$said" || fail "validate did not run the binary: $said"

# Its options are those of `maxlat run`, and a file that they name is looked for where the user stands.
mkdir elsewhere
said=$(cd elsewhere && ../validate --gate box.toml --label 'box 17' 2>&1) || fail "validate with a gate fails: $said"
grep -q "ran in $folder/elsewhere$" <<<"$said" || fail "validate does not measure where the user stands: $said"
grep -q '^<run><--output><.*><--gate><box.toml><--label><box 17>$' <<<"$said" ||
  fail "validate does not hand its options on: $said"
printf '#!/bin/sh\nexit 2\n' >build/validate/cli/maxlat
status=0
./validate >/dev/null 2>&1 || status=$?
[ "$status" = 2 ] || fail "of a run that exceeds a limit validate ends with $status"

printf '#!/bin/sh\necho broken\nexit 1\n' >bin/cmake
said=$(./validate 2>&1) && fail "a build that failed: validate went on: $said"
grep -q '^broken$' <<<"$said" || fail "validate does not show the end of the log: $said"

# A defect: a build whose log could not be opened counted as done, and validate ran the binary of another day.
rm build/validate/build.log
mkdir build/validate/build.log build/try/build.log
said=$(./validate 2>&1) && fail "no log, no build, and validate went on: $said"
grep -q 'cannot write .*build.log: nothing was built' <<<"$said" || fail "validate does not say why: $said"
said=$(scripts/try-build 2>&1) && fail "no log, no build, and try-build went on: $said"

# A test that the machine was in the way of is named: a second run that passed hid which one it was.
rmdir build/try/build.log
printf '#!/bin/sh\n' >bin/cmake
cat >bin/ctest <<'SAID'
#!/bin/sh
echo '1/3 Test #1: core.Slow ........................***Failed    0.33 sec'
echo '    Test #1: core.Slow ........................   Passed    0.20 sec'
echo '2/3 Test #2: core.NotHere .....................***Skipped   0.20 sec'
echo '100% tests passed, 0 tests failed out of 3'
SAID
said=$(scripts/try-build 2>&1) || fail "a test that passes when it is run again: try-build fails: $said"
grep -q '^try-build: passed only when they were run again: core.Slow $' <<<"$said" || fail "try-build does not name it: $said"
printf '#!/bin/sh\nexit 8\n' >bin/ctest
said=$(scripts/try-build 2>&1) && fail "tests that fail: try-build does not: $said"

# Wherever a list of commands has its output in a file, a "!" before it hides that the file could not be opened.
grep -nE '^ *if ! \{' "$source/validate" "$source/check-all" "$source"/scripts/* && fail "use: if { ...; } >log; then :; else"
exit 0
