#!/bin/sh
# `maxlat npt` and interrupts: each of the four labels in its circumstances, and what it promises. Planted SMIs are found
# to size with interrupts off; timer interrupts that take 100 us are in the gaps with interrupts on, and held off otherwise.
# guest-mode: exact
# guest-kernels: rt-backports
[ -x "$MAXLAT" ] || skip "no static maxlat (cmake --preset static && cmake --build --preset static)"
load maxlat_planter
npt() { # NAME OPTIONS...
  name=$1; shift
  status=0
  "$MAXLAT" npt -a 0 --trust-counter --json "$OUT/$name.json" -q "$@" > "$OUT/$name.txt" 2>&1 || status=$?
}
label() { # NAME TEXT: on the screen and in the result
  grep -q "interrupts $2\$" "$OUT/$1.txt" || fail "the screen should say '$2': $(cat "$OUT/$1.txt")"
  grep -q "\"interrupts\": \"$2\"" "$OUT/$1.json" || fail "the result should say '$2'"
  echo "ok: $1 is labelled '$2'"
}
max_of() { sed -n 's/.*"max_ns": \([0-9]*\).*/\1/p' "$OUT/$1.json" | head -1; }
above() { # NAME NS: how many samples, by the histogram (its bins are 0.1 % wide)
  tr -d ' \n' < "$OUT/$1.json" | sed 's/.*"bins":\[//; s/"overflow_count.*//' | tr -d '[' | tr ']' '\n' | sed 's/^,//' |
    awk -F, -v least="$2" 'NF == 3 && $2 > least { n += $3 } END { print n + 0 }'
}
replant() { rmmod maxlat_planter; load maxlat_planter; plant "$@"; }

npt ignored -D 100ms
label ignored "on: cli ignored by this kernel"
npt kernel_loop_without --kernel-loop -D 100ms
expect "--kernel-loop without the module cannot run" $status -eq 77
grep -q "maxlat_irqoff is not loaded" "$OUT/kernel_loop_without.txt" || fail "it does not say why"

load maxlat_irqoff
npt unwatched -D 100ms
label unwatched "on: cli ignored by this kernel"
grep -q 'no CPU left that could watch' "$OUT/unwatched.json" || fail "a one-CPU machine gets no grant: nobody says so"
rmmod maxlat_irqoff
load maxlat_irqoff allow_unwatched=1

measure_all() { # SUFFIX: the three ways
  npt "on$1" -i -D 100ms
  label "on$1" "on"
  npt "user$1" -D 100ms
  label "user$1" "off (module, user space)"
  npt "kernel$1" --kernel-loop -D 100ms
  label "kernel$1" "off (kernel loop)"
}
measure_all _quiet
noise=$(max_of on_quiet)
echo "without plants: on $noise ns, user space $(max_of user_quiet) ns, kernel $(max_of kernel_quiet) ns"
expect "nothing longer with interrupts off in user space, ns" "$(max_of user_quiet)" -le 1000
expect "nothing longer with interrupts off in the kernel, ns" "$(max_of kernel_quiet)" -le 1000

for length in 10000 100000 1000000; do
  replant smi 1000000 5000000 $length 240
  measure_all _$length
  for way in user kernel; do
    expect "$way: SMIs of $length ns seen in 100 ms, one each 5 ms" "$(above ${way}_$length $length)" -ge 18
    expect "$way: none of them twice" "$(above ${way}_$length $length)" -le 21
    expect "$way: the largest, ns, with what it sees without SMIs" "$(max_of ${way}_$length)" -le \
      $((length + 100 + $(max_of ${way}_quiet)))
  done
  expect "on: the largest of $length ns" "$(max_of on_$length)" -ge "$length"
  expect "on: it is longer by the interrupts that have waited" "$(max_of on_$length)" -le $((length + 2 * noise))
done

replant stall 1000000 2000000 100000 240
measure_all _storm
expect "on: a timer interrupt of 100 us is in a gap, ns" "$(max_of on_storm)" -ge 100000
expect "user: it is held off, ns" "$(max_of user_storm)" -le 1000
expect "kernel: it is held off, ns" "$(max_of kernel_storm)" -le 1000

npt count --kernel-loop -l 100000
grep -q '"samples": 100000,' "$OUT/count.json" || fail "the kernel's loop ends at the count"
npt rest --rest 60ms -D 1500ms
label rest "off (module, user space)"
npt limit --kernel-loop -D 10s -b 0.01
expect "exit status of the break limit in the kernel's loop" $status -eq 2
rmmod maxlat_irqoff
