#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_memory_order.py SOURCE_FOLDER | --self-test: every label of an atomic access ([W1], ...) in the tracer's sources has a
row in docs/memory-order.md, every row a label in the sources, and every label two ends: a load that names one is of no use
without the store that names it too."""
import pathlib
import re
import sys

LABEL = re.compile(r"\[([A-Z][0-9])\]")
ROW = re.compile(r"^\| \[([A-Z][0-9])\] \|", re.MULTILINE)


def faults(sources, page):
    """sources: {path: text}. Returns what is wrong, a line each."""
    places = {}
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            for label in LABEL.findall(line):
                places.setdefault(label, []).append(f"{path}:{number}")
    rows = ROW.findall(page)
    wrong = [f"{where[0]}: [{label}] has no row in docs/memory-order.md"
             for label, where in sorted(places.items()) if label not in rows]
    wrong += [f"docs/memory-order.md: [{label}] is nowhere in the sources" for label in rows if label not in places]
    wrong += [f"docs/memory-order.md: [{label}] has two rows" for label in sorted(set(rows)) if rows.count(label) > 1]
    wrong += [f"{where[0]}: [{label}] has one end only" for label, where in sorted(places.items()) if len(where) < 2]
    return wrong


def self_test():
    page = "| [A1] | x |\n| [B1] | y |\n"
    good = {"a.c": "/* release [A1] */\n/* release [B1] */", "b.c": "/* acquire [A1] */\n/* acquire [B1] */"}
    assert faults(good, page) == []
    assert len(faults({**good, "c.c": "[C1]\n[C1]"}, page)) == 1
    assert len(faults(good, page + "| [D1] | z |\n")) == 1
    assert len(faults({"a.c": "[A1] [A1]\n[B1]"}, page)) == 1
    assert len(faults(good, page + "| [A1] | again |\n")) == 1
    return 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    sources = {path.relative_to(root): path.read_text() for kind in ("c", "h", "cpp", "hpp")
               for path in sorted((root / "tracer").rglob(f"*.{kind}")) if not path.name.endswith("_test.cpp")}
    wrong = faults(sources, (root / "docs/memory-order.md").read_text())
    print("\n".join(wrong) or f"{len(sources)} files, every label has its row and two ends")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
