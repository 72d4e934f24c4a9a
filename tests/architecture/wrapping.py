# SPDX-License-Identifier: MIT
"""Text that a tool has wrapped and nobody has looked at since: in comments, and in strings over several lines.

What counts is a sentence that goes on in the next line in a place where nobody would have broken it. Where a sentence
ends, where a table, a drawing or code stands, and where the next line begins with a capital, nothing is said: so this
finds less than an eye does, and nothing that an eye would leave.
"""
import re

NARROW = 100  # some wrap here and some at 120: a word that would have fitted in here was not pushed on by either
WIDE = 120  # of code clang-format keeps to it; comments are left to us (.clang-format)


def comments(text):
    """Blocks of comment lines; of each line its number, its column, the column of its block's text, the text, the end."""
    blocks, inside = [[]], False
    for number, line in enumerate(text.expandtabs(8).splitlines(), 1):
        mark = re.match(r"\s*\*?(?!/)" if inside else r"\s*(//+|/\*)", line)
        if not mark:
            blocks.append([])
            inside = inside and "*/" not in line
            continue
        inside = inside or "/*" in mark[0]
        said, closed, _ = line[mark.end():].partition("*/" if inside else "\n")
        column = mark.end() + len(said) - len(said.lstrip())
        blocks[-1].append((number, column, mark.end() + 1, said.strip(), len(line)))
        if closed:
            blocks.append([])
            inside = False
    return blocks


def is_prose(text):
    return bool(text) and "SPDX-" not in text and not re.search(r"\S {2,}\S", text)


def goes_on(text, following):
    return bool(re.search(r"[\w'\"`,-]$", text) and re.match(r"[a-z(]", following))


def fits(end, following):
    return end + 1 + len(following.split()[0]) <= NARROW


def broken_comments(text):
    for block in comments(text):
        for before, (number, column, margin, words, end), after in zip([None] + block, block, block[1:]):
            if not is_prose(words) or not is_prose(after[3]):
                continue
            follows = goes_on(words, after[3])
            if follows and fits(end, after[3]):
                if column == after[1] == margin:
                    yield number, f"the line ends early, at \"{words[-30:]}\""
                elif before and len(words.split()) <= 2 and words.islower() and not fits(before[4], words):
                    yield number, f"\"{words}\" is all that is left of a line"
            if follows and not fits(end, after[3]) and column > margin == after[1]:
                yield after[0], f"the line is not indented as the one before, at \"{after[3][:30]}\""


def wide_comments(text):
    for number, _, _, words, end in sum(comments(text), []):
        if end > WIDE and "://" not in words:
            yield number, f"the line has {end} columns, and {WIDE} are the most"


def broken_strings(text):
    """Pieces of a string: a short one between two others, and one that holds the last words of a line of the output."""
    lines = text.expandtabs(8).splitlines()
    piece = re.compile(r'\s*"((?:[^"\\]|\\.)*)"')
    for number, (before, line) in enumerate(zip(lines, lines[1:]), 2):
        here = piece.match(line)
        cut_off = here and re.fullmatch(r"\S+( \S+)?\\n", here[1])
        if cut_off and before.endswith(' "') and piece.search(before) and '\\"' not in here[1]:
            yield number, f"\"{here[1]}\" is all that is left of a line of the output"
    for number, (before, line, after) in enumerate(zip(lines, lines[1:], lines[2:]), 2):
        here, following = piece.fullmatch(line), piece.match(after)
        if not here or not following or not before.endswith('"'):
            continue
        if re.search(r"\w $", here[1]) and following[1].strip() and fits(len(line), following[1]):
            yield number, f"the string's line ends early, at \"{here[1][-30:]}\""


def findings(text):
    yield from broken_comments(text)
    yield from wide_comments(text)
    yield from broken_strings(text)


# For check_house.py --self-test: files in which something is broken, and files in which nothing is. "..." is as many
# words as there is room for in the line.
BROKEN = {
    "early.hpp": """
// A line ends in the
// middle of a sentence.
""",
    "orphan.hpp": """
//   module   a table's second column with ...
//   whether
//            an SMI came in it
""",
    "indent.h": """
/*
 * LIST
 *   - an item with ...
 * whose second line has lost its place.
 */
""",
    "tabs.c": """
\t/*
\t * A line ends in the
\t * middle of a sentence.
\t */
""",
    "wide.cpp": "// A sentence" + 20 * " of words" + ".\n",
    "string.cpp": """
const char* kText =
    "A string of "
    "several "
    "lines.";
""",
    "output.cpp": """
constexpr Help kHelp{
    "A line of the output that was too long for one line of ..., "
    "source\\n"
    "goes on in the next.",
""",
    "last.cpp": """
    "  maxlat command   an example that was too long for ... "
    "one line\\n"};
""",
}
SOUND = {
    "prose.hpp": """
// A sentence ends early.
// Another one begins, and goes on for a whole line of ...
// words.
//
//   a list, or
//   its second entry
//
//   name     a table with a column of ...
//            that goes on
//   other    its next row
//
//   auto code = examples_are_not_prose();
//   if (!code) return
""",
    "list.h": """
/*
 * LIST
 *   - an item with ...
 *     whose second line is where it should be.
 *   - another one
 */
""",
    "string.cpp": """
const char* kText =
    "A string of ... "
    "several lines, \\"quoted\\", "
    "and one more.\\n"
    "And another.";
""",
    "output.cpp": """
constexpr Help kHelp{
    "A line of the output that fills one line of ... source\\n"
    "Second\\n"
    "third, which is longer than one line of the source may be, and had to go on in the next, with ... "
    "more than two words\\n"};
""",
}


def filled(text):
    """Each line that has "..." to about 112 columns."""
    words = "words " * 20
    fill = lambda m: m[1] + words[:112 - len(m[1]) - len(m[2])].rstrip() + m[2]
    return re.sub(r"^(.*?)\.\.\.(.*)$", fill, text, flags=re.M)


for files in BROKEN, SOUND:
    files.update({name: filled(text) for name, text in files.items()})
