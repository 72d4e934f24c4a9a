#!/bin/sh
# 100 SMIs of 100 us at random times over five seconds, at the densest safe setting (99 % of every 10 ms): all that fall
# into watched time are found, none is invented, and the exposure is what it says. First a control run without SMIs.
# guest-mode: exact
# guest-kernels: rt-backports
load maxlat_planter
load maxlat_hwlat

hwlat_probe width=9900000 window=10000000 duration=1000000000 > "$OUT/control.txt"
expect "gaps in the control run" "$(field gaps "$OUT/control.txt")" -eq 0
echo "control run: largest gap $(field max "$OUT/control.txt" histogram) ticks of 1 ns"

result="$OUT/random.txt"
hwlat_probe width=9900000 window=10000000 duration=5200000000 > "$result" &
probe=$!
wait_for started "$result"
plant smi-random 4711 5000000000 100000 100
wait $probe
ledger > "$OUT/random.ledger"
match_plants "$OUT/random.ledger" "$result"
head -2 "$result"
watched=$(field smi_watched "$result")
expect "SMIs planted" "$planted" -eq 100
expect "all SMIs of watched time found, by the machine's own count" "$found" -eq "$watched"
expect "those missed fell into the 1 % that is not watched" "$missed" -le 8
expect "nothing invented" "$invented" -eq 0
expect "all attributed to firmware" "$firmware" -eq "$found"
exposure=$(field exposure_ns "$result")
wall=$(field wall_ns "$result")
expect "exposure, permille of wall time" $((exposure / (wall / 1000))) -ge 950
