#!/usr/bin/env python3
"""Checks that links between the pages (*.md), also to headings, lead somewhere.

Usage: check_links.py [FOLDER]
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^][]*\]\(([^() ]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)


def without_code(text):
    return CODE.sub("", text)


def headings(page):
    """The names that GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    names = [
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in HEADING.findall(text)
    ]
    repeated = [f"{name}-{names[:i].count(name)}" for i, name in enumerate(names)]
    return {*names, *repeated}


def broken_links(page):
    for target in LINK.findall(without_code(page.read_text())):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield target, "no such file"
        elif anchor and file.suffix == ".md" and anchor not in headings(file):
            yield target, "no such heading"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
    pages = [root / "README.md", *sorted((root / "doc").rglob("*.md"))]
    found = [f"{page}: {link}: {why}" for page in pages for link, why in broken_links(page)]
    print("\n".join([*found, f"links: {len(found)} broken on {len(pages)} pages"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
