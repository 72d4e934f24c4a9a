# SPDX-License-Identifier: MIT
"""The rows of docs/repeat-the-papers.md: one for each table and figure of a paper."""
import dataclasses
import re

VERDICTS = ("holds", "does not hold", "not decided here", "cannot be had here", "not measured yet")


@dataclasses.dataclass
class Row:
    paper: str  # the heading above it, as docs/sources.md names it
    name: str   # "Table 1"
    made_by: str
    verdict: str
    why: str


def rows(text):
    """Those below a heading with a year. A line that begins like a row and is none: ValueError."""
    paper = ""
    for line in text.splitlines():
        if line.startswith("## "):
            paper = line[3:] if re.search(r" \d{4}$", line) else ""
        if not paper or not line.startswith("| **"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        name = re.fullmatch(r"\*\*(.+)\*\*", cells[0])
        verdict = re.fullmatch(r"\*\*(.+?)\*\*(?:: (.+))?", cells[-1])
        if len(cells) != 5 or not name or not verdict:
            raise ValueError(f"no row of five cells, the first a name, the last a verdict: {line[:80]}")
        yield Row(paper, name[1], cells[3], verdict[1], verdict[2] or "")
