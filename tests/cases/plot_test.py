"""Tests of contrib/plot.py, which plots the histories of runs, and of contrib/run.sh, which calls it.

Usage: KICKDRIFT=path/to/kickdrift python3 plot_test.py [unittest arguments]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from program_test import HERE, PROGRAM, SMALL, ProgramTest, rows
from render_test import python_with_matplotlib

CONTRIB = HERE.parent.parent / "contrib"

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
        for name in ("run.sh", "plot.py", "find_matplotlib.py"):
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
