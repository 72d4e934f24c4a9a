# SPDX-License-Identifier: MIT
"""One virtual machine from power-on to exit.

Three modes, because they can prove different things:

    exact        one CPU, -icount shift=0: one guest instruction is one nanosecond of guest time, whatever the host does.
                 Runs are bit-identical, idle time is skipped, and a number may be asserted to the nanosecond. It says
                 nothing about real hardware's latency, and nothing about races: there is one CPU.
    parallel     several CPUs, one host thread each: real concurrency (hotplug, stop_machine, isolation), noisy time.
                 Never assert a latency here.
    interleaved  several CPUs that take turns on one host thread: no two instructions at the same time. For a test that
                 patches the kernel's text while it runs (tracing, static keys). QEMU 7.2's threads may go on with code
                 that another has just replaced: the guest ends in an int3 Oops, or a program in a SIGSEGV.

KVM is not tried: on the machines this project is tested on, it interprets ring 0 and cannot boot Debian's kernel.
"""

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

QBOOT = "/usr/share/qemu/qboot.rom"  # does nothing with SMM, so that a test may own it; boots faster than SeaBIOS


@dataclass
class Outcome:
    status: int        # exit status of the test in the guest; None when the guest never reported one
    ended: str         # how the machine ended, for a human
    wall_s: float
    boot_s: float      # from exec of QEMU until the guest's init started the test; None when it never did


def run(test, kernel, initramfs, share, console, packages=None):
    """Boots `test` (a test_file.GuestTest) and waits for its end or its time limit. `packages`: a tree for its userland."""
    command = ["qemu-system-x86_64", *_machine_arguments(test), "-kernel", kernel.vmlinux, "-initrd", initramfs,
               "-append", _kernel_command_line(test), *_share_arguments("share", share, read_only=False)]
    if test.userland == "host":
        command += _share_arguments("host", "/", read_only=True)
    if packages:
        command += _share_arguments("packages", packages, read_only=True)
    started = time.monotonic()
    boot_s = None
    with open(console, "wb") as log:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_die_with_parent)
        try:
            while process.poll() is None and time.monotonic() - started < test.timeout_s:
                time.sleep(0.05)
                if boot_s is None and b"guest: start" in Path(console).read_bytes():
                    boot_s = time.monotonic() - started
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
            else:
                code = process.returncode
    wall_s = time.monotonic() - started
    if code is None:
        return Outcome(None, f"time limit of {test.timeout_s} s", wall_s, boot_s)
    told = Path(share) / "exit_status"  # see guest_init
    if code == 0 and told.exists():
        return Outcome(int(told.read_text()), "reported by file", wall_s, boot_s)
    if code < 0 or code % 2 == 0:
        return Outcome(None, f"the guest crashed, panicked or powered off (QEMU status {code})", wall_s, boot_s)
    return Outcome(code >> 1, "reported", wall_s, boot_s)


def _die_with_parent():
    """ctest kills a test that takes too long; its machine must not go on without it."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


MEMORY_MB = 1024


def _machine_arguments(test):
    arguments = ["-M", test.machine, "-cpu", test.cpu, "-m", str(MEMORY_MB), "-nodefaults", "-display", "none", "-no-reboot",
                 "-serial", "stdio", "-monitor", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
                 "-bios", QBOOT,
                 "-global", "hpet.msi=on"]  # lets the planter aim an HPET timer at a CPU as an SMI or an NMI
    if test.mode == "exact":
        return arguments + ["-accel", "tcg", "-icount", f"shift=0,sleep={'on' if test.idle == 'waits' else 'off'}", "-smp", "1"]
    return arguments + ["-accel", f"tcg,thread={'single' if test.mode == 'interleaved' else 'multi'}", "-smp", f"{test.cpus},sockets={test.nodes},threads={test.threads}", *_node_arguments(test)]


def _node_arguments(test):
    """A socket each, CPUs and memory in equal shares; none for one node: a machine that tells nothing about nodes."""
    arguments = []
    for node in range(test.nodes if test.nodes > 1 else 0):
        first, last = node * test.cpus // test.nodes, (node + 1) * test.cpus // test.nodes - 1
        arguments += ["-object", f"memory-backend-ram,id=memory{node},size={MEMORY_MB // test.nodes}M",
                      "-numa", f"node,nodeid={node},cpus={first}-{last},memdev=memory{node}"]
    return arguments


def _kernel_command_line(test):
    # loglevel=5: warnings reach the console, where they are checked, even when the guest dies before its dmesg is saved
    words = ["console=ttyS0 panic=-1 quiet loglevel=5"]
    if test.mode != "exact":
        # When the watchdog finds the emulated counter unstable, sched_clock() is patched anew while the other CPU runs it,
        # and QEMU's emulation of that has been seen to end in an int3 Oops.
        words.append("tsc=nowatchdog")
    return " ".join([*words, test.append]).strip()


def _share_arguments(tag, path, read_only):
    options = f"local,id={tag},path={path},security_model=none"
    if read_only:
        options += ",readonly=on,multidevs=remap"
    return ["-fsdev", options, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
