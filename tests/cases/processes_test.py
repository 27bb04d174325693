"""Runs on several processes: the same bytes as one process writes, and one message when one of them
fails. Skips itself where there is no mpirun.

Usage: KICKDRIFT=path/to/kickdrift PLUGINS=folder/of/tests/plugins python3 processes_test.py
       [unittest arguments]
"""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import vtu

PROGRAM = os.environ["KICKDRIFT"]
HERE = pathlib.Path(__file__).resolve().parent
PRM = HERE.parent.parent / "prm"
VALIDATION = HERE.parent / "validation" / "prm"
SMALL = HERE / "prm" / "small.prm"
STOPPED, REFUSED, INTERRUPTED = 1, 2, 3
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def without_times(path):
    """A file without wall times, times of day, and what says how many processes there were."""
    text = path.read_bytes()
    if path.name == "parameters.prm":
        return re.sub(rb"set (Folder|Threads) .*|^# Written by .*", b"", text)
    return re.sub(rb"deal.II library on [^\n]*", b"", text)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): without_times(path)
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "checkpoint"
        and path.name not in ("summary.json", "run.lock")
    }


def settings_of(settings):
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def kill_one(run):
    """Of the processes of a run, the second."""
    children = subprocess.run(["pgrep", "-P", str(run.pid), "kickdrift"], text=True,
                              stdout=subprocess.PIPE).stdout.split()
    assert len(children) == 3, children
    os.kill(int(children[1]), signal.SIGKILL)


def mpirun(*commands):
    """A command for each process. (Open MPI 5.0 ends with a signal if there are several commands with
    colons between them and more processes than cores.)"""
    cases = " ".join(f"{i}) exec {shlex.join(command)};;" for i, command in enumerate(commands))
    script = f"case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in {cases} esac"
    return ["mpirun", "--oversubscribe", "-n", str(len(commands)), "sh", "-c", script]


@unittest.skipUnless(shutil.which("mpirun"), "skipped: there is no mpirun")
class ProcessesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, n, case, output, settings, *options):
        program = [PROGRAM, str(case), "--output", str(output), *settings_of(settings), *options]
        return program if n == 1 else ["mpirun", "--oversubscribe", "-n", str(n), *program]

    def run_case(self, n, case, output, settings={}, *options, status=0):
        done = subprocess.run(
            self.command(n, case, self.folder / output, settings, *options), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=240, env=ENVIRONMENT)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def summary(self, output):
        return json.loads((self.folder / output / "summary.json").read_text())

    def wait_for(self, run, path):
        while not path.exists():
            self.assertIsNone(run.poll())
            time.sleep(0.05)

    def messages(self, done):
        """What the program itself has to say, without mpirun's own words."""
        return [line for line in done.stderr.splitlines() if line.startswith("kickdrift:")]


