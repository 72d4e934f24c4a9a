# SPDX-License-Identifier: MIT
# The shield's effect: a hundredth of the interruptions, under the same load, by the audit's count and by npt's. And the audit on a real kernel: a shielded CPU
# is quiet or has only ticks, which is what npt finds on it, too; a FIFO intruder, a worker that the kernel binds there and
# a device's interrupt are each found and named; and looking costs the CPU nothing.
# guest-mode: interleaved
# guest-cpus: 4
# guest-cpu: max,+invtsc,x-force-features=on
# guest-timeout_s: 700
# guest-userland: host
# Without the first two, RCU cannot end a grace period while a loop of priority 99 spins there, and whoever switches events
# off waits.
# Without the last two, the emulated counter is unstable, and the kernel keeps the tick on every CPU.
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params).
# guest-console_allow: dl_rq_change_utilization|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
journal=/tmp/shield.journal
shield() { what=$1; shift; maxlat shield "$what" --journal "$journal" "$@"; }
# Exit status 0: quiet or only ticks; 2: disturbed. Anything else is an error.
audit() { status=0; shield audit "$@" > "$OUT/audit.txt" || status=$?; case $status in 0|2) ;; *) cat "$OUT/audit.txt"; fail "audit: exit status $status" ;; esac; }
told() { grep -qE "$1" "$OUT/audit.txt" || { cat "$OUT/audit.txt"; fail "the audit does not tell: $1"; }; }
# Interrupts of CPU 1 but its timer's, so far.
interrupts() { awk 'NR == 1 { next } $1 != "LOC:" && NF > 4 && $3 ~ /^[0-9]+$/ { sum += $3 } END { print sum + 0 }' /proc/interrupts; }

# Whether a thread of SCHED_FIFO (1) is behind the shield: npt's loop, alone, for its other threads leave.
real_time_in_shield() {
  for thread in $(cat /sys/fs/cgroup/maxlat-shield/cgroup.threads); do
    [ "$(awk '{ print $41 }' "/proc/$thread/stat" 2> /dev/null)" != 1 ] || return 0
  done
  return 1
}

# Interruptions a second of CPU 1, from the audit's table; its verdict is one word or two.
rate() { awk '$1 == 1 && $2 ~ /quiet|disturbed/ { print $3 } $1 == 1 && $2 == "only" { print $4 }' "$OUT/audit.txt"; }

# What it is for: the same load, which may run anywhere, before and behind the shield.
for worker in 1 2 3 4 5; do (while [ ! -e /tmp/unloaded ]; do usleep 500; done) & loads="${loads-} $!"; done
# So long that the few that come while a shield is young are less than a hundredth on a slow host, too.
seconds=1 before=0
until [ "$(awk -v n="$before" -v s=$seconds 'BEGIN { print int(n * s) }')" -ge 600 ] || [ $seconds -ge 8 ]; do
  seconds=$((seconds * 2))
  audit --cpus 1 -D ${seconds}s --no-events
  expect "status without a shield" $status -eq 2
  before=$(rate)
done
shield on -q --cpus 1
audit --cpus 1 -D ${seconds}s --no-events --limit 5
expect "status with a shield and the same load" $status -eq 0
echo "interruptions a second under load, for $seconds s: $before before, $(rate) behind the shield"
expect "how many times fewer" "$(awk -v a="$before" -v b="$(rate)" -v s=$seconds 'BEGIN { print int(a * s / (b * s > 1 ? b * s : 1)) }')" -ge 100
: > /tmp/unloaded
wait $loads
shield off -q

