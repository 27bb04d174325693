"""What must not change an answer: units, the order of bodies, where things are and how they are
turned, and, within the tolerance of the case, the clocks.

Usage: KICKDRIFT=path/to/kickdrift python3 symmetries.py [unittest arguments]
"""

import unittest

from validation import CASES, PRM, Run

ROLLING = PRM / "rolling_block.prm"


def rolling_block(length=1.0, mass=1.0, time=1.0):
    """The soft block that rolls, in other units."""
    density = mass / length**3
    stress = mass / length / time**2
    vector = lambda *x: ", ".join(repr(a * length) for a in x)
    settings = {"Stepping/End time": 3 * time}
    for body, lower, upper, modulus in (
        ("block", (0, 0, 0), (1, 1, 1), 10),
        ("floor", (-1, -0.5, -0.2), (4, 1.5, 0), 100),
    ):
        settings[f"Bodies/{body}/Mesh/Lower corner"] = vector(*lower)
        settings[f"Bodies/{body}/Mesh/Upper corner"] = vector(*upper)
        settings[f"Bodies/{body}/Material/Density"] = repr(density)
        settings[f"Bodies/{body}/Material/Young's modulus"] = repr(modulus * stress)
    settings["Bodies/block/Initial velocity"] = f"{length / time!r}; 0; 0"
    settings["Loads/gravity/Value"] = f"0; 0; {-length / time**2!r}"
    return settings


class Units(unittest.TestCase):
    """Nothing in the program knows how long a metre is."""

    def test_powers_of_two_change_nothing(self):
        plain = Run(ROLLING)
        for exponents in ((20, 0, 0), (-20, 0, 0), (0, 20, 0), (0, -20, 0), (0, 0, 20), (20, 20, -20)):
            with self.subTest(exponents=exponents):
                length, mass, time = (2.0**e for e in exponents)
                other = Run(ROLLING, set=rolling_block(length, mass, time))
                self.assertEqual(
                    other.statistics["collisions"][-1], plain.statistics["collisions"][-1]
                )
                for column, unit in (
                    ("center_x", length),
                    ("center_z", length),
                    ("velocity_x", length / time),
                ):
                    for a, b in zip(other.body("block", column), plain.body("block", column)):
                        self.assertAlmostEqual(a / unit, b, delta=1e-9)

    def test_powers_of_ten_change_little(self):
        plain = Run(ROLLING)
        for length, mass in ((1e-6, 1.0), (1e6, 1.0), (1.0, 1e-6)):
            with self.subTest(length=length, mass=mass):
                other = Run(ROLLING, set=rolling_block(length, mass))
                # rounding differs, and chatter magnifies it
                self.assertAlmostEqual(
                    other.body("block", "center_x")[-1] / length,
                    plain.body("block", "center_x")[-1],
                    delta=0.02,
                )


class Order(unittest.TestCase):
    """It does not matter which body comes first, and hardly which clocks there are."""

    def test_swapped(self):
        plain = Run(ROLLING)
        swapped = Run(ROLLING, set={"Bodies/Names": "floor, block"})
        self.assertAlmostEqual(
            swapped.body("block", "center_x")[-1], plain.body("block", "center_x")[-1], delta=0.02
        )

    def test_synchronous_and_asynchronous_agree(self):
        nested = Run(ROLLING)
        one = Run(ROLLING, set={"Stepping/Clocks": "one"})
        for axis in "xz":
            self.assertAlmostEqual(
                one.body("block", "center_" + axis)[-1],
                nested.body("block", "center_" + axis)[-1],
                delta=0.03,
            )


class Mirror(unittest.TestCase):
    """What is its own mirror image stays that."""

    def test_balls_that_meet_with_a_node_return_on_their_line(self):
        for refinements, boundaries, tolerance in (
            (2, "plain", 1e-10),
            (2, "filtered", 1e-10),
            # the next ring of nodes meets in pairs, each along the normal of one of the two
            (3, "filtered", 2e-2),
        ):
            balls = {f"Bodies/{name}/Mesh/Refinements": refinements for name in ("left", "right")}
            balls["Stepping/Class boundaries"] = boundaries
            with self.subTest(refinements=refinements, boundaries=boundaries):
                run = Run(CASES / "two_balls.prm", set=balls)
                for name, side in (("left", -1), ("right", 1)):
                    self.assertGreater(side * run.body(name, "velocity_x")[-1], 0.09)
                    for axis in "yz":
                        sideways = run.body(name, "velocity_" + axis)
                        self.assertLess(max(map(abs, sideways)), tolerance * 0.1)
                self.assertLess(run.energy_error(), 0.04)

    def test_a_block_does_not_drift_in_a_funnel(self):
        run = Run(CASES / "funnel.prm")
        self.assertGreater(run.statistics["collisions"][-1], 100)
        times, sideways = run.body("block", "time"), run.body("block", "velocity_x")
        # it comes with 0.9, and is in the air between these; later what rounding has begun has grown
        self.assertLess(max(abs(v) for t, v in zip(times, sideways) if 1.15 < t < 2), 1e-3)
        centre = run.body("block", "center_x")
        self.assertLess(max(abs(x) for t, x in zip(times, centre) if t < 2), 1e-3)


if __name__ == "__main__":
    unittest.main()
