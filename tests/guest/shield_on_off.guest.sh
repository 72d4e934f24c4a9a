# SPDX-License-Identifier: MIT
# The shield on a real kernel, with the layout of Beamonte 2015: the system on CPU 0, the real-time task alone on CPU 1, the
# other two for the rest. Everything is as before after off, after off that follows a SIGKILL at any time, and after
# exec, whatever its command does.
# guest-mode: interleaved
# guest-cpus: 4
# guest-threads: 2
# guest-timeout_s: 400
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params), and again when a thread of
# SCHED_DEADLINE comes to a CPU whose bandwidth it has miscounted so.
# guest-console_allow: dl_rq_change_utilization|enqueue_dl_entity|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
journal=/tmp/shield.journal
shield() { what=$1; shift; maxlat shield "$what" --journal "$journal" "$@"; }

# Every setting that a shield may write, and the mask of every thread that outlives this test and that somebody may move.
# (The thread of an interrupt goes where its interrupt went last; the kernel moves its workers.)
# Few processes: to start one takes milliseconds here.
settings() {
  grep -sH '' /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/nmi_watchdog /proc/sys/kernel/watchdog_cpumask \
    /proc/sys/kernel/timer_migration /proc/sys/kernel/numa_balancing /proc/sys/vm/stat_interval \
    /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/ksm/run /sys/devices/virtual/workqueue/cpumask \
    /proc/irq/default_smp_affinity /proc/irq/[0-9]*/smp_affinity_list /sys/fs/cgroup/cgroup.subtree_control \
    /sys/devices/system/machinecheck/machinecheck[0-9]*/check_interval /sys/kernel/debug/sched/fair_server/cpu*/runtime || true
  ls -d /sys/fs/cgroup/*/ 2>/dev/null || true
}
masks() {
  cat /proc/[0-9]*/stat /proc/[0-9]*/status 2>/dev/null | awk '
    /^[0-9]+ \(/ { pid = $1; sub(/.*\) /, ""); movable[pid] = !(int($7 / 67108864) % 2); next }  # not PF_NO_SETAFFINITY
    $1 == "Name:" { name = $2 }
    $1 == "Pid:" { pid = $2 }
    $1 == "Cpus_allowed_list:" && movable[pid] { print pid, name, $2 }' | grep -vE ' (irq/|awk|cat|sed|sh|maxlat)' | sort
}
as_before() {  # WHEN
  settings > now; masks > masks_now
  diff settings_before now || fail "$1: settings differ"
  # Threads that came or went are no difference.
  awk 'NR == FNR { mask[$1 " " $2] = $3; next } ($1 " " $2) in mask && mask[$1 " " $2] != $3 { print $0, "was", mask[$1 " " $2]; wrong = 1 } END { exit wrong }' \
    masks_before masks_now || fail "$1: masks differ"
  echo "ok: $1: everything is as before"
}

sleep 100000 & free=$!
sleep 100000 & pinned=$!
sleep 100000 & wide=$!
bind_again() { taskset -p 1 $pinned > /dev/null; taskset -p 7 $wide > /dev/null; }
bind_again
settings > settings_before; masks > masks_before
expect "settings that are watched" "$(grep -c . settings_before)" -ge 20
expect "threads whose masks are watched" "$(grep -c . masks_before)" -ge 10

shield on --cpus 1 > "$OUT/on.txt"
[ "$(cat /sys/fs/cgroup/maxlat-shield/cpuset.cpus.partition)" = isolated ] || fail "no isolated partition"
[ "$(cat /proc/sys/kernel/timer_migration)" = 0 ] || fail "timers may be moved"
grep -qE '^isolated CPUs +already so +CPU 1$' "$OUT/on.txt" || fail "the CPU does not read as isolated"
allowed() { awk '/Cpus_allowed_list/ { print $2 }' "/proc/$1/status"; }
[ "$(allowed $free)" = 0,2-3 ] || fail "a free thread may use $(allowed $free)"
[ "$(allowed $pinned)" = 0 ] || fail "a bound thread may use $(allowed $pinned)"
[ "$(allowed $wide)" = 0,2 ] || fail "a thread of CPUs 0-2 may use $(allowed $wide)"
must_fail taskset -p 2 $free 2> /dev/null
shield status
shield exec -- sh -c 'grep Cpus_allowed_list /proc/self/status' | grep -q '	1$' || fail "exec is not in the shield"
shield on --cpus 1 | grep -q 'already so' || fail "on again"
must_fail shield on --cpus 2 2> /dev/null
# One shield of a box, wherever the journal is; and a thread that asks for the shielded CPU is seen.
must_fail maxlat shield on --cpus 1 --journal /tmp/other.journal 2> other.txt
grep -q "a shield of CPU 1 is on, whose journal is $journal" other.txt || fail "$(cat other.txt)"
shield status -q --json - | grep -q '"newcomers": \[\]' || fail "status has no JSON, or newcomers: $(shield status)"

