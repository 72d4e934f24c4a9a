#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the tree against the plan of the house (README, "The house").

  check_house.py ROOT      includes, those too that are missing, libraries that are linked, licence tags, writes to stderr, citations, broken lines
                           of text, kernel-doc, README's tree, arrows and kernel modules, links of documents, names of
                           test files; budgets; how much stands in one place
  check_house.py --self-test   plants each kind of mistake in a small tree and expects to find it
"""
import calendar
import pathlib
import re
import sys
import tempfile

import budgets
import includes
import kernel_code
import names
import sizes
import wrapping

# The parts of core: each may know those before it that it names, and base.
CORE = {"core/sys", "core/result", "core/machine", "core/stats"}
# a: what a may include. base is the ground floor: whoever knows core sees it.
ARROWS = {
    "base": set(),
    "core/sys": {"base"},
    "core/result": {"core/sys", "base"},
    "core/machine": {"core/result", "core/sys", "base"},
    "core/stats": {"core/result", "core/sys", "base"},
    "tracer": {"base"},
    "tracer/tools": {"attribution", "tracer", *CORE, "base"},
    "kernel": {"base"},  # what the kernel modules share
    "hwlat/module": {"hwlat", "kernel", "base"},  # its own room's ABI headers
    "npt/module": {"npt", "kernel", "base"},
    "tracer/kernel": {"tracer", "kernel", "base"},
    "attribution": {"tracer", *CORE, "base"},
    "npt": {"attribution", "tracer", *CORE, "base"},
    "hwlat": {"attribution", *CORE, "base"},
    "scheduling": {"attribution", *CORE, "base"},
    "loadgen": {*CORE, "base"},
    "shield": {*CORE, "base"},
    "import": {*CORE, "base"},
    "reports": {*CORE, "base"},
    "rteval-ext": {"loadgen", "shield", "import", "reports", "attribution", *CORE, "base"},
    "cli": {"rteval-ext", "npt", "hwlat", "scheduling", "loadgen", "shield", "import", "reports", "tracer/tools", *CORE,
            "base"},
}
FOLDERS = sorted({room.split("/")[0] for room in ARROWS})
TEXTS = FOLDERS + ["bench", "docs", "tests"]  # no rooms, or not only, but comments all the same
# maxlat/NAME/... in an #include, where it differs from the room's folder.
ROOM_OF_HEADER = {"rteval_ext": "rteval-ext", "ring": "tracer", "sensors": "tracer", "trace": "tracer", "trace_tools": "tracer/tools"}
# Of a room that it knows, a kernel module takes no more than this: what it shares with user space, and the ring.
HEADERS_FOR = {
    "hwlat/module": {"hwlat": ("maxlat/hwlat/module_abi.h",)},
    "npt/module": {"npt": ("maxlat/npt/irqoff_abi.h",)},
    "tracer/kernel": {"tracer": ("maxlat/ring/", "maxlat/trace/kernel/")},
}
# The library of a room, maxlat::NAME, where it is not called after its folder (cmake/MaxlatRoom.cmake).
ROOM_OF_LIBRARY = {**{room.replace("/", "_"): room for room in ARROWS}, "trace": "tracer", "sensors": "tracer"}
# tests/support: for tests, whatever room they are in.
FOR_TESTS = "test"
SOURCES = {".c", ".h", ".cpp", ".hpp"}


def sources(folder, suffixes=frozenset(SOURCES)):
    made = (".mod.c", "_histogram.c")  # by Kbuild, where somebody built the modules in the tree
    return sorted(p for p in folder.rglob("*") if p.suffix in suffixes and p.is_file() and not p.name.endswith(made))


def texts(root):
    """Everything with comments that are prose, models too."""
    return [path for folder in TEXTS for path in sources(root / folder, SOURCES | {".pml"})]


def room_of(path, root):
    parts = path.relative_to(root).parts
    inner = "/".join(parts[:2])
    return inner if inner in ARROWS else parts[0]


def check_file(path, root):
    """Yields what is wrong with one source file."""
    room, shown = room_of(path, root), path.relative_to(root)
    text = path.read_text(errors="replace")
    if "SPDX-License-Identifier: MIT" not in text[:200]:
        yield f"{shown}: no licence tag (SPDX-License-Identifier: MIT) at its top"
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("fmt::print(stderr") or re.search(r"[;)] fmt::print\(stderr", line):
            yield f"{shown}:{number}: fmt::print(stderr, ...) throws where it cannot write: core/sys/tell.hpp"
        include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not include:
            continue
        kind, target = include.groups()
        public = re.match(r"maxlat/(core/[^/]+|[^/]+)/", target)
        if public:
            known = ROOM_OF_HEADER.get(public[1], public[1])
            if known != FOR_TESTS and known != room and known not in ARROWS[room]:
                yield f"{shown}:{number}: {room} may not know {known} ({target})"
            elif not target.startswith(HEADERS_FOR.get(room, {}).get(known, "")):
                yield f"{shown}:{number}: a kernel module may not know {target}"
        elif kind == '"':
            private = [path.parent / target, root / room / "src" / target, root / room / target]
            inside = [p.resolve() for p in private if p.exists()]
            if not inside:
                yield f"{shown}:{number}: {target} is neither beside the file nor in {room} or {room}/src"
            elif room_of(inside[0], root.resolve()) != room:  # a room in a room's folder is another room
                yield f"{shown}:{number}: {target} is private to another room"


def linked_rooms(text):
    """The rooms that a build file has its libraries or tests link: by KNOWS, or by a library's name."""
    for knows in re.findall(r"\bKNOWS\s+([\w\s/-]*?)(?=\b[A-Z]{4,}\b|\))", text):
        yield from knows.split()
    for name in re.findall(r"\bmaxlat(?:::|_)([a-z][\w-]*)(?!\w|::)", text):
        if name in ROOM_OF_LIBRARY or name == "core":
            yield ROOM_OF_LIBRARY.get(name, name)


