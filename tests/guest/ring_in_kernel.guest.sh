#!/bin/sh
# The tracer's ring compiled for the kernel from user space's sources (ring/ring_main.c): tasks and interrupts that nest in
# them write, a reader on the other CPU takes packets, and every trial's books balance, or the module would not load.
# guest-mode: parallel
load maxlat_ring_test
dmesg | sed -n 's/.*maxlat_ring_test: //p' | tee "$OUT/trials.txt"
for trial in local-discard local-overwrite local-promoted shared-discard shared-overwrite; do
  line=$(grep "^$trial: .* ok\$" "$OUT/trials.txt") || fail "$trial did not run"
  number() { echo "$line" | sed "s/.* $1 \([0-9]*\).*/\1/"; }
  expect "$trial: interrupts in the middle of a task's probe" "$(number nested)" -gt 0
  expect "$trial: events read" "$(number read)" -gt 0
done
