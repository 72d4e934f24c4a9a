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
import shutil
import subprocess
from pathlib import Path

from . import CannotRun, Failed, package_archive

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

    def __init__(self, directory, archive):
        self.directory = directory
        self.archive = archive
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
    archive = package_archive.backports(cache_directory()) if flavour.endswith(BACKPORTS) else package_archive.machine()
    try:
        return _fetch(flavour, archive)
    except CannotRun:
        return _fetch(flavour, archive.refreshed(cache_directory()))


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
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests of one ctest run may both be the first
        if not (directory / "complete").exists():
            _unpack(directory, archive, image, headers)
            (directory / "complete").touch()
    return KernelPackage(directory, archive)


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
    kernel = KernelPackage(directory, archive)
    _make_build_tree_relocatable(kernel)
    if image:
        subprocess.run(["depmod", "-b", root, kernel.release], check=True)
        places = (root / "boot" / f"vmlinuz-{kernel.release}", root / "lib" / "modules" / kernel.release / "vmlinuz")
        _decompress(next(place for place in places if place.exists()), kernel.vmlinux)


def _make_build_tree_relocatable(kernel):
    """Debian's headers tree is relocatable (its symbolic links are relative) but for absolute paths in one Makefile."""
    makefile = kernel.build_tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{kernel.build_tree.parent}/"))


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
