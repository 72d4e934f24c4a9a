#!/bin/sh
# Interrupts off in user space and in the kernel's loop: timer interrupts that take 100 us are held off by both, and an
# SMI of 100 us is seen by both to within 100 ns. With interrupts on, user space sees the timer interrupts.
#
# First what a turn costs, in instructions. hwlat's module reads the counter twice a turn and tells inner from outer gap;
# that may cost at most 1.3 times npt's loop in the kernel.
# guest-mode: exact
load maxlat_hwlat
load maxlat_irqoff allow_unwatched=1
hwlat_probe width=90000000 window=100000000 duration=300000000 > "$OUT/hwlat.txt"
irqoff_probe 0 kernel-loop > "$OUT/loop.txt"
hwlat=$(awk '$1 == "histogram" { print int(100 * $7 / $5) }' "$OUT/hwlat.txt")
loop=$(awk '$1 == "kernel" { print int(100 * $8 / $6) }' "$OUT/loop.txt")
echo "instructions a turn, in hundredths: hwlat $hwlat, npt's loop $loop"
expect "cost of a turn against npt's, percent" $((100 * hwlat / loop)) -le 130
rmmod maxlat_hwlat

load maxlat_planter
plant stall 1000000 2000000 100000 2000
irqoff_probe 0 gaps > "$OUT/storm.txt"
cat "$OUT/storm.txt"
expect "interrupts on: a timer interrupt is in the largest gap, ns" "$(field on "$OUT/storm.txt" gap)" -ge 100000
off=$(awk '$2 == "off" { print $3 }' "$OUT/storm.txt")
expect "interrupts off in user space: largest gap in the storm, ns" "$off" -le 200
irqoff_probe 0 kernel-loop > "$OUT/loop_storm.txt"
cat "$OUT/loop_storm.txt"
expect "interrupts off in the kernel: largest gap in the storm, ns" "$(field max "$OUT/loop_storm.txt" kernel)" -le 200

rmmod maxlat_planter
load maxlat_planter
plant smi 1000000 1000000 100000 200
irqoff_probe 0 gaps > "$OUT/smi.txt"
cat "$OUT/smi.txt"
off=$(awk '$2 == "off" { print $3 }' "$OUT/smi.txt")
expect "SMI of 100 us seen with interrupts off in user space, ns" "$off" -ge 100000
expect "its size" "$off" -le 100100
irqoff_probe 0 kernel-loop > "$OUT/loop_smi.txt"
cat "$OUT/loop_smi.txt"
expect "SMI of 100 us seen by the kernel's loop, ns" "$(field max "$OUT/loop_smi.txt" kernel)" -ge 100000
expect "its size" "$(field max "$OUT/loop_smi.txt" kernel)" -le 100100
