#!/bin/sh
# The exact comparison: each arm of `maxlat npt --compare`, in instructions, against the table of
# docs/exact-comparison.md. A single instruction is seen; a tracer that is slower than the tolerance fails. Our own arms are
# compared twice, in two orders, and must repeat to the digit. What our tracer of the kernel adds to a system call is held against what
# ftrace adds, and what a flight recorder of the kernel does to a loop against the loop without.
#
# Interrupts are off by the module and the events fit into the buffers, so neither timer nor consumer runs within a round.
# Nothing of our own arms lies on the host. The peers' programs do, but a round reads nothing there: memory is locked.
# guest-mode: exact
# guest-kernels: rt
# guest-cpu: max,+invtsc,x-force-features=on
# guest-idle: waits
# guest-userland: host
# guest-needs: lttng lttng-sessiond babeltrace2
# guest-files: docs/exact-comparison.md docs/kernel-ring.md tests/guest/exact_comparison.awk tracer/tools/kernel/kernel_patterns.cpp
# guest-timeout_s: 600
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
on_host_userland test -x "$HOST_MAXLAT" || skip "no maxlat with plug-ins (run_guest_test --host-maxlat FILE)"
load maxlat_irqoff allow_unwatched=1

# compare NAME SEED ARMS ROUNDS PROGRAM...: the seed is that of the order
compare() {
  name=$1 seed=$2 arms=$3 rounds=$4; shift 4
  "$@" npt --compare "$arms" -a 0 -l 400 --rounds "$rounds" --seed "$seed" --outliers 0 -q --json - > "$OUT/$name.json" || status=$?
}
status=0
own=none,delay:0ns,maxlat:timer,size=4k,maxlat:timer,overwrite,size=4k,count=2,maxlat:timer,size=4k,count=2,\
maxlat:timer,cpu,size=4k,maxlat:timer,cpu,overwrite,size=4k,count=2,maxlat:wakeup,size=4k,maxlat:wakeup,cpu,size=4k
compare own 1 $own 1 "$MAXLAT"
compare again 2 $own 1 "$MAXLAT"
compare peers 3 none,usdt,lttng-ust:timer,size=4k,lttng-ust:writer,size=4k,spdlog-async,uprobe,ftrace-marker,locked-printf 1 \
  on_host_userland "$HOST_MAXLAT"

load maxlat_trace
# A system call turns interrupts on: into one round of twenty falls a timer's. Of three rounds the smallest has none.
compare kernel 4 none,kernel:none,kernel:ftrace,size=4k,kernel:maxlat,size=4k,kernel:perf,size=4k 3 "$MAXLAT"
searched=0
"$MAXLAT" npt --find-max-rate locked-printf -a 0 -D 20ms --with-load trace:maxlat -q --json - > "$OUT/load.json" || searched=$?
expect "exit status of a search while our module traces the kernel" "$searched" -eq 0
grep -o 'the kernel traced: [1-9][0-9]* events of .* sched .*, by maxlat_trace' "$OUT/load.json" || fail "the load: $(grep '"load"' "$OUT/load.json")"

# A flight recorder of the kernel, beside a loop that nothing traces and whose interrupts are on: its gaps above 1000 instructions are
# those of the tick.
bare() { "$MAXLAT" npt -a 0 -i -D 150ms --rest 0 --outliers 0 -q --json "$OUT/$1.json" > /dev/null; }
# told NAME: "p50 P tick T", T the median of those gaps
told() {
  echo "p50 $(sed -n 's/^ *"p50": \([0-9]*\).*/\1/p' "$OUT/$1.json")" tick "$(grep '"bins":' "$OUT/$1.json" | tr '[' '\n' |
    awk -F, '$1 + 0 > 1000 { from[++bins] = $1; gaps[bins] = $3 + 0; all += $3 }
      END { do before += gaps[++i]; while (i < bins && 2 * before < all); printf "%d", from[i] }')"
}
bare unwatched
set -f
kernel_flight_recorder $(grep -o '"[a-z_]*:[a-z_*]*"' "$FILES/kernel_patterns.cpp" | tr -d '"') > "$OUT/recorder.txt" &
set +f
recorder=$!
wait_for started "$OUT/recorder.txt"
bare watched
kill $recorder
wait $recorder
unwatched=$(told unwatched) watched=$(told watched)
echo "without a flight recorder: $unwatched; with: $watched; it: $(tr '\n' ' ' < "$OUT/recorder.txt")"
expect "kinds of events that it records" "$(sed -n 's/started //p' "$OUT/recorder.txt")" -ge 30
expect "events that it recorded" "$(sed -n 's/delivered //p' "$OUT/recorder.txt")" -ge 500
[ "${unwatched% tick*}" = "${watched% tick*}" ] || fail "the loop's p50 is another with a flight recorder"
expect "a tick's gap, in instructions" "${unwatched#*tick }" -ge 1000
expect "a tick's gap with a flight recorder, at most a quarter longer" $((4 * ${watched#*tick })) -le $((5 * ${unwatched#*tick }))

elsewhere=0
on_host_userland grep -q '^VERSION_ID="12"' /etc/os-release || elsewhere=1
event=$(awk -F' *[|] *' '$2 == "`trace-sys_enter`" { print $4 }' "$FILES/kernel-ring.md")
awk -v refreshed="$OUT/exact-comparison.md" -v elsewhere=$elsewhere -v event="$event" -f "$FILES/exact_comparison.awk" \
  "$OUT/own.json" "$OUT/again.json" "$OUT/kernel.json" "$OUT/peers.json" "$FILES/exact-comparison.md"
expect "exit status of npt" "$status" -eq 0  # behind what says why
