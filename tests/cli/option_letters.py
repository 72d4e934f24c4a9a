# SPDX-License-Identifier: MIT
"""One letter, one meaning: a letter that several commands have stands for the same long option in each, but for the
exceptions below, and maxlat.1 says the same under "In every command". A letter that only one command has is its own
affair."""
import re

# What two or more commands have. The letters are those of rt-tests; -e and -o are babeltrace2's and every compiler's.
MEANING = {
    "a": "affinity",
    "b": "break",
    "D": "duration",
    "e": "event",
    "h": "help",
    "i": "interval",
    "l": "loops",
    "o": "output",
    "p": "priority",
    "q": "quiet",
    "v": "verbose",
}
# (command, letter): its long option there, and why it is not the common one.
EXCEPTIONS = {
    ("npt", "D"): ("wall-time", "npt 1.01 has its own letter for --duration, -d, and cyclictest's means the same"),
    ("npt", "e"): ("eval-cpu-speed", "npt 1.01 has it, and its command lines shall go on working"),
    ("npt", "i"): ("allow-interrupts", "npt 1.01's; the loop has no interval"),
    ("npt", "h"): ("histogram", "cyclictest's, which takes a number; -h alone is the help"),
    ("trace record", "p"): ("pid", "as with strace and perf; a recorder has no priority to set"),
}
ROW = re.compile(r"^\s+-([A-Za-z]), --([a-z][\w-]*)", re.MULTILINE)


def letters_of(help_text):
    """(letter, long option) of each option that has both."""
    return ROW.findall(help_text)


def mistakes_of_letters(helps):
    """`helps`: the text of --help by command, such as "trace record"."""
    users, unused = {}, set(EXCEPTIONS)
    for command, text in helps.items():
        for letter, long in letters_of(text):
            users.setdefault(letter, {})[command] = long
    for letter, commands in sorted(users.items()):
        if letter not in MEANING and len(commands) > 1:
            yield f"-{letter} is in {', '.join(commands)}, and option_letters.py does not say what it means"
        for command, long in commands.items():
            unused.discard((command, letter))
            expected = EXCEPTIONS.get((command, letter), (MEANING.get(letter, long),))[0]
            if long != expected:
                yield f"{command}: -{letter} is --{long}, and should be --{expected}"
    for command, letter in sorted(unused):
        yield f"option_letters.py has an exception for -{letter} of {command}, which has no such letter"
    for letter in sorted(set(MEANING) - {letter for letter, commands in users.items() if len(commands) > 1}):
        yield f"-{letter} is in option_letters.py, and not in two commands"


def mistakes_of_overview(page):
    """`page`: maxlat.1 as it is shown."""
    sections = re.split(r"^(?=[A-Z][A-Z ]+$|   \S)", page, flags=re.MULTILINE)
    text = "".join(section for section in sections if section.split("\n")[0].strip() == "In every command")
    if dict(letters_of(text)) != MEANING:
        yield f"maxlat.1, In every command: {sorted(letters_of(text))}, and option_letters.py has {sorted(MEANING.items())}"
    exceptions = set(re.findall(r"^\s+maxlat ([a-z ]+) -([A-Za-z]), --([a-z-]+)", text, re.MULTILINE))
    expected = {(command, letter, long) for (command, letter), (long, _) in EXCEPTIONS.items()}
    if exceptions != expected:
        yield f"maxlat.1, In every command, exceptions: {sorted(exceptions)}, and option_letters.py has {sorted(expected)}"
