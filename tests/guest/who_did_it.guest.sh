# SPDX-License-Identifier: MIT
# Who had the time of npt's largest gaps, on this kernel: planted timer interrupts and a task of higher priority are named in the gaps
# that they made, and in no run without them, by tracefs and by our module; the trace instance is gone behind it.
# guest-mode: interleaved
# guest-timeout_s: 120
# The first two: RCU waits for no loop. The others: the emulated counter is unstable else.
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
echo -1 > /proc/sys/kernel/sched_rt_runtime_us  # a plant in a rest could not be seen
taskset -p 1 $$ > /dev/null                      # behind the loop this shell would wait for its end
load maxlat_planter
plants=40
# Starts it, and returns when it shows how far its loop is: what is planted from now on is in its gaps.
start() { # NAME BACKEND-THAT-RECORDS
  name=$1
  backend=$2
  "$MAXLAT" npt -a 1 -p 60 -i --trust-counter -D 60s --rest 0 --kernel-events --outliers 500 --json "$OUT/$name.json" > "$OUT/$name.txt" 2> "$OUT/$name.progress" &
  pid=$!
  until grep -q '%' "$OUT/$name.progress"; do
    [ -d /proc/$pid ] || { cat "$OUT/$name.txt" "$OUT/$name.progress"; fail "it ended"; }
    usleep 20000
  done
}
end() {
  kill -INT $pid
  status=0
  wait $pid || status=$?
  case $status in 0|3) ;; *) cat "$OUT/$name.txt"; fail "exit status $status" ;; esac  # 3: a task had its CPU, as it was meant to
  grep "^# Kernel events: recorded by $backend," "$OUT/$name.txt" || fail "it does not record so: $(cat "$OUT/$name.txt")"
  # One of the first moment may have found no room among those that are asked about; then the largest has no names.
  grep '^# Largest gap:' "$OUT/$name.txt" || grep '^# Warning: .*came too fast to be accounted for' "$OUT/$name.txt" || fail "the largest gap has no names, and no word why"
}
# How many gaps have a part whose line matches.
having() { grep -cE "$2" "$OUT/$1.json" || true; }

# Another loop, above this one's priority, that takes its CPU for a tenth of each second.
start intruded tracefs
"$MAXLAT" npt -a 1 -p 70 -i --trust-counter -D 3s --rest 900ms -q > /dev/null 2>&1 || true
end
expect "gaps that a task of priority 70 is in, three seconds with one each, of which a busy host may spoil one" "$(having intruded 'task.*real-time 70')" -ge 2
expect "planted timer interrupts in a run without any" "$(having intruded on_stall)" -eq 0

load maxlat_trace  # from here on it is the first that can
start stalls module
plant cpu 1
plant stall 50000000 25000000 1000000 $plants
until [ "$(ledger | grep -c '^stall')" -eq $plants ]; do usleep 20000; done
end
# On a busy host a gap has several of them: its part has their count.
named=$(grep -oE '"on_stall","ns":[1-9][0-9]{6,}[0-9.]*,"count":[0-9]+' "$OUT/stalls.json" | awk -F: '{ n += $NF } END { print n + 0 }')
smallest=$(grep -oE '"latency_ns":[0-9]+' "$OUT/stalls.json" | sed 's/.*://' | sort -n | head -n 1)
if [ "$smallest" -lt 1000000 ]; then
  expect "timer interrupts of a millisecond named, of $plants" "$named" -ge $((plants * 95 / 100))
else
  echo "the host took so much that 500 gaps are longer than a planted one: the table of the whole run alone has all of them"
fi
# The table of the whole run: all of them, with at least the time that each was to take; and where each has its gap, exactly what the
# gaps have of them.
row=$(grep -oE '"class":"hrtimer","name":"on_stall","count":[0-9]+,"ns":[0-9]+' "$OUT/stalls.json" || true)
in_all=${row##*:}
in_gaps=$(grep -oE '"on_stall","ns":[0-9.]+' "$OUT/stalls.json" | awk -F: '{ ns += $2 } END { printf "%d", ns }')
expect "timer interrupts counted in the run, of $plants" "$(echo "$row" | sed 's/.*"count":\([0-9]*\).*/\1/')" -eq $plants
expect "their time in all, in ns, of $plants ms" "$in_all" -ge $((plants * 1000000))
expect "and what is left of it without that in the gaps" $((in_all - in_gaps)) -ge -$plants
[ "$(having stalls '"on_stall","ns":[1-9][0-9]{6}')" -lt $plants ] || expect "which is nothing" $((in_all - in_gaps)) -le $plants
expect "tasks of priority 70 in a run without any" "$(having stalls 'real-time 70')" -eq 0
expect "trace instances left" "$(ls /sys/kernel/tracing/instances | grep -c maxlat-kernel || true)" -eq 0
