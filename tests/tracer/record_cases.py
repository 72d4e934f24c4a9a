#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record_cases.py TRACED_PROGRAM CASE: `maxlat trace record` and the commands around it, on a program that traces.

Nothing here waits for a time: each wait is for a condition, and has a limit only so that a failure ends.
"""
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import babeltrace_text

MAXLAT = os.environ["MAXLAT"]
PROGRAM = sys.argv[1]
LIMIT = 60  # seconds until a condition that does not come is a failure
PACKET_SIZE = 56  # where a packet's header has its size, in bits


STARTED = []


def start(*words, **more):
    STARTED.append(subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more))
    return STARTED[-1]


def child_of(process):
    return int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


def end_what_runs():
    """After a case that failed: a recorder, and the program that it runs."""
    for process in STARTED:
        if process.poll() is None:
            with contextlib.suppress(ValueError):
                os.kill(child_of(process), signal.SIGKILL)
            process.kill()


def finish(process, status=0):
    """Waits for its end and expects the exit status. Returns its stderr."""
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == status, f"exit status {process.returncode}, not {status}\n{out}{err}"
    return err


def run(*words, status=0, **more):
    return finish(start(*words, **more), status)


def run_text(*words, may_lack=False):
    """What it prints. Expects that it finds nothing wrong; `may_lack`: but that events may be missing, which it tells."""
    read = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT)
    assert read.returncode == 0 or (may_lack and read.returncode == 3), read.stdout[-2000:] + read.stderr
    return read.stdout


def record(folder, *options):
    return start(MAXLAT, "trace", "record", "-o", folder, *options)


def wait_until(what, condition):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError(f"did not come: {what}")


@contextlib.contextmanager
def program(*words, path=PROGRAM, **more):
    """The traced program, listening."""
    process = start(path, *words, env={**os.environ, "MAXLAT_TRACE_CONTROL": "listen"}, **more)
    try:
        wait_until("the program listens", lambda: f"{process.pid} " in listing())
        yield process
    finally:
        process.kill()
        process.communicate()


def named_of_its_own(folder):
    """The traced program under a name that no other test's has: root finds the programs of all."""
    link = folder / f"traced{os.getpid()}"
    link.symlink_to(PROGRAM)
    return link


@contextlib.contextmanager
def killed_in_the_end(pid):
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)


