#!/bin/sh
# A machine with two NUMA nodes: every page of every ring lies on the node of the CPU that writes it, whoever made the
# ring. And one with an isolated and a tickless CPU: the tracer's own threads leave these, or are where the user says.
# guest-mode: parallel
# guest-kernels: rt-backports
# guest-cpus: 4
# guest-nodes: 2
# guest-append: isolcpus=3 nohz_full=2
for pair in 0:0-1 1:2-3; do
  list=$(cat /sys/devices/system/node/node${pair%:*}/cpulist)
  [ "$list" = "${pair#*:}" ] || fail "CPUs $list on node ${pair%:*}"
done
[ "$(cat /sys/devices/system/cpu/isolated)" = 3 ] || fail "CPU 3 is not isolated"
[ "$(cat /sys/devices/system/cpu/nohz_full)" = 2 ] || fail "CPU 2 is not tickless"

ring_nodes > "$OUT/ring_nodes.txt" || fail "ring_nodes"
cat "$OUT/ring_nodes.txt"
# on_node CASE CPU NODE
on_node() {
  # shellcheck disable=SC2046 # words
  set -- "$1" "$2" "$3" $(awk -v name="$1" -v cpu="$2" '$1 == name && $2 == cpu { print $4, $6, $8 }' "$OUT/ring_nodes.txt")
  [ $# -eq 6 ] || fail "no ring, or several: $1 of CPU $2"
  expect "$1 of CPU $2: pages of its ring" "$4" -gt 64
  if [ "$3" = 0 ]; then there=$5; else there=$6; fi
  expect "$1 of CPU $2: of them on node $3" "$there" -eq "$4"
}
for case in cpu all_locked; do
  for cpu in 0 1 2 3; do on_node $case $cpu $((cpu / 2)); done
done
for case in first_event used_again prepared; do
  for cpu in 0 2; do on_node $case $cpu $((cpu / 2)); done
done
on_node pinned_asleep 2 1

# own_threads_on CPUS CPU [MAXLAT_TRACE_CPUS]: where they are in a program that is pinned to CPU
own_threads_on() {
  rm -rf /tmp/own
  mkdir /tmp/own
  MAXLAT_TRACE_CPUS=${3-} own_threads "$2" /tmp/own > "$OUT/own_threads.txt" || fail "own_threads $2"
  for thread in maxlat-control maxlat-recorder; do
    line=$(grep "^$thread " "$OUT/own_threads.txt") || fail "no thread $thread"
    [ "$line" = "$thread $1" ] || fail "program on CPU $2, MAXLAT_TRACE_CPUS='${3-}': $line, not $1"
    echo "ok: program on CPU $2, MAXLAT_TRACE_CPUS='${3-}': $line"
  done
}
own_threads_on 0-1 3
own_threads_on 0-1 2
own_threads_on 1 3 1
own_threads_on 2-3 0 2-3
own_threads_on 3 3 inherit
