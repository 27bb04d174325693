#!/usr/bin/env python3
"""A model of runs on many processes: the program's own division, and assumed costs of messages.

For each number of processes the program divides a bar with so many cells per process (steps graded 1:30,
no contact) in thought: 'kickdrift CASE --validate --ranks N' on one process. What comes out is counted: for
each class of steps the kicks of the busiest process whenever it is kicked, the lines of nodes that come then,
and from and to how many others messages go. Assumed are the times of a kick, of an exchange, of a message and
of a byte; that the process with most kicks is the one with most lines and most neighbours, and that all others
wait for it after every firing of a class; and that nothing is sent while kicks are given. Waiting beyond that,
for caches and for the network's other users, is not in the model.

Example:  tests/benchmarks/many_processes.py build/kickdrift --processes 2,16,64

Needs about 1.6 kB of memory per cell: 4 GB for 64 processes with 40 000 cells each.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

CASE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../prm/bar_wave.prm")
LINE_OF_NODE = 32  # bytes that come for a node: velocity and time


def largest(text):
    """Of '12 to 15': 15."""
    return int(text.split()[-1])


def divide(program, case, settings, n_processes):
    """What the program says of a case."""
    settings = {**settings, "Stepping/End time": "1e-3", "Output/VTU every": "0"}
    with tempfile.TemporaryDirectory() as folder:
        command = [program, case, "--validate", "--ranks", str(n_processes), "--output", folder + "/output"]
        for name, value in settings.items():
            command += ["--set", f"{name}={value}"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    steps = re.findall(r"^  step\s+(\S+)\s+(\d+) cells", result.stdout, re.M)
    division = re.search(r"On \d+ processes: (\S+) times the kicks of one.*; each holds ([\d to]+) kicks and needs "
                         r"([\d to]+) nodes of ([\d to]+) others; efficiency at most (\d+) %", result.stdout)
    firings = re.findall(r"^  every (\S+): ([\d to]+) kicks of (\d+), then the motion of ([\d to]+) nodes, messages to "
                         r"and from ([\d to]+) others", result.stdout, re.M)
    if not steps or not division or not firings:
        sys.exit("The report of --validate is not what this script can read:\n" + result.stdout)
    return {"classes": [(float(step), int(n)) for step, n in steps],
            "redundancy": float(division[1]),
            "halo": largest(division[3]),
            "neighbours": largest(division[4]),
            "efficiency": int(division[5]) / 100,
            "firings": [(float(step), *map(largest, numbers)) for step, *numbers in firings]}


def bar(n_processes, cells_per_process):
    """Settings of a bar of about so many cells."""
    # 200 x 14 x 14 cells of a bar are 39 200
    scale = (n_processes * cells_per_process / 39200) ** (1 / 3)
    subdivisions = [max(1, round(n * scale)) for n in (200, 14, 14)]
    return {"Bodies/bar/Mesh/Subdivisions": ",".join(map(str, subdivisions)),
            "Bodies/bar/Mesh/Map": "x*(0.033+0.967*x/L); y; z"}


def model(divided, n_processes, options):
    """The efficiency with messages."""
    kicks = sum(n / step for step, _, n, *_ in divided["firings"])  # of one process alone, per time
    together = sum((n_kicks * options.kick + options.start + neighbours * options.message
                    + halo * LINE_OF_NODE * options.byte) / step
                   for step, n_kicks, _, halo, neighbours in divided["firings"])
    return kicks * options.kick / n_processes / together


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="kickdrift")
    parser.add_argument("--processes", default="2,16,64", help="numbers of processes (2,16,64)")
    parser.add_argument("--cells", type=int, default=40000, help="per process (40000)")
    parser.add_argument("--case", help="another case, as it is, instead of the bar")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the case")
    parser.add_argument("--kick", type=float, default=18e-9, help="time of a kick [s] (18e-9)")
    parser.add_argument("--start", type=float, default=4e-6, help="time of an exchange without messages [s] (4e-6)")
    parser.add_argument("--message", type=float, default=4e-6, help="time of a message to a neighbour [s] (4e-6)")
    parser.add_argument("--byte", type=float, default=2e-10, help="time to pack, send and unpack a byte [s] (2e-10)")
    options = parser.parse_args()
    print("| processes | cells | kicks of all over those of one | halo | neighbours | neighbours, by class "
          "| efficiency: division | with messages (model) |")
    print("|---|---|---|---|---|---|---|---|")
    for n_processes in map(int, options.processes.split(",")):
        settings = {} if options.case else bar(n_processes, options.cells)
        settings.update(setting.split("=", 1) for setting in options.set)
        divided = divide(options.program, options.case or CASE, settings, n_processes)
        n_cells = sum(n for _, n in divided["classes"])
        by_class = ", ".join(str(firing[-1]) for firing in divided["firings"])
        print(f"| {n_processes} | {n_cells} | {divided['redundancy']:.2f} | {divided['halo']} "
              f"| {divided['neighbours']} | {by_class} | {divided['efficiency']:.2f} "
              f"| {model(divided, n_processes, options):.2f} |", flush=True)


if __name__ == "__main__":
    main()
