#!/bin/sh
# 10^5 random calls to each device, random mappings among them. The process lives, the kernel has nothing to say, and
# the module can be unloaded.
# guest-mode: exact
# guest-kernels: rt-backports
# guest-timeout_s: 600
load maxlat_hwlat
ioctl_fuzz hwlat 1 100000
rmmod maxlat_hwlat
load maxlat_irqoff allow_unwatched=1
ioctl_fuzz irqoff 2 100000
rmmod maxlat_irqoff