def request(pid, *lines):
    """What a program answers at its control socket, as any controller may ask."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(f"{os.environ['XDG_RUNTIME_DIR']}/maxlat/{pid}.trace")
        for line in lines:
            connection.send(line.encode())
            answer = connection.recv(1 << 16).decode()
            assert answer.startswith("ok"), (line, answer)


def listing(*programs):
    return subprocess.run([MAXLAT, "trace", "list", *map(str, programs)], capture_output=True, text=True, timeout=LIMIT).stdout


def status_of(process):
    return pathlib.Path(f"/proc/{process.pid}/status").read_text()


def process_of(trace):
    return int(re.search(r"traced_program-(\d+)", str(list(trace.iterdir())))[1])


def page_of(path):
    """The counts that the program keeps, a word each thread."""
    return struct.unpack("<8Q", path.read_bytes()[:64]) if path.exists() and path.stat().st_size >= 64 else (0,) * 8


def run_babeltrace(folder, lost=None):
    """What it prints; it must have nothing to warn of, but of what a busy machine may make a recording lose."""
    read = subprocess.run(["babeltrace2", str(folder)], capture_output=True, text=True, timeout=LIMIT)
    told = [line for line in read.stderr.splitlines() if line and not (lost and re.search(f"Tracer discarded .* {lost}", line))]
    assert read.returncode == 0 and not told, read.stderr
    return read.stdout


def events_of(folder, lost=None):
    """(thread, value) of each test:count."""
    return [(int(thread), int(value))
            for thread, value in re.findall(r"test:count: .*thread = (\d+), value = (\d+)", run_babeltrace(folder, lost))]


def json_events(folder):
    return [json.loads(line) for line in run_text(MAXLAT, "trace", "print", "--json", folder).splitlines()]


def books_by_channel(process):
    lines = [line.split() for line in (process / ".books").read_text().splitlines()]
    return {words[1]: dict(zip(words[2::2], map(int, words[3::2]))) for words in lines}


def books_of(folder):
    """The sum of all channels of all processes."""
    total = collections.Counter()
    for path in pathlib.Path(folder).glob("*/.books"):
        for books in books_by_channel(path.parent).values():
            total.update(books)
    return total


def check(folder, status=0):
    run(MAXLAT, "trace", "check", folder, status=status)


def balance_of(checked):
    """What became of the events, as `trace check` prints it: a sum that comes to what was produced."""
    produced, fates = re.search(r"^produced (\d+), as the recorder's books say: (.+)$", checked, re.MULTILINE).groups()
    counts = {name: int(number) for number, name in (fate.split(" ") for fate in fates.split(" + "))}
    assert sum(counts.values()) == int(produced), checked
    return counts


def a_million(folder, *options):
    """Room for all of it, so that no load of the machine loses an event."""
    finish(record(folder, "--count", "32", "-e", "test:count", *options, "--", PROGRAM, "events=500000", "threads=2"))
    read = subprocess.run(f"babeltrace2 {folder} | wc -l", shell=True, capture_output=True, text=True, timeout=LIMIT)
    assert read.stderr == "" and int(read.stdout) == 1_000_000, read
    check(folder)
    assert books_of(folder)["recorded"] == books_of(folder)["produced"] == 1_000_000


def case_timer(folder):
    a_million(folder)


def case_wakeup(folder):
    a_million(folder, "--deliver", "wakeup")


def case_per_cpu(folder):
    a_million(folder, "--per", "cpu")


def case_fast_polling(folder):
    a_million(folder / "often", "--period", "20us", "--flush", "1ms")
    a_million(folder / "always", "--period", "0")


def case_killed_producer(folder):
    """Every event whose MAXLAT_TRACE had returned is in the trace, whenever the kill comes."""
    random.seed(7)
    for attempt in range(12):
        trace, page = folder / f"trace{attempt}", folder / f"page{attempt}"
        per = ["thread", "cpu"][attempt % 2]
        recorder = record(trace, "--count", "32", "--per", per, "-e", "test:count", "--", PROGRAM, "events=0", "threads=2",
                          f"page={page}", f"apart_us={attempt % 3}")
        goal = random.randrange(1, 100_000 if attempt % 3 == 0 else 2000)
        wait_until("some events", lambda: page_of(page)[0] >= goal)
        os.kill(process_of(trace), signal.SIGKILL)
        err = recorder.communicate(timeout=LIMIT)[1]
        counted, books, events = page_of(page), books_of(trace), events_of(trace, "event")
        assert "killed by signal 9" in err, err
        lost = sum(number for name, number in books.items() if name.startswith("lost_"))
        assert recorder.returncode == (3 if lost or books["unfinished"] else 128 + signal.SIGKILL), err
        for thread in range(2):
            values = sorted(value for owner, value in events if owner == thread)
            if lost == 0:
                assert len(values) >= counted[thread], (attempt, counted, len(values))
                assert values == list(range(len(values))), attempt
        assert len(events) + lost >= sum(counted), (attempt, counted, books)
        assert books["recorded"] == len(events), (attempt, books)
        check(trace)


def case_killed_recorder(folder):
    """The program does not notice, and the next recorder gets the rest."""
    page, first, second = folder / "page", folder / "first", folder / "second"
    recorder = record(first, "-e", "test:count", "--count", "32", "--", PROGRAM, "events=0", "apart_us=50", f"page={page}")
    wait_until("events", lambda: page_of(page)[0] > 1000)
    wait_until("they are on disk", lambda: list(first.glob("*/channel0-0-0")))
    with killed_in_the_end(process_of(first)) as pid:
        recorder.kill()
        recorder.wait(LIMIT)
        assert list(folder.glob("maxlat-record-*")), "the recorder had no folder for its socket"
        at_kill = page_of(page)[0]
        wait_until("the program goes on", lambda: page_of(page)[0] > at_kill + 1000)
        after = record(second, "-p", pid)
        wait_until("the second records", lambda: list(second.glob("*/channel0-0-0")))
        more = page_of(page)[0]
        wait_until("the program goes on", lambda: page_of(page)[0] > more + 1000)
        after.send_signal(signal.SIGINT)
        finish(after)
        values = [value for _, value in events_of(second)]
        assert values == list(range(values[0], values[-1] + 1)) and values[-1] >= more + 1000
        # The first's whole packets end where the second begins, or later.
        early = [value for _, value in events_of(first)]
        assert early == list(range(len(early))) and len(early) >= values[0], (len(early), values[0])
        check(second)
    run(MAXLAT, "trace", "record", "-o", folder / "third", "--", "true", status=3)  # the next that listens for a program
    assert not list(folder.glob("maxlat-record-*")), "the folder of the killed recorder is still there"


def case_whole_or_absent(folder):
    """A recorder is killed again and again, at any time: babeltrace2 has nothing to warn of, and nobody repaired anything."""
    random.seed(11)
    events = 0
    with program("events=0", "threads=2") as traced:
        for attempt in range(12):
            trace = folder / f"trace{attempt}"
            recorder = record(trace, "--flush", ["0", "1ms"][attempt % 2], "-e", "test:count", "-p", traced.pid)
            wait_until("packets", lambda: any(p.stat().st_size > 0 for p in trace.glob("*/channel0-*")))
            for _ in range(random.randrange(2000)):
                pass  # a kill somewhere in the next packets
            recorder.kill()
            recorder.wait(LIMIT)
            read = subprocess.run(["babeltrace2", trace], capture_output=True, text=True, timeout=LIMIT)
            # Events lost in a full ring, for want of a recorder: true, and no fault of the file.
            told = [line for line in read.stderr.splitlines() if line and not re.search("Tracer (may have )?discarded", line)]
            assert read.returncode == 0 and not told, read.stderr
            events += read.stdout.count("test:count")
            printed = subprocess.run([MAXLAT, "trace", "print", trace], capture_output=True, text=True, timeout=LIMIT)
            lost = "\n--- " in printed.stdout
            assert printed.returncode == (3 if lost else 0) and printed.stderr == "", printed.stderr
            assert not lost or "Tracer" in read.stderr or not babeltrace_text.tells_losses_of_first_packets(), (read.stderr, printed.stdout[-1000:])
            assert printed.stdout.count("test:count") == read.stdout.count("test:count")
            checked = subprocess.run([MAXLAT, "trace", "check", trace], capture_output=True, text=True, timeout=LIMIT)
            assert checked.returncode == 3 and "left no books" in checked.stdout, checked
            shutil.rmtree(trace)
    assert events > 0


def case_second_consumer(folder):
    with program("events=0", "apart_us=1000") as traced:
        first = record(folder / "a", "-p", traced.pid)
        wait_until("the first records", lambda: list((folder / "a").glob("*/channel0-0-0")))
        err = run(MAXLAT, "trace", "record", "-o", folder / "b", "-p", traced.pid, status=1)
        assert re.fullmatch(r"maxlat trace: traced_program \(process \d+\): session record of process \d+ already has a "
                            r"consumer\nhint: .*\n", err), err
        first.send_signal(signal.SIGINT)
        finish(first)


def case_bad_folders(folder):
    for where, text in (("/proc/nothing", "cannot create the folder /proc/nothing"), (folder, "is not empty")):
        (folder / "something").touch()
        err = run(MAXLAT, "trace", "record", "-o", where, "--", PROGRAM, status=1)
        assert text in err and err.count("\n") <= 2, err


def case_full_disk(folder):
    """RLIMIT_FSIZE stands in for a small disk: the recorder alone has it."""
    page, trace = folder / "page", folder / "t"
    with program("events=0", "apart_us=10", f"page={page}") as traced:
        recorder = start("prlimit", "--fsize=40000", MAXLAT, "trace", "record", "-o", trace, "--flush", "10ms", "-p", traced.pid)
        wait_until("the file is full", lambda: any(p.stat().st_size > 30000 for p in trace.glob("*/channel0-0-0")))
        counted = page_of(page)[0]
        wait_until("more than it takes", lambda: page_of(page)[0] > counted + 1000)
        recorder.send_signal(signal.SIGINT)
        err = finish(recorder, 3)
    assert err.count("nothing more is written") == 1, err
    assert re.search("events? lost because they could not be written", err), err
    books = books_of(trace)
    read = run_babeltrace(trace)
    assert read.count("test:") == books["recorded"] > 0 and books["not_written"] > 0, books
    assert books["produced"] == books["recorded"] + books["not_written"], books
    check(trace)


def case_sigint(folder):
    page = folder / "page"
    recorder = record(folder / "t", "-e", "test:count", "--", PROGRAM, "events=0", "apart_us=100", f"page={page}")
    wait_until("events", lambda: page_of(page)[0] > 100)
    counted = page_of(page)[0]
    recorder.send_signal(signal.SIGINT)
    finish(recorder)
    assert len(events_of(folder / "t")) >= counted
    check(folder / "t")


def case_flush(folder):
    """A thread that traces once and then sleeps for an hour: its event comes to disk all the same."""
    recorder = record(folder / "t", "--", PROGRAM, "events=0", "apart_us=3600000000")
    wait_until("the event is on disk", lambda: any(p.stat().st_size > 112 for p in (folder / "t").glob("*/channel0-0-0")))
    recorder.send_signal(signal.SIGINT)
    finish(recorder)


def case_flush_of_channels(folder):
    """Each channel has a flush of its own: one's events come to disk while its thread sleeps, the other's at the end."""
    recorder = record(folder / "t", "--channel", "often:test:count,flush=1ms", "--channel", "never:test:count,flush=0", "--",
                      PROGRAM, "events=0", "apart_us=20000")
    on_disk = lambda: run_text(MAXLAT, "trace", "print", folder / "t", may_lack=True).count("test:count: ")
    wait_until("the first events", lambda: list((folder / "t").glob("*/often-0-0")) and on_disk() > 0)
    for _ in range(3):
        before = on_disk()
        wait_until("a flush", lambda: on_disk() > before)
    assert not list((folder / "t").glob("*/never-*")), "flushed, although it has flush=0"
    recorder.send_signal(signal.SIGINT)
    finish(recorder)
    check(folder / "t")
    books = books_by_channel(next((folder / "t").iterdir()))
    assert books["never"]["recorded"] == books["often"]["recorded"] >= 4, books


def case_children(folder):
    err = finish(record(folder / "t", "-e", "test:count", "--", PROGRAM, "events=10", "--", PROGRAM, "events=20"))
    assert len(list((folder / "t").iterdir())) == 2 and "30 events of 2 processes" in err, err
    assert len(events_of(folder / "t")) == 30


REFUSES = """
import os, socket
call = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
call.connect(os.environ["MAXLAT_TRACE_CONTROL"].removeprefix("connect:"))
call.recv(4096)
call.send(b"error not today")
call.recv(4096)
"""


def case_refused_child(folder):
    """A program that called and is not recorded: status 3, though everything of the others is."""
    err = finish(record(folder / "t", "-e", "test:count", "--", PROGRAM, "events=10", "--", sys.executable, "-c", REFUSES), 3)
    assert "maxlat trace record: not recorded: not today\n" in err and "10 events of 1 process" in err, err
    check(folder / "t")


def case_controller_that_hangs(folder):
    """main() begins all the same, after what MAXLAT_TRACE_WAIT allows, and a line says so."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hangs:
        hangs.bind(str(folder / "hangs"))
        hangs.listen()
        call = {"MAXLAT_TRACE_CONTROL": f"connect:{folder}/hangs"}
        err = finish(start(PROGRAM, "events=10", env={**os.environ, **call, "MAXLAT_TRACE_WAIT": "50ms"}))
        assert "MAXLAT_TRACE_CONTROL: the controller at " in err and "did not answer in time" in err and err.count("\n") == 1, err
        for wrong in ("5", "-1s", "1h", "s", "nans", "1e9s"):
            traced = start(PROGRAM, "events=10", env={**os.environ, **call, "MAXLAT_TRACE_WAIT": wrong})
            assert "MAXLAT_TRACE_WAIT: 10s or 500ms" in traced.stderr.readline(), wrong
            traced.kill()
            traced.communicate()


