#!/usr/bin/env python3
"""Have all cases the same bits on any number of processes and threads?

Runs the beginning of each case on one process, and on these numbers of processes and threads, and compares
state_hash and the files statistics.csv, contact.csv, bodies.csv and probes.csv byte by byte. What several
processes refuse is listed.

Example: tests/benchmarks/same_bits.py build/kickdrift prm/*.prm --on 2x1,3x2,7x1
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TABLES = ("statistics.csv", "contact.csv", "bodies.csv", "probes.csv")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def end_time(program, case):
    """As in the file: it may be an expression."""
    text = subprocess.run([program, case, "--print-parameters"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    section = text[text.index("subsection Stepping"):]
    line = next(line for line in section.splitlines() if "set End time" in line)
    return line.split("=", 1)[1].split("#")[0].strip()


def run(options, case, processes, threads, end, output):
    """What the run has computed, or its message."""
    command = [] if processes == 1 else ["mpirun", "--oversubscribe", "-n", str(processes)]
    command += [options.program, case, "--output", str(output), "--quiet", "--threads", str(threads)]
    for setting in (f"Stepping/End time={end}", "Output/Save intervals=2", "Output/VTU every=0",
                    "Output/Surface every=0", "Checkpoint/Wall time interval=0"):
        command += ["--set", setting]
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env=ENVIRONMENT, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return f"not done after {options.timeout} s"
    if done.returncode != 0:
        return next((line for line in done.stderr.splitlines() if line.startswith("kickdrift:")),
                    done.stderr)
    summary = json.loads((output / "summary.json").read_text())
    return [summary["state_hash"]] + [(output / name).read_bytes() for name in TABLES
                                      if (output / name).exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help="kickdrift")
    parser.add_argument("cases", nargs="+", help="parameter files")
    parser.add_argument("--on", default="2x1,3x2,7x1", help="processes x threads (2x1,3x2,7x1)")
    parser.add_argument("--share", type=float, default=0.02, help="of the end time (0.02)")
    parser.add_argument("--timeout", type=float, default=600, help="of a run [s] (600)")
    options = parser.parse_args()
    numbers = [tuple(map(int, one.split("x"))) for one in options.on.split(",")]
    n_equal = n_refused = n_other = 0
    for case in options.cases:
        end = f"{options.share}*({end_time(options.program, case)})"
        name = pathlib.Path(case).stem
        with tempfile.TemporaryDirectory() as folder:
            alone = run(options, case, 1, 1, end, pathlib.Path(folder) / "alone")
            if isinstance(alone, str):
                n_other += 1
                print(f"{name} alone: {alone}", flush=True)
                continue
            for processes, threads in numbers:
                together = run(options, case, processes, threads, end,
                               pathlib.Path(folder) / f"on_{processes}_{threads}")
                where = f"{name} on {processes} processes with {threads} threads"
                if alone == together:
                    n_equal += 1
                elif isinstance(together, str) and "is for one process" in together:
                    n_refused += 1
                    print(f"{where}: {together}", flush=True)
                else:
                    n_other += 1
                    print(f"{where}: {together if isinstance(together, str) else 'OTHER BITS'}",
                          flush=True)
    print(f"{n_equal} runs with equal bits, {n_refused} refused, {n_other} with other bits")
    sys.exit(n_other > 0)


if __name__ == "__main__":
    main()
