# SPDX-License-Identifier: MIT
"""The budgets of docs/testing.md, by which check-all judges its parts: what the parts may take is no more than the whole may."""
import re


def findings(root):
    page = root / "docs/testing.md"
    if not page.exists():
        return
    first_table = page.read_text().partition("| label |")[0]
    seconds = {part: int(number) for part, number in re.findall(r"^\| `([\w-]+)` \| (\d+) \|$", first_table, re.M)}
    whole = seconds.pop("all", 0)
    if not seconds or not whole:
        yield "docs/testing.md: no table of budgets with parts and `all`"
    elif sum(seconds.values()) > whole:
        yield f"docs/testing.md: the parts may take {sum(seconds.values())} s together, and `all` {whole} s"


# For check_house.py --self-test.
BROKEN = {"docs/testing.md": "| `static-build` | 60 |\n| `release-tests` | 900 |\n| `all` | 900 |\n| label |\n"}
SOUND = {}