def check_targets(root):
    """What each room links against the arrows, however it is linked. core/ itself only names its parts together."""
    names_of_builds = ("CMakeLists.txt", "*.cmake")
    builds = [path for folder in FOLDERS for name in names_of_builds for path in (root / folder).rglob(name)]
    for build in sorted(builds):
        room, shown = room_of(build, root), build.relative_to(root)
        if room not in ARROWS:
            continue
        may = ARROWS[room] | {room}
        if not room.startswith("core/"):
            may = may | {known.split("/")[0] for known in may}  # "core": all of its parts
        text = re.sub(r"(?m)#.*$", "", build.read_text())
        for known in sorted(set(linked_rooms(text)) - may):
            yield f"{shown}: {room} may not know {known}"


def check_citations(root):
    """Sources are cited by the short names of docs/sources.md, and by no others."""
    listing = root / "docs/sources.md"
    known = set(re.findall(r"^\| ([A-Z][a-z]+ \d{4}) \|", listing.read_text(), re.M)) if listing.exists() else set()
    cited = re.compile(r"\b[A-Z][a-z]+ (?:18|19|20)\d\d\b(?![-:.]\d)|\b[Ss]eed 00\d\b|\banchors-[a-z]+")
    months = {name for lengths in (calendar.month_name, calendar.month_abbr) for name in lengths if name}
    for path in texts(root) + sorted([*root.glob("*.md"), *(root / "docs").glob("*.md")]):
        for citation in cited.findall(path.read_text(errors="replace")):
            if citation not in known and citation.split()[0] not in months:
                yield f"{path.relative_to(root)}: \"{citation}\" is not in docs/sources.md"


def check_wrapping(root):
    for path in texts(root):
        for number, what in wrapping.findings(path.read_text(errors="replace")):
            yield f"{path.relative_to(root)}:{number}: {what}"


