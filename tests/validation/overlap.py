"""Bodies that overlap at the start and are pushed apart, against elasticity.

Usage: KICKDRIFT=path/to/kickdrift python3 overlap.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, PRM, Run


class InterferenceFit(unittest.TestCase):
    """A disc in a ring that is too tight, against Lame."""

    def outside(self, refinements):
        run = Run(
            PRM / "interference_fit.prm",
            set={
                "Bodies/disc/Mesh/Refinements": refinements,
                "Bodies/ring/Mesh/Refinements": refinements - 2,
            },
        )
        right = run.probes["right_displacement_x"][-1]
        self.assertAlmostEqual(right, run.probes["top_displacement_y"][-1], delta=1e-2 * right)
        for sideways in ("right_displacement_y", "top_displacement_x"):
            self.assertLess(abs(run.probes[sideways][-1]), 1e-3 * right)
        self.assertLess(run.energy_error(), 2e-3)
        self.assertEqual(run.summary["unsolved_contact_problems"], 0)
        return right

    def test_the_ring_widens_as_it_must(self):
        coarse, fine = (abs(self.outside(refinements) - 0.005) for refinements in (3, 4))
        self.assertLess(fine, 0.03 * 0.005)
        self.assertLess(fine, coarse / 3)  # of second order: what edges bulge


class OverlappingBlocks(unittest.TestCase):
    """Confined ones, in uniaxial strain."""

    CASE = CASES / "overlapping_blocks.prm"
    FORCE = 100 * 0.01 / 2.01

    def check(self, run):
        for name, side in (("lend", 1), ("rend", -1)):
            force = run.reactions[f"{name}_force_x"]
            self.assertAlmostEqual(side * force[-1], self.FORCE, delta=1e-3 * self.FORCE)
            # pushed apart evenly, no faster than is asked for: nothing overshoots
            self.assertLess(max(side * f for f in force), 1.02 * self.FORCE)
        self.assertAlmostEqual(run.contact["force_x"][-1], -self.FORCE, delta=1e-3 * self.FORCE)
        energy = 0.5 * self.FORCE * 0.01
        self.assertAlmostEqual(run.statistics["strain_energy"][-1], energy, delta=1e-3 * energy)
        work = run.statistics["prescribed_work"]
        self.assertGreater(work[-1], energy)  # damping takes the rest
        self.assertLess(work[-1], 1.02 * energy)
        self.assertLess(abs(run.statistics["energy_error"][-1]), 1e-3)

    def test_any_meshes_and_clocks(self):
        for settings in (
            {},
            {"Constants": "d = 0.01, E = 100, n = 3"},
            {"Contact/Overlap time": 4},
            {"Stepping/Clocks": "one"},
            {"Contact/Friction": 0.3},
            {"Contact/Restitution": 0},
        ):
            with self.subTest(settings=settings):
                self.check(Run(self.CASE, set=settings))

    def test_former_name(self):
        former = Run(
            self.CASE,
            set={"Contact/Initial overlap": "refuse", "Contact/Allow initial overlap": "true"},
        )
        self.check(former)

    def test_ignored(self):
        run = Run(self.CASE, set={"Contact/Initial overlap": "ignore"})
        self.assertEqual(run.reactions["lend_force_x"][-1], 0)
        self.assertEqual(run.statistics["kinetic_energy"][-1], 0)

    def test_refused(self):
        run = Run(self.CASE, 2, set={"Contact/Initial overlap": "refuse"})
        self.assertIn("Initial overlap", run.message)
        run = Run(self.CASE, 2, set={"Contact/Response": "reflect"})
        self.assertIn("'Contact/Response' = records", run.message)

    def test_rigid_bodies(self):
        """Flush all around: they go straight apart, twice as fast as they are pushed (e = 1)."""
        case = CASES / "overlapping_rigid_blocks.prm"
        run = Run(case, 2)
        self.assertIn("Overlap time", run.message)  # there are no waves to measure it by
        run = Run(case, set={"Contact/Overlap time": 1})
        for name, side in (("left", -1), ("right", 1)):
            self.assertAlmostEqual(side * run.body(name, "velocity_x")[-1], 0.01, delta=1e-9)
            for axis in "yz":
                self.assertLess(abs(run.body(name, f"velocity_{axis}")[-1]), 1e-6)
        self.assertLess(abs(run.statistics["energy_error"][-1]), 1e-12)

    def test_an_obstacle(self):
        """A block that begins in the floor stands on it as if it had been put there."""
        case = CASES / "block_in_the_floor.prm"
        run = Run(case)
        self.assertAlmostEqual(run.reactions["top_force_y"][-1], -1.0, delta=5e-3)
        self.assertLess(abs(run.statistics["energy_error"][-1]), 1e-3)


if __name__ == "__main__":
    unittest.main()
