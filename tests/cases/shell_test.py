"""Tests of what surrounds the program: completion of its command line, and the manual page.

Usage: KICKDRIFT=path/to/kickdrift python3 shell_test.py [unittest arguments]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from program_test import PRM, PROGRAM, SMALL, ProgramTest

CONTRIB = pathlib.Path(__file__).resolve().parents[2] / "contrib"


class Completion(ProgramTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
            '_kickdrift; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            ["bash", "-c", script, "bash", CONTRIB / "kickdrift.bash-completion", PROGRAM, *words],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
        )
        self.assertEqual(done.stderr, "")
        return sorted(word for word in done.stdout.splitlines() if word)

    def test_options(self):
        listed = re.findall(r"^  (--[a-z-]+)", self.run_program("--help").stdout, re.MULTILINE)
        self.assertGreater(len(listed), 10)
        self.assertEqual(self.complete("--"), sorted(listed))
        self.assertEqual(self.complete("--va"), ["--validate"])

    def test_files(self):
        self.write("bars.prm", "")
        self.write("notes.txt", "")
        (self.folder / "cases").mkdir()
        self.assertEqual(self.complete(""), ["bars.prm", "cases/"])
        self.assertEqual(self.complete("bars.prm", "--output", "c"), ["cases"])
        self.assertEqual(self.complete("bars.prm", "--threads", ""), [])

    def test_parameters(self):
        self.assertIn('"Stepping/End time=', self.complete("--set", "Stepping/E"))
        offered = self.complete(str(SMALL), "--set", "Bodies/left/Mesh/U")
        self.assertEqual(offered, ['"Bodies/left/Mesh/Upper corner='])

    def test_libraries_are_not_loaded(self):
        case = self.write("case.prm", SMALL.read_text().replace("linear elastic", "soft foam")
                          + "set Additional shared libraries = is_not_there.so\n")
        self.run_program(case, "--print-parameters", status=2)
        self.assertEqual(self.complete(str(case), "--set", "Bodies/left/Mesh/U"),
                         ['"Bodies/left/Mesh/Upper corner='])
        self.assertEqual(self.complete(str(case), "--constant", ""), ["n="])

    def test_constants(self):
        bars = str(PRM / "two_elastic_bars.prm")
        self.assertEqual(self.complete(bars, "--constant", ""), ["L=", "V=", "n="])
        self.assertEqual(self.complete(bars, "--constant", "L"), ["L="])


class Manual(ProgramTest):
    def test_says_what_help_says(self):
        page = self.folder / "kickdrift.1"
        subprocess.run([sys.executable, CONTRIB / "man_page.py", PROGRAM, page], check=True)
        text = page.read_text().replace("\\-", "-").replace("\\&", "").replace("\\(dq", '"')
        heads = re.findall(r"^\.B (--.*)$", text, re.MULTILINE)
        help_text = self.run_program("--help").stdout
        self.assertEqual(
            [head.split()[0] for head in heads], re.findall(r"^  (--\S+)", help_text, re.MULTILINE)
        )
        for head in heads:
            self.assertLess(len(head), 25)
            self.assertIn("  " + head, help_text)
        words = " ".join(text.split())
        for line in help_text.replace("Exit status: ", "").splitlines()[2:]:
            self.assertIn(" ".join(line[25 if line.startswith("  --") else 0 :].split()), words)
        if shutil.which("groff"):
            done = subprocess.run(
                ["groff", "-man", "-Tascii", "-ww", page],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True,
            )
            self.assertEqual(done.stderr, "")
            # bold letters are struck twice
            self.assertIn("EXIT STATUS", re.sub(r".\x08", "", done.stdout))


if __name__ == "__main__":
    unittest.main()
