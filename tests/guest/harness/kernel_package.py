# SPDX-License-Identifier: MIT
"""A Debian kernel and its headers, fetched as packages and unpacked beside each other, never installed.

Debian's suite moves: the kernel of today is gone from the archive in a month. So the version is never written down here;
it is what the metapackage depends on now. What was fetched is kept in the cache under the full version, and a network
that is away only hurts when the version is new.

Layout of the cache, one directory per kernel package version:

    <cache>/linux-image-6.1.0-56-rt-amd64_6.1.192-2/
        root/       image, headers and kbuild packages, unpacked into one tree
        vmlinux.elf the kernel, decompressed (boots 1 s faster under TCG than the compressed image)
        complete    written last: a directory without it was interrupted and is made again
    <cache>/rt.bookworm
                    which of them a flavour is, there
"""

import fcntl
import gzip
import lzma
import os
import platform
import shutil
import struct
import subprocess
import time
from pathlib import Path

from . import Failed, package_archive

FLAVOURS = {  # image and headers, as metapackages
    "rt": ("linux-image-rt-amd64", "linux-headers-rt-amd64"),
    "standard": ("linux-image-amd64", "linux-headers-amd64"),
}
BACKPORTS = "-backports"  # behind a flavour: that of the suite's backports
NEWEST_HEADERS = "newest" + BACKPORTS  # no flavour to boot: the headers of the newest kernel there


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
        self.vmlinux = directory / "vmlinux.elf"
        self.build_tree = self.modules_root / "usr" / "src" / f"linux-headers-{self.release}"

    @property
    def vmlinuz(self):
        places = (self.modules_root / "boot" / f"vmlinuz-{self.release}",
                  self.modules_root / "lib" / "modules" / self.release / "vmlinuz")
        return next(place for place in places if place.exists())


def fetch(flavour):
    """The unpacked kernel of a flavour, from the cache or from the archive. Raises CannotRun without network.

    A machine whose package lists are missing or too old (the archive keeps no old kernel) gets fresh lists of our own.
    What the lists said is believed for as long as lists of our own are: apt takes 3 s of CPU to say it.
    """
    cache_directory().mkdir(parents=True, exist_ok=True)
    named = f"{flavour}.{platform.freedesktop_os_release().get('VERSION_CODENAME', '')}"  # machines may share a cache
    said = cache_directory() / named
    with open(cache_directory() / f"{named}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests of one ctest run may both be the first
        if said.exists() and time.time() - said.stat().st_mtime < package_archive.OLD_AFTER_S:
            directory = Path(said.read_text())
            if (directory / "complete").exists():
                return KernelPackage(directory)
        archive = package_archive.backports(cache_directory()) if flavour.endswith(BACKPORTS) else package_archive.machine()
        kernel = package_archive.answer(lambda lists: _fetch(flavour, lists), archive, cache_directory())
        said.write_text(str(kernel.directory))
    return kernel


def _fetch(flavour, archive):
    if flavour == NEWEST_HEADERS:
        image = None
        headers = archive.newest(r"linux-headers-[0-9][^-]*-amd64")
    else:
        image_meta, headers_meta = FLAVOURS[flavour.removesuffix(BACKPORTS)]
        image = archive.dependency(image_meta, r"linux-image-\d")
        headers = archive.dependency(headers_meta, r"linux-headers-\d")
    named = image or headers
    directory = cache_directory() / f"{named}_{archive.candidate_version(named)}"
    directory.mkdir(parents=True, exist_ok=True)
    if not (directory / "complete").exists():
        _unpack(directory, archive, image, headers)
        (directory / "complete").touch()
    kernel = KernelPackage(directory)
    if image and not kernel.vmlinux.exists():
        _decompress(kernel.vmlinuz, kernel.vmlinux)
    return kernel


# What packages are spread over: the common headers and the kbuild programs; since Linux 6.17 the image, too.
HEADER_PARTS = ("linux-headers-", "linux-kbuild-")
IMAGE_PARTS = ("linux-base-", "linux-binary-", "linux-modules-")


def _with_parts(package, prefixes, archive):
    return [package, *(name for name in archive.depends(package) if name.startswith(prefixes))]


def _unpack(directory, archive, image, headers):
    root = directory / "root"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    images = _with_parts(image, IMAGE_PARTS, archive) if image else []
    for package in images + _with_parts(headers, HEADER_PARTS, archive):
        archive.unpack(package, directory, root)
    if not (root / "lib").exists():  # Debian 13's packages have it where /lib is a link to
        (root / "lib").symlink_to("usr/lib")
    kernel = KernelPackage(directory)
    _make_build_tree_relocatable(kernel)
    if image:
        subprocess.run(["depmod", "-b", root, kernel.release], check=True)


def _make_build_tree_relocatable(kernel):
    """Debian's headers tree is relocatable (its symbolic links are relative) but for absolute paths in one Makefile."""
    makefile = kernel.build_tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{kernel.build_tree.parent}/"))


# By the first bytes of a payload. Its last four are the size of the image, which only zstd takes for garbage.
DECOMPRESS = {
    b"\xfd7zXZ\0": lambda payload: lzma.LZMADecompressor().decompress(payload),
    b"\x1f\x8b\x08": lambda payload: gzip.zlib.decompressobj(31).decompress(payload),
    b"\x28\xb5\x2f\xfd": lambda payload: subprocess.run(["zstd", "-dc"], input=payload[:-4], stdout=subprocess.PIPE, check=True).stdout,
}


def _decompress(vmlinuz, vmlinux):
    """The ELF image inside a bzImage; the bzImage itself where the compression is not one of ours (slower, same kernel).

    Where its payload lies: "The Linux/x86 Boot Protocol" (sources.md), payload_offset and payload_length.
    """
    data = vmlinuz.read_bytes()
    setup_sectors = data[0x1F1]
    offset, length = struct.unpack_from("<II", data, 0x248)
    begin = (setup_sectors + 1) * 512 + offset
    payload = data[begin:begin + length]
    image = next((decompress(payload) for magic, decompress in DECOMPRESS.items() if payload.startswith(magic)), b"")
    vmlinux.write_bytes(image if image.startswith(b"\x7fELF") else data)
