"""Lasting contact, turned, moved, swapped and in other units.

Usage: KICKDRIFT=path/to/kickdrift python3 lasting_moved.py [unittest arguments]
"""

import math
import unittest

import validation
from validation import BARS, CASES, Run

TOLERANCE = 1e-3  # relative to the largest value
# A block that slides on impulses sticks now and then while it vibrates, which rounding decides (seen: 0.01).
STICK_AND_SLIP = 2e-2


class Frame:
    """Units, and a place: a length, a density and Young's modulus instead of those of the case; turned
    about the origin, in the plane, and moved by a vector in the new units."""

    def __init__(self, length=1.0, density=1.0, modulus=None, angle=0.0, shift=(0.0, 0.0)):
        self.length, self.density, self.modulus = length, density, modulus
        self.cos, self.sin, self.shift = math.cos(angle), math.sin(angle), shift

    def of(self, modulus):
        """Set the modulus of the case. The unit of time follows."""
        self.modulus = self.modulus or modulus
        self.time = self.length * math.sqrt(self.density / self.modulus * modulus)
        self.stress = self.modulus / modulus
        return self

    def vector(self, x, y):
        return f"({self.cos!r})*({x}) - ({self.sin!r})*({y})", f"({self.sin!r})*({x}) + ({self.cos!r})*({y})"

    def mesh(self, body, lower, upper):
        corner = lambda point: ", ".join(repr(c * self.length) for c in point)
        x, y = self.vector("x", "y")
        return {
            f"Bodies/{body}/Mesh/Lower corner": corner(lower),
            f"Bodies/{body}/Mesh/Upper corner": corner(upper),
            f"Bodies/{body}/Mesh/Map": f"{x} + ({self.shift[0]!r}); {y} + ({self.shift[1]!r})",
            f"Bodies/{body}/Material/Density": repr(self.density),
            f"Bodies/{body}/Material/Young's modulus": repr(self.modulus),
        }

    def back(self, x, y):
        """Components in the frame of the case."""
        return self.cos * x + self.sin * y, self.cos * y - self.sin * x


# SI and millimetres, tons and seconds, both for steel
STEEL = {"length": 0.02, "density": 7850.0, "modulus": 2.1e11}
STEEL_MM = {"length": 20.0, "density": 7.85e-9, "modulus": 2.1e5}
TURNED = {"angle": 0.7, "shift": (300.0, -200.0)}


