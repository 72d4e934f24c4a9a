# SPDX-License-Identifier: MIT
# maxlat run --shield on a real kernel, with the layout of Beamonte 2015: the measured CPU has nothing but the threads that
# measure; loads, consumers and maxlat itself are elsewhere. Afterwards everything is as it was, also after ^C and after a kill.
# guest-mode: interleaved
# guest-kernels: rt-backports
# guest-cpus: 4
# guest-cpu: max,+invtsc,x-force-features=on
# guest-userland: host
# guest-needs: cyclictest
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
# guest-timeout_s: 1000
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params).
# guest-console_allow: dl_rq_change_utilization|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
# As systemd leaves it: whoever logs in is in a scope of his own, and the root has no controller on.
mkdir -p /sys/fs/cgroup/user.slice/session-1.scope
echo $$ > /sys/fs/cgroup/user.slice/session-1.scope/cgroup.procs
cp "$MAXLAT" /tmp/maxlat
# Both plans have these.
cat > /tmp/loop_and_tracers.toml <<'PLAN'
[[phase]]
name = "loop"
kind = "npt"
duration = "3s"
loads = ["command:sleep 0.1"]
[[phase]]
name = "tracers"
kind = "tracer"
arms = ["none", "maxlat:timer"]
rounds = 2
duration = "500ms"
PLAN
cat - /tmp/loop_and_tracers.toml > /tmp/plan.toml <<'PLAN'
name = "shielded"
[[phase]]
name = "timer"
kind = "cyclictest"
duration = "3s"
loads = ["command:sleep 0.1"]
PLAN
on_host_userland true
mount -t tmpfs none /host/var/lib  # the journal's place
run() { on_host_userland /tmp/maxlat run "$@"; }
# The process itself, for a signal: what the shell knows is the shell that started it. The guards of its children have its
# name, and were started by it.
process_of_run() {
  for task in $(ls /proc | grep '^[0-9]' | sort -n); do
    ! { tr '\0' ' ' < /proc/$task/cmdline; } 2> /dev/null | grep -q '^/tmp/maxlat run' || { echo $task; break; }
  done
}
state() {
  for file in /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/watchdog_cpumask /proc/sys/vm/stat_interval \
      /sys/devices/virtual/workqueue/cpumask /proc/irq/default_smp_affinity /proc/irq/[0-9]*/smp_affinity_list \
      /sys/fs/cgroup/cgroup.subtree_control /sys/kernel/mm/transparent_hugepage/enabled; do
    [ ! -e "$file" ] || echo "$file $(cat "$file" 2>&1)"
  done
  ls -d /sys/fs/cgroup/*/
  awk '/Cpus_allowed_list/ { print $2 }' /proc/1/status
}
as_before() { state > state_now; diff state_before state_now || fail "$1: not as before"; echo "ok: $1: everything is as before"; }
state > state_before

# What runs where, looked at while the loop measures: the threads in the shield, and all others of the run.
look() {
  until grep -qs npt "$OUT/looked" || ! kill -0 "$1" 2> /dev/null; do
    for task in $(cat /sys/fs/cgroup/maxlat-shield/cgroup.threads 2> /dev/null); do
      name=$(tr '\0' ' ' < "/proc/$task/cmdline" 2> /dev/null | cut -c1-40) || continue
      policy=$(awk '/^policy/ { print $3 }' "/proc/$task/sched" 2> /dev/null) || continue
      [ "$policy" != 1 ] || echo "$name" >> "$OUT/looked"
    done
    usleep 50000
  done
}
status=0
run --plan /tmp/plan.toml --shield -a 1 -o /tmp/run > "$OUT/run.txt" 2>&1 & runs=$!
threads_while_measured /sys/fs/cgroup/maxlat-shield $runs > "$OUT/threads" & looks=$!
look $runs
echo h > /proc/sysrq-trigger  # the kernel says something while npt measures
wait $looks
wait $runs || status=$?
cp -r /tmp/run/. "$OUT/"
cat "$OUT/run.txt"
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "exit status $status"
must_fail grep -q '"status": "failed"' "$OUT/result.json"
grep -q 'an isolated partition' "$OUT/result.json" || grep -q 'is an isolated partition' "$OUT/run.txt" || fail "no isolated partition"
for phase in shield "shield audit" timer loop "tracers: maxlat:timer"; do
  grep -q "\"name\": \"$phase\"" "$OUT/result.json" || fail "no phase $phase"
done
grep -q 'cyclictest' "$OUT/looked" || fail "cyclictest measured outside the shield"
grep -q 'npt' "$OUT/looked" || fail "npt measured outside the shield"
consumer=$(awk '$1 == "maxlat-recorder" { print $2 }' "$OUT/threads" | sort -u)
[ "$consumer" = 0,2-3 ] || fail "the tracer's consumer may run on $consumer, and not on CPU 0, 2 and 3"
spoke=$(awk -F'"' '$2 == "name" && $4 ~ /^(timer|loop|tracers.*|preflight.*)$/ { phase = $4; sub(/:.*/, "", phase) } /sysrq: HELP/ { print phase }' \
  "$OUT/result.json" | sort -u)
