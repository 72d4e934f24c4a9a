#!/bin/sh
# The whole `maxlat run --profile quick` on an isolated CPU of a PREEMPT_RT kernel with the modules loaded, its phases
# shortened (emulation is slow); the report is brought back. The hardware phase is the module's, and the run says what it
# was. Who had most of the largest samples has a name. Tracers are left to other tests. Whether the control finds its
# stalls is left to the emulation's noise: its verdict may be "not valid" (3).
# guest-mode: interleaved
# guest-cpu: max,+invtsc,x-force-features=on
# guest-kernels: rt-backports
# guest-userland: host
# guest-needs: cyclictest hackbench gnuplot
# guest-append: isolcpus=nohz,domain,managed_irq,1 nohz_full=1 rcu_nocbs=1 tsc=reliable clocksource=tsc
# guest-timeout_s: 600
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_hwlat
load maxlat_irqoff
cp "$MAXLAT" /tmp/maxlat
"$MAXLAT" run --profile quick --print-plan |
  sed 's/^duration = .*/duration = "3s"/; s/^repeats = .*/repeats = 2/; s/^lengths = .*/lengths = ["20ms"]/' > /tmp/plan.toml
status=0
on_host_userland /tmp/maxlat run --plan /tmp/plan.toml --skip tracers -o /tmp/run > "$OUT/run.txt" 2>&1 || status=$?
cp -r /tmp/run/. "$OUT/"
tail -40 "$OUT/run.txt"
[ $status -eq 0 ] || [ $status -eq 3 ] || fail "exit status $status"
[ -s "$OUT/report.html" ] || fail "no report"
grep -q '"back end": "kernel module maxlat_hwlat"' "$OUT/result.json" || fail "the hardware phase is not the module's"
must_fail grep -q '"status": "failed"' "$OUT/result.json"
# Who had the largest samples: watched by tracefs, which nobody has mounted, wherever interrupts are on.
cat > /tmp/culprits.py <<'PYTHON'
import json, sys
for phase in json.load(open(sys.argv[1]))["phases"]:
    if phase["kind"] not in ("npt", "cyclictest"):
        continue
    told = phase["facts"]["kernel events"]
    samples = [one for cpu in phase["per_cpu"] for one in cpu["outliers"] if one.get("accounting")]
    samples += [one for cpu in phase.get("interference", []) for one in cpu.get("wakeups", [])]
    named = [one["culprit"] for one in samples if one["culprit"] != "nobody"]
    print(f"{phase['name']}: {told}; {len(named)} of {len(samples)} with a culprit: {sorted(set(named))}")
    if not told.startswith("recorded by tracefs") or not named:
        sys.exit(1)
PYTHON
on_host_userland python3 /tmp/culprits.py /tmp/run/result.json || fail "nobody is named"
for phase in "npt idle" "npt under load"; do
  grep -q "largest: $phase: .* on CPU 1: " "$OUT/run.txt" || fail "the summary does not say who had the largest of $phase"
done
grep -q '"kernel events": "not recorded: ' "$OUT/result.json" || fail "the module's phase does not say why nobody watched it"
for phase in "hardware latency" "npt idle" "npt under load" "cyclictest under load"; do
  grep -q "\"name\": \"$phase\"" "$OUT/result.json" || fail "no phase $phase"
done
grep -q 'kernel module maxlat_hwlat' "$OUT/report.html" || fail "the report does not name the back end"
