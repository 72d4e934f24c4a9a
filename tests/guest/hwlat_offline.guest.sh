#!/bin/sh
# A CPU goes offline in the middle of `maxlat hwlat`: the other goes on, what was seen is kept, and the result says that it
# is not valid and why. The same in mode stop-machine. While npt has interrupts off by a grant, no CPU may go, and npt
# survives the try.
# guest-mode: parallel
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_hwlat
load maxlat_irqoff
for mode in per-cpu stop-machine; do
  "$MAXLAT" hwlat --mode $mode -D 4s --window 50ms --width 20ms --threshold 5ms -q --json "$OUT/$mode.json" --snapshot 1s &
  front_end=$!
  until [ -s "$OUT/$mode.json" ]; do kill -0 $front_end; usleep 10000; done
  echo 0 > /sys/devices/system/cpu/cpu1/online
  status=0
  wait $front_end || status=$?
  echo 1 > /sys/devices/system/cpu/cpu1/online
  expect "$mode: exit status" $status -eq 3
  grep -q '"reason": "CPU 1 went offline; it was watched for ' "$OUT/$mode.json" || fail "$mode: no reason"
  expect "$mode: CPUs in the result" "$(grep -c '"cpu": [01],' "$OUT/$mode.json")" -eq 2
done

"$MAXLAT" npt -a 1 -D 5s --rest 100ms --trust-counter -q --json "$OUT/npt.json" --snapshot 1s > "$OUT/npt.txt" &
npt=$!
until [ -s "$OUT/npt.json" ]; do kill -0 $npt; usleep 10000; done
for cpu in 0 1; do
  [ ! -e /sys/devices/system/cpu/cpu$cpu/online ] ||
    must_fail sh -c "echo 0 > /sys/devices/system/cpu/cpu$cpu/online" 2> /dev/null
done
status=0
wait $npt || status=$?
cat "$OUT/npt.txt"
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "exit status of npt: $status" # 3: emulation's noise looks like throttling
# The kernel moves the thread away before it asks whether the CPU may go; if npt slept just then, it has lost its grant.
grep -qE '"interrupts": "(off .module, user space.|on)' "$OUT/npt.json" || fail "no label"
rmmod maxlat_hwlat
rmmod maxlat_irqoff
