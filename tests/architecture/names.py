# SPDX-License-Identifier: MIT
"""Names that must agree: README's tree with the folders on disk, and the files of tests with what they are for.

Files of tests (docs/testing.md, "Names"):
  NAME_test.*     tests, beside what they test          test_NAME.*        what several tests share
  NAME_bench.*    a benchmark                           NAME_program.*     a program that tests start
  fuzz_NAME.*     a fuzz target, or what it needs
"""
import re

# What only tests have: their framework, tests/support, and each other's shared files.
TESTS_ONLY = re.compile(r'^\s*#\s*include\s*(?:<(?:gtest|gmock|maxlat/test)/|"(?:[^"]*/)?test_\w+\.h)', re.M)
OF_TESTS = re.compile(r"(?:.*_(?:test|bench|program)|program|fuzz_\w+|test_\w+)\.(?:c|h|cpp|hpp)")
MAIN = re.compile(r"^(?:extern \"C\" )?int main\(", re.M)
NO_ROOMS = {"tests", "bench", "docs"}


def is_of_tests(path):
    return bool(OF_TESTS.fullmatch(path.name))


def tests_by_name(root, rooms, sources):
    """Yields what is of tests by what is in it, or by who includes it, and not by its name. `cli` has a main() of its own."""
    texts = {path: path.read_text(errors="replace") for room in rooms for path in sources(root / room)}
    included_by = {}
    for path, text in texts.items():
        for name in re.findall(r'#\s*include\s*["<](?:[^">]*/)?([^/">]+)[">]', text):
            included_by.setdefault(name, []).append(path)
    for path, text in texts.items():
        shown = path.relative_to(root)
        if is_of_tests(path):
            continue
        users = included_by.get(path.name, [])
        if TESTS_ONLY.search(text):
            yield f"{shown}: includes what only tests have, and is not called test_* or *_program (docs/testing.md)"
        elif MAIN.search(text) and shown.parts[0] != "cli":
            yield f"{shown}: has a main(), and is not called *_program (docs/testing.md)"
        elif path.suffix in (".h", ".hpp") and "include" not in shown.parts and users and all(map(is_of_tests, users)):
            yield f"{shown}: only tests include it, and it is not called test_* (docs/testing.md)"


def readme_tree(root):
    """Yields folders that README's tree names and the disk lacks, and the reverse: rooms are folders with a CMakeLists."""
    readme = root / "README.md"
    lines = re.findall(r"^    ([\w-]+)/  +(.*)$", readme.read_text(), re.M) if readme.exists() else []
    named = set()
    for room, text in lines:
        named.add(room)
        if not (root / room).is_dir():
            yield f"README.md: the tree has {room}/, and there is no such folder"
        for folder in re.findall(r"(?<![\w/.-])([\w-]+(?:/[\w-]+)*)/(?![\w-])", text):
            there = [name for name in (f"{room}/{folder}", folder) if (root / name).is_dir()]
            named |= set(there)
            if not there:
                yield f"README.md: {folder}/ is neither in {room}/ nor at the top"
    for build in sorted([*root.glob("*/CMakeLists.txt"), *root.glob("*/*/CMakeLists.txt")]):
        room = build.parent.relative_to(root)
        if lines and str(room) not in named and (len(room.parts) == 1 or room.parts[0] not in NO_ROOMS):
            yield f"README.md: the tree lacks {room}/"


def kernel_modules(root):
    """Yields places of kernel modules, as kernel/README.md's table has them, that README's tree does not name beside kernel/."""
    table, readme = root / "kernel/README.md", root / "README.md"
    if not table.exists() or not readme.exists():
        return
    line = re.search(r"^    kernel/ .*$", readme.read_text(), re.M)
    for place in re.findall(r"^\| `maxlat_\w+` \| `([\w/-]+/)` \|", table.read_text(), re.M):
        if not line or place not in line[0]:
            yield f"README.md: the tree lacks the kernel module in {place} in its line on kernel/"


def links(root):
    """Yields links of README's and of docs/*.md to files that are not there."""
    for page in sorted([*root.glob("*.md"), *root.glob("docs/*.md")]):
        prose = re.sub(r"^```.*?^```", "", page.read_text(errors="replace"), flags=re.M | re.S)
        for target in re.findall(r"\]\((?!\w+:)([^)#\s]+)", prose):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(root)}: links to {target}, which is not there"


# What README's arrows call otherwise than by the folder. Of the kernel modules the one in tracer/kernel knows the most.
ROOM_IN_ARROWS = {"kernel modules": "tracer/kernel", "tracer's ring": "tracer"}


def readme_arrows(root, arrows):
    """Yields arrows of README's that check_house.py does not allow, and what it allows and README's do not lead to."""
    readme = root / "README.md"
    drawn = {}
    for chain in re.findall(r"`([^`]*→[^`]*)`", readme.read_text() if readme.exists() else ""):
        ends = [[ROOM_IN_ARROWS.get(name.strip(), name.strip()) for name in end.split(",")] for end in chain.split("→")]
        for before, after in zip(ends, ends[1:]):
            for room in before:
                drawn.setdefault(room, set()).update(after)
    if not drawn:
        return
    # As in README, where core is one.
    allowed = {}
    for room, known in arrows.items():
        whole = "core" if room.startswith("core/") else room
        allowed.setdefault(whole, set()).update("core" if k.startswith("core/") else k for k in known)
    for room, known in drawn.items():
        for other in sorted(known - allowed.get(room, set())):
            yield f"README.md: {room} → {other} is an arrow that check_house.py does not allow"
    for room in drawn:
        reached, found = set(), {room}
        while found - reached:
            reached |= found
            found = found.union(*(drawn.get(name, set()) for name in found))
        for other in sorted(allowed.get(room, set()) - reached):
            yield f"README.md: the arrows lack {room} → {other}"


# For check_house.py --self-test.
BROKEN = {
    "core/sys/src/gadget.hpp": "#include <gtest/gtest.h>\n",
    "core/sys/src/forged.hpp": "// only tests include it\n",
    "npt/loop/counting.cpp": "int main(int, char**) {}\n",
    "README.md": "    base/      the ground floor\n    core/      what all share: sys/, nothere/\n    gone/      no more\n"
                 "`cli → npt → core → base`, `npt → hwlat`\n",
    "docs/linking.md": "[there](moved.md#part), [here](../README.md), [elsewhere](https://example.org)\n",
}
OF_README = ["the tree has gone/", "nothere/ is neither", "the tree lacks npt/",
             "npt → hwlat is an arrow that", "the arrows lack npt → tracer", "the arrows lack cli → shield",
             "the tree lacks the kernel module in npt/module/"]
SOUND = {
    "kernel/README.md": "| `maxlat_x` | `npt/module/` | a device |\n| `maxlat_x` | 5.10 or later |\n",
    "core/sys/src/test_shared.hpp": "#include <gtest/gtest.h>\n",
    "core/sys/src/one_test.cpp": '#include "forged.hpp"\n#include "test_shared.hpp"\n',
    "npt/loop/counted_program.cpp": "int main() {}\n",
    "cli/src/main.cpp": "int main() {}\n",
}
