#!/bin/sh
# The kernel tracer's module: user space reads the kernel's events, all at once, from rings that it has mapped read-only,
# every one as it was, also while a CPU goes and comes back; what is bad input is refused; sessions do not disturb each
# other; an event of a quiet CPU arrives within the period; the module can go when nobody has it.
# guest-mode: interleaved
# guest-cpu: max,+invtsc,x-force-features=on
# guest-append: tsc=reliable clocksource=tsc
load maxlat_trace
load maxlat_planter
kernel_trace_sessions refusals
kernel_trace_reader 4 '*' > "$OUT/read.txt" &
reader=$!
wait_for started "$OUT/read.txt"
must_fail rmmod maxlat_trace 2> /dev/null
plant nmi 1000000 10000 1000000 20
for online in 0 1; do
  ls /share > /dev/null # 9p: interrupts of a device
  echo $online > /sys/devices/system/cpu/cpu1/online
done
while [ -d /proc/$reader ]; do ls /share > /dev/null; usleep 1000; done
wait $reader || fail "$(cat "$OUT/read.txt")"
cat "$OUT/read.txt"
number() { sed -n "s/.*\<$1 \([0-9]*\).*/\1/p" "$OUT/read.txt" | head -n 1; }
expect "events read" "$(number read)" -eq "$(number delivered)"
expect "events lost" "$(number lost)" -eq 0
expect "switches that do not begin where the last one ended" "$(number broken)" -eq 0
expect "interrupts and softirqs without their end" "$(number unpaired)" -eq 0
expect "stamps that go back" "$(number back)" -eq 0
expect "switches to the reader itself" "$(number own)" -ge 10
expect "CPUs that went and came back" "$(number returned)" -eq 1
expect "events that this kernel lacks" "$(grep -c missing "$OUT/read.txt")" -eq 0
for event in sched_switch sched_waking sched_wakeup sched_wakeup_new sched_migrate_task sched_process_fork \
  sched_process_exec sched_process_exit task_rename irq_handler_entry irq_handler_exit softirq_entry softirq_exit \
  hrtimer_expire_entry hrtimer_expire_exit timer_expire_entry timer_expire_exit nmi_handler ipi_send_cpu \
  page_fault_user page_fault_kernel workqueue_execute_start workqueue_execute_end rcu_utilization sys_enter sys_exit \
  local_timer_entry local_timer_exit reschedule_entry reschedule_exit call_function_single_entry irq_work_entry; do
  expect "$event" "$(number $event)" -gt 0
done
# The same module under `maxlat trace`: in one trace with a state dump, books that balance, and every part of an interval named.
maxlat trace record --kernel=module -o "$OUT/trace" -D 500ms 2> "$OUT/record.txt" || fail "record: $(cat "$OUT/record.txt")"
grep -q 'events of the kernel (by module), ' "$OUT/record.txt" || fail "it does not name its back end: $(cat "$OUT/record.txt")"
maxlat trace check "$OUT/trace" || fail "the recording's books: $?"
maxlat trace print "$OUT/trace" -e 'sched_switch' > "$OUT/print.txt"
expect "switches in the trace" "$(wc -l < "$OUT/print.txt")" -gt 10
expect "of them in another thread than the one that leaves" "$(sed 's|.* kernel 0/cpu[0-9]*/\([0-9-]*\) .*prev_tid = \([0-9]*\),.*|\1 \2|' "$OUT/print.txt" | awk '$1 != $2' | wc -l)" -eq 0
maxlat trace explain "$OUT/trace" --cpu 0 --from +100ms --to +300ms > "$OUT/explain.txt" || fail "explain: $? $(cat "$OUT/explain.txt")"
cat "$OUT/explain.txt"
grep -q 'task idle' "$OUT/explain.txt" || fail "a guest with nothing to do is not idle"
must_fail maxlat trace record --kernel=module -e 'kmem:*' -o "$OUT/none" -D 100ms 2> "$OUT/none.txt"
grep -q 'module has no event "kmem:\*"' "$OUT/none.txt" || fail "an event that the module has not: $(cat "$OUT/none.txt")"
# Events that the module does not know, a probe of another type than the tracepoint's.
kernel_raw_events refusals
kernel_raw_events known > "$OUT/raw.txt" || fail "raw events beside those of the table"
expect "switches that a raw event told as the table's did" "$(sed -n 's/switches \([0-9]*\).*/\1/p' "$OUT/raw.txt")" -ge 20
expect "that it did not tell" "$(sed -n 's/.*alone //p' "$OUT/raw.txt")" -le 1
load maxlat_raw_event
kernel_raw_events module
kernel_trace_sessions quiet
kernel_trace_sessions separate
kernel_trace_sessions killed 24
rmmod maxlat_trace

load maxlat_trace hidden=1 # sched_switch
kernel_trace_reader 0.3 'sched:*' > "$OUT/read.txt"
grep -qx "missing sched:sched_switch" "$OUT/read.txt" || fail "an event that the kernel lacks is not named"
expect "others, with an event that the kernel lacks" "$(number sched_waking)" -gt 0
