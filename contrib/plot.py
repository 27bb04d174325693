#!/usr/bin/env python3
"""Plot the histories of one or more runs of kickdrift.

    plot.py RUN_DIR [RUN_DIR2 ...] [--output FILE.png] [--low-pass FREQUENCY]

One run: energies, energy error, contact forces, velocities of the bodies, probes. Several runs: the
same panels, one colour per run. Any Python will do if one in PATH has matplotlib (Debian:
python3-matplotlib).
"""

import argparse
import csv
import math
import os
import sys

from find_matplotlib import use_matplotlib
from low_pass import low_pass

ENERGIES = [  # column, label, style; the first three are always drawn, the others unless zero
    ("kinetic_energy", "kinetic", "-"),
    ("strain_energy", "strain", "--"),
    ("total_energy", "balance", ":"),
    ("external_work", "external work", "-."),
    ("prescribed_work", "prescribed work", (0, (5, 1, 1, 1, 1, 1))),
    ("restitution_loss", "restitution loss", (0, (1, 3))),
    ("friction_loss", "friction loss", (0, (3, 3))),
    ("hourglass_energy", "hourglass", (0, (8, 2))),
    ("plastic_work", "plastic work", (0, (5, 1))),
    ("viscous_loss", "viscous loss", (0, (1, 1, 4, 1))),
    ("dashpot_loss", "dashpot loss", (0, (2, 1, 6, 1))),
    ("eroded_energy", "of deleted cells", (0, (6, 1, 2, 1))),
    ("contact_energy", "kept by contacts", (0, (2, 2))),
    ("layer_energy", "penalty layers", (0, (5, 2))),
]
STYLES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (3, 3)), (0, (8, 2))]
LEGEND_ENTRIES = 12  # more make a legend unreadable
SMALL = 0.01  # of the largest component: others add curves, not knowledge


def fail(message):
    sys.exit(f"plot.py: {message}")


