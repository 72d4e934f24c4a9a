#!/bin/sh
# All modes on two CPUs, each CPU with exposure; a CPU that goes offline in the middle and comes back.
# guest-mode: parallel
load maxlat_hwlat
exposure() { awk -v cpu="$1" '$1 == "cpu" && $2 == cpu { for (i = 1; i < NF; i++) if ($i == "exposure_ns") print $(i + 1) }' "$2"; }
conserved() { # the histogram's sum is the exposure, on every CPU
  awk '$1 == "histogram" && $7 != $9 { bad = 1 } END { exit bad }' "$1" || fail "histogram and exposure differ: $(cat "$1")"
}
for mode in 1 2 3; do
  result="$OUT/mode$mode.txt"
  hwlat_probe mode=$mode width=20000000 window=50000000 duration=1000000000 threshold=10000000 cpus=3 > "$result"
  grep -v record "$result"
  conserved "$result"
  for cpu in 0 1; do
    expect "mode $mode: exposure of CPU $cpu, ns" "$(exposure $cpu "$result")" -ge 40000000
  done
done
expect "round robin: one CPU at a time, so at most half of what all at once may watch, ns" \
  "$(exposure 0 "$OUT/mode2.txt")" -le 600000000

threads_on_cpu_1() { ps | grep -c '[m]axlat_hwlat/1'; }
result="$OUT/hotplug.txt"
hwlat_probe width=20000000 window=50000000 duration=60000000000 threshold=10000000 cpus=3 > "$result" &
probe=$!
wait_for started "$result"
usleep 300000
echo 0 > /sys/devices/system/cpu/cpu1/online
expect "threads on CPU 1 while it is offline" "$(threads_on_cpu_1)" -eq 0
echo 1 > /sys/devices/system/cpu/cpu1/online
expect "threads on CPU 1 when it is back" "$(threads_on_cpu_1)" -eq 1
usleep 300000
kill -INT $probe
wait $probe
grep -v record "$result"
conserved "$result"
expect "CPU 1 was watched, ns" "$(exposure 1 "$result")" -ge 40000000

# The machine goes to sleep (all of it but the last step) with sampling under way. virtio-9p does not survive that: the
# share is taken away before, and mounted again behind it.
umount /share
rmmod 9pnet_virtio
result="$OUT/suspend.txt"
hwlat_probe width=20000000 window=50000000 duration=60000000000 threshold=10000000 cpus=3 > "$result" &
probe=$!
wait_for started "$result"
echo core > /sys/power/pm_test
echo mem > /sys/power/state
expect "times the machine has slept" "$(cat /sys/power/suspend_stats/success)" -eq 1
usleep 300000
kill -INT $probe
wait $probe
insmod /modules/9pnet_virtio.ko
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /share
grep -v record "$result"
conserved "$result"
rmmod maxlat_hwlat
