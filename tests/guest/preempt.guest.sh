#!/bin/sh
# Preemption on a PREEMPT_RT kernel, on one CPU, where a run repeats: every pair of policies does as it must in every round,
# SCHED_DEADLINE is granted (the CPU is a root domain), a plan's phase finds the same, and nothing stays behind.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-cpu: max,+invtsc,x-force-features=on
# counts RUNNING WOKEN: "rounds preempted waited untold" of a pair
counts() { awk -F '  +' -v running="$1" -v woken="$2" '$2 == running && $3 == woken { print $5, $6, $7, $8 }' "$OUT/pairs.txt"; }
must_be() { [ "$(counts "$1" "$2")" = "$3" ] || fail "$2 over $1: $(counts "$1" "$2"), not $3"; echo "ok: $2 over $1: $3"; }

status=0
maxlat preempt -a 0 -l 10 -v --json "$OUT/pairs.json" > "$OUT/pairs.txt" || status=$?
cat "$OUT/pairs.txt"
expect "exit status" $status -eq 0
grep -q '^Pairs that did as they must: 43 of 43$' "$OUT/pairs.txt" || fail "not every pair did as it must"
must_be "SCHED_FIFO 94" "SCHED_FIFO 95" "10 10 0 0"
must_be "SCHED_RR 94" "SCHED_RR 95" "10 10 0 0"
# A thread of the kernel may have the CPU of one that is SCHED_OTHER when the other is woken: such a round tells nothing.
case $(counts SCHED_OTHER "SCHED_FIFO 94") in
  "10 10 0 0"|"10 9 0 1"|"10 8 0 2") echo "ok: SCHED_FIFO 94 over SCHED_OTHER: $(counts SCHED_OTHER "SCHED_FIFO 94")" ;;
  *) fail "SCHED_FIFO 94 over SCHED_OTHER: $(counts SCHED_OTHER "SCHED_FIFO 94")" ;;
esac
must_be "SCHED_FIFO 95" "SCHED_DEADLINE 500 us of 1.00 ms" "10 10 0 0"
must_be "SCHED_FIFO 95" "SCHED_FIFO 95" "10 0 10 0"
must_be "SCHED_FIFO 95" "SCHED_FIFO 94" "10 0 10 0"
must_be "SCHED_RR 95" "SCHED_IDLE" "10 0 10 0"
# An instruction is a nanosecond: from the expiry of the timer to the first instruction of the woken thread.
largest=$(grep -o '"max_ns": *[0-9]*' "$OUT/pairs.json" | grep -o '[0-9]*$' | sort -n | tail -n 1)
echo "largest latency of any pair: $largest ns"

printf '[[phase]]\nname = "pairs"\nkind = "preempt"\ncpus = "0"\nduration = "1s"\n' > /tmp/plan.toml
maxlat run --plan /tmp/plan.toml -o /tmp/run > "$OUT/run.txt" || { cat "$OUT/run.txt"; fail "the run of a plan: $?"; }
grep -q '"kind": *"preempt"' /tmp/run/result.json || fail "the run has no phase of this kind"
[ ! -e /tmp/run/lock ] || ! pidof maxlat || fail "a maxlat is left"
