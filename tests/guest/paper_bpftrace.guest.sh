#!/bin/sh
# SPDX-License-Identifier: MIT
# bpftrace, the heir of DTrace (Desnoyers 2012, section 5.8), against our tracers, in instructions: attached to npt's static probe,
# where it counts or stores three values of an event, and to the system calls of the kernel. Every event that it stores is in its
# output. docs/repeat-the-papers.md has the figures (paper_arms.awk).
# guest-mode: exact
# guest-kernels: rt
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-packages: bpftrace+
# guest-files: docs/repeat-the-papers.md tests/guest/paper_arms.awk
# guest-timeout_s: 300
on_host_userland test -x "$HOST_MAXLAT" || skip "no maxlat with plug-ins (run_guest_test --host-maxlat FILE)"
load maxlat_irqoff allow_unwatched=1
load maxlat_trace
loops=200

# attach NAME ACTIONS: bpftrace does that until detach; what it prints is in $OUT/NAME.txt
attach() {
  : > "$OUT/$1.txt"
  on_host_userland bpftrace -e "BEGIN { printf(\"ready\\n\"); } $2" > "$OUT/$1.txt" 2>&1 &
  tracer=$!
  wait_for_one $tracer ready "$OUT/$1.txt"
}
detach() { kill -INT "$(pidof bpftrace)"; wait $tracer || true; }
# compare NAME ARMS: into $OUT/NAME.json
compare() {
  status=0
  on_host_userland "$HOST_MAXLAT" npt --compare "$2" -a 0 -l $loops --rounds 1 --seed 1 --outliers 0 -q --json - > "$OUT/$1.json" || status=$?
  expect "exit status of npt, $1" "$status" -eq 0
}
stored() { grep -c '^[0-9]* [0-9]* [0-9]*$' "$OUT/$1.txt" || true; }  # NAME
of() { arm_figure "$OUT/$1.json" "$2" p50; }  # NAME ARM

loop=usdt:${HOST_MAXLAT%/*}/maxlat-arms/usdt.so:npt:loop
of_program=none,usdt,maxlat:timer,size=4k
compare alone $of_program
attach counts "$loop { @events = count(); }"
compare counts $of_program
detach
# A loop has warm-up events, too: as many as maxlat:timer recorded, but for its begin and its end.
produced=$(sed -n 's/.*"events":{"produced":\([0-9]*\),.*/\1/p' "$OUT/alone.json" | head -n 1)
expect "events that bpftrace counted" "$(sed -n 's/^@events: //p' "$OUT/counts.txt")" -eq $((produced - 2))
attach stores "$loop { printf(\"%lu %ld %ld\\n\", nsecs, arg0, arg1); }"
compare stores $of_program
detach
expect "events that bpftrace stored" "$(stored stores)" -eq $((produced - 2))

# Of the kernel's system calls those that npt's loop makes, or bpftrace would trace what it does itself to store them.
of_kernel=kernel:none,kernel:ftrace,size=4k,kernel:maxlat,size=4k
call=110 # getppid()
compare kernel_alone $of_kernel
attach kernel "tracepoint:raw_syscalls:sys_enter /args->id == $call/ { printf(\"%lu %ld %ld\\n\", nsecs, args->id, args->args[0]); }
  tracepoint:raw_syscalls:sys_exit /args->id == $call/ { printf(\"%lu %ld %ld\\n\", nsecs, args->id, args->ret); }"
compare kernel $of_kernel
detach
expect "begins and ends of calls that bpftrace stored, of four runs" "$(stored kernel)" -ge $((4 * 2 * loops))

for arm in none usdt maxlat:timer; do
  echo "$arm: p50 $(of alone $arm), while bpftrace counts $(of counts $arm), while it stores $(of stores $arm)"
done
for arm in kernel:none kernel:ftrace kernel:maxlat; do echo "$arm: p50 $(of kernel_alone $arm), with bpftrace $(of kernel $arm)"; done
against_the_page "bpftrace at a probe of a program" "p50 max - - - -" "none usdt maxlat:timer" "$OUT/alone.json"
against_the_page "bpftrace at a probe of a program" "- - p50 max - -" "none maxlat:timer" "$OUT/counts.json"
against_the_page "bpftrace at a probe of a program" "- - - - p50 max" "none maxlat:timer" "$OUT/stores.json"
against_the_page "bpftrace at system calls" "p50 -" none "$OUT/kernel_alone.json"
against_the_page "bpftrace at system calls" "- p50" none "$OUT/kernel.json"
# added NAME-WITH ARM NAME-WITHOUT BASE: instructions
added() { echo $(($(of "$1" "$2") - $(of "$3" "$4"))); }
expect "what bpftrace adds to an event of a program, against six times ours" "$(added stores usdt alone none)" -gt \
  $((6 * $(added alone maxlat:timer alone none)))
expect "what bpftrace adds to a system call, against six times ours" "$(added kernel kernel:none kernel_alone kernel:none)" -gt \
  $((6 * $(added kernel_alone kernel:maxlat kernel_alone kernel:none)))
