"""Tests of contrib/plot.py, which plots the histories of runs, and of contrib/run.sh, which calls it.

Usage: KICKDRIFT=path/to/kickdrift python3 plot_test.py [unittest arguments]
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from program_test import HERE, PROGRAM, SMALL, ProgramTest, rows
from render_test import python_with_matplotlib

CONTRIB = HERE.parent.parent / "contrib"
sys.path.insert(0, str(CONTRIB))
from low_pass import low_pass

# Prints, of the figure for some runs, panel by panel: title, curves by label, and whether the legend
# covers anything of the panel or of others.
DESCRIBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import plot
figure = plot.draw([plot.Run(folder) for folder in sys.argv[2:]])
figure.canvas.draw()
panels = [axes for axes in figure.axes if axes.lines]
boxes = [axes.get_window_extent() for axes in panels]
description = []
for axes in panels:
    legend = axes.get_legend()
    box = legend and legend.get_window_extent()
    description.append({
        "title": axes.get_title(loc="left"),
        "labels": [text.get_text() for text in legend.get_texts()] if legend else [],
        "curves": [[list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))]
                   for line in axes.lines],
        "covers": bool(legend) and any(box.overlaps(other) for other in boxes),
        "inside": not legend or (box.x0 >= 0 and box.x1 <= figure.bbox.x1)})
print(json.dumps(description, default=bool))
"""


class LowPass(unittest.TestCase):
    """contrib/low_pass.py against the definition of a Butterworth filter."""

    def amplitude(self, ratio, frequency=3.0, interval=1 / 600):
        """What is left of an oscillation, and by how much it is delayed."""
        times = [i * interval for i in range(5001)]
        omega = 2 * math.pi * ratio * frequency
        values = low_pass(times, [math.sin(omega * t) for t in times], frequency)
        middle = range(1500, 3500)  # a whole number of periods
        sine = sum(2 * values[i] * math.sin(omega * times[i]) for i in middle) / len(middle)
        cosine = sum(2 * values[i] * math.cos(omega * times[i]) for i in middle) / len(middle)
        return sine, cosine

    def test_frequencies(self):
        """Two passes of |H|^2 = 1/(1 + (f/f_pass)^4), together 1/sqrt(2) at the frequency."""
        for ratio in (0.2, 0.5, 1, 2, 5):
            sine, cosine = self.amplitude(ratio)
            self.assertAlmostEqual(sine, 1 / (1 + (math.sqrt(2) - 1) * ratio**4), delta=2e-3)
            self.assertAlmostEqual(cosine, 0, delta=2e-3)
        self.assertAlmostEqual(self.amplitude(1)[0], math.sqrt(0.5), delta=1e-3)

    def test_what_is_slow_stays(self):
        times = [0.01 * i for i in range(200)] + [1.9951, 2.0]  # with an odd end
        for values in ([4.0] * len(times), [3 * t - 1 for t in times]):
            for found, expected in zip(low_pass(times, values, 5), values):
                self.assertAlmostEqual(found, expected, delta=1e-9)
        self.assertEqual(low_pass([0, 1], [2, 3], 0.1), [2, 3])

    def test_impulse_is_kept(self):
        times = [0.01 * i for i in range(1001)]
        values = [1.0 if 400 <= i < 420 else 0.0 for i in range(1001)]
        self.assertAlmostEqual(sum(low_pass(times, values, 2)), sum(values), delta=1e-6)

    def test_units(self):
        times = [0.1 * i for i in range(100)]
        values = [math.cos(t * t) for t in times]
        milli = low_pass([1000 * t for t in times], values, 1e-3)
        for a, b in zip(low_pass(times, values, 1), milli):
            self.assertAlmostEqual(a, b, delta=1e-12)

    def test_frequencies_that_are_too_high(self):
        for frequency in (-1, 0, 2.6, float("nan")):
            with self.assertRaisesRegex(ValueError, "above 0 and below 2.5"):
                low_pass([0.1 * i for i in range(100)], [0.0] * 100, frequency)


