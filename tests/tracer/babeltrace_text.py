# SPDX-License-Identifier: MIT
"""What babeltrace2 prints, as far as its versions (2.0.4 of Debian 12, 2.1 of Debian 13) and maxlat write it differently."""
import re
import subprocess

LABEL = r'"(?:\\.|[^"\\])*"'
LABELS = re.compile(rf"\( (?:\{{ )?({LABEL}(?:, {LABEL})+)(?: \}})? : ")
NUMBER = re.compile(r"(?<= = )-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?= |,)")


def version():
    told = subprocess.run(["babeltrace2", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"(\d+)\.(\d+)", told).groups()))


def reads(trace):
    """2.1.1 aborts on events with a clock in packets without a context."""
    return subprocess.run(["babeltrace2", str(trace)], capture_output=True).returncode == 0


def tells_losses_of_first_packets():
    return version() < (2, 1)


def alike(line):
    """Several labels of a value in one order (2.1 has them in braces), without the empty array that aligns the end of our
    records (from 2.1 on), and with floating point cut as babeltrace2 does."""
    line = LABELS.sub(lambda several: f"( {', '.join(sorted(re.findall(LABEL, several[1])))} : ", line)
    line = re.sub(r",? padding = \[ \]", "", line)
    return NUMBER.sub(lambda number: number[0] if number[0].lstrip("-").isdigit() else f"{float(number[0]):g}", line)
