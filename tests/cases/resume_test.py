"""Runs that are killed and resumed: what they leave behind is that of a run that was not.

Usage: KICKDRIFT=path/to/kickdrift [KILLS=20] python3 resume_test.py [unittest arguments]

KILLS: at how many random moments every case is killed (default 3).
"""

import csv
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import loaded_program

PROGRAM = os.environ["KICKDRIFT"]
KILLS = int(os.environ.get("KILLS", "3"))
HERE = pathlib.Path(__file__).resolve().parent
PRM = HERE.parent.parent / "prm"
SMALL = HERE / "prm" / "small.prm"
INTERRUPTED = 3

# Keys of summary.json that tell about times and the machine, not about the run.
MEASURED = (
    "wall_time|processor_time_of_stepping|profile|kicks_per_second|peak_memory|load_average|threads|total|setup|stepping|"
    "contact|output|strain_kicks|drift|other_kicks|scheduling|contact_search|contact_response|"
    "energy_checks|rest"
)


def without_times(name, text):
    """The contents of a file without wall times and times of day, and without the folder."""
    if name == "summary.json":
        return re.sub(rb'"(%s)": [-+.e0-9]+' % MEASURED.encode(), b"", text)
    if name == "parameters.prm":
        return re.sub(rb"set (Folder|Threads) .*|^# Written by .*", b"", text)
    return re.sub(rb"deal.II library on [^\n]*", b"", text)