# The layout of the paper: the system on CPU 0 alone, and on CPU 2 what was bound there.
shield off -q
sleep 100000 & daemon=$!
taskset -p 4 $daemon > /dev/null
shield on --cpus 1 --housekeeping 0 > "$OUT/on_few.txt"
[ "$(allowed $free)" = 0 ] || fail "with few housekeeping CPUs a free thread may use $(allowed $free)"
[ "$(allowed $wide)" = 0 ] || fail "with few housekeeping CPUs a thread of CPUs 0-2 may use $(allowed $wide)"
[ "$(allowed $daemon)" = 2 ] || fail "a thread that was bound to CPU 2 may use $(allowed $daemon)"
shield status
shield on --cpus 1 | grep -q 'the system on CPU 0:' || fail "on again, with any housekeeping CPUs"
shield off -q
expect "CPUs of a daemon of its own" "$(allowed $daemon)" = 2
kill $daemon
as_before "few housekeeping CPUs"
shield on -q --cpus 1

# Another program changes a value: a plain off names and leaves it.
echo 1 > /proc/sys/kernel/timer_migration
echo 17 > /proc/sys/vm/stat_interval
must_fail shield status
shield off > "$OUT/off_left.txt"
grep -q '^left as it is: /proc/sys/vm/stat_interval: was .*, and somebody has changed it since' "$OUT/off_left.txt" ||
  fail "off does not name what somebody has changed: $(cat "$OUT/off_left.txt")"
expect "what somebody has written" "$(cat /proc/sys/vm/stat_interval)" = 17
shield status | grep -q '^no shield is on$' || fail "a shield is on still: $(shield status)"
shield off --force
as_before "off, then off by force"

# Between on and off the box is rebooted, as far as the journal can tell. What of it stands then is not off's to undo; the
# same journal in its own boot undoes it.
echo 11111111-2222-3333-4444-555555555555 > boot_id
shield on -q --cpus 1
cp -p "$journal" journal_of_before
mount --bind boot_id /proc/sys/kernel/random/boot_id
shield status | grep -q '^no shield is on: the box was rebooted since ' || fail "status after a reboot: $(shield status)"
shield off | grep -q '^the box was rebooted since .*: that has undone the shield of CPU 1$' || fail "off after a reboot"
umount /proc/sys/kernel/random/boot_id
[ -d /sys/fs/cgroup/maxlat-shield ] || fail "off has undone what is another boot's"
mv journal_of_before "$journal"
shield off -q
as_before "off in the boot of its on"

# exec: the command's status, a command that is killed, one that leaves a daemon behind.
status=0; shield exec -q --cpus 1 -- sh -c 'exit 42' || status=$?
expect "exec's status" $status -eq 42
status=0; shield exec -q --cpus 1 -- sh -c 'kill -9 $$' || status=$?
expect "exec's status when its command is killed" $status -eq 137
shield exec -q --cpus 1 -- sh -c 'sleep 100000 & echo $! > daemon'
expect "CPUs of a daemon that was left behind" "$(allowed "$(cat daemon)")" = 0-3
kill "$(cat daemon)"
as_before "exec"

# Programs that run already are sent in: one that is in a group of its own and begins another one inside, and one that its
# owner has bound. off brings each back to its place.
mkdir /sys/fs/cgroup/session
sh -c 'until [ -e go ]; do usleep 10000; done; sleep 100000 & echo $! > child; wait' & outer=$!
echo $outer > /sys/fs/cgroup/session/cgroup.procs
group() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }
must_fail shield move $outer 2> move.txt
grep -q '^maxlat shield: no shield is on$' move.txt || fail "move without a shield: $(cat move.txt)"
shield on -q --cpus 1
shield move $outer $pinned > move.txt
[ "$(grep -c ': 1 thread moved into the shield of CPU 1$' move.txt)" = 2 ] || fail "move: $(cat move.txt)"
touch go; wait_for . child; child=$(cat child)
for task in $outer $pinned $child; do
  expect "CPUs inside" "$(allowed $task)" = 1
  expect "group inside" "$(group $task)" = /maxlat-shield
done
shield status > move.txt || fail "status calls a move a drift: $(cat move.txt)"
grep -q '; 3 moved in: ' move.txt || fail "status does not tell who was moved in: $(cat move.txt)"
status=0; shield audit -D 1s > move.txt || status=$?
case $status in 0|2|3) ;; *) fail "audit: exit status $status: $(cat move.txt)" ;; esac
grep -q '^these belong there: .*sleep' move.txt || fail "audit does not take who was moved in for own: $(cat move.txt)"
shield on -q --cpus 1
expect "CPUs inside after on again" "$(allowed $pinned)" = 1
kernel_thread=$(pidof 'migration/1' || awk '$2 == "(migration/1)" { print $1 }' /proc/[0-9]*/stat)
must_fail shield move $kernel_thread 2> move.txt
grep -q 'a thread of the kernel, which binds it' move.txt || fail "move of a kernel thread: $(cat move.txt)"
shield move -q --out $pinned
expect "CPUs outside" "$(allowed $pinned)" = 0
shield status
shield move -q $pinned
shield off > move.txt
for task in $outer $child; do
  expect "group after off" "$(group $task)" = /session
  expect "CPUs after off" "$(allowed $task)" = 0-3
