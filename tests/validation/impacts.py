"""Impacts of rigid bodies beside closed forms, and things that pass without one.

Usage: KICKDRIFT=path/to/kickdrift python3 impacts.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, Run

IMPACTS = CASES / "impacts"


def constants(**values):
    return {"Constants": ", ".join(f"{name} = {value!r}" for name, value in values.items())}


class RigidImpacts(unittest.TestCase):
    """Each is over at once, at the time when it comes."""

    def test_a_box_that_lands_flat_never_turns(self):
        """Whatever its step is, and where in it the box lands."""
        for h, step in ((1, None), (0.8, None), (0.53, None), (1.05, None), (1, 5e-5), (1, 2e-4)):
            with self.subTest(h=h, step=step):
                settings = constants(h=h, g=9.81, e=0.5)
                if step:
                    settings["Bodies/box/Rigid critical step"] = step
                run = Run(IMPACTS / "flat_box.prm", set=settings)
                turning = max(
                    abs(a) for axis in "xyz" for a in run.statistics[f"angular_momentum_{axis}"]
                )
                # the first impact has 240 * 4.4, on an arm of 0.4
                self.assertLess(turning, 1e-3)
                z = run.body("box", "center_z")
                landed = next(i for i, a in enumerate(z) if a - z[0] + h < 0.01 * h)
                self.assertAlmostEqual(max(z[landed:]) - z[0] + h, 0.25 * h, delta=2e-3 * h)
                self.assertLess(run.energy_error(), 1e-3)

    def test_friction_goes_with_what_is_given_back(self):
        for e, vt in ((0.0, 3), (0.5, 3), (1.0, 3), (0.5, 1)):
            with self.subTest(e=e, vt=vt):
                mu, vn, R, m = 0.25, 1.5, 0.2, 2
                run = Run(
                    IMPACTS / "oblique_ball.prm",
                    set=constants(R=R, mu=mu, e=e, vt=vt, vn=vn, gap=0.003, m=m),
                )
                sticks = vt <= 3.5 * mu * (1 + e) * vn
                after = 5 / 7 * vt if sticks else vt - mu * (1 + e) * vn
                self.assertAlmostEqual(run.body("ball", "velocity_x")[-1], after, delta=1e-3 * vt)
                self.assertAlmostEqual(run.body("ball", "velocity_z")[-1], e * vn, delta=1e-3 * vn)

    def test_a_spinning_bar_keeps_its_energy(self):
        run = Run(IMPACTS / "spinning_bar.prm")
        kinetic = run.statistics["kinetic_energy"]
        self.assertLess(max(abs(k / kinetic[0] - 1) for k in kinetic), 1e-12)
        along = run.statistics["momentum_x"]
        self.assertLess(max(abs(p - along[0]) for p in along), 1e-10)
        self.assertGreater(run.statistics["momentum_y"][-1], 0)


    def test_a_floor_that_swings(self):
        """What arrives at it does so where it is, not where the chord of its way is."""
        A = 0.01
        for ph in (0, 2, 5):
            for e in (0.0, 0.5):
                with self.subTest(ph=ph, e=e):
                    values = dict(A=A, w=100, h=0.1, ph=ph, step=1e-4, e=e)
                    run = Run(IMPACTS / "swinging_floor.prm", set=constants(**values))
                    self.assertGreater(min(run.body("box", "center_y")), 0.1 - 2 * A - 1e-9)
                    self.assertGreater(run.statistics["collisions"][-1], 10)

    def test_a_held_face_beside_fine_cells(self):
        for step, v in ((2e-3, 1.0), (3e-3, 3.1)):
            with self.subTest(step=step, v=v):
                run = Run(IMPACTS / "held_face.prm", set=constants(step=step, v=v, e=0.5))
                self.assertAlmostEqual(run.body("box", "velocity_y")[-1], -0.5 * v, delta=1e-6)
                self.assertAlmostEqual(run.body("box", "velocity_x")[-1], 0.1, delta=1e-6)


class FlushSlabs(unittest.TestCase):
    """What slides meets no walls where there are none."""

    def test_nodes_pass_over_nodes_at_a_seam(self):
        for angle in (0, 0.3):
            with self.subTest(angle=angle):
                run = Run(IMPACTS / "flush_slabs.prm", set=constants(angle=angle, length=1.2))
                for axis, velocity in zip("xyz", (math.cos(angle), math.sin(angle), 0)):
                    for v in run.body("block", "velocity_" + axis):
                        self.assertAlmostEqual(v, velocity, delta=1e-7)

    def test_it_slides_off_the_end(self):
        run = Run(IMPACTS / "flush_slabs.prm", set=constants(angle=0, length=0.1))
        self.assertGreater(run.body("block", "velocity_x")[-1], 0.999)
        self.assertLess(run.body("block", "center_z")[-1], 0)
        self.assertLess(run.energy_error(), 1e-6)


class NothingTouches(unittest.TestCase):
    """Things that pass beside each other, or leave each other, with the papers' methods, too."""

    def check(self, case, **settings):
        for response in ("records", "reflect"):
            for edges in ("all", "none"):
                with self.subTest(case=case, response=response, edges=edges):
                    run = Run(
                        CASES / case,
                        set={"Contact/Response": response, "Contact/Edges": edges, **settings},
                    )
                    self.assertEqual(run.statistics["collisions"][-1], 0)

    def test_passing_blocks(self):
        for clearance in (0.005, 0.04):
            self.check("passing_blocks.prm", **constants(clearance=clearance, V=0.3))

    def test_leaving_sheets(self):
        self.check("leaving_sheets.prm")


if __name__ == "__main__":
    unittest.main()
