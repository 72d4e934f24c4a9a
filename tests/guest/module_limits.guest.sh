#!/bin/sh
# What must be refused: settings out of range, a second owner, a user without the capability, unloading under way; and
# what must end by itself: sampling whose owner was killed.
# guest-mode: exact
# guest-kernels: rt-backports
load maxlat_hwlat
ok="width=1000000 window=2000000 duration=10000000"
refused() { must_fail hwlat_probe $ok "$@" 2>/dev/null; }
hwlat_probe $ok > /dev/null
refused width=2000000
refused width=3000000
refused width=1950000
refused width=995000000 window=1000000000
refused width=0
refused width=9999
refused width=1000000001 window=3000000000
refused width=18446744073709551615
refused window=18446744073709551615
refused window=60000000001
refused threshold=0
refused threshold=18446744073709551615
refused duration=0
refused duration=604800000000001
refused mode=0
refused mode=4
refused mode=3 width=100000001 window=400000000
refused cpus=0
refused cpus=2
refused cpus=ffffffffffffffff
hwlat_probe $ok mode=3 width=1000000 > /dev/null

hwlat_probe $ok duration=100000000000 > "$OUT/owner.txt" &
owner=$!
wait_for started "$OUT/owner.txt"
must_fail hwlat_probe $ok 2> "$OUT/second.txt"
grep -q busy "$OUT/second.txt" || fail "a second owner should hear EBUSY: $(cat "$OUT/second.txt")"
must_fail sh -c 'echo 1 > /sys/kernel/debug/maxlat_hwlat/enable' 2>/dev/null
must_fail rmmod maxlat_hwlat 2>/dev/null
expect "sampling threads at work" "$(ps | grep -c '[m]axlat_hwlat/0')" -eq 1
kill -9 $owner
wait $owner || true
expect "sampling threads left behind by a killed owner" "$(ps | grep -c '[m]axlat_hwlat/')" -eq 0
hwlat_probe $ok > /dev/null

must_fail hwlat_probe $ok uid=65534 2>/dev/null
chmod 666 /dev/maxlat_hwlat
must_fail hwlat_probe $ok uid=65534 2> "$OUT/user.txt"
grep -qi 'not permitted' "$OUT/user.txt" || fail "without CAP_SYS_RAWIO: $(cat "$OUT/user.txt")"
rmmod maxlat_hwlat
