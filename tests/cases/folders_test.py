"""What runs do to their folders, and to each other: locks, what --overwrite removes, pictures.

Usage: KICKDRIFT=path/to/kickdrift python3 folders_test.py [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM = os.environ["KICKDRIFT"]
HERE = pathlib.Path(__file__).resolve().parent
SMALL = HERE / "prm" / "small.prm"
LONG = {"Stepping/End time": 1e6, "Output/Save intervals": 10**7, "Output/VTU every": 0,
        "Output/Surface every": 0, "Checkpoint/Time interval": 1}
DONE, STOPPED, REFUSED, INTERRUPTED = 0, 1, 2, 3


class FolderTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "run"

    def command(self, settings, *arguments, case=SMALL):
        sets = [word for item in settings.items() for word in ("--set", "=".join(map(str, item)))]
        return [PROGRAM, str(case), "--output", str(self.output), *sets, *arguments]

    def run_case(self, settings=None, *arguments, status=DONE, case=SMALL, environment=None):
        done = subprocess.run(
            self.command(settings or {}, *arguments, case=case), cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
            env={**os.environ, **(environment or {})},
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def start(self, settings=None, *arguments):
        """A run that has written some rows and goes on."""
        run = subprocess.Popen(
            self.command({**LONG, **(settings or {})}, *arguments), cwd=self.folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.wait_for_rows(run)
        return run

    def wait_for_rows(self, run, n_bytes=5000):
        statistics = self.output / "statistics.csv"
        deadline = time.monotonic() + 120
        while not (statistics.exists() and statistics.stat().st_size > n_bytes):
            self.assertIsNone(run.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def write(self, name, text="mine\n"):
        path = self.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Lock(FolderTest):
    def assert_refused(self, run, *arguments):
        message = self.run_case(LONG, *arguments, status=REFUSED).stderr
        self.assertIn(str(self.output), message)
        self.assertIn(f"process {run.pid} on host '{socket.gethostname()}'", message)
        self.assertEqual(len(message.strip().splitlines()), 1)

    def test_a_second_run_is_refused(self):
        run = self.start()
        for arguments in ((), ("--overwrite",), ("--resume",)):
            self.assert_refused(run, *arguments)
        self.assertIsNone(run.poll())
        self.assertEqual((self.output / "statistics.csv").read_text().count("time"), 1)

    def test_two_that_resume(self):
        run = self.start()
        deadline = time.monotonic() + 120
        while not list((self.output / "checkpoint").glob("checkpoint_??????")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        run.kill()
        run.wait()
        first = subprocess.Popen(self.command(LONG, "--resume"), stderr=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL)
        self.addCleanup(first.wait)
        self.addCleanup(first.kill)
        self.wait_for_rows(first, (self.output / "statistics.csv").stat().st_size)
        self.assert_refused(first, "--resume")

    def test_comparisons_lock_their_folder(self):
        case = self.folder / "case.prm"
        case.write_text(SMALL.read_text())
        words = [PROGRAM, str(case), "--compare", "--output", str(self.output),
                 "--set", "Stepping/End time=200"]
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.terminate)
        deadline = time.monotonic() + 120
        while not (self.output / "nested").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        message = subprocess.run(words + ["--overwrite"], stderr=subprocess.PIPE, text=True).stderr
        self.assertIn(f"process {run.pid} on host", message)

    def test_nothing_is_left_behind(self):
        self.run_case()
        self.assertFalse((self.output / "run.lock").exists())

    def test_a_killed_run_locks_nothing(self):
        run = self.start()
        run.kill()
        run.wait()
        self.assertTrue((self.output / "run.lock").exists())
        self.run_case({}, "--overwrite")
        self.assertFalse((self.output / "run.lock").exists())

    def test_a_replaced_file_stops_the_run(self):
        run = self.start()
        statistics = self.output / "statistics.csv"
        (self.folder / "copy").write_text(statistics.read_text())
        (self.folder / "copy").rename(statistics)
        _, message = run.communicate(timeout=60)
        self.assertEqual(run.returncode, STOPPED)
        self.assertRegex(message, r"stopped: Cannot write '.*/statistics.csv': the file was "
                         "replaced or changed meanwhile")

    def test_rows_of_somebody_else_stop_the_run(self):
        run = self.start()
        with open(self.output / "bodies.csv", "a", encoding="ascii") as file:
            file.write("1,2\n")
        _, message = run.communicate(timeout=60)
        self.assertEqual(run.returncode, STOPPED)
        self.assertIn("bodies.csv': the file was replaced or changed", message)


class Overwrite(FolderTest):
    def kept(self):
        """Files of a user whose names are like those of runs."""
        return [self.write(name) for name in (
            "solution_notes.vtu", "solution_1.vtu", "surface_000001_old.vtu", "notes.txt",
            "solution/solution_000001_mine.vtu", "solution/solution_000001.mine.vtu",
            "solution/solution_000001.1.2.vtu", "surface/notes.txt", "checkpoint/mine",
            "summary.json.bak", "my_statistics.csv",
        )]

    def test_only_what_the_program_has_written_is_removed(self):
        self.run_case({"Output/VTU every": 1})
        stale = self.output / "solution" / "solution_000010.vtu"
        self.assertTrue(stale.exists())
        # as several processes write them, in pieces
        for name in ("solution_000010.pvtu", "solution_000010.12.vtu", "solution_000010_1.0.vtu"):
            shutil.copy(stale, self.output / "solution" / name)
        kept = self.kept()
        self.run_case({"Output/VTU every": 0}, "--overwrite")
        for path in kept:
            self.assertEqual(path.read_text(), "mine\n", path)
        self.assertFalse(stale.exists())
        self.assertEqual(len(list((self.output / "solution").iterdir())), 3)

    def test_edited_parameters_stay(self):
        self.run_case()
        parameters = self.output / "parameters.prm"
        edited = "# why I did it so\n" + parameters.read_text()
        parameters.write_text(edited)
        before = {path: path.read_bytes() for path in self.output.rglob("*") if path.is_file()}
        message = self.run_case({}, "--overwrite", status=REFUSED).stderr
        self.assertIn(f"'{parameters}' was not written by this program, or has been edited", message)
        after = {path: path.read_bytes() for path in self.output.rglob("*") if path.is_file()}
        self.assertEqual(after, before)

    def test_edited_parameters_are_used_to_resume(self):
        self.run_case()
        parameters = self.output / "parameters.prm"
        edited = "# longer\n" + re.sub("set End time.*", "set End time = 3", parameters.read_text())
        parameters.write_text(edited)
        self.run_case({}, "--resume", case=parameters)
        self.assertEqual(parameters.read_text(), edited)
        self.assertIn("\n3,", (self.output / "statistics.csv").read_text())

    def test_unedited_parameters_can_be_run_in_their_folder(self):
        self.run_case()
        parameters = self.output / "parameters.prm"
        before = parameters.read_text()
        self.run_case({}, "--overwrite", case=parameters)
        self.assertEqual(parameters.read_text(), before)

    def test_files_that_no_run_has_written(self):
        path = self.write("statistics.csv")
        self.assertIn("'statistics.csv'", self.run_case(status=REFUSED).stderr)
        message = self.run_case({}, "--overwrite", status=REFUSED).stderr
        self.assertIn("holds 'statistics.csv' but no 'parameters.prm'", message)
        self.assertEqual(path.read_text(), "mine\n")

    def test_pictures_and_checkpoints_that_no_run_has_written(self):
        for name in ("solution_000012.vtu", "surface/surface_000000.vtu", "checkpoint/checkpoint_000001",
                     "comparison.html"):
            with self.subTest(name=name):
                path = self.output / name
                path.parent.mkdir(parents=True)
                path.write_text("mine\n")
                message = self.run_case({}, "--overwrite", status=REFUSED).stderr
                self.assertIn(f"holds '{name}' but no 'parameters.prm'", message)
                self.assertEqual(path.read_text(), "mine\n")
                shutil.rmtree(self.output)

    def test_wrong_input_leaves_no_folder(self):
        self.output = self.folder / "a" / "b" / "c"
        self.run_case({"Bodies/right/Mesh/Lower corner": "-0.5, 0"}, status=REFUSED)
        self.assertFalse((self.folder / "a").exists())

    def test_the_folder_is_looked_at_before_the_mesh_is_made(self):
        self.output.write_text("a file\n")
        huge = {"Constants": "n = 20000", "Bodies/left/Mesh/Subdivisions": "n, n"}
        begin = time.monotonic()
        message = self.run_case(huge, status=REFUSED).stderr
        self.assertIn("is a file", message)
        self.assertLess(time.monotonic() - begin, 30)


class Launcher(FolderTest):
    def test_copies_that_know_nothing_of_each_other_are_refused(self):
        """Started by the launcher of another MPI: variables that this one does not know."""
        for variable in ("PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
            message = self.run_case(status=REFUSED, environment={variable: "2"}).stderr
            self.assertIn(f"has started 2 processes ({variable} = 2)", message)
            self.assertFalse(self.output.exists())

    def test_one_process_runs(self):
        self.run_case(environment={"OMPI_COMM_WORLD_SIZE": "1", "SLURM_STEP_NUM_TASKS": "1"})


class Pictures(FolderTest):
    def test_one_file_for_each_save_time_in_folders_of_their_own(self):
        self.run_case({"Output/VTU every": 2, "Output/Surface every": 5})
        names = {path.name for path in self.output.iterdir()}
        self.assertEqual({name for name in names if "vtu" in name}, set())
        for series, every in (("solution", 2), ("surface", 5)):
            listed = [(float(entry.get("timestep")), entry.get("file")) for entry in
                      ElementTree.parse(self.output / f"{series}.pvd").iter("DataSet")]
            expected = [f"{series}/{series}_{i:06}.vtu" for i in range(0, 11, every)]
            self.assertEqual([file for _, file in listed], expected)
            for i, (when, file) in enumerate(listed):
                self.assertAlmostEqual(when, 0.2 * every * i)
                self.assertTrue((self.output / file).exists())
            self.assertEqual(len(list((self.output / series).iterdir())), len(expected))

    def test_interrupted_series_are_complete(self):
        run = self.start({"Output/VTU every": 1})
        run.send_signal(signal.SIGTERM)
        run.wait(timeout=60)
        self.assertEqual(run.returncode, INTERRUPTED)
        listed = [entry.get("file") for entry in
                  ElementTree.parse(self.output / "solution.pvd").iter("DataSet")]
        self.assertEqual(len(listed), len(list((self.output / "solution").iterdir())))
        self.assertGreater(len(listed), 5)


if __name__ == "__main__":
    unittest.main()
