"""Models such as people have, with meshes as mesh generators make them.

Usage: KICKDRIFT=path/to/kickdrift python3 practice.py [unittest arguments]
"""

import math
import shutil
import subprocess
import tempfile
import unittest

from validation import PRM, Run


def nodes_of_mesh(path):
    """Coordinates of the nodes of a file as Gmsh writes it (format 2)."""
    lines = path.read_text().splitlines()
    begin = lines.index("$Nodes") + 2
    n_nodes = int(lines[begin - 1])
    return [tuple(map(float, line.split()[1:])) for line in lines[begin : begin + n_nodes]]


class DropTest(unittest.TestCase):
    """A housing with thin walls falls on its corner with 5 m/s."""

    SPEED, TILT = 5000, (0.6, 0.45)

    def height(self, point):
        x, y, z = point
        a, b = self.TILT
        return math.sin(b) * x + math.cos(b) * (math.sin(a) * y + math.cos(a) * z) + 0.05

    def test_lands_when_and_where_it_must(self):
        run = Run(PRM / "drop_test.prm")
        time = min(map(self.height, nodes_of_mesh(PRM / "housing.msh"))) / self.SPEED
        impulse = run.contact["impulse_z"]
        touched = next(t for t, value in zip(run.contact["time"], impulse) if value != 0)
        interval = run.contact["time"][1] - run.contact["time"][0]
        self.assertGreaterEqual(touched, time)
        self.assertLess(touched, time + 1.001 * interval)

        # what the floor gives is what the housing gets, and it turns round
        momentum = run.statistics["momentum_z"]
        self.assertAlmostEqual(
            momentum[-1] - momentum[0], abs(impulse[-1]), delta=1e-9 * abs(momentum[0])
        )
        self.assertGreater(momentum[-1], 0.5 * momentum[0])
        self.assertLess(run.energy_error(), 1e-3)
        self.assertLess(run.penetration(), 0.01)

    def test_walls_that_never_meet_are_hardly_looked_at(self):
        """Both sides of every wall look at each other, in a distance of less than a cell."""
        run = Run(PRM / "drop_test.prm", set={"Stepping/End time": 3e-4})
        n_steps = 3e-4 / run.summary["critical_step_min"]
        tests = run.summary["kicks"]["collision_tests"]
        self.assertLess(tests, 0.05 * n_steps * len(nodes_of_mesh(PRM / "housing.msh")))


def at(times, values, time):
    """The value at the last save time that is not after this one."""
    return [value for t, value in zip(times, values) if t <= time * (1 + 1e-9)][-1]


class SlowRubberMount(unittest.TestCase):
    """A block of rubber between steel plates is pressed, and let go against a stop."""

    def test_statics_and_momentum(self):
        run = Run(PRM / "rubber_mount.prm")
        reaction = run.reactions["base_impulse_z"]
        times = run.reactions["time"]
        mean = (at(times, reaction, 9e-3) - at(times, reaction, 8.5e-3)) / 5e-4
        self.assertAlmostEqual(mean, 400, delta=20)
        # between two formulas for bonded blocks, of which one is for tall and one for flat ones
        shorter = -at(run.probes["time"], run.probes["top_displacement_z"], 9e-3) / 60
        stretch = 1 - shorter
        stress = 2 / 3 * (stretch**-2 - stretch)  # without the plates
        self.assertLess(stress * (1 + 2.25 / 36) / 0.25, 1.02)
        self.assertGreater(stress * (1.2 + 2.25 / 36) / 0.25, 0.98)
        # it hits the stop after it is let go, and not before
        stop = [t for t, value in zip(run.contact["time"], run.contact["impulse_z"]) if value != 0]
        self.assertGreater(min(stop), 9e-3)
        self.assertLess(min(stop), 1.3e-2)
        self.assertLess(run.energy_error(), 5e-3)


class SlowBallOnPlate(unittest.TestCase):
    """A ball hits a plate: Hertz's contact law and Zener's plate."""

    R, H, SPEED = 5, 5, 1000
    BALL, PLATE = (210000, 0.3, 7.8e-9), (70000, 0.23, 2.5e-9)

    def zener(self):
        """Largest force and speed of rebound, by Heun's method."""
        compliance = sum((1 - nu**2) / e for e, nu, _ in (self.BALL, self.PLATE))
        k = 4 / 3 / compliance * math.sqrt(self.R)
        mass = 4 / 3 * math.pi * self.R**3 * self.BALL[2]
        e, nu, density = self.PLATE
        impedance = 8 * math.sqrt(e * self.H**3 / 12 / (1 - nu**2) * density * self.H)
        force = lambda y: k * max(y[0] - y[2], 0) ** 1.5
        rate = lambda y: (y[1], -force(y) / mass, force(y) / impedance)
        y, h, largest = (0.0, self.SPEED, 0.0), 1e-8, 0
        while y[1] > 0 or force(y) > 0:
            a = rate(y)
            b = rate([value + h * slope for value, slope in zip(y, a)])
            y = [value + h / 2 * (p + q) for value, p, q in zip(y, a, b)]
            largest = max(largest, force(y))
        return largest, -y[1]

    def test_force_and_rebound(self):
        run = Run(PRM / "ball_on_plate.prm")
        force, rebound = self.zener()
        self.assertAlmostEqual(run.body("ball", "velocity_z")[-1], rebound, delta=0.02 * rebound)
        times, impulse = run.contact["time"], run.contact["impulse_z"]
        n = 4
        means = [
            abs(impulse[i + n] - impulse[i]) / (times[i + n] - times[i])
            for i in range(len(times) - n)
        ]
        self.assertAlmostEqual(max(means), force, delta=0.03 * force)
        self.assertLess(run.energy_error(), 5e-3)


class SlowRackAndPinion(unittest.TestCase):
    """A pinion drives a rack against a load."""

    def test_forces_and_motion(self):
        if shutil.which("gmsh") is None:
            self.skipTest("there is no gmsh to make the meshes")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        meshes = {}
        for name in ("pinion", "rack"):
            mesh = f"{folder.name}/{name}.msh"
            command = ["gmsh", "-2", str(PRM / f"{name}.geo"), "-o", mesh, "-v", "1"]
            subprocess.run(command, check=True)
            meshes[f"Bodies/{name}/Mesh/File"] = mesh
        run = Run(PRM / "rack_and_pinion.prm", set=meshes)
        times = run.contact["time"]
        pair = lambda axis, t: at(times, run.contact[f"impulse_{axis}"], t)
        along, across = (pair(axis, 5e-4) - pair(axis, 3e-4) for axis in "xy")
        self.assertAlmostEqual(abs(across / along), math.tan(math.radians(20)), delta=0.01)
        # also while teeth come into contact and leave it: none digs in with its tip
        for end in (6e-4, 7e-4, 8e-4, 9e-4, 1e-3, 1.1e-3, 1.2e-3, 1.3e-3, 1.4e-3, 1.5e-3):
            along, across = (pair(axis, end) - pair(axis, end - 1e-4) for axis in "xy")
            self.assertAlmostEqual(abs(across / along), math.tan(math.radians(20)), delta=0.02)
        # then it goes as far as the pitch circle turns, but for the compliance of the teeth
        way = 2500 * (1.5e-3 - 5e-4 - 3e-4)
        self.assertAlmostEqual(run.probes["rack_displacement_x"][-1], way, delta=0.1 * way)
        self.assertLess(run.energy_error(), 5e-3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
