#!/bin/sh
# A kernel that is locked down, as under Secure Boot, takes no module that it does not know: `maxlat hwlat` and
# `maxlat trace record --kernel` say so in words, and go on with the next back end. Locked down further (confidentiality)
# it lets nobody trace it: that is said, too.
# guest-mode: exact
# guest-cpu: max,+invtsc,x-force-features=on
# guest-kernels: rt-backports
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
mount -t securityfs security /sys/kernel/security
echo integrity > /sys/kernel/security/lockdown
grep -q '\[integrity\]' /sys/kernel/security/lockdown || fail "not locked down: $(cat /sys/kernel/security/lockdown)"
must_fail load maxlat_hwlat 2>/dev/null
status=0
"$MAXLAT" hwlat --load "$MODULES/maxlat_hwlat.ko" -D 1s 2> "$OUT/load.txt" || status=$?
cat "$OUT/load.txt"
expect "exit status of --load" $status -eq 77
grep -q "locked down (integrity) and takes signed modules only" "$OUT/load.txt" || fail "it does not say why"
status=0
"$MAXLAT" hwlat --backend module -D 1s 2> "$OUT/module.txt" || status=$?
cat "$OUT/module.txt"
expect "exit status of --backend module" $status -eq 77
grep -q "locked down (integrity)" "$OUT/module.txt" || fail "it does not say why"
"$MAXLAT" hwlat -D 1s --window 200ms > "$OUT/auto.txt"
grep -q "back end chosen because: .*locked down" "$OUT/auto.txt" || fail "the next back end does not say why: $(cat "$OUT/auto.txt")"
must_fail load maxlat_trace 2>/dev/null
# record BACKEND: leaves $status, and what it said in $OUT/record.txt
record() {
  status=0
  rm -rf "$OUT/trace"
  "$MAXLAT" trace record --kernel="$1" -e 'sched:*' -o "$OUT/trace" -D 20ms 2> "$OUT/record.txt" || status=$?
  cat "$OUT/record.txt"
}
mount -t tracefs none /sys/kernel/tracing 2> /dev/null || true
record module
expect "exit status of --kernel=module" $status -eq 77
grep -q "locked down (integrity)" "$OUT/record.txt" || fail "it does not say why"
record auto
expect "exit status of --kernel" $status -eq 0
grep -q "events of the kernel (by tracefs)" "$OUT/record.txt" || fail "not the next back end"
echo confidentiality > /sys/kernel/security/lockdown
for backend in module tracefs auto; do
  record $backend
  expect "exit status of --kernel=$backend" $status -eq 77
  grep -q "locked down (confidentiality)" "$OUT/record.txt" || fail "it does not say why"
done
