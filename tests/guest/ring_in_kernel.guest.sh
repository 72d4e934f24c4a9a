#!/bin/sh
# The tracer's ring compiled for the kernel from user space's sources (ring/ring_trials.c): tasks, and interrupts and NMIs
# that nest in them, write, a reader on the other CPU takes packets, and every trial's books balance.
# guest-mode: parallel
load maxlat_ring_test
echo trials > /sys/module/maxlat_ring_test/parameters/run || { dmesg | grep maxlat_ring_test; fail "a trial"; }
dmesg | sed -n 's/.*maxlat_ring_test: //p' | tee "$OUT/trials.txt"
for trial in local-discard local-overwrite local-promoted local-nmis-discard local-nmis-overwrite shared-discard shared-overwrite; do
  line=$(grep "^$trial: .* ok\$" "$OUT/trials.txt") || fail "$trial did not run"
  number() { echo "$line" | sed "s/.* $1 \([0-9]*\).*/\1/"; }
  expect "$trial: interrupts in the middle of a task's probe" "$(number nested)" -gt 0
  expect "$trial: events read" "$(number read)" -gt 0
  case $trial in *nmis*) expect "$trial: events of NMIs" "$(number in-nmis)" -gt 0 ;; esac
done
