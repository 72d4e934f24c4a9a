# SPDX-License-Identifier: MIT
"""A machine that has booted, in files: its memory, and the state of its devices. Each test goes on from there.

In exact mode a boot takes 8 s of CPU, most of it where the kernel counts time in loops. To go on from files takes one.

The guest's init tells a device of QEMU, when it is ready for a test, that it panics, and so the machine stops: in exact
mode at the same instruction of each boot. Its state is written as for a migration, but without its memory, which is a file
already (x-ignore-shared). A test gets a copy of that file, with the archive of its own files in a place that the kernel
leaves alone, from where init unpacks it.

One is kept for each kernel and each set of QEMU's arguments, and made by the first test that needs it.
"""

import fcntl
import hashlib
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path

from . import Failed, console, machine
from .monitor import Monitor

BOOT_LIMIT_S = 240  # an idle host needs 3 to 10 s, a loaded one more
TRANSFER_LIMIT_S = 120


class KeptMachine:
    def __init__(self, directory, nodes):
        self.state = directory / "state"
        self.booted_in = directory / "booted_in"  # seconds
        self.console = directory / "console.txt"
        self.memory = [directory / f"memory{node}" for node in range(nodes)]

    def copy_memory(self, archive, directory):
        """The memory of one test: files in `directory`, with the archive in them."""
        copies = [directory / memory.name for memory in self.memory]
        for memory, copy in zip(self.memory, copies):
            subprocess.run(["cp", "--sparse=always", "--reflink=auto", memory, copy], check=True)
        if len(archive) > machine.FILES_MB << 20:
            raise Failed(f"the test's files have {len(archive) >> 20} MB, and only {machine.FILES_MB} MB are kept free for them")
        node, offset_mb = divmod(machine.FILES_AT_MB, machine.MEMORY_MB // len(copies))
        with open(copies[node], "r+b") as memory:
            memory.seek(offset_mb << 20)
            memory.write(archive)
        return copies

    def go_on(self, monitor):
        """In a machine that was started with copies of the memory, and `-incoming defer`."""
        monitor.command("migrate-incoming", uri=f"exec:cat {shlex.quote(str(self.state))}")
        monitor.wait_until("query-migrate", "completed", TRANSFER_LIMIT_S)
        monitor.wait_until("query-status", "guest-panicked", TRANSFER_LIMIT_S)
        monitor.command("cont")

    def seconds_ahead(self, said, start_s):
        """How far the guest's clock was ahead of ours when the test began, `start_s` after the machine went on. The kernel
        measures the rate of its counter as it boots, and where the host has no time for it just then, it can be wrong:
        70 MHz for 2.6 GHz was seen. Then a second lasts a fortieth of one, and all that waits waits too short."""
        start = re.search(r"^guest: start ([0-9.]+)", said, re.M)
        return float(start[1]) - float(self.booted_in.read_text()) - start_s if start and start_s is not None else 0

    def forget(self):
        """The next test boots."""
        with open(self.state.parent / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.state.unlink(missing_ok=True)


def fetch(test, kernel, initramfs, work):
    """The machine that `test` begins with: as it was kept, or booted now."""
    qemu = Path(shutil.which("qemu-system-x86_64")).stat()
    shape = machine.command(test, kernel, initramfs, [""] * test.nodes, share="", packages=None)
    name = hashlib.sha256(repr((shape, qemu.st_size, qemu.st_mtime)).encode() + initramfs.read_bytes()).hexdigest()[:12]
    directory = work / "kept" / f"{kernel.release}.{name}"
    directory.mkdir(parents=True, exist_ok=True)
    kept = KeptMachine(directory, test.nodes)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.state.exists() and not _boot(kept, test, kernel, initramfs) and not _boot(kept, test, kernel, initramfs):
            raise Failed("twice the emulator ran into an instruction that the kernel was patching")
    return kept


def _boot(kept, test, kernel, initramfs):
    """Boots, and writes the state: the last file, without which there is no kept machine. False: QEMU's emulation broke
    the boot (see console.patching_race), which says nothing."""
    for memory in kept.memory:
        memory.unlink(missing_ok=True)
    command = machine.command(test, kernel, initramfs, kept.memory, share=kept.state.parent, packages=None)
    began = time.monotonic()
    with Monitor() as monitor, open(kept.console, "wb") as log:
        with machine.running(command, monitor, log):
            try:
                monitor.wait_until("query-status", "guest-panicked", BOOT_LIMIT_S)
            except Failed as reason:
                said = kept.console.read_text(errors="replace")
                if console.patching_race(said):
                    return False
                raise Failed(f"no machine to begin with: {reason}\n{said}") from reason
            kept.booted_in.write_text(str(time.monotonic() - began))
            state = kept.state.with_suffix(".new")
            monitor.command("migrate", uri=f"exec:cat > {shlex.quote(str(state))}")
            monitor.wait_until("query-migrate", "completed", TRANSFER_LIMIT_S)
    state.replace(kept.state)
    return True
