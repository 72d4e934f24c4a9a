# SPDX-License-Identifier: MIT
# cyclictest's latest wake-up is in a trace of the kernel, too, to 5 us. cyclictest reads its clock between the switch to its
# thread and the thread's next sleep. A planted stall may come there, too; so the trace has two figures, and cyclictest's is between.
# guest-mode: exact
# guest-cpu: max,+invtsc,x-force-features=on
# guest-userland: host
# guest-needs: cyclictest
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_planter
load maxlat_trace
cyclictest="cyclictest -m -p95 -t1 -i1000 -q"
on_host_userland $cyclictest -l10 > /dev/null # what it needs of the host is in memory then
plant stall 20300000 7100000 400000 240       # one of them is still on when the timer is due
"$MAXLAT" trace record --kernel=module -o "$OUT/trace" -- /bin/chroot /host /usr/bin/$cyclictest -l300 > "$OUT/cyclictest.txt" \
  2> "$OUT/record.txt" || fail "record: $? $(cat "$OUT/record.txt")"
"$MAXLAT" trace print "$OUT/trace" > "$OUT/print.txt"
# A thread of priority 95 is the measuring one. The timer that expired last before it was woken is its own.
eval "$(awk '
  function value(name) { return match($0, " " name " = -?[0-9]+") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4) + 0 : "" }
  function ns(part) { split(substr($1, 2), part, ":"); return (part[1] * 3600 + part[2] * 60 + part[3]) * 1000000000 }
  / timer_hrtimer_expire_entry: / { due = ns() - value("lateness_ns") }
  / sched_waking: / && value("tid") == meter { woken = due }
  / sched_switch: .* next_comm = "cyclictest", / && value("next_prio") == 4 {
    if (woken) { samples++; late = ns() - woken; if (late > max) max = late }
    meter = value("next_tid"); began = woken; woken = 0; next
  }
  / sched_switch: / && began && value("prev_tid") == meter {
    late = ns() - began; if (late > max_back) max_back = late
    began = 0
  }
  END { printf "samples=%d max=%d max_back=%d\n", samples, max, max_back }' "$OUT/print.txt")"
cyclictest_max=$(sed -n 's/.*Max: *//p' "$OUT/cyclictest.txt")
echo "latest wake-up: $cyclictest_max us by cyclictest; by the trace $max ns to the switch, $max_back ns to the next sleep, of $samples"
expect "wake-ups in the trace, of 300" "$samples" -ge 298
expect "the latest met a planted stall: us" "$cyclictest_max" -ge 300
expect "less to the next sleep than by cyclictest, ns" $((cyclictest_max * 1000 - max_back)) -le 5000
expect "more to the switch, ns" $((max - cyclictest_max * 1000)) -le 5000
