# SPDX-License-Identifier: MIT
# A measured CPU goes offline and comes back while npt, cyclic and hwlat watch the kernel, by our module and by tracefs, and while
# preempt tests it.
# The meter of that CPU ends, the result is not valid and says why, with the time that was watched; the others go on, and the
# names in their gaps stay right: also that of a task that wakes one on a measured CPU from the CPU that came back, and from one
# that was offline when the watch began.
# guest-mode: interleaved
# The machine is that of ipi_senders, which it goes on from.
# guest-cpus: 4
# guest-cpu: max,+invtsc,x-force-features=on
# guest-timeout_s: 400
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
taskset -p 1 $$ > /dev/null
load maxlat_trace
online() { echo "$2" > "/sys/devices/system/cpu/cpu$1/online"; } # CPU 0|1
# How many threads of the meter have its priority, so that they measure.
loops() { cat /proc/$pid/task/*/stat 2> /dev/null | awk '{ sub(/.*\) /, "") } $38 == 60 { n++ } END { print n + 0 }'; }
until_loops() { # NUMBER
  until [ "$(loops)" -eq "$1" ]; do
    [ -d /proc/$pid ] || fail "$name ended: $(cat "$OUT/$name.txt")"
    usleep 20000
  done
}
begin() { # NAME COMMAND...: it has measured something when this returns
  name=$1
  shift
  "$MAXLAT" "$@" -q --json "$OUT/$name.json" > "$OUT/$name.txt" 2>&1 &
  pid=$!
  until [ -s "$OUT/$name.json" ]; do
    [ -d /proc/$pid ] || fail "$name ended: $(cat "$OUT/$name.txt")"
    usleep 20000
  done
}
# Both CPUs are measured. What is done from its return on is done without CPU 3.
leave() { # NAME COMMAND...
  begin "$@" -a 2,3 --snapshot 1s
  online 3 0
  until_loops 1
}
# It came back, and nobody measures there.
end() { # BACKEND
  kill -INT $pid
  status=0
  wait $pid || status=$?
  cat "$OUT/$name.txt"
  expect "$name: exit status" $status -eq 3
  # Who looks before it has quite gone, or when it is back, knows only that it was moved.
  grep -qE '"reason": "(CPU 3 went offline|the thread on CPU 3 was moved to another,[^;]*); it was watched for [0-9]+\.[0-9]+ s"' "$OUT/$name.json" || fail "$name: no reason: $(grep '"reason"' "$OUT/$name.json")"
  grep -q "\"recorded by $1," "$OUT/$name.json" || fail "$name: not recorded by $1"
  expect "$name: CPUs with their figures" "$(grep -c '"cpu": [23],' "$OUT/$name.json")" -ge 2
  expect "$name: gaps with names" "$(grep -c '"accounting":\[' "$OUT/$name.json")" -ge 1
  expect "$name: gaps whose parts are not the gap" "$(grep -oE '"latency_ns":[0-9.]*,("cause":"[^"]*",)?"accounting":\[[^]]*' "$OUT/$name.json" | awk '
    { split($0, whole, /[:,]/); sum = 0
      for (n = split($0, parts, /"ns":/); n > 1; n--) sum += parts[n]
      error = sum - whole[2]; if (error > 0.01 || error < -0.01) wrong++ }
    END { print NR ? wrong + 0 : "of none" }')" -eq 0
}
# Four times, by a task that is on this CPU: $ringer.
ring_from() {
  taskset $((1 << $1)) sh -c 'for ring in 1 2 3 4; do printf . >&9; usleep 250000; done' &
  ringer=$!
  wait $ringer || fail "nobody could ring"
}
mkfifo "$OUT/bell"
for backend in module tracefs; do
  woken_task 2 65 2 < "$OUT/bell" &
  woken=$!
  exec 9> "$OUT/bell"
  online 1 0
  leave npt-$backend npt -p 60 -i --trust-counter --rest 200ms --outliers 4000 -D 5m --kernel-events=$backend
  online 3 1
  online 1 1
  ring_from 1
  by_1=$ringer
  ring_from 3
  # Each switch patches the kernel, for which this CPU interrupts all others at once: one event for several targets.
  # As often as that, because only the largest gaps are kept: on a busy host most of those are others.
  turn=0
  while [ $turn -lt 100 ]; do
    for value in 1 0; do echo $value > /sys/kernel/tracing/events/oom/oom_score_adj_update/enable; done
    turn=$((turn + 1))
  done
  exec 9>&-
  end $backend
  wait $woken || true
  runs="\"name\":\"[^\"]* \(tid $woken, real-time 65\)\"[^}]*\"woken_by\":\"CPU"
  grep -oE "$runs[^\"]*" "$OUT/$name.json" || true
  named=$(grep -cE "$runs" "$OUT/$name.json" || true)
  expect "wakings that name the CPU that was offline at first, and its task, of four" "$(grep -cE "$runs 1, task [^\"]* \(tid $by_1\)" "$OUT/$name.json" || true)" -ge 1
  expect "the one that came back, of four" "$(grep -cE "$runs 3, task [^\"]* \(tid $ringer\)" "$OUT/$name.json" || true)" -ge 1
  expect "either" "$(grep -cE "$runs (1, task [^\"]* \(tid $by_1|3, task [^\"]* \(tid $ringer)\)" "$OUT/$name.json")" -eq "$named"
  patches="\"name\":\"call function\"[^}]*\"sent_by\":\"CPU 0, task [^\"]* \(tid $$\), in [a-z_]+"
  grep -oE "$patches" "$OUT/npt-$backend.json" | sed 's/.*"sent_by"://' | sort | uniq -c || true
  expect "gaps that name who interrupted all CPUs, two hundred times or more" "$(grep -cE "$patches" "$OUT/npt-$backend.json" || true)" -ge 1
  must_fail grep "not told" "$OUT/npt-$backend.txt"
  leave cyclic-$backend cyclic -p 60 -i 5ms -D 5m --kernel-events=$backend
  online 3 1
  end $backend
  leave hwlat-$backend hwlat --backend loop --priority 60 --trust-counter --window 500ms --width 250ms -D 5m --kernel-events=$backend
  online 3 1
  end $backend
done
# preempt measures one CPU after the other. Two threads that are on two CPUs preempt nobody: that is no verdict about the kernel.
begin preempt preempt -a 3 -D 5m --snapshot 100ms
online 3 0
status=0
wait $pid || status=$?
cat "$OUT/$name.txt"
expect "$name: exit status" $status -eq 3
grep -qE '"reason": "(CPU 3 went offline|the thread on CPU 3 was moved to another,[^;]*); that was pair [0-9]+ of 56"' "$OUT/$name.json" || fail "$name: no reason: $(grep '"reason"' "$OUT/$name.json")"
online 3 1
expect "trace instances and probes left" "$({ ls /sys/kernel/tracing/instances; cat /sys/kernel/tracing/kprobe_events; } | grep -c maxlat || true)" -eq 0
rm "$OUT/bell"
rmmod maxlat_trace
