#!/bin/sh
# The host's programs run in the guest over 9p: cyclictest as a peer, in exact mode, where its figures repeat to the
# microsecond (2000 cycles of 1 ms take 0.2 s of wall time: idle time is skipped).
# guest-mode: exact
# guest-userland: host
# guest-needs: cyclictest
on_host_userland cyclictest -m -p95 -t1 -i1000 -l2000 -q | tee "$OUT/cyclictest.txt"
max=$(sed -n 's/.*Max: *//p' "$OUT/cyclictest.txt")
expect "cyclictest ran and saw a latency" "$max" -gt 0
expect "an idle guest's worst timer latency in exact mode (us)" "$max" -le 20
