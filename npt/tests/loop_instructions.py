#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""loop_instructions.py PROGRAM LIMIT: instructions per turn of npt's loop, as a limit that noise cannot touch.

callgrind counts the instructions of run_segment for N and for 2N turns; their difference is N turns, and what is rare in them.
A turn has as many where the books are sensors that others see, for it is the same code.
Then the code itself: each rdtsc of the fenced loop has its lfence right before it (defect 9 of npt 1.01), and the
turn has no call and no division.
"""
import re
import shutil
import subprocess
import sys
import tempfile

TURNS = 100_000


def instructions(program, turns, *words):
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=*run_segment*",
             program, str(turns), *words], capture_output=True, text=True)
        collected = re.search(r"Collected : (\d+)", ended.stderr)
        if ended.returncode != 0 or not collected or collected[1] == "0":
            sys.exit(f"callgrind: status {ended.returncode}: {ended.stderr}")
        return int(collected[1])


def per_turn_of(program, *words):
    return (instructions(program, 2 * TURNS, *words) - instructions(program, TURNS, *words)) / TURNS


def code_of_loop(program):
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
    function = re.search(r"^[0-9a-f]+ <[^>]*run_segment[^>]*FencedCounter[^>]*NoProbe[^>]*>:\n((?:.+\n)+)", listing, re.MULTILINE)[1]
    return [re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line).groups() for line in function.splitlines()]


def turn_of(code):
    """The turn: from the third counter read (two open the segment) back around, up to the jump that closes the circle."""
    address = {int(at, 16): i for i, (at, _, _) in enumerate(code)}
    reads = [i for i, (_, name, _) in enumerate(code) if name == "rdtsc"]
    circles = []
    for i, (_, name, operand) in enumerate(code):
        target = re.match(r"([0-9a-f]+)", operand) if name.startswith("j") else None
        if target and int(target[1], 16) in address:
            begin = address[int(target[1], 16)]
            if begin < i and any(begin <= r <= i for r in reads):
                circles.append((i - begin, begin, i))
    _, begin, end = min(circles)
    return code[begin:end + 1]


def main(program, limit):
    for tool in ("valgrind", "objdump"):
        if shutil.which(tool) is None:
            print(f"{tool} is not installed")
            return 77
    per_turn, seen = per_turn_of(program), per_turn_of(program, "sensors")
    print(f"{per_turn:.2f} instructions a turn, limit {limit}; {seen:.2f} with sensors")
    wrong = [f"{per_turn:.2f} instructions a turn are above the limit of {limit}"] if per_turn > limit else []
    if per_turn < 10:
        wrong.append(f"{per_turn:.2f} instructions a turn cannot be: the loop was not counted")
    if round(seen) != round(per_turn):  # a gap longer than all before it comes a dozen times, and is the rest
        wrong.append(f"with sensors a turn has {seen:.2f} instructions, not {per_turn:.2f}")
    code = code_of_loop(program)
    for (_, before, _), (at, name, _) in zip(code, code[1:]):
        if name == "rdtsc" and before != "lfence":
            wrong.append(f"the rdtsc at {at} follows {before}, not lfence")
    for at, name, operand in turn_of(code):
        if name.startswith(("call", "div", "idiv")) or "xmm" in operand:
            wrong.append(f"within the turn, at {at}: {name} {operand}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
