"""Shells in contact, by penalty layers and by impulses.

Usage: KICKDRIFT=path/to/kickdrift python3 shells_in_contact.py [unittest arguments]
"""

import json
import math
import pathlib
import tempfile
import unittest

from shells import MOMENTA, SPINS, largest
from validation import CASES, NO_FIELDS, PRM, PROGRAM, Run, loaded_program

COARSE = {
    "Bodies/left/Mesh/Refinements": 2,
    "Bodies/right/Mesh/Refinements": 2,
    "Contact/Layers/Thickness": 0.025,
    "Stepping/Time step ratio": 0.25,
}


def spread(values):
    return max(values) - min(values)


class ShellBooks(unittest.TestCase):
    """What all runs with shells in contact have in common."""

    def check_books(self, run, momentum, energy):
        for column in MOMENTA:
            self.assertLess(spread(run.statistics[column]), 1e-13 * momentum)
        if run.statistics["friction_loss"][-1] == 0:  # friction acts on both sides of a gap
            for column in SPINS:
                self.assertLess(spread(run.statistics[column]), 1e-5 * momentum)
        self.assertLess(run.energy_error(), energy)
        self.assertTrue(0 < run.summary["layers"]["closest"] < 1)
        self.assertGreater(run.summary["layers"]["contacts"], 10)


    def check_bits(self, name, end, intervals, settings):
        """The same with two threads, and if half of the run is resumed."""

        def state_hash(folder, *arguments, share=1):
            command = [PROGRAM, str(PRM / f"{name}.prm"), "--output", str(folder)]
            length = {
                "Stepping/End time": share * end,
                "Output/Save intervals": round(share * intervals),
            }
            for parameter, value in {**NO_FIELDS, **settings, **length}.items():
                command += ["--set", f"{parameter}={value}"]
            done = loaded_program.run([*command[1:], *arguments])
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads((folder / "summary.json").read_text())["state_hash"]

        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            result = state_hash(folder / "whole")
            self.assertEqual(state_hash(folder / "threads", "--threads", "2"), result)
            self.assertNotEqual(state_hash(folder / "half", share=0.5), result)
            self.assertEqual(state_hash(folder / "half", "--resume"), result)


class NothingPasses(ShellBooks):
    """What is thrown or pressed together."""

    def check_nothing_passes(self, name, work, **settings):
        """No intersections, and books that close: a share of what gravity or walls have done."""
        run = Run(PRM / f"{name}.prm", arguments=["--check-intersections"], set=settings)
        self.assertIn("No intersections", run.log)
        self.assertGreater(run.summary["layers"]["contacts"], 50)
        rows = run.statistics
        deviation = max(abs(e - rows["total_energy"][0]) for e in rows["total_energy"])
        self.assertLess(deviation, 5e-3 * max(map(abs, rows[work])))
        return run


