#!/usr/bin/env python3
"""Why penalty layers have cubic potentials and clocks that are never realigned.

A spring with two masses bounces on a plane (Vouga et al. 2011, section 8.1: masses, spring, gravity
of 1; eta = 0.1, k = 1000) with
- cubic layers, each four times as stiff as the one before, on nested clocks: what the program does;
- the paper's layers, quadratic and on clocks of their own that are never realigned;
- the same layers on clocks that start anew whenever a layer wakes.
The energy of the first stays where it is, that of the second walks at random, that of the third
drifts away: here, with first kicks half a step after waking, until nothing bounces any more. Nothing of it is taken from the program; prm/spring_on_plane.prm is the same case.

Usage: contrib/layer_clocks.py [--end TIME] [--output FILE.png]
"""

import argparse
import math

from find_matplotlib import use_matplotlib

MATERIAL_STEP = 1 / 128
ETA, K = 0.1, 1000.0


class Layers:
    """Potentials and steps of the layers, counted from 0."""

    def __init__(self, is_cubic, ratio):
        self.is_cubic, self.ratio = is_cubic, ratio

    def thickness(self, l):
        return 2 * ETA * (2 ** (-l / 2) if self.is_cubic else 1 / (l + 1))

    def stiffness(self, l):
        return K * (4**l if self.is_cubic else (l + 1) ** 3)

    def step(self, l):
        omega = math.sqrt((6 if self.is_cubic else 2) * self.stiffness(l))
        step = self.ratio * 2 / omega
        if self.is_cubic:  # nested in the steps of the spring
            step = MATERIAL_STEP * 2 ** math.floor(math.log2(step / MATERIAL_STEP))
        return step

    def energy(self, l, d):
        u = max(0.0, self.thickness(l) - d)
        return self.stiffness(l) * u**2 * (u / self.thickness(l) if self.is_cubic else 1)

    def force(self, l, d):
        u = max(0.0, self.thickness(l) - d)
        return self.stiffness(l) * u * (3 * u / self.thickness(l) if self.is_cubic else 2)


def next_tick(step, now):
    """First time after now that is half a step after a multiple of the step."""
    tick = (math.floor(now / step - 0.5) + 1.5) * step
    return tick if tick > now else tick + step


def bounce(layers, is_restarted, end):
    """Times and relative errors of the energy."""
    x, v, now = [1.0, 2.0], [0.0, 0.0], 0.0
    awake = []  # [step, time of the next kick], the first layer first
    material = 0.5 * MATERIAL_STEP
    times, errors, next_save = [], [], 0.0

    def energy(time):
        y = [x[i] + (time - now) * v[i] for i in range(2)]
        stretch = y[1] - y[0] - 1
        pending = time - (material - 0.5 * MATERIAL_STEP)
        w = [v[0] + pending * (stretch - 1), v[1] + pending * (-stretch - 1)]
        total = 0.5 * stretch**2 + y[0] + y[1]
        for l, (step, tick) in enumerate(awake):
            total += layers.energy(l, y[0])
            w[0] += (time - (tick - 0.5 * step)) * layers.force(l, y[0])
        return total + 0.5 * (w[0] ** 2 + w[1] ** 2)

    while True:
        due, layer = material, None
        for l, (_, tick) in enumerate(awake):
            if tick < due:
                due, layer = tick, l
        # the exact time at which the next layer is reached
        rest = x[0] - layers.thickness(len(awake))
        wakes = now if rest < 0 else now + rest / -v[0] if v[0] < 0 else math.inf
        while next_save <= min(due, wakes) and next_save < end:
            times.append(next_save)
            errors.append(energy(next_save) / 3 - 1)
            next_save += 0.371
        if min(due, wakes) >= end:
            return times, errors
        if wakes < due:
            x = [x[i] + (wakes - now) * v[i] for i in range(2)]
            now = wakes
            step = layers.step(len(awake))
            awake.append([step, now + 0.5 * step if is_restarted else next_tick(step, now)])
            continue
        x = [x[i] + (due - now) * v[i] for i in range(2)]
        now = due
        if layer is None:
            stretch = x[1] - x[0] - 1
            v[0] += MATERIAL_STEP * (stretch - 1)
            v[1] += MATERIAL_STEP * (-stretch - 1)
            material += MATERIAL_STEP
            continue
        step, _ = awake[layer]
        force = layers.force(layer, x[0])
        v[0] += step * force
        if force == 0 and v[0] > 0 and layer == len(awake) - 1:
            awake.pop()
        else:
            awake[layer][1] = now + step if is_restarted else next_tick(step, now + 0.25 * step)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--end", type=float, default=2000, help="length of the runs")
    parser.add_argument("--output", default="layer_clocks.png", help="picture to write")
    arguments = parser.parse_args()
    use_matplotlib()
    runs = {
        "cubic, nested clocks, a fifth of the critical step": (Layers(True, 0.2), False),
        "quadratic (the paper's), own clocks, a tenth of it": (Layers(False, 0.1), False),
        "quadratic, clocks that start anew": (Layers(False, 0.1), True),
    }
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4))
    for name, (layers, is_restarted) in runs.items():
        times, errors = bounce(layers, is_restarted, arguments.end)
        quarter = len(errors) // 4
        worst = [max(map(abs, part)) for part in (errors[:quarter], errors[-quarter:])]
        print(f"{name}: largest energy error {worst[0]:.1e} in the first quarter, {worst[1]:.1e} in the last")
        axes.plot(times, errors, label=name, linewidth=0.6)
    axes.set_xlabel("time")
    axes.set_ylabel("energy error")
    axes.set_yscale("symlog", linthresh=0.01)
    axes.grid(alpha=0.3)
    axes.set_ylim(-0.5, 0.05)
    axes.legend(loc="upper right", fontsize=8)
    figure.tight_layout()
    figure.savefig(arguments.output, dpi=120)


if __name__ == "__main__":
    main()
