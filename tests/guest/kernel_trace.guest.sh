#!/bin/sh
# The kernel tracer's module: user space reads the kernel's events, all at once, from rings that it has mapped read-only,
# every one as it was, also while a CPU goes and comes back; what is bad input is refused; sessions do not disturb each
# other; an event of a quiet CPU arrives within the period; the module can go when nobody has it. Events that the module
# does not know, by their names; a flight recorder beside a program's; a session over a suspend.
# guest-mode: interleaved
# guest-timeout_s: 400
# guest-cpu: max,+invtsc,x-force-features=on
# guest-append: tsc=reliable clocksource=tsc
# guest-console_allow: version magic
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
  sched_process_free machine_counts local_timer_entry local_timer_exit reschedule_entry reschedule_exit call_function_single_entry irq_work_entry; do
  expect "$event" "$(number $event)" -gt 0
done
# The same module under `maxlat trace`: in one trace with a state dump, books that balance, and every part of an interval named.
maxlat trace record --kernel=module -o "$OUT/trace" -D 500ms 2> "$OUT/record.txt" || fail "record: $(cat "$OUT/record.txt")"
grep -q 'events of the kernel (by module), ' "$OUT/record.txt" || fail "it does not name its back end: $(cat "$OUT/record.txt")"
maxlat trace check "$OUT/trace" || fail "the recording's books: $?"
# By tracefs it has the same events, but for those of which the kernel has no tracepoint: interrupts that are sent (before 6.4), and counts.
maxlat trace record --kernel=tracefs -o "$OUT/by-tracefs" -D 10ms 2> "$OUT/record.txt" || fail "record: $(cat "$OUT/record.txt")"
events_of() { sed -n 's/^  name = "\(.*\)";$/\1/p' "$OUT/$1/kernel-0/metadata" | grep -v '_statedump_\|^ipi_send_\|^machine_counts$' | sort; }
[ "$(events_of trace)" = "$(events_of by-tracefs)" ] || fail "not the same events: $(events_of trace) and by tracefs $(events_of by-tracefs)"
maxlat trace print "$OUT/trace" -e 'sched_switch' > "$OUT/print.txt"
expect "switches in the trace" "$(wc -l < "$OUT/print.txt")" -gt 10
expect "of them in another thread than the one that leaves" "$(sed 's|.* kernel 0/cpu[0-9]*/\([0-9-]*\) .*prev_tid = \([0-9]*\),.*|\1 \2|' "$OUT/print.txt" | awk '$1 != $2' | wc -l)" -eq 0
# The recorder itself may have one CPU for all that time, on a slow machine; not both. An idle one may have no event
# before the interval, which it says.
for cpu in 0 1; do
  maxlat trace explain "$OUT/trace" --cpu $cpu --from +100ms --to +300ms >> "$OUT/explain.txt" ||
    { [ $? -eq 3 ] && tail -n 30 "$OUT/explain.txt" | grep -q 'before the history'; } || fail "explain: $(cat "$OUT/explain.txt")"
done
cat "$OUT/explain.txt"
grep -q 'task idle' "$OUT/explain.txt" || fail "a guest with nothing to do is not idle"

# Who woke a task from the other CPU, and who sent an interrupt there: on which of the two it is, the scheduler chooses.
maxlat trace record --kernel=module -o "$OUT/senders" -- sh -c 'for turn in $(seq 10); do taskset 1 ls / | taskset 2 cat; done' > /dev/null 2> "$OUT/record.txt" ||
  fail "record: $(cat "$OUT/record.txt")"
end=$(maxlat trace print "$OUT/senders" | sed -n 's/^\[\([0-9:.]*\)\].* sched_switch: .*/\1/p' | tail -n 2 | head -n 1)
woken= sent=
for cpu in 0 1; do
  other=$((1 - cpu))
  maxlat trace explain "$OUT/senders" --cpu $cpu --from +0 --to "$end" > "$OUT/explain.txt" || [ $? -eq 3 ] || fail "explain: $?"
  cat "$OUT/explain.txt"
  must_fail grep "woken by CPU $cpu,\|sent by CPU $cpu," "$OUT/explain.txt" # what a CPU did itself is no other's
  ! grep -q " task .*, woken by CPU $other, task .* (tid [0-9]*)" "$OUT/explain.txt" || woken=1
  ! grep -q " ipi [a-z ]*, sent by CPU $other, \(task .*\|in an interrupt\|in a softirq\), in [a-z_]*$" "$OUT/explain.txt" || sent=1
