# SPDX-License-Identifier: MIT
"""A Debian kernel and its headers, fetched as packages and unpacked beside each other, never installed.

Debian's suite moves: the kernel of today is gone from the archive in a month. So the version is never written down here;
it is what the metapackage depends on now. What was fetched is kept in the cache under the full version, and a network
that is away only hurts when the version is new.

Layout of the cache, one directory per kernel package version:

    <cache>/linux-image-6.1.0-56-rt-amd64_6.1.192-2/
        root/       image, headers and kbuild packages, unpacked into one tree
        vmlinux     the kernel, decompressed (boots 1.3 s faster under TCG than the compressed image)
        complete    written last: a directory without it was interrupted and is made again
"""

import fcntl
import gzip
import lzma
import os
import re
import shutil
import subprocess
from pathlib import Path

from . import CannotRun, Failed

METAPACKAGES = {
    "rt": ("linux-image-rt-amd64", "linux-headers-rt-amd64"),
    "standard": ("linux-image-amd64", "linux-headers-amd64"),
}


def cache_directory():
    if os.environ.get("MAXLAT_GUEST_CACHE"):
        return Path(os.environ["MAXLAT_GUEST_CACHE"])
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "maxlat-guest"


class KernelPackage:
    """An unpacked kernel: `release` as uname -r says it, `vmlinux`, `modules_root` (holds lib/modules), `build_tree`."""

    def __init__(self, directory):
        self.directory = directory
        self.modules_root = directory / "root"
        releases = os.listdir(self.modules_root / "lib" / "modules")
        if len(releases) != 1:
            raise Failed(f"expected one kernel under {self.modules_root}/lib/modules, found {releases}")
        self.release = releases[0]
        self.vmlinux = directory / "vmlinux"
        self.build_tree = self.modules_root / "usr" / "src" / f"linux-headers-{self.release}"


def fetch(flavour):
    """The unpacked kernel of a flavour, from the cache or from the archive. Raises CannotRun without network.

    A machine whose package lists are missing or too old (the archive keeps no old kernel) gets fresh lists of our own.
    """
    try:
        return _fetch(flavour)
    except CannotRun:
        _make_own_lists()
        return _fetch(flavour)


def _fetch(flavour):
    image_meta, headers_meta = METAPACKAGES[flavour]
    image = _dependency(image_meta, r"linux-image-\d")
    headers = _dependency(headers_meta, r"linux-headers-\d")
    version = _candidate_version(image)
    directory = cache_directory() / f"{image}_{version}"
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests of one ctest run may both be the first
        if not (directory / "complete").exists():
            _unpack(directory, [image, headers, *_header_parts(headers)])
            (directory / "complete").touch()
    return KernelPackage(directory)


_own_lists = []  # options for apt, once there are lists of our own


def _make_own_lists():
    """As `apt-get update`, but into the cache: needs no root and changes nothing of the machine."""
    place = cache_directory() / "apt"
    for directory in ("lists/partial", "archives/partial"):
        (place / directory).mkdir(parents=True, exist_ok=True)
    options = ["-o", f"Dir::State::Lists={place}/lists", "-o", f"Dir::Cache={place}", "-o", "Acquire::Languages=none"]
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _apt("apt-get", *options, "update", "--error-on=any")
    _own_lists[:] = options


def _apt(program, *arguments, cwd=None):
    arguments = [program, *_own_lists, *arguments]
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise CannotRun(f"`{' '.join(arguments)}` failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def _dependency(metapackage, pattern):
    for line in _apt("apt-cache", "depends", metapackage).splitlines():
        name = line.split("Depends:")[-1].strip()
        if "Depends:" in line and re.match(pattern, name):
            return name
    raise CannotRun(f"{metapackage} is not in the package lists (no Debian, or `apt-get update` never ran)")


def _candidate_version(package):
    for line in _apt("apt-cache", "policy", package).splitlines():
        if "Candidate:" in line and "(none)" not in line:
            return line.split("Candidate:")[1].strip().replace(":", "%3a")
    raise CannotRun(f"{package} has no candidate version in the package lists")


def _header_parts(headers):
    """The packages that a headers package spreads its tree over: the common headers and the kbuild programs."""
    depends = next(line for line in _apt("apt-cache", "show", headers).splitlines() if line.startswith("Depends:"))
    names = [part.split()[0] for part in depends[len("Depends:"):].split(",")]
    return [name for name in names if name.startswith(("linux-headers-", "linux-kbuild-"))]


def _unpack(directory, packages):
    root = directory / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for package in packages:
        unpack(package, directory, root)
    kernel = KernelPackage(directory)
    _make_build_tree_relocatable(kernel)
    subprocess.run(["depmod", "-b", root, kernel.release], check=True)
    _decompress(root / "boot" / f"vmlinuz-{kernel.release}", kernel.vmlinux)


def unpack(package, directory, root):
    """Fetches one package into `directory` and unpacks it into `root`."""
    for stale in directory.glob("*.deb"):
        stale.unlink()
    _apt("apt-get", "download", package, cwd=directory)
    (deb,) = directory.glob("*.deb")
    subprocess.run(["dpkg", "-x", deb, root], check=True)
    deb.unlink()


def _make_build_tree_relocatable(kernel):
    """Debian's headers tree is relocatable (its symbolic links are relative) but for one `include` of an absolute path."""
    makefile = kernel.build_tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("include /usr/src/", f"include {kernel.build_tree.parent}/"))


def _decompress(vmlinuz, vmlinux):
    """The ELF image inside a bzImage; the bzImage itself where the compression is not one of ours (slower, same kernel)."""
    data = vmlinuz.read_bytes()
    for magic, decompress in ((b"\xfd7zXZ\0", lambda d: lzma.LZMADecompressor().decompress(d)),
                              (b"\x1f\x8b\x08", lambda d: gzip.zlib.decompressobj(31).decompress(d))):
        at = data.find(magic)
        if at > 0:
            try:
                image = decompress(data[at:])
            except (lzma.LZMAError, gzip.zlib.error):
                continue  # the magic occurred by chance
            if image.startswith(b"\x7fELF"):
                vmlinux.write_bytes(image)
                return
    shutil.copy(vmlinuz, vmlinux)
