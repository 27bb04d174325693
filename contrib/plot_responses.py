#!/usr/bin/env python3
"""Draw what two responses of contact do to impacts that last: doc/images/responses.png.

usage: contrib/plot_responses.py PROGRAM OUTPUT.png

Left: the force of tests/validation/prm/pressed_on_plane.prm, a block that is pressed on a plane by 1 %
strain, restitution 0.5; exact: 1.346 from t = 2 on. Right: how deep nodes got between the bars of
two_elastic_bars.prm, which meet at t = 0 and part at t = 20; their cells are 0.14 wide there.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

from find_matplotlib import use_matplotlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent
COLORS = {"reflect": "tab:red", "records": "tab:blue"}  # of responses


def run(program, case, settings, folder):
    command = [program, str(SOURCE / case), "--output", str(folder), "--overwrite", "--quiet"]
    settings = {"Output/VTU every": 0, "Output/Surface every": 0, **settings}
    for name, value in settings.items():
        command += ["--set", f"{name}={value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def columns(path, *names):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [[float(row[name]) for row in rows] for name in names]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, output = sys.argv[1:]
    use_matplotlib()
    import matplotlib.pyplot as plt

    figure, (block, bars) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    with tempfile.TemporaryDirectory() as folder:
        for name, color in COLORS.items():
            settings = {"Contact/Response": name}
            pressed = {**settings, "Contact/Restitution": 0.5}
            run(program, "tests/validation/prm/pressed_on_plane.prm", pressed, folder)
            time, force = columns(f"{folder}/reactions.csv", "time", "top_force_y")
            block.plot(time, [-f for f in force], color=color, linewidth=1, label=name)
            run(program, "prm/two_elastic_bars.prm", settings, folder)
            time, depth = columns(f"{folder}/statistics.csv", "time", "max_penetration")
            bars.semilogy(time, depth, color=color, linewidth=1, label=name)
    block.axhline(1.3462, color="gray", linewidth=0.5)
    block.set(xlabel="time", ylabel="force on the top", title="a block pressed on a plane")
    block.legend(loc="lower right")
    bars.set(xlabel="time", ylabel="largest penetration so far", title="two elastic bars, n = 4", ylim=(1e-4, 1))
    figure.savefig(output, dpi=90)


if __name__ == "__main__":
    main()
