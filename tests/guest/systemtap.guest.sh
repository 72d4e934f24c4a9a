#!/bin/sh
# The arm systemtap: SystemTap attached to npt's static probes, in a kernel module of its own. Every event is in its file or
# in its own count of what it lost, the module is gone afterwards, and the cost shows against the bare probe. In one comparison with
# LTTng-UST, with and without its timer, and ours (Beamonte 2015, Table 2), on each of the two kinds of kernel.
# guest-mode: exact
# guest-kernels: rt standard
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-needs: lttng lttng-sessiond babeltrace2
# guest-files: docs/repeat-the-papers.md tests/guest/paper_arms.awk
# guest-systemtap: npt/plugins/npt.stp
# guest-console_allow: transport failures
# guest-timeout_s: 300
load maxlat_irqoff allow_unwatched=1
npt() { on_host_userland env PATH="$SYSTEMTAP/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$HOST_MAXLAT" npt -a 0 -q "$@"; }

arms='none usdt systemtap lttng-ust:writer,size=4k lttng-ust:timer,size=4k maxlat:timer,size=4k'
npt --compare "$(echo $arms | tr ' ' ,)" -l 200 --rounds 3 --seed 1 --outliers 0 --json "$OUT/out.json" > "$OUT/told.txt"
grep '"arm": "systemtap"' -A 1 "$OUT/out.json" | grep -q '"status": "ok"' || fail "$(grep -A 3 '"arm": "systemtap"' "$OUT/out.json")"
of() { arm_figure "$OUT/out.json" "${1%%,*}" "$2"; }  # ARM KEY
for arm in $arms; do
  echo "$arm: min $(of $arm min_ns), p50 $(of $arm p50), mean $(of $arm mean_ns), max $(of $arm max_ns), deviation $(of $arm stddev_ns)"
done
expect "instructions of an event with SystemTap, against $(of usdt p50) without" "$(of systemtap p50)" -ge $(($(of usdt p50) + 500))
for arm in lttng-ust:timer maxlat:timer; do
  expect "the longest event with $arm, twice, against LTTng-UST's that wakes its consumer" $((2 * $(of $arm max_ns))) -le "$(of lttng-ust:writer max_ns)"
done
case $(uname -v) in *PREEMPT_RT*) table="SystemTap and LTTng-UST" ;; *) table="SystemTap and LTTng-UST on a standard kernel" ;; esac
against_the_page "$table" "min p50 mean max variance deviation" "none usdt lttng-ust:timer maxlat:timer" "$OUT/out.json"
must_fail grep -q maxlat_npt /proc/modules

# Killed in the middle, nobody unloads the module but the next arm that starts.
npt --arm systemtap -D 60s &
wait_for '^maxlat_npt .* Live' /proc/modules
kill -KILL $(pidof maxlat)
wait $! || true
while pidof stapio > /dev/null; do usleep 1000; done  # until then it uses the module
npt --arm usdt -l 100 > /dev/null
must_fail grep -q maxlat_npt /proc/modules
