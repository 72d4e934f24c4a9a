# SPDX-License-Identifier: MIT
"""maxlat trace: mistakes. What its subcommands do is tested in tests/tracer."""
from run_cases import Case

CASES = [
    Case("trace alone", "trace", 1, [r"\Amaxlat trace: no subcommand given\nhint: .*--help"]),
    Case("a subcommand that is none", "trace tracer", 1, [r'\Amaxlat trace: unknown subcommand "tracer"\nhint: .*--help']),
    *[Case(f"a recording of no time, {option}", f"trace record {option} -o {{tmp}}/trace -- true", 1,
           [r"\Amaxlat trace: --duration: must be above 0\nhint: leave it out to record until the end\n\Z"])
      for option in ("-D 0", "--duration 0ms")],
    Case("print without a trace", "trace print", 1, [r"\Amaxlat trace: no trace given\nhint: "]),
    Case("print of two traces", "trace print a b", 1, [r"\Amaxlat trace: more than one trace given\nhint: "]),
    Case("print of nothing", "trace print {tmp}/gone", 1, [r"\Amaxlat trace: cannot read .*gone: No such file"]),
    Case("stats of a folder that is no trace", "trace stats {tmp}", 1, [r"\Amaxlat trace: .* is no trace.*\nhint: "]),
    Case("check of a file", "trace check /dev/null", 1, [r"\Amaxlat trace: /dev/null is a file, and a trace is a folder\nhint: "]),
    Case("threads that are none", "trace print --thread 5-3 {tmp}", 1, [r'\Amaxlat trace: --thread: "5-3" is no list of thread ids\nhint: ']),
    Case("CPUs that are none", "trace print --cpu x {tmp}", 1, [r"\Amaxlat trace: .*\nhint: "]),
    Case("patterns that are none", "trace print -e , {tmp}", 1, [r"\Amaxlat trace: --event: no pattern is given\nhint: "]),
    Case("an option of another subcommand", "trace check --delta {tmp}", 1, [r"\Amaxlat trace: unknown option '--delta'\nhint: "]),
]