class ShellsInContact(NothingPasses):
    """Penalty layers between shells; whole cases have coarse meshes here."""

    def test_spherical_shells(self):
        case = PRM / "spherical_shells.prm"
        losses = []
        for friction in (0, 0.25, 0.5):
            run = Run(case, set={**COARSE, "Contact/Friction": friction})
            mass = 4 * math.pi * 0.0785 * 0.05
            self.check_books(run, 150 * mass, 3e-3)
            losses.append(run.statistics["friction_loss"][-1])
            # apart again; each flies as fast towards its side as the other, seen from the middle
            velocities = [run.body(name, "velocity_x")[-1] - 50 for name in ("left", "right")]
            self.assertAlmostEqual(sum(velocities), 0, delta=1e-9)
            self.assertTrue(10 < velocities[1] < 99, velocities)
        self.assertEqual(losses[0], 0)
        self.assertTrue(0 < losses[1] < losses[2], losses)

    def test_sphere_and_plate(self):
        case = PRM / "sphere_and_plate.prm"
        run = Run(
            case, set={"Bodies/sphere/Mesh/Refinements": 2, "Stepping/End time": 0.002}
        )
        mass = math.pi * 0.35**2 * 0.0785 * 0.0035
        self.check_books(run, 25 * mass, 1.5e-3)

    def test_bits(self):
        coarse = {"Bodies/sphere/Mesh/Refinements": 1}
        self.check_bits("sphere_and_plate", 2e-4, 4, coarse)

    def test_five_cubes(self):
        run = Run(PRM / "five_cubes_shells.prm")
        self.check_books(run, 4 * 30 * 6 * 0.7085 * 0.05, 1e-2)
        self.assertGreater(run.body("single", "velocity_z")[-1], 20)  # from -30

    def test_weight(self):
        case = CASES / "stacked_sheets.prm"
        runs = [Run(case)]
        runs.append(Run(case, set={"Constants": "h = 0.05, g = 0.01, up = -1"}))
        weight = 0.01 * 0.05
        for run in runs:
            forces = {
                (first, second): force
                for first, second, force in zip(
                    run.contact["first"], run.contact["second"], run.contact["force_z"]
                )
            }
            self.assertAlmostEqual(forces["lower", "floor"] / (1.36 * weight), 1, delta=1e-4)
            self.assertAlmostEqual(forces["lower", "upper"] / (-0.36 * weight), 1, delta=1e-4)
            self.assertLess(run.energy_error(), 1e-2)
        for name in ("lower", "upper"):
            # how far they rest in their layers follows from the speed of their last bounces
            heights = [run.body(name, "center_z")[-1] for run in runs]
            self.assertAlmostEqual(*heights, delta=5e-3 * 0.05)

    def test_crushed_sphere(self):
        run = Run(
            PRM / "crushed_sphere.prm",
            set={"Bodies/sphere/Mesh/Refinements": 2, "Stepping/Time step ratio": 0.25},
        )
        rows = run.statistics
        work = rows["prescribed_work"]
        for kinetic, strain, layers, done in zip(
            rows["kinetic_energy"], rows["strain_energy"], rows["layer_energy"], work
        ):
            self.assertLess(abs(kinetic + strain + layers - done), 3e-3 * work[-1])
        own = [n for first, second, n in zip(run.contact["first"], run.contact["second"],
                                             run.contact["collisions"])
               if first == second == "sphere"]
        self.assertGreater(max(own), 0)  # its poles meet
        self.assertLess(run.summary["layers"]["closest"], 1)

    def test_draping(self):
        run = self.check_nothing_passes(
            "draping", "external_work", Constants="n = 12, h = 0.005, T = 0.4, g = 10, a = 0.9"
        )
        self.assertEqual(run.statistics["prescribed_work"][-1], 0)
        # it has come down, and not by falling freely
        fallen = run.body("sheet", "center_z")[0] - run.body("sheet", "center_z")[-1]
        self.assertGreater(fallen, 0.1)
        self.assertLess(fallen, 0.6 * 0.5 * 10 * 0.4**2)

    def test_sphere_and_wedge(self):
        run = Run(PRM / "sphere_and_wedge.prm", set={"Bodies/sphere/Mesh/Refinements": 2})
        rows = run.statistics
        self.assertLess(run.energy_error(), 3e-3)
        energy = rows["kinetic_energy"][0]
        self.assertGreater(max(rows["strain_energy"]), 0.8 * energy)
        self.assertGreater(rows["momentum_z"][-1], 0.5 * -rows["momentum_z"][0])
        self.assertLess(abs(run.body("sphere", "center_x")[-1]), 0.02)

    def test_compactor(self):
        self.check_nothing_passes(
            "compactor", "prescribed_work", **{
                "Bodies/sphere/Mesh/Refinements": 1, "Stepping/End time": 0.14,
                "Contact/Layers/Thickness": 0.015,
            }
        )


