# SPDX-License-Identifier: MIT
"""Debian's archive through apt: with the machine's package lists, or with lists of our own.

Lists of our own lie in the cache: they need no root and change nothing of the machine. There are two: of what the machine
has as its sources, for a machine that never made lists or has old ones, and of the backports of its suite. Which mirror is
asked is always what the machine's apt is told.
"""

import fcntl
import os
import re
import subprocess
import time

from . import CannotRun

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
OLD_AFTER_S = 24 * 3600  # lists of ours; without network, old ones will do


def machine():
    return Archive(None, [])


def backports(cache):
    """With the lists of the backports, refreshed once a day."""
    place = cache / "apt-backports"
    place.mkdir(parents=True, exist_ok=True)
    source = place / "sources.list"
    options = ["-o", f"Dir::Etc::SourceList={source}", "-o", "Dir::Etc::SourceParts=/dev/null"]
    archive = Archive(place, options)
    made = place / "updated"
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists() or time.time() - made.stat().st_mtime > OLD_AFTER_S:
            signed = f"[signed-by={KEYRING}] " if os.path.exists(KEYRING) else ""
            uri, suite = _own_suite()
            source.write_text(f"deb {signed}{uri} {suite}-backports main\n")
            try:
                archive.update()
                made.touch()
            except CannotRun:
                if not made.exists():
                    raise
    return archive


def answer(question, archive, cache):
    """`question(archive)`; where these lists do not know, once more with fresh ones: an archive keeps no old package."""
    try:
        return question(archive)
    except CannotRun:
        return question(archive.refreshed(cache))


def _own_suite():
    """Where apt has this machine's suite from, and its name."""
    with open("/etc/os-release", encoding="utf-8") as described:
        suite = next((line.strip().partition("=")[2].strip('"') for line in described if line.startswith("VERSION_CODENAME=")), "")
    said = machine().run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages")
    for line in said.splitlines():
        uri, _, release = line.rpartition(" ")
        if suite and release == suite:
            return uri, suite
    raise CannotRun(f"apt's sources do not have this machine's suite ({suite or 'of no name'}): no backports")


class Archive:
    def __init__(self, place, options):
        """`place`: the folder of lists of our own, None for the machine's."""
        self.place = place
        self.options = options
        if place:
            for directory in ("lists/partial", "archives/partial"):
                (place / directory).mkdir(parents=True, exist_ok=True)
            self.options = [*options, "-o", f"Dir::State::Lists={place}/lists", "-o", f"Dir::Cache={place}", "-o", "Acquire::Languages=none"]

    def refreshed(self, cache):
        """With lists of now; instead of the machine's, ours of the same sources."""
        archive = self if self.place else Archive(cache / "apt", [])
        with open(archive.place / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            archive.update()
        return archive

    def update(self):
        self.run("apt-get", "update", "--error-on=any")

    def run(self, program, *arguments, cwd=None):
        arguments = [program, *self.options, *arguments]
        done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        if done.returncode != 0:
            raise CannotRun(f"`{' '.join(arguments)}` failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
        return done.stdout

    def dependency(self, metapackage, pattern):
        """The first package that `metapackage` needs and whose name begins with the pattern."""
        for line in self.run("apt-cache", "depends", metapackage).splitlines():
            name = line.split("Depends:")[-1].strip()
            if "Depends:" in line and re.match(pattern, name):
                return name
        raise CannotRun(f"{metapackage} is not in the package lists (no Debian, or `apt-get update` never ran)")

    def newest(self, pattern):
        """The package with the highest version in its name, among those whose names match the whole pattern."""
        names = self.run("apt-cache", "search", "--names-only", f"^{pattern}$").splitlines()
        if not names:
            raise CannotRun(f"no package {pattern} in the package lists")
        return max((line.split()[0] for line in names), key=lambda name: [int(number) for number in re.findall(r"\d+", name)])

    def candidate_version(self, package):
        return self.candidate_versions([package])[package]

    def candidate_versions(self, packages):
        """In the order of the packages. One question: apt takes a second to begin with its answer."""
        versions = {}
        for line in self.run("apt-cache", "policy", *packages).splitlines():
            if line.endswith(":") and not line.startswith(" "):
                package = line[:-1]
            elif "Candidate:" in line and "(none)" not in line:
                versions[package] = line.split("Candidate:")[1].strip().replace(":", "%3a")
        for package in packages:
            if package not in versions:
                raise CannotRun(f"{package} has no candidate version in the package lists")
        return versions

    def depends(self, package):
        """The names in its Depends line; the first of alternatives, and without what says that any architecture's will do."""
        line = next(line for line in self.run("apt-cache", "show", package).splitlines() if line.startswith("Depends:"))
        return [part.split()[0].partition(":")[0] for part in line[len("Depends:"):].split(",")]

    def unpack(self, package, directory, root):
        """Fetches one package into `directory` and unpacks it into `root`."""
        for stale in directory.glob("*.deb"):
            stale.unlink()
        self.run("apt-get", "download", package, cwd=directory)
        (deb,) = directory.glob("*.deb")
        subprocess.run(["dpkg", "-x", deb, root], check=True)
        deb.unlink()
