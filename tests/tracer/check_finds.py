#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_finds.py SAMPLE_PROGRAM: `maxlat trace check` finds each thing that can be wrong with a trace. Every case spoils one
thing of a sound trace and expects exit status 2 and a line about it; print and stats survive all of them."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

MAXLAT = os.environ["MAXLAT"]
HEADER = 112
BEGIN, END, CONTENT, PACKET, SEQUENCE, RECORDS, LOST, FULL = range(32, 96, 8)  # offsets in the packet header


def check(trace, *options):
    return subprocess.run([MAXLAT, "trace", "check", *options, trace], capture_output=True, text=True, timeout=30)


class Stream:
    """A stream file in memory, to be spoiled."""

    def __init__(self, path):
        self.path, self.bytes, self.packets = path, bytearray(path.read_bytes()), []
        at = 0
        while at < len(self.bytes):
            self.packets.append(at)
            at += self.word(at + PACKET) // 8

    def word(self, at):
        return struct.unpack_from("<Q", self.bytes, at)[0]

    def set(self, packet, offset, value):
        struct.pack_into("<Q", self.bytes, self.packets[packet] + offset, value)

    def add(self, packet, offset, value):
        self.set(packet, offset, self.word(self.packets[packet] + offset) + value)


def cut_second_packet(stream):
    del stream.bytes[stream.packets[1]:stream.packets[2]]


SPOILED = {  # what is done to a stream: what must be found
    "no packet after the first": (lambda s: s.set(1, 0, 0), "no packet begins here"),
    "of another trace": (lambda s: s.set(1, 8, 1), "another trace"),
    "of another stream": (lambda s: s.set(1, 24, 99), "another stream"),
    "content larger than packet": (lambda s: s.add(1, CONTENT, 64), "impossible sizes"),
    "content of half a word": (lambda s: s.add(1, CONTENT, -32), "impossible sizes"),
    "packet beyond the file": (lambda s: s.set(2, PACKET, 1 << 40), "and the file"),
    "cut file": (lambda s: s.bytes.__delitem__(slice(-8, None)), "and the file"),
    "bytes at the end": (lambda s: s.bytes.extend(b"x" * 9), "9 bytes are no whole packet"),
    "a packet missing": (cut_second_packet, "1 packet is missing before number 2"),
    "a packet twice": (lambda s: s.set(1, SEQUENCE, 0), "packet number 0 after number 0"),
    "end before begin": (lambda s: s.set(2, END, 0), "ends before it begins"),
    "begin before the last end": (lambda s: s.set(1, BEGIN, 5), "begins before the one before it ends"),
    "records miscounted": (lambda s: s.add(0, RECORDS, 1), "14 records in a packet that says it has 15"),
    "sum of losses": (lambda s: s.set(2, LOST, 3), "3 events discarded, and by cause 0"),
    "fewer losses than before": (lambda s: (s.set(0, LOST, 3), s.set(0, FULL, 3)), "fewer events are lost"),
    "no record": (lambda s: s.set(0, HEADER, 0), "no record begins here"),
    "record of an unknown event": (lambda s: s.set(0, HEADER, s.word(HEADER) ^ 77 << 32), "the metadata has no event"),
    "record too short for its fields": (lambda s: s.set(0, HEADER, s.word(HEADER) ^ 3 << 32), "the fields of sample:floats"),
    "record after the packet's end": (lambda s: s.add(0, END, -50), "after the end of its packet"),
    "records out of order": (lambda s: s.set(0, HEADER, s.word(HEADER) + 40), "from before the one before"),
}

# Where a part cannot be read, print and stats say so with status 3. Of what can be read, though it cannot be true, they make
# no more than it says.
UNREADABLE = {"no packet after the first", "of another trace", "of another stream", "content larger than packet",
              "content of half a word", "packet beyond the file", "cut file", "bytes at the end", "no record",
              "record of an unknown event"}
# Between which two events something is missing is told among the events.
MISSING = {"a packet missing": "^--- 1 packet missing: ", "a packet twice": "^--- 1 packet missing: ",
           "fewer losses than before": r"^--- 3 events lost \(buffer full 3\): "}

BOOKS = "channel threads produced {} recorded 74 lost_full {} overwritten 0\nchannel cpus produced 74 recorded {}\n"
BOOKS_SPOILED = {
    BOOKS.format(75, 0, 74): "channel threads: 75 events produced, and 74 accounted for: 74 recorded",
    BOOKS.format(76, 1, 74): "75 accounted for: 74 recorded + 1 lost_full",
    BOOKS.format(74, 0, 73): "channel cpus: 74 events produced, and 73",
    "channel threads produced 74 recorded 74\nchannel cpus produced 70 recorded 70\n":
        "channel cpus: the books say 70 events were recorded, and the files have 74",
    "channel threads produced 74 recorded 74\n": "channel cpus: 74 events that are in no books",
}


def expect(name, ended, status, pattern):
    if ended.returncode == status and re.search(pattern, ended.stdout + ended.stderr):
        return True
    print(f"{name}: exit status {ended.returncode}, no match for {pattern}:\n{ended.stdout[:2000]}{ended.stderr[:2000]}")
    return False


