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
# load MODULE [parameter=value...]
load() { module=$1; shift; insmod "$MODULES/$module.ko" "$@"; }
# on_host_userland COMMAND...: runs a host program in the guest (needs guest-userland: host). /tmp is the same on both sides.
on_host_userland() {
  if [ ! -d /host/usr ]; then
    mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose host /host
    for directory in dev proc sys; do mount --rbind /$directory /host/$directory; done
    mkdir -p /host/dev/shm /host/dev/pts
    for directory in run dev/shm; do mount -t tmpfs none "/host/$directory"; done
    mount --bind /tmp /host/tmp
  fi
  PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot /host "$@"
}
# wait_for PATTERN FILE: until a line of the file matches (the test's time limit ends a vain wait)
wait_for() { until grep -q "$1" "$2" 2>/dev/null; do usleep 1000; done; }
