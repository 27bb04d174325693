"""Builds the programs of doc/tutorial against an installed library, runs them and checks results.

Usage: tutorial_test.py BUILD_FOLDER BUILD_TYPE WORK_FOLDER
"""

import difflib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

TUTORIAL = pathlib.Path(__file__).resolve().parents[2] / "doc" / "tutorial"
BUILD, BUILD_TYPE, WORK = sys.argv[1:4]
WORK = pathlib.Path(WORK)


def run(*command, folder=WORK):
    """Run and return what it prints; fail with it otherwise."""
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def build(step):
    folder = WORK / step
    options = [f"-DCMAKE_PREFIX_PATH={WORK}/installed", f"-DCMAKE_BUILD_TYPE={BUILD_TYPE}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    run("cmake", "-S", TUTORIAL / step, "-B", folder, *options)
    run("cmake", "--build", folder)
    return folder


def numbers(text, label):
    """All numbers that follow a label, one from each line."""
    found = re.findall(re.escape(label) + r" (-?[0-9.e+-]+)", text)
    return [float(number.rstrip(".")) for number in found]


def code_lines(path):
    """Lines without comments and empty ones."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    return [line for line in lines if line and not line.startswith("//")]


def distance(a, b):
    return math.dist(a, b) / math.hypot(*a)


class Step1(unittest.TestCase):
    def test_results_agree(self):
        folder = build("step-1")
        displacement, kept = {}, []
        for program in ("synchronous", "asynchronous"):
            for ratio in ("0.5", "0.25"):
                printed = run(folder / program, ratio, folder=folder)
                displacement[program, ratio] = [
                    float(word) for word in (folder / "displacement.txt").read_text().split()
                ]
                energies = numbers(printed, "energy")
                self.assertEqual(len(energies), 9)
                kept.append(energies[-1] / energies[0])
                if program == "asynchronous":
                    self.assertGreater(numbers(printed, "Kicks saved:")[0], 0.5)
        for ratio in kept:
            self.assertAlmostEqual(ratio, 1, delta=0.005)
        differences = [
            distance(displacement["synchronous", ratio], displacement["asynchronous", ratio])
            for ratio in ("0.5", "0.25")
        ]
        self.assertLess(differences[0], 0.01)
        self.assertAlmostEqual(differences[0] / differences[1], 4, delta=0.5)

    def test_added_lines(self):
        before, after = (
            code_lines(TUTORIAL / "step-1" / name) for name in ("synchronous.cc", "asynchronous.cc")
        )
        added = [line for line in difflib.ndiff(before, after) if line.startswith("+ ")]
        self.assertLess(len(added), 30)
        readme = (TUTORIAL / "README.md").read_text()
        self.assertIn(f"{len(added)} lines of code added", readme)
        self.assertFalse([line for line in before if "ickdrift" in line.lower()])


class Step2(unittest.TestCase):
    def test_contact_keeps_momentum_and_energy(self):
        folder = build("step-2")
        printed = run(folder / "contact", folder=folder)
        self.assertGreater(numbers(printed, "collisions")[-1], 100)
        self.assertEqual(len(set(re.findall(r"momentum ([0-9.e-]+ [0-9.e-]+),", printed))), 1)
        for spin in numbers(printed, "angular momentum"):
            self.assertLess(abs(spin), 1e-6)
        for error in numbers(printed, "energy error"):
            self.assertLess(abs(error), 0.005)
        self.assertLess(numbers(printed, "largest penetration")[-1], 0.01)

    def test_meshes_are_those_of_the_script(self):
        run(sys.executable, TUTORIAL / "step-2" / "meshes.py")
        for name in ("wheel.msh", "ring.msh"):
            self.assertEqual((WORK / name).read_text(), (TUTORIAL / "step-2" / name).read_text())


class Step3(unittest.TestCase):
    def test_own_parts_work_together(self):
        folder = build("step-3")
        case = TUTORIAL / "step-3" / "caught_ball.prm"
        shutil.rmtree(folder / "output", ignore_errors=True)
        run(folder / "own_parts", case, folder=folder)
        summary = json.loads((folder / "output" / "caught_ball" / "summary.json").read_text())
        kicks = summary["kicks"]
        self.assertGreater(kicks["collisions"], 100)
        # 20 cables, and cells of 1 and 2 classes above the finest
        self.assertGreater(kicks["cable"], 20 * 100)
        self.assertLess(kicks["cable"] / 20, kicks["strain"] / 448 / 3)
        self.assertLess(summary["energy_error_max"], 0.01)
        self.check_mistakes(folder / "own_parts", case)

    def check_mistakes(self, program, case):
        printed = run(program, "--print-parameters")
        for text in ("'cables': cables that pull", "'torus': a ring", "'Mooney-Rivlin': rubber"):
            self.assertIn(text, " ".join(printed.replace("#", " ").split()))
        for setting, expected in (
            ("Kicks/net/Stiffness=0", "'Kicks/net/Stiffness' must be positive"),
            ("Kicks/net/Anchors=a, b, c", "Kicks/net/Anchors"),
            ("Kicks/net/Family=ropes", "cables"),
        ):
            done = subprocess.run([program, case, "--validate", "--set", setting], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(WORK / "installed", ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", WORK / "installed")
    os.environ.pop("KICKDRIFT", None)
    unittest.main(argv=sys.argv[:1])