done
[ "$woken" ] || fail "nobody on the other CPU woke a task"
[ "$sent" ] || fail "nobody sent an interrupt"

# Events that the module does not know, a probe of another type than the tracepoint's.
kernel_raw_events refusals
kernel_raw_events known > "$OUT/raw.txt" || fail "raw events beside those of the table"
expect "switches that a raw event told as the table's did" "$(sed -n 's/switches \([0-9]*\).*/\1/p' "$OUT/raw.txt")" -ge 20
expect "system calls that it told" "$(sed -n 's/.* calls \([0-9]*\) .*/\1/p' "$OUT/raw.txt")" -ge 20
expect "switches that it did not tell" "$(sed -n 's/.*alone //p' "$OUT/raw.txt")" -le 1
load maxlat_raw_event
kernel_raw_events module
# The same by name: arguments as the kernel's own type information has them; of a module (9p), and of a function.
maxlat trace list --kernel 'kmem:kmalloc' '9p:*' kprobe:do_nanosleep > "$OUT/list.txt" || fail "list: $?"
grep -q '^  kmem:kmalloc  .* call_site uint64 ptr hex:uint64 bytes_req uint64 .*gfp_flags uint32' "$OUT/list.txt" || fail "kmalloc: $(cat "$OUT/list.txt")"
grep -q '^  kprobe:do_nanosleep  *caller hex:uint64 t hex:uint64 mode uint32$' "$OUT/list.txt" || fail "do_nanosleep: $(cat "$OUT/list.txt")"
# recorded EVENTS OPTION...: a trace in $OUT/raw of what a process does meanwhile, and its text
recorded() {
  rm -rf "$OUT/raw"
  maxlat trace record --kernel=module -e "$@" -o "$OUT/raw" -- sh -c 'ls /share > /dev/null; usleep 1000' 2> "$OUT/record.txt" || fail "$1: $(cat "$OUT/record.txt")"
  maxlat trace check "$OUT/raw" > /dev/null || fail "$1: the recording's books: $?"
  maxlat trace print "$OUT/raw" > "$OUT/print.txt"
}
recorded '9p:*,kmem:kmalloc,kprobe:do_nanosleep,sched:sched_waking,raw_syscalls:*'
grep -q ' 9p_client_req: { clnt = 0xFFFF[0-9A-F]*, type = [0-9]*, tag = [0-9]* }' "$OUT/print.txt" || fail "no request of 9p"
grep -q ' kmem_kmalloc: { call_site = [0-9]*, ptr = 0xFFFF[0-9A-F]*, bytes_req = [1-9][0-9]*, bytes_alloc = [1-9]' "$OUT/print.txt" || fail "no kmalloc"
grep -q ' kprobe:do_nanosleep: { caller = 0xFFFFFFFF[0-9A-F]*, t = 0xFFFF[0-9A-F]*, mode = [01] }' "$OUT/print.txt" || fail "no do_nanosleep"
grep -q ' sched_waking: { comm = "' "$OUT/print.txt" || fail "no event of the table beside them"
of_sleeper() { sed -n 's|.*/\([0-9]*\) .*syscall_entry_clock_nanosleep: .*|\1|p' "$OUT/print.txt" | tail -n 1; }
grep "/$(of_sleeper) .*syscall_" "$OUT/print.txt" | grep -A 1 'syscall_entry_clock_nanosleep: { id = 230, arg0 = ' |
  grep -q 'syscall_exit_clock_nanosleep: { id = 230, ret = 0 }' || fail "no exit behind the entry of a system call"
# Every tracepoint of the kernel, at once; on one kernel, because a probe takes milliseconds to attach here.
if uname -r | grep -q "^6.12"; then
  recorded "$(ls /sys/kernel/tracing/events | grep -vx 'ftrace\|syscalls\|enable\|header.*' | sed 's/$/:*/' | paste -sd ,)" --kernel-size 32M
  expect "tracepoints of the kernel in one trace" "$(grep -c '^event {' "$OUT/raw/kernel-0/metadata")" -gt 500
