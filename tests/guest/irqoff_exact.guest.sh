#!/bin/sh
# Interrupts off in user space and in the kernel's loop: timer interrupts that take 100 us are held off by both, and an
# SMI of 100 us is seen by both to within 100 ns. With interrupts on, user space sees the timer interrupts.
# guest-mode: exact
load maxlat_planter
load maxlat_irqoff allow_unwatched=1
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
