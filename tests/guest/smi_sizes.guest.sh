#!/bin/sh
# SMIs of 10 us, 100 us and 1 ms, planted while the module samples: each is found, to within 100 ns, as firmware.
# The shell that plants has a tenth of the one CPU, so the module samples for several times as long as planting takes.
# guest-mode: exact
load maxlat_planter
load maxlat_hwlat
for length in 10000 100000 1000000; do
  result="$OUT/$length.txt"
  hwlat_probe width=90000000 window=100000000 duration=1000000000 > "$result" &
  probe=$!
  wait_for sampled "$result"  # what is planted before the first window, nobody sees
  plant smi 10000000 2000000 $length 10
  wait $probe
  ledger > "$OUT/$length.ledger"
  match_plants "$OUT/$length.ledger" "$result"
  expect "all planted SMIs found" "$found" -eq 10
  expect "nothing invented" "$invented" -eq 0
  expect "all attributed to firmware" "$firmware" -eq 10
  expect "no NMI blamed" "$nmi" -eq 0
  expect "sizes right, ns" "$worst_error" -le 100
  expect "the histogram's sum is the exposure" "$(field sum_ticks "$result" histogram)" -eq "$(field exposure_ticks "$result" histogram)"
done