fi
# refused WHY STATUS EVENTS OPTION...
refused() {
  why=$1 wanted=$2 status=0
  shift 2
  maxlat trace record -o "$OUT/none" -D 10ms -e "$@" 2> "$OUT/none.txt" || status=$?
  [ $status -eq "$wanted" ] && grep -q "$why" "$OUT/none.txt" || fail "$1: status $status, $(cat "$OUT/none.txt")"
  [ ! -e "$OUT/none" ] || fail "$1: a folder is left"
}
refused 'this kernel has no event "kmem:no_such"' 1 kmem:no_such --kernel=module
refused 'this kernel has no function "no_such_function"' 1 kprobe:no_such_function --kernel
refused 'the kernel allows no probe at the function "exc_int3"' 1 kprobe:exc_int3 --kernel
refused 'a function is named by its whole symbol' 1 'kprobe:do_*' --kernel
refused 'tracefs records no functions' 77 kprobe:do_nanosleep --kernel=tracefs
refused 'raw_syscalls:sys_enter' 77 syscalls:sys_enter_openat --kernel=module
# A module that is there and has no session left: the next back end, which says why it is not the first.
kernel_trace_sessions hold 8 sched:sched_process_exit > "$OUT/hold.txt" &
holder=$!
wait_for started "$OUT/hold.txt"
refused '8 sessions use /dev/maxlat_trace already' 77 'sched:*' --kernel=module
[ "$(wc -l < "$OUT/none.txt")" -eq 1 ] || fail "more than a line: $(cat "$OUT/none.txt")"
recorded_by_the_next() {
  rm -rf "$OUT/next"
  maxlat trace record --kernel -e 'sched:*' -o "$OUT/next" -D 20ms 2> "$OUT/record.txt" || fail "the next back end: $? $(cat "$OUT/record.txt")"
  grep -q 'events of the kernel (by tracefs)' "$OUT/record.txt" || fail "not the next back end: $(cat "$OUT/record.txt")"
}
recorded_by_the_next
grep -q 'recorded by tracefs; not by the module: 8 sessions use /dev/maxlat_trace already' "$OUT/record.txt" || fail "it does not say why: $(cat "$OUT/record.txt")"
maxlat cyclic -a 1 -D 100ms --kernel-events > "$OUT/cyclic.txt" 2>&1 || [ $? -eq 3 ] || fail "cyclic: $? $(cat "$OUT/cyclic.txt")"
grep -q 'recorded by tracefs.*not by the module: 8 sessions' "$OUT/cyclic.txt" || fail "a meter does not say why: $(cat "$OUT/cyclic.txt")"
kill $holder
wait $holder || fail "holder: $?"
load maxlat_raw_event # which has no type information
refused 'does not tell the arguments of a tracepoint "maxlat_twelve"' 77 'maxlat_raw:*' --kernel=module
rmmod maxlat_raw_event
mount -t tmpfs none /sys/kernel
mkdir /sys/kernel/tracing
mount -t tracefs none /sys/kernel/tracing
refused 'no /sys/kernel/btf/vmlinux' 77 'block:*' --kernel=module
recorded 'sched:*,kprobe:do_nanosleep'
grep -q 'not recorded: [0-9]* of "sched:\*" (this kernel does not tell' "$OUT/record.txt" || fail "what is left out is not named: $(cat "$OUT/record.txt")"
grep -q ' kprobe:do_nanosleep: { caller = .*, a0 = 0xFFFF[0-9A-F]*, a1 = ' "$OUT/print.txt" || fail "no function without types"
umount /sys/kernel/tracing /sys/kernel

# started OPTION...: a recording behind us, of the kernel alone; leaves $recorder
started() {
  maxlat trace record --kernel=module "$@" 2> "$OUT/record.txt" &
  recorder=$!
  until grep -q '^maxlat_trace [0-9]* [1-9]' /proc/modules; do [ -d /proc/$recorder ] || fail "$(cat "$OUT/record.txt")"; usleep 1000; done
}
# ended: it is asked to end, and does
ended() {
  kill -INT $recorder
  wait $recorder || fail "record: $? $(cat "$OUT/record.txt")"
}
# Flight recorder: each snapshot is a trace of its own with a state dump; what one has, the next has not.
started --flight-recorder --kernel-size 64k -e 'sched:*,kmem:kmalloc' -o "$OUT/flight"
for more in $(seq 300); do true | true; done # more than the buffers hold
kill -USR1 $recorder
wait_for 'snapshot: ' "$OUT/record.txt"
ended
maxlat trace check "$OUT/flight" || fail "the flight recorder's books: $?"
grep -q ' older events overwritten' "$OUT/record.txt" || fail "nothing was overwritten: $(cat "$OUT/record.txt")"
of_cpu_0() { maxlat trace print "$OUT/flight/$1" | sed -n 's/^\[\([0-9:.]*\)\] kernel 0.cpu0.* sched_.*/\1/p'; }
expect "processes in the state dump" "$(maxlat trace print "$OUT/flight/2" | grep -c ' lttng_statedump_process_state: ')" -gt 10
{ of_cpu_0 1 | tail -n 1; of_cpu_0 2 | head -n 1; } > "$OUT/border.txt"
expect "ends of two snapshots" "$(wc -l < "$OUT/border.txt")" -eq 2
sort -cu "$OUT/border.txt" || fail "the second snapshot has what the first one has"
# One that a program's session is asked for has the kernel's events of that moment, too.
maxlat trace record --kernel=module --flight-recorder -e 'sched:*,guest:*' -o "$OUT/both" -- guest_steps "$OUT/enough" > "$OUT/record.txt" 2>&1 &
recorder=$!
wait_for stepped "$OUT/record.txt"
maxlat trace snapshot guest_steps > /dev/null || fail "snapshot: $?"
wait_for 'snapshot: .*/1/kernel-0' "$OUT/record.txt"
wait_for 'snapshot: .*/1/guest_steps-' "$OUT/record.txt"
touch "$OUT/enough"
wait $recorder || fail "record: $? $(cat "$OUT/record.txt")"
maxlat trace check "$OUT/both" || fail "the books of both: $?"
maxlat trace print "$OUT/both/1" > "$OUT/print.txt"
for event in sched_switch guest:step lttng_statedump_end; do grep -q " $event: " "$OUT/print.txt" || fail "no $event in the snapshot of both"; done