def case_too_many_controllers(folder):
    """The 17th is told why it is not heard, whether it asks before or after it was refused; when one leaves there is room."""
    with program("events=0", "apart_us=1000") as traced, contextlib.ExitStack() as stack:
        callers = [stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) for _ in range(16)]
        for caller in callers:
            caller.connect(f"{os.environ['XDG_RUNTIME_DIR']}/maxlat/{traced.pid}.trace")
            caller.send(b"hello")
            assert caller.recv(1000).startswith(b"ok"), "one of 16 was refused"
        for _ in range(20):
            for words in (["record", "-o", folder / "t", "-p", traced.pid], ["list", traced.pid]):
                err = run(MAXLAT, "trace", *words, status=1)
                assert err.startswith("maxlat trace: the program has 16 controllers already\n"), err
        callers[0].close()
        wait_until("there is room", lambda: "test:count" in subprocess.run(
            [MAXLAT, "trace", "list", str(traced.pid)], capture_output=True, text=True).stdout)


def case_stopped_program(folder):
    """One that does not answer is not taken for whole: it may have gone on after its books were made."""
    with program("events=0", "apart_us=1000") as traced:
        recorder = record(folder / "t", "-p", traced.pid)
        wait_until("it is recorded", lambda: any((folder / "t").glob("*/channel0-*")))
        traced.send_signal(signal.SIGSTOP)
        threads = pathlib.Path(f"/proc/{traced.pid}/task")
        states = lambda: {path.read_text().rsplit(")", 1)[1].split()[0] for path in threads.glob("*/stat")}
        wait_until("each of its threads is stopped", lambda: states() == {"T"})
        recorder.send_signal(signal.SIGINT)
        _, err = recorder.communicate(timeout=2 * LIMIT)  # three answers that do not come
        assert recorder.returncode == 3, f"exit status {recorder.returncode}\n{err}"
        assert "not stopped (the program does not answer): its books may be wrong" in err, err


def case_session_that_fails(folder):
    """A session that was made for a recording that cannot begin is not left in the program."""
    small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # of the memory that it shares, too
    with program("events=0", "apart_us=1000", preexec_fn=small, restore_signals=False) as traced:
        for _ in range(2):
            run(MAXLAT, "trace", "record", "-o", folder / "t", "-p", traced.pid, status=1)
            assert f"{traced.pid}  traced_program\n" in listing(), listing()


