"""End-to-end tests of materials by id, damping, amplitudes, pressure and reactions: what is accepted,
what is refused, and that the same thing said in two ways gives the same run.

Usage: KICKDRIFT=path/to/kickdrift python3 loads_test.py [unittest arguments]
"""

import unittest

from program_test import SMALL, ProgramTest, column, rows, summary

BLOCK = """
set Dimension = 2
set Constants = A = 0.1
subsection Bodies
  set Names = block
  subsection block
    subsection Mesh
      set Upper corner = 1, 1
      set Subdivisions = 4, 4
      set Material id  = x < 0.5 ? 0 : 5
      set Map          = x*(0.3 + 0.7*x); y
    end
    subsection Material
      set Model = linear elastic
      set Ids = 5
      subsection Id 5
        set Model = linear elastic
        set Density = 7
      end
    end
  end
end
subsection Restraints
  set Names = left
  subsection left
    set Boundary ids = 0
    set Directions   = x
  end
end
subsection Loads
  set Names = load
  subsection load
    set Type         = traction
    set Boundary ids = 1
    set Value        = A; 0
  end
end
subsection Probes
  set Names = left, right
  subsection left
    set Boundary ids = 0
  end
  subsection right
    set Boundary ids = 1
  end
end
subsection Contact
  set Enabled = false
end
subsection Stepping
  set End time = 2
end
subsection Output
  set Save intervals = 4
end
"""
MATERIAL = "Bodies/block/Material/"
LOAD = "Loads/load/"


class LoadsTest(ProgramTest):
    def case(self):
        return self.write("case.prm", BLOCK)

    def run_block(self, settings=None):
        return self.run_case(self.case(), settings)[1]

    def assert_block_refused(self, settings, *expected):
        self.assert_refused(settings, *expected, file=self.case())


class MaterialIds(LoadsTest):
    def test_masses_are_by_id(self):
        settings = {"Bodies/block/Initial velocity": "0; 1"}
        output = self.run_block(settings)
        # the map brings the centres of three of the four columns below 0.5, and their end to 0.61875
        mass = 0.61875 + 7 * 0.38125
        self.assertAlmostEqual(column(output / "statistics.csv", "momentum_y")[0], mass, 12)

    def test_one_material_twice_is_one_material(self):
        two = {MATERIAL + "Id 5/Density": 1}
        one = {**two, "Bodies/block/Mesh/Material id": 5}
        last = [
            column(self.run_block(settings) / "probes.csv", "right_displacement_x")[-1]
            for settings in (one, two)
        ]
        self.assertGreater(last[0], 1e-2)
        self.assertAlmostEqual(last[0], last[1], delta=1e-12)

    def test_mistakes(self):
        self.assert_block_refused({MATERIAL + "Ids": "5, 6"}, "Bodies/block/Material/Ids", "6")
        self.assert_block_refused({MATERIAL + "Ids": "5, 5"}, "'5, 5'", "5 is in it twice")
        self.assert_block_refused({MATERIAL + "Ids": "5, -1"}, "'-1'", "it has 0, 5")
        self.assert_block_refused({MATERIAL + "Ids": "5, five"}, "'five'", "it has 0, 5")
        self.assert_block_refused({MATERIAL + "Ids": "5/6"}, "'5/6'", "must not")
        self.assert_block_refused(
            {MATERIAL + "Id 6/Density": 1}, "no parameter", "Bodies/block/Material/Id 5/Density"
        )
        self.assert_block_refused({MATERIAL + "Id 5/Density": -1}, "Material/Id 5")
        mesh = "Bodies/block/Mesh/Material id"
        for value in ("x", "-1", "1/0", "3e9"):
            self.assert_block_refused({mesh: value}, mesh, "integers from 0")
        self.assert_block_refused({mesh: "x <"}, mesh)


class Damped(LoadsTest):
    def test_mistakes(self):
        name = "Bodies/block/Damping"
        self.assert_block_refused({name: "-1"}, name, "-1", "from 0")
        self.assert_block_refused({name: "x"}, name, "time only")
        self.assert_block_refused({name: "2*"}, name)
        self.assert_block_refused({name: 1, "Stepping/Clocks": "per cell"}, name, "one or nested")
        self.assert_block_refused({name: 1, "Stepping/Phase": "start"}, name, "centred")

    def test_a_rate_that_becomes_negative_stops_the_run(self):
        self.assert_refused(
            {"Bodies/block/Damping": "1 - t"},
            "Bodies/block/Damping",
            "time 1.",
            file=self.case(),
            status=1,
        )

    def test_looking_does_not_touch(self):
        hashes = set()
        for n in (1, 4, 37):
            settings = {
                "Bodies/block/Damping": "0.3*t",
                "Loads/Names": "load, inside",
                "Loads/inside/Type": "pressure",
                "Loads/inside/Value": "0.1*sin(t)",
                "Output/Save intervals": n,
            }
            hashes.add(summary(self.run_block(settings))["state_hash"])
        self.assertEqual(len(hashes), 1)


