#!/usr/bin/env python3
"""Draw the pressure under an elastic sphere beside Hertz's: doc/images/hertz_pressure.png.

usage: contrib/plot_hertz.py PROGRAM OUTPUT.png [REFINEMENTS]     default: 3

Runs prm/hertz_sphere.prm and reads the field
`pressure` of the surface output: nodal forces over nodal areas, means over a save interval around the
largest force (t = 0.2; exact 0.196). Hertz's pressure is that for the force of the same interval,
`p = 3 F/(2 pi a^2) sqrt(1 - r^2/a^2)` with `a^3 = 3 F R/(4 E*)`. Prints the deviation: rms over the
nodes within 0.9 a, weighted by area, over the mean pressure F/(pi a^2).
"""

import math
import pathlib
import subprocess
import sys
import tempfile

from find_matplotlib import use_matplotlib

SOURCE = pathlib.Path(__file__).resolve().parent.parent
RESPONSES = {
    "records (default)": ("black", {"Contact/Response": "records"}),
}
RADIUS, MODULUS = 1.0, 1000 / (1 - 0.3**2)
SAVES, END, PEAK = 21, 0.21, 20  # saves are 0.01 apart


def run(program, settings, folder):
    command = [program, str(SOURCE / "prm/hertz_sphere.prm"), "--output", folder, "--overwrite", "--quiet"]
    saves = {"Output/VTU every": 0, "Output/Surface every": 1, "Output/Save intervals": SAVES,
             "Stepping/End time": END}
    for name, value in {**saves, **settings}.items():
        command += ["--set", f"{name}={value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def pressures(folder):
    """Distance from the axis, pressure and force of every node near the pole, at the peak."""
    import numpy as np
    from render import read_vtu

    pictures = sorted(pathlib.Path(folder, "surface").glob("*.vtu"))
    (piece,) = read_vtu(str(pictures[PEAK]))
    x, fields = piece["points"], piece["fields"]
    force = fields["recent_contact_impulse"][:, 2] / (END / SAVES)
    near = (x[:, 2] < -0.8) & (np.hypot(x[:, 0], x[:, 1]) < 0.4)
    return np.hypot(x[near, 0], x[near, 1]), fields["pressure"][near], force[near]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, output = sys.argv[1:3]
    refinements = int(sys.argv[3]) if len(sys.argv) == 4 else 3
    use_matplotlib()
    import matplotlib.pyplot as plt
    import numpy as np

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    for plot, (name, (color, response)) in zip(axes, RESPONSES.items()):
        with tempfile.TemporaryDirectory() as folder:
            run(program, {**response, "Bodies/sphere/Mesh/Refinements": refinements}, f"{folder}/run")
            r, pressure, force = pressures(f"{folder}/run")
        total = force.sum()
        a = (3 * total * RADIUS / (4 * MODULUS)) ** (1 / 3)
        exact = lambda r: 1.5 * total / (math.pi * a**2) * np.sqrt(np.maximum(0, 1 - (r / a) ** 2))
        within = (r < 0.9 * a) & (pressure > 0)
        area = force[within] / pressure[within]
        rms = math.sqrt(np.sum(area * (pressure[within] - exact(r[within])) ** 2) / np.sum(area))
        print(f"{name}: F = {total:.3f}, a = {a:.4f}, {within.sum()} nodes within 0.9 a, "
              f"rms deviation {100 * rms * math.pi * a**2 / total:.1f} % of the mean pressure")
        line = np.linspace(0, a, 200)
        plot.plot(line, exact(line), color="tab:red", linewidth=1, label="Hertz")
        plot.plot(r, pressure, ".", color=color, markersize=4, label=name)
        plot.set(xlabel="distance from the axis", xlim=(0, 2 * a))
        plot.legend()
    axes[0].set(ylabel="pressure")
    figure.savefig(output, dpi=90)


if __name__ == "__main__":
    main()
