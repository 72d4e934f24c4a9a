#!/bin/sh
# SPDX-License-Identifier: MIT
# The shield beside the real irqbalance, at one round a second (ten seconds, unless told). When it places an interrupt anew
# it gives it all CPUs of a package or cache, whoever has kept it from one of them. While a shield is on it is paused, and
# what the shield has written stays; after off it balances again. (SIGHUP makes it place all interrupts anew, as a new
# device or CPU does.)
# guest-mode: interleaved
# guest-kernels: rt-backports
# guest-cpus: 4
# guest-timeout_s: 240
# guest-userland: host
# guest-packages: irqbalance libcap-ng0 libglib2.0-0 libpcre2-8-0 libncursesw6 libtinfo6 libnuma1 libsystemd0 libcap2 libgcrypt20 libgpg-error0 liblzma5 libzstd1 liblz4-1
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params).
# guest-console_allow: dl_rq_change_utilization|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
on_host_userland true
journal=/tmp/shield.journal
shield() { what=$1; shift; maxlat shield "$what" --journal "$journal" "$@"; }
mask=/proc/irq/$(awk -F: '/ttyS0/ { print $1 + 0 }' /proc/interrupts)/smp_affinity_list
masks() { grep -s '' /proc/irq/*/smp_affinity_list; }
state() { awk '$1 == "State:" { print $2 }' "/proc/$balances/status"; }
# By hand, the interrupt keeps off CPU 1, until irqbalance places it: when it begins, and when it is told.
waits_for_it() {
  until [ "$(cat "$mask")" != 0,2-3 ]; do kill -0 "$balances" || fail "irqbalance has ended"; usleep 100000; done
  echo "irqbalance: CPU $(cat "$mask") in place of 0,2-3"
}
echo 0,2-3 > "$mask"
on_host_userland irqbalance --foreground --interval=1 > "$OUT/irqbalance.txt" 2>&1 &
until balances=$(pidof irqbalance); do usleep 10000; done
waits_for_it
echo 0,2-3 > "$mask"
kill -HUP "$balances"
waits_for_it

shield on --cpus 1 > "$OUT/on.txt"
grep -qE '^irqbalance +done +is paused until off$' "$OUT/on.txt" || fail "$(cat "$OUT/on.txt")"
expect "state of irqbalance under the shield" "$(state)" = T
masks > under
kill -HUP "$balances"
sleep 5 # rounds, if it had them
masks | diff under - || fail "a mask was written under the shield"
shield status
shield off -q
until [ "$(state)" != R ]; do usleep 10000; done  # it may be at work
expect "state of irqbalance after off" "$(state)" = S
echo 0,2-3 > "$mask"
kill -HUP "$balances"
waits_for_it
kill "$balances"
