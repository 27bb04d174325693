"""End-to-end tests of restraints that move, and of bodies that overlap at the start.

Usage: KICKDRIFT=path/to/kickdrift python3 motion_test.py [unittest arguments]
"""

import unittest

from program_test import ProgramTest, column, rows

BLOCK = """
set Dimension = 2
subsection Bodies
  set Names = block
  subsection block
    subsection Mesh
      set Upper corner = 1, 1
      set Subdivisions = 4, 4
    end
    subsection Material
      set Model = linear elastic
    end
  end
end
subsection Restraints
  set Names = a, b
  subsection a
    set Boundary ids = 1
    set Directions = x
    set Displacement = 0.1*t; 0.3*t
  end
  subsection b
    set Boundary ids = 1
    set Directions = y
  end
end
subsection Probes
  set Names = right
  subsection right
    set Boundary ids = 1
  end
end
subsection Stepping
  set End time = 2
end
subsection Output
  set Save intervals = 4
end
"""

BLOCKS = """
set Dimension = %d
subsection Bodies
  set Names = big, small
  subsection big
    subsection Mesh
      set Upper corner = %s
      set Subdivisions = %s
    end
    subsection Material
      set Model = linear elastic
    end
  end
  subsection small
    subsection Mesh
      set Lower corner = %s
      set Upper corner = %s
      set Subdivisions = %s
    end
    subsection Material
      set Model = linear elastic
    end
  end
end
subsection Stepping
  set End time = 0.01
end
"""


class Motion(ProgramTest):
    def case(self):
        return self.write("case.prm", BLOCK)

    def assert_right_side(self, settings, x, y):
        """The right side must move by 2*x and 2*y in the time 2."""
        _, output = self.run_case(self.case(), settings)
        for name, slope in (("x", x), ("y", y)):
            moved = column(output / "probes.csv", f"right_displacement_{name}")[-1]
            self.assertAlmostEqual(moved, 2 * slope, delta=2e-3)
        return output

    def test_a_motion_leaves_other_directions_fixed(self):
        self.assert_right_side({}, 0.1, 0)

    def test_two_motions_of_one_boundary(self):
        self.assert_right_side({"Restraints/b/Displacement": "5; 0.05*t"}, 0.1, 0.05)

    def test_a_skew_motion(self):
        settings = {"Restraints/a/Directions": "1, 1"}
        self.assert_right_side(settings, 0.4, 0)

    def test_the_same_motion_twice(self):
        settings = {
            "Restraints/b/Directions": "x, y",
            "Restraints/b/Displacement": "t/10; 0",
        }
        self.assert_right_side(settings, 0.1, 0)

    def test_the_motion_is_under_way_at_the_start(self):
        output = self.assert_right_side({}, 0.1, 0)
        start = rows(output / "statistics.csv")[0]
        # lumped mass of the right side: an eighth of the block
        self.assertAlmostEqual(float(start["kinetic_energy"]), 0.5 * 0.125 * 0.1**2, delta=1e-9)
        self.assertEqual(float(start["prescribed_work"]), 0)
        self.assertLess(abs(column(output / "statistics.csv", "energy_error")[-1]), 0.05)

    def test_contradictions_are_refused(self):
        for b in ("x", "x, y", "all", "1, 1; 0, 1"):
            with self.subTest(fixed=b):
                self.assert_refused(
                    {"Restraints/b/Directions": b}, "'b' contradicts 'a'", file=self.case()
                )
        settings = {"Restraints/b/Directions": "all", "Restraints/b/Displacement": "0.2*t; 0"}
        self.assert_refused(settings, "'a'", "'b'", "contradicts", file=self.case())

    def test_a_motion_must_begin_where_the_node_is(self):
        for value in ("0.25", "0.25 + 0.1*t"):
            self.assert_refused(
                {"Restraints/a/Displacement": value + "; 0"},
                "'Restraints/a/Displacement'",
                "(0.25, 0)",
                "of body 'block' at (1, ",
                file=self.case(),
            )
        settings = {
            "Restraints/a/Displacement": "0.25 + 0.1*t; 7",
            "Bodies/block/Initial displacement": "0.25; 0",
        }
        self.run_case(self.case(), settings)

    def test_a_motion_must_be_finite(self):
        self.assert_refused(
            {"Restraints/a/Displacement": "log(x - 2); 0"},
            "'Restraints/a/Displacement'",
            "finite",
            file=self.case(),
        )


class Overlap(ProgramTest):
    """Overlap deeper than what contact itself can see."""

    def blocks(self, lower, upper, n):
        dim = len(lower)
        text = BLOCKS % (
            dim,
            ", ".join(["1"] * dim),
            ", ".join(["6"] * dim),
            ", ".join(map(str, lower)),
            ", ".join(map(str, upper)),
            ", ".join([str(n)] * dim),
        )
        return self.write("case.prm", text)

    def assert_overlap(self, lower, upper, n):
        case = self.blocks(lower, upper, n)
        self.assert_refused({}, "overlap", "'big'", "'small'", file=case)
        done = self.run_program(case, "--validate", status=2)
        self.assertRegex(done.stdout, r"Initial penetrations: [1-9]")
        settings = {"Contact/Allow initial overlap": "true", "Stepping/Energy limit": "1e9"}
        self.run_case(case, settings)

    def test_the_same_place(self):
        for dim in (2, 3):
            self.assert_overlap([0] * dim, [1] * dim, 6)

    def test_half(self):
        for dim in (2, 3):
            self.assert_overlap([0.5] + [0] * (dim - 1), [1.5] + [1] * (dim - 1), 5)

    def test_inside(self):
        for dim in (2, 3):
            self.assert_overlap([0.4] * dim, [0.6] * dim, 1)

    def test_a_cross(self):
        for dim in (2, 3):
            self.assert_overlap([-1] + [0.4] * (dim - 1), [2] + [0.6] * (dim - 1), 1)

    def test_touching(self):
        for dim in (2, 3):
            case = self.blocks([1] + [0] * (dim - 1), [2] + [1] * (dim - 1), 4)
            done = self.run_program(case, "--validate")
            self.assertIn("Initial penetrations: 0", done.stdout)

    def test_excluded_bodies_may_overlap(self):
        case = self.blocks([0.4, 0.4], [0.6, 0.6], 1)
        self.run_case(case, {"Contact/Exclude": "big:small"})


if __name__ == "__main__":
    unittest.main()