def contents(folder):
    """Of all files but the checkpoints, which know wall times, and what a killed run has locked."""
    return {
        path.relative_to(folder).as_posix(): without_times(path.name, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "checkpoint" and path.name != "run.lock"
    }


def checksum(data):
    """What the frame of a checkpoint holds (include/kickdrift/base/archive.h)."""
    total = 14695981039346656037 ^ len(data)
    for (word,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
        total = (total ^ word) * 1099511628211 % 2**64
        total ^= total >> 32
    return total


def forged(change):
    """Changes the state in a checkpoint and makes the length and the checksum fit."""

    def apply(data):
        begin = data.index(b"\n") + 1
        length, total = struct.unpack_from("<QQ", data, begin)
        state = data[begin + 16 :]
        assert (length, total) == (len(state), checksum(state))
        state = change(state)
        return data[:begin] + struct.pack("<QQ", len(state), checksum(state)) + state

    return apply


class ResumeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.n_runs = 0
        self.random = random.Random(self.id())

    def command(self, file, settings, output, *arguments):
        sets = [word for item in settings.items() for word in ("--set", "=".join(map(str, item)))]
        return [PROGRAM, str(file), "--output", str(output), *sets, *map(str, arguments)]

    def run_case(self, file, settings, output, *arguments, status=0, environment=None):
        done = loaded_program.run(self.command(file, settings, output, *arguments)[1:], self.folder,
                                  environment, 600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def program(self, *arguments, environment=None):
        return loaded_program.run(arguments, environment=environment)

    def assert_only_warnings(self, errors):
        self.assertEqual([line for line in errors.splitlines() if line and not line.startswith("Warning: ")], [])

    def new_folder(self):
        self.n_runs += 1
        return self.folder / f"run{self.n_runs}"

    def killed(self, file, settings, output, *arguments, after):
        """Run, but not longer than so many seconds."""
        process = subprocess.Popen(
            self.command(file, settings, output, *arguments),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, errors = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
        self.assert_only_warnings(errors)

    def timed(self, file, settings, output):
        """Run; returns after how many seconds it began to write results, and was done."""
        begin = time.monotonic()
        process = subprocess.Popen(
            self.command(file, settings, output, "--quiet"),
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None and not (output / "statistics.csv").exists():
            time.sleep(0.001)
        start = time.monotonic() - begin
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 0, errors)
        return start, time.monotonic() - begin

    def with_checkpoint(self, file, settings, n=1):
        """A folder of a run that was killed after it had written the n-th checkpoint."""
        for _ in range(20):
            output = self.new_folder()
            process = subprocess.Popen(
                self.command(file, settings, output, "--quiet"),
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            checkpoint = output / "checkpoint" / f"checkpoint_{n:06}"
            while process.poll() is None and not checkpoint.exists():
                time.sleep(0.001)
            process.kill()
            _, errors = process.communicate()
            self.assert_only_warnings(errors)
            if checkpoint.exists():
                return output
        self.skipTest("the machine is too busy to kill a run before it is done")

    def signalled(self, file, settings, output, *arguments, number):
        """Run and send a signal once some rows have been written; returns (status, out, err)."""
        statistics = output / "statistics.csv"

        def size():
            return statistics.stat().st_size if statistics.exists() else 0

        enough = size() + 2000
        process = subprocess.Popen(
            self.command(file, settings, output, *arguments),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while process.poll() is None and size() < enough:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate()
        return process.returncode, out, err

    def assert_same(self, folder, reference):
        present, expected = contents(folder), contents(reference)
        self.assertEqual(sorted(present), sorted(expected))
        for name, text in expected.items():
            self.assertEqual(present[name], text, f"{folder / name} is another file")

    def check_kills(self, file, settings):
        """Kill at random moments and resume; then kill one run again and again."""
        reference = self.new_folder()
        start, end = self.timed(file, settings, reference)
        moments = [self.random.uniform(0.9 * start, end) for _ in range(KILLS)]
        n_resumed = 0
        for after in (None, *moments):  # one surely has a checkpoint, however busy the machine is
            output = self.new_folder() if after else self.with_checkpoint(file, settings)
            if after:
                self.killed(file, settings, output, "--quiet", after=after)
            done = self.run_case(file, settings, output, "--resume")
            n_resumed += "Continues from" in done.stdout
            self.assert_same(output, reference)
            shutil.rmtree(output)
        self.assertGreater(n_resumed, 0, "no resume has used a checkpoint")
        output = self.new_folder()
        for after in moments:
            self.killed(file, settings, output, "--resume", after=after)
        self.run_case(file, settings, output, "--resume")
        self.assert_same(output, reference)
        if KILLS >= 10:
            print(f"{self.id()}: {len(moments) + 1} kills, {n_resumed} resumed from a checkpoint")


TWO_BARS = {
    "Constants": "n=2, L=10, V=0.1",
    "Stepping/End time": 20,
    "Stepping/Energy limit": 1,
    "Output/Save intervals": 40,
    "Output/VTU every": 10,
    "Output/Surface every": 5,
    "Checkpoint/Time interval": 0.5,
}
SLIDING = {
    "Stepping/End time": 1,
    "Output/Save intervals": 100,
    "Output/VTU every": 50,
    "Output/Surface every": 20,
    "Checkpoint/Time interval": 0.02,
}


class Kills(ResumeTest):
    def test_two_bars_nested(self):
        self.check_kills(PRM / "two_elastic_bars.prm", TWO_BARS)

    def test_two_bars_per_cell(self):
        self.check_kills(PRM / "two_elastic_bars.prm", {**TWO_BARS, "Stepping/Clocks": "per cell"})

    def test_two_bars_that_reflect(self):
        self.check_kills(PRM / "two_elastic_bars.prm", {**TWO_BARS, "Contact/Response": "reflect"})

    def test_sliding_block(self):
        self.check_kills(PRM / "sliding_block.prm", SLIDING)


class SlowKills(ResumeTest):
    """The cases as they are in the folder prm."""

    def test_two_bars(self):
        self.check_kills(PRM / "two_elastic_bars.prm", {"Checkpoint/Time interval": 0.5})

    def test_sliding_block(self):
        self.check_kills(PRM / "sliding_block.prm", {"Checkpoint/Time interval": 0.02})


class Interrupted(ResumeTest):
    """Cases that have what others have not, stopped halfway by a checkpoint of their own."""

    def check(self, file, settings, n=2):
        reference = self.new_folder()
        self.run_case(file, settings, reference, "--quiet")
        output = self.with_checkpoint(file, settings, n)
        done = self.run_case(file, settings, output, "--resume")
        self.assertIn("Continues from", done.stdout)
        self.assert_same(output, reference)
        return reference

    def test_reference_methods(self):
        """Reflections between nested kicks, with friction and edges, and all at once."""
        for schedule in ("adaptive", "constant"):
            settings = {"Contact/Response": "reflect", "Contact/Reference/Schedule": schedule}
            self.check(PRM / "sliding_block.prm", {**SLIDING, **settings}, n=15)
            self.check(PRM / "two_elastic_bars.prm", {**TWO_BARS, **settings}, n=20)
        settings = {"Stepping/End time": 4, "Output/Save intervals": 8, "Checkpoint/Time interval": 0.25}
        for solver in ("sequential", "coupled"):
            self.check(PRM / "two_bars_cirak_west.prm",
                       {**settings, "Contact/Reference/Solver": solver}, n=8)

    def test_one_clock(self):
        self.check(PRM / "two_elastic_bars.prm", {**TWO_BARS, "Stepping/Clocks": "one"}, n=20)

    def test_contact_with_a_memory(self):
        """Of elastic bodies with what they have kept, and of rigid ones with friction."""
        records = {"Contact/Response": "records", "Contact/Restitution": 0.5}
        self.check(PRM / "two_elastic_bars.prm", {**TWO_BARS, **records}, n=20)
        self.check(PRM / "rigid_block_stick_slip.prm",
                   {**records, "Stepping/End time": 1, "Output/Save intervals": 8,
                    "Checkpoint/Time interval": 0.02}, n=10)

    def test_clamped_shells(self):
        for bending, clocks in (("triangle", "nested"), ("Loop", "per cell")):
            self.check(
                PRM / "clamped_plate.prm",
                {
                    "Bodies/plate/Bending": bending,
                    "Bodies/plate/Mesh/Subdivisions": "8, 10, 1",
                    "Stepping/Quiet start": 1e-4,
                    "Stepping/Clocks": clocks,
                    "Stepping/End time": 4,
                    "Output/Save intervals": 8,
                    "Checkpoint/Time interval": 0.5,
                },
                n=4,
            )

    def test_what_cells_remember(self):
        settings = {
            "Bodies/bar/Mesh/Refinements": 0,
            "Bodies/bar/Material/Model": "Johnson-Cook",
            "Bodies/bar/Material/Johnson-Cook A": 0.3,
            "Bodies/bar/Material/Johnson-Cook B": 0.1,
            "Bodies/bar/Material/Johnson-Cook C": 0.02,
            "Bodies/bar/Material/Heat capacity": 383e-6,
            "Bodies/bar/Material/Melting temperature": 1356,
            "Stepping/End time": 20,
            "Output/Save intervals": 20,
            "Checkpoint/Time interval": 1,
        }
        self.check(PRM / "taylor_bar.prm", settings, n=9)

    def test_filtered_class_boundaries(self):
        """Classes have changed before the checkpoint, and cells have failed."""
        settings = {
            "Stepping/Class boundaries": "filtered",
            "Stepping/End time": 5,
            "Output/Save intervals": 10,
            "Checkpoint/Time interval": 0.25,
        }
        case = HERE.parent / "validation" / "prm" / "perforated_strip.prm"
        reference = self.check(case, settings, n=10)
        with open(reference / "summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        self.assertGreater(summary["kicks"]["class boundaries"], 0)
        self.assertGreater(summary["class_changes"], 0)

    def test_bodies_in_contact_that_fail(self):
        settings = {
            "Stepping/End time": 5,
            "Output/Save intervals": 10,
            "Output/Surface every": 2,
            "Checkpoint/Time interval": 0.25,
        }
        case = HERE.parent / "validation" / "prm" / "perforated_strip.prm"
        reference = self.check(case, settings, n=10)
        with open(reference / "statistics.csv", newline="", encoding="utf-8") as file:
            deleted = [int(row["deleted_cells"]) for row in csv.DictReader(file)]
        self.assertTrue(0 < deleted[5] < deleted[10], deleted) # before and after

    def test_everything_else(self):
        """Loads with work, a moving support and obstacle, damping, viscosity, scaled masses, detection,
        nodal integration."""
        settings = {
            "Bodies/left/Strain integration": "nodal",
            "Bodies/right/Damping": 0.5,
            "Bodies/right/Stiffness damping": 0.002,
            "Bodies/right/Quadratic bulk viscosity": 1.2,
            "Mass scaling/Critical step": 0.05,
            "Mass scaling/Body": "left",
            "Loads/Names": "push",
            "Loads/push/Body": "right",
            "Loads/push/Type": "pressure",
            "Loads/push/Boundary ids": 1,
            "Loads/push/Value": 0.01,
            "Loads/push/Amplitude": "0: 0, 1: 1",
            "Restraints/Names": "wall",
            "Restraints/wall/Body": "left",
            "Restraints/wall/Boundary ids": 0,
            "Restraints/wall/Directions": "x",
            "Restraints/wall/Displacement": "0.1*t; 0",
            "Obstacles/Names": "floor, lid",
            # touched at 15: a contact that is found after the checkpoint, behind those from before
            "Obstacles/lid/Point": "0, 1.3",
            "Obstacles/lid/Normal": "0, -1",
            "Obstacles/floor/Point": "0, -0.02",
            "Obstacles/floor/Displacement": "0; 0.01*t",
            "Obstacles/floor/Largest acceleration": 0,
            "Detection/Enabled": "true",
            "Detection/Largest acceleration": 1,
            "Detection/Self-contact": "true",
            "Stepping/End time": 20,
            "Stepping/Energy limit": 10,
            "Checkpoint/Time interval": 1,
        }
        self.check(SMALL, settings, n=8)

    def test_hanging_nodes(self):
        """Cells, viscous ones and loads with work at hanging nodes, with a zone of leased cells."""
        settings = {
            **TWO_BARS,
            "Bodies/left/Stiffness damping": 0.002,
            "Bodies/left/Linear bulk viscosity": 0.06,
            "Bodies/left/Mesh/Local refinements": "x > -2 && y < 0.5",
            "Bodies/right/Mesh/Local refinements": "x < 2 && z < 0.5",
            "Contact/Reference/Zone layers": 1,
            "Loads/Names": "push",
            "Loads/push/Body": "right",
            "Loads/push/Type": "pressure",
            "Loads/push/Value": 0.001,
            "Loads/push/Amplitude": "0: 0, 1: 1",
        }
        self.check(PRM / "two_elastic_bars.prm", settings, n=20)


class Signals(ResumeTest):
    LONG = {**TWO_BARS, "Stepping/End time": 2000, "Checkpoint/Time interval": 0}

    def interrupted(self, number):
        output = self.new_folder()
        status, _, err = self.signalled(
            PRM / "two_elastic_bars.prm", self.LONG, output, number=number
        )
        self.assertEqual(status, INTERRUPTED, err)
        return err, output

    def test_a_signal_writes_a_checkpoint(self):
        for number in (
            signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
            signal.SIGXCPU, signal.SIGXFSZ, signal.SIGPIPE,
        ):
            message, output = self.interrupted(number)
            self.assertIn(f"--output {output} --resume", message)
            self.assertIn("checkpoint_000001", message)
            self.assertIn('"status": "interrupted"', (output / "summary.json").read_text())
            self.assertEqual(
                [path.name for path in (output / "checkpoint").iterdir()], ["checkpoint_000001"]
            )

    def test_the_command_in_the_message_continues(self):
        message, output = self.interrupted(signal.SIGTERM)
        words = message[message.index("kickdrift ", message.index("with:")) :].split()
        self.assertEqual(words[2:], ["--output", str(output), "--resume"])
        status, out, err = self.signalled(
            words[1], {}, output, "--resume", number=signal.SIGINT
        )
        self.assertEqual(status, INTERRUPTED, err)
        self.assertIn("Continues from", out)
        self.assertIn("checkpoint_000002", err)


class Refused(ResumeTest):
    CASE = PRM / "two_elastic_bars.prm"

    def setUp(self):
        super().setUp()
        self.output = self.with_checkpoint(self.CASE, TWO_BARS, 5)
        # the kill may have come before the third but last was removed, or while the next was written
        paths = (self.output / "checkpoint").glob("checkpoint_??????")
        *others, self.last, self.newest = sorted(path.name for path in paths)
        for name in others:
            (self.output / "checkpoint" / name).unlink()

    def damage(self, name, change):
        path = self.output / "checkpoint" / name
        path.write_bytes(change(path.read_bytes()))

    def assert_refused(self, settings, *expected, environment=None):
        before = contents(self.output)
        done = self.run_case(
            self.CASE, settings, self.output, "--resume", status=2, environment=environment
        )
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(contents(self.output), before)

    def test_previous_one_is_used(self):
        reference = self.new_folder()
        self.run_case(self.CASE, TWO_BARS, reference, "--quiet")
        self.damage(self.newest, lambda data: data[: len(data) // 2])
        done = self.run_case(self.CASE, TWO_BARS, self.output, "--resume")
        self.assertRegex(done.stderr, f"{self.newest}' cannot be continued: it is truncated")
        self.assertRegex(done.stdout, f"Continues from '.*{self.last}'")
        self.assert_same(self.output, reference)

    def test_previous_one_if_the_state_cannot_be_read(self):
        """The checksum is right, but what it is of is not."""
        reference = self.new_folder()
        self.run_case(self.CASE, TWO_BARS, reference, "--quiet")
        for change, reason in (
            (lambda state: state[:-100], "The state ends too early"),
            (lambda state: state + b"1", "The checkpoint holds more than the run"),
        ):
            with self.subTest(reason=reason):
                output = self.new_folder()
                shutil.copytree(self.output, output)
                path = output / "checkpoint" / self.newest
                path.write_bytes(forged(change)(path.read_bytes()))
                done = self.run_case(self.CASE, TWO_BARS, output, "--resume")
                self.assertRegex(
                    done.stderr, f"Warning: .*/{self.newest}' cannot be continued: {reason}"
                )
                self.assertRegex(done.stdout, f"Continues from '.*/{self.last}'")
                self.assertNotIn(f"Continues from '{path}'", done.stdout)
                self.assert_same(output, reference)

    def test_no_state_can_be_read(self):
        for name in (self.last, self.newest):
            self.damage(name, forged(lambda state: state + b"1"))
        for name in (self.last, self.newest):
            self.assert_refused(TWO_BARS, f"{name}' cannot be continued: The checkpoint holds more")

    def test_previous_one_if_the_memory_does_not_suffice(self):
        path = self.output / "checkpoint" / self.newest
        data = path.read_bytes()
        begin = data.index(b"\n") + 1
        length = 2**40
        with path.open("r+b") as file:
            file.seek(begin)
            file.write(struct.pack("<Q", length))
            file.truncate(begin + 16 + length)  # takes no space on the disk
        done = subprocess.run(
            self.command(self.CASE, TWO_BARS, self.output, "--resume"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33)),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, f"{self.newest}' cannot be continued: it does not fit")
        self.assertRegex(done.stdout, f"Continues from '.*/{self.last}'")

    def test_none_is_good(self):
        def flipped(data):
            at = len(data) // 2
            return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

        self.damage(self.newest, flipped)
        self.damage(self.last, lambda data: b"")
        self.assert_refused(
            TWO_BARS, f"{self.newest}' cannot be continued: it is damaged", f"{self.last}'"
        )

    def test_mutations(self):
        path = self.output / "checkpoint" / self.newest
        good = path.read_bytes()
        (self.output / "checkpoint" / self.last).unlink()
        for _ in range(KILLS):
            data = bytearray(good)
            for _ in range(self.random.choice((1, 2, 100))):
                data[self.random.randrange(len(data))] ^= self.random.randrange(1, 256)
            path.write_bytes(bytes(data))
            self.assert_refused(TWO_BARS, self.newest)

    def test_other_format(self):
        self.damage(self.last, lambda data: b"")
        self.damage(self.newest, lambda data: re.sub(rb"format \d+", b"format 99", data, 1))
        self.assert_refused(TWO_BARS, "it is of format '99'")

    def test_other_parameters(self):
        self.assert_refused(
            {**TWO_BARS, "Stepping/Time step ratio": 0.4}, "'Stepping/Time step ratio' was"
        )

    def test_other_instruction_set(self):
        version = self.program("--version")
        other = "avx2" if "sse2" in version.stdout else "sse2"
        environment = {"KICKDRIFT_ISA": other}
        if self.program("--version", environment=environment).returncode != 0:
            self.skipTest("there is only one")
        self.assert_refused(TWO_BARS, "instruction set", environment=environment)

    def test_shortened_output(self):
        (self.output / "statistics.csv").write_text(
            (self.output / "statistics.csv").read_text().splitlines()[0] + "\n"
        )
        self.run_case(self.CASE, TWO_BARS, self.output, "--resume", status=2)

    def test_nothing_is_cut_before_all_fits(self):
        statistics = self.output / "statistics.csv"
        statistics.write_text(statistics.read_text() + "half a row")
        (self.output / "bodies.csv").unlink()
        self.assert_refused(TWO_BARS, f"{self.newest}' cannot be continued", "bodies.csv")

    def test_full_disk(self):
        """Files of a checkpoint's size cannot be written: the run stops, and can be resumed."""
        reference = self.new_folder()
        self.run_case(self.CASE, TWO_BARS, reference, "--quiet")
        folder = self.output / "checkpoint"
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        size = (folder / self.newest).stat().st_size

        def limit_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, resource.RLIM_INFINITY))

        stopped = subprocess.run(
            self.command(self.CASE, TWO_BARS, self.output, "--resume", "--quiet"),
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit_files,
        )
        self.assertEqual(stopped.returncode, 1)
        self.assertRegex(stopped.stderr, "stopped: Cannot write '.*/checkpoint_0000")
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.assertEqual(after, before)
        self.run_case(self.CASE, TWO_BARS, self.output, "--resume")
        self.assert_same(self.output, reference)

    def test_without_resume_nothing_is_touched(self):
        before = contents(self.output)
        done = self.run_case(self.CASE, TWO_BARS, self.output, status=2)
        self.assertIn("--resume", done.stderr)
        self.assertEqual(contents(self.output), before)


class LaterEnds(ResumeTest):
    """A later end time: what is left behind is that of a run that has had it from the beginning."""

    CASE = PRM / "two_elastic_bars.prm"
    SETTINGS = {**TWO_BARS, "Checkpoint/Time interval": 0}

    def with_end(self, end, intervals):
        return {**self.SETTINGS, "Stepping/End time": end, "Output/Save intervals": intervals}

    def reference(self, end, intervals):
        output = self.new_folder()
        self.run_case(self.CASE, self.with_end(end, intervals), output, "--quiet")
        return output

    def test_a_run_that_is_done_goes_on(self):
        output = self.reference(8, 16)
        done = self.run_case(self.CASE, self.with_end(12, 16), output, "--resume")
        self.assertIn("Continues from", done.stdout)
        self.assert_same(output, self.reference(12, 24))

    def test_intervals_of_the_same_length_may_be_asked_for(self):
        output = self.reference(8, 16)
        self.run_case(self.CASE, self.with_end(12, 24), output, "--resume")
        self.assert_same(output, self.reference(12, 24))

    def test_again_and_again(self):
        """Ends that are no save times leave a row that a later one takes back."""
        output = self.reference(8, 16)
        for end in (8.7, 10.1):
            self.run_case(self.CASE, self.with_end(end, 16), output, "--resume")
            last = (output / "statistics.csv").read_text().splitlines()[-1]
            self.assertEqual(float(last.split(",")[0]), end)
        self.run_case(self.CASE, self.with_end(12, 16), output, "--resume")
        self.assert_same(output, self.reference(12, 24))

    def test_an_interrupted_run(self):
        output = self.new_folder()
        settings = self.with_end(2000, 4000)
        status, _, err = self.signalled(self.CASE, settings, output, number=signal.SIGTERM)
        self.assertEqual(status, INTERRUPTED, err)
        status, out, err = self.signalled(
            self.CASE, self.with_end(3000, 6000), output, "--resume", number=signal.SIGTERM
        )
        self.assertEqual(status, INTERRUPTED, err)
        self.assertIn("Continues from", out)

    def test_the_summary_of_the_earlier_end(self):
        """It is what a kill leaves of a run that was done and has gone on."""
        output = self.reference(8, 16)
        summary = (output / "summary.json").read_text()
        settings = self.with_end(2000, 4000)
        for _ in range(2):
            status, out, err = self.signalled(self.CASE, settings, output, "--resume",
                                              number=signal.SIGTERM)
            self.assertEqual(status, INTERRUPTED, err)
            self.assertIn("Continues from", out)
            (output / "summary.json").write_text(summary)

    def test_what_is_refused(self):
        output = self.reference(8, 16)
        before = contents(output)
        for settings, message in (
            (self.with_end(7, 14), "'Stepping/End time' was 8 and is 7 now"),
            (self.with_end(12, 20), "'Output/Save intervals' was 16 until time 8 and is 20 until"),
            ({**self.with_end(12, 24), "Contact/Friction": 0.1}, "'Contact/Friction' was"),
        ):
            done = self.run_case(self.CASE, settings, output, "--resume", status=2)
            self.assertIn(message, done.stderr)
        self.assertEqual(contents(output), before)

    def test_without_checkpoints(self):
        self.SETTINGS = {**self.SETTINGS, "Checkpoint/Wall time interval": 0}
        output = self.reference(8, 16)
        self.assertFalse((output / "checkpoint").exists())
        done = self.run_case(self.CASE, self.with_end(12, 16), output, "--resume", status=2)
        self.assertIn("has left no checkpoint", done.stderr)

    def test_resolution_of_detection_must_not_change(self):
        self.SETTINGS = {**self.SETTINGS, "Detection/Enabled": "true",
                         "Detection/Largest acceleration": 1}
        output = self.reference(4, 8)
        done = self.run_case(self.CASE, self.with_end(6, 12), output, "--resume", status=2)
        self.assertIn("'Detection/Resolution' was 0.004", done.stderr)
        self.SETTINGS["Detection/Resolution"] = 0.004
        output = self.reference(4, 8)
        self.run_case(self.CASE, self.with_end(6, 12), output, "--resume")
        self.assert_same(output, self.reference(6, 12))


class Beginnings(ResumeTest):
    def test_empty_folder_begins_anew(self):
        output = self.new_folder()
        done = self.run_case(SMALL, {}, output, "--resume")
        self.assertIn("begins anew", done.stdout)
        self.assertEqual(len(list((output / "checkpoint").iterdir())), 1)

    def test_done_is_left_alone(self):
        output = self.new_folder()
        self.run_case(SMALL, {}, output)
        before = contents(output)
        done = self.run_case(SMALL, {}, output, "--resume")
        self.assertIn("is done", done.stdout)
        self.assertEqual(contents(output), before)

    def test_other_run_is_left_alone(self):
        output = self.new_folder()
        self.run_case(SMALL, {}, output)
        before = contents(output)
        done = self.run_case(SMALL, {"Constants": "n=3"}, output, "--resume", status=2)
        self.assertIn("'Constants' was", done.stderr)
        self.assertEqual(contents(output), before)

    def test_contradictions(self):
        done = self.run_case(SMALL, {}, self.new_folder(), "--resume", "--overwrite", status=2)
        self.assertIn("cannot be used together", done.stderr)

    def test_other_mesh_file(self):
        mesh = self.folder / "mesh.msh"
        mesh.write_text(MESH.format("-0.1 1 0"))
        settings = {
            "Bodies/left/Mesh/Generator": "file",
            "Bodies/left/Mesh/File": mesh,
            "Probes/tip/Boundary ids": 0,
            "Checkpoint/Time interval": 0.01,
            "Stepping/End time": 100,
        }
        output = self.with_checkpoint(SMALL, settings, 2)
        mesh.write_text(MESH.format("-0.1 1.01 0"))
        done = self.run_case(SMALL, settings, output, "--resume", status=2)
        self.assertIn("'Bodies/left/Mesh/File' was", done.stderr)


MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 -1 0 0
2 -0.1 0 0
3 {}
4 -1 1 0
$EndNodes
$Elements
1
1 3 2 0 1 1 2 3 4
$EndElements
"""

if __name__ == "__main__":
    unittest.main()