case $spoke in loop|tracers) ;; *) fail "the kernel's message is in '$spoke', not in the phase of npt" ;; esac
as_before "a shielded run"

# With housekeeping CPUs all that is not in the shield is on them alone: who was there before, the run, its loads, the consumer. CPU 2
# and 3 are nobody's.
cat - /tmp/loop_and_tracers.toml > /tmp/house.toml <<'PLAN'
name = "one CPU keeps house"
shield = "required"
housekeeping = "0"
PLAN
status=0
run --plan /tmp/house.toml -a 1 -o /tmp/house > "$OUT/house.txt" 2>&1 & runs=$!
threads_while_measured /sys/fs/cgroup/maxlat-shield $runs | sort -u > "$OUT/all"
wait $runs || status=$?
cp /tmp/house/result.json "$OUT/house.json"
[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$OUT/house.txt"; fail "with housekeeping CPUs: exit status $status"; }
for thread in init keeper:command maxlat maxlat-recorder; do
  grep -qx "$thread 0" "$OUT/all" || { cat "$OUT/all"; fail "$thread was not seen on CPU 0 alone"; }
done
elsewhere=$(awk '$2 != "0" && $2 != "1"' "$OUT/all")  # 1: who measures
[ -z "$elsewhere" ] || fail "may run elsewhere: $elsewhere"
for fact in '"housekeeping": *"0"' '"load CPUs": *"0"'; do grep -q "$fact" "$OUT/house.json" || fail "the result does not say $fact"; done
as_before "a run with housekeeping CPUs"

# ^C in the loop.
run --plan /tmp/plan.toml --shield -a 1 -o /tmp/stopped > "$OUT/stopped.txt" 2>&1 & runs=$!
until [ -n "$(cat /sys/fs/cgroup/maxlat-shield/cgroup.threads 2> /dev/null)" ]; do usleep 20000; done
kill -INT $(process_of_run)
status=0; wait $runs || status=$?
expect "status of a run that was stopped" $status -eq 3
as_before "^C"

# A kill leaves the shield; the run that goes on finds it, and takes it off.
run --plan /tmp/plan.toml --shield -a 1 -o /tmp/killed > /dev/null 2>&1 & runs=$!
until [ -n "$(cat /sys/fs/cgroup/maxlat-shield/cgroup.threads 2> /dev/null)" ]; do usleep 20000; done
kill -9 $(process_of_run)
wait $runs 2> /dev/null || true
[ -d /sys/fs/cgroup/maxlat-shield ] || fail "the shield went off with a kill?"
status=0; run --resume /tmp/killed > "$OUT/resumed.txt" 2>&1 || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$OUT/resumed.txt"; fail "resume: exit status $status"; }
as_before "a kill and --resume"

# A load on a CPU of its own, neither measured nor housekeeping. The shield that a kill leaves keeps everybody off that CPU,
# the run that goes on, too: it takes that shield off before it looks which CPUs it has.
cat > /tmp/apart.toml <<'PLAN'
name = "a load apart"
shield = "required"
housekeeping = "0"
[[phase]]
name = "loop"
kind = "npt"
duration = "3s"
loads = ["command:sleep 0.1"]
load_cpus = "2"
PLAN
run --plan /tmp/apart.toml -a 1 -o /tmp/apart > /dev/null 2>&1 & runs=$!
until process=$(process_of_run) && [ -n "$process" ]; do usleep 20000; done  # it takes long to find: before anything is measured
until [ -n "$(cat /sys/fs/cgroup/maxlat-shield/cgroup.threads 2> /dev/null)" ]; do usleep 20000; done
kill -9 $process
wait $runs 2> /dev/null || true
expect "CPUs of who resumes" "$(awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)" = 0
status=0; run --resume /tmp/apart > "$OUT/apart.txt" 2>&1 || status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$OUT/apart.txt"; fail "resume with a load apart: exit status $status"; }
grep -q '"load CPUs": *"2"' /tmp/apart/result.json || fail "the load was not on CPU 2"
as_before "a kill and --resume with a load apart"
