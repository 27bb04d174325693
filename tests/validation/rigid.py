"""Rigid bodies: free, sliding, sticking and bouncing, beside closed forms and deformable ones.

Usage: KICKDRIFT=path/to/kickdrift python3 rigid.py [unittest arguments]
"""

import math
import unittest

from validation import PRM, Run


class RigidStickSlip(unittest.TestCase):
    """A block that is pushed to and fro on a floor with friction."""

    STOPS, STARTS, STOPS_AGAIN = 0.33861, 2.94635, 3.53283
    FORWARD, BACK = 4.3486e-3, 1.30457e-2

    def check(self, axis="x", **settings):
        run = Run(PRM / "rigid_block_stick_slip.prm", set=settings)
        times, x = run.body("block", "time"), run.body("block", f"center_{axis}")
        at = lambda t: x[min(range(len(times)), key=lambda i: abs(times[i] - t))] - x[0]
        self.assertAlmostEqual(at(self.STOPS + 0.05), self.FORWARD, delta=0.02 * self.FORWARD)
        self.assertAlmostEqual(at(3.6), self.FORWARD - self.BACK, delta=0.02 * self.BACK)
        # when it moves no more, and when it begins to move again
        moves = lambda a, b: abs(a - b) > 1e-3 * self.FORWARD
        rest = [t for t, a in zip(times, x) if not moves(a - x[0], at(1.5))]
        self.assertAlmostEqual(rest[0], self.STOPS, delta=0.02 * self.STOPS)
        self.assertAlmostEqual(rest[-1], self.STARTS, delta=0.02 * self.STARTS)
        end = [t for t, a in zip(times, x) if moves(a - x[0], at(3.6))]
        self.assertAlmostEqual(end[-1], self.STOPS_AGAIN, delta=0.02 * self.STOPS_AGAIN)
        creep = abs(at(self.STARTS - 0.05) - at(self.STOPS + 0.05))
        self.assertLess(creep, 1e-3 * self.FORWARD)
        return run

    def test_slips_and_sticks(self):
        run = self.check()
        for name in "yz":
            x = run.body("block", f"center_{name}")
            self.assertLess(max(abs(a - x[0]) for a in x), 1e-5)
        self.assertLess(run.energy_error(), 0.01)

    def test_along_the_other_axis(self):
        self.check(axis="y", **{"Loads/push/Value": "0; 8*cos(t); 0", "Output/Save intervals": 720})

    def test_same_bits_with_threads(self):
        settings = {"Stepping/End time": 0.2, "Output/Save intervals": 20}
        one, two = (
            Run(
                PRM / "rigid_block_stick_slip.prm",
                set={**settings, "Stepping/Threads": n, "Bodies/block/Mesh/Subdivisions": "3, 3, 1"},
            )
            for n in (1, 2)
        )
        self.assertEqual(one.bodies, two.bodies)


class RigidBall(unittest.TestCase):
    """A ball that bounces until it rests."""

    E, H, G = 0.8, 1.0, 9.81

    def heights(self, run):
        y = run.body("ball", "center_y")
        return [a - y[0] + self.H for a in y]

    def tops(self, run):
        z = self.heights(run)
        return [b for a, b, c in zip(z, z[1:], z[2:]) if a < b >= c and b > 0.02]

    def check(self, **settings):
        run = Run(PRM / "bouncing_rigid_ball.prm", set=settings)
        tops = self.tops(run)
        self.assertGreater(len(tops), 5)
        for n, top in enumerate(tops):
            exact = self.H * self.E ** (2 * (n + 1))
            self.assertAlmostEqual(top, exact, delta=0.001 * exact)
        return run

    def test_bounces_and_rests(self):
        run = self.check()
        # a corner of the side that it lands on is hit with 140 kg m/s at 0.0098 m
        self.assertLess(max(map(abs, run.statistics["angular_momentum_z"])), 0.01)
        exact = math.sqrt(2 * self.H / self.G) * (1 + self.E) / (1 - self.E)
        times, z = run.body("ball", "time"), self.heights(run)
        moving = [t for t, a in zip(times, z) if abs(a) > 1e-3]
        self.assertAlmostEqual(moving[-1], exact, delta=0.05 * exact)
        self.assertLess(run.penetration(), 2e-4)
        self.assertLess(run.energy_error(), 0.01)


