"""Stiffness-proportional damping and bulk viscosity.

Usage: KICKDRIFT=path/to/kickdrift python3 viscosity.py [unittest arguments]
"""

import math
import unittest

from mass_scaling import elongation
from validation import CASES, Run

NO_VISCOSITY = {
    "Bodies/bar/Linear bulk viscosity": 0,
    "Bodies/bar/Quadratic bulk viscosity": 0,
}


class Shock(unittest.TestCase):
    """A shock in a bar: left and right of the middle are mirror images."""

    CASE = CASES / "viscous_shock.prm"
    SPEED = 0.1

    @classmethod
    def setUpClass(cls):
        cls.run_with = Run(cls.CASE)
        cls.run_without = Run(cls.CASE, set=NO_VISCOSITY)

    def behind(self, run):
        """Velocities of a point at 0.2 after the shock, which has the speed 1, has passed it."""
        return [
            v
            for t, v in zip(run.probes["time"], run.probes["behind_velocity_x"])
            if 0.24 <= t <= 0.7
        ]

    def test_does_not_ring(self):
        ringing = max(map(abs, self.behind(self.run_without)))
        smooth = max(map(abs, self.behind(self.run_with)))
        self.assertGreater(ringing, 0.15 * self.SPEED)
        self.assertLess(smooth, 0.03 * self.SPEED)

    def test_is_smeared_over_a_few_cells(self):
        times, values = self.run_with.probes["time"], self.run_with.probes["right_velocity_x"]
        begin = next(t for t, v in zip(times, values) if abs(v) < 0.9 * self.SPEED)
        end = next(t for t, v in zip(times, values) if abs(v) < 0.1 * self.SPEED)
        cells = (end - begin) * 1.0 / 0.01  # waves have the speed 1
        self.assertGreater(cells, 1.5)
        self.assertLess(cells, 8)

    def test_keeps_momentum_and_symmetry(self):
        for run in (self.run_with, self.run_without):
            for name in ("momentum_x", "momentum_y", "angular_momentum_z"):
                self.assertLess(max(map(abs, run.statistics[name])), 1e-14)
            for left, right in zip(
                run.probes["left_displacement_x"], run.probes["right_displacement_x"]
            ):
                self.assertAlmostEqual(left, -right, delta=1e-11)

    def test_closes_the_balance(self):
        self.assertLess(self.run_with.energy_error(), 5e-3)
        loss = self.run_with.statistics["viscous_loss"]
        kinetic = self.run_with.statistics["kinetic_energy"][0]
        self.assertGreater(loss[-1], 0.01 * kinetic)
        self.assertLess(loss[-1], 0.5 * kinetic)
        # never given back, but for how it is counted between kicks
        self.assertLess(max(a - b for a, b in zip(loss, loss[1:])), 1e-4 * kinetic)
        self.assertEqual(set(self.run_without.statistics["viscous_loss"]), {0})

    def test_turned(self):
        turned = Run(self.CASE, set={"Constants": "v = 0.1, angle = 0.7"})
        self.assertAlmostEqual(
            turned.statistics["viscous_loss"][-1] / self.run_with.statistics["viscous_loss"][-1],
            1,
            delta=1e-5,
        )
        self.assertLess(max(map(abs, turned.statistics["angular_momentum_z"])), 1e-12)

    def test_bits_do_not_depend_on_threads(self):
        threads = Run(self.CASE, set={"Stepping/Threads": 2})
        self.assertEqual(threads.summary["state_hash"], self.run_with.summary["state_hash"])
        self.assertEqual(threads.statistics, self.run_with.statistics)

    def test_other_clocks_find_the_same(self):
        loss = self.run_with.statistics["viscous_loss"][-1]
        for settings in (
            {"Stepping/Clocks": "one"},
            {"Stepping/Clocks": "per cell"},
            {"Bodies/bar/Mesh/Map": "x + 0.2*x*(1 - x^2); y"},  # cells of several classes
        ):
            run = Run(self.CASE, set=settings)
            self.assertAlmostEqual(run.statistics["viscous_loss"][-1], loss, delta=0.05 * loss)
            self.assertLess(run.energy_error(), 5e-3)

    def test_strong_shocks_are_stable_at_long_steps(self):
        """Steps follow the rate of the deformation."""
        for speed in (0.1, 0.4):
            settings = {"Constants": f"v = {speed}, angle = 0", "Stepping/Time step ratio": 0.9}
            run = Run(self.CASE, set=settings)
            self.assertLess(run.energy_error(), 0.05)


