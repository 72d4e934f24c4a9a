# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Undoes one decision of a source after the other, in a copy, and runs the test that must notice each; on the source as it is
the test must pass. A mutant names what the test must say of it: only that counts, not another failure, nor a crash or a run
without end."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

CACHED = ["ccache"] if shutil.which("ccache") else []  # compiling takes longer than most runs
LIMIT_S = 300  # of one run, on a machine that does other things too
KINDS = (".c", ".h", ".hpp", ".cpp")


def build(folder, sources, compiler, flags, changed):
    """`changed`: sources that must be compiled; None: all, for a header reaches all of them."""
    objects = []
    for source in sources:
        output = pathlib.Path(source).name + ".o"
        objects.append(output)
        if changed is not None and source not in changed and (folder / output).exists():
            continue
        language = ["-std=c++20"] if source.endswith("cpp") else ["-x", "c", "-std=c11"]
        # No path of the folder, whose name is another each time: the cache takes the command for what it is.
        subprocess.run([*CACHED, compiler, *flags, *language, "-O1", "-w", "-I.", "-c", source, "-o", output], cwd=folder, check=True)
    subprocess.run([compiler, *objects, "-lgmock", "-lgtest", "-lgtest_main", "-lpthread", "-o", "test"], cwd=folder, check=True)


def run(folder, text=None):
    """RETURNS: the test's exit status; with a text, whether it said that, and it is ended there."""
    command = [str(folder / "test")] + (["--gtest_fail_fast"] if text is None else [])
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as test:
        timer = threading.Timer(LIMIT_S, test.kill)
        timer.start()
        said = False
        for line in test.stdout:
            if text is not None and f'"{text}"' in line:
                said = True
                test.kill()
        timer.cancel()
    return test.returncode if text is None else said


def copy(folder, places):
    """places: {where in the copy: a folder of the tree}."""
    for place, original in places.items():
        (folder / place).mkdir(parents=True)
        for path in original.iterdir():
            if path.suffix in KINDS:
                (folder / place / path.name).write_text(path.read_text())


def try_all(mutants, places, sources, compiler, flags):
    """mutants: (name, file in the copy, what is replaced, by what, what the test must say); by None: what is replaced is a list of
    pairs. RETURNS: the exit status."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copy(folder, places)
        build(folder, sources, compiler, flags, None)
        if run(folder) != 0:
            print("WRONG: the source as it is fails")
            return 1
        for name, file, old, new, text in mutants:
            mutated = original = (folder / file).read_text()
            for one, other in [(old, new)] if new is not None else old:
                pattern = r"\s+".join(map(re.escape, one.split()))
                mutated, count = re.subn(pattern, lambda _, other=other: other, mutated)
                if count != 1:
                    break
            if count != 1:
                print(f"WRONG: {name}: {count} places in {file}")
                wrong += 1
                continue
            (folder / file).write_text(mutated)
            build(folder, sources, compiler, flags, [file] if file in sources else None)
            said = run(folder, text)
            print(f"{'fails as it must' if said else 'WRONG: not noticed'}: {name}: {text}", flush=True)
            wrong += not said
            (folder / file).write_text(original)
            for output in [folder / (pathlib.Path(file).name + ".o")] if file in sources else folder.glob("*.o"):
                output.unlink()
    print(f"{len(mutants)} mutants, {wrong} wrong")
    return 1 if wrong else 0
