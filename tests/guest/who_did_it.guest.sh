# SPDX-License-Identifier: MIT
# Who had the time of npt's largest gaps, on this kernel: planted timer interrupts and a task of higher priority are named in the gaps
# that they made, and in no run without them; the trace instance is gone behind it.
# guest-mode: interleaved
# guest-timeout_s: 120
# The first two: RCU waits for no loop. The others: the emulated counter is unstable else.
# guest-append: nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
echo -1 > /proc/sys/kernel/sched_rt_runtime_us  # a plant in a rest could not be seen
load maxlat_planter
plants=40
npt() { # NAME
  status=0
  "$MAXLAT" npt -a 1 -p 60 -i --trust-counter -D 3s --rest 0 --kernel-events --outliers 500 -q --json "$OUT/$1.json" > "$OUT/$1.txt" 2>&1 || status=$?
  case $status in 0|3) ;; *) cat "$OUT/$1.txt"; fail "exit status $status" ;; esac
  grep '^# Kernel events: recorded' "$OUT/$1.txt" || fail "it records nothing: $(cat "$OUT/$1.txt")"
  grep '^# Largest gap:' "$OUT/$1.txt"
}
# How many gaps have a part whose line matches.
having() { grep -cE "$2" "$OUT/$1.json" || true; }

# Another loop, above this one's priority, that takes its CPU for a tenth of each second.
"$MAXLAT" npt -a 1 -p 70 -i --trust-counter -D 8s --rest 900ms -q > /dev/null 2>&1 &
npt intruded
kill -INT $!
wait
expect "gaps that a task of priority 70 is in, three seconds with one each" "$(having intruded 'task.*real-time 70')" -ge 2
expect "planted timer interrupts in a run without any" "$(having intruded on_stall)" -eq 0

plant cpu 1
plant stall 1500000000 25000000 1000000 $plants
npt stalls
expect "planted timer interrupts" "$(ledger | grep -c '^stall')" -eq $plants
expect "of these are named, each with its millisecond" "$(having stalls '"on_stall","ns":[1-9][0-9]{6}')" -ge $((plants * 95 / 100))
expect "tasks of priority 70 in a run without any" "$(having stalls 'real-time 70')" -eq 0
expect "trace instances left" "$(ls /sys/kernel/tracing/instances | grep -c maxlat-kernel || true)" -eq 0