def check_kernel_code(path, root):
    inside = path.relative_to(root)
    if kernel_code.is_kernel_code(inside):
        for number, what in kernel_code.findings(path.name, path.read_text(errors="replace")):
            yield f"{inside}:{number}: {what}"


def check(root):
    wrong = [*check_targets(root), *check_citations(root), *check_wrapping(root)]
    wrong += [*names.readme_tree(root), *names.readme_arrows(root, ARROWS), *names.kernel_modules(root), *names.links(root)]
    wrong += [*names.tests_by_name(root, FOLDERS, sources), *sizes.findings(root, [*FOLDERS, "bench", "python", "tests"])]
    wrong += budgets.findings(root)
    wrong += includes.findings(root, FOLDERS, sources, room_of, ARROWS)
    count = 0
    for folder in FOLDERS:
        for path in sources(root / folder):
            count += 1
            wrong += check_file(path, root)
            wrong += check_kernel_code(path, root)
    if count == 0:
        wrong.append(f"no sources below {root}")
    return wrong


# For the self-test.
NOT_FOR_MODULES = {
    "npt/module/v.c": "maxlat/ring/layout.h",
    "hwlat/module/w.c": "maxlat/hwlat/hwlat_command.hpp",
    "tracer/kernel/x.c": "maxlat/trace/reader.hpp",
}


