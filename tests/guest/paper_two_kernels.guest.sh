#!/bin/sh
# Beamonte 2015's main finding, in instructions, on a standard kernel (on PREEMPT_RT: exact_comparison.guest.sh): who delivers
# by a timer takes the wake-up of the consumer out of the traced thread, so its longest event is shorter. For LTTng-UST and
# for ours. docs/repeat-the-papers.md has the figures (paper_arms.awk).
# guest-mode: exact
# guest-kernels: standard
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-needs: lttng lttng-sessiond babeltrace2
# guest-files: docs/repeat-the-papers.md tests/guest/paper_arms.awk
# guest-timeout_s: 300
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
on_host_userland test -x "$HOST_MAXLAT" || skip "no maxlat with plug-ins (run_guest_test --host-maxlat FILE)"
load maxlat_irqoff allow_unwatched=1
status=0
on_host_userland "$HOST_MAXLAT" npt --compare none,lttng-ust:writer,size=4k,lttng-ust:timer,size=4k,maxlat:wakeup,size=4k,maxlat:timer,size=4k \
  -a 0 -l 400 --rounds 1 --seed 1 --outliers 0 -q --json - > "$OUT/arms.json" || status=$?
expect "exit status of npt" "$status" -eq 0

of() { arm_figure "$OUT/arms.json" "$1" "$2"; }  # ARM KEY
for arm in none lttng-ust:writer lttng-ust:timer maxlat:wakeup maxlat:timer; do
  echo "$arm: min $(of $arm min_ns), mean $(of $arm mean_ns), max $(of $arm max_ns), deviation $(of $arm stddev_ns)"
done
against_the_page "On a standard kernel, in instructions" "min p50 mean max variance deviation" "none lttng-ust:timer maxlat:timer" "$OUT/arms.json"
for pair in lttng-ust:writer/lttng-ust:timer maxlat:wakeup/maxlat:timer; do
  expect "the longest event of ${pair#*/}, twice, and of ${pair%/*}" $((2 * $(of ${pair#*/} max_ns))) -le "$(of ${pair%/*} max_ns)"
done
