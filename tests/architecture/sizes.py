# SPDX-License-Identifier: MIT
"""How much stands in one place: a folder of more sources than a newcomer reads the names of, a file that holds two ideas.

Where more is better, the reason stands here. An exception that nothing needs any more is a mistake, too.
"""
import re

MOST_FILES = 30  # beside tests
MOST_LINES = 400
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".pml"}
BESIDE = re.compile(r"^(test_|fuzz_).*|.*_(test|bench|program|test\.mod)\.")  # what serves tests

FULL_FOLDERS = {"tests/cli": "one table a command"}
LONG_FILES = {
    "core/machine/src/settings_test.cpp": "one test a setting",
    "rteval-ext/run/orchestrator_test.cpp": "one test an end that a run can have",
    "tests/tracer/record_cases.py": "one function a case, in the order of the manual page",
    "tracer/consumer/recorder_test.cpp": "one test an event in a recorder's life",
    "tracer/model/ring_writer.pml": "the writer's steps, as the C has them",
    "tracer/session/session_test.cpp": "one test a promise of session.hpp",
}


# For the self-test: a file that is too long, a folder that is too full of sources, and one that tests fill.
BROKEN = {"loadgen/src/long.cpp": "int line;\n" * (MOST_LINES + 1)}
FULL = {f"shield/crowd/{number}.cpp": "" for number in range(MOST_FILES + 1)}
SOUND = {f"shield/tested/{number}_test.cpp": "" for number in range(MOST_FILES + 1)}


def findings(root, folders):
    """One line each."""
    counts, lengths = {}, {}
    for top in folders:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            inside = str(path.relative_to(root))
            lengths[inside] = path.read_text(errors="replace").count("\n")
            if not BESIDE.match(path.name):
                folder = inside.rpartition("/")[0]
                counts[folder] = counts.get(folder, 0) + 1
    yield from over(counts, MOST_FILES, FULL_FOLDERS, "sources")
    yield from over(lengths, MOST_LINES, LONG_FILES, "lines")


def over(sizes, most, reasons, unit):
    for place, size in sizes.items():
        if size > most and place not in reasons:
            yield f"{place}: {size} {unit}, and {most} are the most without a reason in tests/architecture/sizes.py"
    for place in reasons:
        if sizes.get(place, 0) <= most:
            yield f"{place}: an exception in tests/architecture/sizes.py that has no more than {most} {unit}"
