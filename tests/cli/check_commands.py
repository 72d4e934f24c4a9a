#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_commands.py MAN_FOLDER: what is the same for every subcommand that `maxlat --help` lists, and for theirs.

- `maxlat X --help` and `maxlat help X` print the same, fit one screen and end with two examples; an unknown option is one
  line and a hint;
- --help, the man page and the parser know the same options, in the same groups; for each subcommand by itself where a
  command has some, and then the same operands, too;
- a letter means the same in every command (option_letters.py), and no manual page shows a macro of its source.
"""
import functools
import os
import pathlib
import re
import subprocess
import sys

from option_letters import mistakes_of_letters, mistakes_of_overview
from run_cases import Case, run_all

SCREEN = 55  # lines
SAME_AS = {"sensors print": "trace print"}  # another name of a command: its help is that command's
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MAXLAT = os.environ["MAXLAT"]
OPTION = r"--?[A-Za-z0-9][\w-]*"
# As it is shown: .Pp, \&, Fl -help, and <every> for "In every", where In is a macro.
RAW_MACRO = re.compile(r"^\s*\.[A-Z][a-z]\b|\\[&(]|\\f[BIR]|^\s+<[a-z]+> |(?:^|\s)(?:Fl|Ar|Nm|Cm|Xr|Op|Ql|Pa|Bl|El|Pp|Sh|Ss|Ns|Pq) \S")


@functools.cache
def maxlat(*arguments):
    return subprocess.run([MAXLAT, *arguments], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)


def listed(heading, text):
    """The names in the list of commands below a heading; none where there is no such list."""
    found = re.search(rf"^{heading}:\n((?:  .*\n)+)", text, re.MULTILINE)
    return [name for name in re.findall(r"^  (\S+)", found[1], re.MULTILINE) if name != "help"] if found else []


def family(name):
    """A command and its subcommands, each as the words behind `maxlat`."""
    return [[name]] + [[name, sub] for sub in listed("subcommands", maxlat(name, "--help").stdout)]


def options_at_line_starts(text):
    """The options that a table declares: lines that begin with one, up to the column of explanations."""
    found = set()
    for line in text.splitlines():
        words = line.strip()
        if re.match(OPTION, words):
            tag = re.split(r"\s{2,}", words)[0]
            found |= {o for o in re.findall(rf"(?:^|[\s,/(\[])({OPTION})", " " + tag)}
    return found


@functools.cache
def man_text(page):
    text = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=120", page], capture_output=True, text=True, check=True).stdout
    return re.sub(r".\x08", "", text)  # bold and underline by overstriking


def raw_macros(man_folder):
    """Where the source shows through: a macro or an escape that mandoc took for text, or a word that it took for a macro."""
    for page in sorted(man_folder.glob("*.[1-9]")):
        for number, line in enumerate(man_text(page).splitlines(), 1):
            if RAW_MACRO.search(line):
                yield f"{page.name}, shown line {number} has a macro in it: {line.strip()}"
        said = subprocess.run(["mandoc", "-T", "lint", "-W", "error", page], capture_output=True, text=True)
        for mistake in said.stdout.splitlines():
            yield f"mandoc: {mistake}"


def man_options(page):
    """The options in the lists of the page; its synopsis repeats them in another form."""
    sections = re.split(r"^(?=[A-Z][A-Z ]+$)", man_text(page), flags=re.MULTILINE)
    return options_at_line_starts("\n".join(s for s in sections if not re.match(r"SYNOPSIS|EXAMPLES", s)))


def groups(parts):
    """{title: options} from a text that was split at its titles; without those below which no option is."""
    found = {title: options_at_line_starts(text) for title, text in zip(parts[1::2], parts[2::2])}
    return {title: options for title, options in found.items() if options}


def help_groups(help_lines):
    """The options below each title."""
    return groups(re.split(r"^(\S.*):$", help_lines.partition("\nExamples:")[0], flags=re.MULTILINE))


def man_groups(page):
    """The same of the section OPTIONS; what stands there before the first title is called Options."""
    section = re.search(r"^OPTIONS\n(.*?)^(?=[A-Z])", man_text(page), re.MULTILINE | re.DOTALL)
    tags = re.sub(r"^ {6,}.*\n", "", section[1], flags=re.MULTILINE) if section else ""  # without what they explain
    return groups(re.split(r"^   (\S.*)$", "   Options\n" + tags, flags=re.MULTILINE))


def mistakes_of_groups(page, help_lines):
    in_help, in_man = help_groups(help_lines), man_groups(page)
    if list(in_help) != list(in_man):
        yield f"--help has the groups {', '.join(in_help)}; {page.name} has {', '.join(in_man)}"
    for title in in_help.keys() & in_man.keys():
        for option in sorted(in_help[title] ^ in_man[title]):
            yield f"{option} is in the group '{title}' of {'--help' if option in in_help[title] else page.name} only"


def man_subcommand(page, sub):
    """What the page says of one subcommand: the operands in the heading of its section, and the options: its own, those of
    sections whose heading names it among others, and those of OPTIONS, which are for all."""
    sections = re.split(r"^(?=[A-Z][A-Z ]+$|   \S)", man_text(page), flags=re.MULTILINE)
    operands, options = None, set()
    common = False
    for section in sections:
        heading = section.partition("\n")[0]
        if not heading.startswith(" "):
            common = heading == "OPTIONS"
        words = heading.split()
        if words[:1] == [sub] and heading.startswith(" "):
            operands = " ".join(words[1:]).upper()
        if common or (heading.startswith(" ") and sub in words):
            options |= options_at_line_starts(section)
    return operands, options


def help_operands(sub, help_lines):
    """The usage line's words behind the subcommand, without [options]."""
    usage = help_lines.partition("\n")[0].partition(f" {sub} ")[2]
    return re.sub(r"\[(options|--?\w[^]]*)\] ?", "", usage).upper().strip()


