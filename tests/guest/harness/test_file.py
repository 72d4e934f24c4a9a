# SPDX-License-Identifier: MIT
"""A guest test as a file: a shell script whose first comment lines say what machine it wants."""

import re
from dataclasses import dataclass
from pathlib import Path

from . import Failed
from .kernel_package import BACKPORTS, FLAVOURS


@dataclass
class GuestTest:
    name: str
    script: Path
    mode: str = "exact"          # exact | parallel | interleaved (machine.py tells what each can prove)
    kernels: str = "rt rt-backports"  # one ctest each: flavours of kernel_package, with -backports behind them or not
    timeout_s: int = 240         # of the whole life of the machine; an idle host needs 7 to 15 s, a loaded one more
    cpus: int = 2                # not in exact mode
    threads: int = 1             # of each core, not in exact mode: CPUs 0 and 1 share the first
    nodes: int = 1               # NUMA nodes, not in exact mode: each with as many of the CPUs, and as much memory
    machine: str = "q35"
    cpu: str = "max"             # QEMU's processor model, with what is added to it
    append: str = ""             # added to the kernel's command line
    reboots: str = ""            # "yes": the guest may reboot, and the test then begins anew; what is in /share stays
    idle: str = "skipped"        # exact mode: skipped | waits (as long as on the host)
    userland: str = "busybox"    # busybox | host (all of the host's programs, read-only over 9p)
    packages: str = ""           # of the host's release, laid over its userland (userland_packages.py)
    needs: str = ""              # programs that must be there on the host, else the test is skipped
    systemtap: str = ""          # of this script on usdt.so of the host's maxlat: $SYSTEMTAP in the guest
    files: str = ""              # of this tree, seen under $FILES in the guest
    console_allow: str = ""      # regular expression: complaints of the kernel that the test provokes


KEYS = {"mode", "kernels", "timeout_s", "cpus", "threads", "nodes", "machine", "cpu", "append", "reboots", "idle", "userland", "packages", "needs", "systemtap", "files", "console_allow"}


def read(path):
    test = GuestTest(name=path.name.removesuffix(".guest.sh"), script=path)
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            break
        match = re.match(r"# guest-([a-z_]+): *(.*)$", line)
        if not match:
            continue
        key, value = match.groups()
        if key not in KEYS:
            raise Failed(f"{path}: unknown key guest-{key} (known: {', '.join(sorted(KEYS))})")
        setattr(test, key, type(getattr(test, key))(value))
    known = all(kernel.removesuffix(BACKPORTS) in FLAVOURS for kernel in test.kernels.split())
    if test.mode not in ("exact", "parallel", "interleaved") or not known or not test.kernels or test.userland not in ("busybox", "host"):
        raise Failed(f"{path}: bad guest-mode, guest-kernels or guest-userland")
    if test.nodes != 1 and (test.mode == "exact" or test.nodes < 1 or test.cpus % test.nodes != 0):
        raise Failed(f"{path}: {test.nodes} nodes for {test.cpus} CPUs, mode {test.mode}")
    if test.threads != 1 and (test.mode == "exact" or test.threads < 1 or test.cpus % (test.nodes * test.threads) != 0):
        raise Failed(f"{path}: {test.threads} threads a core for {test.cpus} CPUs, mode {test.mode}")
    if test.packages and test.userland != "host":
        raise Failed(f"{path}: guest-packages are laid over the host's userland (guest-userland: host)")
    return test
