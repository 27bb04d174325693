#!/usr/bin/env python3
"""Checks which rooms include which, and the include guards.

The rooms of the library are folders of include/kickdrift and source, and may have rooms within them.
A room may only include the rooms listed in MAY_INCLUDE, and deal.II's meshes and elements only where
FINITE_ELEMENTS says so.

Usage: contrib/check_includes.py [root of the source tree]
"""

import pathlib
import re
import sys

# What a room may include besides itself: other rooms, "ROOM/*" with all rooms within them.
MAY_INCLUDE = {
    "base": set(),
    "parallel": {"base"},  # nobody else calls MPI
    "nodes": {"base"},
    "stepping": {"base", "parallel", "nodes", "stepping/*"},
    "stepping/clocks": {"base"},
    "stepping/kicks": {"base", "nodes", "stepping/clocks"},
    "stepping/division": {"base", "parallel", "nodes", "stepping/clocks", "stepping/kicks"},
    "stepping/boundaries": {
        "base", "parallel", "nodes", "stepping/clocks", "stepping/kicks", "stepping/division"
    },
    "stepping/steps": {
        "base", "parallel", "nodes", "stepping/clocks", "stepping/kicks", "stepping/division"
    },
    "potentials": {"base", "nodes", "stepping/kicks"},
    "potentials/materials": {"base"},
    "potentials/cells": {"base", "nodes", "stepping/*", "potentials", "potentials/materials"},
    "potentials/cells/batches": {"nodes", "stepping", "stepping/kicks"},
    # one table chooses the instruction set for all kernels; of the base only rounded(), always inlined
    "potentials/cells/batches/kernels": {"base", "potentials", "potentials/shells/kernels"},
    "potentials/shells": {"base", "nodes", "stepping/kicks", "potentials", "potentials/cells/batches"},
    "potentials/shells/kernels": {"potentials/cells/batches/kernels"},
    "potentials/loads": {"base", "nodes", "stepping/*", "potentials"},
    "contact": {"base", "parallel", "nodes", "stepping/*", "contact/*"},
    "contact/geometry": {"base"},
    "contact/ccd": {"base", "contact/geometry"},
    "contact/search": {"base", "nodes", "contact/flight", "contact/geometry", "contact/surface"},
    "contact/surface": {"base", "nodes", "contact/geometry"},
    "contact/detection": {"base", "nodes", "contact/geometry", "contact/search", "contact/surface"},
    "contact/prediction": {"base", "nodes", "contact/geometry", "contact/ccd", "contact/surface"},
    "contact/flight": {"base", "nodes", "stepping/*", "contact/geometry", "contact/surface"},
    "contact/impulses": {
        "base", "nodes", "stepping/*", "contact", "contact/ccd", "contact/detection",
        "contact/flight", "contact/geometry", "contact/response", "contact/search",
        "contact/surface"
    },
    "contact/response": {"base", "nodes", "stepping/*", "contact/geometry", "contact/surface"},
    "contact/reference": {
        "base", "nodes", "stepping/*", "contact", "contact/flight", "contact/geometry",
        "contact/impulses", "contact/response", "contact/search", "contact/surface"
    },
    "contact/layers": {
        "base", "nodes", "contact/geometry", "contact/ccd", "contact/search", "contact/surface",
        "contact/response"
    },
    "meshes": {"base"},
    "meshes/files": {"base", "meshes"},
    "deal_ii": {"base", "parallel", "nodes", "stepping/*", "potentials/*", "contact/*", "meshes"},
    "output": {"base", "parallel", "nodes", "stepping/*", "potentials/*", "contact/*", "meshes", "deal_ii"},
}
LIBRARY = MAY_INCLUDE["output"] | {"output"}
MAY_INCLUDE.update({
    "cases/input": {"base", "potentials"},  # the instruction set that --version names
    "cases/parameters": LIBRARY | {"cases/input"},
    "cases/model": LIBRARY | {"cases/input", "cases/parameters"},
    "cases/preflight": LIBRARY | {"cases/input", "cases/parameters", "cases/model"},
    "cases/run": LIBRARY | {"cases/input", "cases/parameters", "cases/model", "cases/preflight"},
    "cases/comparison": LIBRARY | {
        "cases/input", "cases/parameters", "cases/model", "cases/preflight", "cases/run"
    },
    "cases": LIBRARY | {"cases/*"},
})
# The program is a face over the cases.
MAY_INCLUDE_TOP = {".h": set(), ".cc": {"cases", "cases/*"}}

FINITE_ELEMENTS = {"meshes", "deal_ii", "output", "cases"}
# deal.II's folders that know no mesh: small types such as Tensor and Point, parameters, exceptions.
SMALL_TYPES = {"base", "physics"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(\w*)", re.MULTILINE)


def room_of(folder):
    """The room that a folder is, "contact/geometry"; "" for the top level."""
    return "" if str(folder) == "." else folder.as_posix()


def may_include(room, other, allowed):
    """Is the room `other` among those that `room` may include?"""
    parents = [other, *(parent.as_posix() for parent in pathlib.PurePosixPath(other).parents)]
    return other == room or other in allowed or any(f"{parent}/*" in allowed for parent in parents)


def without_comments(text):
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)
    return re.sub(r"^[ \t]*//.*$", "", text, flags=re.MULTILINE)


def check_includes(text, path, room, include_dir):
    """Yields (line, message) for every include that is not allowed."""
    allowed = MAY_INCLUDE[room] if room else MAY_INCLUDE_TOP[path.suffix]
    source = include_dir.parent / "source"
    for match in INCLUDE.finditer(text):
        bracket, name = match.groups()
        line = text.count("\n", 0, match.start(1)) + 1
        library, _, rest = name.partition("/")
        if bracket == '"':
            # A room may have private headers in its folder of source/, and use those of the rooms
            # within it and of those that are listed by their full names.
            target = (path.parent / name).resolve()
            is_listed = any(target.parent == source / other for other in allowed)
            if not target.is_file() or (".." in pathlib.Path(name).parts and not is_listed):
                yield line, f'"{name}" is not beside the file: write <kickdrift/ROOM/NAME.h>'
        elif library == "kickdrift":
            other = room_of(pathlib.PurePosixPath(rest).parent)
            if not (include_dir / name).exists():
                yield line, f"<{name}> does not exist"
            elif other and not may_include(room, other, allowed):
                yield line, f"{room or path.name} must not include {other}: <{name}>"
        elif name == "mpi.h" and room != "parallel":
            yield line, f"{room or path.name} must not call MPI: that is for parallel"
        elif library == "deal.II":
            part = rest.partition("/")[0]
            if part not in SMALL_TYPES and room.partition("/")[0] not in FINITE_ELEMENTS:
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
            room = room_of(path.parent.relative_to(folder))
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
