"""Trouble that the program does not make itself: a disk that is full, a folder that is removed while
it runs, files that cannot be read. A clear error each time, and earlier output stays as it was.

Usage: trouble_test.py [class ...], with KICKDRIFT naming the program.
"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["KICKDRIFT"]
SMALL = pathlib.Path(__file__).resolve().parent / "prm" / "small.prm"
STOPPED, REFUSED = 1, 2


class TroubleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, case, output, settings):
        sets = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        return [PROGRAM, str(case), "--output", str(output), "--quiet", *sets]

    def run_case(self, case, settings, status, **arguments):
        output = self.folder / "run"
        done = subprocess.run(
            self.command(case, output, settings),
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            cwd=self.folder,
            **arguments,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        self.assert_one_line(done.stderr, status)
        return done.stderr, output

    def assert_one_line(self, message, status):
        if status:
            self.assertRegex(message, r"\Akickdrift: [^\n]+\n\Z")
            self.assertNotIn("Stacktrace", message)

    def contents(self, folder):
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class FullDisk(TroubleTest):
    SETTINGS = {"Output/Save intervals": 40, "Output/VTU every": 10, "Output/Surface every": 0}
    # with a picture that is larger than any other file
    PICTURES = {**SETTINGS, "Constants": "n = 40"}

    def run_with_space_for(self, n_bytes, settings=None):
        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

        return self.run_case(SMALL, settings or self.SETTINGS, STOPPED, preexec_fn=limit_files)

    def setUp(self):
        super().setUp()
        _, output = self.run_case(SMALL, self.SETTINGS, 0)
        self.whole = output.rename(self.folder / "whole")

    def test_rows_written_before_stay(self):
        """The first file that grows beyond the limit stops the run; no file has half a row."""
        # parameters.prm fits, but not what grows
        settings = {**self.SETTINGS, "Output/Save intervals": 100}
        shutil.rmtree(self.whole)
        _, output = self.run_case(SMALL, settings, 0)
        output.rename(self.whole)
        sizes = {name: (self.whole / name).stat().st_size for name in ("statistics.csv", "parameters.prm")}
        self.assertLess(1.5 * sizes["parameters.prm"], sizes["statistics.csv"])
        message, output = self.run_with_space_for(int(1.1 * sizes["parameters.prm"]), settings)
        self.assertRegex(message, r"stopped: Cannot write '.*/\w+\.csv': ")
        n_rows = 0
        for path in output.glob("*.csv"):
            text = path.read_text()
            self.assertTrue(text.endswith("\n"), path.name)
            self.assertTrue((self.whole / path.name).read_text().startswith(text), path.name)
            n_rows = max(n_rows, text.count("\n") - 1)
        self.assertGreater(n_rows, 5)
        self.assertEqual(json.loads((output / "summary.json").read_text())["status"], "stopped")

    def test_pictures_are_whole_or_absent(self):
        shutil.rmtree(self.whole)
        _, output = self.run_case(SMALL, self.PICTURES, 0)
        whole = output.rename(self.whole)
        pictures = sorted(whole.glob("*/*.vtu"), key=lambda path: path.stat().st_size)
        others = [path for path in whole.iterdir() if path.is_file()]
        self.assertLess(max(path.stat().st_size for path in others), pictures[-1].stat().st_size)

        message, output = self.run_with_space_for(pictures[-1].stat().st_size - 1, self.PICTURES)
        self.assertRegex(message, r"stopped: Cannot write '.*\.vtu': ")
        written = list(output.glob("*/*.vtu"))
        self.assertTrue(written)
        for path in written:
            self.assertEqual(
                path.read_bytes(), (whole / path.relative_to(output)).read_bytes(), path.name
            )
        self.assertEqual(list(output.glob("**/*.part")), [])

    def test_no_room_for_anything(self):
        """Found before the first kick: what another run has left in the folder stays."""
        kept = self.whole.rename(self.folder / "run")
        before = self.contents(kept)

        def no_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))

        done = subprocess.run(
            [*self.command(SMALL, kept, self.SETTINGS), "--overwrite"],
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=no_files,
        )
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        self.assertRegex(done.stderr, r"Cannot write '.*/run/")
        self.assertEqual(self.contents(kept), before)


class RemovedFolder(TroubleTest):
    def test_rows(self):
        self.assert_stops({"Output/VTU every": 0, "Output/Surface every": 0}, r"\w+\.csv'.* removed")

    def test_pictures(self):
        self.assert_stops({"Output/VTU every": 1}, r"\S+'")

    def assert_stops(self, settings, expected):
        """The folder that nobody wants any more is not made again."""
        output = self.folder / "run"
        settings = {**settings, "Stepping/End time": 1e6, "Output/Save intervals": 10**7}
        run = subprocess.Popen(
            self.command(SMALL, output, settings), stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        statistics = output / "statistics.csv"
        while not (statistics.exists() and statistics.stat().st_size > 10000):
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        output.rename(self.folder / "moved")
        shutil.rmtree(self.folder / "moved")
        _, message = run.communicate(timeout=60)
        self.assertEqual(run.returncode, STOPPED, message)
        self.assert_one_line(message, STOPPED)
        self.assertRegex(message, r"stopped: Cannot .*'.*/run/" + expected)
        self.assertFalse(output.exists())


class Unreadable(TroubleTest):
    """/proc/self/mem can be opened, but its first byte cannot be read, not even by root."""

    MEMORY = pathlib.Path("/proc/self/mem")

    def assert_refused(self, case, settings, *expected):
        message, output = self.run_case(case, settings, REFUSED)
        for text in expected:
            self.assertIn(text, message)
        self.assertFalse(output.exists())

    def test_parameter_file(self):
        self.assert_refused(self.MEMORY, {}, f"'{self.MEMORY}'")
        self.assert_refused(self.folder, {}, f"'{self.folder}'")

    def test_included_file(self):
        case = self.folder / "case.prm"
        case.write_text(f"set Dimension = 2\ninclude {self.MEMORY}\n")
        self.assert_refused(case, {}, "case.prm, line 2", str(self.MEMORY))
        case.write_text(f"set Dimension = 2\ninclude {self.folder}\n")
        self.assert_refused(case, {}, "case.prm, line 2", str(self.folder))

    def test_mesh_file(self):
        mesh = self.folder / "mesh.msh"
        mesh.symlink_to(self.MEMORY)
        settings = {"Bodies/left/Mesh/Generator": "file", "Bodies/left/Mesh/File": mesh}
        self.assert_refused(SMALL, settings, f"'{mesh}'")

    def test_amplitude_file(self):
        settings = {
            "Loads/Names": "push",
            "Loads/push/Body": "left",
            "Loads/push/Value": "1; 0",
            "Loads/push/Amplitude file": self.MEMORY,
        }
        self.assert_refused(SMALL, settings, f"'{self.MEMORY}'")


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
