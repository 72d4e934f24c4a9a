#!/bin/bash
# SPDX-License-Identifier: MIT
#
# monitor_program.sh MONITOR_PROGRAM SENSOR_PROGRAM: the one reads what the other posts.
set -eu
coproc posting { exec "$2"; }
pid=$posting_PID
trap 'kill "$pid"' EXIT
for word in post move say; do
  echo "$word" >&"${posting[1]}"
  read -r answer <&"${posting[0]}"
  [ "$answer" = "done" ] || exit 1
done
"$1" "$pid"
