# SPDX-License-Identifier: MIT
# What single settings keep off a CPU: what interrupts CPU 1 in a second, without and with each, in turns, under a load that this
# setting is about. Counted by `maxlat shield audit`. For docs/tuning.md; by hand, because it asserts nothing:
#
#     tests/guest/run_guest_test bench/setting_effects.guest.sh --work build/release/guest \
#         --maxlat build/static/cli/maxlat
#
# CPU 2 has what only a boot can give, and is the other arm of that row.
# guest-mode: interleaved
# guest-cpus: 4
# guest-cpu: max,+invtsc,x-force-features=on
# guest-timeout_s: 400
# guest-userland: host
# guest-needs: python3
# guest-console_allow: soft lockup watchdog
# guest-append: nohz_full=2 rcu_nocbs=2 tsc=reliable clocksource=tsc
mount -t cgroup2 none /sys/fs/cgroup
turns=3

# Of one kind in the audit of CPU $cpu, and of one name where that is told: how many in a second, of its $from.
counted() { # KIND [NAME-PATTERN]
  tr -d ' \n' < audit.json | grep -oE "\"$from\":\[[^]]*\]" | tr '{' '\n' | grep -E "\"kind\":\"$1\"" | grep -E "\"name\":\"${2-}" |
    grep -oE '"count":[0-9]+' | awk -F: -v s="$seconds" '{ n += $2 } END { printf "%.1f", n / s }'
}
audit() { status=0; maxlat shield audit --cpus "$cpu" -D "${seconds}s" --json audit.json -q || status=$?; case $status in 0|2) ;; *) fail "audit: exit status $status" ;; esac; }
row() { # SETTING WHAT-IS-COUNTED
  echo "| $1 | $2 | $without | $with |" >> "$OUT/table.txt"
}
# Both in turns: $without and $with are the lists of what was counted.
compare() { # SET UNSET KIND [NAME-PATTERN]
  without= with=
  for turn in $(seq $turns); do
    audit; without="$without${without:+, }$(counted "$3" "${4-}")"
    "$1"
    audit; with="$with${with:+, }$(counted "$3" "${4-}")"
    "$2"
  done
}
: > "$OUT/table.txt"
cpu=1 seconds=2

# Programs that may run anywhere.
rm -f /tmp/enough
for worker in 1 2 3 4 5; do (while [ ! -e /tmp/enough ]; do usleep 500; done) & done
partition() {
  echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
  mkdir -p /sys/fs/cgroup/alone
  echo 1 > /sys/fs/cgroup/alone/cpuset.cpus
  echo isolated > /sys/fs/cgroup/alone/cpuset.cpus.partition
  state=$(cat /sys/fs/cgroup/alone/cpuset.cpus.partition)
  [ "$state" = isolated ] || fail "the partition is $state"
}
no_partition() { rmdir /sys/fs/cgroup/alone; }
from=named
compare partition no_partition task
row "isolated partition" "tasks switched to; load: five programs that may run anywhere"
seconds=10 turns=2
slow_statistics() { echo 10 > /proc/sys/vm/stat_interval; }
statistics() { echo 1 > /proc/sys/vm/stat_interval; }
compare slow_statistics statistics work vmstat_update
row "statistics interval" "\`vmstat_update\`; the same load"
: > /tmp/enough
wait

# A device whose interrupt is on this CPU.
seconds=2 turns=3 from=counted
line=/proc/irq/$(awk -F: '/ttyS0/ { print $1 + 0 }' /proc/interrupts)/smp_affinity_list
rm -f /tmp/enough
(while [ ! -e /tmp/enough ]; do echo "a line for the console, to have interrupts" > /dev/ttyS0; usleep 5000; done) &
taskset -p 1 $! > /dev/null
elsewhere() { echo 0,2-3 > "$line"; }
here() { echo 1 > "$line"; }
here
compare elsewhere here device
row "IRQ affinity" "interrupts of a device; load: a serial line"
elsewhere
: > /tmp/enough
wait

# Work of the kernel that belongs to no CPU: what is written to a pseudo-terminal is handed on by it. Who writes is elsewhere.
rm -f /tmp/enough
from=named
mkdir -p /dev/pts
mount -t devpts none /dev/pts || true
cat > /tmp/writer.py <<'PY'
import os, time
reader, writer = os.openpty()
while not os.path.exists("/tmp/enough"):
    os.write(reader, b"x\n")
    os.read(writer, 2)
    os.read(reader, 3)
PY
on_host_userland taskset d python3 /tmp/writer.py &
sleep 1
workers_elsewhere() { echo d > /sys/devices/virtual/workqueue/cpumask; }
workers_anywhere() { echo f > /sys/devices/virtual/workqueue/cpumask; }
compare workers_elsewhere workers_anywhere task 'kworker/u'
row "workqueues" "workers that belong to no CPU; load: a program on another CPU that writes to a pseudo-terminal"
: > /tmp/enough
wait

# The thread that shows that the CPU can be switched away from its task.
seconds=12 turns=2
unwatched() { echo 0,2-3 > /proc/sys/kernel/watchdog_cpumask; }
watched() { echo 0-3 > /proc/sys/kernel/watchdog_cpumask; }
watched
compare unwatched watched task 'migration/1'
row "soft lockup watchdog" "its thread (\`migration/1\`); no load"

# The tick, beside one task alone: on a CPU that was booted with nohz_full= and rcu_nocbs=, and on one that was not.
seconds=4 turns=3 from=counted without= with=
for turn in $(seq $turns); do
  for cpu in 1 2; do
    taskset $((1 << cpu)) sh -c 'while :; do :; done' & loop=$!
    audit
    kill $loop
    wait $loop || true
    case $cpu in 1) without="$without${without:+, }$(counted timer)" ;; 2) with="$with${with:+, }$(counted timer)" ;; esac
  done
done
row "\`nohz_full=\`, \`rcu_nocbs=\`" "timer interrupts; load: one program on the CPU that only computes"
cat "$OUT/table.txt"
