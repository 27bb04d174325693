#!/usr/bin/env python3
"""How much faster does a case get with processes and threads?

Runs a case with each number of processes and threads, in turns, and prints the shortest times, speed-ups
over one process with one thread, which is always among them, and whether all runs had the same bits. Use a
machine that has nothing else to do; what needs more cores than it has is left out.

Example, on a machine with 16 cores:

    contrib/scaling.py build/kickdrift prm/bar_wave.prm --processes 1,2,4,8,16 --threads 1,2 \\
        --set "Bodies/bar/Mesh/Subdivisions=200,14,14" --set "Stepping/End time=1"
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile


def numbers(text):
    return [int(word) for word in text.split(",")]


def run(options, settings, processes, threads, folder):
    """The summary of one run."""
    command = []
    if processes > 1:
        # a process with several threads needs as many cores
        command = options.launcher.split() + ["-n", str(processes), "--map-by", f"slot:pe={threads}"]
    command += [options.program, options.case, "--output", folder, "--overwrite", "--quiet"]
    command += ["--threads", str(threads)]
    for setting in settings:
        command += ["--set", setting]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with status {result.returncode}:\n{result.stdout}")
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help="kickdrift")
    parser.add_argument("case", help="parameter file")
    parser.add_argument("--processes", type=numbers, default=[1, 2], help="numbers (1,2)")
    parser.add_argument("--threads", type=numbers, default=[1], help="numbers in each process (1)")
    parser.add_argument("--set", action="append", default=[], help="parameter, as for kickdrift")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each kind (3)")
    parser.add_argument("--launcher", default="mpirun", help="command that starts processes (mpirun)")
    options = parser.parse_args()
    # nothing but stepping; what the user sets has the last word
    settings = ["Output/VTU every=0", "Output/Surface every=0", "Output/Save intervals=1"] + options.set

    n_cores = len(os.sched_getaffinity(0))
    wanted = [(p, t) for p in options.processes for t in options.threads]
    kinds = [(1, 1)] + [kind for kind in wanted if kind != (1, 1) and kind[0] * kind[1] <= n_cores]
    for p, t in wanted:
        if p * t > n_cores:
            print(f"Left out: {p} processes with {t} threads, as this machine has {n_cores} cores.")
    runs = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.repeat):
            for kind in kinds:
                runs[kind].append(run(options, settings, *kind, folder))

    def shortest(kind, name):
        return min(summary["wall_time"][name] for summary in runs[kind])

    alone = shortest(kinds[0], "stepping")
    some = runs[kinds[0]][0]
    print(f"{some['cells']} cells, {some['kicks']['strain']} strain kicks, "
          f"{some['kicks']['collisions']} collisions; shortest of {options.repeat} runs [s]\n")
    print("| processes | threads | stepping | of it contact | faster | set-up | memory of one [MB] |")
    print("|---|---|---|---|---|---|---|")
    for kind in kinds:
        contact = shortest(kind, "contact")
        stepping = shortest(kind, "stepping")
        memory = max(summary["peak_memory"] for summary in runs[kind])
        print(f"| {kind[0]} | {kind[1]} | {stepping:.3g} | {contact:.3g} | {alone / stepping:.2f} "
              f"| {shortest(kind, 'setup'):.3g} | {memory / 1e6:.0f} |")
    hashes = {summary["state_hash"] for kind in kinds for summary in runs[kind]}
    print("\nAll runs have the same bits." if len(hashes) == 1 else f"\nBITS DIFFER: {hashes}")
    return 0 if len(hashes) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
