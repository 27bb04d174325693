"""Shells against plates, spheres and cylinders that are known.

Usage: KICKDRIFT=path/to/kickdrift python3 shells.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, PRM, Run


def frequency(times, values):
    """Angular frequency from the crossings of zero."""
    crossings = [
        t0 + (t1 - t0) * a / (a - b)
        for t0, t1, a, b in zip(times, times[1:], values, values[1:])
        if a * b < 0
    ]
    assert len(crossings) > 3
    return math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])


def largest(run, *columns):
    return max(max(map(abs, run.statistics[column])) for column in columns)


MOMENTA = [f"momentum_{c}" for c in "xyz"]
SPINS = [f"angular_momentum_{c}" for c in "xyz"]


class Plates(unittest.TestCase):
    BENDING = math.sqrt(0.01**2 / (12 * (1 - 0.3**2)))  # sqrt(D / (rho h)), E = rho = 1

    def omega(self, name, probe, **settings):
        run = Run(PRM / f"{name}.prm", set=settings)
        self.assertLess(run.energy_error(), 1e-3)
        return frequency(run.probes["time"], run.probes[f"{probe}_displacement_z"]) / self.BENDING

    def test_supported(self):
        for bending, tolerance in (("triangle", 0.01), ("Loop", 0.02)):
            omega = self.omega(
                "supported_plate", "centre", **{"Bodies/plate/Bending": bending}
            )
            self.assertAlmostEqual(omega / (2 * math.pi**2), 1, delta=tolerance)

    def test_free(self):
        self.assertAlmostEqual(self.omega("free_plate", "corner") / 13.49, 1, delta=0.02)

    def test_converges(self):
        errors = [
            abs(
                self.omega(
                    "supported_plate", "centre", **{"Bodies/plate/Mesh/Subdivisions": f"{n}, {m}, 1"}
                )
                / (2 * math.pi**2)
                - 1
            )
            for n, m in ((6, 7), (12, 14))
        ]
        self.assertLess(errors[1], 0.5 * errors[0])


class Spheres(unittest.TestCase):
    def test_breathes(self):
        exact = math.sqrt(2 * 2.1e11 / (7850 * 0.7))
        for bending in ("triangle", "hinge", "Loop", "none"):
            run = Run(PRM / "breathing_sphere.prm", set={"Bodies/sphere/Bending": bending})
            # kinetic and strain energy take turns, twice in a period
            difference = [
                k - s
                for k, s in zip(run.statistics["kinetic_energy"], run.statistics["strain_energy"])
            ]
            omega = frequency(run.statistics["time"], difference) / 2
            self.assertAlmostEqual(omega / exact, 1, delta=1e-3, msg=bending)
            self.assertLess(run.energy_error(), 4e-3)  # (omega h)^2 / 4 with the step h
            mass = 4 * math.pi * 7850 * 0.01
            self.assertLess(largest(run, *MOMENTA), 1e-12 * mass)

    def test_tumbles(self):
        for ratio, clocks in ((0.5, "nested"), (0.8, "nested"), (0.5, "one")):
            run = Run(
                PRM / "tumbling_sphere.prm",
                set={"Stepping/Time step ratio": ratio, "Stepping/Clocks": clocks},
            )
            errors = [abs(error) for error in run.statistics["energy_error"]]
            quarter = len(errors) // 4
            self.assertLess(max(errors), 1e-3)
            self.assertLess(max(errors[-quarter:]), 1.5 * max(errors[:quarter]))
            for column in MOMENTA + SPINS:
                values = run.statistics[column]
                self.assertLess(max(values) - min(values), 1e-12)
            kicks = run.summary["kicks"]["membrane"] + run.summary["kicks"]["bending"]
            if clocks == "nested":
                nested = kicks if ratio == 0.5 else nested
            else:
                self.assertLess(nested, 0.76 * kicks)


class FallingShell(unittest.TestCase):
    def test_loads(self):
        for bending in ("triangle", "Loop"):
            run = Run(CASES / "falling_shell.prm", set={"Bodies/sphere/Bending": bending})
            self.assertAlmostEqual(run.body("sphere", "center_z")[-1], -50, delta=1e-3)
            self.assertAlmostEqual(run.body("sphere", "velocity_z")[-1], -10, delta=1e-11)
            self.assertLess(abs(run.body("sphere", "velocity_x")[-1]), 1e-14)
            self.assertLess(run.energy_error(), 1e-4)
            # with the load from one instant on, it swings about the static state up to twice as far
            static = 0.5 * 4 * math.pi * 0.001**2 * (1 - 0.3) / (2 * 0.05)
            self.assertLess(max(run.statistics["strain_energy"]), 4.2 * static)
            self.assertGreater(max(run.statistics["strain_energy"]), 2 * static)


class RolledPlate(unittest.TestCase):
    def test_springs_open(self):
        run = Run(PRM / "rolled_plate.prm")
        exact = 0.01**3 / 12 / (2 * 0.5**2)
        # chords of n arcs are shorter by 1 / (24 (n R)^2)
        chords = 0.5 * 0.01 / (24 * (16 * 0.5) ** 2) ** 2
        expected = (1 - 1 / 16) * exact + chords
        self.assertAlmostEqual(run.statistics["strain_energy"][0] / expected, 1, delta=0.02)
        self.assertGreater(max(run.statistics["kinetic_energy"]), 0.5 * exact)
        self.assertLess(run.energy_error(), 0.01)
        self.assertLess(largest(run, *MOMENTA, *SPINS), 1e-14)


class ShellMisuse(unittest.TestCase):
    def refusal(self, **settings):
        return Run(PRM / "free_plate.prm", status=2, set=settings).message

    def test_says_what_is_wrong(self):
        for settings, words in (
            ({"Bodies/plate/Thickness": 0}, ["Bodies/plate/Thickness", "is 0", "above 0"]),
            ({"Bodies/plate/Material/Model": "neo-Hookean"}, ["Bodies/plate/Material/Model"]),
            ({"Bodies/plate/Mesh/Cell type": "simplices"}, ["Bodies/plate/Thickness", "is for shells"]),
            ({"Bodies/plate/Strain integration": "nodal"}, ["Strain integration"]),
            ({"Bodies/plate/Mesh/Local refinements": "1"}, ["Local refinements", "not for shells"]),
            ({"Bodies/plate/Mesh/Generator": "grid generator"}, ["Generator", "makes no shells"]),
            ({"Bodies/plate/Mesh/Map": "x; 0; 0"}, ["degenerate"]),
            ({"Contact/Enabled": "true"}, ["plate", "shell", "two sides"]),
        ):
            message = self.refusal(**settings)
            for word in words:
                self.assertIn(word, message, settings)


if __name__ == "__main__":
    unittest.main()
