# SPDX-License-Identifier: MIT
"""maxlat cyclic: mistakes on its command line. What it measures: scheduling/tests/cyclic.py."""
from run_cases import Case

ONE_LINE = r"\Amaxlat cyclic: [^\n]+\nhint: [^\n]+\n\Z"

CASES = [
    Case("a result that cannot be written is told before anything is measured", "cyclic -a 0 --json /nonexistent/x.json", 1,
         [r"\Amaxlat cyclic: [^\n]*/nonexistent"]),
    Case("no wake-up", "cyclic -l 0", 1, [ONE_LINE, r"--loops must be at least 1"]),
    Case("-D 0 has no end of its own", "cyclic --policy other -a 0 -D 0 -b 0.001 -q", 2,
         [r"^ +CPU +wake-ups", r"above the limit of 1 ns"]),
    Case("a negative time", "cyclic -D -1s", 1, [ONE_LINE]),
    Case("an interval that no timer has", "cyclic -i 100ns", 1, [ONE_LINE, r"from 1us to 1s"]),
    Case("a priority that is none", "cyclic -p 0", 1, [ONE_LINE, r"from 1 to 99"]),
    Case("a policy that is none", "cyclic --policy best", 1, [r"\Amaxlat cyclic: "]),
    Case("a timer that is none", "cyclic --timer hpet", 1, [ONE_LINE, r"nanosleep or timerfd"]),
    Case("a CPU that does not exist", "cyclic -a 60000", 1, [r"\Amaxlat cyclic: CPU 60000"]),
    Case("a list that is none", "cyclic -a 2-", 1, [r"\Amaxlat cyclic: "]),
    Case("--snapshot needs a unit", "cyclic --snapshot 5 --json x.json", 1, [ONE_LINE, r"has no unit"]),
    Case("--snapshot needs a file", "cyclic --snapshot 5s", 1, [ONE_LINE, r"needs --json FILE"]),
    Case("a back end of the kernel's events that is none", "cyclic --kernel-events=paper", 1,
         [ONE_LINE, r"--kernel-events: \"paper\" records no kernel events"]),
    Case("a mark needs a limit", "cyclic --tracemark", 1, [ONE_LINE, r"--tracemark marks the wake-up of --break"]),
    Case("a word too many", "cyclic hackbench", 1, [ONE_LINE, r"unexpected argument 'hackbench'"]),
    Case("without permission", "cyclic -a 0 -l 1", 77, [ONE_LINE, r"SCHED_FIFO 95"], needs="not root"),
]
