# SPDX-License-Identifier: MIT
"""maxlat hwlat: its command line, and a short measurement with the loop."""
from run_cases import Case

ONE_LINE = r"\Amaxlat hwlat: [^\n]+\nhint: [^\n]+\n\Z"
LOOP = "hwlat --backend loop -a 0 -D 200ms --window 100ms --width 80ms"

CASES = [
    Case("the loop is named, and an upper bound", LOOP + " --threshold 50ns", 0,
         [r"^Back end: user-space loop$", r"^  upper bound: interrupts and scheduling are included$", r"^t:.*, upper bound$",
          r"^ +cpu .* largest \(upper bound\)$", r"^Largest: .* \(upper bound\)$", r"^Samples above .* \(upper bound\)$",
          r"^MTBF: .* \(lower bound\)$", r"^Rate: .* \(upper bound\)$", r"^SMIs: "], [r"global stall"], needs="root"),
    Case("the loop on all CPUs takes no timer tick for a stall of all", LOOP.replace("-a 0", "") + " --threshold 50ns -q --json -", 0,
         [r'"bound": ?"upper bound'], [r"global stall"], needs="root"),
    Case("a finding is no failure, a hard limit is", LOOP + " --threshold 1us --hardlimit 10ns", 2, [r"EXCEEDED"], needs="root"),
    Case("what the exit status says, the result says, too", LOOP + " --threshold 1us --hardlimit 10ns --json -", 2,
         [r'"result": "fail"', r'"a gap of [^"]* \(upper bound\): above the hard limit of 10 ns"'], [r"maxlat gate judge"], needs="root"),
    Case("a hard limit that is kept", LOOP + " --hardlimit 50s", 0, [r"^Hard limit .*: kept$"], needs="root"),
    Case("a gap above --stop ends it, and is what was asked for", "hwlat --backend loop -a 0 -D 10m --threshold 50ns --stop 100ns --json -", 0,
         [r'"ended by": ?"a gap of [^"]* \(upper bound\), above --stop"', r'"status": ?"ok"', r'"status": ?"complete"'],
         [r'"status": ?"interrupted"'], needs="root"),
    *[Case(f"{option} is until it is stopped", f"hwlat --backend loop -a 0 {option} --threshold 50ns --stop 100ns", 0,
           [r"^  duration:  until \^C$", r"^Largest: "], needs="root") for option in ("-D 0", "--duration 0ms")],
    Case("who had the time of the largest is told, or why not", LOOP + " --kernel-events --threshold 50ns", 0,
         [r"^Kernel events: (recorded by tracefs.*\n(.*\n)*Largest, on CPU 0: |not recorded: .)"], needs="root"),
    Case("a back end of the kernel's events that is none", LOOP + " --kernel-events=paper", 1, [r"\"paper\" records no kernel events"]),
    Case("--debug says what is done", LOOP + " -q --debug", 0, [r"^debug: back end: user-space loop; ", r"^debug: measuring$"], needs="root"),
    Case("quiet", LOOP + " -q", 0, [r"\A\Z"], needs="root"),
    Case("JSON on standard output, and nothing else", LOOP + " --json -", 0, [r"\A\{", r"maxlat-result/1", r"\}\s*\Z"], needs="root"),
    *[Case(f"a {option} that cannot be written is found before the measurement", f"{LOOP} {option} {{tmp}}/no/such", 1, [ONE_LINE],
           needs="root") for option in ("--json", "--report")],
    *[Case(f"a {option} on a full disk loses nothing else", f"{LOOP} {option} /dev/full", 1,
           [r"^Largest: ", r"^maxlat hwlat: cannot write /dev/full: no space left on device"], needs="root")
      for option in ("--json", "--report")],
    Case("raw findings that cannot be written are found before the measurement", LOOP + " --raw {tmp}/no/such", 1, [ONE_LINE]),
    Case("standard output on a full disk", LOOP, 1, [r"\Amaxlat hwlat: cannot write standard output: no space left on device\n\Z"],
         stdout="/dev/full", needs="root"),
    Case("findings to a full disk", LOOP + " --watch --threshold 50ns", 1,
         [r"\Amaxlat hwlat: cannot write standard output: no space left on device\n\Z"], stdout="/dev/full", needs="root"),
    Case("the link hwlat is the command hwlat", "--help", 0, [r"\AUsage: maxlat hwlat"], program="hwlat"),
    Case("width longer than window", "hwlat --window 1s --width 2s", 1, [ONE_LINE]),
    *[Case(f"{option} needs a unit", f"hwlat {option} 50", 1, [rf"\Amaxlat hwlat: {option}: \"50\" has no unit\nhint: write 50us, 50ms or 50s\n\Z"])
      for option in ("--threshold", "--hardlimit", "--stop", "--window", "--period", "--width", "--runtime", "--snapshot")],
    Case("--help says the unit of a bare number", "hwlat --help", 0, [r"-D, --duration TIME +.*bare number: s"]),
    Case("threshold 0", "hwlat --threshold 0", 1, [ONE_LINE]),
    Case("a CPU that does not exist", "hwlat -a 60000", 1, [r"\Amaxlat hwlat: CPU 60000"]),
    Case("unknown back end", "hwlat --backend magic", 1, [ONE_LINE]),
    Case("no module: the reason, and how to get it", "hwlat --backend module", 77, [ONE_LINE, r"not loaded"]),
    Case("a module that is no file", "hwlat --load /nonexistent/x.ko", 77, [r"\Amaxlat hwlat: cannot load '/nonexistent/x.ko': no such file"]),
    Case("a mode that only the module has", LOOP + " --mode stop-machine", 77, [ONE_LINE, r"needs the module"]),
    Case("auto says what it took, and why", "hwlat -a 0 -D 100ms --window 50ms", 0, [r"back end chosen because: the module maxlat_hwlat is not loaded"],
         needs="root"),
    Case("without permission", LOOP, 1, [ONE_LINE, r"SCHED_FIFO"], needs="not root"),
]
