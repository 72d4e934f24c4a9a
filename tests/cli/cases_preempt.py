# SPDX-License-Identifier: MIT
"""maxlat preempt: mistakes on its command line. What it measures: scheduling/tests/preempt.py."""
from run_cases import Case

ONE_LINE = r"\Amaxlat preempt: [^\n]+\nhint: [^\n]+\n\Z"

CASES = [
    Case("a result that cannot be written is told before anything is measured", "preempt -a 0 --json /nonexistent/x.json", 1,
         [r"\Amaxlat preempt: [^\n]*/nonexistent"]),
    Case("no rounds", "preempt -l 0", 1, [r"\Amaxlat preempt: --loops must be at least 1\nhint: [^\n]+\n\Z"]),
    Case("no time", "preempt -D 0", 1, [r"\Amaxlat preempt: --duration must be longer than 0\nhint: [^\n]+\n\Z"]),
    Case("a priority without a lower one", "preempt -p 1", 1, [ONE_LINE, r"from 2 to 99"]),
    Case("a priority that is none", "preempt -p 100", 1, [ONE_LINE, r"from 2 to 99"]),
    Case("a CPU that does not exist", "preempt -a 60000", 1, [r"\Amaxlat preempt: CPU 60000"]),
    Case("a list that is none", "preempt -a 2-", 1, [r"\Amaxlat preempt: "]),
    Case("--snapshot needs a unit", "preempt --snapshot 5 --json x.json", 1, [ONE_LINE, r"has no unit"]),
    Case("--snapshot needs a file", "preempt --snapshot 5s", 1, [ONE_LINE, r"needs --json FILE"]),
    Case("a back end of the kernel's events that is none", "preempt --kernel-events=paper", 1,
         [ONE_LINE, r"--kernel-events: \"paper\" records no kernel events"]),
    Case("a word too many", "preempt hackbench", 1, [ONE_LINE, r"unexpected argument 'hackbench'"]),
    Case("without permission", "preempt -a 0", 77, [ONE_LINE, r"preemption needs real-time policies"], needs="not root"),
]