def case_other_places(folder):
    """A program without XDG_RUNTIME_DIR and a recorder with one find each other; root finds other users' programs, and
    follows no link of theirs."""
    without = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    without["MAXLAT_TRACE_CONTROL"] = "listen"

    def found(*program, **more):
        traced = start(*program, "events=0", "apart_us=1000", env=without, **more)
        try:
            wait_until("it is listed", lambda: f"{traced.pid} " in listing())
            trace = folder / f"t{traced.pid}"
            recorder = record(trace, "-p", traced.pid)
            wait_until("events", lambda: list(trace.glob("*/channel0-0-0")))
            recorder.send_signal(signal.SIGINT)
            finish(recorder)
            return traced.pid
        finally:
            traced.kill()
            traced.communicate()

    found(PROGRAM)
    if os.geteuid() != 0:
        print("needs root: what root finds of other users")
        sys.exit(77)
    place, runtime = pathlib.Path("/tmp/maxlat-65534"), pathlib.Path("/run/user/65534")
    for there in (place, runtime):
        if there.exists() or there.is_symlink():
            print(f"{there} is somebody else's")
            sys.exit(77)
    os.chmod(folder, 0o755)
    program = folder / "traced_program"
    shutil.copy(PROGRAM, program)
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    made_user_folders = not runtime.parent.exists()
    try:
        found(program, **nobody)
        assert place.is_dir(), "it listens elsewhere"
        shutil.rmtree(place)
        runtime.mkdir(mode=0o700, parents=True)  # as logind makes it
        os.chown(runtime, 65534, 65534)
        without["XDG_RUNTIME_DIR"] = str(runtime)
        found(program, **nobody)
        assert (runtime / "maxlat").is_dir() and not place.exists(), "it listens elsewhere"
        (folder / "elsewhere").mkdir(mode=0o700)
        os.chown(folder / "elsewhere", 65534, 65534)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:  # root's, that a link of nobody's leads to
            listener.bind(f"{folder}/elsewhere/{os.getpid()}.trace")
            listener.listen()
            place.symlink_to(folder / "elsewhere")
            assert f"{os.getpid()} " not in listing(), "a folder behind a link"
            place.unlink()
            place.mkdir(mode=0o700)
            os.chown(place, 65534, 65534)
            (place / f"{os.getpid()}.trace").symlink_to(f"{folder}/elsewhere/{os.getpid()}.trace")
            assert f"{os.getpid()} " not in listing(), "a socket behind a link"
    finally:
        place.unlink() if place.is_symlink() else shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(runtime, ignore_errors=True)
        if made_user_folders:
            shutil.rmtree(runtime.parent, ignore_errors=True)


def case_quiet(folder):
    """Nothing but errors and losses; of a flight recorder, too."""
    for flight in ([], ["--flight-recorder"]):
        assert finish(record(folder / f"t{len(flight)}", "-q", *flight, "--", PROGRAM)) == ""
    err = finish(record(folder / "u", "-q", "-e", "tets:*,test:count", "--", PROGRAM))
    assert "no event matches" in err and err.count("\n") == 1, err


def values_of_snapshot(folder):
    """In the order of babeltrace2. A packet may be overwritten between two that the snapshot takes, and events left out
    while a slow one keeps the rings frozen."""
    return [value for _, value in events_of(folder, "(packet|event)")]


def case_snapshots(folder):
    page, traced = folder / "page", named_of_its_own(folder)
    recorder = record(folder / "t", "--flight-recorder", "--size", "4K", "--min-interval", "0", "-e", "test:count", "--",
                      traced, "events=0", "apart_us=20", f"page={page}")
    wait_until("more events than the rings hold", lambda: page_of(page)[0] > 2000)
    assert not list((folder / "t").glob("*"))
    counted = page_of(page)[0]
    recorder.send_signal(signal.SIGUSR1)
    wait_until("the snapshot", lambda: list((folder / "t").glob("1/*/.books")))
    values = values_of_snapshot(folder / "t" / "1")
    assert values == sorted(set(values)) and values[0] > 0 and values[-1] + 1 >= counted
    check(folder / "t" / "1")
    out = subprocess.run([MAXLAT, "trace", "snapshot", traced.name], capture_output=True, text=True, timeout=LIMIT)
    assert out.returncode == 0 and "has written a snapshot to its own folder" in out.stdout, out
    assert out.stderr == "", out
    assert list((folder / "t").glob("2/*/.books")), "it is there when the command has ended"
    err = run(MAXLAT, "trace", "snapshot", "-o", folder / "s", traced.name, status=1)
    assert "-o: session record has a recorder, which writes to its own folder\nhint: leave out -o" in err, err
    assert not (folder / "s").exists() and not (folder / "t" / "3").exists()
    recorder.send_signal(signal.SIGINT)
    err = finish(recorder)
    assert err.count("snapshot: ") == 3, err
    # The three as one trace: each event once. On a busy machine more may have been traced between two of them than a ring
    # holds: that is told, with 3.
    parts = [value for number in "123" for value in values_of_snapshot(folder / "t" / number)]
    whole = [int(value) for value in re.findall(r"test:count: .* value = (\d+)", run_text(MAXLAT, "trace", "print", folder / "t", may_lack=True))]
    assert whole == sorted(set(parts)), "an event twice, or none"
    out = run_text(MAXLAT, "trace", "check", folder / "t", may_lack=True)
    twice = len(parts) - len(whole)
    assert f"recorded {len(parts)} " in out and (f"of these, {twice} stand in two snapshots" in out) == (twice > 0), out
    counts = balance_of(out)
    assert counts["recorded"] == len(whole) and sum(counts.values()) > whole[-1], out  # the values count from 0
    assert run_text(MAXLAT, "trace", "stats", folder / "t", may_lack=True).startswith(f"{len(whole)} events in ")


def case_words_at_the_end(folder):
    """A count and what it counts make a sentence, and a list of one program takes no filter, with a hint."""
    err = finish(record(folder / "slots", "--slots", "1", "-e", "test:count", "--", PROGRAM, "events=1000", "threads=3"), 3)
    assert re.search(r"\d+ events lost because there was no ring for a thread \(more --slots", err), err
    with program("events=0", "apart_us=100") as traced:
        recorder = record(folder / "t", "--flight-recorder", "--min-interval", "1h", "-p", traced.pid)
        wait_until("it is recorded", lambda: "[record" in listing(traced.pid))
        run(MAXLAT, "trace", "snapshot", traced.pid)
        assert list((folder / "t").glob("1/*/.books")), "it is there when the command has ended"
        err = run(MAXLAT, "trace", "snapshot", traced.pid, status=1)
        assert "writes no snapshot now\nhint: it was started without --flight-recorder, or it wrote its last" in err, err
        for _ in range(3):  # the last may come with the end
            recorder.send_signal(signal.SIGUSR1)
            wait_until("the request is seen", lambda: "ShdPnd:\t0000000000000000" in status_of(recorder))
        recorder.send_signal(signal.SIGINT)
        err = finish(recorder)
        assert re.search(r": [2-9] requests for a snapshot came too soon after another: skipped\n", err), err
        err = run(MAXLAT, "trace", "list", traced.pid, "count", status=1)
        assert "one program at most\nhint: maxlat trace list PID lists all" in err, err


