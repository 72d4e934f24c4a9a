#!/bin/sh
# The exact comparison: each arm of `maxlat npt --compare`, in instructions, against the table of
# docs/exact-comparison.md. A single instruction is seen; a tracer that is slower than the tolerance fails. Our own arms are
# compared twice, in two orders, and must repeat to the digit.
#
# Interrupts are off by the module and the events fit into the buffers, so neither timer nor consumer runs within a round.
# Nothing of our own arms lies on the host. The peers' programs do, but a round reads nothing there: memory is locked.
# guest-mode: exact
# guest-kernels: rt
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-needs: lttng lttng-sessiond babeltrace2
# guest-files: docs/exact-comparison.md tests/guest/exact_comparison.awk
# guest-timeout_s: 600
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
on_host_userland test -x "$HOST_MAXLAT" || skip "no maxlat with plug-ins (run_guest_test --host-maxlat FILE)"
load maxlat_irqoff allow_unwatched=1

# compare NAME SEED ARMS PROGRAM...: the seed is that of the order
compare() {
  name=$1 seed=$2 arms=$3; shift 3
  "$@" npt --compare "$arms" -a 0 -l 400 --rounds 1 --seed "$seed" --outliers 0 -q --json - > "$OUT/$name.json" || status=$?
}
status=0
own=none,delay:0ns,maxlat:timer,size=4k,maxlat:timer,overwrite,size=4k,count=2,maxlat:timer,size=4k,count=2,\
maxlat:timer,cpu,size=4k,maxlat:timer,cpu,overwrite,size=4k,count=2,maxlat:wakeup,size=4k,maxlat:wakeup,cpu,size=4k
compare own 1 $own "$MAXLAT"
compare again 2 $own "$MAXLAT"
compare peers 3 none,usdt,lttng-ust:timer,size=4k,lttng-ust:writer,size=4k,spdlog-async,uprobe,ftrace-marker,locked-printf \
  on_host_userland "$HOST_MAXLAT"

elsewhere=0
on_host_userland grep -q '^VERSION_ID="12"' /etc/os-release || elsewhere=1
awk -v refreshed="$OUT/exact-comparison.md" -v elsewhere=$elsewhere -f "$FILES/exact_comparison.awk" \
  "$OUT/own.json" "$OUT/again.json" "$OUT/peers.json" "$FILES/exact-comparison.md"
expect "exit status of npt" "$status" -eq 0
