"""What own steps would save on a mesh, without a case: --survey.

Usage: KICKDRIFT=path/to/kickdrift python3 survey_test.py [unittest arguments]
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["KICKDRIFT"]
PRM = pathlib.Path(__file__).resolve().parent.parent.parent / "prm"


def bar_of_cubes(lengths, materials):
    """A row of cells 1 x 1 x length, half of each material, as an LS-DYNA deck."""
    lines, x = ["*NODE"], 0.0
    for i, length in enumerate([0, *lengths]):
        x += length
        lines += [f"{4 * i + j + 1},{x},{y},{z}"
                  for j, (y, z) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1)))]
    lines.append("*ELEMENT_SOLID")
    for i in range(len(lengths)):
        nodes = [4 * i + j + 1 for j in range(4)] + [4 * i + j + 5 for j in range(4)]
        part = 1 + i * len(materials) // len(lengths)
        lines.append(",".join(map(str, [i + 1, part, *nodes])))
    for i, (density, modulus, ratio) in enumerate(materials):
        lines += ["*PART", f"half {i + 1}", f"{i + 1},1,{i + 1}", "*MAT_ELASTIC",
                  f"{i + 1},{density},{modulus},{ratio}"]
    return "\n".join(lines) + "\n"


class Survey(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def survey(self, mesh, *options, status=0):
        done = subprocess.run([PROGRAM, "--survey", str(mesh), *options], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()
                          if path.name not in ("bar.k", "bar.unv", "out")], [])
        return done.stdout if status == 0 else done.stderr

    def number(self, pattern, text):
        found = re.search(pattern, text)
        self.assertIsNotNone(found, text)
        return float(found[1])

    def deck(self, *arguments):
        path = self.folder / "bar.k"
        path.write_text(bar_of_cubes(*arguments))
        return path

    def check_verdict(self, text):
        """The first line, whose kicks are those of the report, and whose word fits its number."""
        found = re.match(r"Do own steps pay here\? (Yes|No): synchronous stepping at its best takes "
                         r"([\d.]+) times as long, for ([\d.e+]+) times the kicks\n", text)
        self.assertIsNotNone(found, text)
        self.assertEqual(found[1] == "Yes", float(found[2]) > 1)
        self.assertIn(f"kicks, {found[3]} times ours", text)

    def test_meshes_of_all_dimensions(self):
        self.assertIn("10086 cells", self.survey(PRM / "housing.msh"))
        fuzz = PRM.parent / "tests" / "fuzz" / "corpus" / "mesh"
        text, n = re.subn(r"^( *-?\d+\.\d*)(?:[eE]([+-]\d+))?( .*)$", r"\1D+00\3",
                          (fuzz / "2d_unv.unv").read_text(), flags=re.M)
        self.assertGreater(n, 0)
        unv = self.folder / "bar.unv"  # with Fortran's exponents
        unv.write_text(text)
        self.assertIn("Together: ", self.survey(unv))
        plane = self.survey(PRM / "bracket.msh")
        self.assertIn("extends from (0, 0) to (4, 4)", plane)
        self.assertIn("steel in mm, t, s", plane)

    def test_materials_of_a_deck(self):
        """Steps are in inverse proportion to wave speeds, and ratios do not depend on units."""
        soft, hard = (1, 1, 0.25), (1, 16, 0.25)
        one = self.survey(self.deck([1] * 8, [soft]))
        self.check_verdict(one)
        # so many that sweeps beside the few boundaries do not cost what longer steps save
        both = self.survey(self.deck([1] * 40, [soft, hard]))
        pattern = r"critical steps from ([\d.e+-]+)"
        self.assertAlmostEqual(self.number(pattern, one) / self.number(pattern, both), 4, delta=0.01)
        self.assertAlmostEqual(self.number(r"until time [\d.e+-]+, work ratio ([\d.]+)", one), 1)
        self.assertGreater(self.number(r"until time [\d.e+-]+, work ratio ([\d.]+)", both), 1.3)
        self.assertIn("Material of 'half 2': density 1, Young's modulus 16", both)
        scaled = self.survey(self.deck([1] * 40, [(1e-9, 1e4, 0.25), (1e-9, 16e4, 0.25)]))
        ratio = r"work ratio ([\d.]+) if both"
        self.assertEqual(self.number(ratio, both), self.number(ratio, scaled))

    def test_slivers(self):
        text = self.survey(self.deck([1] * 20 + [0.05] + [1] * 20, [(1, 1, 0.25)]), "--output", "out")
        self.check_verdict(text)
        self.assertRegex(text, r"Smallest critical steps:\n.* cell 20 of body 'part'")
        self.assertIn("Mass scaling instead", text)
        self.assertTrue((self.folder / "out" / "costly_cells.vtu").exists())

    def test_synchronous_steps_are_as_long_as_every_cell_bears(self):
        """Also with viscosity, which shortens the steps of large cells more than those of small ones."""
        text = self.survey(self.deck([1] * 20 + [0.05] + [1] * 20, [(1, 1, 0.25)]),
                           "--set", "Bodies/part/Linear bulk viscosity=0.06")
        smallest = self.number(r"critical steps from ([\d.e+-]+)", text)
        limit = self.number(r"stable up to a step of ([\d.e+-]+)", text)
        self.assertGreater(limit, 0.999 * smallest)

    def test_the_case_is_a_beginning(self):
        printed = self.survey(PRM / "housing.msh", "--print-parameters",
                              "--set", "Bodies/part/Material/Density=1e-9")
        self.assertRegex(printed, r"set Density\s*= 1e-9")
        self.assertRegex(printed, r"set File\s*= .*housing.msh")
        self.assertNotIn("Material:", printed)

    def test_mistakes(self):
        self.assertIn("it does not exist", self.survey("no.msh", status=2))
        self.assertIn("'no.stl': ", self.survey("no.stl", status=2))
        self.assertIn("needs a value", self.survey_without_mesh())
        case = str(PRM / "bracket.prm")
        self.assertIn("cannot be used together with 'CASE.prm'",
                      self.survey(PRM / "bracket.msh", case, status=2))
        self.assertIn("cannot be used together with '--compare'",
                      self.survey(PRM / "bracket.msh", "--compare", status=2))
        deck = self.deck([1, 1], [(1, 0, 0.25)])
        self.assertIn("is not used", self.survey(deck))
        # what has been said before something is refused is not lost
        done = subprocess.run([PROGRAM, "--survey", str(deck), "--set", "Bodies/part/Density=1"],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no parameter 'Bodies/part/Density'", done.stderr)
        self.assertIn("is not used", done.stdout)

    def survey_without_mesh(self):
        return subprocess.run([PROGRAM, "--survey"], text=True, stderr=subprocess.PIPE).stderr


if __name__ == "__main__":
    unittest.main()
