# SPDX-License-Identifier: MIT
# A box reboots with a shield on. The journal is on a disk that outlives it: status and off tell what the reboot has undone
# already, off changes nothing, and the next shield begins anew.
# guest-mode: interleaved
# guest-kernels: rt-backports
# guest-cpus: 4
# guest-reboots: yes
# guest-timeout_s: 400
# 6.12 warns now and then when a fair server's runtime is written, whoever writes it (dl_server_apply_params).
# guest-console_allow: dl_rq_change_utilization|Call Trace
mount -t cgroup2 none /sys/fs/cgroup
kept=/share/before_the_reboot  # a folder of the host's disk
journal=$kept/shield.journal
shield() { what=$1; shift; maxlat shield "$what" --journal "$journal" "$@"; }
settings() {
  grep -sH '' /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/timer_migration /proc/sys/kernel/watchdog_cpumask \
    /proc/sys/vm/stat_interval /sys/kernel/mm/transparent_hugepage/enabled /sys/devices/virtual/workqueue/cpumask \
    /proc/irq/default_smp_affinity /sys/fs/cgroup/cgroup.subtree_control || true
  ls -d /sys/fs/cgroup/*/ 2>/dev/null || true
}
if [ ! -d $kept ]; then
  mkdir $kept
  settings > $kept/settings
  expect "settings that are watched" "$(grep -c . $kept/settings)" -ge 6
  shield on -q --cpus 1
  sleep 100000 & moved=$!
  shield move -q $moved
  shield status
  settings > now
  ! diff $kept/settings now > /dev/null || fail "the shield has changed nothing that is watched"
  cat /proc/sys/kernel/random/boot_id > $kept/boot_id
  sync
  reboot -f
  sleep 1000
fi
echo "the box has rebooted"
must_fail cmp -s $kept/boot_id /proc/sys/kernel/random/boot_id
settings > now
diff $kept/settings now || fail "the reboot has not undone the shield"
[ -s "$journal" ] || fail "the journal did not outlive the reboot"
shield status > status.txt || fail "status: $(cat status.txt)"
grep -q '^no shield is on: the box was rebooted since ' status.txt || fail "status after a reboot: $(cat status.txt)"
must_fail shield move 1 2> move.txt
grep -q '^maxlat shield: no shield is on$' move.txt || fail "move after a reboot: $(cat move.txt)"
cp -p "$journal" $kept/again
shield off > off.txt
grep -q '^the box was rebooted since .*: that has undone the shield of CPU 1$' off.txt || fail "off after a reboot: $(cat off.txt)"
[ ! -e "$journal" ] || fail "off leaves a journal that has served"
settings > now
diff $kept/settings now || fail "off has changed something after the reboot"
shield off | grep -q '^no shield is on$' || fail "off once more"
# The next shield begins anew where nobody has called off, and a journal of another boot is there.
mv $kept/again "$journal"
shield on -q --cpus 1
grep -q "$(cat /proc/sys/kernel/random/boot_id)" "$journal" || fail "the new journal is not of this boot"
shield status
shield off -q
settings > now
diff $kept/settings now || fail "the shield of the second boot leaves something"
