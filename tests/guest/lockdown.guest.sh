#!/bin/sh
# A kernel that is locked down, as under Secure Boot, takes no module that it does not know: `maxlat hwlat` says so in
# words, and goes on with the next back end.
# guest-mode: exact
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
