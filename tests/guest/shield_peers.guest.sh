#!/bin/sh
# SPDX-License-Identifier: MIT
# The shield beside its peers, in turns, under the same load on one machine: Debian's tuned (profile realtime) and cset
# shield. How often CPU 1 is interrupted before, with and after each of them is printed. What each keeps off the CPU, whether it
# notices that somebody undoes a part of it, and what it leaves changed when it is off are facts, and have to be those of the
# page's table. It is the boot with cgroup v1, too: cset knows no other. Our shield is there with v2, too, on the same machine.
# guest-mode: interleaved
# guest-kernels: rt
# guest-cpus: 4
# guest-timeout_s: 600
# guest-userland: host
# guest-needs: python3
# guest-files: docs/shield-peers.md
# guest-packages: tuned cpuset python3-cpuset python3-dbus python3-linux-procfs python3-gi python3-pyudev python3-future python3-six linux-perf libnuma1
# What tuned would have the boot loader do, but for isolcpus=, which makes a shield of CPU 1 before anybody begins.
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc skew_tick=1 nosoftlockup
mkdir -p /sys/fs/cgroup
mount -t tmpfs none /sys/fs/cgroup
mkdir /sys/fs/cgroup/cpuset /sys/fs/cgroup/unified
v1=yes
mount -t cgroup -o cpuset none /sys/fs/cgroup/cpuset || v1=  # Linux 6.12 of Debian has none
mount_v2() { mount -t cgroup2 none /sys/fs/cgroup/unified; }
[ -n "$v1" ] || mount_v2
journal=/tmp/shield.journal
shield() { what=$1; shift; maxlat shield "$what" --journal "$journal" "$@"; }

on_host_userland true
echo 'isolated_cores=1' > /host/etc/tuned/realtime-variables.conf

# These three have masks that their owner will want to see again.
sleep 100000 & free=$!
sleep 100000 & pinned=$!
sleep 100000 & wide=$!
taskset -p 1 $pinned > /dev/null
taskset -p 7 $wide > /dev/null
# And this device interrupts the CPU.
line=/proc/irq/$(awk -F: '/ttyS0/ { print $1 + 0 }' /proc/interrupts)/smp_affinity_list
echo 1 > "$line"

# All of /proc and /sys that one can set, the groups, and the masks of threads. What changes by itself is in two
# snapshots in a row, and no setting. (The kernel moves its workers, the rescuers of workqueues among them, and tells them by
# PF_WQ_WORKER; an interrupt's thread follows its interrupt.)
snapshot() {
  find /proc/sys /proc/irq /sys/devices/system /sys/devices/virtual/workqueue /sys/bus/workqueue /sys/kernel/mm \
    /sys/kernel/debug/sched /sys/module /sys/fs/cgroup /sys/block -type f -perm -200 \
    ! -name '*.pressure' ! -name cgroup.procs ! -name cgroup.threads ! -name tasks 2> /dev/null | xargs grep -Hs '' > "$1.all" || true
  find /sys/fs/cgroup -type d >> "$1.all"
  mount | sed 's/ (.*//' >> "$1.all"
  for task in /proc/[0-9]*; do
    { read -r name < "$task/comm"; } 2> /dev/null || continue
    case $name in irq/*|sh|usleep|find|xargs|grep|maxlat*) continue ;; esac
    { read -r stat < "$task/stat"; } 2> /dev/null || continue
    flags=${stat##*) }
    flags=${flags#* * * * * * } flags=${flags%% *}
    [ $((flags & 0x20)) -eq 0 ] || continue
    echo "$task $name $(grep -s Cpus_allowed_list "$task/status")"
  done >> "$1.all"
  sort "$1.all" > "$1"
}
leftovers() { snapshot now; diff before now | grep '^[-+][^-+]' | grep -vFf volatile > "$OUT/left_by_$1.txt" || true; }
audit() { status=0; shield audit --cpus 1 -D 1s --no-events > audit.txt || status=$?; case $status in 0|2) ;; *) cat audit.txt; fail "audit: exit status $status" ;; esac; }
# Interruptions a second of CPU 1, from the audit's table; its verdict is one word or two.
rate() { awk '$1 == 1 && $2 ~ /quiet|disturbed/ { print $3 } $1 == 1 && $2 == "only" { print $4 }' audit.txt; }

maxlat_on() {
  shield on --cpus 1 > "$OUT/maxlat_on.txt"
  [ ! -e /sys/fs/cgroup/cpuset/maxlat-shield ] || v1_of_shield > "$OUT/v1_of_shield.txt"
}
# Its groups of v1, and how many scheduling domains CPU 1 is in: none, where the kernel balances no load over it.
v1_of_shield() {
  (cd /sys/fs/cgroup/cpuset && grep '' cpuset.sched_load_balance maxlat-*/cpuset.sched_load_balance maxlat-shield/cpuset.cpu_exclusive)
  echo "domains:$(domains_of_cpu1)"
}
domains_of_cpu1() { awk '/^cpu/ { on = $1 == "cpu1" } on && /^domain/ { n++ } END { print n + 0 }' /proc/schedstat; }
maxlat_off() { shield off -q; }
# Somebody undoes a part of the shield, and its own command is asked: 0, it says so.
maxlat_notices() { # the interrupt
  echo 1 > "$line"
  status=0; shield status > "$OUT/maxlat_status.txt" || status=$?
  [ $status -eq 2 ] && grep -q "drifted: $line" "$OUT/maxlat_status.txt"
}
cset_on() { on_host_userland cset shield -c 1 -k on > "$OUT/cset_on.txt" 2>&1 || fail "cset: $(cat "$OUT/cset_on.txt")"; }
cset_off() { on_host_userland cset shield --reset > "$OUT/cset_off.txt" 2>&1 || fail "cset: $(cat "$OUT/cset_off.txt")"; }
cset_notices() { # a thread, for it moves no interrupt
  echo $free > /sys/fs/cgroup/cpuset/tasks
  status=0; on_host_userland cset shield > "$OUT/cset_status.txt" 2>&1 || status=$?
  [ $status -ne 0 ] || grep -qiE 'warn|error|drift|differ' "$OUT/cset_status.txt"
}
tuned_on() {
  mkdir -p /host/run/tuned
  on_host_userland tuned --no-dbus --no-socket -p realtime > "$OUT/tuned.txt" 2>&1 & tuned=$!
  wait_for "applied" "$OUT/tuned.txt"
}
tuned_off() { kill -TERM "$(cat /host/run/tuned/tuned.pid)"; wait $tuned || true; }