class FreeTop(unittest.TestCase):
    """A box that spins about its middle axis."""

    def test_turns_over_and_keeps_what_it_has(self):
        run = Run(PRM / "free_top.prm")
        kinetic = run.statistics["kinetic_energy"]
        self.assertLess(max(abs(k / kinetic[0] - 1) for k in kinetic), 1e-13)
        for quantity in ("momentum", "angular_momentum"):
            for axis in "xyz":
                values = run.statistics[f"{quantity}_{axis}"]
                # the centre has come 40 far
                self.assertLess(max(abs(v - values[0]) for v in values), 2e-12)
        # the end of the middle axis points to the other side
        y = [
            1 + u - (c - 0)
            for u, c in zip(run.probes["end_displacement_y"], run.body("box", "center_y"))
        ]
        self.assertLess(min(y), -0.9)
        self.assertGreater(max(y[100:]), 0.9)


class RigidIncline(unittest.TestCase):
    """A block of any size slides down with the same acceleration."""

    def test_slides(self):
        exact = 9.81 * (math.sin(math.pi / 6) - 0.3 * math.cos(math.pi / 6))
        for size in (1, 0.1):
            with self.subTest(size=size):
                run = Run(
                    PRM / "rigid_block_on_incline.prm",
                    set={"Constants": f"size = {size}, angle = pi/6, g = 9.81"},
                )
                x, y = (run.body("block", f"center_{a}") for a in "xy")
                way = math.hypot(x[-1] - x[0], y[-1] - y[0])
                self.assertAlmostEqual(way, 0.5 * exact, delta=5e-3 * 0.5 * exact)
                self.assertAlmostEqual((y[-1] - y[0]) / (x[-1] - x[0]), -math.tan(math.pi / 6), delta=1e-4)

    def test_sticks_on_a_gentle_slope(self):
        run = Run(
            PRM / "rigid_block_on_incline.prm",
            set={"Constants": "size = 1, angle = 0.28, g = 9.81"},
        )
        x = run.body("block", "center_x")
        self.assertLess(max(abs(a - x[0]) for a in x), 1e-5)


class BentStrip(unittest.TestCase):
    """A driven punch bends a strip, which springs back."""

    LENGTH, HEIGHT, DEPTH, T = 80, 4, 4, 1.5
    E, NU, YIELD = 210, 0.3, 0.3
    COLLAPSE = 4 / LENGTH * 2 / math.sqrt(3) * YIELD * HEIGHT**2 / 4
    STIFFNESS = 48 * E / (1 - NU**2) * HEIGHT**3 / 12 / LENGTH**3

    def test_force_and_springback(self):
        run = Run(PRM / "bent_strip.prm")
        time = run.reactions["time"]
        mean = lambda values, begin, end: (
            lambda some: sum(some) / len(some)
        )([value for t, value in zip(time, values) if begin < t <= end])
        force = [-value for value in run.reactions["punch_force_y"]]
        down = mean(force, 0.7 * self.T, 1.5 * self.T)
        self.assertAlmostEqual(down, self.COLLAPSE, delta=0.1 * self.COLLAPSE)
        # the contact takes the same, since the punch has next to no mass
        pairs = [
            (t, y)
            for t, first, second, y in zip(
                *(run.contact[name] for name in ("time", "first", "second", "impulse_y"))
            )
            if "punch" in (first, second)
        ]
        impulse = abs(pairs[-1][1])
        self.assertAlmostEqual(abs(run.reactions["punch_impulse_y"][-1]), impulse, delta=1e-4 * impulse)
        bow = [
            (left + right) / 2 - middle
            for middle, left, right in zip(
                *(run.probes[f"{p}_displacement_y"] for p in ("middle", "left", "right"))
            )
        ]
        held = mean(bow, 1.2 * self.T, 1.5 * self.T)
        self.assertAlmostEqual(held, self.DEPTH, delta=0.02 * self.DEPTH)
        # it swings with a period of about 0.7
        springback = held - mean(bow, 2.5 * self.T, 3.5 * self.T)
        at_the_end = mean(force, 1.2 * self.T, 1.5 * self.T)
        exact = at_the_end / self.STIFFNESS
        self.assertAlmostEqual(springback, exact, delta=0.1 * exact)

        # what the punch has done is plastic work, and a little that the strip stores
        work = run.statistics["prescribed_work"][-1]
        stored = run.statistics["strain_energy"][-1] + run.statistics["kinetic_energy"][-1]
        self.assertGreater(run.statistics["plastic_work"][-1], 0.9 * work)
        self.assertLess(stored, 0.05 * work)
        self.assertLess(run.energy_error(), 2e-3)
        self.assertLess(run.penetration(), 0.01)


if __name__ == "__main__":
    unittest.main()
