#!/bin/sh
# Debian's standard kernel boots in the same harness, with two CPUs.
# guest-mode: parallel
# guest-kernels: standard
! uname -v | grep -q PREEMPT_RT || fail "a PREEMPT_RT kernel where the standard one was asked for"
expect "two CPUs in parallel mode" "$(nproc)" -eq 2
