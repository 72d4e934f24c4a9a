#!/bin/sh
# SPDX-License-Identifier: MIT
# maxlat shield where it has no rights, as in a container: in a user namespace of nobody's it is root, and may change nothing.
# It must say so, end with 77, and leave nothing behind.
# usage: MAXLAT=... container.sh
maxlat=${MAXLAT:?the program to test}
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAIL: $*"; cat "$folder"/*.txt; exit 1; }
[ "$(nproc)" -ge 2 ] || skip "a shield needs a second CPU"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$maxlat" "$folder/maxlat" || exit 1
chmod 755 "$folder"
mkdir -m 777 "$folder/state"
as_nobody=
[ "$(id -u)" -ne 0 ] || as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
without_run() { $as_nobody unshare -Urm "$@"; }
inside() { without_run sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$@"; }  # a container has a /run of its own
inside true 2> /dev/null || skip "no user namespaces here"
cpu=$(cat /sys/devices/system/cpu/online)
cpu=${cpu##*[,-]}

inside "$folder/maxlat" shield on --cpus "$cpu" --journal "$folder/state/journal" > "$folder/on.txt" 2> "$folder/on_errors.txt"
status=$?
[ $status -eq 77 ] || fail "shield on: exit status $status, not 77"
grep -q 'nothing can be shielded here: cannot write /.*everything is as it was before' "$folder/on_errors.txt" || fail "it does not say why"
[ ! -s "$folder/on.txt" ] || fail "it tells of a shield"
[ ! -e "$folder/state/journal" ] || fail "a journal is left"

# Nor without a place for the lock.
without_run "$folder/maxlat" shield on --cpus "$cpu" --journal "$folder/state/journal" > "$folder/on.txt" 2> "$folder/on_errors.txt"
status=$?
[ $status -eq 77 ] || fail "shield on without /run: exit status $status, not 77"
grep -q 'no shield can be set up or undone here: .*/run/maxlat' "$folder/on_errors.txt" || fail "it does not say where the lock cannot be"

inside "$folder/maxlat" shield exec --cpus "$cpu" --journal "$folder/state/journal" -- touch "$folder/state/ran" > "$folder/exec.txt" 2>&1
status=$?
[ $status -eq 77 ] || fail "shield exec: exit status $status, not 77"
[ ! -e "$folder/state/ran" ] || fail "the command ran without a shield"

# What needs no rights works: counts of /proc, without names, and it says so.
inside "$folder/maxlat" shield audit --cpus "$cpu" -D 100ms --limit 1000000 --json "$folder/state/audit.json" > "$folder/audit.txt" 2>&1
status=$?
if grep -q "task switches are not known" "$folder/audit.txt"; then known=3; else known=0; fi  # where there is no /proc/schedstat
[ $status -eq $known ] || fail "shield audit: exit status $status"
case $known in 3) verdict=invalid ;; *) verdict=pass ;; esac
grep -q "\"result\": *\"$verdict\"" "$folder/state/audit.json" || fail "shield audit: its result is not \"$verdict\""
grep -q 'names: none: ' "$folder/audit.txt" || fail "the audit does not say why it has no names"
