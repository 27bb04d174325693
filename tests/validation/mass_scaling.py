"""Mass scaling: what it does to periods, weights and momenta.

Usage: KICKDRIFT=path/to/kickdrift python3 mass_scaling.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, Run


def crossings(times, values):
    """When a history changes its sign."""
    return [
        s + (t - s) * a / (a - b)
        for s, t, a, b in zip(times, times[1:], values, values[1:])
        if a * b < 0
    ]


def elongation(run):
    """Of the bar, at save times: a mean velocity does not matter."""
    return [
        end - start
        for start, end in zip(run.probes["start_displacement_x"], run.probes["end_displacement_x"])
    ]


class MassScaling(unittest.TestCase):
    CASE = CASES / "scaled_bar.prm"

    def period(self, **settings):
        run = Run(self.CASE, set=settings)
        times = crossings(run.probes["time"], elongation(run))
        self.assertGreaterEqual(len(times), 4)
        self.assertLess(run.energy_error(), 0.01)
        return 2 * (times[-1] - times[0]) / (len(times) - 1), run

    def test_a_bar_of_equal_cells_slows_down_by_the_root_of_its_mass(self):
        before, run = self.period()
        self.assertAlmostEqual(before, 2 * 10, delta=0.01 * 20)
        self.assertNotIn("mass_scaling", run.summary)
        for clocks in ("one", "nested"):
            step = 1.5 * run.summary["h_min"]
            after, heavy = self.period(
                **{"Mass scaling/Critical step": step, "Stepping/Clocks": clocks}
            )
            scaling = heavy.summary["mass_scaling"]
            self.assertGreaterEqual(heavy.summary["h_min"], step)
            self.assertLess(heavy.summary["h_min"], 1.002 * step)
            self.assertAlmostEqual(scaling["mass"], 10, 9)
            self.assertAlmostEqual(scaling["added_mass"], (1.5**2 - 1) * 10, delta=0.05)
            self.assertEqual(scaling["bodies"][0]["body"], "bar")
            self.assertEqual(scaling["bodies"][0]["added_mass"], scaling["added_mass"])
            expected = math.sqrt(1 + scaling["added_mass"] / scaling["mass"])
            self.assertAlmostEqual(after / before, expected, delta=1e-3)
            self.assertIn("heavier", heavy.log)

    def test_a_thin_slice_slows_it_down_by_where_it_is(self):
        """A free bar with a mass M at its end: tan k L = -M/m k L. One in its middle does nothing."""
        slices = {  # cells of a twentieth of the length of the others, at the end and in the middle
            "end": "x < 0.5 ? 0.05*x : 0.025 + (x - 0.5)*(10 - 0.025)/9.5",
            "middle": "x < 5 ? x : x < 5.5 ? 5 + 0.05*(x - 5) : 5.025 + (x - 5.5)*4.975/4.5",
        }
        step = 0.3
        for place, axis in slices.items():
            settings = {"Bodies/bar/Mesh/Map": axis + "; y"}
            before, run = self.period(**settings)
            after, heavy = self.period(**settings, **{"Mass scaling/Critical step": step})
            self.assertLess(run.summary["h_min"], 0.5 * step)
            self.assertGreaterEqual(heavy.summary["h_min"], step)
            scaling = heavy.summary["mass_scaling"]
            self.assertEqual(scaling["nodes"], 6)  # both sides of the slice
            ratio = scaling["added_mass"] / scaling["mass"]
            self.assertGreater(ratio, 0.3)
            low, high = math.pi / 2, math.pi
            for _ in range(60):
                mean = 0.5 * (low + high)
                low, high = (mean, high) if math.tan(mean) < -ratio * mean else (low, mean)
            expected = math.pi / low if place == "end" else 1
            self.assertAlmostEqual(after / before, expected, delta=0.005 * expected)

    def test_weight_is_that_of_the_density(self):
        """A bar that falls is too slow, and its momentum is what the load gives it."""
        settings = {
            "Loads/Names": "weight",
            "Loads/weight/Type": "acceleration",
            "Loads/weight/Value": "2; 0",
            "Bodies/bar/Initial velocity": "0; 0",
            "Mass scaling/Critical step": 1,
        }
        run = Run(self.CASE, set=settings)
        scaling = run.summary["mass_scaling"]
        mass = scaling["mass"] + scaling["added_mass"]
        self.assertGreater(mass, 20)
        end = run.statistics["time"][-1]
        self.assertAlmostEqual(run.statistics["momentum_x"][-1], 2 * 10 * end, delta=1e-6 * end)
        velocity = run.body("bar", "velocity_x")[-1]
        self.assertAlmostEqual(velocity, 2 * 10 / mass * end, delta=1e-6 * end)

    def test_only_some_bodies(self):
        other = {
            "Bodies/Names": "bar, other",
            "Bodies/other/Mesh/Lower corner": "0, 3",
            "Bodies/other/Mesh/Upper corner": "10, 4",
            "Bodies/other/Mesh/Subdivisions": "20, 2",
        }
        run = Run(self.CASE, set={**other, "Mass scaling/Critical step": 1, "Mass scaling/Body": "other"})
        scaling = run.summary["mass_scaling"]
        self.assertEqual([body["body"] for body in scaling["bodies"]], ["other"])
        self.assertLess(run.summary["h_min"], 1)
        self.assertIn("'other'", run.log)

    def test_refused(self):
        for settings, text in (
            ({"Mass scaling/Critical step": -1}, "Critical step"),
            ({"Mass scaling/Critical step": 1, "Mass scaling/Body": "nobody"}, "Mass scaling/Body"),
            (
                {"Mass scaling/Critical step": 1, "Stepping/Mass for steps": "own"},
                "'Stepping/Mass for steps' = shared",
            ),
        ):
            self.assertIn(text, Run(self.CASE, status=2, set=settings).message)


if __name__ == "__main__":
    unittest.main()