def case_late_losses(folder):
    """What is lost after the last packet is in the trace for every reader: the recorder is stopped, so that the rings fill up."""
    page = folder / "page"
    with program("events=0", "threads=2", f"page={page}") as traced:
        recorder = record(folder / "t", "--size", "4K", "--count", "2", "-e", "test:count", "-p", traced.pid)
        wait_until("events", lambda: list((folder / "t").glob("*/channel0-*")))
        recorder.send_signal(signal.SIGSTOP)
        counted = page_of(page)[0]
        wait_until("more events than there is room for", lambda: page_of(page)[0] > counted + 10000)
        traced.kill()
        traced.wait()
        recorder.send_signal(signal.SIGCONT)
        finish(recorder, 3)
    lost = int(re.search(r" lost_full (\d+)", next((folder / "t").glob("*/.books")).read_text())[1])
    out = run_text(MAXLAT, "trace", "check", folder / "t")
    counts = balance_of(out)
    assert counts["lost_full"] == lost and f"recorded {counts['recorded']}  lost, as the packets say, {lost}\n" in out, out
    told = subprocess.run(["babeltrace2", folder / "t"], capture_output=True, text=True, timeout=LIMIT).stderr
    assert lost > 10000 and sum(map(int, re.findall(r"Tracer discarded (\d+) events", told))) == lost, (lost, told)
    printed = subprocess.run([MAXLAT, "trace", "print", folder / "t"], capture_output=True, text=True, timeout=LIMIT).stdout
    assert sum(map(int, re.findall(r"^--- (\d+) events lost", printed, re.MULTILINE))) == lost, lost


def case_post_trigger(folder):
    """From a request on the rings keep what they have, half of it at least, until the snapshot is taken."""
    page, traced = folder / "page", named_of_its_own(folder)
    recorder = record(folder / "t", "--flight-recorder", "--size", "4K", "--post-trigger", "1s", "-e", "test:count", "--",
                      traced, "events=0", "apart_us=20", f"page={page}")
    wait_until("more events than the rings hold", lambda: page_of(page)[0] > 2000)
    run_text(MAXLAT, "trace", "snapshot", traced.name)
    wait_until("the snapshot", lambda: list((folder / "t").glob("1/*/.books")))
    books = next((folder / "t").glob("1/*/.books")).read_text()
    assert int(re.search(r" lost_frozen (\d+)", books)[1]) > 250 and " lost_full 0 " in books, books
    values = values_of_snapshot(folder / "t" / "1")
    assert values[0] > 0 and len(values) > 250, values
    run(MAXLAT, "trace", "check", folder / "t" / "1")
    recorder.send_signal(signal.SIGINT)
    err = finish(recorder)
    assert re.search(r", \d+ events left out while the rings were kept for a snapshot, in ", err), err


def case_thread_names(folder):
    """Each event bears the name that its thread had then, whatever is in it; other readers notice nothing."""
    first, later = 'wo"rk er\\', "la\nter \u00fc"
    trace = folder / "ended"
    run(MAXLAT, "trace", "record", "-o", trace, "-e", "test:count", "--", PROGRAM, "events=2000", "threads=3", f"name={first}",
        f"rename={later}")
    events = [event for event in json_events(trace) if event["tid"] != event["pid"]]  # the first thread goes with its process
    assert len(events) == 4000 and {event["thread_name"] for event in events} <= {first, later}, events[:3]
    late = [event for event in events if event["fields"]["value"] >= 1000]
    assert all(event["thread_name"] == later for event in late), "an event after the rename bears the old name"
    streams = json.loads(run_text(MAXLAT, "trace", "stats", "--json", trace))["streams"]
    assert len(streams) == 3 and all(stream["thread_names"][0] == first for stream in streams), streams
    assert all(stream["thread_names"] == [first, later] for stream in streams if stream["tid"] != stream["pid"]), streams
    assert '"wo\\"rk er\\\\" -> "la\\nter \u00fc" channel0' in run_text(MAXLAT, "trace", "stats", trace)
    assert ' "la\\nter \u00fc" test:count: {' in run_text(MAXLAT, "trace", "print", trace)
    check(trace)
    assert len(events_of(trace)) == 6000

    trace, page = folder / "lives", folder / "page"
    with program("events=0", "apart_us=300", f"page={page}", f"name={first}", f"rename={later}") as traced:
        recorder = record(trace, "-e", "test:count", "-p", traced.pid)
        wait_until("the rename is in the trace", lambda: any("la\\012ter" in names.read_text() for names in trace.glob("*/.threads")))
        counted = page_of(page)[0]
        wait_until("more events", lambda: page_of(page)[0] > counted + 100)
        recorder.send_signal(signal.SIGINT)
        finish(recorder)
    events = json_events(trace)
    named = [event["thread_name"] for event in events]
    assert named[-1] == later and named == sorted(named, reverse=True), "the name of the beginning, then the later one"
    assert all(event["thread_name"] == later for event in events if event["fields"]["value"] >= 1000)

    # Snapshots have names of their own, a trace without them is read as ever.
    trace = folder / "snapshots"
    run(MAXLAT, "trace", "record", "--flight-recorder", "-o", trace, "-e", "test:count", "--", PROGRAM, "events=2000", "threads=2",
        f"name={first}", f"rename={later}")
    assert [event for event in json_events(trace) if event["thread_name"] == later]
    for names in trace.glob("*/*/.threads"):
        names.unlink()
    assert all("thread_name" not in event for event in json_events(trace))
    assert " -> " not in run_text(MAXLAT, "trace", "stats", trace)


def case_no_flight_recorder(folder):
    """Asked for a snapshot, a plain recorder says that it writes none, and its trace is what it would have been."""
    page, trace = folder / "page", folder / "t"
    with program("events=0", "apart_us=100", f"page={page}") as traced:
        recorder = record(trace, "-e", "test:count", "-p", traced.pid)
        wait_until("events", lambda: list(trace.glob("*/channel0-0-0")))
        recorder.send_signal(signal.SIGUSR1)
        assert "only a flight recorder" in recorder.stderr.readline()
        err = run(MAXLAT, "trace", "snapshot", "-o", folder / "s", traced.pid, status=1)
        assert err == "maxlat trace: session record has no overwriting channel to take a snapshot of\n", err
        recorder.send_signal(signal.SIGINT)
        finish(recorder)
        overwriting = record(folder / "o", "--mode", "overwrite", "-p", traced.pid)
        wait_until("it records", lambda: list((folder / "o").glob("*/metadata")))
        assert "writes no snapshot now" in run(MAXLAT, "trace", "snapshot", traced.pid, status=1)
        assert "only a flight recorder" in overwriting.stderr.readline()
        overwriting.send_signal(signal.SIGINT)
        finish(overwriting)
        assert not (folder / "s").exists() and not list((folder / "o").glob("1"))
    assert [path.name for path in trace.iterdir()] == [f"traced_program-{traced.pid}"]
    check(trace)


