#!/bin/bash
# SPDX-License-Identifier: MIT
#
# check_check_all.sh SOURCE: check-all counts what its tests say, and stops a change where it must. In a copy, with
# programs that stand for cmake and ctest: said/PART is what ctest says of a part, said/PART.again what it says when what
# failed is run again, said/PART.known how many there are, and said/broken names the presets that do not build.
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/scripts" "$folder/bin" "$folder/docs" "$folder/tests"
cp "$source/check-all" "$folder/"
cd "$folder"

cat >bin/ctest <<'STUB'
#!/bin/bash
case " $* " in
  *" build/release/tracer "*) part=models ;;
  *" build/release/tests/guest "*) part=guests ;;
  *" asan "*) part=asan ;;
  *" tsan "*) part=tsan ;;
  *) part=release ;;
esac
case " $* " in
  *" -N "*) cat said/$part.known 2>/dev/null || sed -n 's/.*out of \([0-9]*\)$/Total Tests: \1/p' said/$part ;;
  *" --rerun-failed "*) cat said/$part.again ;;
  *) echo "$part" >>said/run; cat said/$part ;;
esac
STUB
printf '#!/bin/bash\n! grep -qx "$2" said/broken\n' >bin/cmake
printf '#!/bin/sh\n' >scripts/install-packages
printf '#!/bin/sh\ncat said/debian-13; exit "$(cat said/debian-13.status)"\n' >scripts/try-debian
printf '#!/bin/sh\necho "no qemu here"; exit 77\n' >scripts/try-aarch64
chmod +x bin/* scripts/*
export PATH=$folder/bin:$PATH

cat >docs/testing.md <<'TABLE'
| part | seconds |
|---|---:|
| `release:unit` | 11 |
| `release:model` | 500 |
| `tsan-build` | 100 |
| `tsan-tests` | 100 |
| `debian-13` | 100 |
| `aarch64` | 100 |
TABLE
cat >tests/known-skips.txt <<'SKIPS'
release allowed.everywhere
asan allowed.in_asan
SKIPS

part() {  # NAME FAILED TOTAL LABEL SECONDS
  printf '%s%% tests passed, %s tests failed out of %s\n\nLabel Time Summary:\n%s    =  %s.60 sec*proc (%s tests)\n\n' \
    "$((100 * ($3 - $2) / $3))" "$2" "$3" "$4" "$5" "$3" >"said/$1"
}
all_pass() {
  rm -rf said build
  mkdir said
  : >said/broken
  part release 0 10 unit 12
  part models 0 2 model 7
  part guests 0 3 guest 1
  part asan 0 5 unit 1
  part tsan 0 5 unit 1
  echo '100% tests passed, 0 tests failed out of 4' >said/debian-13
  echo 0 >said/debian-13.status
}
failures=0
expect() {  # STATUS WHAT PATTERN... : of ./check-all [OPTION...]; a pattern that begins with "!" must not be there
  local wanted=$1 what=$2 said status=0 pattern
  shift 2
  said=$(./check-all "${options[@]}" 2>&1) || status=$?
  local right=yes
  [ "$status" = "$wanted" ] || right="exit status $status, and not $wanted"
  for pattern in "$@"; do
    if [ "${pattern#!}" != "$pattern" ]; then
      ! grep -qE -e "${pattern#!}" <<<"$said" || right="says ${pattern#!}"
    else
      grep -qE -e "$pattern" <<<"$said" || right="does not say $pattern"
    fi
  done
  [ "$right" = yes ] && { echo "ok - $what"; return; }
  failures=$((failures + 1))
  printf 'not ok - %s: %s\n%s\n' "$what" "$right" "$said"
}

options=()
all_pass
expect 0 "all of it passes, and the parts are counted together" '^100% tests passed, 0 tests failed out of 29$' \
  '^check-all: left out: aarch64: no qemu here$'
expect 0 "each part and label stands beside its budget, and what takes longer is named" '^release:unit +12 +11  over$' \
  '^release:model +7 +500$' '^asan:unit +1 +-$' '^tsan-build +[0-9]+ +100$' '^all +[0-9]+ +-$'

not_run() { printf 'The following tests did not run:\n\t  7 - %s (Skipped)\n' "$2" >>"said/$1"; }
all_pass
not_run release allowed.everywhere
not_run asan allowed.in_asan
expect 0 "a skip that is known is none" '^100% tests passed'
not_run release allowed.in_asan
expect 1 "a skip that is known of another preset is a failure" 'release: skipped, and not in tests/known-skips.txt: allowed.in_asan' \
  '^100% tests passed, 0 tests failed out of 29$'
all_pass
not_run guests allowed.everywhere.else
expect 1 "no name stands for another that begins so" 'skipped, and not in tests/known-skips.txt: allowed.everywhere.else'

fails() {  # PART FAILED TOTAL TEST
  part "$1" "$2" "$3" unit 1
  printf 'The following tests FAILED:\n\t  3 - %s (Failed)\n' "$4" >>"said/$1"
}
all_pass
fails release 1 10 slow.test
echo '100% tests passed, 0 tests failed out of 1' >said/release.again
expect 0 "what passes when it is run again is named, and stops nothing" \
  '^check-all: release: 1 of these passed only when they were run again: slow.test' '^100% tests passed, 0 tests failed out of 29$'
echo '0% tests passed, 1 tests failed out of 1' >said/release.again
expect 1 "what fails twice has failed" '^96% tests passed, 1 tests failed out of 29$' '!passed only when'
all_pass
fails asan 1 5 overrun.test
echo '==7==ERROR: AddressSanitizer: heap-buffer-overflow' >>said/asan
echo '100% tests passed, 0 tests failed out of 1' >said/asan.again
expect 1 "a sanitizer's report stands, whatever a second run says" '1 tests failed out of 29$' '!passed only when'

all_pass
echo 'Start 1: x' >said/tsan
expect 1 "a ctest that does not come to its end is no success" 'tsan: ctest .* did not come to its end'
all_pass
echo 'Total Tests: 11' >said/release.known
expect 1 "fewer tests than there are is no success" 'release: 10 of 11 tests were run'
all_pass
echo asan >said/broken
expect 1 "what does not build is no success, and the rest is run all the same" 'asan: does not build' '^tsan:unit' 'out of 24$'
all_pass
echo 1 >said/debian-13.status
expect 1 "another system that fails is no success" 'debian-13: see build/check-all/debian-13.log'
all_pass
echo 'try-build: passed only when they were run again: base.Clock' >>said/debian-13
expect 0 "what passed in a second run elsewhere is named, too" 'check-all: debian-13: .*run again: base.Clock'

options=(--within 550)
all_pass
expect 0 "too little time for ThreadSanitizer: it is left out and named, and other systems are not" \
  '^check-all: left out: tsan: [0-9]+ of 550 s have passed, and it may take 600 s$' '!left out: debian' '!^tsan' 'out of 24$'
options=(--within 100)
expect 0 "and no time for anything else" 'left out: tsan: ' 'left out: debian-13: ' 'left out: aarch64: ' 'out of 20$'
options=(--within 1000)
sed -i '/^| `tsan-build`/a | `packages` | 1 |' docs/testing.md
printf '#!/bin/sh\nsleep 4\n' >scripts/install-packages
expect 0 "on a machine four times as slow that is too little, too" 'left out: tsan: [0-9]+ of 1000 s' 'left out: debian-13: '
printf '#!/bin/sh\n' >scripts/install-packages
options=(--fast)
all_pass
expect 0 "--fast is release alone" 'out of 12$' '!^asan' '!^debian'
! grep -qE 'guests|asan|tsan' said/run || { echo "not ok - --fast ran more"; failures=$((failures + 1)); }
options=(--slow)
expect 1 "an option that is none" '^usage: ./check-all'
exit $((failures > 0))
