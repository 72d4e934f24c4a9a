#!/bin/sh
# What a kernel tracer on our ring stands on (docs/kernel-ring.md): an NMI traces at every instruction of a task's event;
# NMIs trace into memory that user space has mapped read-only; and what an event costs, in instructions, in our ring, in
# the kernel's, and through a tracepoint, and how long the kernel's own primitives are: against the page's tables.
# guest-mode: exact
# guest-files: docs/kernel-ring.md
load maxlat_ring_test
run() { echo "$1" > /sys/module/maxlat_ring_test/parameters/run || { dmesg | grep maxlat_ring_test; fail "$1"; }; }
told() { dmesg | sed -n "s/.*maxlat_ring_test: $1//p" | tail -n 1; }
# number NAME LINE: what stands behind the name
number() { echo "$2" | sed -n "s/.*\<$1 \([0-9]*\).*/\1/p"; }

run nmi-walk
line=$(told "nmi-walk: ")
echo "nmi-walk: $line"
expect "instructions of reserve, commit and flush that were stepped over" "$(number instructions "$line")" -ge 400
expect "of them no NMI came before" "$(number missed "$line")" -eq 0
expect "NMIs, each with books that balance" "$(number nmis "$line")" -ge 4000

line=$(nmi_ring_reader 5000)
echo "read-only mapping: $line"
expect "events of NMIs that were delivered or lost" $(($(number delivered "$line") + $(number lost "$line"))) -eq 15000
expect "of the delivered, read by user space as they were traced" "$(number read "$line")" -eq "$(number delivered "$line")"
# Another task may take the one CPU meanwhile: then NMIs go on without a reader.
expect "NMIs that came while the program was in user space" "$(number in-user-space "$line")" -ge 2500
expect "NMIs seen by the program in its memory" "$(number seen-at-once "$line")" -ge 2500

# Of p50 in the page's tables, of the ring and of the module; max is next to it, then what a further session costs.
case $(uname -r) in 6.1.*) column=3 module_column=4 ;; 6.12.*) column=5 module_column=7 ;; *) column=0 module_column=0 ;; esac
of_page() { awk -F' *[|] *' -v name="\`$1\`" -v column="$2" '$2 == name { print $column }' "$FILES/kernel-ring.md"; }
# held WHAT FIGURE EXPECTED PERCENT: every difference is named; so much more, or two instructions, fails at the end
above=0
held() {
  [ "$2" -eq "$3" ] || echo "$1: $2 instructions, the page has $3"
  more=$(($3 * $4 / 100))
  [ $more -ge 2 ] || more=2
  [ "$2" -le $(($3 + more)) ] || above=$((above + 1))
}
# cost NAME RUN PERCENT: leaves $p50 and $max
cost() {
  line=$(told "costs: $2 ")
  p50=$(number p50 "$line") max=$(number max "$line")
  echo "$1 $p50 $max" | tee -a "$OUT/figures.txt"
  [ $column -gt 0 ] || return 0
  held "$1: p50" "$p50" "$(of_page "$1" $column)" "$3"
  held "$1: max" "$max" "$(of_page "$1" $((column + 1)))" 10
}
run costs
run costs
expect "rings that cost the same to the digit in two runs" "$(dmesg | grep -o 'costs: own-ring.*' | sort | uniq -c | grep -c ' 2 ')" -eq 2
cost own-ring-overwrite own-ring-overwrite 5
cost own-ring own-ring-discard 5
own=$p50
cost irq-off-ring irq-off-ring 5
expect "our ring against one that turns interrupts off" "$own" -le "$p50"
expect "our ring alone" "$own" -le 60
cost kernel-ring kernel-ring 10
expect "our ring, twice, against the kernel's" $((2 * own)) -le "$p50"
run primitives
for name in counter-fenced local-cas locked-cas interrupts-off-and-on preemption-off-and-on local-cas-preemption-off seqlock-read spin-lock \
  spin-lock-interrupts-off; do
  cost $name $name 5