# The same by class, in turns: programs that begin and end wherever they may, and so take pages and give them back; and a device whose
# interrupt somebody has put on CPU 1.
by_class() { # FILE: "CLASS NAME" and its rate a second, from the result of an audit
  awk '/"duration_s":/ { seconds = $2 + 0 } /"counted":|"named":/ { from = $1 } /"kind":/ && /"count":/ {
      kind = name = $0; sub(/.*"kind": *"/, "", kind); sub(/".*/, "", kind); sub(/.*"name": *"/, "", name); sub(/".*/, "", name)
      class = kind == "sent" ? (from ~ /counted/ ? kind " " name : "") : kind
      count = $0; sub(/.*"count": */, "", count); n[class] += count + 0
    } END { for (class in n) if (class != "") printf "%s %.1f\n", class, n[class] / seconds }' "$1"
}
classes="timer device sent_RES sent_CAL sent_TLB sent_IWI other softirq task work function fault"
rate_of() { awk -v class="$(echo "$2" | tr _ ' ')" '{ rate = $NF; sub(/ [^ ]*$/, "") } $0 == class { found = rate } END { print found + 0 }' "$1"; }
line=$(awk -F: '/ttyS0/ { print $1 + 0 }' /proc/interrupts)
rm -f /tmp/unloaded
loads=
for worker in 1 2 3; do (while [ ! -e /tmp/unloaded ]; do cat /proc/self/stat > /dev/null; usleep 500; done) & loads="$loads $!"; done
(while [ ! -e /tmp/unloaded ]; do echo "sixteen bytes, and forty-seven more of them, for a serial line" > /dev/ttyS0; usleep 2000; done) & loads="$loads $!"
for turn in 1 2; do
  echo 1 > "/proc/irq/$line/smp_affinity_list"
  audit --cpus 1 -D 3s --json "$OUT/without_$turn.json"
  by_class "$OUT/without_$turn.json" > "without_$turn"
  shield on -q --cpus 1
  audit --cpus 1 -D 3s --json "$OUT/with_$turn.json"
  by_class "$OUT/with_$turn.json" > "with_$turn"
  shield off -q
done
: > /tmp/unloaded
wait $loads
for class in $classes; do
  echo "| $class | $(rate_of without_1 $class), $(rate_of without_2 $class) | $(rate_of with_1 $class), $(rate_of with_2 $class) |"
done | tee "$OUT/classes.txt"
for class in device task fault softirq; do
  for turn in 1 2; do
    # Some of each without a shield; with one a twentieth of that at most, or one a second.
    expect "$class on CPU 1 is what a shield keeps off, turn $turn" \
      "$(awk -v a="$(rate_of without_$turn $class)" -v b="$(rate_of with_$turn $class)" 'BEGIN { print (a >= 1 && (b <= 1 || b * 20 <= a)) }')" -eq 1
  done
done
shield on -q --cpus 1

# Idle: nothing at all comes. Limits are generous where the rest of the kernel has its housekeeping (vmstat, RCU).
audit -D 3s --limit 5
expect "status of an idle shield's audit" $status -eq 0
told 'names: from the kernel'
cp "$OUT/audit.txt" "$OUT/audit_idle.txt"

# While a loop spins there: it makes no switch, npt counts none, and the audit agrees.
maxlat shield exec --journal "$journal" -q -- maxlat npt -a 1 -D 1h --rest 0 --json "$OUT/npt.json" -q > /dev/null & npt=$!
until real_time_in_shield; do usleep 10000; done
audit -D 2s --limit 5
expect "status of a spinning shield's audit" $status -eq 0
# A timer that was armed there before the loop began keeps the tick: its thread (ktimers) does not come to run beside a loop
# of priority 99. Which of the two it is, is a matter of luck.
told '^  1 +(quiet|only ticks) +[0-9.]+ +[0-9]+ +0 +[0-9]+ +[0-9]+ +0( |$)' # no interrupt of a device, no switch
cp "$OUT/audit.txt" "$OUT/audit_spinning.txt"

# Looking costs nothing: no interrupt comes on the CPU by an audit without events.
before=$(interrupts)
audit -D 1s --no-events --limit 5
after=$(interrupts)
expect "interrupts of CPU 1, timer aside, while it was looked at" $((after - before)) -le 2
kill $npt
wait $npt || true
grep -q '"voluntary_context_switches": "0"' "$OUT/npt.json" || fail "npt counted switches"
grep -q '"involuntary_context_switches": "0"' "$OUT/npt.json" || fail "npt counted involuntary switches"

# A FIFO intruder in the shield; its tasks are no interruption when they are named as its own.
shield exec -q -- sh -c 'while [ ! -e /tmp/enough ]; do usleep 5000; done' & intruder=$!
until grep -qs '^sh$' /proc/"$(head -n 1 /sys/fs/cgroup/maxlat-shield/cgroup.threads)"/comm; do usleep 10000; done
on_host_userland chrt -f -p 50 "$(head -n 1 /sys/fs/cgroup/maxlat-shield/cgroup.threads)"
audit -D 2s --json "$OUT/audit_intruder.json"
expect "status with an intruder" $status -eq 2
grep -q '"result": *"fail"' "$OUT/audit_intruder.json" || fail "the result's verdict is not the audit's"
grep -q '"verdict of CPU 1": *"disturbed, ' "$OUT/audit_intruder.json" || fail "the result does not say what CPU 1 is"
told '^  1 +disturbed .*(usleep|sh) '
told 'task +(usleep|sh) +real-time 50' # the intruder is both; eight causes are told, and they come equally often
cp "$OUT/audit.txt" "$OUT/audit_intruder.txt"
audit -D 1s --own usleep --own sh --own irq_work/1 --limit 30 # since 7.3 the end of a task is its work, too
expect "status with an intruder that is no intruder" $status -eq 0
: > /tmp/enough
wait $intruder

