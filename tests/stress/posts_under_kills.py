#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posts_under_kills.py PROGRAM [POSTS [KILLS]]: six monitors of a program that posts as fast as it can, one of which is killed
again and again, and replaced. What is left of them, and whoever came late, has books that balance to the event.

By hand 100000000 posts, a monitor killed each second or so: posts_under_kills.py build/release/tests/stress/post_program 100000000 60
"""
import re
import subprocess
import sys

PROGRAM = sys.argv[1]
POSTS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
MONITORS = 6
LISTS = ("shared", "own", "texts")
LIMIT_S = 600


def line_of(process):
    line = process.stdout.readline()
    assert line, f"{process.args}: ended with {process.wait(LIMIT_S)}"
    return line.strip()


def watch(pid):
    monitor = subprocess.Popen([PROGRAM, "watch", str(pid)], stdout=subprocess.PIPE, text=True)
    assert line_of(monitor) == "ready"
    return monitor


def main():
    program = subprocess.Popen([PROGRAM, "post", str(POSTS), str(KILLS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert line_of(program) == "ready"
    monitors = [watch(program.pid) for _ in range(MONITORS)]
    first = monitors[-1]  # is never killed, and sees all of it
    program.stdin.write("\n")
    program.stdin.flush()
    for step in range(1, KILLS + 1):
        assert line_of(program) == f"step {step}"
        victim = monitors.pop(0) if monitors[0] is not first else monitors.pop(1)
        victim.kill()
        victim.communicate()
        monitors.append(watch(program.pid))
    assert line_of(program) == f"done {POSTS}"
    for monitor in monitors:
        said = monitor.stdout.read()  # communicate() with a limit would lose what readline() has read ahead
        assert monitor.wait(LIMIT_S) == 0, said
        books = {name: tuple(map(int, numbers)) for name, *numbers in
                 re.findall(r"(\w+) (\d+) posts (\d+) delivered (\d+) lost", said)}
        assert set(books) == set(LISTS), said
        for name, (posts, delivered, lost) in books.items():
            assert posts == delivered + lost, f"{name}: {said}"
        if monitor is first:
            assert sum(posts for posts, _, _ in books.values()) == POSTS, said
            for name, (posts, delivered, lost) in books.items():
                print(f"{name}: {posts} posts, {delivered} delivered, {lost} overwritten or dropped")
        assert f"posted {POSTS}\n" in said and f"values {POSTS}\n" in said, said
    program.stdin.close()
    assert program.wait(LIMIT_S) == 0
    print(f"{POSTS} posts, {KILLS} of {MONITORS + KILLS} monitors killed, all books balance")


main()
