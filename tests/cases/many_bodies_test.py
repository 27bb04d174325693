"""Sections that stand for many bodies, and what many bodies cost.

Usage: KICKDRIFT=path/to/kickdrift python3 many_bodies_test.py [unittest arguments]
"""

import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["KICKDRIFT"]

# A row of bricks on a floor, and one that hovers above them.
BRICKS = """
set Dimension = 2
subsection Bodies
  set Names = brick, top
  subsection brick
    set Copies = 4, 1
    set Spacing = 1.5, 0
    subsection Mesh
      set Generator = file
      set File = brick.msh
    end
    subsection Material
      set Young's modulus = 1e4
    end
  end
  subsection top
    subsection Mesh
      set Lower corner = 1, 3
      set Upper corner = 2, 4
    end
    subsection Material
      set Young's modulus = 1e4
    end
  end
end
subsection Obstacles
  set Names = floor
  subsection floor
    set Point = 0, -0.001
    set Normal = 0, 1
  end
end
subsection Stepping
  set End time = 0.2
  set Energy limit = 100
end
subsection Output
  set Save intervals = 4
end
"""
BRICK = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 5 "bottom"
1 6 "left side"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
3
1 1 2 5 1 1 2
2 1 2 6 1 4 1
3 3 2 0 1 1 2 3 4
$EndElements
"""
CUBES = """
set Dimension = 3
set Constants = n = 10
subsection Bodies
  set Names = cube
  subsection cube
    set Copies = n, 10, 10
    set Spacing = 1.5, 1.5, 1.5
    set Initial velocity = 0.01*x; 0; 0
  end
end
subsection Stepping
  set End time = 0.1
end
subsection Output
  set Save intervals = 2