# Suspend: CPUs go and come back, tasks are frozen, and the session goes on. 9p of these kernels does not survive it.
umount /share
virtio=/sys/bus/virtio/drivers/9pnet_virtio
devices=$(ls $virtio | grep '^virtio')
for device in $devices; do echo "$device" > $virtio/unbind; done
started -e 'sched:*,power:suspend_resume,cpuhp:cpuhp_*' -o "$OUT/suspend"
until [ -e "$OUT/suspend/kernel-0/metadata" ]; do usleep 1000; done # it records
echo core > /sys/power/pm_test
echo 1 > /sys/module/suspend/parameters/pm_test_delay
echo mem > /sys/power/state || fail "it does not suspend"
for device in $devices; do echo "$device" > $virtio/bind; done
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /share
ended
maxlat trace check "$OUT/suspend" || fail "books over a suspend: $?"
maxlat trace print "$OUT/suspend" > "$OUT/print.txt"
expect "steps of the suspend that began" "$(grep -c ' suspend_resume: .* start = 1 ' "$OUT/print.txt")" -ge 10
expect "and ended" "$(grep -c ' suspend_resume: .* start = 0 ' "$OUT/print.txt")" -eq "$(grep -c ' suspend_resume: .* start = 1 ' "$OUT/print.txt")"
expect "steps of CPU 1 that goes and comes back, on that CPU" "$(grep -c 'kernel 0/cpu1/.* cpuhp_exit: { cpu = 1,' "$OUT/print.txt")" -ge 10
expect "switches of CPU 1 behind that" "$(sed '1,/ suspend_resume: .*val = 1, start = 0/d' "$OUT/print.txt" | sed '1,/ suspend_resume: .*val = 1, start = 0/d' | grep -c 'kernel 0/cpu1/.* sched_switch: ')" -gt 0
kernel_trace_sessions quiet
kernel_trace_sessions separate
kernel_trace_sessions killed 24
rmmod maxlat_trace

# The module of a kernel that was configured otherwise is not taken, and nobody records by it.
sed '/vermagic=/s/ mod_unload / mod_unloae /' "$MODULES/maxlat_trace.ko" > /tmp/another.ko
must_fail cmp -s "$MODULES/maxlat_trace.ko" /tmp/another.ko
must_fail insmod /tmp/another.ko 2> /dev/null
refused "the kernel tracer's module is not loaded: no /dev/maxlat_trace" 77 'sched:*' --kernel=module
recorded_by_the_next

load maxlat_trace hidden=1 checked_calls=1 # sched_switch; and as if the kernel checked the types of what it calls
refused 'CONFIG_CFI_CLANG' 77 'block:*' --kernel=module
recorded 'sched:*'
grep -q 'not recorded: what the module does not know: .*CONFIG_CFI_CLANG' "$OUT/record.txt" || fail "what is left out is not named: $(cat "$OUT/record.txt")"
kernel_trace_reader 0.3 'sched:*' > "$OUT/read.txt"
grep -qx "missing sched:sched_switch" "$OUT/read.txt" || fail "an event that the kernel lacks is not named"
expect "others, with an event that the kernel lacks" "$(number sched_waking)" -gt 0