done
run tracepoint
cost tracepoint tracepoint 5
run own-probe
cost own-probe own-probe 5
own=$p50
expect "tracepoint to return, a probe of ours" "$own" -le 100
expect "its longest way" "$max" -le 350
echo 1 > /sys/kernel/tracing/events/maxlat_ring_test/maxlat_ring_cost/enable
run tracepoint
cost tracefs tracepoint 10
echo x86-tsc > /sys/kernel/tracing/trace_clock
run tracepoint
cost tracefs-tsc tracepoint 10
expect "a probe of ours, twice, against tracefs" $((2 * own)) -le "$p50"

echo 0 > /sys/kernel/tracing/events/maxlat_ring_test/maxlat_ring_cost/enable # which is attached to sched_switch, too

# The module: every kind of event, with one session and with two. Loaded and idle it costs nothing, nor when it was used.
wake_up() { run wake-up; told "costs: wake-up "; }
unloaded=$(wake_up)
load maxlat_trace
[ "$(wake_up)" = "$unloaded" ] || fail "a wake-up takes $(wake_up) with the module loaded, and $unloaded without"
# of_sessions COUNT: the costs with so many, "NAME p50 max" a line
of_sessions() {
  kernel_trace_sessions hold "$1" '*' > "$OUT/hold.txt" &
  holder=$!
  wait_for started "$OUT/hold.txt"
  run trace-costs
  [ "$(wake_up)" != "$unloaded" ] || fail "a wake-up that is traced takes no more than one that is not"
  kill $holder
  wait $holder
  [ "$(number lost "$(cat "$OUT/hold.txt")")" -eq 0 ] || fail "events were lost, which cost less: $(cat "$OUT/hold.txt")"
  for name in $(dmesg | sed -n 's/.*costs: \(trace-[a-z_]*\) .*/\1/p' | sort -u); do
    line=$(told "costs: $name ")
    echo "$name $(number p50 "$line") $(number max "$line")"
  done
}
of_sessions 1 > "$OUT/one.txt"
of_sessions 2 > "$OUT/two.txt"
[ "$(wake_up)" = "$unloaded" ] || fail "a wake-up takes $(wake_up) after the sessions, and $unloaded before"
echo "wake-up, before, loaded and afterwards: $unloaded"
expect "kinds of events that were weighed" "$(grep -c . "$OUT/one.txt")" -ge 17
column=$module_column
while read -r name p50 max; do
  further=$(($(sed -n "s/^$name \([0-9]*\) .*/\1/p" "$OUT/two.txt") - p50))
  echo "$name $p50 $max $further" | tee -a "$OUT/figures.txt"
  case $(uname -r) in [1-6].*) ;; *) continue ;; esac # figures of a later kernel are told, and not judged
  limit=100 limit_further=60
  case $name in
    trace-task_rename) limit=105 limit_further=75 ;; # two names
    trace-sched_* | trace-sys_enter) limit_further=75 ;; # more than 24 bytes
  esac
  [ "$p50" -le $limit ] || fail "$name: $p50 instructions from tracepoint to return"
  [ "$max" -le 350 ] || fail "$name: its longest way has $max instructions"
  [ $further -le $limit_further ] || fail "$name: $further instructions for a further session"
  [ $column -gt 0 ] || continue
  [ -n "$(of_page "$name" $column)" ] || fail "$name: the page has no row with figures of this kernel"
  held "$name: p50" "$p50" "$(of_page "$name" $column)" 5
  # The longest way ends a packet: by an event that fills it to the byte, or, 50 instructions longer, by one that no longer fits. Which of
  # the two it meets depends on where in its packet the ring was.
  held "$name: max" "$max" "$(of_page "$name" $((column + 1)))" 20
  held "$name: a further session" $further "$(of_page "$name" $((column + 2)))" 5
done < "$OUT/one.txt"
expect "figures above the page's, by more than what is allowed" $above -eq 0