end
"""


class ManyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "brick.msh").write_text(BRICK)
        self.n_runs = 0

    def run_case(self, text, settings=None, status=0, arguments=()):
        case = self.folder / "case.prm"
        case.write_text(text)
        self.n_runs += 1
        output = self.folder / f"run{self.n_runs}"
        sets = [word for item in (settings or {}).items()
                for word in ("--set", "=".join(map(str, item)))]
        done = subprocess.run(
            [PROGRAM, str(case), "--output", str(output), *sets, *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done, output


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def state_hash(output):
    return json.loads((output / "summary.json").read_text())["state_hash"]


def peak_memory(output):
    """Of the run [bytes]."""
    return json.loads((output / "summary.json").read_text())["peak_memory"]


def section(kind, name, settings):
    return {f"{kind}/{name}/{key}": value for key, value in settings.items()}


class Lists(ManyTest):
    COPIES = [f"brick_{i}" for i in range(1, 5)]
    GRAVITY = {"Loads/Names": "g", "Loads/g/Type": "acceleration", "Loads/g/Value": "0; -10"}

    def one_section_or_many(self, kind, settings, bodies, stands_for):
        """A section for some bodies does what a section for each of them does."""
        one = {f"{kind}/Names": "all", **section(kind, "all", {**settings, "Body": bodies})}
        many = {f"{kind}/Names": ", ".join(f"of_{body}" for body in stands_for)}
        for body in stands_for:
            many.update(section(kind, f"of_{body}", {**settings, "Body": body}))
        _, first = self.run_case(BRICKS, one)
        _, second = self.run_case(BRICKS, many)
        self.assertEqual(state_hash(first), state_hash(second))
        return first

    def test_loads(self):
        gravity = {"Type": "acceleration", "Value": "0; -1"}
        everybody = [*self.COPIES, "top"]
        hashes = {
            state_hash(self.one_section_or_many("Loads", gravity, bodies, stands_for))
            for bodies, stands_for in (
                ("", everybody),
                ("brick", self.COPIES),
                ("brick_2", ["brick_2"]),
                ("top, brick_3", ["brick_3", "top"]),
                ("brick, brick_1", self.COPIES),
            )
        }
        self.assertEqual(len(hashes), 4)  # two of them are the same

    def test_loads_on_parts_of_the_boundary(self):
        push = {"Type": "pressure", "Value": "0.1", "Boundary ids": "left side"}
        self.one_section_or_many("Loads", push, "brick", self.COPIES)
        # bodies without such a part are left out
        self.one_section_or_many("Loads", push, "", self.COPIES)
        done, _ = self.run_case(
            BRICKS, {"Loads/Names": "p", **section("Loads", "p", {**push, "Body": "top"})}, 2
        )
        self.assertIn("'left side'", done.stderr)

    def test_restraints(self):
        held = {"Boundary ids": "bottom", "Directions": "y"}
        _, output = self.run_case(
            BRICKS,
            {**self.GRAVITY, "Restraints/Names": "r",
             **section("Restraints", "r", {**held, "Body": "brick"})},
        )
        last = {row["body"]: row for row in rows(output / "bodies.csv")[-5:]}
        for body in self.COPIES:  # only the upper half falls
            self.assertLess(abs(float(last[body]["velocity_y"])), 1.5)
        self.assertAlmostEqual(float(last["top"]["velocity_y"]), -2, delta=1e-6)
        self.assertGreater(float(rows(output / "reactions.csv")[-1]["r_force_y"]), 4 * 5)
        self.one_section_or_many("Restraints", held, "", self.COPIES)

    def test_probes(self):
        """The mean over the nodes of all bodies."""
        probes = {"Probes/Names": "all, one, third, row", "Probes/one/Body": "top",
                  "Probes/third/Body": "brick_3", "Probes/row/Body": "brick"}
        _, output = self.run_case(BRICKS, {**probes, "Bodies/top/Initial velocity": "0.5; 0",
                                           "Bodies/brick/Initial velocity": "0.1*x; 0"})
        last = rows(output / "probes.csv")[-1]
        mean = {name: float(last[name + "_displacement_x"])
                for name in ("all", "one", "third", "row")}
        self.assertAlmostEqual(mean["one"], 0.1, delta=1e-9)
        self.assertAlmostEqual(mean["all"], (4 * mean["row"] + mean["one"]) / 5, delta=1e-12)
        self.assertGreater(mean["third"], mean["row"])

    def test_pairs_and_exclusions(self):
        """Friction and exclusions of a section hold for its copies."""
        sliding = {**self.GRAVITY, "Bodies/brick/Initial velocity": "0.1; 0"}
        one = {"Contact/Friction of pairs": "brick:floor = 0.5"}
        many = {"Contact/Friction of pairs":
                ", ".join(f"{body}:floor = 0.5" for body in self.COPIES)}
        hashes = [state_hash(self.run_case(BRICKS, {**sliding, **settings})[1])
                  for settings in (one, many, {})]
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])
        for exclusion in ("brick:floor", "brick:bottom, brick:left side, brick:0"):
            _, output = self.run_case(BRICKS, {**sliding, "Contact/Exclude": exclusion})
            self.assertEqual(rows(output / "contact.csv"), [], exclusion)
        _, output = self.run_case(BRICKS, {**sliding, "Contact/Exclude": "brick_2:floor"})
        self.assertEqual({row["first"] for row in rows(output / "contact.csv")},
                         {"brick_1", "brick_3", "brick_4"})

    def test_unknown_names(self):
        done, _ = self.run_case(BRICKS, {"Probes/Names": "p", "Probes/p/Body": "brick_9"}, 2)
        self.assertIn("there is no body 'brick_9'. Known are brick, top", done.stderr)
        done, _ = self.run_case(BRICKS, {"Contact/Exclude": "bricks:floor"}, 2)
        self.assertIn("unknown body or obstacle 'bricks'", done.stderr)

    def test_the_report_lists_ten(self):
        settings = {"Constants": "n = 3", "Contact/Enabled": "false"}
        done, _ = self.run_case(CUBES, settings)
        self.assertEqual(len(re.findall("^Body cube_", done.stdout, re.M)), 10)
        self.assertIn("and 290 more bodies: 290 cells, 2320 nodes", done.stdout)
        done, _ = self.run_case(CUBES, settings, arguments=["--validate"])
        self.assertEqual(len(re.findall("^Boundary ids of body", done.stdout, re.M)), 10)


class ManyBodies(ManyTest):
    def check_linear(self, settings, most_per_body):
        few, some, many = (
            peak_memory(self.run_case(CUBES, {"Constants": f"n = {n}", **settings})[1])
            for n in (2, 12, 32))
        first, second = (some - few) / 1000, (many - some) / 2000  # per body
        self.assertLess(second, 1.3 * first)
        self.assertLess(second, most_per_body)

    def test_memory_without_contact(self):
        self.check_linear({"Contact/Enabled": "false"}, 40e3)

    def test_memory_with_contact(self):
        """Edges remember their neighbours far around: most of it, twice as much while a checkpoint
        is written."""
        self.check_linear({}, 500e3)


class ManySections(ManyTest):
    """Bodies that have a section each, as scripts write them."""

    # every third one sets one thing more, and constants and materials of ids are there, too
    SECTION = """
    subsection b{i}
      set Initial velocity = 0; -{i}
      subsection Mesh
        set Lower corner = 2*{i}, 0
        set Upper corner = 2*{i} + s, 1
      end
      {more}
    end
    """

    def case(self, n, more="set Damping = 0.1"):
        sections = "".join(self.SECTION.format(i=i, more=more if i % 3 == 2 else "") for i in range(n))
        return (f"set Dimension = 2\nset Constants = s = 1\nsubsection Bodies\n"
                f"set Names = {', '.join(f'b{i}' for i in range(n))}\n{sections}\nend\n"
                "subsection Stepping\nset End time = 1e-3\nend\n"
                "subsection Output\nset Save intervals = 1\nend\n")

    def test_what_a_section_costs(self):
        without = {"Contact/Enabled": "false", "Checkpoint/Wall time interval": 0}
        few, many = (peak_memory(self.run_case(self.case(n), without)[1]) for n in (20, 420))
        self.assertLess((many - few) / 400, 100e3)

    def test_sections_have_their_own_values(self):
        """Also in what is printed, and in the parameters of the output, which give the same run."""
        more = "subsection Material\nset Ids = 3\nsubsection Id 3\nset Density = s + 1\nend\nend"
        _, first = self.run_case(self.case(5, more))
        start = rows(first / "bodies.csv")[:5]
        self.assertEqual([float(row["velocity_y"]) for row in start], [0, -1, -2, -3, -4])
        energies = [float(row["kinetic_energy"]) for row in start]
        self.assertEqual(energies, [0, 0.5, 2 * 2, 4.5, 8])
        _, second = self.run_case((first / "parameters.prm").read_text())
        self.assertEqual(state_hash(first), state_hash(second))
        values = [[line for line in (folder / "parameters.prm").read_text().splitlines()
                   if not line.startswith("#") and "set Folder" not in line]
                  for folder in (first, second)]
        self.assertEqual(*values)
        printed, _ = self.run_case(self.case(5, more), arguments=["--print-parameters"])
        _, third = self.run_case(printed.stdout)
        self.assertEqual(state_hash(first), state_hash(third))

    def test_mistakes_name_the_section(self):
        for name, said in {"Bodies/b3/Densty": "no parameter 'Bodies/b3/Densty'",
                           "Bodies/b3/Material/Id 0/Density": "no parameter 'Bodies/b3/Material/Id 0/",
                           "Bodies/b9/Damping": "'b9' is not in 'Bodies/Names'",
                           "Bodies/b3/Mesh/Refinements": "'Bodies/b3/Mesh/Refinements' cannot be 'no'"}.items():
            done, _ = self.run_case(self.case(5), {name: "no"}, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
