#!/bin/sh
# Granting IOPL: cli and sti really work, the privilege never outlives its task, its descriptor, its CPU, an exec or a
# fork, and whatever the task does with interrupts off, the box goes on. Two CPUs: one measures, one watches.
# guest-mode: parallel
# guest-console_allow: do_user_addr_fault|Call Trace:
load maxlat_irqoff
ends() { # CASE HOW NUMBER
  outcome=$(irqoff_probe 1 "$1")
  echo "$outcome"
  [ "$outcome" = "$1 $2 $3" ] || fail "expected: $1 $2 $3"
}
ends without signal 11
for case in cli-sti fork thread system-calls signal exit-off below-limit unbound limits; do ends $case exit 0; done
for case in close revoke exec migrate crash; do ends $case signal 11; done
# From 6.9 on the kernel ends a task that faults with interrupts off, and says so in a WARNING (once: console_allow).
case $(uname -r) in
  [0-5].*|6.[0-8].*) ends page-fault exit 0 ;;
  *) ends page-fault signal 11 ;;
esac
ends watchdog signal 9
ends foreign-close signal 9
ends cli-sti exit 0
irqoff_probe 1 kernel-loop | tee "$OUT/loop.txt"
grep -q 'kernel-loop exit 0' "$OUT/loop.txt" || fail "the loop in the kernel"
rmmod maxlat_irqoff
dmesg | grep -q 'kept interrupts off longer than its limit' || fail "the watchdog left no word"
