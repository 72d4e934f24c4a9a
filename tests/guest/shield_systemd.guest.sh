#!/bin/sh
# SPDX-License-Identifier: MIT
# The shield beside systemd, which owns the cgroup hierarchy: a real one, process 1 of a PID namespace. Its slices get their
# CPUs by the property that it documents for that, so `systemctl daemon-reload`, and whatever it starts later, leave the
# shield alone; off gives the slices back as they were.
# guest-mode: interleaved
# guest-kernels: rt-backports
# guest-cpus: 4
# guest-timeout_s: 400
# guest-userland: host
# guest-packages: systemd libsystemd-shared libsystemd0 libip4tc2 libapparmor1 libseccomp2
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params).
# guest-console_allow: dl_rq_change_utilization|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
on_host_userland true
cp "$MAXLAT" /tmp/maxlat
# No unit but those that a box cannot be without: slices, and one service that stands for the rest.
mkdir -p /host/run/systemd/system
cat > /host/run/systemd/system/guest.target <<'UNIT'
[Unit]
DefaultDependencies=no
Requires=worker.service user.slice
UNIT
cat > /host/run/systemd/system/worker.service <<'UNIT'
[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/sleep 100000
UNIT
cp /host/run/systemd/system/worker.service /host/run/systemd/system/later.service
on_host_userland env container=guest SYSTEMD_IGNORE_CHROOT=1 unshare --pid --fork --mount-proc=/proc /lib/systemd/systemd --system --unit=guest.target \
  --log-target=console --log-level=warning > "$OUT/systemd.txt" 2>&1 &
# Beside it, in its namespaces: it hears nobody else.
beside_systemd() { nsenter -t "$(pidof systemd)" -p -m chroot /host env PATH=/usr/sbin:/usr/bin SYSTEMD_IGNORE_CHROOT=1 SYSTEMD_COLORS=0 "$@"; }
systemctl() { beside_systemd systemctl "$@"; }
until pidof systemd > /dev/null; do usleep 10000; done
until systemctl is-active --quiet worker.service 2> /dev/null; do usleep 100000; done
journal=/tmp/shield.journal
shield() { what=$1; shift; beside_systemd /tmp/maxlat shield "$what" --journal "$journal" "$@"; }
partition() { cat /sys/fs/cgroup/maxlat-shield/cpuset.cpus.partition; }
cpus_of() { awk '/Cpus_allowed_list/ { print $2 }' "/proc/$(head -n 1 "/sys/fs/cgroup/system.slice/$1/cgroup.procs")/status"; }
# As systemd has it, and as the kernel has it.
state() {
  for unit in init.scope machine.slice system.slice user.slice; do
    systemctl show -p Id -p AllowedCPUs -p DropInPaths -p NeedDaemonReload $unit
  done
  find /host/run/systemd/system.control /host/run/systemd/transient -type f 2> /dev/null || true
  find /sys/fs/cgroup -type d
  echo "CPUs of the worker: $(cpus_of worker.service)"
}
state > before

# What happens to a cpuset that systemd knows nothing of, and why the shield does more than make one.
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/bare
echo 1 > /sys/fs/cgroup/bare/cpuset.cpus
systemctl daemon-reload
[ ! -e /sys/fs/cgroup/bare/cpuset.cpus ] || echo "note: this systemd leaves foreign cpusets alone"
rmdir /sys/fs/cgroup/bare

# Not exact: four emulated CPUs that take turns. It is printed for docs/tuning.md, and nothing is asserted of it. Most of it
# is systemctl's: at on it looks twice at all slices and sets each, and at off it reloads once, too.
now_ms() { awk '{ print int($1 * 1000) }' /proc/uptime; }
begun=$(now_ms)
systemctl show --property=AllowedCPUs user.slice > /dev/null
show_ms=$(($(now_ms) - begun))
begun=$(now_ms)
shield on --cpus 1 > "$OUT/on.txt"
on_ms=$(($(now_ms) - begun))
grep -qE '^systemd +done +its slices keep to CPU 0,2-3$' "$OUT/on.txt" || { cat "$OUT/on.txt"; fail "on does not tell of systemd"; }
[ "$(partition)" = isolated ] || fail "no isolated partition"
[ "$(systemctl show --value -p AllowedCPUs system.slice)" = "0 2-3" ] || fail "AllowedCPUs: $(systemctl show --value -p AllowedCPUs system.slice)"
systemctl daemon-reload
[ "$(partition)" = isolated ] || fail "after daemon-reload: $(partition)"
systemctl start later.service
[ "$(partition)" = isolated ] || fail "after a service was started: $(partition)"
[ "$(cpus_of worker.service)" = 0,2-3 ] || fail "the worker may use $(cpus_of worker.service)"
[ "$(cpus_of later.service)" = 0,2-3 ] || fail "what was started later may use $(cpus_of later.service)"
shield status
systemctl stop later.service

# A service goes into the shield as it runs. systemd knows its main process still, and off brings it back to its group.
worker=$(systemctl show --value -p MainPID worker.service)
shield move $worker > "$OUT/move.txt"
grep -q 'sleep ('$worker'): 1 thread moved into the shield of CPU 1' "$OUT/move.txt" || { cat "$OUT/move.txt"; fail "move"; }
[ "$(cat "/proc/$(head -n 1 /sys/fs/cgroup/maxlat-shield/cgroup.threads)/comm")" = sleep ] || fail "the service is not in the shield"
systemctl daemon-reload
systemctl is-active --quiet worker.service || fail "systemd has lost the service that was moved"
shield status || fail "status calls a move a drift"

# Somebody changes a slice: status tells.
systemctl set-property --runtime user.slice AllowedCPUs=0,2
status=0; shield status > "$OUT/status.txt" || status=$?
expect "status when a slice was changed" $status -eq 2
grep -q "drifted: AllowedCPUs of user.slice" "$OUT/status.txt" || { cat "$OUT/status.txt"; fail "it is not named"; }
shield on -q --cpus 1

begun=$(now_ms)
shield off
off_ms=$(($(now_ms) - begun))
echo "shield on took $on_ms ms, shield off $off_ms ms, one systemctl $show_ms ms; beside $(ls -d /proc/[0-9]*/task/[0-9]* | wc -l) threads"
state > now
diff before now || fail "systemd's slices are not as before"