done
expect "group of the bound one after off" "$(group $pinned)" = /
kill $outer $child
wait $outer 2> /dev/null || true
until rmdir /sys/fs/cgroup/session 2> /dev/null; do usleep 10000; done
as_before "programs that were moved in"

# irqbalance would write the masks anew: it is paused. (A program of that name that does nothing.)
mkfifo never
printf '#!/bin/sh\nread line < never\n' > irqbalance
chmod +x irqbalance
./irqbalance & balances=$!
until grep -qs irqbalance /proc/$balances/comm; do usleep 1000; done
state_of() { awk '$1 == "State:" { print $2 }' "/proc/$1/status"; }
shield on --cpus 1 > "$OUT/on_irqbalance.txt"
grep -qE '^irqbalance +done +is paused until off$' "$OUT/on_irqbalance.txt" || fail "$(cat "$OUT/on_irqbalance.txt")"
expect "state of irqbalance under the shield" "$(state_of $balances)" = T
shield status
kill -CONT $balances
must_fail shield status > /dev/null
shield on -q --cpus 1
expect "state of irqbalance after on again" "$(state_of $balances)" = T
shield off -q
expect "state of irqbalance after off" "$(state_of $balances)" = S
kill $balances
as_before "irqbalance"

# What a shield is for: a loop that spins on the shielded CPU, and leaves nothing behind. The threads of npt that do not
# measure leave the shield into which exec has brought them.
shield exec -q --cpus 1 -- maxlat npt -a 1 -D 2s --rest 0 -q > "$OUT/npt.txt" & exec=$!
measures_alone() {
  for pid in $(pidof maxlat); do
    tr '\0' ' ' < /proc/$pid/cmdline 2> /dev/null | grep -q '^maxlat npt' || continue
    [ "$(allowed $pid)" = 0,2-3 ] && grep -qs 'Cpus_allowed_list:.1$' /proc/$pid/task/*/status && return 0
  done
  return 1
}
until measures_alone; do kill -0 $exec 2> /dev/null || fail "all of npt was on the CPU that it measured"; done
wait $exec || true  # valid or not: a busy host
grep -q '^[0-9]* loops done' "$OUT/npt.txt" || fail "npt did not measure in the shield"
as_before "npt in the shield"

# A partition of somebody else's has the CPU: the shield says whose, does what it can without one, and leaves theirs alone.
beside_a_partition() {
  theirs=/sys/fs/cgroup/theirs
  echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
  mkdir $theirs
  echo 1 > $theirs/cpuset.cpus
  echo root > $theirs/cpuset.cpus.partition
  [ "$(cat $theirs/cpuset.cpus.partition)" = root ] || fail "no partition of theirs: $(cat $theirs/cpuset.cpus.partition)"
  bind_again  # before Linux 6.2 a partition that comes or goes makes every thread forget what its owner gave it
  shield on --cpus 1 > "$OUT/on_beside.txt"
  grep -A 2 '^cpuset:' "$OUT/on_beside.txt" | tr -s ' \n' '  ' > beside
  grep -q "a partition of somebody else's has these CPUs: $theirs (CPU 1, root)" beside || fail "cpuset: $(cat beside)"
  [ ! -e /sys/fs/cgroup/maxlat-shield ] || fail "there is a group that is no partition"
  shield off
  [ "$(cat $theirs/cpuset.cpus.partition)" = root ] || fail "their partition is $(cat $theirs/cpuset.cpus.partition)"
  echo member > $theirs/cpuset.cpus.partition  # at once; with its folder alone it would go some time later
  rmdir $theirs
  echo -cpuset > /sys/fs/cgroup/cgroup.subtree_control
  bind_again
}
# Linux 7 gives no thread of its own a CPU of any partition, so nobody can give back there what the threads had.
case $(uname -r) in
  [1-6].*) beside_a_partition; as_before "beside a partition" ;;
  *) echo "beside a partition: not tried, this kernel keeps its threads off partitions" ;;
esac

# Every pair of policies in a shield: whoever is above preempts. So does SCHED_DEADLINE, which the kernel refuses without a
# shield, on one CPU of a larger root domain.
preempt_on_cpu1() { # NAME COMMAND...: before it
  name=$1; shift
  status=0; "$@" maxlat preempt -a 1 -l 1 -v > "$OUT/$name.txt" || status=$?
  case $status in 0|3) ;; *) cat "$OUT/$name.txt"; fail "preempt: exit status $status" ;; esac  # 3: a busy host
}
preempted() { awk -F '  +' -v running="$2" -v woken="$3" '$2 == running && $3 == woken { print $6 + 0 }' "$OUT/$1.txt"; }
refused() { grep -c 'SCHED_DEADLINE.* refused' "$OUT/$1.txt" || true; }
preempt_on_cpu1 preempt_without env
expect "pairs with SCHED_DEADLINE that are refused without a shield" "$(refused preempt_without)" -eq 7
preempt_on_cpu1 preempt_in_shield shield exec -q --cpus 1 --
expect "pairs with SCHED_DEADLINE that are refused in a shield" "$(refused preempt_in_shield)" -eq 0
expect "rounds in which a deadline preempted in the shield" "$(preempted preempt_in_shield "SCHED_FIFO 95" "SCHED_DEADLINE 500 us of 1.00 ms")" -ge 1
expect "rounds in which a priority preempted in the shield" "$(preempted preempt_in_shield "SCHED_FIFO 94" "SCHED_FIFO 95")" -ge 1
as_before "preemption in the shield"

# On request: CPU 2 shares a core with the shielded CPU 3 and goes offline, and tracefs is mounted. (Linux 6.1 takes the two
# threads of this emulated core for two cores.) And CPU 3 itself goes offline once, for its timers.
if [ "$(cat /sys/devices/system/cpu/cpu3/topology/thread_siblings_list)" = 2-3 ]; then
  others=0-1
  online=0-1,3
else
  echo "this kernel sees no two threads of a core: --smt has nothing to take offline"
  others=0-2
  online=0-3
fi
umount /sys/kernel/tracing
sleep 100000 & sibling=$!
taskset -p 4 $sibling > /dev/null
settings > settings_before; masks > masks_before
if [ $online != 0-3 ]; then
  must_fail shield on --cpus 3 --housekeeping 0-2 --smt 2> "$OUT/smt_refused.txt"
  grep -q 'CPU 2 cannot go offline and keep house' "$OUT/smt_refused.txt" || fail "$(cat "$OUT/smt_refused.txt")"
fi
shield on --cpus 3 --smt --mount --timers > "$OUT/on_request.txt"
grep -qE '^timers +done +CPU 3 went offline and came back$' "$OUT/on_request.txt" || fail "$(cat "$OUT/on_request.txt")"
dmesg | grep -q 'CPU 3 is now offline' || fail "CPU 3 was never offline"
[ "$(cat /sys/devices/system/cpu/online)" = $online ] || fail "online are $(cat /sys/devices/system/cpu/online)"
[ "$(allowed $free)" = $others ] || fail "a free thread may use $(allowed $free)"
[ $online = 0-3 ] || [ "$(allowed $sibling)" = $others ] || fail "a thread of the sibling may use $(allowed $sibling)"
grep -q ' /sys/kernel/tracing tracefs ' /proc/mounts || fail "tracefs is not mounted"
shield status
shield off
expect "CPUs are online again" "$(cat /sys/devices/system/cpu/online)" = 0-3
must_fail grep -q ' /sys/kernel/tracing tracefs ' /proc/mounts
as_before "SMT siblings and mounts"
kill $sibling

# SIGKILL at twelve times of on, from its beginning to its end; and at as many of the off after it.
now_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }
begun=$(now_ms)
shield on -q --cpus 1
took=$(( $(now_ms) - begun ))
begun=$(now_ms)
shield off -q
took_off=$(( $(now_ms) - begun ))
killed=0; killed_off=0; round=0
while [ $round -lt 12 ]; do
  round=$((round + 1))
  maxlat shield on -q --cpus 1 --journal "$journal" > /dev/null 2>&1 & on=$!
  usleep $(( round * took * 1000 / 13 ))
  kill -9 $on 2> /dev/null || true
  status=0; wait $on 2> /dev/null || status=$?
  [ $status -ne 137 ] || killed=$((killed + 1))
  maxlat shield off -q --journal "$journal" > /dev/null 2>&1 & off=$!
  usleep $(( (round * 7 % 13) * took_off * 1000 / 13 ))  # not in step with the kill of on
  kill -9 $off 2> /dev/null || true
  status=0; wait $off 2> /dev/null || status=$?
  [ $status -ne 137 ] || killed_off=$((killed_off + 1))
  shield off -q
  settings > now
  diff settings_before now || fail "leftovers after SIGKILL in round $round"
done
as_before "SIGKILL, $killed times of on and $killed_off times of off"
expect "times that on was killed" $killed -ge 4
expect "times that off was killed" $killed_off -ge 2
kill $free $pinned $wide
