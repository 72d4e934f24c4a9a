# SPDX-License-Identifier: MIT
"""maxlat trace: mistakes. What its subcommands do is tested in tests/tracer."""
from run_cases import Case

CASES = [
    Case("trace alone", "trace", 1, [r"\Amaxlat trace: no subcommand given\nhint: .*--help"]),
    Case("a subcommand that is none", "trace tracer", 1, [r'\Amaxlat trace: unknown subcommand "tracer"\nhint: .*--help']),
]
