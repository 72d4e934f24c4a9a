#!/bin/sh
# What nobody should do to the kernel tracer: 10^5 calls that no sane program makes; 1000 sessions that start and stop under
# NMIs and hackbench; unloading while a session starts, runs or its owner is killed. The kernel has nothing to say.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-userland: host
# guest-needs: hackbench
# guest-timeout_s: 600
in_use() { awk '!/unpurged/ { sum += $2 } END { print int(sum / 1024) }' /proc/vmallocinfo; }
load maxlat_trace
load maxlat_planter
# The counter of this processor model does not promise to be time: neither back end records. (reason, back end)
refused() {
  status=0
  maxlat trace record --kernel=$2 -o "$OUT/none" -D 10ms 2> "$OUT/none.txt" || status=$?
  expect "exit status of --kernel=$2" $status -eq 77
  grep -q "$1" "$OUT/none.txt" || fail "--kernel=$2: $(cat "$OUT/none.txt")"
  [ ! -e "$OUT/none/kernel-0" ] || fail "--kernel=$2: a trace is left"
}
refused 'counter may change its rate, so ticks are no time' module
refused 'time-stamp counter cannot be trusted' tracefs
ioctl_fuzz trace 3 100000

before=$(in_use)
# Eight programs that wake each other; not all the time: sessions mostly wait for grace periods, and would wait behind them.
hackbench="hackbench -g 1 -f 4 -l 25"
on_host_userland $hackbench > /dev/null # what it needs of the host is in memory then
(while :; do on_host_userland $hackbench >> "$OUT/hackbench.txt"; usleep 150000; done) &
noise=$!
plant nmi 1000000 2000 1000000 100000
kernel_trace_sessions cycles 1000 sched:sched_switch 'raw_syscalls:*' 'nmi:*' 'irq_vectors:local_timer_*' \
  > "$OUT/cycles.txt"
kill $noise
cat "$OUT/cycles.txt"
expect "turns of hackbench meanwhile" "$(grep -c '^Time: ' "$OUT/hackbench.txt")" -ge 100
expect "NMIs meanwhile" "$(ledger | grep -c '^nmi')" -ge 100
expect "sessions without an event" "$(sed -n 's/.*empty //p' "$OUT/cycles.txt")" -eq 0
expect "KiB of vmalloc memory more" $(($(in_use) - before)) -le 1024 # stacks of tasks are there, too; a ring is 20

for cycle in $(seq 20); do
  kernel_trace_sessions hold 2 'irq*:*' > "$OUT/hold.txt" &
  holder=$!
  [ $((cycle % 2)) -eq 0 ] || wait_for started "$OUT/hold.txt"
  ! rmmod maxlat_trace 2> /dev/null || load maxlat_trace # before the first open
  kill -9 $holder 2> /dev/null || true
  wait $holder 2> /dev/null || true
  rmmod maxlat_trace
  load maxlat_trace
done
