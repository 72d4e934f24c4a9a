#!/bin/sh
# A machine with two NUMA nodes: every page of every ring lies on the node of the CPU that writes it, whoever made the
# ring; npt's books lie where its CPU is, and a load's memory where the user says. And one with an isolated and a tickless
# CPU: the tracer's own threads leave these, or are where the user says.
# guest-mode: interleaved
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

# spins PROCESS CPU: whether a thread of it that is bound to the CPU has had it for half a second
spins() {
  for task in /proc/"$1"/task/*; do
    grep -q "^Cpus_allowed_list:	$2\$" "$task/status" 2> /dev/null || continue
    [ "$(sed 's/.*) //' "$task/stat" | cut -d ' ' -f 12)" -lt 50 ] || return 0
  done
  return 1
}
# npt on one CPU of each node, each time started on the other: whoever started it, its books (with room for a million gaps of
# 16 bytes) lie where they are written.
books_on() { # CPU NODE STARTED_ON
  taskset $((1 << $3)) "$MAXLAT" npt -a "$1" -D 100s --raw /tmp/gaps --above 1s -q > /dev/null 2>&1 & npt=$!
  until spins $npt "$1"; do kill -0 $npt || fail "npt has ended"; usleep 50000; done
  # shellcheck disable=SC2046 # words
  set -- "$1" "$2" $(process_nodes $npt)
  kill -INT $npt
  wait $npt || true
  if [ "$2" = 0 ]; then there=$4; else there=$6; fi
  expect "npt of CPU $1: pages of its own memory on node $2 (of 0: $4, of 1: $6)" "$there" -ge 3000
}
books_on 1 0 2
books_on 3 1 0

# A load on the CPUs of a node has its memory there.
taskset 1 "$MAXLAT" load memory -a node1 -D 100s -q > /dev/null 2>&1 & load=$!
load_pages() { for process in $(pidof maxlat); do process_nodes "$process"; done | awk '{ a += $2; b += $4 } END { print a + 0, b + 0 }'; }
until [ "$(load_pages | cut -d ' ' -f 2)" -gt 4000 ]; do kill -0 $load || fail "the load has ended"; usleep 100000; done
# shellcheck disable=SC2046 # words
set -- $(load_pages)
kill -INT $load
wait $load || true
expect "pages of a load of node 1 there, against $1 on node 0" "$2" -ge $((4 * $1))
status=0; maxlat load cpu -a node2 -D 1s > "$OUT/no_node.txt" 2>&1 || status=$?
expect "status for a node that is not there" $status -eq 1
grep -q 'this machine has no NUMA node "node2"' "$OUT/no_node.txt" || fail "it does not say so: $(cat "$OUT/no_node.txt")"