class SameBytes(ProcessesTest):
    def compare(self, case, settings, numbers=((2, 1), (3, 2))):
        settings = {"Checkpoint/Wall time interval": 0, **settings}
        self.run_case(1, case, "alone", settings, "--quiet")
        alone = contents(self.folder / "alone")
        for n, threads in numbers:
            output = f"on_{n}"
            self.run_case(n, case, output, settings, "--quiet", "--threads", str(threads))
            together = contents(self.folder / output)
            self.assertEqual(sorted(alone), sorted(together))
            for name in alone:
                self.assertEqual(alone[name], together[name], f"{name} on {n} processes")
            for key in ("state_hash", "kicks", "energy_error_max", "class_changes"):
                self.assertEqual(self.summary("alone")[key], self.summary(output)[key], key)
            self.assertEqual(self.summary(output)["processes"], n)

    def test_waves_in_classes(self):
        self.compare(PRM / "bar_wave.prm",
                     {"Stepping/End time": 5, "Output/Save intervals": 4}, [(2, 1), (3, 2), (7, 1)])

    def test_hanging_nodes(self):
        self.compare(PRM / "refined_bar.prm",
                     {"Stepping/End time": 1, "Output/Save intervals": 4})

    def test_nodal_integration(self):
        self.compare(PRM / "cantilever_nodal.prm",
                     {"Stepping/End time": 2, "Output/Save intervals": 4})

    def test_supports_and_loads(self):
        self.compare(PRM / "skew_supports.prm",
                     {"Stepping/End time": 0.3, "Output/Save intervals": 4})

    def test_what_cells_remember(self):
        self.compare(PRM / "taylor_bar.prm",
                     {"Bodies/bar/Mesh/Refinements": 0, "Stepping/End time": 20,
                      "Output/Save intervals": 4, "Output/VTU every": 1})

    def test_cells_that_fail(self):
        self.compare(PRM / "torn_plate.prm",
                     {"Bodies/plate/Mesh/Subdivisions": "40, 12", "Stepping/End time": 24,
                      "Output/Save intervals": 4, "Output/VTU every": 1})
        self.assertGreater(self.summary("alone")["deleted_cells"], 0)

    def test_bodies_in_contact_that_fail(self):
        self.compare(HERE.parent / "validation" / "prm" / "perforated_strip.prm",
                     {"Output/Save intervals": 4, "Output/Surface every": 1}, [(2, 2)])
        self.assertGreater(self.summary("alone")["deleted_cells"], 0)

    def test_damping(self):
        self.compare(SMALL, {"Bodies/left/Damping": "0.3"}, [(3, 1)])

    def test_classes_that_follow_deformation(self):
        """A block is crushed: each process looks at its own cells, and classes change."""
        self.compare(PRM / "crushed_block.prm",
                     {"Stepping/End time": 12, "Output/Save intervals": 4})
        self.assertGreater(self.summary("alone")["class_changes"], 0)

    def test_ties(self):
        self.compare(PRM / "tied_blocks.prm",
                     {"Stepping/End time": 0.8, "Output/Save intervals": 2,
                      "Output/Surface every": 1})

    def test_a_rigid_body(self):
        for case, end in ((PRM / "bouncing_rigid_ball.prm", 0.6),
                          (PRM / "rigid_block_stick_slip.prm", 0.3), (PRM / "free_top.prm", 10)):
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            self.compare(case, {"Stepping/End time": end, "Output/Save intervals": 3}, [(2, 1)])

    def test_rigid_and_deformable_bodies(self):
        """One hits the other, and is on a spring whose other end is on it."""
        self.compare(SMALL, {"Bodies/left/Rigid": "true", "Bodies/left/Rigid critical step": 0.01,
                             "Springs/Names": "leash", "Springs/leash/Body": "left",
                             "Springs/leash/Point": "-1, 0",
                             "Springs/leash/Other body": "right",
                             "Springs/leash/Other point": "1, 0",
                             "Springs/leash/Stiffness": 0.1})
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_viscosity(self):
        viscous = {"Bodies/bar/Stiffness damping": 0.01, "Bodies/bar/Linear bulk viscosity": 0.06,
                   "Bodies/bar/Quadratic bulk viscosity": 1.2}
        self.compare(PRM / "refined_bar.prm",
                     {**viscous, "Stepping/End time": 1, "Output/Save intervals": 4})

    def test_sections_springs_and_equilibrium(self):
        self.compare(VALIDATION / "hanging_bar.prm",
                     {"Bodies/bar/Damping": 0, "Stepping/Quiet start": 1e-8,
                      "Stepping/End time": 3, "Output/Save intervals": 3,
                      "Loads/gravity/Amplitude": "0: 1, 0.5: 3",
                      "Sections/Names": "cut", "Sections/cut/Point": "0, -5.3",
                      "Sections/cut/Normal": "0, 1",
                      "Springs/Names": "leash", "Springs/leash/Point": "0, -10",
                      "Springs/leash/Other point": "-1, -11", "Springs/leash/Stiffness": 2,
                      "Point masses/Names": "weight", "Point masses/weight/Point": "1, -10",
                      "Point masses/weight/Mass": 0.3,
                      "Probes/middle/Fields": "stress_yy", "Probes/middle/Values": "mean, max"},
                     [(3, 1), (2, 2)])

    def test_mass_scaling(self):
        self.compare(SMALL, {"Mass scaling/Critical step": 0.1}, [(2, 1)])

    def assert_divided_surfaces(self, output):
        """Where all give the kicks on surfaces, nobody is told of these nodes."""
        for process in self.summary(output)["of_processes"]:
            self.assertGreater(process["halo"], 200)

    def test_contact(self):
        self.compare(SMALL, {})

    def test_contact_in_three_dimensions(self):
        self.compare(PRM / "two_elastic_bars.prm",
                     {"Stepping/End time": 1.5, "Output/Save intervals": 3}, [(2, 1), (7, 1)])
        self.assert_divided_surfaces("on_2")

    def test_many_bodies_and_obstacles(self):
        """In two dimensions, with enough contactors for looks that are divided."""
        self.compare(PRM / "discs_in_a_box.prm",
                     {"Stepping/End time": 0.003, "Output/Save intervals": 2}, [(2, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_friction(self):
        self.compare(PRM / "sliding_block.prm",
                     {"Stepping/End time": 0.2, "Output/Save intervals": 3})

    RECORDS = {"Contact/Response": "records", "Output/Save intervals": 2}

    def test_contact_with_a_memory(self):
        self.compare(PRM / "two_elastic_bars.prm", {**self.RECORDS, "Stepping/End time": 1.5},
                     [(2, 1), (7, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 100)

    def test_contact_with_a_memory_of_edges(self):
        self.compare(PRM / "five_cubes.prm", {**self.RECORDS, "Stepping/End time": 0.003},
                     [(2, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_contact_with_a_memory_of_obstacles(self):
        self.compare(PRM / "discs_in_a_box.prm", {**self.RECORDS, "Stepping/End time": 0.003},
                     [(2, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_friction_with_a_memory(self):
        self.compare(PRM / "rigid_block_stick_slip.prm",
                     {**self.RECORDS, "Stepping/End time": 0.5}, [(2, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_shells_in_layers(self):
        self.compare(VALIDATION / "stacked_sheets.prm",
                     {"Stepping/End time": 3, "Contact/Restitution": 0.7,
                      "Output/Save intervals": 3}, [(3, 1)])

    def test_layers_on_solids(self):
        self.compare(PRM / "two_bars_layers.prm",
                     {"Stepping/End time": 1.5, "Output/Save intervals": 3}, [(2, 1)])
        self.assert_divided_surfaces("on_2")

    def test_shells_by_impulses(self):
        self.compare(PRM / "five_cubes_shells.prm",
                     {**self.RECORDS, "Contact/Edges": "all", "Stepping/End time": 0.008},
                     [(1, 4), (2, 1)])
        self.assert_divided_surfaces("on_2")

    CLAMPED = {"Bodies/plate/Mesh/Subdivisions": "8, 10, 1", "Stepping/Quiet start": 1e-4,
               "Stepping/End time": 4, "Output/Save intervals": 2}

    def test_clamped_shells(self):
        """Triangles at the edges are kicked one by one."""
        self.compare(PRM / "clamped_plate.prm", self.CLAMPED)

    def test_clamped_loop_surfaces(self):
        self.compare(PRM / "clamped_plate.prm", {**self.CLAMPED, "Bodies/plate/Bending": "Loop"},
                     [(2, 2)])

    def test_contact_solved_together(self):
        self.compare(SMALL, {"Stepping/Clocks": "one", "Contact/Reference/Schedule": "synchronous",
                             "Contact/Reference/Solver": "coupled"}, [(3, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def test_projected_contact(self):
        """The scheme of Cirak and West."""
        self.compare(PRM / "two_bars_cirak_west.prm",
                     {"Stepping/End time": 3, "Output/Save intervals": 3}, [(3, 1)])
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)


class FilteredClassBoundaries(ProcessesTest):
    """The same bytes where kicks see the nodes that they share with finer ones shifted."""

    def check(self, case, settings, numbers=((2, 1), (3, 2))):
        SameBytes.compare(self, case, {"Stepping/Class boundaries": "filtered", **settings}, numbers)
        self.assertGreater(self.summary("alone")["kicks"]["class boundaries"], 0)

    def test_waves(self):
        self.check(PRM / "bar_wave.prm", {"Stepping/End time": 5, "Output/Save intervals": 4},
                   [(2, 1), (7, 1)])

    def test_viscosity_and_hanging_nodes(self):
        self.check(PRM / "refined_bar.prm",
                   {"Bodies/bar/Stiffness damping": 0.01, "Bodies/bar/Linear bulk viscosity": 0.06,
                    "Stepping/End time": 1, "Output/Save intervals": 4})

    def test_plastic_cells_that_fail(self):
        self.check(PRM / "torn_plate.prm",
                   {"Bodies/plate/Mesh/Subdivisions": "40, 12", "Stepping/End time": 24,
                    "Stepping/Time step ratio": 0.9,
                    "Output/Save intervals": 4, "Output/VTU every": 1})
        self.assertGreater(self.summary("alone")["deleted_cells"], 0)

    def test_contact_of_tied_blocks(self):
        self.check(PRM / "tied_blocks.prm",
                   {"Stepping/End time": 0.8, "Output/Save intervals": 7})
        self.assertGreater(self.summary("alone")["class_changes"], 0)

    def test_shells(self):
        self.check(PRM / "clamped_plate.prm", SameBytes.CLAMPED)


class DividedAnew(ProcessesTest):
    """Cells get shorter steps, or fail, where one process has them: the others would wait for it."""

    TORN = {"Output/VTU every": 5, "Output/Save intervals": 10}

    def imbalance(self, output):
        """Kicks per time of the busiest process in each class, over the mean."""
        busiest = mean = 0
        of_clocks = zip(*(process["firings"] for process in self.summary(output)["of_processes"]))
        for clock, of_clock in enumerate(of_clocks):
            kicks = [of_process["kicks"] for of_process in of_clock]
            busiest += max(kicks) / 2**clock
            mean += sum(kicks) / len(kicks) / 2**clock
        return busiest / mean

    def test_cells_that_fail(self):
        """Of a body that nothing touches, with stresses and with what cells remember."""
        case = PRM / "torn_plate.prm"
        self.run_case(1, case, "alone", self.TORN, "--quiet")
        done = self.run_case(3, case, "anew", self.TORN)
        self.run_case(3, case, "once", {**self.TORN, "Stepping/Divide again": "off"}, "--quiet")
        alone = contents(self.folder / "alone")
        del alone["parameters.prm"]
        for output in ("anew", "once"):
            together = contents(self.folder / output)
            for name in alone:
                self.assertEqual(alone[name], together[name], f"{name} of {output}")
            for key in ("state_hash", "kicks", "energy_error_max", "class_changes", "deleted_cells"):
                self.assertEqual(self.summary("alone")[key], self.summary(output)[key], key)
        n = self.summary("anew")["divided_anew"]
        self.assertGreater(n, 0)
        self.assertEqual(len(re.findall("divided among the processes anew", done.stdout)), n)
        self.assertEqual(self.summary("once")["divided_anew"], 0)
        self.assertLess(self.imbalance("anew"), self.imbalance("once") - 0.2)

    def test_contact_with_an_obstacle(self):
        settings = {"Output/Save intervals": 10}
        SameBytes.compare(self, PRM / "taylor_bar.prm", settings, [(2, 2)])
        self.assertGreater(self.summary("on_2")["divided_anew"], 0)

    def test_a_run_that_goes_on(self):
        """Killed after it has been divided anew, it goes on with other processes, in pieces too."""
        case = PRM / "torn_plate.prm"
        settings = {**self.TORN, "Output/VTU pieces": "true", "Checkpoint/Time interval": 0.1}
        self.run_case(1, case, "alone", settings, "--quiet")
        run = subprocess.Popen(self.command(3, case, self.folder / "run", settings),
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=ENVIRONMENT)
        self.addCleanup(run.kill)
        self.addCleanup(run.stdout.close)
        for line in run.stdout:
            if "divided among the processes anew" in line:
                break
        checkpoints = self.folder / "run" / "checkpoint"
        before = set(checkpoints.iterdir())
        while before >= set(checkpoints.iterdir()) and run.poll() is None:
            time.sleep(0.01)
        kill_one(run)
        self.assertNotEqual(run.wait(timeout=60), 0)
        self.run_case(2, case, "run", settings, "--quiet", "--resume")
        for key in ("state_hash", "kicks", "energy_error_max", "deleted_cells"):
            self.assertEqual(self.summary("alone")[key], self.summary("run")[key], key)
        alone, together = (vtu.files(self.folder / output / "solution.pvd")
                           for output in ("alone", "run"))
        self.assertEqual(sorted(alone), sorted(together))
        for time_of_picture in alone:
            self.assertEqual(vtu.cells(alone[time_of_picture]), vtu.cells(together[time_of_picture]))


    def write_mesh(self, path, n_x, n_y):
        """A rectangle of 20 x 6, the plate of the case."""
        nodes = [(20 * i / n_x - 10, 6 * j / n_y - 3) for j in range(n_y + 1) for i in range(n_x + 1)]
        first = [j * (n_x + 1) + i + 1 for j in range(n_y) for i in range(n_x)]
        cells = [(n, n + 1, n + n_x + 2, n + n_x + 1) for n in first]
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
        lines += [f"{i} {x!r} {y!r} 0" for i, (x, y) in enumerate(nodes, 1)]
        lines += ["$EndNodes", "$Elements", str(len(cells))]
        lines += [f"{i} 3 2 0 1 " + " ".join(map(str, cell)) for i, cell in enumerate(cells, 1)]
        path.write_text("\n".join(lines + ["$EndElements", ""]))

    def test_a_mesh_that_has_gone(self):
        """The model cannot be made anew; nothing is lost."""
        mesh = self.folder / "plate.msh"
        self.write_mesh(mesh, 80, 24)
        case = PRM / "torn_plate.prm"
        settings = {"Bodies/plate/Mesh/Generator": "file", "Bodies/plate/Mesh/File": mesh}
        run = subprocess.Popen(self.command(3, case, self.folder / "run", settings, "--quiet"),
                               text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=ENVIRONMENT)
        self.addCleanup(run.kill)
        self.wait_for(run, self.folder / "run" / "statistics.csv")
        mesh.rename(self.folder / "gone.msh")
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, STOPPED, errors)
        messages = [line for line in errors.splitlines() if line.startswith("kickdrift:")]
        self.assertEqual(len(messages), 1, errors)
        self.assertRegex(messages[0], r"plate\.msh.*--resume continues")
        (self.folder / "gone.msh").rename(mesh)
        self.run_case(2, case, "run", settings, "--quiet", "--resume")
        self.run_case(1, case, "alone", settings, "--quiet")
        self.assertEqual(contents(self.folder / "alone"), contents(self.folder / "run"))


class Pieces(ProcessesTest):
    """Pictures of which each process writes a piece have the cells of one process, each once."""

    def compare(self, case, settings, n):
        settings = {"Output/VTU every": 1, **settings}
        self.run_case(1, case, "alone", settings, "--quiet")
        self.run_case(n, case, "together", {**settings, "Output/VTU pieces": "true"}, "--quiet")
        alone, together = (vtu.files(self.folder / output / "solution.pvd")
                           for output in ("alone", "together"))
        self.assertEqual(sorted(alone), sorted(together))
        for time in alone:
            self.assertEqual(len(together[time]), n * len(alone[time]))
            self.assertEqual(vtu.cells(alone[time]), vtu.cells(together[time]))
        self.assertGreater(min(len(vtu.cells([path])) for path in together[time]), 0)

    def test_cells_that_remember_and_fail(self):
        self.compare(PRM / "torn_plate.prm",
                     {"Bodies/plate/Mesh/Subdivisions": "40, 12", "Stepping/End time": 24,
                      "Output/Save intervals": 2}, 3)

    def test_contact_and_going_on(self):
        """All answer contacts; a run goes on with another number of processes."""
        settings = {"Output/Save intervals": 4}
        self.compare(SMALL, settings, 2)
        output = self.folder / "together"
        self.run_case(3, SMALL, "together", {"Stepping/End time": 2 * self.summary("alone")["time"],
                                             "Output/Save intervals": 8, "Output/VTU every": 1,
                                             "Output/VTU pieces": "true"}, "--quiet", "--resume")
        pictures = vtu.files(output / "solution.pvd")
        self.assertEqual([len(of_time) for of_time in pictures.values()], 5 * [2] + 4 * [3])
        sizes = {len(vtu.cells(of_time)) for of_time in pictures.values()}
        self.assertEqual(len(sizes), 1)

    def test_shells(self):
        self.compare(PRM / "five_cubes_shells.prm",
                     {"Stepping/End time": 0.001, "Output/Save intervals": 1}, 2)


class Counts(ProcessesTest):
    """What --validate --ranks foretells on one process is what processes have to do."""

    def compare(self, case, settings, numbers=(2, 3), classes_stay=False):
        for n in numbers:
            done = self.run_case(1, case, "forecast", settings, "--validate", "--ranks", str(n))
            line = re.search(rf"^On {n} processes: .*", done.stdout, re.M).group()
            counts = re.search(r"each holds (.*) kicks and needs (.*) nodes of (.*) others",
                               line).groups()
            output = f"on_{n}"
            self.run_case(n, case, output, settings, "--quiet")
            of_processes = self.summary(output)["of_processes"]
            self.assertEqual(len(of_processes), n)
            for foretold, key in zip(counts, ("kicks", "halo", "neighbours")):
                seen = [process[key] for process in of_processes]
                least, most = re.fullmatch(r"(\d+)(?: to (\d+))?", foretold).groups()
                self.assertEqual((int(least), int(most or least)), (min(seen), max(seen)), key)
            if not classes_stay:
                continue
            firings = re.findall(r"^  every .*: (.*) kicks of (.*), then the motion of (.*) nodes, messages to and from "
                                 r"(.*) others", done.stdout, re.M)
            self.assertEqual(len(firings), len(of_processes[0]["firings"]))
            self.assertGreater(len(firings), 1)
            self.assertEqual(sum(int(alone) for _, alone, *_ in firings), self.summary(output)["cells"])
            for clock, (kicks, _, *of_others) in enumerate(firings):
                for text, key in zip((kicks, *of_others), ("kicks", "halo", "neighbours")):
                    seen = [process["firings"][clock][key] for process in of_processes]
                    least, most = re.fullmatch(r"(\d+)(?: to (\d+))?", text).groups()
                    self.assertEqual((int(least), int(most or least)), (min(seen), max(seen)), key)

    def test_waves_in_classes(self):
        self.compare(PRM / "bar_wave.prm",
                     {"Stepping/End time": 0.1, "Output/Save intervals": 1,
                      "Bodies/bar/Mesh/Map": "x*(0.1+0.9*x/L); y; z"}, classes_stay=True)

    def test_contact_restraints_and_damping(self):
        self.compare(SMALL, {"Stepping/End time": 0.1, "Output/Save intervals": 1,
                             "Bodies/left/Damping": 0.3, "Restraints/Names": "support",
                             "Restraints/support/Body": "right",
                             "Restraints/support/Boundary ids": 1,
                             "Restraints/support/Directions": "x"})

    def test_ties(self):
        self.compare(PRM / "tied_blocks.prm",
                     {"Stepping/End time": 0.02, "Output/Save intervals": 1})


class Memory(ProcessesTest):
    def test_falls(self):
        """Processes beside the first have no mesh. What they let go of cells: unit test LetGo."""
        settings = {"Constants": "n = 16, L = 10, V = 0.01", "Bodies/bar/Mesh/Subdivisions": "4*n, n, n",
                    "Stepping/End time": 0.001, "Output/Save intervals": 1, "Output/VTU every": 0}
        self.run_case(2, PRM / "bar_wave.prm", "run", settings, "--quiet")
        first, other = self.summary("run")["of_processes"]
        n_cells = self.summary("run")["cells"]
        self.assertLess(n_cells, first["kicks"] + other["kicks"])
        # the mesh of deal.II with its DoFs alone has some 500 bytes per cell
        self.assertLess(other["memory"], first["memory"] - 400 * n_cells)
        self.assertEqual(max(first["peak_memory"], other["peak_memory"]),
                         self.summary("run")["peak_memory"])


class Refusals(ProcessesTest):
    """Nothing is begun, and the first process says why."""

    def refused(self, settings, *options):
        done = self.run_case(2, SMALL, "run", settings, *options, status=REFUSED)
        self.assertEqual(len(self.messages(done)), 1, done.stderr)
        self.assertFalse((self.folder / "run").exists())
        return self.messages(done)[0]

    def run_both(self, cases, options, folders=(".", ".")):
        """Each process has its own command and folder."""
        commands = [["env", "-C", str(self.folder / folder), PROGRAM, str(case),
                     "--output", str(self.folder / "run"), "--quiet", *more]
                    for case, more, folder in zip(cases, options, folders)]
        return subprocess.run(
            mpirun(*commands), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, env=ENVIRONMENT)

    def both_are_refused(self, cases, options, words, folders=(".", ".")):
        """They must not wait for each other for ever."""
        done = self.run_both(cases, options, folders)
        self.assertEqual(done.returncode, REFUSED, done.stderr)
        message, = self.messages(done)
        for word in ("asked for different things", "process 1", *words):
            self.assertIn(word, message)
        self.assertFalse((self.folder / "run").exists())

    def test_other_parameters(self):
        cases = [self.folder / name for name in ("one.prm", "other.prm")]
        text = SMALL.read_text()
        for case in cases:
            case.write_text(text)
        # where the same is written does not matter
        done = self.run_both(cases, ([], []))
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.rmtree(self.folder / "run")
        cases[1].write_text(text.replace("End time = 2", "End time = 3"))
        for options, words in (([[], []], ("'Stepping/End time' = 2", "'Stepping/End time' = 3")),
                               ([[], ["--version"]], ("--version",)),
                               ([["--threads", "2"], []], ("--threads", "'Dimension' = 2"))):
            self.both_are_refused(cases, options, words)

    def test_other_files(self):
        """What is in files of the same name where each process has been started, and in those that
        are named by parameter files."""
        folders = "here", "there"
        for folder in folders:
            (self.folder / folder).mkdir()
            (self.folder / folder / "a.file").write_text(f"What is {folder}.\n")
        for parameter in ("Bodies/left/Mesh/File", "Loads/push/Amplitude file",
                          "Additional shared libraries"):
            words = (f"'{parameter}' = a.file (contents ",)
            option = ["--set", f"{parameter}=a.file"]
            self.both_are_refused((SMALL, SMALL), (option, option), words, folders)
            cases = [self.folder / folder / "case.prm" for folder in folders]
            for case in cases:
                case.write_text(SMALL.read_text() + f"\nset {parameter} = a.file\n")
            self.both_are_refused(cases, ([], []), words)

    def test_a_clock_per_cell(self):
        message = self.refused({"Stepping/Clocks": "per cell"})
        self.assertIn("'Stepping/Clocks' = per cell is for one process", message)
        self.assertIn("2", message)

    def test_detection(self):
        self.assertIn("'Detection/Enabled'",
                      self.refused({"Detection/Enabled": "true",
                                    "Detection/Largest acceleration": 1}))

    def test_dashpots(self):
        spring = {"Springs/Names": "leash", "Springs/leash/Body": "left",
                  "Springs/leash/Point": "-1, 0", "Springs/leash/Other point": "-2, 0",
                  "Springs/leash/Damping coefficient": 0.1}
        self.assertIn("'Springs/leash/Damping coefficient' is for one process",
                      self.refused(spring))

    def test_nothing_is_foretold_that_is_refused(self):
        for settings, name in (({"Stepping/Clocks": "per cell"}, "'Stepping/Clocks' = per cell"),):
            done = self.run_case(1, SMALL, "run", settings, "--validate", "--ranks", "8",
                                 status=REFUSED)
            self.assertIn(f"{name} is for one process, but '--ranks' asks about 8",
                          self.messages(done)[0])

    def test_validate_and_compare(self):
        for option in ("--validate", "--compare"):
            self.assertIn(f"'{option}'", self.refused({}, option))

    def test_mistakes_are_reported_once(self):
        for settings, words in (({"Stepping/End time": "soon"}, "End time"),
                                ({"Bodies/left/Mesh/Subdivisions": "n"}, "Subdivisions"),
                                ({"No such/Parameter": 1}, "No such")):
            self.assertIn(words, self.refused(settings))

    def test_folder_that_is_in_use(self):
        self.run_case(2, SMALL, "run", {"Stepping/End time": 0.1})
        done = self.run_case(2, SMALL, "run", {"Stepping/End time": 0.1}, status=REFUSED)
        self.assertEqual(len(self.messages(done)), 1, done.stderr)
        self.assertIn("--overwrite", done.stderr)


class Failures(ProcessesTest):
    """One of three processes fails; all end, and the first says why."""

    def run_with_other(self, wrong, status):
        """All are asked for the same, but the material goes wrong in the last of three processes."""
        foam = {"Additional shared libraries": pathlib.Path(os.environ["PLUGINS"]) / "soft_foam.so",
                "Bodies/left/Material/Model": "soft foam",
                "Bodies/right/Material/Model": "soft foam"}
        program = self.command(1, SMALL, self.folder / "run", {"Stepping/End time": 4, **foam})
        command = mpirun(program, program, ["env", f"SOFT_FOAM_FAILS={wrong}", *program])
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, env=ENVIRONMENT)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(len(self.messages(done)), 1, done.stderr)
        return self.messages(done)[0]

    def test_before_the_model(self):
        self.assertIn("fails while reading", self.run_with_other("reading", REFUSED))

    def test_while_the_model_is_made(self):
        self.assertIn("fails while making", self.run_with_other("making", REFUSED))

    def test_another_model(self):
        self.assertIn("different models", self.run_with_other("other", REFUSED))

    def test_while_it_runs(self):
        self.assertIn("fails while running", self.run_with_other("running", STOPPED))
        self.assertEqual(self.summary("run")["status"], "stopped")

    def test_when_results_are_saved(self):
        """The folder is removed, so that the first process, which writes, cannot do so any more, or all
        cannot, where each writes a piece of the pictures."""
        for pieces, name in (("false", "solution_000001.vtu"), ("true", "solution_000001.2.vtu")):
            with self.subTest(pieces=pieces):
                output = self.folder / pieces
                run = subprocess.Popen(
                    self.command(3, SMALL, output,
                                 {"Stepping/End time": 1000, "Output/Save intervals": 5000,
                                  "Output/VTU every": 1, "Output/VTU pieces": pieces}, "--quiet"),
                    text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
                self.addCleanup(run.kill)
                self.wait_for(run, output / "solution" / name)
                output.rename(self.folder / f"not_{pieces}")
                _, errors = run.communicate(timeout=120)
                self.assertEqual(run.returncode, STOPPED, errors)
                messages = [line for line in errors.splitlines() if line.startswith("kickdrift:")]
                self.assertEqual(len(messages), 1, errors)
                # whatever was to be written next
                self.assertRegex(
                    messages[0],
                    "removed meanwhile|Cannot (write|create) ")

    def test_when_the_last_summary_is_written(self):
        """All but the first have done their part then, and a folder is where the file should be."""
        settings = {"Stepping/End time": 0.1}
        self.run_case(1, SMALL, "run", settings, "--quiet")
        (self.folder / "run" / "summary.json").unlink()
        (self.folder / "run" / "summary.json").mkdir()
        done = self.run_case(3, SMALL, "run", settings, "--quiet", "--overwrite", status=STOPPED)
        self.assertEqual(len(self.messages(done)), 1, done.stderr)
        self.assertIn("summary.json", self.messages(done)[0])

    def test_a_process_that_is_killed(self):
        run = subprocess.Popen(
            self.command(3, SMALL, self.folder / "run", {"Stepping/End time": 1000}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        self.addCleanup(run.kill)
        self.wait_for(run, self.folder / "run" / "statistics.csv")
        kill_one(run)
        self.assertNotEqual(run.wait(timeout=60), 0)


class Resumed(ProcessesTest):
    def test_what_cells_remember(self):
        """On three processes, then further on two: as if on one. The first one, which writes
        checkpoints, has the histories and critical steps of all cells in them."""
        for case, settings, ends in ((PRM / "taylor_bar.prm", {"Bodies/bar/Mesh/Refinements": 0}, (10, 20)),
                                     (PRM / "crushed_block.prm", {}, (6, 12))):
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            first, second = ({**settings, "Stepping/End time": end,
                              "Output/Save intervals": n} for n, end in zip((2, 4), ends))
            self.run_case(3, case, "run", first, "--quiet")
            self.run_case(2, case, "run", second, "--quiet", "--resume")
            self.run_case(1, case, "alone", second, "--quiet")
            for key in ("state_hash", "kicks", "energy_error_max", "class_changes"):
                self.assertEqual(self.summary("alone")[key], self.summary("run")[key], key)
            self.assertGreater(self.summary("alone")["class_changes"], 0)

    def test_in_contact(self):
        """What is remembered of contactors by those that look at them comes from all processes."""
        first, second = ({"Stepping/End time": end, "Output/Save intervals": n}
                         for n, end in ((1, 0.3), (2, 0.6)))
        case = PRM / "two_elastic_bars.prm"
        self.run_case(3, case, "run", first, "--quiet")
        self.run_case(2, case, "run", second, "--quiet", "--resume")
        self.run_case(1, case, "alone", second, "--quiet")
        for key in ("state_hash", "kicks", "energy_error_max"):
            self.assertEqual(self.summary("alone")[key], self.summary("run")[key], key)
        self.assertGreater(self.summary("alone")["kicks"]["collisions"], 0)

    def interrupted(self, settings):
        """A run on three processes in the folder "run" that got a signal and was not done then."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        run = subprocess.Popen(
            self.command(3, SMALL, self.folder / "run", settings, "--quiet"), text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        self.addCleanup(run.kill)
        statistics = self.folder / "run" / "statistics.csv"
        while run.poll() is None and not (statistics.exists()
                                          and statistics.read_text().count("\n") >= 3):
            time.sleep(0.01)
        run.send_signal(signal.SIGUSR1)  # mpirun passes it on; after SIGTERM it would kill them soon
        run.communicate(timeout=120)
        return self.summary("run")["status"] == "interrupted"

    def test_on_another_number_of_processes(self):
        """Interrupted on three, resumed on two: as if on one, never interrupted."""
        for end in (120, 480, 1920):  # a short run may be done before the signal comes
            settings = {"Stepping/End time": end, "Output/Save intervals": 2 * end}
            if self.interrupted(settings):
                break
        else:
            self.skipTest("the machine is too busy to interrupt a run before it is done")
        done = self.run_case(2, SMALL, "run", settings, "--resume")
        self.assertIn("Continues from", done.stdout)
        self.run_case(1, SMALL, "alone", settings, "--quiet")
        self.assertEqual(self.summary("alone")["state_hash"], self.summary("run")["state_hash"])
        alone, resumed = contents(self.folder / "alone"), contents(self.folder / "run")
        self.assertEqual(alone, resumed)


class SlowResumed(ProcessesTest):
    RESUME = HERE.parent / "fuzz" / "corpus" / "resume"
    ONE_PROCESS = "per_cell.prm", "parts.prm"  # needs what several processes refuse

    def test_random_stops(self):
        """The cases that are stopped and resumed at random on one process (tests/fuzz): begun on three,
        continued on two, ended on one: as if on one all the time."""
        cases = sorted(case for case in self.RESUME.glob("*.prm")
                       if case.name not in self.ONE_PROCESS)
        self.assertGreater(len(cases), 8)
        for case in cases:
            text = case.read_text()
            end, n = (float(re.search(rf"set {name} = (.*)", text).group(1))
                      for name in ("End time", "Save intervals"))
            stops = sorted(random.Random(case.name).sample(range(1, int(n)), 2))
            with self.subTest(case=case.name, stops=stops):
                shutil.rmtree(self.folder)
                self.folder.mkdir()
                for processes, rows, more in ((3, stops[0], []), (2, stops[1], ["--resume"]),
                                              (1, int(n), ["--resume"])):
                    settings = {"Stepping/End time": repr(end * rows / n),
                                "Output/Save intervals": rows}
                    self.run_case(processes, case, "run", settings, "--quiet", *more)
                self.run_case(1, case, "alone", settings, "--quiet")
                for key in ("state_hash", "kicks", "class_changes"):
                    self.assertEqual(self.summary("alone")[key], self.summary("run")[key], key)


if __name__ == "__main__":
    unittest.main()
