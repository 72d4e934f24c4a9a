#!/bin/sh
# The meters of user space see planted SMIs and NMIs too, each to within its stated error: behind a stall come the
# interrupts that have waited, here at most two of the largest gap of a run without plants; a timer (cyclictest, and
# maxlat cyclic) misses up to its interval. First cyclictest by itself, on an idle guest: its cycles of 1 ms skip idle time.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-userland: host
# guest-needs: cyclictest
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_planter
replant() { rmmod maxlat_planter; load maxlat_planter; plant "$@"; }
duration=200ms
hwlat_loop() {
  "$MAXLAT" hwlat --backend loop --trust-counter -D $duration --window 100ms --width 90ms --json "$OUT/loop.json" > "$OUT/loop.txt"
  largest=$(sed -n 's/.*"max_ns": \([0-9]*\).*/\1/p' "$OUT/loop.json" | head -1)
}
npt_loop() {
  "$MAXLAT" npt -a 0 -i --trust-counter -D $duration -q --json "$OUT/npt.json" > "$OUT/npt.txt"
  largest=$(sed -n 's/.*"max_ns": \([0-9]*\).*/\1/p' "$OUT/npt.json" | head -1)
}
interval_ns=100000
timer() {
  on_host_userland cyclictest -m -p95 -t1 -i$((interval_ns / 1000)) -l4000 -q -N > "$OUT/timer.txt"
  largest=$(sed -n 's/.*Max: *//p' "$OUT/timer.txt")
}
cyclic() {
  "$MAXLAT" cyclic -a 0 -i $((interval_ns / 1000)) -l 4000 -q --json "$OUT/cyclic.json"
  largest=$(sed -n 's/.*"max_ns": \([0-9]*\).*/\1/p' "$OUT/cyclic.json" | head -1)
}
on_host_userland cyclictest -m -p95 -t1 -i1000 -l2000 -q > "$OUT/idle.txt"
idle=$(sed -n 's/.*Max: *//p' "$OUT/idle.txt")
expect "cyclictest ran and saw a latency" "$idle" -gt 0
expect "an idle guest's worst timer latency in exact mode (us)" "$idle" -le 20
for meter in hwlat_loop npt_loop timer cyclic; do
  rmmod maxlat_planter
  load maxlat_planter
  $meter
  noise=$largest
  echo "$meter without plants: $noise ns"
  least_off=0
  case $meter in timer | cyclic) least_off=$interval_ns ;; esac # it expires some time within a stall
  for length in 10000 100000 1000000; do
    replant smi 1000000 5037000 $length 240 # no multiple of the timer's interval
    $meter
    expect "$meter: SMIs of $length ns, the largest, ns" "$largest" -ge $((length - least_off))
    expect "$meter: no more than what waited behind it longer" "$largest" -le $((length + 2 * noise))
  done
done
duration=500ms
for meter in hwlat_loop npt_loop; do
  replant nmi 100000000 50000 37000000 60 # whenever it starts to loop, and wherever its windows lie
  $meter
  expect "$meter: an NMI of 50 us, ns" "$largest" -ge 50000
  expect "$meter: no more than its entry and an interrupt longer" "$largest" -le 65000
done
