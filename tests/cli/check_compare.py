#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_compare.py RUN: eight repeats of a build against eight of the same, and of one whose latencies are half as long again.

Each is the recorded run with every latency a little longer or shorter: exit status 0 for the same build, 2 for the slower one,
and the page says what the terminal says.
"""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from series_of_runs import stretch

RECORDED = json.loads((pathlib.Path(sys.argv[1]) / "result.json").read_text())
failures = []


def expect(found, what, said=""):
    print(f"{'ok' if found else 'not ok'} - {what}")
    if not found:
        failures.append(f"{what}\n{said}")


def named(times, name):
    run = copy.deepcopy(RECORDED)
    run["run"]["id"] = name
    for phase in run["phases"]:
        stretch(phase, times)
    return run


def build(folder, name, times):
    for repeat in range(8):
        place = pathlib.Path(folder) / name / str(repeat)
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(named(times * (1 + 0.01 * repeat), f"{name}-{repeat}")))
    return str(pathlib.Path(folder) / name)


def compare(*arguments):
    ended = subprocess.run([os.environ["MAXLAT"], "compare", "--fail-if-worse", *arguments], capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


def refused(folder, name, content, pattern):
    """A folder that is no base: exit status 1, and one line that says why."""
    place = pathlib.Path(folder) / name
    place.mkdir()
    content(place)
    status, said = compare(str(place), str(pathlib.Path(folder) / "good"))
    expect(status == 1 and re.search(pattern, said) and said.count("\n") <= 2, f"{name} is refused", said)


def two_boxes(place):
    for number, box in enumerate(("box 17", "box 18")):
        run = named(1, f"of-{number}")
        run["run"]["annotations"] = {"box": box}
        (place / f"{number}.json").write_text(json.dumps(run))


def half_a_result(place):
    text = json.dumps(named(1, "half"))
    (place / "half.json").write_text(text[:len(text) // 2])


def mistakes(folder):
    refused(folder, "nothing", lambda place: None, r"nothing holds no run\nhint: .*result\.json")
    refused(folder, "others", lambda place: (place / "cyclictest.json").write_text('{"file_version": 1}'),
            r"others holds no run\nhint: of its 1 \.json file, none is a result of maxlat")
    refused(folder, "two boxes", two_boxes,
            r"two boxes holds runs of two boxes: .*/0\.json of box 17, .*/1\.json of box 18\nhint: give each box")
    refused(folder, "half", half_a_result, r"half\.json")
    refused(folder, "lost", lambda place: (place / "lost.json").symlink_to("/no/such/file"), r"cannot read .*lost\.json")


def result_files(folder, slow):
    """Result files side by side in a folder are repeats, too; a text of another tool among them is none."""
    place = pathlib.Path(folder) / "files"
    place.mkdir()
    for repeat in range(8):
        (place / f"{repeat}.json").write_text(json.dumps(named(1 + 0.01 * repeat, f"file-{repeat}")))
    (place / "cyclictest.json").write_text('{"file_version": 1}')
    status, said = compare(str(place), slow)
    expect(status == 2 and " files (8 runs) " in said and "npt in slow: worse, p50 x 1.5" in said, "a folder of result files", said)
    other = json.loads((place / "7.json").read_text())
    other["machine"]["kernel"]["values"]["release"] = "6.12.2"
    other["machine"]["kernel"]["hash"] = "another"
    (place / "7.json").write_text(json.dumps(other))
    status, said = compare(str(place), str(place.parent / "again"))
    expect(status == 3 and "files, run file-7 is no repeat of run file-0: kernel: release is 6.12.2" in said,
           "repeats with another kernel among them decide nothing", said)


def of_other_tools(folder, good):
    """Imported runs have their figures side by side; what they do not tell is said, and nothing of it is a pass."""
    data, runs = pathlib.Path(__file__).resolve().parents[2] / "import/testdata", []
    for name in ("cyclictest-2.4.json", "cyclictest-2.4-histfile.txt"):
        runs.append(f"{folder}/{name}.imported")
        subprocess.run([os.environ["MAXLAT"], "import", data / name, "-o", runs[-1]], check=True, timeout=60)
    status, said = compare(*runs)
    words = " ".join(said.split())
    expect(status == 3 and "Machine: not every run tells its machine" in said, "imported runs decide nothing", said)
    expect(re.search(r"^  max +171 us +579 us +x 3.39", said, re.M), "their figures stand side by side", said)
    expect("not measured alike: timer: none told, the baseline's \"every 100 us\"" in words, "and what one does not tell", said)
    status, said = compare(runs[0], f"{good}/0")
    expect(status == 3 and "cyclictest is not measured in 0" in said, "an imported run beside one of ours", said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        good, again, slow = build(folder, "good", 1), build(folder, "again", 1.002), build(folder, "slow", 1.5)
        status, said = compare(good, again)
        expect(status == 0 and "npt in again: no difference is shown" in said, "the same build is no worse", said)
        status, said = compare(good, slow)
        expect(status == 2 and "npt in slow: worse, p50 x 1.5" in said, "the slower build is worse", said)
        expect("cries wolf" in said and "in these runs" not in said, "repeats decide", said)
        status, said = compare(slow, good)
        expect(status == 0 and "better, p50 x 0.66" in said, "the other way round it is better", said)
        result_files(folder, slow)
        of_other_tools(folder, good)
        mistakes(folder)
        if shutil.which("gnuplot"):
            page = f"{folder}/page.html"
            compare(good, slow, "-o", page)
            text = pathlib.Path(page).read_text()
            expect(">Worse</h2>" in text and text.count("<svg") == 2, "the page says so, too")
    print("\n".join(f"# {failure}" for failure in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
