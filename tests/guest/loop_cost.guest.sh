#!/bin/sh
# What a turn of the sampling loop costs, in instructions: in exact mode an instruction is a nanosecond. The module reads
# the counter twice a turn and tells inner from outer gap; that may cost at most 1.3 times npt's loop in the kernel.
# guest-mode: exact
load maxlat_hwlat
load maxlat_irqoff allow_unwatched=1
hwlat_probe width=90000000 window=100000000 duration=300000000 > "$OUT/hwlat.txt"
irqoff_probe 0 kernel-loop > "$OUT/loop.txt"
hwlat=$(awk '$1 == "histogram" { print int(100 * $7 / $5) }' "$OUT/hwlat.txt")
loop=$(awk '$1 == "kernel" { print int(100 * $8 / $6) }' "$OUT/loop.txt")
echo "instructions a turn, in hundredths: hwlat $hwlat, npt's loop $loop"
expect "cost of a turn against npt's, percent" $((100 * hwlat / loop)) -le 130