def mistakes_of_subcommand(page, sub, help_lines):
    operands, in_man = man_subcommand(page, sub)
    in_help = options_at_line_starts(help_lines)
    if operands is None:
        yield f"{page.name} has no section of it"
        return
    if operands != help_operands(sub, help_lines):
        yield f"--help takes '{help_operands(sub, help_lines)}', {page.name} '{operands}'"
    for option in sorted(in_help ^ in_man):
        yield f"{option} is in {'its --help' if option in in_help else page.name} only"


@functools.cache
def letters_in_source():
    """The letters that some command declares: add("output,o", ...). To ask each command for all there are takes long."""
    found = set()
    for source in SOURCE.rglob("*.cpp"):
        if "build" not in source.relative_to(SOURCE).parts:
            found |= set(re.findall(r'"[a-z][a-z0-9-]*,([A-Za-z])"', source.read_text()))
    return found


def parser_refuses(command, option):
    """Whether the parser does not know the option. Nothing is ever run: the last word is wrong in any case."""
    glued = f"{option}=1" if option.startswith("--") else f"{option}1"
    ended = maxlat(*command, glued, "--no-such-option")
    shown = " ".join(command)
    assert ended.returncode == 1, f"maxlat {shown} {glued} --no-such-option: exit status {ended.returncode}"
    return f"unknown option '{option}'" in ended.stderr


def mistakes_of_help(command, help_lines):
    if help_lines.count("\n") > SCREEN:
        yield f"--help has {help_lines.count(chr(10))} lines; one screen is {SCREEN}"
    examples = help_lines[help_lines.rfind("xamples:"):] if "xamples:" in help_lines else ""
    if len(re.findall(r"^\s+(?:sudo )?(?:maxlat|npt|hwlat)\b", examples, re.MULTILINE)) < 2:
        yield "--help does not end with two examples"
    in_help = options_at_line_starts(help_lines)
    if not in_help:
        yield "--help names no option"
    for option in sorted(in_help):
        if parser_refuses(command, option):
            yield f"--help names {option}, and the parser does not know it"
    shown = {option[1] for option in in_help if re.fullmatch("-[A-Za-z]", option)}
    if shown - letters_in_source():
        yield f"the letters {shown - letters_in_source()} are declared in a way that this test does not find"
    for letter in sorted(letters_in_source() - shown):
        if not parser_refuses(command, f"-{letter}"):
            yield f"the parser knows -{letter}, and --help does not name it"


def mistakes(name, man_folder):
    """Of a command and its subcommands, which share a manual page."""
    if maxlat("help", name).stdout != maxlat(name, "--help").stdout:
        yield "help X and X --help differ"
    in_help = set()
    page = man_folder / f"maxlat-{name}.1"
    if not page.exists():
        yield f"there is no {page.name}"
        return
    for command in family(name):
        if " ".join(command) in SAME_AS:  # and its options are that command's
            continue
        help_lines = maxlat(*command, "--help").stdout
        in_help |= options_at_line_starts(help_lines)
        for mistake in mistakes_of_help(command, help_lines):
            yield " ".join(command[1:] + [mistake])
        for sub in command[1:]:
            for mistake in mistakes_of_subcommand(page, sub, help_lines):
                yield f"{sub}: {mistake}"
    if len(family(name)) == 1:
        yield from mistakes_of_groups(page, maxlat(name, "--help").stdout)
    in_man = man_options(page)
    for option in sorted(in_help ^ in_man):
        yield f"{option} is in {'--help' if option in in_help else page.name} only"


def main(man_folder):
    names = listed("commands", maxlat("--help").stdout)
    lines = [(name, " ".join(command)) for name in names for command in family(name)]
    sound = run_all([case for name, line in lines for case in (
        Case(f"{line}: --help", f"{line} --help", 0, [rf"\A[Uu]sage: (maxlat )?{SAME_AS.get(line, line)}\b"]),
        Case(f"{line}: unknown option", f"{line} --no-such-option", 1,
             [rf"\Amaxlat {name}: .*unknown option '--no-such-option'.*\nhint: .*\n\Z"]),
        Case(f"{line}: --help to a full disk", f"{line} --help", 1, [r"cannot write standard output"], stdout="/dev/full"),
    )])
    for name in names:
        for mistake in mistakes(name, man_folder):
            sound = False
            print(f"maxlat {name}: {mistake}")
    helps = {line: maxlat(*line.split(), "--help").stdout for _, line in lines}
    overview = man_text(man_folder / "maxlat.1")
    for mistake in (*mistakes_of_letters(helps), *mistakes_of_overview(overview), *raw_macros(man_folder)):
        sound = False
        print(f"maxlat: {mistake}")
    for name in names:
        if not re.search(rf"^ +{name}\b", overview, re.MULTILINE) or f"maxlat-{name}(1)" not in overview:
            sound = False
            print(f"maxlat {name}: maxlat.1 does not list it, or does not refer to its page")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