class StiffnessDamping(unittest.TestCase):
    CASE = CASES / "scaled_bar.prm"
    OMEGA = 2 * math.pi / 20

    def decay(self, **settings):
        """The rate at which the largest elongations of the bar become smaller."""
        run = Run(self.CASE, set=settings)
        times, values = run.probes["time"], elongation(run)
        peaks = [
            (t, abs(b))
            for t, a, b, c in zip(times[1:], values, values[1:], values[2:])
            if abs(b) > abs(a) and abs(b) >= abs(c)
        ]
        self.assertGreaterEqual(len(peaks), 8)
        (begin, first), (end, last) = peaks[0], peaks[-1]
        return math.log(first / last) / (end - begin), run

    def test_ratio_of_a_mode(self):
        graded = {"Bodies/bar/Mesh/Map": "x + 0.05*x*(x - 10); y"}
        one_point = {"Bodies/bar/Strain integration": "one-point"}
        for tau, settings in (
            (0.1, {"Stepping/Clocks": "one"}),
            (0.1, graded),
            (0.3, {**graded, **one_point}),
        ):
            with self.subTest(tau=tau, settings=settings):
                rate, run = self.decay(**settings, **{"Bodies/bar/Stiffness damping": tau})
                self.assertAlmostEqual(rate / (tau * self.OMEGA**2 / 2), 1, delta=0.015)
                self.assertLess(run.energy_error(), 2e-3)
                kinetic = run.statistics["kinetic_energy"][0]
                self.assertGreater(run.statistics["viscous_loss"][-1], 0.5 * kinetic)

    def test_bulk_viscosity_of_a_mode(self):
        """With nu = 0 its stress is b1 L/c times that of Young's modulus."""
        rate, _ = self.decay(**{"Bodies/bar/Linear bulk viscosity": 0.3})
        self.assertAlmostEqual(rate / (0.3 * 0.5 * self.OMEGA**2 / 2), 1, delta=0.02)

    def test_critical_step(self):
        plain = Run(self.CASE).summary["h_min"]
        for tau in (0.01, 0.1, 1):
            damped = Run(self.CASE, set={"Bodies/bar/Stiffness damping": tau, "Stepping/End time": 1})
            xi = tau / plain
            self.assertAlmostEqual(
                damped.summary["h_min"] / plain, math.sqrt(1 + xi**2) - xi, delta=1e-9
            )

    def test_fixed_steps(self):
        """Up to the damped limit of the whole, 0.41 instead of 0.5, and not above it."""
        settings = {"Bodies/bar/Stiffness damping": 0.1, "Stepping/Clocks": "one"}
        run = Run(self.CASE, set={**settings, "Stepping/Time step": 0.4})
        self.assertLess(run.energy_error(), 0.05)
        refused = Run(self.CASE, status=2, set={**settings, "Stepping/Time step": 0.42})
        self.assertIn("'Stepping/Time step'", refused.message)

    def test_mass_scaling_makes_up_for_it(self):
        run = Run(
            self.CASE,
            set={"Bodies/bar/Stiffness damping": 0.1, "Mass scaling/Critical step": 0.5},
        )
        self.assertGreaterEqual(run.summary["h_min"], 0.5)
        self.assertLess(run.summary["h_min"], 0.502)

    def test_at_rest_nothing_is_lost(self):
        """A bar of two materials that hangs at rest, on clocks of several classes."""
        viscous = {
            "Bodies/bar/Stiffness damping": 0.002,
            "Bodies/bar/Linear bulk viscosity": 0.06,
            "Bodies/bar/Quadratic bulk viscosity": 1.2,
        }
        plain, run = Run(CASES / "hanging_bar.prm"), Run(CASES / "hanging_bar.prm", set=viscous)
        for name in ("middle", "lower_end"):
            with_viscosity, without = (
                one.probes[f"{name}_displacement_y"][-1] for one in (run, plain)
            )
            self.assertAlmostEqual(with_viscosity / without, 1, delta=2e-3)

    def test_rigid_motion_is_left_alone(self):
        settings = {
            "Bodies/bar/Initial velocity": "-0.05*y; 0.05*x",
            "Bodies/bar/Material/Model": "neo-Hookean",
        }
        run = Run(self.CASE, set={**settings, "Bodies/bar/Stiffness damping": 1})
        turning = run.statistics["angular_momentum_z"]
        self.assertAlmostEqual(turning[-1] / turning[0], 1, delta=1e-12)
        # what is lost is the vibration that begins with it, and no more
        kinetic = run.statistics["kinetic_energy"]
        self.assertGreater(kinetic[-1], 0.95 * kinetic[0])

    def test_refused(self):
        for settings, text in (
            ({"Bodies/bar/Stiffness damping": -1}, "Stiffness damping"),
            (
                {"Bodies/bar/Stiffness damping": 1, "Bodies/bar/Strain integration": "nodal"},
                "'Strain integration' = nodal",
            ),
        ):
            self.assertIn(text, Run(self.CASE, status=2, set=settings).message)


if __name__ == "__main__":
    unittest.main()
