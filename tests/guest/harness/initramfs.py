# SPDX-License-Identifier: MIT
"""The guest's first user space: busybox, the modules that 9p needs, and the init that runs one test and reports.

It depends on the kernel alone and is built once per kernel (0.1 s). A test's own files are a second archive, which init
unpacks over it.
"""

import lzma
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import CannotRun, Failed

# What a guest loads before it can mount its shares. Their dependencies are resolved by modprobe, in the right order.
WANTED_MODULES = ("9p", "9pnet_virtio", "virtio_pci", "msr")
LOADED_WHEN_NEEDED = ("overlay",)  # by guest_functions.sh, with guest-packages: a module takes a fifteenth of a boot


def build(kernel, guest_init, target):
    busybox = shutil.which("busybox")
    if subprocess.run(["ldd", busybox], capture_output=True).returncode == 0:  # ldd fails for a static program
        raise CannotRun(f"{busybox} is not static (package busybox-static)")
    newest = max(guest_init.stat().st_mtime, Path(__file__).stat().st_mtime)
    if target.exists() and target.stat().st_mtime > newest:
        return target
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for directory in ("bin", "dev", "proc", "sys", "tmp", "share", "host", "host_alone", "packages", "modules"):
            (root / directory).mkdir()
        shutil.copy(busybox, root / "bin" / "busybox")
        (root / "bin" / "sh").symlink_to("busybox")
        shutil.copy(guest_init, root / "init")
        (root / "init").chmod(0o755)
        order = [_copy_module(path, root / "modules") for path in _in_load_order(kernel, WANTED_MODULES)]
        for path in _in_load_order(kernel, LOADED_WHEN_NEEDED):
            _copy_module(path, root / "modules")
        (root / "modules" / "order").write_text("".join(name + "\n" for name in order))
        scratch_archive = target.with_suffix(f".{os.getpid()}")
        scratch_archive.write_bytes(pack(root))
        scratch_archive.replace(target)
    return target


def _in_load_order(kernel, modules):
    paths = []
    for module in modules:
        shown = subprocess.run(["modprobe", "-d", kernel.modules_root, "-S", kernel.release, "--show-depends", module],
                               capture_output=True, text=True)
        if shown.returncode != 0:
            raise Failed(f"kernel {kernel.release} has no module {module}: {shown.stderr.strip()}")
        for line in shown.stdout.splitlines():
            word, _, path = line.partition(" ")
            if word == "insmod" and path.split()[0] not in paths:  # "builtin" needs no loading
                paths.append(path.split()[0])
    return paths


def _copy_module(path, directory):
    name = os.path.basename(path)
    if name.endswith(".xz"):
        name = name[:-len(".xz")]
        (directory / name).write_bytes(lzma.open(path).read())
    else:
        shutil.copy(path, directory / name)
    return name


def pack(root):
    """The files below `root`, as the kernel and busybox unpack them."""
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    return subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input="\n".join(names).encode(),
                          stdout=subprocess.PIPE, check=True).stdout