# A worker that the kernel binds to each CPU. As long as it is audited, however late that begins.
(while [ ! -e /tmp/refreshed ]; do cat /proc/sys/vm/stat_refresh > /dev/null; usleep 50000; done) & refresher=$!
audit -D 1s
expect "status with a bound worker" $status -eq 2
told 'work item +refresh_vm_stats'
told 'task +kworker/1:[0-9]'
: > /tmp/refreshed
wait $refresher

# An interrupt that somebody has put there.
echo 1 > "/proc/irq/$line/smp_affinity_list"
(while [ ! -e /tmp/written ]; do echo "a line for the console, to have interrupts" > /dev/ttyS0; usleep 20000; done) & writer=$!
audit -D 1s
expect "status with an interrupt of a device" $status -eq 2
told "interrupt +$line +ttyS0"
: > /tmp/written
wait $writer
must_fail shield status > "$OUT/status.txt"
grep -q "irq/$line/smp_affinity_list" "$OUT/status.txt" || fail "status does not name the interrupt's mask"
shield off -q --force

# The same by npt's own count, in turns: interrupts, and switches to other tasks, in what it watched. Ticks are counted apart: the
# kernel stops them on a shielded CPU only where nothing needs them, and behind a busy host something does. The load is a device whose
# interrupt somebody has put on CPU 1, and its thread. (npt reads the kernel's events on CPU 2, which is therefore shielded, too.)
echo 1 > "/proc/irq/$line/smp_affinity_list"
(while [ ! -e /tmp/enough_of_npt ]; do echo "sixteen bytes, and forty-seven more of them, for a serial line" > /dev/ttyS0; usleep 2000; done) & writer=$!
taskset -p 1 $writer > /dev/null  # behind npt's loop it would wait for its end
seen_by_npt() { # NAME COMMAND...: before npt. Sets $seen.
  name=$1; shift
  status=0; "$@" maxlat npt -a 1 -p 40 -D ${seconds}s --rest 0 -i --trust-counter --kernel-events --json "$OUT/$name.json" -q > "$OUT/$name.txt" 2>&1 || status=$?
  case $status in 0|3) ;; *) cat "$OUT/$name.txt"; fail "npt: exit status $status" ;; esac  # 3: others had its CPU
  grep -q '^# Kernel events: recorded' "$OUT/$name.txt" || { cat "$OUT/$name.txt"; fail "npt records no events"; }
  # Without the calls of all CPUs by which the kernel's events are switched on and off: npt's own, three or four in each run.
  grep -oE '"class":"(nmi|irq|ipi|task)"(,"name":"[^"]*")?,"count":[0-9]+' "$OUT/$name.json" | grep -v '"call function"' > counted || true
  seen=$(awk -F: '{ n += $NF } END { print n + 0 }' counted)
}
# So long that a hundredth can be told on a slow host, too.
seconds=1
seen_by_npt npt_to_begin env
while [ $seen -lt 150 ] && [ $seconds -lt 8 ]; do
  seconds=$((seconds * 2))
  seen_by_npt npt_to_begin env
done
without=0; with=0
for turn in 1 2; do
  seen_by_npt "npt_without_$turn" env
  without=$((without + seen))
  seen_by_npt "npt_with_$turn" maxlat shield exec --journal "$journal" -q --cpus 1-2 --
  with=$((with + seen))
done
: > /tmp/enough_of_npt
wait $writer
echo "interruptions that npt saw in $((2 * seconds)) s: $without without, $with with a shield"
expect "how many times fewer npt sees" $((without / (with > 1 ? with : 1))) -ge 100

[ -z "$(ls /sys/kernel/tracing/instances 2> /dev/null)" ] || fail "an instance is left: $(ls /sys/kernel/tracing/instances)"
