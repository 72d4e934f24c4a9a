# SPDX-License-Identifier: MIT
"""maxlat load."""
from run_cases import Case

CASES = [
    Case("list names every load", "load --list", 0, [r"^hackbench\[:ARGS\] ", r"^kernel:DIRECTORY ", r"^network .*\(built in\)$"]),
    Case("a short run tells what it did", "load cpu timers -D 1s -q --json -", 0,
         [r"\"kind\": ?\"load\"", r"\"alive\": ?true", r"\"unit\": ?\"expirations/s\""]),
    Case("a summary line for each load", "load cpu fork -D 1s", 0, [r"^cpu +1 s +[\d.]+ million steps/s", r"^fork +1 s +[\d.e+]+ processes/s"]),
    Case("no load", "load", 1, [r"\Amaxlat load: no load given\nhint: "]),
    Case("unknown load", "load hackbnech", 1, [r"\Amaxlat load: unknown load 'hackbnech'\nhint: the loads are: hackbench"]),
    Case("unknown option", "load cpu --fast", 1, [r"unknown option '--fast'"]),
    Case("a CPU that does not exist", "load cpu -a 60000", 1, [r"\Amaxlat load: .*60000.*\n"]),
    Case("no source tree", "load kernel:{tmp}/linux", 1, [r"\Amaxlat load: cannot build a kernel in '.*/linux': no such directory\nhint: "]),
    Case("a program that is not there", "load command:no-such-program", 77, [r"\Amaxlat load: cannot find the program 'no-such-program'\nhint: "]),
    Case("a load that fails at once", "load 'command:sh -c \"echo boom >&2; exit 4\"'", 1,
         [r"\Amaxlat load: load 'command' ended at once: sh: exit status 4: boom\n"]),
    Case("a load that dies makes exit status 3 and is named", "load 'command:sh -c \"sleep 1.5; exit 4\"' -D 20s -q", 3,
         [r"\Amaxlat load: load 'command' died: sh: exit status 4\n"]),
    Case("a disk without room", "load disk:/proc -D 1s", 1, [r"^maxlat load: .*/proc"]),
    Case("the result file cannot be written", "load cpu -D 200ms -q --json /dev/full", 1, [r"\Amaxlat load: .*no space left on device"]),
    Case("control plants what it is asked for", "load control -a 0 --stalls 100us --repeats 3 --spacing 1ms", 0,
         [r"\A#.*\n( +0 +100000 +1\d{5,} +\d+\n){3}\Z"], needs="root"),
    Case("control without CPUs", "load control", 1, [r"\Amaxlat load: a control needs CPUs"]),
    Case("control takes no duration", "load control -a 0 -D 5s", 1, [r"option '--duration' is not for control"]),
    Case("a stall that would be an outage", "load control -a 0 --stalls 2s", 1, [r"cannot plant a stall of 2000000000 ns"]),
    Case("control without permission", "load control -a 0", 1, [r"\Amaxlat load: cannot set SCHED_FIFO 99: .*\nhint: "], needs="not root"),
]
