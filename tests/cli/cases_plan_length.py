# SPDX-License-Identifier: MIT
"""maxlat plan-length: from nothing, from an imported run, and mistakes. Its figures are tested in reports/length/ and core/stats/."""
import pathlib

from run_cases import Case

GOOD = pathlib.Path(__file__).resolve().parents[2] / "docs/examples/gate/good"
CASES = [
    Case("a plan from nothing", "plan-length", 0,
         [r"\ATo show fewer than 1 exceedance in 1 d, at 95 %:\n", r"^ +0 +3 d$", r"^ +1 +4 d 18 h$", r"are allowed is chosen before the run"]),
    Case("a plan that allows five", "plan-length --fewer-than 2/1h --confidence 99% --allow 5", 0,
         [r"\ATo show fewer than 2 exceedances in 1 h, at 99 %:\n", r"^ +5 +6 h 34 m$"], [r"^ +0 "]),
    Case("a plan as JSON", "plan-length --json -", 0,
         [r'\A{\n  "schema": "maxlat-plan-length/2"', r'"exposure_s": 2588[0-9]{2}\.'], ["To show"]),
    Case("a rate without a time", "plan-length --fewer-than 1", 1, [r"\Amaxlat plan-length: --fewer-than 1: .*\nhint: write 1/24h"]),
    Case("a rate without a unit", "plan-length --fewer-than 1/24", 1, [r'--fewer-than: "24" has no unit\nhint: ']),
    Case("a rate of none", "plan-length --fewer-than 0/24h", 1, [r"--fewer-than 0/24h: not N/TIME with N above 0"]),
    Case("a rate of less than none", "plan-length --fewer-than=-1/24h", 1, [r"--fewer-than -1/24h: not N/TIME"]),
    Case("a rate that is no number", "plan-length --fewer-than nan/24h", 1, [r"--fewer-than nan/24h: not N/TIME"]),
    Case("a rate in no time", "plan-length --fewer-than 1/0s", 1, [r"--fewer-than: the time is 0"]),
    Case("a rate too rare", "plan-length --fewer-than 0.000001/100d", 1, [r"less than one in 3000 years cannot be shown"]),
    Case("a confidence of all", "plan-length --confidence 100", 1, [r"--confidence 100: it must be from 50 to 99.9999"]),
    Case("a confidence that is a share", "plan-length --confidence 0.95", 1, [r"--confidence 0.95: it must be from 50"]),
    Case("an allowance that is none", "plan-length --allow many", 1, [r"--allow many: it must be a whole number"]),
    Case("a limit without a run", "plan-length --above 50us", 1, [r"--above is about a run, and none is given\nhint: "]),
    Case("an allowance with a run", "plan-length /dev/null --allow 1", 1, [r"--allow is for a plan from nothing"]),
    Case("a limit without its unit", "plan-length /dev/null --above 50", 1, [r'--above: "50" has no unit\nhint: write 50us']),
    Case("what an empty file shows", "plan-length /dev/null", 1, [r"\Amaxlat plan-length: .*/dev/null"]),
    Case("repeats that are one run", f"plan-length {GOOD} {GOOD}", 1, [r"are the same run\nhint: "]),
    Case("a folder of runs", f"plan-length {GOOD.parent}", 0, [r"\Anpt: 3 runs, taken as repeats of the same\n"]),
    Case("a folder of none", "plan-length {tmp}", 1, [r"\Amaxlat plan-length: .* holds no run\nhint: "]),
    Case("a limit with two runs", "plan-length a b --above 50us", 1, [r"--above is about one run, and 2 are given"]),
    Case("repeats that are not there", "plan-length a b", 1, [r"\Amaxlat plan-length: .*cannot read a"]),
    Case("a plan to a full disk", "plan-length", 1, [r"cannot write standard output"], stdout="/dev/full"),
]
