"""Checks the list of public headers: doc/interface.md describes each, programs of the documentation
and of tests/install include no others.

Usage: public.py ROOT
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
listed = re.findall(r"^    (\S+\.h)\)?$", (root / "contrib/cmake/public_headers.cmake").read_text(), re.M)
faults = []

described = set()
folder = ""
for name in re.findall(r"`([\w./]+\.h)`", (root / "doc/interface.md").read_text()):
    if name.startswith(".../"):
        name = folder + name[4:]
    folder = name[: name.rfind("/") + 1]
    described.add(name)
for name in sorted(described ^ set(listed)):
    faults.append(f"{name} is in one of doc/interface.md and contrib/cmake/public_headers.cmake only")
for name in listed:
    if not (root / "include/kickdrift" / name).exists():
        faults.append(f"there is no include/kickdrift/{name}")

programs = [*root.glob("doc/tutorial/*/*.cc"), *root.glob("tests/install/**/*.cc"), *root.glob("*.md"),
            *root.glob("doc/*.md")]
for program in programs:
    for name in re.findall(r"#include <kickdrift/([\w./]+)>", program.read_text()):
        if name not in listed:
            faults.append(f"{program} includes <kickdrift/{name}>, which is not public")

print("\n".join(faults) or f"{len(listed)} public headers")
sys.exit(bool(faults))