@unittest.skipUnless(python_with_matplotlib(), "matplotlib is missing")
class Plot(ProgramTest):
    def describe(self, *folders):
        done = subprocess.run(
            [python_with_matplotlib(), "-c", DESCRIBE, CONTRIB, *folders],
            stdout=subprocess.PIPE, text=True, check=True,
        )
        panels = json.loads(done.stdout)
        for panel in panels:
            self.assertFalse(panel["covers"], panel["title"])
            self.assertTrue(panel["inside"], panel["title"])
        return {panel["title"]: panel for panel in panels}

    def test_panels_of_a_run(self):
        _, output = self.run_case(SMALL, {"Stepping/End time": 4})
        panels = self.describe(output)
        self.assertEqual(
            list(panels),
            ["Energies", "Energy error", "Contact forces", "Velocities of the bodies",
             "Probes: displacement", "Probes: velocity"],
        )
        contact = panels["Contact forces"]
        self.assertEqual(contact["labels"][0], "right on left x")
        times, forces = contact["curves"][0]
        written = rows(output / "contact.csv")
        self.assertEqual(times[1:], [float(row["time"]) for row in written])
        self.assertEqual(forces, [0] + [float(row["force_x"]) for row in written])
        # the momentum of the left body before and after
        impulse = sum(f * (t - s) for f, s, t in zip(forces[1:], times, times[1:]))
        left = [float(row["velocity_x"]) for row in rows(output / "bodies.csv")
                if row["body"] == "left"]
        self.assertAlmostEqual(impulse, left[-1] - left[0], 12)  # its mass is 1

    def test_runs_without_contact(self):
        _, output = self.run_case(SMALL, {"Contact/Enabled": "false"})
        self.assertNotIn("Contact forces", self.describe(output))

    def test_several_runs(self):
        folders = [self.run_case(SMALL, {"Contact/Restitution": e})[1] for e in (1, 0)]
        panels = self.describe(*folders)
        self.assertEqual(len(panels["Energy error"]["curves"]), 2)

    def test_any_python_will_do(self):
        """Without site-packages Python has no matplotlib; another one is found."""
        _, output = self.run_case(SMALL)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        folder = str(pathlib.Path(python_with_matplotlib()).parent)
        environment["PATH"] = folder + os.pathsep + environment["PATH"]
        for script, file in (("plot.py", output), ("render.py", output / "solution.pvd")):
            picture = self.folder / f"{script}.png"
            subprocess.run(
                [sys.executable, "-S", "-E", CONTRIB / script, file, "--output", picture],
                check=True, stdout=subprocess.PIPE, env=environment,
            )
            self.assertTrue(picture.read_bytes().startswith(b"\x89PNG\r\n"))

    def test_low_pass(self):
        """Forces are filtered, energies are not; a frequency that cannot be is refused."""
        _, output = self.run_case(SMALL, {"Stepping/End time": 4, "Output/Save intervals": 400})
        command = [python_with_matplotlib(), CONTRIB / "plot.py", output, "--output",
                   self.folder / "filtered.png", "--low-pass"]
        for frequency in ("50", "0"):
            done = subprocess.run([*command, frequency], stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"plot.py: --low-pass: a frequency of {frequency} cannot be filtered",
                          done.stderr)
        sizes = json.loads(subprocess.run(
            [python_with_matplotlib(), "-c",
             "import json, sys; sys.path.insert(0, sys.argv[1]); import plot\n"
             "run = plot.Run(sys.argv[2])\n"
             "print(json.dumps([[max(map(abs, axes.lines[0].get_ydata())) for axes in "
             "plot.draw([run], frequency).axes if axes.lines] for frequency in (None, 2)]))",
             CONTRIB, output], stdout=subprocess.PIPE, check=True, text=True).stdout)
        self.assertEqual(sizes[0][:2], sizes[1][:2])
        self.assertLess(sizes[1][2], sizes[0][2])

    def test_mistakes(self):
        for folder in ("gone", "."):
            done = subprocess.run(
                [python_with_matplotlib(), CONTRIB / "plot.py", folder],
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith("plot.py: "), done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1)


class RunScript(ProgramTest):
    """contrib/run.sh with a program that is built already."""

    def setUp(self):
        super().setUp()
        scripts = self.folder / "tree" / "contrib"
        scripts.mkdir(parents=True)
        for name in ("run.sh", "plot.py", "find_matplotlib.py", "low_pass.py"):
            shutil.copy(CONTRIB / name, scripts)
        (scripts / "build.sh").write_text("#!/bin/sh\n")
        (scripts / "build.sh").chmod(0o755)
        self.script = scripts / "run.sh"

    def run_script(self, *arguments, status=0):
        done = subprocess.run(
            [self.script, SMALL, *map(str, arguments)],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "KICKDRIFT_BUILD_DIR": str(pathlib.Path(PROGRAM).resolve().parent)},
        )
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def folders(self):
        return sorted(path.name for path in (self.folder / "output").iterdir())

    def test_twice(self):
        self.assertIn("output/small", self.run_script())
        self.assertIn("output/small_2", self.run_script())
        self.assertIn("output/small_3", self.run_script("--set", "Stepping/End time=1"))
        self.assertEqual(self.folders(), ["small", "small_2", "small_3"])
        self.run_script("--overwrite")
        self.assertEqual(self.folders(), ["small", "small_2", "small_3"])
        for name in self.folders():
            self.assertTrue((self.folder / "output" / name / "statistics.csv").exists())
            if python_with_matplotlib():
                self.assertTrue((self.folder / "output" / name / "histories.png").exists())

    def test_a_folder_that_was_chosen_is_kept(self):
        self.run_script("--output", "mine")
        self.assertIn("already holds a run", self.run_script("--output", "mine", status=2))
        self.assertFalse((self.folder / "output").exists())


if __name__ == "__main__":
    unittest.main()
