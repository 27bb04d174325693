#!/usr/bin/env python3
"""Count the instructions that contact takes, which no other work on the machine disturbs.

usage: contrib/contact_instructions.py PROGRAM CASE.prm [options of the program]

Runs the case under valgrind's callgrind, some 50 times slower than alone, and prints the instructions
of contact (Contact::process and Contact::nodes_kicked), also per test, and the functions that take
most of them with all that they call. Example:

  contrib/contact_instructions.py build/kickdrift prm/two_elastic_bars.prm \\
      --set "Constants=n = 8, L = 10, V = 0.1" --set "Stepping/End time=15"
"""

import pathlib
import re
import subprocess
import sys
import tempfile

TOGGLES = [f"KickDrift::Contact<{dim}>::{name}*" for dim in (2, 3) for name in ("process", "nodes_kicked")]
N_FUNCTIONS = 60


def count(program, case, options, folder):
    trace = folder / "callgrind.out"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={trace}", "--collect-atstart=no"]
    command += [f"--toggle-collect={name}" for name in TOGGLES]
    command += [program, case, "--output", str(folder / "run"), "--overwrite", "--threads", "1"]
    command += ["--set", "Output/VTU every=0", "--set", "Output/Surface every=0", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    table = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(trace)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return done.stdout, table


def short(name):
    name = re.sub(r".*?:(?=KickDrift|\(|std|[a-z_0-9]+\b)", "", name, count=1)
    name = name.replace("(anonymous namespace)::", "").replace("(below main)", "below main")
    return re.sub(r"KickDrift::|\[.*?\]|\(.*", "", name).strip()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        log, table = count(sys.argv[1], sys.argv[2], sys.argv[3:], pathlib.Path(folder))
    rows = re.findall(r"^\s*([\d,]+) \(\s*([\d.]+)%\)\s+(.+)$", table, re.MULTILINE)
    total = int(rows[0][0].replace(",", ""))
    found = re.search(r"(\d+) contact tests", log)
    tests = int(found.group(1)) if found else 0
    if tests == 0:
        sys.exit("no contact has been looked for")
    print(f"{total / 1e6:.1f} million instructions in contact, {tests} tests: {total / tests:.0f} per test")
    for instructions, share, name in rows[1 : N_FUNCTIONS + 1]:
        print(f"{int(instructions.replace(',', '')) / 1e6:10.1f} M {float(share):6.1f} %  {short(name)[:100]}")


if __name__ == "__main__":
    main()
