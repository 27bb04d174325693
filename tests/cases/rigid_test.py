"""Rigid bodies in the program: what is reported, refused and resumed.

Usage: KICKDRIFT=path/to/kickdrift python3 rigid_test.py [unittest arguments]
"""

import unittest

from program_test import PRM, SMALL, ProgramTest, summary
from resume_test import ResumeTest

RIGID = {"Bodies/left/Rigid": "true"}


class Rigid(ProgramTest):
    """Beside a body that deforms."""

    def test_is_reported(self):
        settings = {**RIGID, "Bodies/left/Mesh/Map": "x; y", "Bodies/left/Rigid mass": "3*n"}
        done, output = self.run_case(SMALL, settings)
        self.assertIn(
            "rigid, mass 12, centre (-0.5, 0.5), moment of inertia 2", done.stdout + done.stderr
        )
        (body,) = summary(output)["rigid_bodies"]
        self.assertEqual((body["body"], body["mass"]), ("left", 12))
        self.assertAlmostEqual(body["inertia"][0], 2, delta=1e-12)
        self.assertGreater(summary(output)["kicks"]["collisions"], 0)

    def test_threads_do_not_matter(self):
        hashes = [
            summary(self.run_case(SMALL, {**RIGID, "Stepping/Threads": n})[1])["state_hash"]
            for n in (1, 2)
        ]
        self.assertEqual(*hashes)

    def test_refused(self):
        left = "Bodies/left/"
        for settings, texts in (
            ({left + "Damping": 1}, ["Damping", "left"]),
            ({left + "Linear bulk viscosity": 0.1}, ["viscosity", "left"]),
            ({left + "Rigid mass": -1}, ["Rigid mass", "-1"]),
            ({left + "Rigid inertia": "1, 2"}, ["Rigid inertia", "one number"]),
            ({left + "Initial velocity": "x*x; 0"}, ["velocity", "left", "rigid"]),
            ({left + "Initial displacement": "0.1*x; 0"}, ["displacement", "left", "rigid"]),
            ({"Mass scaling/Critical step": 1}, ["Mass scaling", "left", "rigid"]),
            ({"Stepping/Clocks": "per cell"}, ["Rigid", "per cell"]),
            ({"Stepping/Quiet start": 1e-9}, ["Quiet start", "left", "rigid"]),
            ({"Sections/Names": "cut", "Sections/cut/Point": "-0.3, 0"}, ["Sections/cut", "left", "rigid"]),
            (
                {"Point masses/Names": "m", "Point masses/m/Mass": 1, "Point masses/m/Body": "left"},
                ["Point masses/m", "left", "Rigid mass"],
            ),
            (
                {
                    left + "Rigid mass": 1,
                    "Springs/Names": "s",
                    "Springs/s/Body": "left",
                    "Springs/s/Point": "-0.5, 0.5",
                    "Springs/s/Other point": "-0.5, 3",
                    "Springs/s/Stiffness": 1,
                },
                ["Springs/s", "left", "Density"],
            ),
            ({left + "Initial velocity": "100*(0.5 - y); 100*(x + 0.5)"}, ["left", "angle", "critical"]),
            (
                {"Contact/Solver": "coupled", "Contact/Schedule": "synchronous", "Stepping/Clocks": "one"},
                ["left", "coupled"],
            ),
        ):
            with self.subTest(settings=settings):
                self.assert_refused({**RIGID, **settings}, *texts)
        self.assert_refused({left + "Rigid mass": 1}, "Rigid mass", "Rigid' = true")
        # of six numbers that are no moments of inertia
        settings = {"Bodies/box/Rigid inertia": "1, 1, 3"}
        self.assert_refused(settings, "Bodies/box/Rigid inertia", "one is 3", file=PRM / "free_top.prm")

    def test_restraints_are_refused(self):
        settings = {
            **RIGID,
            "Restraints/Names": "hold",
            "Restraints/hold/Body": "left",
            "Restraints/hold/Boundary ids": 0,
        }
        self.assert_refused(settings, "left", "restraint")


class RigidResumed(ResumeTest):
    """A run that goes on from a checkpoint is the one that was not interrupted."""

    def check(self, case, first, last, **settings):
        def with_end(end, intervals):
            return {"Stepping/End time": end, "Output/Save intervals": intervals, **settings}

        output, reference = self.new_folder(), self.new_folder()
        self.run_case(case, with_end(first, 16), output, "--quiet")
        done = self.run_case(case, with_end(last, 16), output, "--resume")
        self.assertIn("Continues from", done.stdout)
        self.run_case(case, with_end(last, 32), reference, "--quiet")
        self.assert_same(output, reference)

    def test_goes_on(self):
        self.check(PRM / "free_top.prm", 4, 8, **{"Output/VTU every": 10})
        self.check(PRM / "rigid_block_stick_slip.prm", 0.25, 0.5)
        self.check(PRM / "bouncing_rigid_ball.prm", 0.5, 1)


if __name__ == "__main__":
    unittest.main()
