#!/bin/sh
# The static maxlat on a PREEMPT_RT kernel without the modules: npt says that cli is ignored, hwlat finds planted SMIs
# with the kernel's tracer and names it.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-timeout_s: 600
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_planter
status=0
"$MAXLAT" npt -a 0 -l 1000000 -q --json "$OUT/npt.json" > "$OUT/npt.txt" || status=$?
cat "$OUT/npt.txt"
expect "exit status of npt" "$status" -eq 0
grep -q 'cli ignored by this kernel' "$OUT/npt.txt" || fail "npt does not say that its cli was ignored"

"$MAXLAT" hwlat -D 4s --backend tracer --json "$OUT/hwlat.json" -q &
hwlat=$!
until grep -q hwlat /sys/kernel/tracing/instances/*/current_tracer 2>/dev/null; do
  kill -0 $hwlat || fail "hwlat ended before it began"
  usleep 1000
done
plant smi 1000000 37000000 100000 100
status=0
wait $hwlat || status=$?
expect "exit status of hwlat, which found something and has no hard limit" "$status" -eq 0
expect "at least half of the SMIs planted" "$(ledger | wc -l)" -ge 50
grep -q '"kernel hwlat tracer"' "$OUT/hwlat.json" || fail "the result does not name its back end"
