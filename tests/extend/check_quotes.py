#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_quotes.py ROOT PAGE...: what a page quotes is what the file says.

A quotation is a block of code behind a line that ends with a link to its file and a colon. The block is the whole file
without its licence tag, or, where it begins or ends otherwise, lines of it that stand together. Every source in
tests/extend is quoted by the first page. Files and folders that a page names are there; NAME and GROUP in them stand for any.
"""
import pathlib
import re
import sys

QUOTATION = re.compile(r"\]\((?P<link>[^)\s]+)\):\n\n```\w*\n(?P<text>.*?)^```$", re.M | re.S)
TAG = "// SPDX-License-Identifier: MIT\n//\n"


def without_indentation(text):
    lines = text.splitlines()
    shortest = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[shortest:] for line in lines).strip("\n")


def stands_in(text, file):
    """Whether the lines are lines of the file, one after the other, however deep."""
    wanted, lines = without_indentation(text), file.splitlines()
    count = wanted.count("\n") + 1
    return any(without_indentation("\n".join(lines[at:at + count])) == wanted for at in range(len(lines)))


def mistakes(root, page):
    text = (root / page).read_text()
    for quotation in QUOTATION.finditer(text):
        path = (root / page).parent / quotation["link"]
        if not path.is_file():
            yield f"{page}: there is no {quotation['link']}"
        elif not stands_in(quotation["text"], path.read_text().replace(TAG, "")):
            yield f"{page}: {quotation['link']} has not the lines that are quoted:\n{quotation['text']}"
    for cell in re.findall(r"`([\w-]+/[\w./-]*)`", text):
        if (root / cell.split("/")[0]).is_dir() and not any(root.glob(re.sub("NAME|GROUP", "*", cell.rstrip("/")))):
            yield f"{page}: there is no {cell}"


def not_quoted(root, page):
    quoted = {pathlib.PurePath(q["link"]).name for q in QUOTATION.finditer((root / page).read_text())}
    for path in sorted((root / "tests/extend").glob("*.cpp")):
        if path.name not in quoted:
            yield f"{page}: tests/extend/{path.name} is not quoted"


def main(root, pages):
    wrong = [mistake for page in pages for mistake in mistakes(root, page)] + list(not_quoted(root, pages[0]))
    print("\n".join(wrong) or "all quotations are true")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
