"""Builds the programs of doc/tutorial and of README.md against an installed library, with the very
commands that these pages print, runs them and checks results.

Usage: tutorial_test.py BUILD_FOLDER WORK_FOLDER
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIAL = ROOT / "doc" / "tutorial"
BUILD, WORK = sys.argv[1:3]
WORK = pathlib.Path(WORK)


def run(*command, folder=WORK):
    """Run and return what it prints; fail with it otherwise."""
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def blocks(page, language):
    """The blocks of code of a page, in order."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.DOTALL)


def build(step):
    """As doc/tutorial/README.md prints it for step-1. The library is installed in ~/kickdrift."""
    line = next(line for line in blocks(TUTORIAL / "README.md", "sh")[0].splitlines()
                if line.startswith("cmake -S doc/tutorial/step-1 "))
    run("bash", "-c", line.replace("step-1", step))
    return WORK / step


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
        self.assertLessEqual(len(added), 26)
        readme = (TUTORIAL / "README.md").read_text()
        self.assertIn(f"{len(added)} lines of code added", readme)
        self.assertFalse([line for line in before if "ickdrift" in line.lower()])


class Readme(unittest.TestCase):
    def test_project_works_as_printed(self):
        readme = ROOT / "README.md"
        folder = WORK / "solver"
        folder.mkdir(exist_ok=True)
        for language, name, part in (("cmake", "CMakeLists.txt", "project(Solver"),
                                     ("cpp", "solver.cc", "int main()")):
            code = next(block for block in blocks(readme, language) if part in block)
            (folder / name).write_text(code)
        command = next(block for block in blocks(readme, "sh") if "build/solver" in block)
        printed = run("bash", "-c", command, folder=folder)
        # the plate flies on but for its end: nearly 5 m/s for 0.1 ms in each direction
        self.assertAlmostEqual(numbers(printed, "largest displacement:")[0], 5e-4, delta=1.5e-4)


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
        # 20 cables of one stiffness, all on one clock, which is no slower than that of most cells
        self.assertGreater(kicks["cable"], 20 * 100)
        self.assertEqual(kicks["cable"] % 20, 0)
        self.assertLess(kicks["cable"] / 20, 2 * kicks["strain"] / 448)
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


class Step4(unittest.TestCase):
    def energies(self, printed, label):
        found = numbers(printed, label)
        self.assertEqual(len(found), 9)
        return found

    def test_any_number_of_processes(self):
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        folder = build("step-4")
        environment = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
        balances = []
        for n in (1, 2, 3):
            printed = run(*environment, "mpirun", "--oversubscribe", "-n", n, folder / "with_contact",
                          folder=folder)
            balances.append(re.findall(r"with contact (\S+)", printed))
        self.assertEqual(len(set(balances[0])), 9)
        self.assertEqual(balances[0], balances[1])
        self.assertEqual(balances[0], balances[2])
        # what the solver makes of its own matrices and the vectors that it gets
        for own, expected in zip(self.energies(printed, "energy"),
                                 self.energies(printed, "by the library")):
            self.assertAlmostEqual(own / expected, 1, delta=1e-6)
        for balance in balances[2]:
            self.assertAlmostEqual(float(balance) / float(balances[2][0]), 1, delta=0.005)
        # without contact the disc is not strained, and goes on
        printed = run(folder / "without_contact", folder=folder)
        for energy in self.energies(printed, "energy"):
            self.assertAlmostEqual(energy / float(balances[0][0]), 1, delta=1e-6)

    def test_added_lines(self):
        before, after = (code_lines(TUTORIAL / "step-4" / f"{name}_contact.cc")
                         for name in ("without", "with"))
        added = [line for line in difflib.ndiff(before, after) if line.startswith("+ ")]
        self.assertLessEqual(len(added), 30)
        self.assertIn(f"with {len(added)} lines of code added",
                      " ".join((TUTORIAL / "README.md").read_text().split()))


