#!/bin/sh
# 50 times load, use, unload; every fourth time the module is unloaded while it samples (started through debugfs, which
# does not hold it). No memory is left behind.
# guest-mode: exact
# guest-kernels: rt-backports
directory=/sys/kernel/debug/maxlat_hwlat
in_use() { awk '!/unpurged/ { sum += $2 } END { print int(sum / 1024) }' /proc/vmallocinfo; }
for cycle in $(seq 50); do
  load maxlat_hwlat
  load maxlat_irqoff
  [ "$cycle" -ne 2 ] || before=$(in_use)
  if [ $((cycle % 4)) -eq 0 ]; then
    echo 1000 > $directory/width
    echo 2000 > $directory/window
    echo 1 > $directory/enable
    usleep 5000
    cat $directory/sample $directory/max $directory/count > /dev/null
  else
    hwlat_probe width=1000000 window=2000000 duration=4000000 > /dev/null
  fi
  [ "$cycle" -ne 46 ] || after=$(in_use)
  rmmod maxlat_hwlat
  rmmod maxlat_irqoff
done
expect "KiB of vmalloc memory more after 44 cycles" $((after - before)) -le 64
