#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kernel_cases.py TRACED_PROGRAM CASE: `maxlat trace record --kernel`, with the kernel of this machine.

tracefs is mounted for this test alone. Where this kernel has none, or lets us not, it says why and exits 77.
"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

MAXLAT = os.environ["MAXLAT"]
PROGRAM = sys.argv[1]
LIMIT = 60
TRACING = pathlib.Path("/sys/kernel/tracing")
MOUNTED = "MAXLAT_TEST_HAS_TRACEFS"


def run(*words, status=0, **more):
    ended = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=LIMIT, **more)
    assert ended.returncode in (status if isinstance(status, tuple) else (status,)), \
        f"{words}: exit status {ended.returncode}\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}"
    return ended


def trace(*words, status=0):
    return run(MAXLAT, "trace", *words, status=status)


def record(folder, *options, status=0):
    """Events of the kernel may be lost on a busy machine, which a test asks for where it does not want it."""
    return trace("record", "-o", folder, *options, status=status)


def instances():
    """Those that were left: of processes that are no more. (Another test may have one meanwhile.)"""
    names = [path.name for path in (TRACING / "instances").iterdir() if path.name.startswith("maxlat-kernel-")]
    return {name for name in names if not pathlib.Path(f"/proc/{name.removeprefix('maxlat-kernel-')}").exists()}


def events_of(folder, *options, status=0):
    lines = trace("print", "--json", *options, folder, status=status).stdout.splitlines()
    return [event for event in map(json.loads, lines) if "event" in event]


def cpus_with_events(folder):
    return {event["cpu"] for event in events_of(folder) if "statedump" not in event["event"]}


def books_of(folder):
    lines = [line.split() for line in (folder / "kernel-0/.books").read_text().splitlines()]
    return {words[1]: dict(zip(words[2::2], map(int, words[3::2]))) for words in lines}


def produced_is_accounted_for(books):
    fates = sum(count for fate, count in books.items() if fate not in ("produced", "delivery_max_ticks"))
    assert books["produced"] == fates, books