snapshot before
sleep 1
snapshot now
diff before now | sed -n 's/^[-+]\([^-+: ][^: ]*\).*/\1/p' | sort -u > volatile
echo /nothing >> volatile
snapshot before
# Interruptions a second of CPU 1 under load: programs that run where their parent may, one that asks for all CPUs, and the
# device. (Not while Python works: the CPUs of this machine take turns.)
under_load() {
  loads=
  for worker in 1 2 3; do (while [ ! -e /tmp/unloaded ]; do usleep 500; done) & loads="$loads $!"; done
  (while [ ! -e /tmp/unloaded ]; do taskset f usleep 5000; echo > /dev/ttyS0; done) & loads="$loads $!"
  audit
  : > /tmp/unloaded
  wait $loads
  rm /tmp/unloaded
  rate
}
# What differs from before in left_by_ARM.txt, each thing once: "4 `machinecheckN/ignore_ce`, 1 `writeback/cpumask`".
left_words() {
  sed 's/^[-+]//' "$1" | awk '
    $1 ~ /^\/proc\/[0-9]+$/ { print $1, "mask of `" $2 "`"; next }
    { sub(/:.*/, ""); n = split($0, part, "/"); text = part[n - 1] "/" part[n]; gsub(/[0-9]+/, "N", text); print $0, "`" text "`" }' |
    sort -u | sed 's/^[^ ]* //' | sort | uniq -c |
    awk '{ count = $1; sub(/^ *[0-9]+ /, ""); printf "%s%s %s", comma, count, $0; comma = ", " } END { if (NR == 0) printf "nothing" }'
}
# What the shield that is on keeps off CPU 1, and whether it notices: cells of the page's table.
facts() { # TOOL
  case $(cat "$line") in 1) printf 'stays on CPU 1' ;; *) printf 'is moved' ;; esac
  case $(taskset f awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status) in
    0,2-3) printf ' | does not get CPU 1' ;;
    *) printf ' | gets CPU 1' ;;
  esac
  if [ "$1" = tuned ]; then
    printf ' | not tried'
  elif "$1_notices"; then
    printf ' | says so'
  else
    printf ' | does not say so'
  fi
}
turn() { # ARM TOOL NAME: the name in the page's table
  before_s=$(under_load)
  "$2_on"
  on_s=$(under_load)
  cp audit.txt "$OUT/audit_$1.txt"
  facts=$(facts "$2")
  "$2_off"
  after_s=$(under_load)
  leftovers "$1"
  echo "$1 $before_s $on_s $after_s" >> "$OUT/peers.txt"
  echo "| $3 | $facts | $(left_words "$OUT/left_by_$1.txt") |" >> "$OUT/facts.txt"
}
: > "$OUT/peers.txt"
: > "$OUT/facts.txt"
if [ -n "$v1" ]; then
  turn maxlat_v1 maxlat "**maxlat shield**, cgroup v1"
  cat > wanted <<'V1'
