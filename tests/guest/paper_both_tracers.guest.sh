#!/bin/sh
# Beamonte 2015, Figures 5 and 9, in instructions: programs are traced while a flight recorder has the kernel's events, too. Who
# wakes the consumer enters the kernel, where its call is traced; who delivers by a timer does not, so that its figures are those
# without the kernel's tracer, to the digit.
# guest-mode: exact
# guest-kernels: rt
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-needs: lttng lttng-sessiond babeltrace2
# guest-files: docs/repeat-the-papers.md tests/guest/paper_arms.awk
# guest-timeout_s: 300
on_host_userland test -x "$HOST_MAXLAT" || skip "no maxlat with plug-ins (run_guest_test --host-maxlat FILE)"
load maxlat_irqoff allow_unwatched=1
load maxlat_trace
arms='none lttng-ust:writer lttng-ust:timer maxlat:wakeup maxlat:timer'
# compare NAME: all of them, into $OUT/NAME.json
compare() {
  status=0
  on_host_userland "$HOST_MAXLAT" npt --compare none,lttng-ust:writer,size=4k,lttng-ust:timer,size=4k,maxlat:wakeup,size=4k,maxlat:timer,size=4k \
    -a 0 -l 400 --rounds 1 --seed 1 --outliers 0 -q --json - > "$OUT/$1.json" || status=$?
  expect "exit status of npt, $1" "$status" -eq 0
}
of() { arm_figure "$OUT/$1.json" "$2" "$3"; }  # NAME ARM KEY
compare alone
kernel_flight_recorder 'raw_syscalls:*' 'sched:*' 'irq:*' 'irq_vectors:*' 'timer:*' 'exceptions:*' > "$OUT/recorder.txt" &
recorder=$!
wait_for started "$OUT/recorder.txt"
compare both
kill $recorder
wait $recorder
for arm in $arms; do
  echo "$arm: mean $(of alone $arm mean_ns), max $(of alone $arm max_ns); with the kernel traced: mean $(of both $arm mean_ns), max $(of both $arm max_ns)"
done
still='none lttng-ust:timer maxlat:timer' # they do not enter the kernel
against_the_page "On a standard kernel, in instructions" "min p50 mean max variance deviation" "$still" "$OUT/alone.json" # on this one, too
against_the_page "Both tracers" "mean max - -" "$still" "$OUT/alone.json"
against_the_page "Both tracers" "- - mean max" "$still" "$OUT/both.json"
expect "events of the kernel meanwhile" "$(sed -n 's/delivered //p' "$OUT/recorder.txt")" -ge 1000
for arm in $still; do
  for key in p50 mean_ns max_ns; do expect "$key of $arm, with the kernel traced and without" "$(of both $arm $key)" -eq "$(of alone $arm $key)"; done
done
for pair in lttng-ust:writer/lttng-ust:timer maxlat:wakeup/maxlat:timer; do
  expect "the longest event of ${pair#*/}, twice, and of ${pair%/*}" $((2 * $(of both ${pair#*/} max_ns))) -le "$(of both ${pair%/*} max_ns)"
done
