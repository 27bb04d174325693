#!/usr/bin/env python3
"""Shows whether a change of the code has changed what runs compute, to the last bit.

Runs all cases of prm/ and tests/validation/prm/, each in a temporary folder, and writes for every case
the hash of its final state (displacements and velocities of all nodes, from summary.json) and one of
every table that holds no wall times. Two files of this kind, made with builds before and after a
change, are equal line by line if the change has kept all results.

Usage: contrib/state_hashes.py PROGRAM FILE [CASE ...]    run and write FILE; CASE is a .prm file
       contrib/state_hashes.py --compare BEFORE AFTER     print what differs; status 1 if anything does

Results are those of one instruction set: set KICKDRIFT_ISA (sse2, avx2, avx512) to compare machines.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TABLES = ["statistics.csv", "bodies.csv", "probes.csv", "reactions.csv", "sections.csv", "contact.csv",
          "first_contacts.csv", "detection.csv"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def run(program, case):
    """Lines 'CASE WHAT HASH' of one case, or one line with what went wrong."""
    name = str(case.relative_to(ROOT)) if ROOT in case.parents else str(case)
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "output"
        done = subprocess.run([program, case, "--output", output, "--quiet"],
                              capture_output=True, text=True, check=False)
        summary = output / "summary.json"
        if done.returncode != 0 or not summary.exists():
            return [f"{name} status {done.returncode}"]
        lines = [f"{name} state {json.loads(summary.read_text())['state_hash']}"]
        lines += [f"{name} {table} {digest(output / table)}"
                  for table in TABLES if (output / table).exists()]
        return lines


def record(program, file, cases):
    cases = [pathlib.Path(case).resolve() for case in cases] or sorted(
        [*(ROOT / "prm").glob("*.prm"), *(ROOT / "tests" / "validation" / "prm").rglob("*.prm")])
    lines = []
    for case in cases:
        start = time.monotonic()
        lines += run(pathlib.Path(program).resolve(), case)
        print(f"{case.name}: {time.monotonic() - start:.1f} s", flush=True)
    pathlib.Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def compare(before, after):
    tables = [dict(line.rsplit(" ", 1) for line in pathlib.Path(file).read_text().splitlines())
              for file in (before, after)]
    different = [key for key in sorted(tables[0].keys() | tables[1].keys())
                 if tables[0].get(key) != tables[1].get(key)]
    for key in different:
        print(f"{key}: {tables[0].get(key, 'none')} -> {tables[1].get(key, 'none')}")
    print(f"{len(tables[0])} hashes before, {len(tables[1])} after, {len(different)} different")
    return 1 if different else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--compare":
        return compare(*arguments[1:])
    if len(arguments) < 2 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    return record(arguments[0], arguments[1], arguments[2:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
