#!/bin/sh
# What is not firmware is not blamed on firmware: an NMI is found and counted as one; a storm of timer interrupts and a
# SCHED_FIFO hog, which a loop with interrupts off holds off, are not found at all, only the exposure shows them.
# guest-mode: exact
# guest-userland: host
# guest-needs: chrt
load maxlat_planter
load maxlat_hwlat

result="$OUT/nmi.txt"
hwlat_probe width=90000000 window=100000000 duration=1500000000 > "$result" &
probe=$!
wait_for sampled "$result"  # what is planted before the first window, nobody sees
for i in 1 2 3; do
  plant nmi 10000000 50000
  until [ "$(ledger | wc -l)" -eq $i ]; do usleep 1000; done
done
wait $probe
ledger > "$OUT/nmi.ledger"
match_plants "$OUT/nmi.ledger" "$result"
expect "NMIs found, one may fall between two windows" "$found" -ge 2
expect "all are counted as NMIs" "$nmi" -eq "$found"
expect "none is counted as firmware" "$firmware" -eq 0
expect "nothing invented" "$invented" -eq 0
echo "NMI of 50 us: $worst_error ns longer (entry and exit of the kernel's NMI handler)"

result="$OUT/storm.txt"
hwlat_probe width=90000000 window=100000000 duration=600000000 > "$result" &
probe=$!
wait_for sampled "$result"
plant stall 10000000 1000000 100000 100
wait $probe
expect "stalls of the interrupt storm seen with interrupts off" "$(field gaps "$result")" -eq 0
expect "SMIs counted in the storm" "$(field smi_watched "$result")" -eq 0

result="$OUT/hog.txt"
on_host_userland true
hwlat_probe width=9000000 window=10000000 duration=1000000000 > "$result" &
probe=$!
wait_for sampled "$result"
on_host_userland chrt -f 50 sh -c 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
wait $probe
sed -n 2p "$result"
expect "gaps under a SCHED_FIFO hog" "$(field gaps "$result")" -eq 0
expect "SMIs counted under a SCHED_FIFO hog" "$(field smi_watched "$result")" -eq 0
expect "the hog shows in the exposure, of 1 s, ns" "$(field exposure_ns "$result")" -le 875000000
expect "and as missed windows" "$(field missed "$result")" -ge 10