class Amplitudes(LoadsTest):
    def test_list_and_file_and_expression_are_the_same(self):
        table = self.write("table.txt", "# time, value\n0 0\n\n1,2 # top\n2;\t1.5e0\n")
        hashes = set()
        for settings in (
            {LOAD + "Amplitude": "0: 0, 1: 20*A, 2: 1.5"},
            {LOAD + "Amplitude file": table},
        ):
            hashes.add(summary(self.run_block(settings))["state_hash"])
        self.assertEqual(len(hashes), 1)
        expression = self.run_block({LOAD + "Value": "A*(t < 1 ? 2*t : 2.5 - 0.5*t); 0"})
        table = self.run_block({LOAD + "Amplitude": "0: 0, 1: 2, 2: 1.5"})
        for a, b in zip(
            column(expression / "probes.csv", "right_displacement_x"),
            column(table / "probes.csv", "right_displacement_x"),
        ):
            self.assertAlmostEqual(a, b, delta=1e-13)

    def test_constant_outside_of_the_table(self):
        constant = self.run_block()
        for amplitude in ("0: 1", "-1: 1, 0: 1", "5: 1, 6: 7", "-4: 0, -1: 1"):
            scaled = self.run_block({LOAD + "Amplitude": amplitude})
            for a, b in zip(
                column(constant / "probes.csv", "right_displacement_x"),
                column(scaled / "probes.csv", "right_displacement_x"),
            ):
                self.assertAlmostEqual(a, b, delta=1e-13)

    def test_prescribed_motion_follows_the_table(self):
        settings = {
            "Restraints/left/Displacement": "1; 0",
            "Restraints/left/Amplitude": "0: 0, 0.5: 0.05, 1: 0.05, 1.5: -0.02",
            "Stepping/Clocks": "one",
            "Stepping/Time step": 1 / 128,
        }
        output = self.run_block(settings)
        for u, exact in zip(
            column(output / "probes.csv", "left_displacement_x"), (0, 0.05, 0.05, -0.02, -0.02)
        ):
            self.assertAlmostEqual(u, exact, delta=1e-14)

    def test_mistakes(self):
        name = LOAD + "Amplitude"
        self.assert_block_refused({name: "0: 0, 2: 1, 2: 3"}, name, "time 2 is not above")
        self.assert_block_refused({name: "0: 0, -1: 1"}, name, "not above")
        self.assert_block_refused({name: "0, 1"}, name, "'0' is not 'time: value'")
        self.assert_block_refused({name: "0: 0: 1"}, name, "is not 'time: value'")
        self.assert_block_refused({name: "0: 0, 1: B"}, name, "'B'")
        self.assert_block_refused({name: "0: 1/0"}, name, "inf")
        self.assert_block_refused({name: "0: 1", name + " file": "a.txt"}, name, "both set")
        self.assert_block_refused(
            {"Restraints/left/Amplitude": "0: 0"}, "Restraints/left", "'Displacement'"
        )
        self.assert_block_refused(
            {"Restraints/left/Displacement": "1; 0", "Restraints/left/Amplitude": "0: 1, 1: 2"},
            "'Restraints/left/Displacement'",
            "initial displacement",
        )

    def test_mistakes_in_files(self):
        name = LOAD + "Amplitude file"
        self.assert_block_refused({name: "nowhere.txt"}, "nowhere.txt'", "cannot be read")
        for text, *expected in (
            ("", "empty"),
            ("# nothing\n", "no entry"),
            ("0 1\n1 2 3\n", "line 2", "'1 2 3'"),
            ("0 1\n\n1\n", "line 3", "'1'"),
            ("0 1\n1 2x\n", "line 2", "2x"),
            ("time, value\n", "line 1", "time, value"),
            ("0 1\n1 nan\n", "line 2", "finite"),
            ("0 1\n1 1e999\n", "line 2"),
            ("1 0\n1 1\n", "line 2", "not above"),
        ):
            file = self.write("table.txt", text)
            self.assert_block_refused({name: file}, "table.txt", *expected)


class Pressures(LoadsTest):
    def test_mistakes(self):
        pressure = {LOAD + "Type": "pressure"}
        self.assert_block_refused(pressure, LOAD + "Value", "2 expressions", "1 are needed")
        self.assert_block_refused({**pressure, LOAD + "Value": "log(-1)"}, LOAD + "Value", "finite")
        settings = {**pressure, LOAD + "Value": 1, LOAD + "Boundary ids": 9}
        self.assert_block_refused(settings, LOAD + "Boundary ids", "9")

    def test_pressure_is_a_traction_against_the_normal(self):
        traction = self.run_block({LOAD + "Value": "-1e-6; 0"})
        pressure = self.run_block({LOAD + "Type": "pressure", LOAD + "Value": "1e-6"})
        a, b = (
            column(output / "probes.csv", "right_displacement_x")[-1]
            for output in (traction, pressure)
        )
        self.assertLess(a, -1e-7)
        self.assertAlmostEqual(a, b, delta=1e-5 * abs(a))


class ReactionFile(LoadsTest):
    def test_columns(self):
        output = self.run_block()
        self.assertEqual(
            list(rows(output / "reactions.csv")[0]),
            ["time"] + [f"left_{field}_{axis}" for field in ("force", "impulse") for axis in "xy"],
        )
        self.assertEqual(len(rows(output / "reactions.csv")), 5)

    def test_no_restraints_no_file(self):
        _, output = self.run_case(SMALL)
        self.assertFalse((output / "reactions.csv").exists())

    def test_a_direction_held_twice_counts_for_the_first(self):
        settings = {
            "Restraints/Names": "left, again",
            "Restraints/again/Boundary ids": 0,
            "Restraints/again/Directions": "x",
        }
        output = self.run_block(settings)
        self.assertGreater(abs(column(output / "reactions.csv", "left_impulse_x")[-1]), 1e-3)
        for name in ("x", "y"):
            again = column(output / "reactions.csv", f"again_impulse_{name}")[-1]
            self.assertAlmostEqual(again, 0, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