def planted_mistakes():
    """RETURNS: files with a mistake each, and files without, that look like one."""
    tag = "// SPDX-License-Identifier: MIT\n"
    planted = {
        "core/sys/src/a.cpp": tag + "#include <maxlat/npt/npt_command.hpp>\n",
        "core/sys/src/l.cpp": tag + "#include <maxlat/core/result/run_result.hpp>\n",
        "core/stats/src/m.cpp": tag + "#include <maxlat/core/machine/settings.hpp>\n",
        "core/result/CMakeLists.txt": "maxlat_room(core/result SOURCES a.cpp KNOWS core/stats)\n",
        "npt/src/b.cpp": tag + '#include "../../core/sys/src/secret.hpp"\n',
        "hwlat/src/c.cpp": tag + '#include "nowhere.hpp"\n',
        "loadgen/src/d.cpp": "int no_licence;\n",
        "tracer/ring/e.c": tag + "#include <maxlat/core/sys/result.hpp>\n",
        "hwlat/module/i.c": tag + "#include <maxlat/core/sys/result.hpp>\n",
        "npt/module/p.c": tag + "#include <maxlat/hwlat/module_abi.h>\n",
        "kernel/include/maxlat/kernel/q.h": tag + "#include <maxlat/npt/irqoff_abi.h>\n",
        "tracer/consumer/y.cpp": tag + '#include "tools/f.hpp"\n',  # the library, what only its commands have
        "npt/loop/z.cpp": tag + '#include "module/irqoff.h"\n',
        "npt/loop/r.cpp": tag + "#include <maxlat/kernel/counts.h>\n",
        "base/src/j.cpp": tag + "// Nobody 1999, Algorithm 2\n",
        "loadgen/src/t.cpp": tag + 'void f() {\n  if (true) fmt::print(stderr, "lost");\n}\n',
        "docs/k.md": "as seed 004 has it\n",
        "tracer/model/o.pml": "/* Seed 001, Algorithm 3. */\n",
        "reports/CMakeLists.txt": "maxlat_room(reports SOURCES a.cpp KNOWS core npt LINKS x)\n",
        "hwlat/CMakeLists.txt": "maxlat_room(hwlat SOURCES a.cpp KNOWS core LINKS maxlat::reports)\n",
        "shield/CMakeLists.txt": "target_link_libraries(maxlat_shield PRIVATE maxlat_tracer_tools)\n",
        "tracer/tests.cmake": "maxlat_unit_tests(tracer SOURCES a.cpp LINKS maxlat::core)\n",
        "tracer/tools/CMakeLists.txt": "maxlat_room(tracer/tools SOURCES a.cpp KNOWS tracer cli)\n",
    }
    sound = {
        "docs/sources.md": "| Author 2001 | a book | all of it |\n",
        "core/stats/src/n.cpp": tag + "#include <maxlat/core/result/run_result.hpp>\n",
        "core/stats/CMakeLists.txt": "maxlat_room(core/stats SOURCES n.cpp KNOWS core/result)\n",
        "core/sys/src/secret.hpp": tag + "// Author 2001, chapter 1\n",
        "tracer/tools/f.hpp": tag,
        "npt/module/irqoff.h": tag,
        "npt/module/u.c": tag + '#include "irqoff.h"\n',
        "tracer/kernel/t.c": tag + "#include <maxlat/ring/read.h>\n#include <maxlat/trace/kernel/kernel_abi.h>\n",
        "tracer/tools/f.cpp": tag + "#include <maxlat/core/sys/result.hpp>\n#include <maxlat/trace/reader.hpp>\n",
        "tracer/ring/j.c": tag + "#include <maxlat/ring/layout.h>\n#include <maxlat/base/platform.h>\n",
        "npt/module/s.c": tag + "#include <maxlat/npt/irqoff_abi.h>\n#include <maxlat/kernel/counts.h>\n",
        "rteval-ext/src/g.cpp": tag + '#include <maxlat/loadgen/x.hpp>\n#include "h.hpp"\n#include <vector>\n',
        "rteval-ext/src/h.hpp": tag,
        "npt/CMakeLists.txt": "maxlat_room(npt\n  SOURCES a.cpp\n  KNOWS core tracer\n  LINKS x)\n",
        "cli/CMakeLists.txt": "maxlat_room(cli SOURCES a.cpp KNOWS tracer/tools LINKS maxlat::npt)\n",
        "loadgen/CMakeLists.txt": "maxlat_rows(maxlat_loadgen rows OF maxlat::npt::ArmDefinition)  # maxlat::npt\n",
        "core/CMakeLists.txt": "target_link_libraries(maxlat_core INTERFACE maxlat::core_sys)\n",
    }
    for name, text in wrapping.BROKEN.items():
        planted[f"bench/{name}"] = tag + text
    for name, text in wrapping.SOUND.items():
        sound[f"tests/{name}"] = tag + text
    planted |= {name: tag + text for name, text in kernel_code.BROKEN.items()}
    sound |= {name: tag + text for name, text in kernel_code.SOUND.items()}
    for part in (names, sizes, includes, budgets):
        planted |= {name: tag + text for name, text in part.BROKEN.items()}
        sound |= {name: tag + text for name, text in part.SOUND.items()}
    sound |= {name: tag + text for name, text in sizes.FULL.items()}
    planted |= {name: f"{tag}#include <{header}>\n" for name, header in NOT_FOR_MODULES.items()}
    return planted, sound


def self_test():
    planted, sound = planted_mistakes()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**planted, **sound}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        wrong = check(root)
    found = {line.split(":")[0] for line in wrong}
    expected = {*planted, *(name.rpartition("/")[0] for name in sizes.FULL), *sizes.FULL_FOLDERS, *sizes.LONG_FILES}
    expected |= {name.split(":")[0] for name in sizes.LONG_FUNCTIONS}
    missed, invented = expected - found, found - expected
    missed |= {what for what in names.OF_README if not any(what in line for line in wrong)}
    return [f"not found: {name}" for name in missed] + [f"found without reason: {name}" for name in invented]


if __name__ == "__main__":
    errors = self_test() if sys.argv[1] == "--self-test" else check(pathlib.Path(sys.argv[1]))
    print("\n".join(errors) if errors else "the house is in order")
    sys.exit(1 if errors else 0)
