#!/bin/sh
# Who finds how many of the same 100 SMIs of 100 us at random times over ten seconds? Our module, the kernel's hwlat
# tracer, hwlatdetect (which drives it), and rtla (6.1 has no hwnoise: osnoise, whose column HW counts what no interrupt
# explains). Each in its default setting, the module in its densest too. Which of the hundred fall between two windows
# depends on when a detector starts; so what is asserted of ours is what does not: the CPU's own count, which the module
# reads, has all of them, and it finds and sizes every one of watched time.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-userland: host
# guest-needs: hwlatdetect rtla
# guest-timeout_s: 600
load maxlat_planter
load maxlat_hwlat
series="smi-random 4711 10000000000 100000 100"
tracing=/sys/kernel/tracing
row() { printf '%-44s %6s %6s %12s\n' "$@" | tee -a "$OUT/table.txt"; }
row "detector (100 SMIs of 100 us in 10 s)" "counted" "sized" "largest, us"

watch_with_module() { # NAME FILE WIDTH WINDOW
  hwlat_probe width="$3" window="$4" duration=10200000000 threshold=10000 > "$2" &
  probe=$!
  wait_for started "$2"
  plant $series
  wait $probe
  ledger > "$OUT/ledger.txt"
  match_plants "$OUT/ledger.txt" "$2" > /dev/null
  largest=$(awk '$1 == "record" && $9 + $11 > max { max = $9 + $11 } END { printf "%.3f", max / 1000 }' "$2")
  counted=$(field smi_total "$2")
  watched=$(field smi_watched "$2")
  row "$1" "$counted" "$found" "$largest"
}
watch_with_module "maxlat_hwlat, 9.9 of 10 ms" "$OUT/module_dense.txt" 9900000 10000000
ours=$found
ours_counted=$counted
ours_watched=$watched
# Of random times a hundredth falls between two windows, and so do those of windows that the module missed.
watched_percent=$(awk '$1 == "cpu" { for (i = 1; i < NF; i++) value[$i] = $(i + 1)
                                     print int(100 * value["exposure_ns"] / value["wall_ns"]) }' "$OUT/module_dense.txt")
watch_with_module "maxlat_hwlat, 500 ms of 1 s" "$OUT/module_half.txt" 500000000 1000000000
ours_half=$found

# The kernel's tracer: one line a window, with the largest gap and the number of samples over the threshold.
echo 10 > $tracing/tracing_thresh
echo hwlat > $tracing/current_tracer
plant $series
sleep 10.2
cat $tracing/trace > "$OUT/tracer.txt"
echo nop > $tracing/current_tracer
lines=$(grep -c 'inner/outer' "$OUT/tracer.txt" || true)
counted=$(sed -n 's/.*count:\([0-9]*\).*/\1/p' "$OUT/tracer.txt" | awk '{ sum += $1 } END { print sum + 0 }')
largest=$(sed -n 's|.*inner/outer(us): *\([0-9]*\)/\([0-9]*\).*|\1\n\2|p' "$OUT/tracer.txt" | sort -n | tail -1)
row "kernel hwlat tracer, 500 ms of 1 s" "$counted" "$lines" "${largest:-none}"
tracer_sized=$lines

on_host_userland hwlatdetect --duration=10s --threshold=10us > "$OUT/hwlatdetect.txt" 2>&1 &
detector=$!
until [ "$(cat $tracing/current_tracer)" = hwlat ]; do usleep 1000; done
plant $series
wait $detector || true
cat "$OUT/hwlatdetect.txt"
lines=$(sed -n 's/^Samples recorded: *//p' "$OUT/hwlatdetect.txt")
over=$(sed -n 's/^Samples exceeding threshold: *//p' "$OUT/hwlatdetect.txt")
largest=$(sed -n 's/^Max Latency: *\([0-9]*\)us.*/\1/p' "$OUT/hwlatdetect.txt")
row "hwlatdetect" "${over:-0}" "${lines:-0}" "${largest:-none}"

on_host_userland rtla osnoise top -q -d 11s > "$OUT/rtla.txt" 2>&1 &
rtla=$!
until grep -q osnoise $tracing/instances/*/current_tracer 2>/dev/null; do usleep 1000; done
plant $series
wait $rtla || true
cat "$OUT/rtla.txt"
# a CPU's row: CPU #period runtime noise %available max-noise max-single HW NMI IRQ softirq thread
osnoise=$(awk '$2 ~ /^#/ { print $8 }' "$OUT/rtla.txt")
row "rtla osnoise, column HW" "$osnoise" 0 "$(awk '$2 ~ /^#/ { print $7 }' "$OUT/rtla.txt")"

# What hwlatdetect and rtla wrote is read by `maxlat import`, which counts as they do. The files hwlatdetect-2.4.txt and
# rtla-6.1-*.txt of import/testdata are those of a run of this test.
figures_in() { # FILE KEY: of all CPUs of the result that maxlat makes of it
  "$MAXLAT" import "$1" -o "$1.json" > /dev/null
  grep -o "\"$2\": *[0-9]*" "$1.json" | awk '{ print $2 }'
}
for what in osnoise timerlat; do
  [ $what = osnoise ] && options="-p 200000 -r 100000" || options=""  # us: ten periods
  on_host_userland rtla $what hist $options -d 2s > "$OUT/rtla-$what.txt" 2>&1
  cat "$OUT/rtla-$what.txt"
  told=$(awk '$1 == "count:" && !found { found = 1; for (i = 2; i <= NF; i++) sum += $i } END { print sum + 0 }' "$OUT/rtla-$what.txt")
  expect "rtla $what hist tells of samples" "$told" -gt 0
  expect "and of as many the result of its import" "$(figures_in "$OUT/rtla-$what.txt" samples | awk '{ sum += $1 } END { print sum + 0 }')" -eq "$told"
done
expect "hwlatdetect's largest, imported" "$(figures_in "$OUT/hwlatdetect.txt" max_ns)" -eq $((largest * 1000))

expect "ours counts every one" "$ours_counted" -eq 100
expect "and finds and sizes each of watched time" "$ours" -eq "$ours_watched"
expect "of $watched_percent % of the time, 8 less for chance" "$ours" -ge $((watched_percent - 8))
expect "the tracer counts fewer" "$counted" -lt "$ours_counted"
expect "osnoise counts no more" "$osnoise" -le "$ours_counted"
expect "the tracer sizes fewer, at its own setting too" "$tracer_sized" -lt "$ours_half"
expect "and so does hwlatdetect" "${lines:-0}" -lt "$ours_half"