def case_snapshots_of_one_channel(folder):
    """A program's own session with a channel that overwrites and one that discards: every folder has the books of what is
    in it."""
    page, trace = folder / "page", folder / "t"
    with program("events=0", "apart_us=50", f"page={page}") as traced:
        request(traced.pid, "create own", "channel own latest mode=overwrite", "channel own all", "enable own latest test:count",
                "enable own all test:verbose")
        recorder = record(trace, "--session", "own", "--flight-recorder", "-p", traced.pid)
        wait_until("events", lambda: list(trace.glob("*/all-0-0")))
        counted = page_of(page)[0]
        wait_until("more", lambda: page_of(page)[0] > counted + 100)
        recorder.send_signal(signal.SIGUSR1)
        wait_until("the snapshot", lambda: list(trace.glob("1/*/.books")))
        recorder.send_signal(signal.SIGINT)
        finish(recorder)
    check(trace / "1")
    check(trace)
    assert "test:count" in run_babeltrace(trace / "1") and "test:count" in run_babeltrace(trace / "2")
    assert "test:verbose" in run_babeltrace(next(trace.glob("traced_program-*")))


def case_snapshot_of_an_orphan(folder):
    """Without a recorder, `maxlat trace snapshot` is the consumer for a moment."""
    page = folder / "page"
    recorder = record(folder / "t", "--flight-recorder", "-e", "test:count", "--", PROGRAM, "events=0", "apart_us=20", f"page={page}")
    wait_until("events", lambda: page_of(page)[0] > 500)
    child = child_of(recorder)
    recorder.kill()
    recorder.wait(LIMIT)
    with killed_in_the_end(child) as pid:
        err = run(MAXLAT, "trace", "snapshot", "-o", "/proc", pid, status=1)
        assert err.startswith("maxlat trace snapshot: cannot create the folder /proc/1") and err.count("\n") == 1, err
        for number in "12":
            run(MAXLAT, "trace", "snapshot", "-o", folder / "s", pid)
            assert events_of(folder / "s" / number)
            check(folder / "s" / number)


def case_control(folder):
    """start, stop, enable, disable on a session that a recorder has made."""
    page, named = folder / "page", named_of_its_own(folder)
    with program("events=0", "apart_us=100", f"page={page}", path=named) as traced:
        recorder = record(folder / "t", "-e", "test:count", "-p", named.name)
        stream = folder / "t" / f"{named.name}-{traced.pid}" / "channel0-0-0"
        wait_until("events", stream.exists)
        assert "[record running]" in listing(traced.pid)
        for verb in ("enable", "disable"):
            err = run(MAXLAT, "trace", verb, traced.pid, "record", "channel0", "test", status=1)
            assert err == """maxlat trace: "test" is no PATTERN: an event is named PROVIDER:NAME\nhint: 'test:*' or '*:test'\n""", err
        run(MAXLAT, "trace", "disable", traced.pid, "record", "channel0", "*:*")
        run(MAXLAT, "trace", "enable", traced.pid, "record", "channel0", "test:verbose")
        counted = page_of(page)[0]
        wait_until("more rounds", lambda: page_of(page)[0] > counted + 100)
        run(MAXLAT, "trace", "stop", traced.pid, "record")
        stopped = page_of(page)[0]
        wait_until("more rounds", lambda: page_of(page)[0] > stopped + 100)
        run(MAXLAT, "trace", "start", traced.pid, "record")
        started = page_of(page)[0]
        wait_until("more rounds", lambda: page_of(page)[0] > started + 100)
        recorder.send_signal(signal.SIGINT)
        finish(recorder)
    read = run_babeltrace(folder / "t")
    assert read.rfind("test:verbose") > read.rfind("test:count") > 0
    values = [int(value) for value in re.findall(r"test:verbose: .*\{ value = (\d+)", read)]
    gaps = [(a, b) for a, b in zip(values, values[1:]) if b != a + 1]
    assert len(gaps) == 1 and gaps[0][1] - gaps[0][0] > 100, gaps
    check(folder / "t")


def case_session_of_the_program(folder):
    """A session that is not the recorder's own is stopped in the end, and stays; a stopped one is started."""
    with program("events=0", "apart_us=100") as traced:
        first = record(folder / "0", "--session", "own", "-p", traced.pid)
        wait_until("events", lambda: list((folder / "0").glob("*/channel0-0-0")))
        first.kill()
        first.wait(LIMIT)
        for number in "12":
            recorder = record(folder / number, "--session", "own", "-p", traced.pid)
            wait_until("events", lambda: list((folder / number).glob("*/channel0-0-0")))
            recorder.send_signal(signal.SIGINT)
            finish(recorder)
            check(folder / number)
            assert "[own stopped]" in listing(traced.pid), listing(traced.pid)


def case_exit_status(folder):
    """That of the program, when everything is recorded. (That of one which the recorder has ended is not: case_sigint.)"""
    for status, script in ((0, "exit 0"), (7, "exit 7"), (128 + signal.SIGTERM, "kill $$")):
        err = run(MAXLAT, "trace", "record", "-o", folder / f"t{status}", "--", "sh", "-c", f'"$0" events=10; {script}', PROGRAM,
                  status=status)
        told = {0: "", 7: "sh ended with exit status 7\n", 143: "sh was killed by signal 15 (Terminated)\n"}[status]
        assert told in err and "event" in err, err


def case_nothing_traced(folder):
    assert "no program with maxlat's tracer was seen" in run(MAXLAT, "trace", "record", "-o", folder / "t", "--", "true", status=3)
    assert "cannot start /nonexistent" in run(MAXLAT, "trace", "record", "-o", folder / "u", "--", "/nonexistent", status=1)
    assert "does not listen" in run(MAXLAT, "trace", "record", "-o", folder / "v", "-p", "1", status=1)
    started = folder / "started"
    told = run(MAXLAT, "trace", "record", "-o", folder / "x", "-e", "step", "--", "touch", started, status=1)
    assert '-e "step": a pattern is PROVIDER:NAME' in told and not started.exists(), told
    (folder / "w").mkdir()
    run(MAXLAT, "trace", "record", "-o", folder / "w", "--", "true", status=3)
    left = [path.name for path in folder.iterdir() if not path.name.startswith("maxlat")]
    assert left == ["w"], f"empty folders are left: {left}"


