#!/bin/sh
# The modules on Debian's standard kernel: they build, load, sample, grant, survive an abuse of a grant, and unload.
# guest-mode: parallel
# guest-kernels: standard
load maxlat_hwlat
load maxlat_irqoff
for mode in 1 2 3; do
  hwlat_probe mode=$mode width=5000000 window=20000000 duration=200000000 threshold=10000000 cpus=3 > "$OUT/mode$mode.txt"
  expect "mode $mode: windows watched" "$(field windows "$OUT/mode$mode.txt")" -ge 1
done
irqoff_probe 1 cli-sti watchdog exec kernel-loop > "$OUT/irqoff.txt"
cat "$OUT/irqoff.txt"
for outcome in "cli-sti exit 0" "watchdog signal 9" "exec signal 11" "kernel-loop exit 0"; do
  grep -q "^$outcome\$" "$OUT/irqoff.txt" || fail "expected: $outcome"
done
rmmod maxlat_hwlat
rmmod maxlat_irqoff
