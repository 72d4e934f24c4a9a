#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_memory_order.py SOURCE_FOLDER | --self-test: every label of an atomic access ([W1], ...) in the tracer's sources has a
row in docs/memory-order.md, and every row a label in the sources. Of every label there is an end that releases and one that
acquires: a load that names one is of no use without the store that names it too. An end is a comment "ORDER [LABEL]" at the
access; it may bear another label, if the row's column of partners names that one. "Partner: ORDER [LABEL] in FILE" is a claim,
and must be true. The exception: a compiler barrier, whose other end is a full one or a file that calls membarrier(2)."""
import pathlib
import re
import sys

LABEL = re.compile(r"\[([A-Z][0-9])\]")
ROW = re.compile(r"^\| \[([A-Z][0-9])\] \|(.*)$", re.MULTILINE)
ORDER = r"acquire-release|acquire|release|sequentially consistent|compiler barrier"
END = re.compile(rf"(?<!-)\b({ORDER}) \[([A-Z][0-9])\]")
# Up to the end of the sentence; the dot of a file's name is not one.
PARTNER = re.compile(r"\bpartners?:.*?(?=\.\s+[A-Z]|\.?\s*\*/|\.\s*$|\n\n)", re.IGNORECASE | re.DOTALL)
CLAIM = re.compile(rf"(?:({ORDER}) )?\[([A-Z][0-9])\](?:,? [^.\[\]]{{0,40}}?)? in ([\w/]+\.\w+)")
RELEASES, ACQUIRES = {"release"}, {"acquire"}
MEANS = {"acquire-release": RELEASES | ACQUIRES, "sequentially consistent": RELEASES | ACQUIRES | {"full"},
         "compiler barrier": {"promoted"}}


def prose(text):
    """Comments flow over their lines; a line of code ends what was said."""
    lines = []
    for line in text.splitlines():
        comment = re.search(r"(?:/\*|//|^\s*\*(?!/)|^\s{2,}(?=[^;{]*\*/))(.*)", line)
        inside = comment[1] if comment else line if re.match(r"\s+[a-z][^;{}]*$", line) else None
        lines.append(" " + inside.strip() if inside is not None else "\n\n")
    return "".join(lines)


def faults(sources, page):
    """sources: {path: text}. Returns what is wrong, a line each."""
    places, ends, claims = {}, {}, []  # ends: {(label, path): orders}
    for path, text in sources.items():
        for number, line in enumerate(text.splitlines(), 1):
            for label in LABEL.findall(line):
                places.setdefault(label, []).append((path, number))
        told = prose(text)
        for clause in PARTNER.findall(told):
            claims += [(path, *claim) for claim in CLAIM.findall(clause)]
        for order, label in END.findall(PARTNER.sub("", told)):
            ends.setdefault((label, path), set()).add(order)
    rows = dict(ROW.findall(page))
    names = [label for label, _ in ROW.findall(page)]
    first = {label: f"{where[0][0]}:{where[0][1]}" for label, where in sorted(places.items())}
    wrong = [f"{where}: [{label}] has no row in docs/memory-order.md" for label, where in first.items() if label not in rows]
    wrong += [f"docs/memory-order.md: [{label}] is nowhere in the sources" for label in rows if label not in places]
    wrong += [f"docs/memory-order.md: [{label}] has two rows" for label in sorted(set(names)) if names.count(label) > 1]

    for path, order, label, file in claims:
        named = [other for other in sources if f"/{other}".endswith(f"/{file}")]
        if not named:
            wrong.append(f"{path}: the partner of [{label}] is said to be in {file}, and there is no such file")
        elif not any(order in ends.get((label, other), set()) if order else label in LABEL.findall(sources[other])
                     for other in named):
            wrong.append(f"{path}: there is no {order or 'end'} [{label}] in {file}")

    for label, where in first.items():
        columns = rows.get(label, "").split("|")
        partners = {label, *LABEL.findall(columns[2] if len(columns) > 2 else "")}
        found = set()
        for (other, path), orders in ends.items():
            if other in partners:
                for order in orders:
                    found |= MEANS.get(order, {order})
        if any(path for other in partners for path, _ in places.get(other, []) if "MEMBARRIER_CMD" in sources[path]):
            found.add("full")
        if not ("promoted" in found and "full" in found) and not RELEASES | ACQUIRES <= found:
            missing = "releases" if "acquire" in found else "acquires" if "release" in found else "promotes, releases or acquires"
            wrong.append(f"{where}: [{label}] has no end that {missing}")
    return wrong


def self_test():
    page = "| [A1] | x | release / acquire | each other | - |\n| [B1] | y | release | acquire [A1] in b.c | - |\n"
    good = {"r/a.c": "/* release [A1]: it. Partner: acquire [A1] in\n   b.c. Shape: publish. */\nx;\n/* release [B1]. Partner: [A1] in b.c. */",
            "r/b.c": "/* acquire [A1]: it.\n * Partner: release [A1] in r/a.c. Without this, none. */"}

    def finds(count, sources, text=page):
        found = faults(sources, text)
        assert len(found) == count, found

    finds(0, good)
    finds(1, {**good, "c.c": "/* acquire-release [C1] */"})  # no row
    finds(1, good, page + "| [D1] | z | - | - | - |\n")  # no source
    finds(1, good, page + "| [A1] | again | release / acquire | each other | - |\n")
    finds(3, {**good, "r/b.c": "/* [A1] and again [A1] */"})  # two mentions are no two ends; the claim of a.c is false, too
    finds(1, good, page.replace("acquire [A1] in b.c", "nobody"))
    finds(1, {**good, "c.c": "/* release [A1]. Partner: acquire [A1] in gone.c. */"})
    finds(1, {**good, "c.c": "/* release [A1]. Partner: acquire [A1] in c.c. */"})  # a claim is no end
    barrier = {"p.c": "/* compiler barrier [M1] */", "q.c": "/* [M1] */ membarrier(MEMBARRIER_CMD_GLOBAL);"}
    row = "| [M1] | p | none | membarrier | - |\n"
    finds(0, barrier, row)
    finds(1, {"p.c": barrier["p.c"], "q.c": "/* [M1] */"}, row)
    return 0


def main():
    if sys.argv[1] == "--self-test":
        return self_test()
    root = pathlib.Path(sys.argv[1])
    sources = {str(path.relative_to(root)): path.read_text() for kind in ("c", "h", "cpp", "hpp")
               for path in sorted((root / "tracer").rglob(f"*.{kind}")) if not path.name.endswith("_test.cpp")}
    wrong = faults(sources, (root / "docs/memory-order.md").read_text())
    print("\n".join(wrong) or f"{len(sources)} files, every label has its row and two ends")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
