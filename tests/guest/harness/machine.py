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

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from . import Failed
from .monitor import Monitor

QBOOT = "/usr/share/qemu/qboot.rom"  # does nothing with SMM, so that a test may own it; boots faster than SeaBIOS
MEMORY_MB = 1024
STOPS = re.compile(rb"guest: stop me (\d+) times for (\d+) ms\r?\n")  # stop_me in guest_functions.sh
FILES_AT_MB, FILES_MB = 512, 96  # where guest_init finds a test's files, and how much of the memory they may take


@dataclass
class Outcome:
    status: int        # exit status of the test in the guest; None when the guest never reported one
    ended: str         # how the machine ended, for a human
    wall_s: float
    start_s: float     # from exec of QEMU until the guest's init started the test; None when it never did


def command(test, kernel, initramfs, memory, share, packages):
    """QEMU for `test` (a test_file.GuestTest). `memory`: files, one for each node. `packages`: a tree for its userland, or None.
    The machine has the same devices for every test, whether it uses them or not: so that many begin with the same one."""
    words = ["qemu-system-x86_64", *_machine_arguments(test), *_memory_arguments(test, memory), "-kernel", kernel.vmlinux, "-initrd", initramfs,
             "-append", _kernel_command_line(test), *_share_arguments("share", share, read_only=False),
             *_share_arguments("host", "/", read_only=True), *_share_arguments("packages", packages or "/", read_only=True)]
    return [str(word) for word in words]


@contextlib.contextmanager
def running(command, monitor, log):
    """A machine, and its monitor connected; it ends here at the latest."""
    process = subprocess.Popen(command + monitor.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                               start_new_session=True, pass_fds=[monitor.descriptor], preexec_fn=_die_with_parent)
    try:
        monitor.connect()
        monitor.command("migrate-set-capabilities", capabilities=[{"capability": "x-ignore-shared", "state": True}])
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(command, kept, share, console, limit_s, reboots=False):
    """Goes on from a kept machine, and waits for the end of the test or its time limit. `reboots`: the guest may, and init then runs the
    test once more."""
    started = time.monotonic()
    start_s = None
    stops = 0  # that it asked for, and had
    with Monitor() as monitor, open(console, "wb") as log:
        with running([*command, "-incoming", "defer"], monitor, log) as process:
            kept.go_on(monitor)
            if reboots:
                monitor.command("set-action", reboot="reset")
            while process.poll() is None and time.monotonic() - started < limit_s:
                time.sleep(0.05)
                said = Path(console).read_bytes()
                if start_s is None and b"guest: start" in said:
                    start_s = time.monotonic() - started
                if reboots:
                    _go_on_after_a_boot(monitor)
                for times, milliseconds in STOPS.findall(said)[stops:]:
                    _stop_again_and_again(process, int(times), int(milliseconds))
                    stops += 1
                    (Path(share) / f"stopped{stops}").touch()
            code = process.poll()
    wall_s = time.monotonic() - started
    if code is None:
        return Outcome(None, f"time limit of {limit_s} s", wall_s, start_s)
    told = Path(share) / "exit_status"  # see guest_init
    if code == 0 and told.exists():
        return Outcome(int(told.read_text()), "reported by file", wall_s, start_s)
    if code < 0 or code % 2 == 0:
        return Outcome(None, f"the guest crashed, panicked or powered off (QEMU status {code})", wall_s, start_s)
    return Outcome(code >> 1, "reported", wall_s, start_s)


def _go_on_after_a_boot(monitor):
    """guest_init stops the machine, for the harness to keep it. Here it has what it needs: a reset leaves the memory as it is."""
    try:
        if monitor.command("query-status")["status"] == "guest-panicked":
            monitor.command("cont")
    except Failed:
        pass  # QEMU has ended; that is the caller's to see


def _stop_again_and_again(process, times, milliseconds):
    """What a busy host does to a machine, and more of it: its clocks go on, and it does not."""
    for _ in range(times):
        process.send_signal(signal.SIGSTOP)
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGCONT)
        time.sleep(milliseconds / 2000)


def _die_with_parent():
    """ctest kills a test that takes too long; its machine must not go on without it."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _machine_arguments(test):
    arguments = ["-cpu", test.cpu, "-m", str(MEMORY_MB), "-nodefaults", "-display", "none", "-no-reboot",
                 "-serial", "stdio", "-monitor", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
                 "-device", "pvpanic", "-action", "panic=pause",  # guest_init stops the machine by it
                 "-bios", QBOOT,
                 "-global", "hpet.msi=on"]  # lets the planter aim an HPET timer at a CPU as an SMI or an NMI
    if test.mode == "exact":
        return arguments + ["-accel", "tcg", "-icount", f"shift=0,sleep={'on' if test.idle == 'waits' else 'off'}", "-smp", "1"]
    return arguments + ["-accel", f"tcg,thread={'single' if test.mode == 'interleaved' else 'multi'}", "-smp", f"{test.cpus},sockets={test.nodes},threads={test.threads}"]


def _memory_arguments(test, memory):
    """Files that QEMU shares. Nodes have a socket each, CPUs and memory in equal shares; one alone is none: a machine that tells nothing about nodes."""
    arguments = ["-M", test.machine if test.nodes > 1 else f"{test.machine},memory-backend=memory0"]
    for node, path in enumerate(memory):
        arguments += ["-object", f"memory-backend-file,id=memory{node},size={MEMORY_MB // test.nodes}M,mem-path={path},share=on"]
        if test.nodes > 1:
            first, last = node * test.cpus // test.nodes, (node + 1) * test.cpus // test.nodes - 1
            arguments += ["-numa", f"node,nodeid={node},cpus={first}-{last},memdev=memory{node}"]
    return arguments


def _kernel_command_line(test):
    # loglevel=5: warnings reach the console, where they are checked, even when the guest dies before its dmesg is saved
    words = [f"console=ttyS0 panic=-1 quiet loglevel=5 memmap={FILES_MB}M${FILES_AT_MB}M"]
    if test.mode != "exact":
        # When the watchdog finds the emulated counter unstable, sched_clock() is patched anew while the other CPU runs it,
        # and QEMU's emulation of that has been seen to end in an int3 Oops.
        words.append("tsc=nowatchdog")
        # A host without time for this machine makes the timer's interrupts late, and the kernel gives up its boot: "IO-APIC +
        # timer doesn't work!". Under KVM it does not ask either.
        words.append("no_timer_check")
    return " ".join([*words, test.append]).strip()


def _share_arguments(tag, path, read_only):
    options = f"local,id={tag},path={path},security_model=none"
    if read_only:
        options += ",readonly=on,multidevs=remap"
    return ["-fsdev", options, "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
