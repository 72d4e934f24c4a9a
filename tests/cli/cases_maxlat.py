# SPDX-License-Identifier: MIT
"""maxlat itself, without a command."""
from run_cases import Case

CASES = [
    Case("help lists the commands", "--help", 0, [r"^usage: maxlat COMMAND", r"^exit status: 0 pass"]),
    Case("-h is --help", "-h", 0, [r"^usage: maxlat COMMAND"]),
    Case("help without a command is --help", "help", 0, [r"^usage: maxlat COMMAND"]),
    Case("version names compiler and build", "--version", 0, [r"\Amaxlat \d+\.\d+\.\d+\n(gcc|clang) \d+.*sanitizers: .*linked: "]),
    Case("-V is --version", "-V", 0, [r"\Amaxlat \d+\.\d+\.\d+\n"]),
    Case("no command is a mistake, in one line with a hint", "", 1,
         [r"\Amaxlat: no command given\nhint: maxlat --help lists the commands\n\Z"]),
    Case("unknown command", "nonsense", 1, [r"\Amaxlat: unknown command \"nonsense\"\nhint: "]),
    Case("unknown option", "--nonsense", 1, [r"\Amaxlat: unknown option \"--nonsense\"\nhint: "]),
    Case("help for an unknown command", "help nonsense", 1, [r"unknown command \"nonsense\""]),
    Case("output to a full disk is an error", "--help", 1,
         [r"\Amaxlat: cannot write standard output: no space left on device\n\Z"], stdout="/dev/full"),
]
