"""Models such as people have, with meshes as mesh generators make them.

Usage: KICKDRIFT=path/to/kickdrift python3 practice.py [unittest arguments]
"""

import math
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
