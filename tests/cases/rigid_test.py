"""Rigid bodies in the program: what is reported, refused and resumed.

Usage: KICKDRIFT=path/to/kickdrift python3 rigid_test.py [unittest arguments]
"""

import math
import unittest

from loads_test import BLOCK
from program_test import HERE, PRM, SMALL, ProgramTest, column, rows, summary
from resume_test import ResumeTest

RIGID = {"Bodies/left/Rigid": "true"}
PADDLE = HERE / "prm" / "paddle.prm"


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

    def test_centres_of_copies(self):
        settings = {**RIGID, "Bodies/left/Mesh/Map": "x; y", "Bodies/left/Copies": "1, 2",
                    "Bodies/left/Spacing": "0, 3", "Bodies/left/Rigid centre": "-0.25, 0.5",
                    "Bodies/left/Rigid inertia": 2, "Probes/tip/Body": "right", "Stepping/End time": 0.1}
        done, _ = self.run_case(SMALL, settings)
        for centre in ("(-0.25, 0.5)", "(-0.25, 3.5)"):
            self.assertIn(f"centre {centre}, moment of inertia 2", done.stdout + done.stderr)

    def test_threads_do_not_matter(self):
        hashes = [
            summary(self.run_case(SMALL, {**RIGID, "Stepping/Threads": n})[1])["state_hash"]
            for n in (1, 2)
        ]
        self.assertEqual(*hashes)

    def test_centre_of_mass(self):
        """A cube whose right half is seven times as heavy, and a uniform one of which that is said."""
        block = {
            "Bodies/block/Rigid": "true",
            "Bodies/block/Rigid critical step": 0.01,
            "Bodies/block/Mesh/Map": "x; y",
            "Bodies/block/Initial velocity": "0.3 - 0.5*y; 0.5*x",
            "Loads/load/Type": "acceleration",
            "Loads/load/Value": "0; -1",
            "Loads/load/Boundary ids": "",
            "Contact/Enabled": "true",
            "Contact/Restitution": 0.5,
            "Contact/Friction": 0.2,
            "Obstacles/Names": "floor",
            "Obstacles/floor/Point": "0, -0.2",
            "Obstacles/floor/Normal": "0.1, 1",
            "Output/Save intervals": 20,
        }
        free = BLOCK[: BLOCK.index("subsection Restraints")] + BLOCK[BLOCK.index("subsection Loads") :]
        case = self.write("block.prm", free)
        _, heavy = self.run_case(case, block)
        dx = (0.25 - 0.6875, 0.75 - 0.6875)
        inertia = sum(m * (1.25 / 12 + d * d) for m, d in zip((0.5, 3.5), dx))
        given = {
            "Bodies/block/Rigid mass": 4,
            "Bodies/block/Rigid centre": "0.6875, 0.5",
            "Bodies/block/Rigid inertia": inertia,
            "Bodies/block/Material/Id 5/Density": 1,
        }
        done, said = self.run_case(case, {**block, **given})
        self.assertIn("mass 4, centre (0.6875, 0.5)", done.stdout + done.stderr)
        self.assertGreater(summary(said)["kicks"]["collisions"], 0)
        for name in ("left_displacement_x", "right_displacement_y", "right_velocity_x"):
            a, b = (column(output / "probes.csv", name) for output in (heavy, said))
            self.assertGreater(max(map(abs, a)), 0.1)
            for one, other in zip(a, b):
                self.assertAlmostEqual(one, other, delta=1e-10)
        for name in ("kinetic_energy", "momentum_x", "momentum_y"):
            a, b = (column(output / "statistics.csv", name) for output in (heavy, said))
            for one, other in zip(a, b):
                self.assertAlmostEqual(one, other, delta=1e-10)
        # wherever it is, weight does not turn the body
        still = {"Contact/Enabled": "false", "Bodies/block/Initial velocity": "0; 0"}
        outside = {"Bodies/block/Rigid centre": "2, -1"}
        _, falls = self.run_case(case, {**block, **given, **still, **outside})
        probes = falls / "probes.csv"
        for time, u in zip(column(probes, "time"), column(probes, "right_displacement_y")):
            self.assertAlmostEqual(u, -0.5 * time**2, delta=1e-4)
        for side in ("left", "right"):
            self.assertLess(max(map(abs, column(probes, f"{side}_displacement_x"))), 1e-12)

    def test_refused(self):
        left = "Bodies/left/"
        for settings, texts in (
            ({left + "Damping": 1}, ["Damping", "left"]),
            ({left + "Linear bulk viscosity": 0.1}, ["viscosity", "left"]),
            ({left + "Rigid mass": -1}, ["Rigid mass", "-1"]),
            ({left + "Rigid inertia": "1, 2"}, ["Rigid inertia", "one number"]),
            ({left + "Rigid centre": "1, 2"}, ["Rigid centre", "Rigid inertia"]),
            ({left + "Rigid centre": "1", left + "Rigid inertia": 1}, ["Rigid centre", "2 finite"]),
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
            (
                {
                    "Springs/Names": "s",
                    "Springs/s/Body": "left",
                    "Springs/s/Point": "-0.5, 0.5",
                    "Springs/s/Other point": "-0.5, 3",
                    "Springs/s/Damping coefficient": 1,
                },
                ["Springs/s/Damping coefficient", "move freely"],
            ),
            (
                {left + "Initial velocity": "100*(0.5 - y); 100*(x + 0.5)", left + "Rigid critical step": 1},
                ["left", "angle", "'Rigid critical step'"],
            ),
            (
                {"Contact/Reference/Solver": "coupled", "Contact/Reference/Schedule": "synchronous", "Stepping/Clocks": "one"},
                ["coupled", "rigid bodies"],
            ),
            ({"Contact/Response": "reflect"}, ["'Contact/Response' = reflect", "rigid bodies"]),
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


SLIDING = """
set Dimension = 3
set Constants = size = 1, angle = pi/6, g = 9.81
subsection Bodies
  set Names = block
  subsection block
    set Rigid = true
    subsection Mesh
      set Lower corner = -0.7*size, 0, -0.7*size
      set Upper corner = 0.7*size, 0.52*size, 0.7*size
      set Map          = x*cos(angle) + y*sin(angle); -x*sin(angle) + y*cos(angle); z
    end
    subsection Material
      set Density = 1000
    end
  end
end
subsection Obstacles
  set Names = incline
  subsection incline
    set Normal = sin(angle), cos(angle), 0
  end
end
subsection Loads
  set Names = gravity
  subsection gravity
    set Type  = acceleration
    set Value = 0; -g; 0
  end
end
subsection Stepping
  set End time = 0.4
end
subsection Contact
  set Friction    = 0.3
  set Restitution = 0
end
subsection Output
  set Save intervals = 20
end
"""

TWO = """
set Dimension = 2
set Constants = V = 3, size = 1
subsection Bodies
  set Names = light, heavy
  subsection light
    set Rigid = true
    subsection Mesh
      set Lower corner = 0.1*size, -0.2*size
      set Upper corner = 0.6*size, 0.2*size
    end
    subsection Material
      set Density = 1
    end
  end
  subsection heavy
    set Rigid = true
    set Initial velocity = V; 0
    subsection Mesh
      set Lower corner = -size, -0.5*size
      set Upper corner = 0, 0.5*size
    end
    subsection Material
      set Density = 4
    end
  end
end
subsection Contact
  set Restitution = 0.6
end
subsection Stepping
  set End time = 0.5*size/V
end
subsection Output
  set Save intervals = 10
end
"""

PRESS = """
set Dimension = 2
subsection Bodies
  set Names = block, punch
  subsection block
    subsection Mesh
      set Upper corner = 0.1, 0.1
      set Subdivisions = 4, 4
    end
    subsection Material
      set Density         = 7850
      set Young's modulus = 2.1e11
      set Poisson's ratio = 0.3
    end
  end
  subsection punch
    set Rigid = true
    subsection Mesh
      set Lower corner = -0.05, 0.1
      set Upper corner = 0.15, 0.15
    end
    subsection Rigid motion
      set Displacement = 0; -1e-4*sin(pi*t/0.002)
    end
    subsection Material
      set Density = 7850
    end
  end
end
subsection Restraints
  set Names = x, y
  subsection x
    set Body         = block
    set Boundary ids = 0, 1
    set Directions   = x
  end
  subsection y
    set Body         = block
    set Boundary ids = 2
    set Directions   = y
  end
end
subsection Stepping
  set End time = 0.001
end
subsection Output
  set Save intervals = 20
end
"""


class WithoutStep(ProgramTest):
    """Rigid bodies of which nothing but a density is said."""

    def test_slides(self):
        exact = 9.81 * (math.sin(math.pi / 6) - 0.3 * math.cos(math.pi / 6))
        case = self.write("sliding.prm", SLIDING)
        for size, ratio, intervals in ((1, 0.5, 20), (0.1, 0.5, 20), (1e3, 1, 1), (1, 0.1, 20)):
            with self.subTest(size=size, ratio=ratio):
                end = 0.4 * math.sqrt(size)
                _, output = self.run_case(
                    case,
                    {
                        "Constants": f"size = {size}, angle = pi/6, g = 9.81",
                        "Stepping/End time": end,
                        "Stepping/Time step ratio": ratio,
                        "Output/Save intervals": intervals,
                    },
                )
                x, y = (column(output / "bodies.csv", f"center_{a}") for a in "xy")
                way = 0.5 * exact * end**2
                self.assertAlmostEqual(math.hypot(x[-1] - x[0], y[-1] - y[0]), way, delta=5e-3 * way)

    def test_falls_flat_and_bounces(self):
        case = self.write("falling.prm", SLIDING)
        for g, e in ((9.81, 0.5), (1e4, 1)):
            with self.subTest(g=g):
                fall = math.sqrt(2 / g)
                _, output = self.run_case(
                    case,
                    {
                        "Constants": f"size = 1, angle = 0, g = {g}",
                        "Bodies/block/Mesh/Map": "x; y + 1; z",
                        "Contact/Restitution": e,
                        "Contact/Friction": 0,
                        "Stepping/End time": fall * (1 + e),
                        "Output/Save intervals": 100,
                    },
                )
                y = column(output / "bodies.csv", "center_y")
                self.assertAlmostEqual(y[-1] - 0.26, e**2, delta=0.01)
                for axis in "xz":
                    self.assertLess(max(map(abs, column(output / "bodies.csv", f"center_{axis}"))), 1e-9)

    def test_two_hit_each_other(self):
        case = self.write("two.prm", TWO)
        for speed, size in ((3, 1), (3e3, 1e-3)):
            _, output = self.run_case(case, {"Constants": f"V = {speed}, size = {size}"})
            bodies = rows(output / "bodies.csv")
            light, heavy = (
                float([row for row in bodies if row["body"] == name][-1]["velocity_x"])
                for name in ("light", "heavy")
            )
            common = 4 / 4.2 * speed  # masses 0.2 and 4
            self.assertAlmostEqual(light, common * 1.6, delta=1e-6 * speed)
            self.assertAlmostEqual(heavy, common - 0.6 * 0.2 / 4.2 * speed, delta=1e-6 * speed)

    def test_presses(self):
        _, output = self.run_case(self.write("press.prm", PRESS))
        force = abs(column(output / "reactions.csv", "punch_force_y")[-1])
        modulus = 2.1e11 * 0.7 / (1.3 * 0.4)
        self.assertAlmostEqual(force, modulus * 1e-3 * 0.1, delta=0.02 * force)

    def test_turns(self):
        """About its middle axis, which is unstable: as with a step that is given."""
        end = {"Stepping/End time": 4, "Output/Save intervals": 8}
        at = []
        for step in (0, 0.005):
            _, output = self.run_case(PRM / "free_top.prm", {"Bodies/box/Rigid critical step": step, **end})
            at.append([column(output / "probes.csv", f"end_displacement_{axis}")[-1] for axis in "xyz"])
            kinetic = column(output / "statistics.csv", "kinetic_energy")
            self.assertLess(max(abs(k / kinetic[0] - 1) for k in kinetic), 1e-12)
        self.assertGreater(max(map(abs, at[0])), 0.1)
        for one, other in zip(*at):
            self.assertAlmostEqual(one, other, delta=1e-4)

    def test_turns_as_fast_as_may_be(self):
        """Beside a body that deforms, whose steps are much longer."""
        settings = {**RIGID, "Bodies/left/Mesh/Map": "x - 9; y", "Stepping/End time": 0.5}
        settings["Bodies/left/Initial velocity"] = "1e3*(0.5 - y); 1e3*(x + 9.5)"
        _, output = self.run_case(SMALL, settings)
        kinetic = column(output / "statistics.csv", "kinetic_energy")
        self.assertLess(max(abs(k / kinetic[0] - 1) for k in kinetic), 1e-9)


class Driven(ProgramTest):
    """A rigid body whose motion is given."""

    MASS, DRIVE, START = 2, 0.5, -0.25  # of the block, and speeds
    ELASTIC = {
        "Bodies/block/Rigid": "false",
        "Bodies/block/Rigid critical step": 0,
        "Bodies/block/Mesh/Subdivisions": "10, 2",
        "Bodies/block/Material/Young's modulus": 200,
        "Bodies/block/Material/Poisson's ratio": 0,
    }

    def test_throws_a_rigid_block(self):
        """Elastic, it leaves with 2 V - v; in between, V + e (V - v)."""
        for restitution in (1, 0.5, 0):
            with self.subTest(restitution=restitution):
                done, output = self.run_case(PADDLE, {"Contact/Restitution": restitution})
                self.assertIn("rigid, driven", done.stdout + done.stderr)
                after = self.DRIVE + restitution * (self.DRIVE - self.START)
                hit = 0.25 / (self.DRIVE - self.START)
                blocks = [row for row in rows(output / "bodies.csv") if row["body"] == "block"]
                for time, x in ((float(row["time"]), float(row["center_x"])) for row in blocks):
                    way = self.START * min(time, hit) + after * max(time - hit, 0)
                    self.assertAlmostEqual(x, 0.75 + way, delta=3e-3)
                # sweeps over the contacts of a rigid body end 1e-8 before they converge
                speed = float(blocks[-1]["velocity_x"])
                self.assertAlmostEqual(speed, after, delta=2e-8)
                impulse = self.MASS * (speed - self.START)
                statistics = output / "statistics.csv"
                momentum = column(statistics, "momentum_x")
                self.assertAlmostEqual(momentum[-1] - momentum[0], impulse, delta=1e-12)
                # the drive works with the impulse that the block takes
                work = column(statistics, "prescribed_work")[-1]
                self.assertAlmostEqual(work, impulse * self.DRIVE, delta=1e-12)
                gained = self.MASS / 2 * (speed**2 - self.START**2)
                loss = column(statistics, "restitution_loss")[-1]
                self.assertAlmostEqual(work, gained + loss, delta=1e-12)
                force = column(output / "reactions.csv", "paddle_impulse_x")[-1]
                self.assertAlmostEqual(abs(force), impulse, delta=1e-12)

    def test_throws_an_elastic_block(self):
        """Momentum as of a rigid one, but for what goes into vibration."""
        _, output = self.run_case(PADDLE, self.ELASTIC)
        work = column(output / "statistics.csv", "prescribed_work")[-1]
        impulse = work / self.DRIVE
        ideal = 2 * self.MASS * (self.DRIVE - self.START)
        self.assertGreater(impulse, 0.8 * ideal)
        self.assertLess(impulse, 1.001 * ideal)
        statistics = output / "statistics.csv"
        momentum = column(statistics, "momentum_x")
        self.assertAlmostEqual(momentum[-1] - momentum[0], impulse, delta=1e-10)

    def test_pulls_with_a_dashpot(self):
        """What the dashpot gives the block, the drive gives the dashpot, and works with."""
        dashpot = {
            **self.ELASTIC,
            "Contact/Enabled": "false",
            "Springs/Names": "leash",
            "Springs/leash/Body": "block",
            "Springs/leash/Point": "0.25, 0",
            "Springs/leash/Other body": "paddle",
            "Springs/leash/Other point": "0, 0",
            "Springs/leash/Damping coefficient": 1,
        }
        for ends in ({}, {"Body": "paddle", "Point": "0, 0", "Other body": "block", "Other point": "0.25, 0"}):
            more = {f"Springs/leash/{name}": value for name, value in ends.items()}
            _, output = self.run_case(PADDLE, {**dashpot, **more})
            statistics = output / "statistics.csv"
            momentum = column(statistics, "momentum_x")
            impulse = momentum[-1] - momentum[0]
            # of a point mass
            ideal = self.MASS * (self.DRIVE - self.START) * (1 - math.exp(-1 / self.MASS))
            self.assertAlmostEqual(impulse, ideal, delta=0.05 * ideal)
            force = column(output / "reactions.csv", "paddle_impulse_x")[-1]
            self.assertAlmostEqual(abs(force), impulse, delta=1e-12)
            work = column(statistics, "prescribed_work")[-1]
            self.assertAlmostEqual(work, impulse * self.DRIVE, delta=1e-12)
            loss = column(statistics, "dashpot_loss")[-1]
            self.assertGreater(loss, 0.1 * work)
            change = sum(
                column(statistics, name)[-1] - column(statistics, name)[0]
                for name in ("kinetic_energy", "strain_energy")
            )
            self.assertAlmostEqual(work, change + loss, delta=5e-3 * work)

    def test_turns(self):
        """Nodes stay on their circles, with the speed omega r."""
        angle = "0.3 + 1.5*t + 0.25*t^2"
        settings = {
            "Bodies/paddle/Rigid motion/Displacement": "",
            "Bodies/paddle/Rigid motion/Angle": angle,
            "Bodies/paddle/Rigid motion/Centre": "-1, 1",
            "Bodies/paddle/Rigid critical step": "1/512",
            "Stepping/Time step ratio": 0.5,
            "Contact/Enabled": "false",
            "Probes/Names": "corner",
            "Probes/corner/Body": "paddle",
            "Probes/corner/Point": "0, -1",
        }
        _, output = self.run_case(PADDLE, settings)
        probes = output / "probes.csv"
        fields = [column(probes, f"corner_{f}_{d}") for f in ("displacement", "velocity") for d in "xy"]
        for time, ux, uy, vx, vy in zip(column(probes, "time"), *fields):
            turn = 0.3 + 1.5 * time + 0.25 * time**2
            rate = 1.5 + 0.5 * time
            c, s = math.cos(turn), math.sin(turn)
            x, y = -1 + c + 2 * s, 1 + s - 2 * c
            self.assertAlmostEqual(ux, x, delta=1e-14)
            self.assertAlmostEqual(uy, y + 1, delta=1e-14)
            # across the arm (c + 2 s, s - 2 c); velocities are means over a step of 1/1024
            change = 1.05 * math.hypot(rate**2, 0.5) * math.sqrt(5) / 2048
            self.assertAlmostEqual(vx, -rate * (s - 2 * c), delta=change)
            self.assertAlmostEqual(vy, rate * (c + 2 * s), delta=change)

    def test_follows_a_table(self):
        settings = {
            "Bodies/paddle/Rigid motion/Displacement": "0; 0.1",
            "Bodies/paddle/Rigid motion/Amplitude": "0: 0, 0.5: 1, 1: 3",
            "Stepping/Clocks": "per cell",
            **self.ELASTIC,
            "Probes/Names": "corner",
            "Probes/corner/Body": "paddle",
            "Probes/corner/Point": "-1, -1",
        }
        _, output = self.run_case(PADDLE, settings)
        probes = output / "probes.csv"
        for time, u in zip(column(probes, "time"), column(probes, "corner_displacement_y")):
            self.assertAlmostEqual(u, 0.2 * time if time < 0.5 else 0.1 + 0.4 * (time - 0.5), delta=5e-3)

    def test_threads_do_not_matter(self):
        elastic = {**self.ELASTIC, "Bodies/paddle/Rigid motion/Angle": "0.1*t^2"}
        hashes = [
            summary(self.run_case(PADDLE, {**elastic, "Stepping/Threads": n})[1])["state_hash"]
            for n in (1, 2)
        ]
        self.assertEqual(*hashes)

    def test_refused(self):
        paddle = "Bodies/paddle/"
        motion = paddle + "Rigid motion"
        for settings, texts in (
            ({paddle + "Rigid": "false", paddle + "Rigid critical step": 0}, [motion, "Rigid' = true"]),
            ({paddle + "Rigid mass": 1}, [motion, "Rigid mass"]),
            ({paddle + "Rigid inertia": 1}, [motion, "Rigid inertia"]),
            ({paddle + "Rigid centre": "0, 0"}, [motion, "Rigid centre"]),
            ({paddle + "Initial velocity": "1; 0"}, [paddle + "Initial velocity", motion]),
            ({paddle + "Initial displacement": "1; 0"}, [paddle + "Initial displacement", motion]),
            ({motion + "/Displacement": "x*t; 0"}, [motion + "/Displacement", "time only"]),
            ({motion + "/Displacement": "t"}, [motion + "/Displacement"]),
            ({motion + "/Displacement": "1/t; 0"}, [motion + "/Displacement"]),
            ({motion + "/Angle": "log(0.5 - t)"}, [motion + "/Angle", "time 0.6"]),
            (
                {motion + "/Displacement": "", motion + "/Amplitude": "0: 1"},
                [motion, "amplitude", "Angle"],
            ),
            (
                {"Restraints/Names": "paddle", "Restraints/paddle/Body": "block"},
                ["Restraints/Names", "paddle", "driven"],
            ),
        ):
            with self.subTest(settings=settings):
                self.assert_refused(settings, *texts, file=PADDLE)


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
        self.check(PADDLE, 0.5, 1, **{"Bodies/paddle/Rigid motion/Angle": "0.1*t^2"})


if __name__ == "__main__":
    unittest.main()