class ShellsByImpulses(ShellBooks):
    """Shells that touch by impulses, at their thickness."""

    def test_five_cubes(self):
        """Ridges and corners of boxes, which nobody is to enter."""
        momentum = 4 * 30 * 6 * 0.7085 * 0.05
        run = Run(
            PRM / "five_cubes_shells.prm",
            arguments=["--check-intersections"],
            set={
                "Contact/Response": "records",
                "Stepping/End time": 0.025,
                "Stepping/Class boundaries": "plain",
            },
        )
        self.assertIn("No intersections", run.log)
        for column in MOMENTA:
            self.assertLess(spread(run.statistics[column]), 1e-12 * momentum)
        self.assertLess(run.energy_error(), 2e-3)
        self.assertGreater(run.body("single", "velocity_z")[-1], 0)  # from -30

    def test_bits(self):
        """What is remembered about contacts goes into checkpoints."""
        self.check_bits("five_cubes_shells", 0.008, 8, {"Contact/Response": "records"})

    def weigh(self, **settings):
        """Sheets that come to rest on a floor; forces at the end by pair, in weights of the lower."""
        run = Run(
            CASES / "stacked_sheets.prm", set={"Contact/Response": "records", **settings}
        )
        forces = {}
        for first, second, force in zip(
            run.contact["first"], run.contact["second"], run.contact["force_z"]
        ):
            forces.setdefault((first, second), []).append(force / (0.01 * 0.05))
        # the sheets still tremble a little
        return run, {pair: sum(values[-10:]) / 10 for pair, values in forces.items()}

    def test_excluded(self):
        """Sheets that do not touch lie in each other, each on the floor."""
        run, forces = self.weigh(**{"Contact/Exclude": "lower:upper"})
        self.assertAlmostEqual(forces["lower", "floor"], 1, delta=5e-3)
        self.assertAlmostEqual(forces["upper", "floor"], 0.36, delta=5e-3)
        self.assertNotIn(("lower", "upper"), forces)
        for name in ("lower", "upper"):
            self.assertAlmostEqual(run.body(name, "center_z")[-1], 0.025, delta=1e-4)

    def test_lifted(self):
        """The floor rises under the sheets: it bears their weight and their drag, damping is 1."""
        speed = 1e-3
        run, forces = self.weigh(**{"Obstacles/floor/Displacement": f"0; 0; {speed}*t"})
        drag = 1 + speed / 0.01
        self.assertAlmostEqual(forces["lower", "floor"] / drag, 1.36, delta=7e-3)
        self.assertAlmostEqual(forces["lower", "upper"] / drag, -0.36, delta=2e-3)
        self.assertAlmostEqual(run.body("upper", "center_z")[-1], 0.075 + 60 * speed, delta=1e-4)
        times, work = run.statistics["time"], run.statistics["prescribed_work"]
        half = len(times) // 2
        power = (work[-1] - work[half]) / (times[-1] - times[half])
        self.assertAlmostEqual(power / (1.36 * drag * 0.01 * 0.05 * speed), 1, delta=0.02)

    def test_friction(self):
        """Gravity leans from t = 30 on: by less than friction, then by more."""
        for lean, friction in ((0.1, 0.2), (0.3, 0.2)):
            run, _ = self.weigh(
                **{
                    "Contact/Friction": friction,
                    "Loads/gravity/Value": f"t < 30 ? 0 : {lean}*g; 0; -g",
                }
            )
            # against a drag of one times the velocity; what is between the sheets may slide or stick
            expected = 0.01 * max(0, lean - friction) * (30 - 1)
            ways = [
                run.body(name, "center_x")[-1] - run.body(name, "center_x")[0]
                for name in ("lower", "upper")
            ]
            way = (ways[0] + 0.36 * ways[1]) / 1.36
            self.assertAlmostEqual(way, expected, delta=5e-4, msg=f"{lean}")

    def test_spherical_shells(self):
        coarse = {
            "Bodies/left/Mesh/Refinements": 2,
            "Bodies/right/Mesh/Refinements": 2,
            "Stepping/Time step ratio": 0.25,
            "Stepping/End time": 0.006,
        }
        mass = 4 * math.pi * 0.0785 * 0.05
        run = Run(PRM / "spherical_shells_impulses.prm", set=coarse)
        for column in MOMENTA:
            self.assertLess(spread(run.statistics[column]), 1e-12 * 150 * mass)
        self.assertLess(run.energy_error(), 5e-3)
        self.assertGreater(run.summary["kicks"]["collisions"], 100)
        velocities = [run.body(name, "velocity_x")[-1] - 50 for name in ("left", "right")]
        self.assertAlmostEqual(sum(velocities), 0, delta=1e-9)
        self.assertLess(velocities[0], 95)  # from 100

    def test_weight(self):
        for up in (1, -1):
            run, forces = self.weigh(Constants=f"h = 0.05, g = 0.01, up = {up}")
            self.assertAlmostEqual(forces["lower", "floor"], 1.36, delta=7e-3)
            self.assertAlmostEqual(forces["lower", "upper"], -0.36, delta=2e-3)
            self.assertAlmostEqual(run.body("lower", "center_z")[-1], 0.025, delta=1e-4)
            self.assertAlmostEqual(run.body("upper", "center_z")[-1], 0.075, delta=1e-4)