class LastingMoved(unittest.TestCase):
    """Nothing but rounding may differ."""

    def same(self, values, expected, tolerance=TOLERANCE):
        largest = max(map(abs, expected))
        self.assertEqual(len(values), len(expected))
        for a, b in zip(values, expected):
            self.assertAlmostEqual(a, b, delta=tolerance * largest)

    def frames(self, modulus):
        """The plain one comes first."""
        for frame in ({}, STEEL, STEEL_MM, TURNED, {**STEEL, "angle": -2.0, "shift": (5.0, 3.0)}):
            yield frame, Frame(**frame).of(modulus)

    def for_each(self, modulus, run, tolerance):
        expected = None
        for settings, frame in self.frames(modulus):
            with self.subTest(frame=settings):
                histories = run(frame)
                expected = expected or histories
                for history, reference in zip(histories, expected):
                    self.same(history, reference, tolerance)

    def test_pressed_blocks(self):
        """Force on the support over time, in units of modulus times length."""

        def run(frame):
            size, time = frame.length, frame.time
            x, y = frame.vector(0, f"-0.01*{size!r}*(1 - cos(pi*min(1, t/T)))")
            along, across = ("; ".join(", ".join(v.split(";")) for v in [f"{a!r}, {b!r}"])
                             for a, b in ((-frame.sin, frame.cos), (frame.cos, frame.sin)))
            settings = {
                **frame.mesh("lower", (0, 0), (1, 1)),
                **frame.mesh("upper", (0, 1), (1, 2)),
                "Constants": f"n = 4, m = 6, T = {2 * time!r}",
                "Bodies/lower/Damping": repr(2 / time),
                "Bodies/upper/Damping": repr(2 / time),
                "Restraints/support/Directions": along,
                "Restraints/top/Directions": along,
                "Restraints/walls/Directions": across,
                "Restraints/top/Displacement": f"{x}; {y}",
                "Stepping/End time": repr(4 * time),
                "Output/Save intervals": 20,
            }
            table = Run(CASES / "pressed_blocks.prm", set=settings).reactions
            forces = zip(table["support_force_x"], table["support_force_y"])
            unit = frame.stress * size
            return [[frame.back(*force)[1] / unit for force in forces]]

        self.for_each(100.0, run, TOLERANCE)

    def test_sliding_block(self):
        """Place, normal force and friction while it slides and stops."""

        def run(frame):
            size, time = frame.length, frame.time
            pair = lambda x, y, unit: "; ".join(frame.vector(repr(x * unit), repr(y * unit)))
            settings = {
                **frame.mesh("block", (0, 0), (1, 1)),
                "Constants": f"E = {frame.modulus!r}, n = 4, mu = 0.5, V = {size / time!r}",
                "Bodies/block/Initial velocity": pair(1, 0, size / time),
                # slip of an undamped elastic block is unstable by itself: rounding would grow
                "Bodies/block/Damping": repr(1 / time),
                "Obstacles/floor/Normal": ", ".join(frame.vector(0, 1)),
                "Obstacles/floor/Point": ", ".join(map(repr, frame.shift)),
                "Loads/gravity/Value": pair(0, -1, size / time**2),
                "Stepping/End time": repr(3 * time),
                "Output/Save intervals": 60,
            }
            run = Run(CASES / "slide.prm", set=settings)
            place = [
                frame.back(x - frame.shift[0], y - frame.shift[1])
                for x, y in zip(run.body("block", "center_x"), run.body("block", "center_y"))
            ]
            impulse = [
                frame.back(x, y) for x, y in zip(run.contact["impulse_x"], run.contact["impulse_y"])
            ]
            unit = frame.stress * size * time
            return [
                [x / size for x, _ in place],
                [x / unit for x, _ in impulse],
                [y / unit for _, y in impulse],
            ]

        self.for_each(1000.0, run, STICK_AND_SLIP)

    def test_two_bars(self):
        """Velocities of both, in other units; turned, moved and swapped below."""
        expected = None
        for frame in ({}, STEEL, STEEL_MM):
            size, density, modulus = (frame.get(k, 1.0) for k in ("length", "density", "modulus"))
            with self.subTest(frame=frame):
                time = size * math.sqrt(density / modulus)
                speed = 0.1 * size / time
                settings = {
                    "Constants": f"n = 4, L = {10 * size!r}, V = {speed!r}, h = {size!r}",
                    "Bodies/left/Mesh/Map": "x/n - (L - L/n)*(x/L)^2; y; z",
                    "Stepping/End time": repr(30 * time),
                    "Output/Save intervals": 60,
                }
                for body, lower, upper in (
                    ("left", "-L, 0, 0", "0, h, h"),
                    ("right", "0, 0, 0", "L, h, h"),
                ):
                    settings[f"Bodies/{body}/Mesh/Lower corner"] = lower
                    settings[f"Bodies/{body}/Mesh/Upper corner"] = upper
                    settings[f"Bodies/{body}/Material/Density"] = repr(density)
                    settings[f"Bodies/{body}/Material/Young's modulus"] = repr(modulus)
                run = Run(BARS, set=settings)
                histories = [
                    [v / speed for v in run.body(body, "velocity_x")] for body in ("left", "right")
                ]
                expected = expected or histories
                for history, reference in zip(histories, expected):
                    self.same(history, reference)

    def test_two_bars_turned_moved_and_swapped(self):
        moved = validation.TwoBarsMoved()
        a, b = 0.6, 1.1
        ca, sa, cb, sb = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
        turned = ((ca * cb, -sa, ca * sb), (sa * cb, ca, sa * sb), (-sb, 0.0, cb))
        identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        reference = moved.histories(Run(BARS, set=moved.TIMES), (1, 0, 0))
        for matrix, shift, swap in (
            (identity, (1000.0, -500.0, 300.0), False),
            (identity, (0.0, 0.0, 0.0), True),
            (turned, (0.0, 0.0, 0.0), False),
        ):
            with self.subTest(shift=shift, swap=swap, matrix=matrix):
                run = Run(BARS, set={**moved.TIMES, **moved.mapped(matrix, shift, swap)})
                direction = [row[0] for row in matrix]
                for history, expected in zip(moved.histories(run, direction), reference):
                    self.same(history, expected)


if __name__ == "__main__":
    unittest.main()
