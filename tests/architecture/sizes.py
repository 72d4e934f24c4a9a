# SPDX-License-Identifier: MIT
"""How much stands in one place: a folder of more sources than a newcomer reads the names of, a file that holds two ideas,
a function that does not fit on a screen.

Where more is better, the reason stands here. An exception that nothing needs any more is a mistake, too.
"""
import ast
import re

MOST_FILES = 30  # beside tests
MOST_LINES = 400
MOST_OF_FUNCTION = 60  # with its head
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".py", ".pml"}
BESIDE = re.compile(r"^(test_|fuzz_).*|.*_(test|bench|program|test\.mod)\.")  # what serves tests

FULL_FOLDERS = {
    "core/sys/include/maxlat/core/sys": "one thing of the system a header",
    "tests/cli": "one table a command",
}
LONG_FILES = {
    "core/machine/src/settings_test.cpp": "one test a setting",
    "python/maxlat_sensors/__init__.py": "what a user imports: one class a kind of value",
    "tests/tracer/kernel_cases.py": "one function a case",
    "tests/tracer/record_cases.py": "one function a case, in the order of the manual page",
    "tracer/consumer/recorder_test.cpp": "one test an event in a recorder's life",
    "tracer/model/ring_writer.pml": "the writer's steps, as the C has them",
    "tracer/session/session_test.cpp": "one test a promise of session.hpp",
}
LONG_FUNCTIONS = {  # file: name
    "core/machine/src/kernel_config.cpp: kernel_options_that_matter": "a table",
    "core/machine/src/settings_cpu.cpp: cpu_settings": "a table",
    "core/machine/src/settings_kernel.cpp: kernel_settings": "a table",
    "core/result/src/run_json_test.cpp: TEST(RunJson, WhatIsWrittenIsReadBack)": "one line a field of a run",
    "core/result/src/test_run.cpp: example_phase": "a phase that has every field",
    "reports/test/test_runs.hpp: typical_run": "a run that has what a page shows",
    "rteval-ext/plan/plan_write_test.cpp: TEST(PlanWrite, EveryFieldComesBack)": "one line a field of a plan",
    "tests/tracer/check_finds.py: main": "one line a way to spoil a trace",
    "tests/tracer/print_filters.py: main": "one line an option",
    "tracer/ctf/metadata_reader_test.cpp: TEST(MetadataReader, ReadsBackEverythingThatWasWritten)": "one line a field of metadata",
}
# A line that begins a function: at the margin, or in a class; and one that ends it, at the same place.
BEGINS = re.compile(r"( {0,2})(?!(?:namespace|class|struct|union|enum|extern|return|if|for|while|switch|do|else|try|case)\b)[\w~\[]")
NAME = re.compile(r"(\bTEST(?:_F|_P)?\([^)]*\)|\boperator[^\w\s]+(?=\()|~?\b\w+(?=\())")


# For the self-test: a file that is too long, a folder that is too full of sources, and one that tests fill.
BROKEN = {
    "loadgen/src/long.cpp": "int line;\n" * (MOST_LINES + 1),
    "loadgen/src/long_function.cpp": "int many(int a,\n         int b) {\n" + "  ++a;\n" * (MOST_OF_FUNCTION - 2) + "}\n",
    "shield/src/long_member.hpp": "class A {\n  void many() const {\n" + "    call();\n" * (MOST_OF_FUNCTION - 1) + "  }\n};\n",
}
FULL = {f"shield/crowd/{number}.cpp": "" for number in range(MOST_FILES + 1)}
SOUND = {
    "loadgen/src/screen.cpp": "int some(int a,\n         int b) {\n" + "  ++a;\n" * (MOST_OF_FUNCTION - 3) + "}\n",
    "loadgen/src/table.cpp": "const int kRows[] = {\n" + "    1,\n" * MOST_OF_FUNCTION + "};\nint f() {\n}\n",
} | {f"shield/tested/{number}_test.cpp": "" for number in range(MOST_FILES + 1)}


def findings(root, folders):
    """One line each."""
    counts, lengths, functions = {}, {}, {}
    for top in folders:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            inside = str(path.relative_to(root))
            text = path.read_text(errors="replace")
            lengths[inside] = text.count("\n")
            if path.suffix != ".pml":
                for name, length in (functions_of_python if path.suffix == ".py" else functions_of_c)(text):
                    place = f"{inside}: {name}"
                    functions[place] = max(length, functions.get(place, 0))
            if not BESIDE.match(path.name):
                folder = inside.rpartition("/")[0]
                counts[folder] = counts.get(folder, 0) + 1
    yield from over(counts, MOST_FILES, FULL_FOLDERS, "sources")
    yield from over(lengths, MOST_LINES, LONG_FILES, "lines")
    yield from over(functions, MOST_OF_FUNCTION, LONG_FUNCTIONS, "lines of a function")


def functions_of_python(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node.end_lineno - node.lineno + 1


def functions_of_c(text):
    """By how the house indents: what ends with `{` and has a parenthesis, until the `}` that stands below its beginning.
    What is in a function is no function of its own."""
    lines, head, inside = text.splitlines(), None, -1
    for number, line in enumerate(lines):
        begins = BEGINS.match(line)
        if number <= inside:
            continue
        if begins and head is None:
            head, margin = number, begins[1]
        if head is None:
            continue
        if (line == "{" or line.endswith(" {")) and not line.endswith("= {"):
            name = NAME.search(" ".join(lines[head:number + 1]))
            if name:
                inside = next((n for n in range(number + 1, len(lines)) if lines[n].startswith(margin + "}")), number)
                yield name[1], inside - head + 1
            head = None
        elif line.endswith((";", "}", ":", "{", "\\")) or not line.strip() or line.startswith("#"):
            head = None


def over(sizes, most, reasons, unit):
    for place, size in sizes.items():
        if size > most and place not in reasons:
            yield f"{place}: {size} {unit}, and {most} are the most without a reason in tests/architecture/sizes.py"
    for place in reasons:
        if sizes.get(place, 0) <= most:
            yield f"{place}: an exception in tests/architecture/sizes.py that has no more than {most} {unit}"
