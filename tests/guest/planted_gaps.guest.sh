# SPDX-License-Identifier: MIT
# Who had the time of a gap, to the instruction: a hundred plants of each kind are named, by tracefs and by our module, each with its
# length, and nothing is that was not there (docs/who-did-it.md has the figures). The parts of each gap are the gap: the program looks.
# guest-mode: exact
# guest-cpu: max,+invtsc,x-force-features=on
mount -t tracefs none /sys/kernel/tracing 2>/dev/null || true
echo -1 > /proc/sys/kernel/sched_rt_runtime_us  # the loop is never stopped for the others' sake
load maxlat_planter
load maxlat_trace
plants=100
# Ticks are 4 ms apart. Of a series whose period divides that, an eighth could meet the handler of a tick, and be its time.
series="1000000 510000 100000 $plants"  # first, every, length in ns
# judge KIND PATTERN FILE [MOST]: $planted, $named (more than half of the gap is of the PATTERN), $wrong (a gap that has a part of it and no
# plant), $off (those that differ from what was planted by more than MOST ns) and $worst (the largest difference). A tick within a
# plant has its own part, and so has a timer's interrupt that finds nothing to do, which some plants of a hundred meet.
judge() {
  eval "$(awk -v kind="$1" -v pattern="$2" -v most="${4:-0}" '
    BEGIN { planted = 0 }
    function close_gap() {
      if (matching && !has_plant) wrong++
      if (!ticked && error > worst) worst = error
      if (!ticked && error > most) off++
    }
    $1 == kind { began[planted] = $2; took[planted++] = $3; next }
    $1 == "plant" { began[planted] = $3; took[planted++] = $4; next }
    $1 == "gap" {
      close_gap()
      from = $2; to = $3; matching = 0; has_plant = 0; length_ns = 0; ticked = 0; error = 0
      for (i = 0; i < planted; i++) if (began[i] >= from && began[i] <= to) { has_plant = 1; length_ns = took[i] }
      next
    }
    $1 == "part" && $0 ~ pattern {
      matching = 1
      if (!has_plant) next
      if (2 * $2 > to - from) named++
      error = $2 - length_ns; if (error < 0) error = -error
    }
    $1 == "part" && $4 ~ "^tick_" { ticked = 1 }
    END { close_gap(); printf "planted=%d named=%d wrong=%d off=%d worst=%d\n", planted, named, wrong, off, worst }' "$3")"
}
# try BACKEND KIND PATTERN PLANT [MOST-NS-OF-DIFFERENCE]
try() {
  result="$OUT/$1-$2.txt"
  before=$(ledger | wc -l)
  planted_gaps "$1" 55 "$4" > "$result.gaps" || { cat "$result.gaps"; fail "$1, $2"; }
  case $2 in
    smi) ledger | grep '^smi' ;; # the last series only
    *) ledger | tail -n "+$((before + 1))" ;;
  esac > "$result"
  cat "$result.gaps" >> "$result"
  judge "$2" "$3" "$result" "${5-}"
  echo "$1 $2: $named of $planted named, $wrong wrong, at most $worst ns from what was planted"
  expect "planted" "$planted" -eq $plants
  expect "named" "$named" -ge $((planted * 95 / 100))
  expect "named in a gap without one" "$wrong" -eq 0
  [ $# -lt 5 ] || expect "that differ by more than $5 ns" "$off" -le $((planted * 5 / 100))
}
# What a part has beside the plant: the instructions of the recorder behind the stamp of the entry and before that of the exit, and the
# kernel's own in that context, which a tasklet has most of. A task has its two system calls and the switches beside them, some thousand
# instructions; and how long a fault took nobody but the accounting knows.
for backend in module tracefs; do
  case $backend in module) most=200 softirq_most=250 ;; *) most=1000 softirq_most=1000 ;; esac
  case $(uname -r) in [1-6].*) ;; *) most=$((most + 150)) softirq_most=$((softirq_most + 150)) ;; esac # 206 and 361 on 7.3
  planted_gaps $backend 55 none > "$OUT/$backend-none.txt" || fail "$backend, nothing planted: $(cat "$OUT/$backend-none.txt")"
  expect "gaps with nothing planted" "$(grep -c '^gap' "$OUT/$backend-none.txt")" -ge 13  # of 250 ticks in a second
  expect "of them parts that were not there" "$(grep '^part' "$OUT/$backend-none.txt" | grep -cvE ' (around|local timer|hrtimer (tick_[a-z_]*|hrtick))$')" -eq 0
  try $backend stall ' hrtimer on_stall$' "stall $series" $most
  try $backend irq-work ' ipi irq work$' "irq-work $series" $most
  try $backend irq ' irq [0-9]* maxlat_line$' "irq $series" $most
  try $backend softirq ' softirq TASKLET$' "softirq $series" $softirq_most
  try $backend nmi ' nmi$' "nmi 1000000 100000 410000 $plants" $most
  case $backend in module) named_as=' smi$' ;; *) named_as=' nothing seen: hardware or hypervisor$' ;; esac # who counts them
  try $backend smi "$named_as" "smi $series" $most
  try $backend task ' task intruder ' "task $series" 10000
  try $backend fault ' page fault$' "fault 1000000 510000 $plants"
done
