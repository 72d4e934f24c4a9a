# SPDX-License-Identifier: MIT
"""SystemTap for a guest: fetched as packages and unpacked, never installed, and a module translated on the host.

Debian 12's SystemTap 4.8 does not know its own kernel: 6.1.192 gave task_work_cancel() another meaning, and the function
that SystemTap calls is task_work_cancel_func() now. So its runtime is copied and told so. In the guest a `stap` that
prints the path of the ready module stands for the translator (20 s on the host, minutes in emulation).

The module holds the path of the object that it probes and the places of the probes in it, so it is made anew when one
of them changes.
"""

import fcntl
import hashlib
import os
import re
import shutil
import stat
import subprocess

from . import CannotRun, Failed, kernel_package, package_archive

PACKAGES = ("systemtap", "systemtap-runtime", "systemtap-common")


def build(kernel, script, probed, target):
    """Leaves in `target`/bin a stap and a staprun for the guest's PATH."""
    target.mkdir(parents=True, exist_ok=True)
    with open(target / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        cache = kernel_package.cache_directory()
        root = package_archive.answer(lambda lists: _unpack(lists, cache / "systemtap"), package_archive.machine(), cache)
        made_of = hashlib.sha256(b"\0".join((str(probed).encode(), probed.read_bytes(), script.read_bytes(),
                                              kernel.release.encode())))
        module = target / "maxlat_npt.ko"
        made = target / "made_of"
        if not made.exists() or made.read_text() != made_of.hexdigest():
            _translate(kernel, root, script, probed, module)
            made.write_text(made_of.hexdigest())
        _write_programs(root, module, target)


def _unpack(archive, directory):
    root = directory / "root"
    if not (directory / "complete").exists():
        shutil.rmtree(directory, ignore_errors=True)
        root.mkdir(parents=True)
        for package in PACKAGES:
            archive.unpack(package, directory, root)
        work = root / "usr/share/systemtap/runtime/stp_task_work.c"
        text = work.read_text()
        calls = ("typeof(&task_work_cancel)", 'kallsyms_lookup_name("task_work_cancel")')
        for call in calls if "task_work_cancel_func" not in text else ():
            if call not in text:
                raise CannotRun(f"this SystemTap is another one than that with the known defect: no {call} in {work}")
            text = text.replace(call, call.replace("task_work_cancel", "task_work_cancel_func"))
        work.write_text(text)
        (directory / "complete").touch()
    return root


def _translate(kernel, root, script, probed, module):
    share = root / "usr/share/systemtap"
    command = [root / "usr/bin/stap", "-r", kernel.build_tree, "-R", share / "runtime", "-I", share / "tapset", "-p4",
               "-B", "CC=gcc", "-m", module.stem, script, probed]
    done = subprocess.run([str(word) for word in command], cwd=module.parent, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C", "SYSTEMTAP_DIR": str(module.parent / "cache")})
    if done.returncode == 0 and module.exists():
        return
    if untested := re.search(r"Kernel version \S+ is outside tested range .*", done.stderr):
        raise CannotRun(f"this SystemTap's module does not build: {untested[0]}")
    raise Failed(f"SystemTap's module does not build:\n{done.stdout}{done.stderr}")


def _write_programs(root, module, target):
    programs = target / "bin"
    programs.mkdir(exist_ok=True)
    staprun = root / "usr/bin/staprun"
    for name, text in (("stap", f"echo {module}\n"),
                       ("staprun", f"export SYSTEMTAP_STAPIO={root}/usr/lib/systemtap/stapio SYSTEMTAP_STAPRUN={staprun}\n"
                                   f'exec {staprun} "$@"\n')):
        program = programs / name
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
