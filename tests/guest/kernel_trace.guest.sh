#!/bin/sh
# The kernel tracer's module: user space reads the kernel's events from rings that it has mapped read-only, every one as it
# was; what is bad input is refused; the module can go when nobody has it.
# guest-mode: interleaved
# guest-append: tsc=reliable clocksource=tsc
load maxlat_trace
kernel_trace_reader 20 > "$OUT/read.txt" &
reader=$!
while [ -d /proc/$reader ]; do ls /share > /dev/null; usleep 1000; done # 9p: interrupts of a device
wait $reader || fail "$(cat "$OUT/read.txt")"
cat "$OUT/read.txt"
number() { sed -n "s/.*\<$1 \([0-9]*\).*/\1/p" "$OUT/read.txt" | head -n 1; }
expect "events read" "$(number read)" -eq "$(number delivered)"
expect "events lost" "$(number lost)" -eq 0
expect "switches that do not begin where the last one ended" "$(number broken)" -eq 0
expect "interrupts and softirqs without their end" "$(number unpaired)" -eq 0
expect "stamps that go back" "$(number back)" -eq 0
expect "switches to the reader itself" "$(number own)" -ge 20
for event in sched_switch sched_waking irq_handler_entry softirq_entry hrtimer_expire_entry; do
  expect "$event" "$(number $event)" -gt 0
done
rmmod maxlat_trace
load maxlat_trace
