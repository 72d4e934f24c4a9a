#!/bin/sh
# SMIs of 10 us, 100 us and 1 ms, planted while the module samples: each is found, to within 100 ns, as firmware.
# guest-mode: exact
load maxlat_planter
load maxlat_hwlat
plant=/sys/kernel/debug/maxlat_planter
for length in 10000 100000 1000000; do
  found="$OUT/$length.txt"
  hwlat_probe width=90000000 window=100000000 duration=300000000 > "$found" &
  probe=$!
  wait_for started "$found"
  echo "smi 10000000 2000000 $length 10" > $plant/command
  wait $probe
  cat $plant/ledger > "$OUT/$length.ledger"
  cat "$found"
  expect "SMIs planted" "$(grep -c smi "$OUT/$length.ledger")" -eq 10
done