def wait_until(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"did not come: {what}"
        time.sleep(0.005)


def merged(folder):
    """A traced program and the kernel, in one trace and in the counter's order, as babeltrace2 sees it, too."""
    told = record(folder, "--kernel", "--kernel-size", "16M", "-e", "sched:*,irq:*,task:task_rename,test:*", "--",
                  PROGRAM, "events=2000", "apart_us=50", "name=worker")
    assert re.search(r"events of the kernel \(by tracefs\) and 1 process,", told.stderr), told.stderr
    events = events_of(folder)
    count = collections.Counter(event["event"] for event in events)
    assert count["test:count"] == 2000, count
    for name in ("sched_switch", "sched_waking", "irq_softirq_entry", "irq_softirq_exit"):
        assert count[name] > 0, count
    times = [event["time_ns"] for event in events]
    assert times == sorted(times)

    switch = next(event for event in events if event["event"] == "sched_switch")
    assert list(switch["fields"]) == ["prev_comm", "prev_tid", "prev_prio", "prev_state", "next_comm", "next_tid", "next_prio"]
    assert switch["process"] == "kernel" and "cpu" in switch and switch["tid"] == switch["fields"]["prev_tid"], switch
    # The program slept between its events: each time the kernel gave a CPU away from its thread, and named it.
    program, = {event["tid"] for event in events if event["event"] == "test:count"}
    left = [event for event in events if event["event"] == "sched_switch" and event["fields"]["prev_tid"] == program]
    assert "worker" in {event["fields"]["prev_comm"] for event in left}, left[:10]
    # It sleeps between two of its events, so the CPU is given away between them. (A sleep that is over before it begins has
    # no switch: some may.)
    own = [event["event"] for event in events if event["tid"] == program and event["event"] in ("test:count", "sched_switch")]
    together = sum(a == b == "test:count" for a, b in zip(own, own[1:]))
    assert together < 100, f"{together} of 1999 times no switch is between two events"

    read = run("babeltrace2", folder)
    assert not read.stderr, read.stderr
    theirs = collections.Counter(re.findall(r"^\[.*?\] \(.*?\) (?:\S+ )?([\w:]+): \{", read.stdout, re.M))
    assert theirs == count, (theirs - count, count - theirs)
    stamps = [line[1:line.index("]")] for line in read.stdout.splitlines()]
    assert stamps == sorted(stamps) or max(stamps) > "23:59", "babeltrace2's order"

    checked = trace("check", folder).stdout
    for channel in books_of(folder).values():
        produced_is_accounted_for(channel)
    assert "sched_switch" in trace("stats", folder).stdout, checked
    assert {event["event"] for event in events_of(folder, "-e", "sched_*")} == {name for name in count if name.startswith("sched_")}
    assert not instances()


def state_dump(folder):
    """Who was there before the first event has a name; and the functions of timers have theirs."""
    record(folder, "--kernel=tracefs", "--kernel-size", "16M", "-e", "timer:hrtimer_expire_*,raw_syscalls:*", "--", "sleep", "0.2")
    events = events_of(folder)
    # System calls are as Trace Compass looks for them where the tracer is LTTng's: by the thread, an exit behind its entry.
    assert 'tracer_name = "lttng-modules"' in (folder / "kernel-0/metadata").read_text()
    sleeper, = {event["tid"] for event in events if event["event"] == "syscall_entry_clock_nanosleep"
                and event["fields"]["args"][1:2] == [0]} & \
        {event["tid"] for event in events if event["event"].startswith("syscall_entry_exit")}
    calls = [event["event"] for event in events if event["tid"] == sleeper and event["event"].startswith("syscall_")]
    assert not [event for event in events if event["event"].startswith("sys_")]
    begun = calls.index("syscall_entry_clock_nanosleep")
    assert calls[begun + 1] == "syscall_exit_clock_nanosleep", calls
    state = {event["fields"]["tid"]: event["fields"] for event in events if event["event"] == "lttng_statedump_process_state"}
    assert state[os.getpid()]["ppid"] == os.getppid() and state[os.getpid()]["type"] == 0
    assert state[os.getpid()]["name"] == pathlib.Path("/proc/self/comm").read_text().strip()
    assert state[2]["name"] == "kthreadd" and state[2]["type"] == 1
    softirqs = [event["fields"]["name"] for event in events if event["event"] == "maxlat_statedump_softirq"]
    assert softirqs[:4] == ["HI", "TIMER", "NET_TX", "NET_RX"], softirqs
    assert [event["event"] for event in events if "statedump_" in event["event"]][0] == "lttng_statedump_start"
    wanted = {event["fields"]["function"] for event in events if event["event"] == "timer_hrtimer_expire_entry"}
    named = {event["fields"]["function"]: event["fields"]["name"] for event in events if event["event"] == "maxlat_statedump_function"}
    assert wanted and set(named) <= wanted
    hidden = not any(int(line.split()[0], 16) for line in open("/proc/kallsyms"))
    assert hidden or "hrtimer_wakeup" in named.values(), "of the command's own sleep"


def ns_of(event):
    """As `print` prints it, local time."""
    return f"{event['time_ns'] // 10**9}.{event['time_ns'] % 10**9:09}"


def explain(folder):
    """Between a program's switch-in and its switch-out its CPU was its own, or an interrupt's: to the tick, and by name."""
    record(folder, "--kernel", "--kernel-size", "16M", "--", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done")
    events = events_of(folder)
    switches = [event for event in events if event["event"] == "sched_switch" and event["fields"]["prev_comm"] == "sh"]
    last = max(switches, key=lambda event: event["time_ns"])
    cpu, tid = last["cpu"], last["tid"]
    times = [event["time_ns"] for event in events if event.get("cpu") == cpu and "statedump" not in event["event"]]
    start = next(event for event in events if event["event"] == "task_rename" and event["fields"]["newcomm"] == "sh")
    def told(begin, end, *options, status=0, cpu=cpu):
        return json.loads(trace("explain", "--cpu", cpu, "--from", begin, "--to", end, "--json", *options, folder, status=status).stdout)
    whole = told(ns_of(start), ns_of(last))
    assert sum(part["ticks"] for part in whole["accounting"]) == whole["ticks"] and whole["whole"], whole
    assert abs(whole["ns"] - (last["time_ns"] - start["time_ns"])) < 10, whole
    names = [part["name"] for part in whole["accounting"] if part["class"] == "task"]
    assert any(name.startswith(f"sh (tid {tid}, ") for name in names), whole
    assert not any(part["class"] == "nothing seen" for part in whole["accounting"]), "nobody measured there"

    before = told(ns_of({"time_ns": times[0] - 10**9}), ns_of({"time_ns": times[0] - 10**8}), status=3)
    assert [part["class"] for part in before["accounting"]] == ["before the history"] and not before["whole"], before
    behind = told(ns_of({"time_ns": max(times) + 10**10}), ns_of({"time_ns": max(times) + 10**10 + 1000}), status=3)
    assert [part["class"] for part in behind["accounting"]] == ["before the history"], behind
    assert told("+0.1s", "+0.2s", status=(0, 3))["ticks"] > 0
    # What lies behind the CPU's last event is known up to where the recording was ended.
    end = next(event["time_ns"] for event in events if event["event"] == "maxlat_recording_end" and event["cpu"] == cpu)
    ended = told(ns_of({"time_ns": end - 1000}), ns_of({"time_ns": end - 100}))
    assert ended["whole"] and ended["accounting"], ended
    behind = told(ns_of({"time_ns": end + 100}), ns_of({"time_ns": end + 10**6}), status=3)
    assert [part["class"] for part in behind["accounting"]] == ["before the history"], behind
    assert whole["not_recorded"] == [], whole
    text = trace("explain", "--cpu", cpu, "--from", ns_of(start), "--to", ns_of(last), folder).stdout
    assert re.match(rf"CPU {cpu} from \[\d\d:.*\] to \[.*\]: .* {whole['ticks']} ticks\n", text) and f"task sh (tid {tid}, " in text, text
    for options, line in [(["--cpu", "999", "--from", "+1s", "--to", "+2s"], "this trace has no kernel event of CPU 999"),
                          (["--cpu", "0", "--from", "+2s", "--to", "+1s"], "--to is not behind --from"),
                          (["--cpu", "0", "--from", "soon", "--to", "+1s"], "--from: "),
                          (["--cpu", "0", "--from", "+1s", "--to", "+2s", "--thread", "-1"], "--thread is the number of a thread"),
                          (["--from", "+1s", "--to", "+2s"], "--cpu is missing")]:
        assert trace("explain", *options, folder, status=1).stderr.startswith(f"maxlat trace: {line}"), line


def losses(folder):
    """A buffer that is too small: what was lost is told by everybody, with exit status 3, and the books balance."""
    told = record(folder, "--kernel", "--kernel-size", "8k", "-e", "sched:*,syscalls:*", "--", "sh", "-c",
                  "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); : < /dev/null; done", status=3)
    assert re.search(r"kernel: \d+ events lost because they came faster than they were read", told.stderr), told.stderr
    books = books_of(folder)["kernel"]
    produced_is_accounted_for(books)
    assert books["lost_full"] > 0 and books["recorded"] > 0, books
    printed = trace("print", folder, status=3).stdout
    lost = sum(map(int, re.findall(r"^--- (\d+) events? lost .*: kernel 0", printed, re.M)))
    assert lost == books["lost_full"] + books["lost_wrap"], (lost, books)
    trace("stats", folder, status=3)
    trace("check", folder)  # which is about promises: what was lost was told


def killed(folder):
    """kill -9: what is on disk is whole, and the instance that is left goes with the next run."""
    first = folder / "first"
    recorder = subprocess.Popen([MAXLAT, "trace", "record", "-o", str(first), "--kernel", "-e", "sched:*"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        wait_until("a folder", lambda: list(first.glob("kernel-0/metadata")))
        wait_until("events of each CPU on disk", lambda: cpus_with_events(first) >= os.sched_getaffinity(0))
    finally:
        recorder.kill()
        recorder.communicate()
    left = f"maxlat-kernel-{recorder.pid}"
    assert left in instances(), "otherwise this test shows nothing"
    events = events_of(first)
    assert not run("babeltrace2", first).stderr
    # Of each CPU what was on disk is known, and no more, though another CPU's may have come further.
    for cpu in os.sched_getaffinity(0):
        own = [event["time_ns"] for event in events if event.get("cpu") == cpu and "statedump" not in event["event"]]
        told = trace("explain", "--cpu", cpu, "--from", ns_of({"time_ns": own[-1] + 1000}), "--to",
                     ns_of({"time_ns": own[-1] + 10**6}), "--json", first, status=3).stdout
        assert [part["class"] for part in json.loads(told)["accounting"]] == ["before the history"], told
    record(folder / "second", "--kernel", "-e", "sched:*", "-D", "100ms")
    assert left not in instances()
    told = trace("explain", "--cpu", cpu, "--from", "+0.01s", "--to", "+0.02s", folder / "second", status=(0, 3)).stdout
    assert "not recorded: interrupts of devices, the local timer, softirqs; their time" in told, told
    told = trace("explain", "--cpu", cpu, "--from", "+0.1s", "--to", "+0.2s", folder, status=1).stderr
    assert told.startswith("maxlat trace: this folder has several recordings of the kernel"), told


def command_alone(folder):
    """Of a command without events of its own: its exit status is the recording's; and none of its events are asked for."""
    record(folder / "a", "--kernel", "--kernel-size", "16M", "-e", "sched:*", "--", "sh", "-c", "exit 5", status=5)
    record(folder / "b", "--kernel", "--kernel-size", "16M", "-e", "sched:*", "--", PROGRAM, "events=10")
    assert [path.name for path in (folder / "b").iterdir()] == ["kernel-0"]
    cpu = max(os.sched_getaffinity(0))
    record(folder / "c", "--kernel", "--kernel-size", "16M", "--kernel-cpus", cpu, "-D", "200ms")
    assert {event["cpu"] for event in events_of(folder / "c") if "statedump" not in event["event"]} == {cpu}
    recorder = subprocess.Popen([MAXLAT, "trace", "record", "-o", str(folder / "d"), "--kernel", "-q"], stderr=subprocess.PIPE, text=True)
    wait_until("events on disk", lambda: list((folder / "d").glob("kernel-0/kernel-*")))
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(LIMIT) in (0, 3), recorder.stderr.read()
    produced_is_accounted_for(books_of(folder / "d")["kernel"])


def million(folder):
    """More than 10^6 events of the kernel and of programs in one trace: babeltrace2 reads as many as the books have, in the counter's
    order; and what a thread did between two of its own events stands between them."""
    record(folder, "--kernel=tracefs", "--kernel-size", "96M", "--size", "8M", "-e", "raw_syscalls:*,sched:sched_switch,test:*", "--", "sh", "-c",
           'dd if=/dev/zero of=/dev/null bs=1 count=220000 2> /dev/null & "$0" events=100000 & "$0" events=5000 apart_us=1 name=steps & wait',
           PROGRAM)
    recorded = collections.Counter()
    for books in folder.glob("*/.books"):
        for line in books.read_text().splitlines():
            words = line.split()
            channel = dict(zip(words[2::2], map(int, words[3::2])))
            produced_is_accounted_for(channel)
            recorded["kernel" if books.parent.name == "kernel-0" else "programs"] += channel["recorded"]
            assert channel["recorded"] == channel["produced"], channel
    total = sum(recorded.values())
    assert recorded["kernel"] > 880_000 and recorded["programs"] > 200_000 and total >= 10**6, recorded

    reader = subprocess.Popen(["babeltrace2", "--clock-cycles", "--names=none", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # It sorts by nanoseconds, which it computes like this: of counts within one nanosecond the later may come first.
    hz = int(re.search(r"freq = (\d+);", (folder / "kernel-0" / "metadata").read_text(errors="replace")).group(1))
    count, before = 0, 0
    for line in reader.stdout:
        count += 1
        ns = int(1e9 * float(line[1:line.index(b"]")]) / hz)
        assert ns >= before, (before, line)
        before = ns
    said = reader.stderr.read()
    assert reader.wait(LIMIT) == 0 and not said, said
    assert count == total, (count, recorded)
    stats = json.loads(trace("stats", "--json", folder).stdout)
    assert stats["events"] == total, stats

    events = [event for event in events_of(folder, "-e", "test:count,syscall_*_clock_nanosleep")]
    threads = collections.Counter(event["tid"] for event in events if event["event"] == "syscall_entry_clock_nanosleep")
    sleeper = max(threads, key=threads.get)
    own = [event["event"] for event in events if event["tid"] == sleeper]
    assert own == ["test:count", "syscall_entry_clock_nanosleep", "syscall_exit_clock_nanosleep"] * 5000, collections.Counter(own)
    trace("check", folder)


def all_at_once(folder):
    """Every event of this kernel, which then traces its own writing to the disk, too: what was lost is told, and others read the rest."""
    there = [line.split(":") for line in (TRACING / "available_events").read_text().split()]
    systems = sorted({system for system, _ in there})
    record(folder, "--kernel=tracefs", "--kernel-size", "64k", "-e", ",".join(f"{system}:*" for system in systems), "-D", "50ms",
           status=(0, 3))
    books = books_of(folder)["kernel"]
    produced_is_accounted_for(books)
    described = set(re.findall(r'^  name = "(.*)";$', (folder / "kernel-0/metadata").read_text(errors="replace"), re.M))
    assert books["recorded"] > 1000 and len(described) > 500 and len(systems) > 20, (books, len(described), systems)
    trace("check", folder)
    reader = subprocess.run(["babeltrace2", "--component=sink.utils.counter", folder], capture_output=True, text=True, timeout=LIMIT)
    count = int(re.findall(r"(\d+) Event messages", reader.stdout)[-1])  # of several, each with more
    recorded = sum(channel["recorded"] for channel in books_of(folder).values())  # the state dump's, too
    assert reader.returncode == 0 and count == recorded, (reader.stdout, reader.stderr, recorded)
    stats = json.loads(trace("stats", "--json", folder, status=(0, 3)).stdout)
    assert stats["events"] == count, stats


def switch_often(turns=3000):
    """Two threads wake each other, so that the kernel's small buffers go round."""
    ends = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        for _ in range(turns):
            os.write(ends[1][1], os.read(ends[0][0], 1))
        os._exit(0)
    for _ in range(turns):
        os.write(ends[0][1], b".")
        os.read(ends[1][0], 1)
    os.waitpid(child, 0)
    for end in (*ends[0], *ends[1]):
        os.close(end)


def flight_recorder(folder):
    """The latest alone: each snapshot is a trace of its own, without a hole, beside the program's of the same request; what one has,
    the next has not; and what newer events took the place of is in the books of the whole."""
    page = folder / "page"
    recorder = subprocess.Popen([MAXLAT, "trace", "record", "-o", str(folder / "out"), "--kernel=tracefs", "--flight-recorder",
                                 "--kernel-size", "64k", "-e", "sched:*,test:*", "--", PROGRAM, "events=0", "apart_us=1000", f"page={page}"],
                                stderr=subprocess.PIPE, text=True)
    out = folder / "out"
    wait_until("events of the program", lambda: page.exists() and any(page.read_bytes()[:8]))
    said = []
    while not said or f"{out}/1/kernel-0" not in said[-1]:
        if not said or "too soon" in said[-1]:
            switch_often()
            recorder.send_signal(signal.SIGUSR1)
        said.append(recorder.stderr.readline())
        assert said[-1], said
    switch_often()
    recorder.send_signal(signal.SIGINT)
    said += recorder.stderr.read().splitlines(keepends=True)
    assert recorder.wait(LIMIT) == 0, said
    told = re.search(r"(\d+) events of the kernel \(by tracefs\) and 1 process, .* (\d+) older events overwritten", said[-1])
    assert told and int(told[2]) > 1000, said

    assert sorted(path.name for path in out.iterdir()) == ["1", "2"], list(out.iterdir())
    recorded = last = 0
    ends = {}
    for number in ("1", "2"):
        books = books_of(out / number)
        for channel in books.values():
            produced_is_accounted_for(channel)
        assert books["kernel"]["lost_full"] == books["kernel"]["overwritten"] == 0, books
        recorded += sum(channel["recorded"] for channel in books.values())
        events = events_of(out / number)
        assert [event["event"] for event in events].count("lttng_statedump_end") == 1
        assert any(event["event"] == "test:count" for event in events), "not beside the program's"
        times = collections.defaultdict(list)
        for event in events:
            if event["event"].startswith("sched_"):
                times[event["cpu"]].append(event["time_ns"])
        for cpu, own in times.items():
            # The buffer of a CPU has place for some thousand: no more come out of it.
            assert own == sorted(own) and len(own) < 3000, (cpu, len(own))
            assert own[0] > ends.get(cpu, 0), f"CPU {cpu}: the second snapshot has what the first one has"
            ends[cpu] = own[-1]
            switches = [event["time_ns"] for event in events if event["event"] == "sched_switch" and event["cpu"] == cpu]
            told = json.loads(trace("explain", "--cpu", cpu, "--from", ns_of({"time_ns": switches[0] + 1000}), "--to", ns_of({"time_ns": switches[-1] - 1000}),
                                    "--json", out / number).stdout)
            assert told["whole"], told
            told = json.loads(trace("explain", "--cpu", cpu, "--from", ns_of({"time_ns": own[0] - 10**6}), "--to", ns_of({"time_ns": own[0] - 1000}),
                                    "--json", out / number, status=3).stdout)
            assert [part["class"] for part in told["accounting"]] == ["before the history"], told
    trace("check", out)
    assert not run("babeltrace2", out / "1").stderr
    assert not instances()


def bad_options(folder):
    """One line each, and nothing is left: neither a folder nor an instance."""
    out = folder / "out"
    for options, line in [(["-e", "sched:sched_swich"], 'this kernel has no event "sched:sched_swich"'),
                          (["--kernel=lttng"], '--kernel: "lttng" records no kernel events'),
                          (["--kernel-size", "4k"], "--kernel-size: not within 8k and 1G"),
                          (["--kernel-size", "many"], '--kernel-size: not a size: "many"'),
                          (["--kernel-cpus", "4000"], "--kernel-cpus: CPU 4000 is not online"),
                          (["-e", "sched_switch"], '-e "sched_switch": with --kernel a pattern is PROVIDER:NAME'),
                          (["-p", os.getpid(), "-e", "sched:*"], "-p names a program, and -e no event of it")]:
        back_end = [] if options[0].startswith("--kernel=") else ["--kernel"]
        told = record(out, *back_end, *options, *([] if "-p" in options else ["--", "true"]), status=1).stderr
        assert told.startswith(f"maxlat trace: {line}"), told
    told = record(out, "--kernel=tracefs", "-e", "kprobe:schedule", "--", "true", status=77).stderr
    assert told.startswith("maxlat trace: the back end tracefs records no functions (kprobe:)\nhint: --kernel=module"), told
    told = record(out, "--kernel", "--", "/no/such/program", status=1).stderr
    assert told.startswith("maxlat trace: cannot start /no/such/program"), told
    told = record(out, "--kernel-cpus", "0", "--", "true", status=1).stderr
    assert told.startswith("maxlat trace: --kernel-cpus is about the kernel's events: --kernel is missing"), told
    nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"]
    if subprocess.run([*nobody, "true"], capture_output=True).returncode == 0:
        os.chmod(folder.parent, 0o755)
        os.chmod(folder, 0o777)
        told = run(*nobody, MAXLAT, "trace", "record", "-o", out, "--kernel", "-e", "sched:*", "-D", "1s", status=77).stderr
        assert told.startswith("maxlat trace: tracefs is for root"), told
    assert not out.exists() and not instances()
    told = record(out, "--kernel", "--kernel-size", "16M", "-e", "sched:*,motor:*", "--", "true", status=3).stderr
    assert "no program with maxlat's tracer was seen, though -e names events of one" in told, told


CASES = {case.__name__: case for case in (merged, state_dump, explain, losses, killed, command_alone, million, all_at_once,
                                           flight_recorder, bad_options)}


def main():
    if not (TRACING / "available_tracers").exists() and MOUNTED not in os.environ:
        os.environ[MOUNTED] = "tried"
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c", 'mount -t tracefs none /sys/kernel/tracing; exec "$@"', "sh",
                              sys.executable, *sys.argv])
    if os.geteuid() != 0 or not (TRACING / "trace_clock").exists() or "x86-tsc" not in (TRACING / "trace_clock").read_text():
        print("needs root, and a kernel whose trace has the clock x86-tsc")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        path = pathlib.Path(folder) / "trace"
        path.mkdir()
        tried = subprocess.run([MAXLAT, "trace", "record", "-o", f"{folder}/tried", "--kernel", "-e", "sched:*", "-D", "1ms", "-q"],
                               capture_output=True, text=True, timeout=LIMIT)
        if tried.returncode == 77:
            print(tried.stderr.splitlines()[0])
            return 77
        CASES[sys.argv[2]](path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