def case_bad_options(folder):
    """Refused before the program is started, with what the program itself would say."""
    started = folder / "started"
    for options, reason in (("--size 5000", "a sub-buffer of 5000 bytes"), ("--size 1G", "a sub-buffer of 1073741824 bytes"),
                            ("--count 3", "3 sub-buffers"),
                            ("--count 256", r"256 sub-buffers\nhint: .*2 to 128"), ("--size 128M", r"134217728 bytes\nhint: .* to 67108864"),
                            ("--size 4q", r'not a size: "4q"\nhint: .*64k'), ("--level 9", "--level: 9 is not within 0 to 7"),
                            ("-D 0", "--duration: must be above 0"), ("--slots 4 --per cpu", "--slots does not go with --per cpu"),
                            ("--min-interval 1s", "--min-interval is of snapshots"),
                            ("--post-trigger 1s", "--post-trigger is of snapshots"),
                            ("--flight-recorder --post-trigger 5", '--post-trigger: "5" has no unit'),
                            ("--period 1ms --deliver wakeup", "--period does not go with --deliver wakeup"),
                            ("--slots 5000", "5000 slots"), ("-e ,", "--event: no pattern"),
                            ("--deliver wakeup --flush 1ns", "--flush: 20 us is the shortest"),
                            ("--flush 5", '--flush: "5" has no unit'), ("--period 1", '--period: "1" has no unit'),
                            ("--period 19us", r"--period: 20 us is the shortest\nhint: 0: without a rest"),
                            ("--channel a:*:*,flush=1ns", "--channel a: flush: 20 us is the shortest"),
                            ("-D 106751d", "--duration: longer than 100 years"), ("--flush 40000d", "--flush: longer than"), ("-e a:b,b:\tc", "not a pattern of events"),
                            ("--session .x", "not the name of a session"), ("--count many", '--count: not a number: "many"'),
                            ("--channel fast", '--channel: "fast" is not NAME:EVENTS'), ("--channel :*:*", "is not NAME:EVENTS"),
                            ("--channel a:size=64k", "--channel a: names no events"),
                            ("--channel a:*:*,colour=red", '--channel a: "colour" is no option of a channel\nhint: one of size'),
                            ("--channel a:*:*,mode=keep", '--channel a: mode: "keep" is neither discard nor overwrite'),
                            ("--channel a:*:*,per=cpu,slots=3", "--channel a: slots= does not go with per=cpu"),
                            ("--channel a:*:* --channel a:x:*", "channel a"), ("--channel a/b:*:*", "a/b"),
                            ("--channel a:*:* -e x:*", "--event does not go with --channel"),
                            ("--channel a:*:*,level=3 --level 2", "--level does not go with --channel"),
                            ("--flight-recorder --channel a:*:*,mode=discard", "--flight-recorder needs")):
        err = run(MAXLAT, "trace", "record", "-o", folder / "t", *options.split(" "), "--", "touch", started, status=1)
        assert re.match(rf"maxlat trace: .*{reason}", err) and err.count("\n") <= 2, err
        assert not started.exists() and not (folder / "t").exists(), options


    finish(record(folder / "u", "--deliver", "wakeup", "--period", "1ms", "--flush", "0", "--size", "4k", "--", PROGRAM, "events=10"))


def case_channels(folder):
    """Each with events and a buffer of its own; an event that two want is in both."""
    trace = folder / "t"
    finish(record(trace, "--size", "64k", "--channel", "numbers:test:count,per=cpu,deliver=wakeup", "--channel", "all:test:*,size=1M,level=7",
                  "--channel", "urgent:*:*,level=0", "--", PROGRAM, "events=500"))
    check(trace)
    process = next(trace.iterdir())
    channels = {path.name.split("-")[0] for path in process.glob("*-*-*")}
    assert {"numbers", "all"} <= channels and "channel0" not in channels, channels
    books = books_by_channel(process)
    assert books["numbers"]["recorded"] == 500 and books["all"]["recorded"] >= 500 and books["urgent"]["recorded"] == 0, books
    assert run_text(MAXLAT, "trace", "print", trace).count("test:count: ") == 1000
    assert run_babeltrace(trace).count("test:count") == 1000
    err = finish(record(folder / "u", "--channel", "a:test:count", "--channel", "b:tets:*", "--", PROGRAM, "events=10"))
    assert 'no event matches "tets:*"' in err, err


def case_context(folder):
    """Each event with its CPU, from C++ and from a channel of its own; shown, chosen and checked like everything else."""
    cpus = sorted(os.sched_getaffinity(0))
    moves = "import os, sys\nfor cpu in sys.argv[2:]:\n  os.sched_setaffinity(0, {int(cpu)})\n  os.system(sys.argv[1])"
    trace = folder / "t"
    words = ["--context", "cpu", "--", sys.executable, "-c", moves, f"'{PROGRAM}' events=10", *cpus]
    finish(record(trace, "-e", "test:count", *words))
    run(MAXLAT, "trace", "check", trace)
    events = [json.loads(line) for line in run_text(MAXLAT, "trace", "print", "--json", trace).splitlines()]
    assert [event["cpu"] for event in events] == [cpu for cpu in cpus for _ in range(10)], events[:3]
    assert all(event["tid"] == event["pid"] and event["fields"]["value"] == event["fields"]["again"] for event in events)
    lines = run_text(MAXLAT, "trace", "print", trace).splitlines()
    assert sum(f"/cpu{cpus[-1]} test:count: {{ thread = 0, " in line for line in lines) == 10, lines[:3]
    chosen = run_text(MAXLAT, "trace", "print", "--cpu", str(cpus[0]), trace).splitlines()
    assert chosen == [line for line in lines if f"/cpu{cpus[0]} " in line], chosen[:3]
    err = run(MAXLAT, "trace", "print", "--cpu", "4000", trace, status=1)
    assert f"CPU {cpus[0]}" in err, err
    if shutil.which("babeltrace2"):
        theirs = run_text("babeltrace2", trace).splitlines()
        told = [int(re.search(r"\}, \{ cpu_id = (\d+) \}", line)[1]) for line in theirs]
        assert told == [event["cpu"] for event in events], theirs[:2]

    both = folder / "both"
    finish(record(both, "--channel", "with:test:*,context=cpu", "--channel", "without:test:*", "--", PROGRAM, "events=10"))
    run(MAXLAT, "trace", "check", both)
    events = [json.loads(line) for line in run_text(MAXLAT, "trace", "print", "--json", both).splitlines()]
    assert sorted("cpu" in event for event in events) == [False] * 20 + [True] * 20, events[:4]
    err = run(MAXLAT, "trace", "record", "-o", folder / "no", "--per", "cpu", "--context", "cpu", "--", PROGRAM, status=1)
    assert "with rings per CPU" in err and not (folder / "no").exists(), err


