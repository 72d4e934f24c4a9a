#!/bin/sh
# `maxlat hwlat` with the real module: it is the first back end, named everywhere, finds planted SMIs and NMIs to 100 ns and
# blames firmware for the SMIs alone; whatever stands in its way has a line of its own and the next back end; a front end
# that is killed leaves nothing running.
# guest-mode: exact
# guest-kernels: rt-backports
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_planter
module="$MODULES/maxlat_hwlat.ko"
status_of() { status=0; "$@" > "$OUT/last.txt" 2>&1 || status=$?; cat "$OUT/last.txt"; }
says() { grep -q "$1" "$OUT/last.txt" || fail "expected: $1"; }
watch() { # NAME OPTIONS...: a measurement in the background, from the moment on that it samples
  name=$1; shift
  "$MAXLAT" hwlat "$@" --json "$OUT/$name.json" > "$OUT/$name.txt" 2>&1 &
  front_end=$!
  until pidof maxlat_hwlat/0 > /dev/null; do kill -0 $front_end || fail "$(cat "$OUT/$name.txt")"; usleep 1000; done
}
max_of() { sed -n 's/.*"max_ns": \([0-9]*\).*/\1/p' "$OUT/$1.json" | sort -n | tail -1; }

# without the module
status_of "$MAXLAT" hwlat --backend module -D 1s
expect "exit status without the module" $status -eq 77
says "module maxlat_hwlat is not loaded"
status_of "$MAXLAT" hwlat -D 1s --window 200ms -q --json "$OUT/auto.json"
expect "the next back end takes over" $status -eq 0
grep -q '"back end": "kernel hwlat tracer"' "$OUT/auto.json" || fail "it is not named"
grep -q '"back end chosen because": "the module maxlat_hwlat is not loaded"' "$OUT/auto.json" || fail "nobody says why"
head -c 4096 /dev/urandom > /tmp/noise.ko
status_of "$MAXLAT" hwlat --load /tmp/noise.ko -D 1s
expect "exit status for a module that is none" $status -eq 77
says "is not the module maxlat_hwlat"

# loaded for one run
status_of "$MAXLAT" hwlat --load "$module" -D 200ms
expect "exit status with --load" $status -eq 0
says "^Back end: kernel module maxlat_hwlat"
must_fail grep -q maxlat_hwlat /proc/modules

# planted SMIs
load maxlat_hwlat
watch smi -D 1s --window 100ms --width 98ms
plant smi 205000000 20000000 100000 10
wait $front_end
cat "$OUT/smi.txt"
expect "SMIs found as firmware" "$(grep -c '"cause":"firmware: 1 SMI in it"' "$OUT/smi.json")" -eq 10
expect "largest, ns" "$(max_of smi)" -ge 100000
expect "largest, ns" "$(max_of smi)" -le 100100
grep -q '"back end": "kernel module maxlat_hwlat"' "$OUT/smi.json" || fail "the result does not name its back end"
exposure=$(sed -n 's/.*"exposure_s": \([0-9.]*\).*/\1/p' "$OUT/smi.json" | head -1)
# (Linux 7.3 takes longer to start the thread, and so it misses the first of ten.)
windows=$(sed -n 's/.*"windows of CPU 0": "\([0-9]*\) watched.*/\1/p' "$OUT/smi.json")
expect "windows of 100 ms in 1 s" "${windows:-0}" -ge 9
expect "exposure in them, in the densest setting, permille" "$(awk "BEGIN { print int($exposure * 10000 / $windows) }")" -ge 975

# an NMI, an interrupt storm
watch nmi -D 500ms --window 100ms --width 90ms
plant nmi 20000000 50000
wait $front_end
expect "the NMI found as one" "$(grep -c '"cause":"NMI: 1 in it"' "$OUT/nmi.json")" -eq 1
must_fail grep -q '"cause":"firmware' "$OUT/nmi.json"
watch storm -D 500ms --window 100ms --width 90ms --threshold 20us
plant stall 10000000 1000000 100000 100
wait $front_end
expect "gaps in a storm of timer interrupts that interrupts off holds off" "$(grep -c '"cause"' "$OUT/storm.json")" -eq 0

# limits, and the end at a gap
watch limit -D 500ms --window 100ms --width 90ms --hardlimit 50us
plant smi 15000000 33000000 100000 3
status=0; wait $front_end || status=$?
expect "exit status above the hard limit" $status -eq 2
watch stop -D 60s --window 100ms --width 90ms --stop 50us
plant smi 15000000 33000000 100000 3
wait $front_end
grep -q '"ended by"' "$OUT/stop.json" || fail "it did not end at the gap"
for mode in round-robin stop-machine; do
  status_of "$MAXLAT" hwlat --mode $mode -D 300ms --window 50ms --width 20ms
  expect "exit status of mode $mode" $status -eq 0
done
status_of "$MAXLAT" hwlat --window 10ms --width 10ms
expect "exit status of a width as long as the window" $status -eq 1
says "99 % of --window"

# one owner
watch owner -D 60s
status_of "$MAXLAT" hwlat --backend module -D 1s
expect "exit status of a second owner" $status -eq 77
says "one owner at a time"
kill -9 $front_end
wait $front_end || true
expect "sampling threads left behind by a killed front end" "$(ps | grep -c '[m]axlat_hwlat/')" -eq 0
watch term -D 60s
usleep 300000
kill -TERM $front_end
wait $front_end
grep -q '"status": "interrupted"' "$OUT/term.json" || fail "a stopped run keeps what it has"
rmmod maxlat_hwlat
