#!/usr/bin/env python3
"""Checks in a few minutes whether a deal.II can be compiled with.

Chooses sources of the library and of tests that together include every header of deal.II that any of
them includes, and has the compiler read them without making code; warnings are errors.

Usage: contrib/check_deal_ii.py [BUILD]    folder to configure in, default build-syntax
       e.g. contrib/in_debian.sh trixie sh -c 'contrib/setup.sh && contrib/check_deal_ii.py'
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def configure(build):
    """The commands that compile sources, by source."""
    subprocess.run(
        ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
         "-DKICKDRIFT_PRECOMPILED_HEADERS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"],
        check=True, stdout=subprocess.DEVNULL)
    commands = json.loads((build / "compile_commands.json").read_text())
    return {pathlib.Path(entry["file"]).resolve(): entry for entry in commands}


def headers_of(source, seen):
    """Headers of deal.II that a file includes, also through files of ours; notes files in @p seen."""
    seen.add(source)
    headers = set()
    for name in INCLUDE.findall(source.read_text()):
        if name.startswith("deal.II/"):
            headers.add(name)
        for folder in (source.parent, ROOT / "include", ROOT / "tests"):
            own = (folder / name).resolve()
            if own.is_file():
                if own not in seen:
                    headers |= headers_of(own, seen)
                break
    return headers


def choose(sources):
    """Few sources that have all the headers: always the one that adds most."""
    headers = {source: headers_of(source, set()) for source in sources}
    missing = set().union(*headers.values())
    print(f"{len(missing)} headers of deal.II in {len(headers)} sources")
    chosen = []
    while missing:
        chosen.append(max(headers, key=lambda source: len(headers[source] & missing)))
        missing -= headers[chosen[-1]]
    return chosen


def read(entry):
    """Has the compiler read a source; its messages and whether there were none."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output:output + 2]
    command.remove("-c")
    start = time.monotonic()
    result = subprocess.run(command + ["-fsyntax-only", "-Werror"], cwd=entry["directory"],
                            capture_output=True, text=True)
    name = pathlib.Path(entry["file"]).relative_to(ROOT)
    print(f"{name}: {'read' if result.returncode == 0 else 'FAILED'} in {time.monotonic() - start:.0f} s\n"
          f"{result.stderr}", end="", flush=True)
    return result.returncode == 0


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build-syntax").resolve()
    commands = configure(build)
    ours = sorted(source for source in commands if build not in source.parents)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        good = list(pool.map(read, [commands[source] for source in choose(ours)]))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
