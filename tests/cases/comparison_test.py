"""End-to-end tests of kickdrift --compare.

Usage: KICKDRIFT=path/to/kickdrift python3 comparison_test.py [unittest arguments]
"""

import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

from program_test import PROGRAM, SMALL, ProgramTest, column, rows, summary

SCHEMES = [
    "nested",
    "per_cell",
    "synchronous",
    "synchronous_coupled",
    "nested_best",
    "synchronous_best",
]


def evaluations(run):
    """Of cells: kicks, and what sweeps at class boundaries evaluate."""
    kicks = run["summary"]["kicks"]
    return kicks["strain"] + kicks.get("class boundaries", 0)


class ComparisonTest(ProgramTest):
    def compare(self, *arguments, status=0, settings=None, measurements=1):
        """Compare the small case; returns (process, folder, what comparison.json holds).
        Measurements None: as often as without the option."""
        if measurements is not None:
            arguments = (*arguments, "--measurements", measurements)
        sets = [word for item in (settings or {}).items() for word in ("--set", "=".join(item))]
        folder = self.folder / "compared"
        done = self.run_program(
            SMALL, "--compare", "--output", folder, *sets, *arguments, status=status
        )
        path = folder / "comparison.json"
        return done, folder, json.loads(path.read_text()) if path.exists() else None

    def page_data(self, folder):
        """The data in the page."""
        page = (folder / "comparison.html").read_text()
        found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
        return page, json.loads(found.group(1))

    def assert_compare_refused(self, *arguments, expected):
        done = self.run_program(SMALL, "--compare", *arguments, status=2)
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertFalse(list(self.folder.iterdir()), "nothing is written before an error")


