#!/bin/sh
# Desnoyers 2012, section 5.6, in instructions: what lmbench's primitives take without a tracer, with our module loaded and idle,
# with its flight recorder, and with ftrace's and perf's, which record the same events. And a round trip over UDP, as Desnoyers 2009,
# section 8.4; and a compiler's run over the same file, for Table 5 of Desnoyers 2012. How many events one has is counted by name; times what each of them takes by itself (docs/kernel-ring.md) that is
# what is expected. docs/repeat-the-papers.md has the table; a tenth above it fails, and so does a row in which ours adds more
# than one of these does.
# guest-mode: exact
# guest-kernels: rt
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-packages: linux-perf+
# guest-files: docs/repeat-the-papers.md docs/kernel-ring.md tests/guest/paper_lmbench.awk tests/guest/compiled.c
calls='null read open fault fork udp'
primitives="$calls compile"
events='raw_syscalls:sys_enter raw_syscalls:sys_exit exceptions:page_fault_user exceptions:page_fault_kernel sched:sched_switch
  sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new sched:sched_migrate_task sched:sched_process_fork
  sched:sched_process_exec sched:sched_process_exit sched:sched_process_free irq:softirq_entry irq:softirq_exit'
ip link set lo up
echo 4096 > /sys/kernel/debug/fault_around_bytes # one page a fault, as then
echo 0 > /proc/sys/kernel/randomize_va_space     # where a program lies decides how many page tables fork() copies

# The compiler with its libraries, in this guest's memory: a file of the host would cost guest time, another amount in each run.
mkdir /tmp/compiler
on_host_userland sh -c 'cc1=$(gcc -print-prog-name=cc1) && cp "$cc1" $(ldd "$cc1" | grep -o "/[^ ]*") /tmp/compiler'
cat > /tmp/compiler/run << EOF
#!/bin/sh
exec /tmp/compiler/ld-linux-x86-64.so.2 --library-path /tmp/compiler /tmp/compiler/cc1 -quiet -O1 -fpreprocessed $FILES/compiled.c -o /tmp/compiler/compiled.s
EOF
chmod +x /tmp/compiler/run

# Rounds, and the turns of each: one where it is long, so that most have no tick of the timer. A compiler's run has two dozen of these.
rounds_and_turns() { case $1 in open | fork | udp) echo 401 1 ;; compile) echo 3 1 ;; *) echo 31 64 ;; esac; }
turns_of() { case $1 in compile) echo 1 ;; *) echo 64 ;; esac; }
# measured CONFIGURATION [PRIMITIVES]: a line "CONFIGURATION PRIMITIVE INSTRUCTIONS" for each
measured() {
  for primitive in ${2:-$primitives}; do
    instructions=$(lmbench_calls $primitive $(rounds_and_turns $primitive)) || fail "$primitive: $1"
    echo "$1 $primitive $instructions" >> "$OUT/figures.txt"
  done
}
measured unloaded
measured again "$calls"
load maxlat_trace
measured idle
kernel_flight_recorder $events > "$OUT/recorder.txt" &
recorder=$!
wait_for started "$OUT/recorder.txt"
measured ours
measured ours-again "$calls"
kill $recorder
wait $recorder
expect "kinds of events that ours records" "$(sed -n 's/started //p' "$OUT/recorder.txt")" -eq "$(echo $events | wc -w)"
expect "events of ours that found no room" "$(sed -n 's/lost //p' "$OUT/recorder.txt")" -eq 0

instance=/sys/kernel/tracing/instances/paper
mkdir $instance
echo 4096 > $instance/buffer_size_kb
echo x86-tsc > $instance/trace_clock
for event in $events; do echo 1 > "$instance/events/${event%:*}/${event#*:}/enable"; done
measured ftrace
# Of one round and of three: what begins and ends the program is in both. Once before, for what is new the first time.
for primitive in $primitives; do
  for rounds in 1 1 3; do
    echo > $instance/trace
    echo 1 > $instance/tracing_on
    lmbench_calls $primitive $rounds "$(turns_of $primitive)" > /dev/null
    echo 0 > $instance/tracing_on
    { cat $instance/trace; grep '^bytes: ' $instance/per_cpu/cpu0/stats; } > "$OUT/events-$primitive-$rounds.txt"
  done
done
expect "events of ftrace that found no room" "$(sed -n 's/^dropped events: //p' $instance/per_cpu/cpu0/stats)" -eq 0
echo 0 > $instance/events/enable

# perf's: a ring of 4 MiB, written from its end to its begin, which nobody reads until it is stopped. It answers when it has begun.
mkfifo /tmp/perf.control /tmp/perf.answer
: > "$OUT/perf.txt"
on_host_userland perf record -a --overwrite -m 4M -D -1 --control=fifo:/tmp/perf.control,/tmp/perf.answer -o /tmp/perf.data \
  $(for event in $events; do echo "-e $event"; done) > "$OUT/perf.txt" 2>&1 &
perf=$!
wait_for_one $perf "Events disabled" "$OUT/perf.txt"
echo enable > /tmp/perf.control
read -r answer < /tmp/perf.answer
[ "${answer%%[^a-z]*}" = ack ] || fail "perf has not begun: $answer"
measured perf
measured perf-again "$calls"
kill -INT "$(pidof perf)"
wait $perf || true
on_host_userland perf script -i /tmp/perf.data -F event > "$OUT/perf.events"
expect "kinds of events in perf's ring, of those that a CPU alone has" "$(sort -u "$OUT/perf.events" | wc -l)" -ge 13
case $(uname -r) in 6.1.*) elsewhere=0 ;; *) elsewhere=1 ;; esac # the page's figures are of that kernel
cd "$OUT" # the names of these files tell the script what they are
awk -v refreshed=repeat-the-papers.md -v elsewhere=$elsewhere -f "$FILES/paper_lmbench.awk" figures.txt events-*.txt "$FILES/kernel-ring.md" "$FILES/repeat-the-papers.md"
