#!/bin/sh
# The harness itself: the PREEMPT_RT kernel boots, the share can be read and written, the status comes back.
# guest-mode: exact
uname -v | grep -q PREEMPT_RT || fail "not a PREEMPT_RT kernel: $(uname -v)"
uname -a > "$OUT/uname.txt"
expect "one CPU in exact mode" "$(nproc)" -eq 1
