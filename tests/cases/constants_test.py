"""Constants may be used in every number of a parameter file.

Usage: KICKDRIFT=path/to/kickdrift python3 constants_test.py [unittest arguments]
"""

import re
import unittest

from program_test import HERE, SMALL, ProgramTest, summary

# Lists of names or ids, file names, and the constants themselves: no numbers, whatever they contain.
TEXTS = {"Constants", "Names", "Ids", "Boundary ids", "Exclude", "Body", "Folder", "Amplitude file",
         "Followers", "Masters"}
NUMBER = re.compile(r"(?<![\w.])\d+\.?\d*(?:[eE][+-]?\d+)?(?![\w.])")


class Parameter:
    """A line 'set NAME = VALUE' of a printed parameter file, and what is said about it there."""

    def __init__(self, sections, name, value, documentation):
        self.path = "/".join([*sections, name])
        self.name, self.value = name, value
        self.documentation = documentation

    def with_constants(self):
        """The value with a constant in every number; as it is, if there is none."""
        if self.name in TEXTS:
            return self.value
        # boundary ids come before the colon
        start = self.value.find(":") + 1 if self.name == "Manifolds" else 0
        return self.value[:start] + NUMBER.sub(r"(\g<0>*one - nil)", self.value[start:])


def read_parameters(text):
    """All parameters of a printed parameter file."""
    sections, documentation = [], ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("#"):
            documentation += " " + line[1:]
        elif line.startswith("subsection "):
            sections.append(line.split(" ", 1)[1])
        elif line == "end":
            sections.pop()
        elif line.startswith("set "):
            name, value = line[4:].split("=", 1)
            value = value.split("#", 1)[0]
            yield Parameter(sections, name.strip(), value.strip(), documentation)
        if not line.startswith("#"):
            documentation = ""


class EveryNumber(ProgramTest):
    CASES = (HERE / "prm" / "all_numbers_2d.prm", HERE / "prm" / "all_numbers_3d.prm")

    def parameters(self, case):
        return list(read_parameters(self.run_program(case, "--print-parameters").stdout))

    def test_may_use_constants(self):
        for case in self.CASES:
            parameters = self.parameters(case)
            settings = {p.path: p.with_constants() for p in parameters}
            settings = {p.path: settings[p.path] for p in parameters if settings[p.path] != p.value}
            self.assertGreater(len(settings), 60)
            settings["Constants"] = "unused = 3, one = 2/2, nil = one - 1"
            _, plain = self.run_case(case)
            _, named = self.run_case(case, settings)
            self.assertGreater(summary(plain)["kicks"]["collisions"], 0)
            self.assertEqual(summary(plain)["state_hash"], summary(named)["state_hash"])
            self.assertEqual(
                (plain / "statistics.csv").read_text(), (named / "statistics.csv").read_text()
            )

    def test_is_in_the_cases(self):
        """What has a unit is a number, and has one in at least one of the cases."""
        numbers, with_unit = set(), set()
        for case in self.CASES:
            for parameter in self.parameters(case):
                name = re.sub(r"^(\w+)/[^/]+/", r"\1/NAME/", parameter.path)
                name = re.sub(r"/Id [^/]+/", "/", name)
                if "Units:" in parameter.documentation:
                    with_unit.add(name)
                if parameter.with_constants() != parameter.value:
                    numbers.add(name)
        self.assertGreater(len(with_unit), 50)
        self.assertEqual(with_unit - numbers, set())

    def test_integers_may_be_rounded(self):
        """3/0.1 is not 30 to the last bit."""
        _, output = self.run_case(self.CASES[0], {"Output/Save intervals": "0.3/0.1 + 1e-15"})
        self.assertEqual(len((output / "statistics.csv").read_text().splitlines()), 5)
        self.assert_refused(
            {"Output/Save intervals": "0.3/0.1 + 1e-3"}, "(3.0009", file=self.CASES[0]
        )

    def test_constants_that_are_not_there(self):
        for name in ("Dimension", "Bodies/named/Mesh/Arguments", "Contact/Friction"):
            self.assert_refused({name: "missing"}, name.rpartition("/")[2], file=self.CASES[0])

    def test_unknown_ones_are_named(self):
        """Also where a list of --set has dropped them."""
        self.assert_refused({"Constants": "m = 8"}, "'n'", "there are m, pi", file=SMALL)
        self.assert_refused({"Stepping/End time": "2*T"}, "there is no constant 'T'; there are n, pi",
                            file=SMALL)
        self.assert_refused({"Bodies/left/Initial velocity": "sim(x); 0"},
                            "there is no function 'sim'", file=SMALL)


class OneConstant(ProgramTest):
    """--constant changes one and leaves the others."""

    CASE = """
set Dimension = 2
set Constants = n = 4, L = 3, m = 2*n
subsection Bodies
  set Names = block
  subsection block
    subsection Mesh
      set Upper corner = L, L
      set Subdivisions = n, m
    end
  end
end
"""

    def cells(self, *options, status=0):
        case = self.write("case.prm", self.CASE)
        done = self.run_program(case, "--output", self.folder / "out", "--overwrite", *options,
                                "--set", "Stepping/End time=1e-9", status=status)
        return summary(self.folder / "out")["cells"] if status == 0 else done.stderr

    def test_others_stay(self):
        self.assertEqual(self.cells("--constant", "n=3"), 3 * 6)
        # an expression of those before it; the last one counts, and --set does not undo it
        both = ("--constant=m=n+L", "--constant", "n = 2", "--set", "Constants=n=1, L=5, m=1")
        self.assertEqual(self.cells(*both), 2 * 7)

    def test_mistakes(self):
        self.assertIn("'Constants' does not define 'k'; it defines n, L, m",
                      self.cells("--constant", "k=3", status=2))
        for text in ("n", "n=", "=3"):
            self.assertIn('expected "NAME=VALUE"', self.cells("--constant", text, status=2))


if __name__ == "__main__":
    unittest.main()