class Step5(unittest.TestCase):
    def test_pillar_carries_its_share(self):
        folder = build("step-5")
        printed = run(folder / "loads_and_supports", folder=folder)
        expected = numbers(printed, "weight is")[0]
        # shear lets it be 0.2 per cent more
        self.assertAlmostEqual(numbers(printed, "carries")[0] / expected, 1, delta=0.005)
        self.assertIn("second time the same: yes", printed)
        self.assertGreaterEqual(len(numbers(printed, "time")), 6)
        for error in numbers(printed, "error"):
            self.assertLess(abs(error), 1e-4)
        self.assertLess(numbers(printed, "kinetic")[-1], 1e-4 * numbers(printed, "strain")[-1])
        history = [[float(word) for word in line.split()]
                   for line in (folder / "bridge.txt").read_text().splitlines()]
        self.assertEqual(len(history), 600)
        self.assertGreater(max(force for _, _, force in history), 2 * expected)


class Step6(unittest.TestCase):
    def test_mesh_follows_the_contact(self):
        if shutil.which("mpirun") is None:
            self.skipTest("there is no mpirun")
        folder = build("step-6")
        environment = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"]
        printed = [run(*environment, "mpirun", "--oversubscribe", "-n", n,
                       folder / "refine_while_running", folder=folder) for n in (1, 3)]
        self.assertEqual(printed[0], printed[1])
        number = r"(-?[0-9.e+-]+)"
        momenta = re.findall(rf"momentum {number} {number} -> {number} {number},", printed[0])
        self.assertEqual(len(momenta), 24)
        for row in momenta:
            before, after = [float(p) for p in row[:2]], [float(p) for p in row[2:]]
            self.assertLess(distance(before, after), 1e-12)
        for energy, loss, error in zip(numbers(printed[0], "energy"), numbers(printed[0], "changes"),
                                       numbers(printed[0], "error")):
            self.assertLess(abs(loss), 0.02 * energy)
            self.assertLess(abs(error), 5e-3 * energy)
        cells = numbers(printed[0], "cells")
        self.assertGreater(len(set(cells)), 3)
        self.assertLess(max(cells), 1000)  # of 4096 if all were as small


class Step7(unittest.TestCase):
    def test_waves_are_those_of_dalembert(self):
        folder = build("step-7")
        printed = run(folder / "thermo_mechanical", folder=folder)
        differences = numbers(printed, "D'Alembert")
        self.assertEqual(len(differences), 4)
        self.assertLess(differences[0], 0.005)
        self.assertLess(max(differences), 0.06)  # at the wall, while it is hit
        self.assertLess(differences[-1], 0.025)
        impulses = numbers(printed, "wall")
        for momentum, impulse in zip(numbers(printed, "momentum"), impulses):
            self.assertAlmostEqual(momentum, impulse, delta=1e-9)
        self.assertAlmostEqual(impulses[-1] / numbers(printed, "of")[-1], 1, delta=0.002)
        for error in numbers(printed, "energy error"):
            self.assertLess(abs(error), 0.001)


class ShortPrograms(unittest.TestCase):
    def test_steps_5_to_7_have_120_lines(self):
        for path in [next((TUTORIAL / f"step-{n}").glob("*.cc")) for n in (5, 6, 7)]:
            lines = [line for line in path.read_text().splitlines() if line.strip()]
            self.assertLessEqual(len(lines), 120, path)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    for folder in ("kickdrift", "solver", *(f"step-{n}" for n in range(1, 8))):
        shutil.rmtree(WORK / folder, ignore_errors=True)
    if not (WORK / "doc").exists():
        (WORK / "doc").symlink_to(ROOT / "doc")
    run("cmake", "--install", BUILD, "--prefix", WORK / "kickdrift")
    os.environ["HOME"] = str(WORK)  # the pages say ~/kickdrift
    if shutil.which("ccache"):
        os.environ["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    os.environ.pop("KICKDRIFT", None)
    unittest.main(argv=sys.argv[:1])