class ShellsMoved(unittest.TestCase):
    """Two spheres: it does not matter where they are, how they are turned, and which comes first."""

    def test_spherical_shells(self):
        axes = (
            (0.36, 0.48, -0.8),
            (-0.8, 0.6, 0),
            (0.48, 0.64, 0.6),
        )  # rows of a rotation
        shift = (300, -200, 500)
        place = [
            " + ".join(f"({a})*{x}" for a, x in zip(row, "xyz")) + f" + ({s})"
            for row, s in zip(axes, shift)
        ]
        # such coarse dents snap: by impulses velocities differ by 0.1 to 3 per cent, by rounding
        # alone, for any ratio
        for name, share in (("spherical_shells", 2e-3), ("spherical_shells_impulses", 6e-2)):
            case = PRM / f"{name}.prm"
            coarse = {
                **COARSE,
                "Stepping/End time": 0.004,
                "Output/Save intervals": 10,
            }
            moved = dict(coarse)
            for body, speed in (("left", 150), ("right", -50)):
                moved[f"Bodies/{body}/Mesh/Map"] = "; ".join(place)
                moved[f"Bodies/{body}/Initial velocity"] = "; ".join(
                    f"{speed}*({row[0]})" for row in axes
                )
            plain, turned = Run(case, set=coarse), Run(case, set=moved)
            swapped = Run(case, set={**coarse, "Bodies/Names": "right, left"})
            for body in ("left", "right"):
                velocity = [
                    [run.body(body, f"velocity_{c}")[-1] for c in "xyz"]
                    for run in (plain, turned, swapped)
                ]
                velocity[1] = [
                    sum(axes[i][d] * velocity[1][i] for i in range(3)) for d in range(3)
                ]
                # of contacts at one time rounding says which is the first
                for other in velocity[1:]:
                    for a, b in zip(other, velocity[0]):
                        self.assertAlmostEqual(a, b, delta=share * 100, msg=f"{name} {body}")


class SlowShellsInContact(NothingPasses):
    """The cases as they are, and whether anything passes through anything while spheres dent."""

    def test_seventy_six_cubes(self):
        run = Run(PRM / "seventy_six_cubes_shells.prm")
        self.check_books(run, 76 * 30 * 6 * 0.7085 * 0.05, 1e-3)
        # the blow has run through the block, and what was hit first gives way
        self.assertGreater(run.body("single", "velocity_z")[-1], 0)  # from -30
        self.assertLess(run.summary["layers"]["closest"], 1)

    def test_cases(self):
        for name, mass, speed, energy in (
            ("spherical_shells", 4 * math.pi * 0.0785 * 0.05, 150, 3e-3),
            ("sphere_and_plate", math.pi * 0.35**2 * 0.0785 * 0.0035, 25, 1.5e-3),
        ):
            self.check_books(Run(PRM / f"{name}.prm"), speed * mass, energy)

    def test_impulses_keep_the_energy(self):
        run = Run(PRM / "sphere_and_plate.prm", set={"Contact/Response": "records"})
        self.assertLess(run.energy_error(), 1e-3)

    def test_compactor(self):
        self.check_nothing_passes("compactor", "prescribed_work")

    def test_nothing_passes(self):
        run = Run(
            PRM / "spherical_shells.prm",
            arguments=["--check-intersections"],
            set={**COARSE, "Stepping/Time step ratio": 0.5, "Stepping/End time": 0.002},
        )
        self.assertIn("No intersections", run.log)
        self.assertGreater(run.summary["layers"]["contacts"], 10)


if __name__ == "__main__":
    unittest.main()