def read_table(path):
    """Columns by name, as lists of text. A torn last row (a run that was killed) is dropped."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        fail(f"'{path}' is empty.")
    complete = [row for row in rows[1:] if len(row) == len(rows[0])]
    return {name: [row[i] for row in complete] for i, name in enumerate(rows[0])}


def numbers(table, column, rows=None):
    values = table[column] if rows is None else [table[column][i] for i in rows]
    return [float(value) for value in values]


class Run:
    """The tables of one output folder; those that were not written are None."""

    def __init__(self, folder):
        if not os.path.isdir(folder):
            fail(f"There is no folder '{folder}'.")
        self.name = os.path.basename(os.path.abspath(folder))
        for table in ("statistics", "probes", "bodies", "contact"):
            path = os.path.join(folder, table + ".csv")
            setattr(self, table, read_table(path) if os.path.exists(path) else None)
        if self.statistics is None:
            fail(f"'{folder}' has no statistics.csv: is it the output folder of a run?")
        if not self.statistics["time"]:
            fail(f"'{folder}/statistics.csv' has no rows yet.")


def energy_curves(run):
    for i, (column, label, style) in enumerate(ENERGIES):
        values = numbers(run.statistics, column)
        if i < 3 or any(values):
            yield label, style, numbers(run.statistics, "time"), values


def error_curves(run):
    yield "", "-", numbers(run.statistics, "time"), numbers(run.statistics, "energy_error")


def component_curves(name, table, field, rows=None):
    """Components of a vector; those that are small beside the others, of all times, are left out."""
    curves = {axis: numbers(table, f"{field}_{axis}", rows)
              for axis in "xyz" if f"{field}_{axis}" in table}
    sizes = {axis: max(map(abs, values), default=0) for axis, values in curves.items()}
    largest = max(sizes.values())
    for (axis, values), style in zip(curves.items(), ("-", "--", ":")):
        if sizes[axis] > SMALL * largest or (largest == 0 and axis == "x"):
            yield f"{name} {axis}", style, numbers(table, "time", rows), values


def rows_by_key(keys):
    """Numbers of the rows of each key."""
    rows = {}
    for i, key in enumerate(keys):
        rows.setdefault(key, []).append(i)
    return rows


def body_curves(run):
    if run.bodies is None:
        return
    for body, rows in rows_by_key(run.bodies["body"]).items():
        yield from component_curves(body, run.bodies, "velocity", rows)


def contact_curves(run):
    """Forces on the first of two bodies, from the save time before they touched for the first time."""
    if run.contact is None:
        return
    pairs = list(zip(run.contact["first"], run.contact["second"]))
    save_times = numbers(run.statistics, "time")
    for pair, rows in rows_by_key(pairs).items():
        first = float(run.contact["time"][rows[0]])
        before = [time for time in save_times if time < first][-1:]
        for name, style, time, values in component_curves(" on ".join(reversed(pair)), run.contact,
                                                          "force", rows):
            yield name, style, before + time, [0.0] * len(before) + values


def probe_curves(run, field):
    if run.probes is None:
        return
    probes = (column.rpartition(f"_{field}_")[0] for column in run.probes)
    for probe in dict.fromkeys(filter(None, probes)):
        yield from component_curves(probe, run.probes, f"{probe}_{field}")


PANELS = [  # title, label, curves, whether --low-pass is for them
    ("Energies", "energy", energy_curves, False),
    ("Energy error", "deviation over the largest energy so far", error_curves, False),
    ("Contact forces", "force", contact_curves, True),
    ("Velocities of the bodies", "velocity", body_curves, True),
    ("Probes: displacement", "displacement", lambda run: probe_curves(run, "displacement"), True),
    ("Probes: velocity", "velocity", lambda run: probe_curves(run, "velocity"), True),
]


def filtered(curves, frequency):
    """The curves without what is faster than the frequency, if there is one."""
    for name, style, times, values in curves:
        if frequency is not None:
            try:
                values = low_pass(times, values, frequency)
            except ValueError as error:
                fail(f"--low-pass: {error}.")
        yield name, style, times, values


def draw_panel(axes, title, label, runs, curves, colours):
    """One run: a colour per group of curves. Several: a colour per run, a style per curve."""
    from matplotlib.lines import Line2D

    several = len(runs) > 1
    legend, names = {}, {}
    for r, run in enumerate(runs):
        groups = {}
        for name, style, x, y in curves[r]:
            group = name.rsplit(" ", 1)[0] if name[-2:-1] == " " else name
            index = groups.setdefault(group, len(groups))
            if several:
                index, style = r, STYLES[names.setdefault(name, len(names)) % len(STYLES)]
            colour = colours[index % len(colours)]
            # the first run is drawn wider, so that it shows below others that agree with it
            axes.plot(x, y, color=colour, linestyle=style, linewidth=2.2 if several and r == 0 else 1.3)
            if name:
                shown = "0.25" if several else colour
                legend.setdefault(name, Line2D([], [], color=shown, linestyle=style))
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold")
    axes.set_xlabel("time")
    axes.set_ylabel(label)
    axes.grid(alpha=0.25)
    axes.margins(x=0.01)
    axes.ticklabel_format(axis="both", style="sci", scilimits=(-3, 4), useMathText=True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if 0 < len(legend) <= LEGEND_ENTRIES:  # beside the curves, not on them
        axes.legend(legend.values(), legend.keys(), fontsize=8, edgecolor="none", handlelength=3,
                    loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    elif legend:
        axes.set_title(f"{len(legend)} curves", loc="right", fontsize=8, color="0.4")


def draw(runs, frequency=None):
    """A figure of all that the runs have; of forces and motions without what is faster than the
    frequency."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    colours = plt.get_cmap("tab10").colors
    panels = [(title, label,
               [list(filtered(curves(run), frequency if is_filtered else None)) for run in runs])
              for title, label, curves, is_filtered in PANELS]
    panels = [panel for panel in panels if any(panel[2])]
    columns = 2
    rows = math.ceil(len(panels) / columns)
    figure, grid = plt.subplots(rows, columns, figsize=(14, 3.9 * rows), squeeze=False,
                                layout="constrained")
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    for axes, (title, label, curves) in zip(grid.flat, panels):
        draw_panel(axes, title, label, runs, curves, colours)
    if len(runs) == 1:
        figure.suptitle(runs[0].name)
    else:
        figure.suptitle(" \n ")  # keeps the place of the legend free
        figure.legend([Line2D([], [], color=colours[i % len(colours)], linewidth=3)
                       for i in range(len(runs))],
                      [run.name for run in runs], loc="upper center",
                      ncols=min(len(runs), 4), frameon=False)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="+", metavar="RUN_DIR", help="output folder of a run")
    parser.add_argument("--output", metavar="FILE.png",
                        help="picture to write (default: histories.png in the first folder)")
    parser.add_argument("--low-pass", metavar="FREQUENCY", type=float,
                        help="filter forces and motions as crash tests are (SAE J211): keep what is "
                        "slower than FREQUENCY [1/time]; class CFC 180 is 300 Hz, CFC 60 is 100 Hz")
    arguments = parser.parse_args()
    use_matplotlib()
    runs = [Run(folder) for folder in arguments.runs]
    if len({run.name for run in runs}) < len(runs):  # tell a/out from b/out
        for run, folder in zip(runs, arguments.runs):
            run.name = os.path.normpath(folder)
    output = arguments.output or os.path.join(arguments.runs[0], "histories.png")
    try:
        draw(runs, arguments.low_pass).savefig(output, dpi=150)
    except OSError as error:
        fail(f"Cannot write '{output}': {error.strerror}.")
    except KeyError as error:
        fail(f"A table has no column {error}.")
    print(output)


if __name__ == "__main__":
    main()
