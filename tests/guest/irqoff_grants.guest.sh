#!/bin/sh
# Granting IOPL: cli and sti really work, the privilege never outlives its task, its descriptor, its CPU, an exec or a
# fork, and whatever the task does with interrupts off, the box goes on. Two CPUs: one measures, one watches.
# guest-mode: parallel
load maxlat_irqoff
ends() { # CASE HOW NUMBER
  outcome=$(irqoff_probe 1 "$1")
  echo "$outcome"
  [ "$outcome" = "$1 $2 $3" ] || fail "expected: $1 $2 $3"
}
ends without signal 11
for case in cli-sti fork thread system-calls signal exit-off below-limit unbound limits; do ends $case exit 0; done
for case in close revoke exec migrate crash; do ends $case signal 11; done
ends watchdog signal 9
ends foreign-close signal 9
ends cli-sti exit 0
irqoff_probe 1 kernel-loop | tee "$OUT/loop.txt"
grep -q 'kernel-loop exit 0' "$OUT/loop.txt" || fail "the loop in the kernel"
rmmod maxlat_irqoff
dmesg | grep -q 'kept interrupts off longer than its limit' || fail "the watchdog left no word"
