#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One version: the project's, in the CMakeLists.txt of the root. Everything else that says one must agree.

  check_version.py ROOT        the modules' header, what each module and their DKMS package say, pages that name the package
  check_version.py --self-test
"""
import pathlib
import re
import sys
import tempfile

HEADER = "kernel/include/maxlat/kernel/module_version.h"
DKMS = "kernel/dkms.conf.in"
NAMED = re.compile(r"\bmaxlat[-/](\d+(?:\.\d+)+)")  # as DKMS and packages are called


def only(pattern, path):
    found = re.findall(pattern, path.read_text(), re.MULTILINE) if path.exists() else []
    return found[0] if len(found) == 1 else None


def faults(root):
    version = only(r"^project\(maxlat VERSION (\S+)", root / "CMakeLists.txt")
    if version is None:
        return ["CMakeLists.txt: no version of the project"]
    wrong = []
    if only(r'^#define MAXLAT_MODULE_VERSION "(.*)"$', root / HEADER) != version:
        wrong.append(f"{HEADER}: MAXLAT_MODULE_VERSION is not {version}")
    if only(r"^PACKAGE_VERSION=(.*)$", root / DKMS) != '"@VERSION@"':
        wrong.append(f"{DKMS}: PACKAGE_VERSION is not \"@VERSION@\", which kernel/Makefile replaces")
    modules = [path for folder in ("*/module", "tracer/kernel") for path in root.glob(f"{folder}/*.c")
               if "MODULE_LICENSE(" in path.read_text()]
    wrong += [f"{path.relative_to(root)}: without MODULE_VERSION(MAXLAT_MODULE_VERSION)" for path in modules
              if "MODULE_VERSION(MAXLAT_MODULE_VERSION)" not in path.read_text()]
    if not modules:
        wrong.append("no kernel module is there")
    for path in [*root.glob("*.md"), *root.glob("kernel/*"), *root.glob("docs/*.md"), *root.glob("docs/man/*")]:
        for said in NAMED.findall(path.read_text(errors="replace")) if path.is_file() else []:
            if said != version:
                wrong.append(f"{path.relative_to(root)}: names maxlat {said}, and this is {version}")
    return wrong


def self_test():
    sound = {"CMakeLists.txt": "project(maxlat VERSION 1.2.3 LANGUAGES C)\n", HEADER: '#define MAXLAT_MODULE_VERSION "1.2.3"\n',
             DKMS: 'PACKAGE_VERSION="@VERSION@"\n', "npt/module/m.c": 'MODULE_LICENSE("x");\nMODULE_VERSION(MAXLAT_MODULE_VERSION);\n',
             "README.md": "maxlat/1.2.3\n"}
    planted = {HEADER: '#define MAXLAT_MODULE_VERSION "1.2.2"\n', DKMS: 'PACKAGE_VERSION="1.2.3"\n',
               "npt/module/m.c": 'MODULE_LICENSE("x");\nMODULE_VERSION("1");\n', "README.md": "dkms install maxlat/1.2.2\n"}
    missed = []
    for name, text in [(None, None), *planted.items()]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for file, content in {**sound, **({name: text} if name else {})}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content)
            found = {line.split(":")[0] for line in faults(root)}
        if found != ({name} if name else set()):
            missed.append(f"planted in {name}, found in {sorted(found)}")
    return missed


if __name__ == "__main__":
    errors = self_test() if sys.argv[1] == "--self-test" else faults(pathlib.Path(sys.argv[1]))
    print("\n".join(errors) if errors else "one version")
    sys.exit(1 if errors else 0)
