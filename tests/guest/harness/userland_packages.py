# SPDX-License-Identifier: MIT
"""Packages for a guest's userland: fetched and unpacked into a tree of their own, never installed.

The guest lays that tree over the host's (an overlay, guest_functions.sh), so their programs find themselves where they
belong, and the host's libraries and interpreters beside them. No maintainer script runs. A test names what it needs
that a host may lack; behind NAME+ whatever that package depends on and this host has not installed is pulled in, too,
where the names of libraries are not the same in each release. The tree is kept under the packages' versions.
"""

import fcntl
import hashlib
import shutil
import subprocess

from . import kernel_package, package_archive


def unpack(names, archive):
    """The root of the tree."""
    return package_archive.answer(lambda lists: _unpack(names, lists), archive, kernel_package.cache_directory())


def _unpack(names, archive):
    names = _with_dependencies(names, archive)
    versions = " ".join(f"{name}={version}" for name, version in archive.candidate_versions(sorted(names)).items())
    directory = kernel_package.cache_directory() / f"userland-{hashlib.sha256(versions.encode()).hexdigest()[:16]}"
    directory.mkdir(parents=True, exist_ok=True)
    root = directory / "root"
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "complete").exists():
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            for name in names:
                archive.unpack(name, directory, root)
            _merge_usr(root)
            (directory / "complete").write_text(versions + "\n")
    return root


def _with_dependencies(names, archive):
    """The packages in the order in which they were named; NAME+ is followed by what it needs, directly or not."""
    found = {}
    for name in names:
        waiting = [name.removesuffix("+")]
        while waiting:
            package = waiting.pop(0)
            found[package] = None
            if name.endswith("+"):
                waiting += [one for one in archive.depends(package) if one not in found and not _is_installed(one)]
    return list(found)


def _is_installed(package):
    asked = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    return subprocess.run(asked, capture_output=True, text=True).stdout == "installed"


def _merge_usr(root):
    """A package may still have /lib or /sbin of its own, which are links on the host: an overlay would hide these."""
    for name in ("bin", "sbin", "lib", "lib64"):
        if (root / name).is_dir() and not (root / name).is_symlink():
            shutil.copytree(root / name, root / "usr" / name, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(root / name)
