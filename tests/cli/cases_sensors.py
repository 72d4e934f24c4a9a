# SPDX-License-Identifier: MIT
"""maxlat sensors: mistakes. What its subcommands do is tested in tests/tracer."""
from run_cases import Case

CASES = [
    Case("sensors alone", "sensors", 1, [r"\Amaxlat sensors: no subcommand given\nhint: .*--help"]),
    Case("help", "sensors --help", 0, [r"^  watch "]),
    Case("a subcommand that is none", "sensors look", 1, [r'\Amaxlat sensors: unknown subcommand "look"\nhint: .*--help']),
    Case("a sensor that is none", "sensors get no/such", 1, [r'\Amaxlat sensors: no sensor is called "no/such"\nhint: ']),
    Case("a bare interval", "sensors watch -i 5", 1, [r"\Amaxlat sensors: .*interval.*\nhint: "]),
    Case("no looks", "sensors watch -l 0", 1, [r"\Amaxlat sensors: --loops: must be above 0\n\Z"]),
    Case("the last of each list, and all as one", "sensors watch --merged --events 3", 1, [r"\Amaxlat sensors: --events and --merged do not go together\nhint: "]),
    Case("record without a folder", "sensors record no/such", 1, [r"\Amaxlat sensors: -o is missing\nhint: "]),
    Case("record for no time", "sensors record -o {tmp}/r -D 0", 1, [r"\Amaxlat sensors: .*duration"]),
    Case("stats for no time", "sensors stats -D 0", 1, [r"\Amaxlat sensors: .*duration"]),
    Case("print reads a recording", "sensors print {tmp}/no/such", 1, [r"no/such"]),
    Case("export in no format", "sensors export --format csv", 1, [r'\Amaxlat sensors: --format: "csv" is none\nhint: ']),
    Case("export to a file and to whoever asks", "sensors export --listen 0 -o f", 1, [r"\Amaxlat sensors: --listen goes with neither"]),
    Case("watch helps", "sensors watch --help", 0, [r"--wait"]),
    Case("an option of another subcommand", "sensors list --merged", 1, [r"\Amaxlat sensors: unknown option '--merged'\nhint: "]),
    Case("a session without a name", "sensors record -o {tmp}/r --session ''", 1, [r"\Amaxlat sensors: --session: which\?"]),
    Case("a session up to an event", "sensors record -o {tmp}/r --session s --stop-on a:b", 1, [r"\Amaxlat sensors: --session goes from .*\nhint: "]),
]