def case_channels_of_a_flight_recorder(folder):
    """What matters is kept whole, what explains it overwrites."""
    trace = folder / "t"
    finish(record(trace, "--flight-recorder", "--size", "4k", "--channel", "whole:test:count,mode=discard,size=1M", "--channel",
                  "latest:test:count,count=2", "--", PROGRAM, "events=2000"))
    process = next(path for path in trace.iterdir() if path.name.startswith("traced_program"))
    assert books_by_channel(process)["whole"]["recorded"] == 2000
    latest = books_by_channel(next((trace / "1").iterdir()))["latest"]
    assert 0 < latest["recorded"] < 2000 and latest["recorded"] + latest["overwritten"] == 2000, latest


def case_cut_between_packets(folder):
    """A file that was cut there, emptied or removed looks whole: the books tell what is in it no more."""
    whole = folder / "whole"
    finish(record(whole, "--size", "4k", "--count", "64", "-e", "test:count", "--", PROGRAM, "events=500"))
    for damage in ("cut", "emptied", "removed"):
        trace = folder / damage
        shutil.copytree(whole, trace)
        stream = next(trace.glob("*/channel0-0-0"))
        if damage == "cut":
            bytes_of_first = struct.unpack_from("<Q", stream.read_bytes(), PACKET_SIZE)[0] // 8
            assert bytes_of_first < stream.stat().st_size
            os.truncate(stream, bytes_of_first)
        elif damage == "emptied":
            os.truncate(stream, 0)
        else:
            stream.unlink()
        for command in ("print", "stats"):
            err = run(MAXLAT, "trace", command, trace, status=3)
            assert re.search(r"channel0: \d+ of the 500 events that were recorded are in no file", err), (damage, command, err)


def case_pattern_without_events(folder):
    """A misspelt pattern is told at the end, with what there is; one whose events come in another program is not."""
    for flight in ([], ["--flight-recorder"]):
        err = finish(record(folder / f"t{len(flight)}", *flight, "-e", "tets:*,test:count", "--", PROGRAM))
        assert err.endswith('maxlat trace record: no event matches "tets:*"; there are events of test\n'), err
        assert err.count("no event matches") == 1, err
    err = finish(record(folder / "n", "-e", "arm:nosuch", "--", PROGRAM), 3)
    assert 'no event matches "arm:nosuch"' in err, err
    err = finish(record(folder / "u", "-e", "test:*", "--", PROGRAM))
    assert "no event matches" not in err, err


def case_few_descriptors(folder):
    """However few there are, it comes to an end, says why in a line or two, and never that an empty recording is whole."""
    for limit in range(4, 24):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        recorder = start(MAXLAT, "trace", "record", "-o", folder / f"few-{limit}", "-e", "test:count", "--", PROGRAM, "events=100",
                         preexec_fn=few)
        _, err = recorder.communicate(timeout=LIMIT)
        assert recorder.returncode in (0, 1, 3) and err.count("\n") <= 6, (limit, recorder.returncode, err[:2000])
        assert recorder.returncode == 0 or "maxlat" in err, (limit, err)
        if recorder.returncode == 0:
            assert books_of(folder / f"few-{limit}")["recorded"] == len(events_of(folder / f"few-{limit}")) == 100, (limit, err)
            check(folder / f"few-{limit}")


def print_into_a_full_pipe(trace):
    """`maxlat trace print` that has begun, and waits until its output is read."""
    printing = start(MAXLAT, "trace", "print", trace)
    first = os.read(printing.stdout.fileno(), 1000).decode()
    wait_until("the pipe is full", lambda: "pipe" in pathlib.Path(f"/proc/{printing.pid}/wchan").read_text()
               or pathlib.Path(f"/proc/{printing.pid}/stat").read_text().split()[2] == "S")
    return printing, first


def case_read_meanwhile(folder):
    """A trace that grows while it is read is not called damaged, and is read without a hole from its first event on."""
    trace = folder / "t"
    size = lambda: sum(p.stat().st_size for p in trace.glob("*/channel0-0-0"))
    with program("events=0", "apart_us=1") as traced:
        recorder = record(trace, "--flush", "5ms", "--size", "16K", "--count", "64", "-e", "test:count", "-p", traced.pid)
        try:
            for _ in range(3):
                before = size()
                wait_until("events", lambda: size() > before + 500_000)
                printing, first = print_into_a_full_pipe(trace)
                before = size()
                wait_until("the file grows", lambda: size() > before + 300_000)
                out, err = printing.communicate(timeout=LIMIT)
                assert printing.returncode == 0 and err == "", err
                values = [int(value) for value in re.findall(r"test:count: .*? value = (\d+)", first + out)]
                assert len(values) > 5000 and values == list(range(values[0], values[0] + len(values))), first[:200]
            recorder.send_signal(signal.SIGINT)
            finish(recorder)
        finally:
            recorder.kill()
            recorder.wait(LIMIT)


def case_cut_while_read(folder):
    """A file that is cut while it is read: a line that says so and exit status 3, no signal."""
    trace = folder / "t"
    finish(record(trace, "--count", "32", "-e", "test:count", "--", PROGRAM, "events=100000"))
    printing, _ = print_into_a_full_pipe(trace)
    os.truncate(next(trace.glob("*/channel0-0-0")), 5000)
    err = finish(printing, 3)
    assert re.fullmatch(r"maxlat trace: .*/channel0-0-0: byte 5000: the file became shorter while it was read\n", err), err


with tempfile.TemporaryDirectory(prefix="maxlat-record-") as name:
    os.environ["XDG_RUNTIME_DIR"] = os.environ["TMPDIR"] = name  # programs of other tests do not listen here
    try:
        globals()["case_" + sys.argv[2]](pathlib.Path(name))
    finally:
        end_what_runs()
print("passed")