class Comparison(ComparisonTest):
    """Tests that read what a comparison has written; the same comparison is run once for all of them."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.common_folder = pathlib.Path(folder.name)
        cls.comparisons = {}

    def compare(self, *arguments, status=0, settings=None, measurements=1):
        key = (arguments, status, tuple(sorted((settings or {}).items())), measurements)
        if key not in self.comparisons:
            own_folder = self.folder
            self.folder = self.common_folder / str(len(self.comparisons))
            self.folder.mkdir()
            try:
                self.comparisons[key] = super().compare(
                    *arguments, status=status, settings=settings, measurements=measurements
                )
            finally:
                self.folder = own_folder
        return self.comparisons[key]

    def test_runs_and_numbers(self):
        done, folder, data = self.compare()
        self.assertEqual(done.stderr, "")
        (point,) = data["points"]
        self.assertEqual([run["scheme"] for run in point["runs"]], SCHEMES)
        self.assertNotIn("value", point)
        synchronous = point["runs"][2]
        for run in point["runs"]:
            self.assertEqual(run["status"], "done", run["message"])
            without = run["without_contact"]
            self.assertEqual((run["measurements"], without["measurements"]), (1, 1))
            self.assertEqual(run["summary"], summary(folder / run["folder"]))
            self.assertEqual(without["summary"], summary(folder / without["folder"]))
            self.assertEqual(without["summary"]["kicks"]["collision_tests"], 0)
            self.assertGreater(run["summary"]["kicks"]["collisions"], 0)
            times = [one["summary"]["wall_time"]["stepping"] for one in (run, without, synchronous)]
            self.assertAlmostEqual(run["contact_time"], times[0] - times[1], 12)
            self.assertAlmostEqual(run["time_ratio"], times[2] / times[0], 9)
            kicks = [evaluations(one) for one in (run, synchronous)]
            self.assertAlmostEqual(run["work_ratio"], kicks[1] / kicks[0], 12)
            penetrations = column(folder / run["folder"] / "statistics.csv", "max_penetration")
            self.assertEqual(run["max_penetration"], penetrations[-1])

    def test_schemes_are_what_they_are_called(self):
        _, folder, data = self.compare()
        clocks = {"nested": "nested", "nested_best": "nested", "per_cell": "per cell"}
        for name in SCHEMES:
            text = (folder / name / "parameters.prm").read_text()
            self.assertRegex(text, rf"set Clocks\s+= {clocks.get(name, 'one')}\n")
            if name not in clocks:
                self.assertRegex(text, r"set Schedule\s+= synchronous\n")
            solver = "coupled" if name.endswith("coupled") else "sequential"
            self.assertRegex(text, rf"set Solver\s+= {solver}\n")
            ratio = "0.75" if name == "nested_best" else "0.5"
            self.assertRegex(text, rf"set Time step ratio\s+= {ratio}\n")
            self.assertFalse(list((folder / name).glob("*.vtu")))
        (point,) = data["points"]
        step = float(re.search(r"set Time step +=(.*)", text).group(1))
        limit = point["largest_stable_step"]
        self.assertAlmostEqual(step / limit, 0.95, 9)
        self.assertGreaterEqual(limit, point["critical_steps"]["smallest"])
        self.assertLess(limit, 2 * point["critical_steps"]["smallest"])

    def test_a_synchronous_schedule_is_for_the_synchronous(self):
        _, folder, data = self.compare(settings={"Contact/Reference/Schedule": "synchronous"})
        self.assertEqual({run["status"] for run in data["points"][0]["runs"]}, {"done"})
        for name in SCHEMES:
            text = (folder / name / "parameters.prm").read_text()
            is_synchronous = re.search(r"set Schedule\s+= synchronous\n", text) is not None
            self.assertEqual(is_synchronous, name.startswith("synchronous"))

    def test_differences_of_probes(self):
        _, folder, data = self.compare()
        runs = data["points"][0]["runs"]
        self.assertEqual(runs[2]["displacement_difference"], 0)
        names = [f"tip_displacement_{axis}" for axis in "xy"]
        for run in runs:
            tips = [
                list(zip(*(column(folder / one["folder"] / "probes.csv", n) for n in names)))
                for one in (run, runs[2])
            ]
            difference = max(sum((a - b) ** 2 for a, b in zip(*tip)) for tip in zip(*tips))
            largest = max(sum(u**2 for u in tip) for tip in tips[1])
            expected = (difference / largest) ** 0.5
            self.assertAlmostEqual(run["displacement_difference"], expected, 9)

    def test_histories_and_histogram(self):
        _, folder, data = self.compare()
        (point,) = data["points"]
        for run in point["runs"]:
            for name in ("time", "energy_error"):
                file = column(folder / run["folder"] / "statistics.csv", name)
                for a, b in zip(run["histories"][name], file, strict=True):
                    self.assertAlmostEqual(a, b, delta=1e-5 * abs(b))
            self.assertIn("tip_velocity_x", run["histories"]["probes"])
        steps = point["critical_steps"]
        self.assertEqual(sum(steps["counts"]), point["cells"])
        self.assertEqual(len(steps["edges"]), len(steps["counts"]) + 1)

    def test_page_is_self_contained(self):
        _, folder, data = self.compare()
        page, in_page = self.page_data(folder)
        self.assertEqual(in_page, data)
        links = set(re.findall(r"https?://[^\"' )]+", page))
        self.assertEqual(links, {"http://www.w3.org/2000/svg"})  # a name, nothing is loaded
        for word in (" src=", " href=", "url(", "@import", "fetch(", "XMLHttpRequest"):
            self.assertNotIn(word, page)
        for key in ("processor", "cores", "compiler", "flavour", "instruction_set"):
            self.assertTrue(data["machine"][key])

    def test_a_command_repeats_its_run(self):
        without = ("--without", "per_cell", "--without", "nested_best")
        _, folder, data = self.compare(*without, settings={"Stepping/End time": "0.5"})
        run = data["points"][0]["runs"][0]
        words = shlex.split(run["command"])
        self.assertEqual(words[0], "kickdrift")
        words[words.index("--output") + 1] = str(self.folder / "again")
        self.run_program(*words[1:])
        again = summary(self.folder / "again")
        self.assertEqual(again["state_hash"], run["summary"]["state_hash"])
        self.assertEqual(again["time"], 0.5)

    def test_without_contact_there_is_no_share(self):
        _, folder, data = self.compare(settings={"Contact/Enabled": "false"})
        for run in data["points"][0]["runs"]:
            self.assertNotIn("without_contact", run)
            self.assertIsNone(run["contact_time"])
        # contact cannot be coupled if there is none
        self.assertEqual(len([p for p in folder.iterdir() if p.is_dir()]), len(SCHEMES) - 1)

    def test_coupled_contact_is_counted(self):
        _, _, data = self.compare()
        for run in data["points"][0]["runs"]:
            self.assertEqual("coupled_contact" in run["summary"], run["scheme"] == "synchronous_coupled")
        system = data["points"][0]["runs"][3]["summary"]["coupled_contact"]
        self.assertGreater(system["largest_system"], 1)
        self.assertGreater(system["constraints"], system["largest_system"])

    def test_equal_accuracy(self):
        _, folder, data = self.compare("--equal-accuracy")
        (point,) = data["points"]
        names = [run["scheme"] for run in point["runs"]]
        self.assertEqual(names, SCHEMES + ["synchronous_equal"])
        runs = dict(zip(names, point["runs"]))
        self.assertEqual(point["reference"]["summary"], summary(folder / "reference"))
        kicks = [run["summary"]["kicks"]["strain"] for run in (point["reference"], runs["synchronous"])]
        self.assertAlmostEqual(kicks[0] / kicks[1], 8, delta=0.1)
        errors = {name: run["reference_error"] for name, run in runs.items()}
        self.assertLessEqual(errors["synchronous_equal"], errors["nested"])
        steps = {
            name: float(re.search(r"set Time step +=(.*)", (folder / name / "parameters.prm").read_text()).group(1))
            for name in ("synchronous_best", "synchronous_equal")
        }
        quarters = 4 * math.log2(steps["synchronous_best"] / steps["synchronous_equal"])
        self.assertAlmostEqual(quarters, round(quarters), 6)
        self.assertGreaterEqual(quarters, 0)
        self.assertIn("--equal-accuracy", data["command"])

    def test_at_best(self):
        done, folder, data = self.compare("--at-best")
        (point,) = data["points"]
        runs = {run["scheme"]: run for run in point["runs"]}
        self.assertEqual(list(runs), ["nested", "nested_best", "synchronous_best"])
        self.assertIn("--at-best", data["command"])
        reference = point["reference"]
        for name in (*runs, "reference"):
            text = (folder / name / "parameters.prm").read_text()
            self.assertRegex(text, r"set Schedule\s+= adaptive\n")  # as in the case
            run = runs.get(name, reference)
            self.assertEqual(run["status"], "done")
            self.assertNotIn("without_contact", run)
            self.assertGreater(run["processor_time"], 0)
        kicks = {name: evaluations(run) for name, run in runs.items()}
        self.assertAlmostEqual(evaluations(reference) / kicks["nested"], 4, delta=0.1)
        self.assertAlmostEqual(
            runs["nested"]["work_ratio"], kicks["synchronous_best"] / kicks["nested"], 12
        )
        # what the runs have written says the same
        histories = {}
        for name in (*runs, "reference"):
            times = column(folder / name / "statistics.csv", "time")
            changes = list(zip(*(column(folder / name / "contact.csv", c) for c in ("time", "impulse_x", "impulse_y"))))
            histories[name] = [
                ([(0, 0, 0)] + [row for row in changes if row[0] <= time])[-1][1:] for time in times
            ]
        largest = max(math.hypot(*impulse) for impulse in histories["reference"])
        for name, run in runs.items():
            error = max(map(math.dist, histories[name], histories["reference"])) / largest
            self.assertAlmostEqual(run["reference_error_of_contact"], error, 9)
            self.assertIsNone(run["reference_error_of_reactions"])
        # forces are means over a fiftieth of the run
        times = column(folder / "nested" / "statistics.csv", "time")
        n = max(1, len(times) // 50)
        forces = {
            name: max(math.dist(a, b) / (t - s) for s, t, a, b in zip(times, times[n:], rows, rows[n:]))
            for name, rows in histories.items()
        }
        for name, run in runs.items():
            error = abs(forces[name] / forces["reference"] - 1)
            self.assertAlmostEqual(run["reference_error_of_contact_force"], error, 6)
            self.assertIsNone(run["reference_error_of_reaction_force"])
        self.assertRegex(done.stdout, r"nested clocks: \S+ times the kicks of synchronous, ")
        self.assertRegex(done.stdout, r"longest steps: \S+ times (the|fewer) kicks (of|than) synchronous, ")
        self.assertRegex(done.stdout, r"contact impulses off by \S+ %")

    def test_short_runs_are_measured_three_times(self):
        settings = {"Stepping/End time": "0.1"}
        _, _, data = self.compare("--at-best", settings=settings, measurements=None)
        self.assertEqual([run["measurements"] for run in data["points"][0]["runs"]], [3, 3, 3])
        self.assertNotIn("--measurements", data["command"])
        _, _, data = self.compare("--at-best", settings=settings, measurements=2)
        self.assertEqual([run["measurements"] for run in data["points"][0]["runs"]], [2, 2, 2])
        self.assertIn("--measurements 2", data["command"])

    def test_at_best_with_the_longest_steps_in_the_case(self):
        done, folder, data = self.compare("--at-best", settings={"Stepping/Time step ratio": "0.75", "Stepping/Class boundaries": "plain"})
        (point,) = data["points"]
        runs = {run["scheme"]: run for run in point["runs"]}
        # here mean steps of nested clocks are the longest: masses are scaled for them
        self.assertEqual(list(runs), ["nested", "synchronous_best", "synchronous_scaled"])
        text = (folder / "synchronous_scaled" / "parameters.prm").read_text()
        scaling, scaled = point["mass_scaling"], runs["synchronous_scaled"]
        for name in ("step", "critical_step"):
            entry = {"step": "Time step", "critical_step": "Critical step"}[name]
            value = float(re.search(rf"set {entry} +=(.*)", text).group(1))
            self.assertAlmostEqual(value / scaling[name], 1, 9)
        self.assertGreater(scaling["step"], 0.95 * point["largest_stable_step"])
        self.assertEqual(scaled["status"], "done", scaled["message"])
        kicks = [runs[name]["summary"]["strain_kicks"] for name in ("nested", "synchronous_scaled")]
        self.assertAlmostEqual(kicks[1] / kicks[0], 1, delta=0.1)
        added = scaled["summary"]["mass_scaling"]
        self.assertAlmostEqual(added["added_mass"] / added["mass"], scaling["added_share"], 9)
        self.assertIn(scaled["title"], done.stdout)

    def test_at_best_at_equal_accuracy(self):
        done, folder, data = self.compare("--at-best", "--equal-accuracy")
        (point,) = data["points"]
        runs = {run["scheme"]: run for run in point["runs"]}
        self.assertEqual(list(runs), ["nested", "nested_best", "synchronous_best", "synchronous_equal"])
        # with the reference of the former
        kicks = [run["summary"]["kicks"]["strain"] for run in (point["reference"], runs["nested"])]
        self.assertAlmostEqual(kicks[0] / kicks[1], 4, delta=0.1)
        # the title says whether so short a step was found
        equal = runs["synchronous_equal"]
        found = equal["reference_error"] <= runs["nested"]["reference_error"]
        title = "as accurate as nested" if found else "shortest step: less accurate than nested"
        self.assertEqual(equal["title"], "synchronous, " + title)
        self.assertIn(f"  {equal['title']}: ", done.stdout)
        self.assertNotIn("without_contact", equal)
        text = (folder / "synchronous_equal" / "parameters.prm").read_text()
        self.assertRegex(text, r"set Schedule\s+= adaptive\n")

    def test_schemes_can_be_left_out(self):
        without = ("--without", "per_cell", "--without", "nested_best")
        _, folder, data = self.compare(*without, settings={"Stepping/End time": "0.1"})
        left = [name for name in SCHEMES if name not in ("per_cell", "nested_best")]
        self.assertEqual([run["scheme"] for run in data["points"][0]["runs"]], left)
        self.assertFalse((folder / "per_cell").exists())
        self.assertIn("--without per_cell --without nested_best", data["command"])

    def test_quiet(self):
        without = ("--without", "per_cell", "--without", "synchronous_coupled")
        done, _, _ = self.compare("--quiet", *without, settings={"Stepping/End time": "0.1"})
        self.assertEqual(done.stdout + done.stderr, "")

    def test_stop_of_a_clock_per_cell_is_a_result(self):
        settings = {"Stepping/End time": "100", "Stepping/Time step ratio": "0.7"}
        settings["Contact/Response"] = "reflect"
        without = ("--without", "nested_best", "--without", "synchronous_coupled")
        done, folder, data = self.compare(*without, settings=settings)
        runs = {run["scheme"]: run for run in data["points"][0]["runs"]}
        run = runs["per_cell"]
        self.assertEqual(run["status"], "energy limit")
        self.assertIn("'Stepping/Energy limit' = 0.1", run["message"])
        self.assertIn(run["message"], done.stdout)
        self.assertLess(run["summary"]["time"], 100)
        for key in ("contact_time", "time_ratio", "work_ratio"):
            self.assertIsNone(run[key])
        self.assertEqual(runs["nested"]["status"], "done")

    def test_refusal_of_a_clock_per_cell_is_a_result(self):
        without = ("--without", "nested_best", "--without", "synchronous_coupled")
        _, _, data = self.compare(*without, settings={"Bodies/left/Damping": "0.1"})
        run = data["points"][0]["runs"][1]
        self.assertEqual(run["status"], "refused")
        self.assertIn("'Stepping/Clocks' = one or nested", run["message"])
        self.assertIsNone(run["summary"])

    def test_stop_of_another_run_is_a_failure(self):
        _, folder, data = self.compare(settings={"Stepping/Energy limit": "1e-9"}, status=1)
        runs = data["points"][0]["runs"]
        self.assertEqual({run["status"] for run in runs}, {"energy limit"})
        self.assertTrue((folder / "comparison.html").exists())


class Page(ComparisonTest):
    """The page in a browser; not run where there is none that works (Debian: chromium)."""

    def browse(self, address, *options):
        """What the browser makes of a page."""
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        command += [f"--user-data-dir={self.folder / 'profile'}", *options, address]
        return subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=120, check=True
        ).stdout

    def setUp(self):
        super().setUp()
        if shutil.which("chromium") is None:
            self.skipTest("there is no chromium")
        try:
            self.assertIn("hello", self.browse("data:text/html,hello"))
        except (AssertionError, subprocess.SubprocessError) as error:
            self.skipTest(f"chromium does not work here: {error}")

    def dom(self, page, width):
        # what only a browser knows is written into the page
        measured = self.folder / "measured.html"
        probe = """<script>addEventListener("load", () => {
          const boxes = [...document.querySelectorAll('svg[role="img"]')].map(svg => svg.getBoundingClientRect());
          document.body.dataset.overflow = document.documentElement.scrollWidth - innerWidth;
          document.body.dataset.smallest = Math.min(...boxes.map(box => Math.min(box.width, box.height)));
          document.body.dataset.right = Math.max(...boxes.map(box => box.right)) - innerWidth;
        });</script></body>"""
        measured.write_text(page.read_text().replace("</body>", probe))
        return self.browse(
            measured.as_uri(), f"--window-size={width},900", "--virtual-time-budget=10000"
        )

    def test_it_draws_tables_and_plots(self):
        settings = {"Stepping/Energy limit": "10", "Stepping/End time": "1"}
        _, folder, data = self.compare("--sweep", "n=2,4", settings=settings)
        for width in (360, 1280):
            dom = self.dom(folder / "comparison.html", width)
            for key, smallest, largest in (("overflow", -50, 0), ("smallest", 150, 700), ("right", -width, 0)):
                value = float(re.search(rf'data-{key}="([^"]*)"', dom).group(1))
                self.assertGreaterEqual(value, smallest, (key, width))
                self.assertLessEqual(value, largest, (key, width))
            body = dom.split("<script")[0]
            for run in data["points"][1]["runs"]:
                self.assertIn(run["title"], body)
                self.assertIn(f">{run['summary']['kicks']['strain']}<", body)
            self.assertNotIn("NaN", body)
            self.assertNotIn("Infinity", body)
            # 4 plots of the sweep, 2 of energies, 2 of their error, 1 probe, with a line for every
            # run; the histogram
            self.assertEqual(body.count('role="img"'), 4 + 2 + 2 + 1 + 1)
            lines = re.findall(r'<path d="([^"]*)"', body)
            self.assertEqual(len(lines), (4 + 2 + 2 + 1) * len(SCHEMES))
            # on a busy machine a run without contact may take longer than that with it, at all points
            without = [all((run["contact_time"] or 0) <= 0 for run in runs)
                       for runs in zip(*(point["runs"] for point in data["points"]))]
            self.assertLessEqual(lines.count(""), sum(without), "no line is empty")
            self.assertGreater(body.count("<rect"), 1)


class Sweep(ComparisonTest):
    def test_all_values(self):
        _, folder, data = self.compare(
            "--sweep",
            "n=2,4",
            settings={
                "Stepping/End time": "0.5",
                "Stepping/Energy limit": "10",  # for the longest step, 0.25 of the end time
                "Constants": "m = 1, n = 3",
            },
        )
        self.assertEqual(data["sweep"], "n")
        self.assertEqual([point["value"] for point in data["points"]], [2, 4])
        self.assertEqual([point["cells"] for point in data["points"]], [10, 20])
        for point in data["points"]:
            for run in point["runs"]:
                self.assertEqual(run["folder"], f"n={point['value']}/{run['scheme']}")
                self.assertEqual(run["summary"], summary(folder / run["folder"]))
        self.assertEqual(self.page_data(folder)[1], data)


    def test_points_that_are_done_are_kept(self):
        # a sweep that is killed in its second point
        folder = self.folder / "compared"
        command = [PROGRAM, SMALL, "--compare", "--sweep", "n=2,40", "--output", folder]
        command += ["--measurements", "1"]
        with subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, start_new_session=True
        ) as process:
            for line in process.stdout:
                if line.startswith(b"n = 40"):
                    break
            os.killpg(process.pid, signal.SIGKILL)  # with the run that it has started
        data = json.loads((folder / "comparison.json").read_text())
        self.assertEqual([point["value"] for point in data["points"]], [2])
        self.assertEqual(self.page_data(folder)[1], data)


class ComparisonErrors(ComparisonTest):
    def test_options_that_do_not_go_together(self):
        for option in ("--validate", "--print-parameters"):
            self.assert_compare_refused(option, expected=["'--compare'", f"'{option}'"])
        self.assert_compare_refused("--resume", expected=["'--resume'"])
        done = self.run_program(SMALL, "--sweep", "n=2,4", status=2)
        self.assertIn("'--sweep' needs '--compare'", done.stderr)
        done = self.run_program(SMALL, "--equal-accuracy", status=2)
        self.assertIn("'--equal-accuracy' needs '--compare'", done.stderr)
        done = self.run_program(SMALL, "--at-best", status=2)
        self.assertIn("'--at-best' needs '--compare'", done.stderr)
        done = self.run_program(SMALL, "--measurements", "1", status=2)
        self.assertIn("'--measurements' needs '--compare'", done.stderr)
        for count in ("0", "-1", "two"):
            self.assert_compare_refused(
                "--measurements", count, expected=["'--measurements'", "1 to 999999", f"'{count}'"]
            )
        done = self.run_program(SMALL, "--without", "per_cell", status=2)
        self.assertIn("'--without' needs '--compare'", done.stderr)
        for name in ("nested", "synchronous", "verlet"):
            self.assert_compare_refused(
                "--without", name, expected=[f"--without '{name}'", "per_cell, synchronous_coupled,"]
            )
        text = re.sub(r"subsection Probes.*?\nend\n", "", SMALL.read_text(), flags=re.S)
        case = self.write("no_probes.prm", text)
        done = self.run_program(case, "--compare", "--equal-accuracy", status=2)
        self.assertIn("'--equal-accuracy' needs probes", done.stderr)
        self.assertIn("needs a parameter file", self.run_program("--compare", status=2).stderr)

    def test_sweeps(self):
        for sweep, expected in (
            ("k=2,4", "'Constants' does not define 'k'; it defines n"),
            ("n", "expected NAME=a,b,c"),
            ("n=", "expected NAME=a,b,c"),
            ("=2", "expected NAME=a,b,c"),
            ("n=2,x", "'x' is not a number"),
            ("n=2,,4", "'' is not a number"),
            ("n=2,2", "'2' is in it twice"),
            ("n=4,-1", "at -1"),
        ):
            self.assert_compare_refused("--sweep", sweep, expected=[f'--sweep "{sweep}"', expected])

    def test_mistakes_in_the_case(self):
        self.assert_compare_refused("--set", "Stepping/End tim=1", expected=["'Stepping/End time'"])
        self.assert_compare_refused(
            "--set", "Bodies/right/Mesh/Lower corner=-0.5, 0", expected=["overlap at the start"]
        )

    def test_earlier_results_are_kept(self):
        short = {"Stepping/End time": "0.1"}
        _, folder, _ = self.compare("--at-best", settings=short)
        before = (folder / "comparison.json").read_text()
        done, _, _ = self.compare("--at-best", settings=short, status=2)
        self.assertIn("already holds a run", done.stderr)
        (folder / "comparison.json").unlink()
        done, _, _ = self.compare("--at-best", settings=short, status=2)
        self.assertIn("already holds a run", done.stderr)
        self.compare("--at-best", "--overwrite", settings=short)
        self.assertNotEqual((folder / "comparison.json").read_text(), before)
        self.assertTrue(rows(folder / "nested" / "statistics.csv"))


if __name__ == "__main__":
    unittest.main()
