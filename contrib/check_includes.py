#!/usr/bin/env python3
"""Checks who includes whom, and the include guards.

The rooms of the library (folders of include/kickdrift and source) may only include the rooms listed
in MAY_INCLUDE, and deal.II's meshes and elements only where FINITE_ELEMENTS says so.

Usage: contrib/check_includes.py [root of the source tree]
"""

import pathlib
import re
import sys

MAY_INCLUDE = {
    "nodes": set(),
    "stepping": {"nodes"},
    "potentials": {"nodes", "stepping"},
    "contact": {"nodes", "stepping"},
    "deal_ii": {"nodes", "stepping", "potentials", "contact"},
    "output": {"nodes", "stepping", "potentials", "contact", "deal_ii"},
    "cases": {"nodes", "stepping", "potentials", "contact", "deal_ii", "output"},
}
# Files that belong to no room: headers at the top level serve all rooms and know none; the program
# is a face over the cases.
MAY_INCLUDE_TOP = {".h": set(), ".cc": {"cases"}}

FINITE_ELEMENTS = {"deal_ii", "output", "cases"}
# deal.II's folders that know no mesh: small types such as Tensor and Point, parameters, exceptions.
SMALL_TYPES = {"base", "physics"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(\w*)", re.MULTILINE)


def room_of(path, folder):
    """First folder of path below folder, or "" for files at the top level."""
    parts = path.relative_to(folder).parts
    return parts[0] if len(parts) > 1 else ""


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*//.*$", "", text, flags=re.MULTILINE)


def check_includes(text, path, room, include_dir):
    """Yields (line, message) for every include that is not allowed."""
    allowed = (MAY_INCLUDE[room] | {room}) if room else MAY_INCLUDE_TOP[path.suffix]
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        line = text.count("\n", 0, match.start(1)) + 1
        library, _, rest = name.partition("/")
        if bracket == '"':
            # A room may have private headers in its folder of source/.
            if not (path.parent / name).is_file() or ".." in pathlib.Path(name).parts:
                yield line, f'"{name}" is not beside the file: write <kickdrift/ROOM/NAME.h>'
        elif library == "kickdrift":
            other = rest.partition("/")[0] if "/" in rest else ""
            if not (include_dir / name).exists():
                yield line, f"<{name}> does not exist"
            elif other and other not in allowed:
                yield line, f"{room or path.name} must not include {other}: <{name}>"
        elif library == "deal.II":
            part = rest.partition("/")[0]
            if part not in SMALL_TYPES and room not in FINITE_ELEMENTS:
                yield line, f"{room or path.name} must not know deal.II's {part}: <{name}>"


def check_guard(text, path, include_dir):
    """Yields (line, message) if the header's include guard does not name its path."""
    guard = re.sub(r"\W", "_", str(path.relative_to(include_dir))).upper()
    directives = [match.groups() for match in DIRECTIVE.finditer(text)]
    if directives[:2] != [("ifndef", guard), ("define", guard)] or directives[-1][0] != "endif":
        yield 1, f"the include guard must be {guard}"


def violations(root):
    include_dir = root / "include"
    for folder in (include_dir / "kickdrift", root / "source"):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            room = room_of(path, folder)
            text = without_comments(path.read_text(encoding="utf-8"))
            found = []
            if room and room not in MAY_INCLUDE:
                found.append((1, f"{room} is not a room; see MAY_INCLUDE in {pathlib.Path(__file__).name}"))
            else:
                found += check_includes(text, path, room, include_dir)
            if include_dir in path.parents:
                found += check_guard(text, path, include_dir)
            for line, message in found:
                yield f"{path.relative_to(root)}:{line}: {message}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    if not (root / "include" / "kickdrift").is_dir():
        sys.exit(f"{root} has no include/kickdrift")
    found = list(violations(root.resolve()))
    for message in found:
        print(message)
    print(f"includes: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