cpuset.sched_load_balance:0
maxlat-shield/cpuset.sched_load_balance:0
maxlat-system/cpuset.sched_load_balance:1
maxlat-shield/cpuset.cpu_exclusive:1
domains:0
V1
  shield on -q --cpus 1
  sleep 100000 & moved=$!
  shield move -q $moved
  grep -qE '^[0-9]+:cpuset:/maxlat-shield$' /proc/$moved/cgroup || fail "a program that was moved is in $(cat /proc/$moved/cgroup)"
  expect "its CPUs" "$(awk '/Cpus_allowed_list/ { print $2 }' /proc/$moved/status)" = 1
  shield status || fail "status calls a move a drift"
  shield off -q
  grep -qE '^[0-9]+:cpuset:/$' /proc/$moved/cgroup || fail "after off a program that was moved is in $(cat /proc/$moved/cgroup)"
  expect "its CPUs after off" "$(awk '/Cpus_allowed_list/ { print $2 }' /proc/$moved/status)" = 0-3
  kill $moved
  diff wanted "$OUT/v1_of_shield.txt" || fail "the shield with v1 is not what cset and partrt make"
  expect "scheduling domains of CPU 1 afterwards" "$(domains_of_cpu1)" -ge 1
  grep -q 'groups of cgroup v1' "$OUT/maxlat_on.txt" || fail "the shield with v1 has made no groups: $(cat "$OUT/maxlat_on.txt")"
  turn cset cset "cset shield, cgroup v1"
  umount /host/sys/fs/cgroup/cpuset  # the same once more: the controller goes to v2 when nobody has the hierarchy of v1
  umount /sys/fs/cgroup/cpuset
  mount_v2
  snapshot before
else
  echo "cset cannot run on this kernel: it has no cpusets of cgroup v1"
fi
turn maxlat maxlat "**maxlat shield**, cgroup v2"
grep -q 'isolated partition of cgroup v2' "$OUT/maxlat_on.txt" || fail "the shield with v2 has made no partition: $(cat "$OUT/maxlat_on.txt")"
turn tuned tuned "tuned, profile realtime"

echo "arm before on after (interruptions of CPU 1 a second, under load)"
cat "$OUT/peers.txt"
cat "$OUT/facts.txt"
for file in "$OUT"/left_by_*; do echo "${file##*/}:"; sed 's/^/  /' "$file" | head -20; done
# On another Debian the peers are others. What our shield does is the same on all.
wrong=0
while read -r row; do
  grep -qxF "$row" "$FILES/shield-peers.md" && continue
  case $(uname -r) in 6.1.*) ;; *) case $row in *maxlat*) ;; *) continue ;; esac ;; esac
  echo "not in the page's table: $row"
  wrong=$((wrong + 1))
done < "$OUT/facts.txt"
expect "facts that are not as the page has them" $wrong -eq 0
for ours in maxlat_v1 maxlat; do
  [ -e "$OUT/left_by_$ours.txt" ] || continue
  [ ! -s "$OUT/left_by_$ours.txt" ] || fail "$ours leaves something"
  # Against what it had itself before: the rates of different arms are of different seconds, and the loads fall as they
  # may. A tenth is far above what a shield leaves (4 of 291), and below what masks of threads alone do (68 of 218).
  read -r before on <<RATES
$(awk -v arm=$ours '$1 == arm { print int($2), int($3 * 10) }' "$OUT/peers.txt")
RATES
  expect "interruptions in 10 s with $ours, in 1 s before" "$on" -lt "$before"
done
# And against theirs, in the same run: twice the larger of ours is less than the smaller of theirs.
ours=$(awk '/^maxlat/ && $3 > most { most = $3 } END { print int(20 * most) }' "$OUT/peers.txt")
theirs=$(awk '!/^maxlat/ && (least == "" || $3 < least) { least = $3 } END { print int(10 * least) }' "$OUT/peers.txt")
expect "interruptions with our shields in 20 s, with cset and tuned in 10 s" "$ours" -lt "$theirs"
