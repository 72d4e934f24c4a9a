# SPDX-License-Identifier: MIT
# Put before every guest test. The test runs under `sh -eu`: a command that fails ends it.
fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
# must_fail COMMAND...: the command has to be refused
must_fail() { if "$@"; then fail "should have been refused: $*"; fi; }
# expect WHAT LEFT RELATION RIGHT: a numeric assertion that prints its numbers either way
expect() {
  if [ "$2" "$3" "$4" ]; then echo "ok: $1 ($2 $3 $4)"; else fail "$1: $2 $3 $4 does not hold"; fi
}
# is_as_asked FLAVOUR CPUS: the machine itself; the harness asks before every test
is_as_asked() {
  case $1 in
    rt*) uname -v | grep -q PREEMPT_RT || fail "not a PREEMPT_RT kernel: $(uname -v)" ;;
    *) ! uname -v | grep -q PREEMPT_RT || fail "a PREEMPT_RT kernel where the standard one was asked for" ;;
  esac
  cpus=$(grep -c '^processor' /proc/cpuinfo)
  [ "$cpus" -eq "$2" ] || fail "$cpus CPUs where $2 were asked for"
}
# load MODULE [parameter=value...]
load() { module=$1; shift; insmod "$MODULES/$module.ko" "$@"; }
# on_host_userland COMMAND...: runs a host program in the guest (needs guest-userland: host). /tmp is the same on both sides.
# With guest-packages their tree lies over the host's, and all of it can be written, in memory.
share_of_host() { mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose "$1" "$2"; }
mount_host() {
  [ -n "$PACKAGES" ] || { share_of_host host /host; return; }
  share_of_host host /host_alone
  share_of_host packages /packages
  insmod /modules/overlay.ko
  mkdir /written
  mount -t tmpfs none /written
  mkdir /written/upper /written/work
  mount -t overlay -o lowerdir=/packages:/host_alone,upperdir=/written/upper,workdir=/written/work none /host
}
on_host_userland() {
  if [ ! -d /host/usr ]; then
    mount_host
    for directory in dev proc sys; do mount --rbind /$directory /host/$directory; done
    mkdir -p /host/dev/shm /host/dev/pts
    for directory in run dev/shm; do mount -t tmpfs none "/host/$directory"; done
    mkdir /tmp_of_host
    mount --bind /host/tmp /tmp_of_host
    mount --bind /tmp /host/tmp
    # What is run from the host may lie below its own /tmp, in a checkout there: it keeps its place.
    for directory in "${HOST_MAXLAT%/*}" "$SYSTEMTAP"; do
      below_tmp=${directory#/tmp/}
      [ "$below_tmp" != "$directory" ] && [ -d "/tmp_of_host/$below_tmp" ] || continue
      mkdir -p "/host$directory"
      mount --bind "/tmp_of_host/$below_tmp" "/host$directory"
    done
  fi
  PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot /host "$@"
}
# wait_for PATTERN FILE: until a line of the file matches (the test's time limit ends a vain wait)
wait_for() { until grep -q "$1" "$2" 2>/dev/null; do usleep 1000; done; }
# wait_for_one PROCESS PATTERN FILE: as wait_for, of what that process writes into the file; fails where it has ended
wait_for_one() {
  until grep -q "$2" "$3"; do
    [ -d "/proc/$1" ] || fail "it has ended: $(cat "$3")"
    usleep 1000
  done
}
# arm_figure FILE ARM KEY: of npt's comparison FILE (JSON) that figure of that arm ("max_ns", "p50"), in whole instructions
arm_figure() {
  awk -v arm="\"arm\": \"$2" -v key="\"$3\":" 'index($0, arm) { inside = 1 }
    inside && index($0, key) { sub(".*" key " *", ""); printf "%d\n", $0; exit }' "$1"
}
# against_the_page HEADING COLUMNS REPEATING FILE: npt's comparison FILE against that table of docs/repeat-the-papers.md (paper_arms.awk)
against_the_page() {
  elsewhere=0
  on_host_userland grep -q '^VERSION_ID="12"' /etc/os-release || elsewhere=1
  awk -v section="$1" -v columns="$2" -v repeating="$3" -v elsewhere=$elsewhere -f "$FILES/paper_arms.awk" "$4" "$FILES/repeat-the-papers.md" ||
    fail "figures of \"$1\" are not the page's"
}
# plant COMMAND...: see planter/planter_main.c. ledger: what was really done.
plant() { echo "$*" > /sys/kernel/debug/maxlat_planter/command; }
ledger() { cat /sys/kernel/debug/maxlat_planter/ledger; }
# stop_me TIMES MS: the host stops this machine so often for so long, and lets it run half as long behind each.
stops_asked=0
stop_me() {
  stops_asked=$((stops_asked + 1))
  echo "guest: stop me $1 times for $2 ms" > /dev/console
  until [ -e /share/stopped$stops_asked ]; do usleep 50000; done
}
# match_plants LEDGER FOUND: sets $planted $found $missed $invented $firmware (gaps with a risen SMI count) $nmi and
# $worst_error (ns, of the sizes). A record belongs to a plant if the plant began within the record's gap.
match_plants() {
  eval "$(awk '
    BEGIN { planted = 0 }
    NR == FNR { began[planted] = $2; length_ns[planted++] = $3; next }
    $1 == "record" {
      gap = $9 + $11; hit = -1
      for (i = 0; i < planted; i++) if (began[i] >= $7 - gap && began[i] <= $7) hit = i
      if (hit < 0) { invented++; next }
      taken[hit] = 1; found++
      error = gap - length_ns[hit]; if (error < 0) error = -error
      if (error > worst) worst = error
      if ($14 > $13) firmware++
      if ($17 > $16) nmi++
    }
    END { printf "planted=%d found=%d missed=%d invented=%d firmware=%d nmi=%d worst_error=%d\n",
          planted, found, planted - found, invented, firmware, nmi, worst }' "$1" "$2")"
  echo "planted $planted found $found missed $missed invented $invented firmware $firmware nmi $nmi worst error $worst_error ns"
}
# field NAME FILE [LINE]: the number behind a name in the line that begins with LINE (cpu unless told)
field() { awk -v name="$1" -v line="${3:-cpu}" '$1 == line { for (i = 1; i < NF; i++) if ($i == name) { print $(i + 1); exit } }' "$2"; }