def main(sample):
    sound = True
    with tempfile.TemporaryDirectory() as scratch:
        whole, spoiled = pathlib.Path(scratch) / "whole", pathlib.Path(scratch) / "spoiled"
        subprocess.run([sample, whole], check=True)
        sound &= expect("a sound trace", check(whole), 3, r"recorded 296 .*\nproduced: not known, the recorder of 2 of 2 ")
        for name, (spoil, pattern) in SPOILED.items():
            shutil.rmtree(spoiled, ignore_errors=True)
            shutil.copytree(whole, spoiled)
            stream = Stream(spoiled / "sample-1000" / "threads-1-0")
            spoil(stream)
            stream.path.write_bytes(stream.bytes)
            sound &= expect(name, check(spoiled), 2, rf"{stream.path}: byte \d+: .*{pattern}")
            sound &= check(spoiled, "-q").stdout == ""
            for command in ("print", "stats"):
                read = subprocess.run([MAXLAT, "trace", command, spoiled], capture_output=True, text=True, timeout=30)
                told = f"{stream.path}: byte " if name in UNREADABLE else MISSING.get(name, "") if command == "print" else ""
                sound &= expect(f"{name}: {command}", read, 3 if told else 0, f"(?m){told}")
        shutil.rmtree(spoiled)
        shutil.copytree(whole, spoiled)
        one, copy = (spoiled / "sample-1000" / f"threads-{slot}-0" for slot in (1, 7))
        shutil.copy(one, copy)
        sound &= expect("a stream twice", check(spoiled), 2, f"(?m)^{copy}: the same stream as {one}: ")
        copy.unlink()
        names = spoiled / "sample-1000" / ".threads"
        names.write_text('ring threads-1-0 tid 4001 from 0 name "one"\nring threads-1-0 tid 4001 fr')
        sound &= expect("names, the last cut", check(spoiled), 3, "recorded 296 ")
        names.write_text('ring threads-1-0 tid 4001 from 0 name "one"\nring threads-1-0 tid x from 9 name "two"\n')
        sound &= expect("names spoiled", check(spoiled), 2, re.escape(f"{names}, line 2: not "))
        names.unlink()
        books = spoiled / "sample-1001" / ".books"
        for text, pattern in BOOKS_SPOILED.items():
            books.write_text(text)
            sound &= expect(f"books {text}", check(spoiled), 2, re.escape(pattern))
        books.write_text(BOOKS.format(74, 0, 74))
        sound &= expect("one's books", check(spoiled), 3, r"the recorder of 1 of 2 processes left no books \(was it killed, or is it still re")
        (spoiled / "sample-1000" / ".books").write_text(BOOKS.format(81, 7, 74))
        sound &= expect("all books", check(spoiled), 0, r"produced 303, as .*: 296 recorded \+ 7 lost_full\n")
        hole = Stream(spoiled / "sample-1001" / "threads-0-0")
        cut_second_packet(hole)
        hole.path.write_bytes(hole.bytes)
        books.write_text("channel threads produced 74 recorded 65 overwritten 9\nchannel cpus produced 74 recorded 74\n")
        sound &= expect("a hole, and packets overwritten", check(spoiled), 0, r"produced 303, as")
        books.write_text("channel threads produced 74 recorded 65 lost_full 9\nchannel cpus produced 74 recorded 74\n")
        sound &= expect("a hole, and none overwritten", check(spoiled), 2, "1 packet is missing before number 2")
        books.write_text("channel threads produced many\n")
        sound &= expect("books that are none", check(spoiled), 2, r"\.books, line 1")
        read = subprocess.run([MAXLAT, "trace", "stats", spoiled], capture_output=True, text=True, timeout=30)
        sound &= expect("stats beside books that are none", read, 3, r"(?s)296 events in|287 events in.*\.books, line 1")
        metadata = spoiled / "sample-1000" / "metadata"
        text = metadata.read_text()
        metadata.write_text(text.replace("size = 16; align = 8; signed = true; }", "size = 16; align = 16; signed = true; }"))
        sound &= expect("a type of another alignment", check(spoiled), 2, f'(?m)^{metadata}: others .*"typealias .* := i16;" is not ')
        threads = "align(64) extended;\n    } v;\n  } align(64);\n"
        metadata.write_text(text.replace(threads, threads + "  event.context := struct { u32 cpu_id; };\n", 1))
        sound &= expect("a context without alignment", check(spoiled), 2, f"(?m)^{metadata}: others .*lacks align")
        metadata.write_text(text)
        metadata.write_text(metadata.read_text()[:-20])
        books.unlink()
        sound &= expect("metadata cut", check(spoiled), 2, "metadata is cut at byte")
        metadata.write_text("/* CTF 1.8 */ nothing of ours")
        sound &= expect("metadata of one spoiled", check(spoiled), 2, f"{metadata}: .*\n(.*\n)*processes 1 ")
        read = subprocess.run([MAXLAT, "trace", "print", spoiled / "sample-1001"], capture_output=True, text=True, timeout=30)
        both = subprocess.run([MAXLAT, "trace", "print", spoiled], capture_output=True, text=True, timeout=30)
        sound &= both.stdout == read.stdout and len(read.stdout) > 1000
        sound &= expect("the other's events", both, 3, f"{metadata}: ")
        metadata.unlink()
        lost = re.escape(f"{metadata}: ") + ".*it is missing"
        for whose, folder in (("one", spoiled), ("the only one", metadata.parent)):
            sound &= expect(f"metadata of {whose} lost: check", check(folder), 2, "(?m)^" + lost)
            for command in ("print", "stats"):
                read = subprocess.run([MAXLAT, "trace", command, folder], capture_output=True, text=True, timeout=30)
                sound &= expect(f"metadata of {whose} lost: {command}", read, 3, lost)
                sound &= read.stderr.count("\n") == 1
        for stream in (*metadata.parent.glob("*-*"), metadata.parent / ".books"):
            stream.unlink()
        (metadata.parent / "notes-2026-11").write_text("no stream")
        sound &= expect("streams lost, too", check(spoiled), 2, r"\A" + re.escape(f"{hole.path}: byte"))
        (metadata.parent / ".books").write_text("")
        sound &= expect("only books are left", check(spoiled), 2, lost)
        (spoiled / "empty").mkdir()
        sound &= expect("no trace", check(spoiled / "empty"), 1, "is no trace")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
