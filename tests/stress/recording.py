# SPDX-License-Identifier: MIT
"""A recording of stress_program, and what it leaves: for the scripts here."""
import collections
import os
import signal
import struct
import subprocess
import time

MAXLAT = os.environ["MAXLAT"]
LIMIT = 120  # seconds until a condition that does not come is a failure
LOSSES = ("lost_full", "lost_wrap", "lost_big", "lost_no_ring", "lost_frozen", "not_written", "overwritten")


def wait_until(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"did not come: {what}"
        time.sleep(0.002)


def page_of(path):
    """The counts of the threads, and the program's process id."""
    words = struct.unpack("<512Q", path.read_bytes()) if path.exists() and path.stat().st_size == 4096 else (0,) * 512
    return words[:511], words[511]


def books_of(trace):
    books = collections.Counter()
    for path in trace.rglob(".books"):  # of a flight recorder each snapshot has its own, from the one before it
        for line in path.read_text().splitlines():
            words = line.split()[2:]
            books.update({name: int(number) for name, number in zip(words[::2], words[1::2])})
    return books


def record(trace, options, *rest):
    return subprocess.Popen([MAXLAT, "trace", "record", "-o", trace, *options, *rest], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def ended(process):
    out, err = process.communicate(timeout=LIMIT)
    # The program's status is the recorder's, and misfortune may be a SIGKILL.
    assert process.returncode in (0, 3, 128 + signal.SIGKILL), f"exit status {process.returncode}: {out}{err}"
    return err
