"""End-to-end tests of the program kickdrift.

Usage: KICKDRIFT=path/to/kickdrift python3 program_test.py [unittest arguments]
"""

import csv
import json
import math
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import loaded_program

PROGRAM = os.environ["KICKDRIFT"]
HERE = pathlib.Path(__file__).resolve().parent
PRM = HERE.parent.parent / "prm"
SMALL = HERE / "prm" / "small.prm"


class ProgramTest(unittest.TestCase):
    """Runs the program in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.n_runs = 0

    def run_program(self, *arguments, status=0, environment=None):
        """Run and compare the exit status; never a banner or a stack trace."""
        done = loaded_program.run(arguments, self.folder, environment,
                                  float(os.environ.get("KICKDRIFT_TEST_TIMEOUT", 300)))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for noise in ("-----", "Stacktrace", "An error occurred", "terminate called", "Aborting"):
            self.assertNotIn(noise, done.stderr)
        return done

    def run_case(self, file, settings=None, *, arguments=(), status=0):
        """Run a case with --set for each of the settings; returns (process, output folder)."""
        self.n_runs += 1
        output = self.folder / f"run{self.n_runs}"
        sets = [f"{name}={value}" for name, value in (settings or {}).items()]
        sets = [word for text in sets for word in ("--set", text)]
        done = self.run_program(file, "--output", output, *sets, *arguments, status=status)
        return done, output

    def assert_refused(self, settings, *expected, file=SMALL, status=2):
        """The case must be refused with a message that contains all the expected texts."""
        done, output = self.run_case(file, settings, status=status)
        for text in expected:
            self.assertIn(text, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        return done, output

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def column(path, name):
    return [float(row[name]) for row in rows(path)]


def summary(output):
    return json.loads((output / "summary.json").read_text())


ONE_CELL = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
2
1 1 2 1 1 2 3
2 3 2 0 1 1 2 3 4
$EndElements
"""


class CommandLine(ProgramTest):
    def test_without_arguments_it_says_what_to_do(self):
        done = self.run_program(status=2)
        self.assertIn("usage: kickdrift CASE.prm", done.stderr)
        self.assertIn("two_elastic_bars.prm", done.stderr)

    def test_help_lists_all_options(self):
        text = self.run_program("--help").stdout
        for option in ("--output", "--overwrite", "--set", "--threads", "--validate"):
            self.assertIn(option, text)
        for option in ("--print-parameters", "--quiet", "--compare", "--sweep", "Exit status"):
            self.assertIn(option, text)

    def test_version(self):
        self.assertRegex(
            self.run_program("--version").stdout, r"^kickdrift \d+\.\d+\.\d+ with deal.II \d"
        )

    def test_version_names_the_instruction_set(self):
        text = self.run_program("--version").stdout
        self.assertRegex(text, r"Instruction set of the kernels: (avx512|avx2|sse2|baseline)\n")

    def test_unknown_option(self):
        done = self.run_program("--overwrit", status=2)
        self.assertIn("'--overwrit'", done.stderr)
        self.assertIn("Did you mean '--overwrite'", done.stderr)

    def test_option_without_value(self):
        self.assertIn("'--output' needs a value", self.run_program("--output", status=2).stderr)

    def test_two_files(self):
        self.assertIn("One parameter file", self.run_program("a.prm", "b.prm", status=2).stderr)

    def test_missing_file(self):
        done = self.run_program("nowhere.prm", status=2)
        self.assertIn("'nowhere.prm' cannot be opened", done.stderr)

    def test_device(self):
        done = self.run_program("/dev/zero", status=2)
        self.assertIn("'/dev/zero' is a device, not a file", done.stderr)

    def test_quiet(self):
        done, _ = self.run_case(SMALL, arguments=["--quiet"])
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, "")

    def test_set_with_equals_sign_in_one_word(self):
        output = self.folder / "joined"
        self.run_program(SMALL, f"--output={output}", "--set=Stepping/End time=0.5")
        self.assertEqual(column(output / "statistics.csv", "time")[-1], 0.5)

    def test_default_folder_is_named_after_the_case(self):
        self.run_program(SMALL)
        self.assertTrue((self.folder / "output" / "small" / "statistics.csv").exists())


class OtherDealII(ProgramTest):
    """OTHER_DEAL_II: a library that says that it is another release of deal.II."""

    def test_is_refused(self):
        for arguments in ((SMALL,), ("--version",)):
            environment = {"LD_PRELOAD": os.environ["OTHER_DEAL_II"]}
            done = self.run_program(*arguments, status=2, environment=environment)
            self.assertRegex(
                done.stderr,
                r"\Akickdrift: KickDrift was built with deal\.II \d+\.\d+\.\S+, but runs with "
                r"99\.0\.0-pre; please rebuild it\.\n\Z",
            )
            self.assertEqual(done.stdout, "")
        self.assertEqual(list(self.folder.iterdir()), [])


class Threads(ProgramTest):
    BARS = {
        "Constants": "n = 8, L = 10, V = 0.1",
        "Stepping/End time": 0.3,
        "Output/Save intervals": 3,
        "Output/VTU every": 0,
        "Output/Surface every": 0,
    }

    def assert_same_for_any_number(self, settings, case="two_elastic_bars.prm"):
        """Contact, its zones, histories: all the same to the last bit."""
        hashes, histories = set(), set()
        # the thread sanitizer sees races in one run with several, and takes minutes for it
        for threads in map(int, os.environ.get("KICKDRIFT_TEST_THREADS", "1 2 3").split()):
            _, output = self.run_case(
                PRM / case,
                settings,
                arguments=["--threads", threads],
            )
            written = summary(output)
            self.assertEqual(written["threads"], threads)
            self.assertGreater(written["kicks"]["collisions"], 0)
            hashes.add(written["state_hash"])
            histories.add((output / "statistics.csv").read_text())
        self.assertEqual(len(hashes), 1)
        self.assertEqual(len(histories), 1)

    def test_nested_clocks(self):
        self.assert_same_for_any_number(self.BARS)

    def test_one_clock(self):
        settings = {**self.BARS, "Stepping/Clocks": "one", "Stepping/End time": 0.1}
        self.assert_same_for_any_number(settings)

    def test_edges_and_many_bodies(self):
        settings = {"Stepping/End time": 2, "Output/VTU every": 0, "Output/Surface every": 0}
        for response in ("reflect", "records"):
            contact = {"Contact/Response": response}
            self.assert_same_for_any_number({**settings, **contact}, "block_assembly_small.prm")

    def test_obstacles_and_points_of_faces(self):
        settings = {"Stepping/End time": 0.05, "Output/VTU every": 0, "Output/Surface every": 0}
        settings["Contact/Points per face"] = 2
        self.assert_same_for_any_number(settings, "hertz_sphere.prm")

    def test_coupled_and_projected(self):
        settings = {"Stepping/End time": 0.02, "Output/VTU every": 0, "Output/Surface every": 0}
        settings.update({"Contact/Reference/Solver": "coupled", "Contact/Reference/Projection": "true"})
        self.assert_same_for_any_number(settings, "five_cubes.prm")

    def test_not_with_a_clock_per_cell(self):
        self.assert_refused(
            {"Stepping/Clocks": "per cell", "Stepping/Threads": 2},
            "'Stepping/Threads' cannot be 2",
            "per cell",
        )

    def test_allowed_numbers(self):
        for number in ("0", "-1", "257", "many"):
            self.assert_refused({"Stepping/Threads": number}, "Threads", number)


class Parameters(ProgramTest):
    def test_print_parameters_round_trip(self):
        printed = self.run_program(SMALL, "--print-parameters").stdout
        again = self.write("again.prm", printed)
        self.assertEqual(self.run_program(again, "--print-parameters").stdout, printed)
        _, first = self.run_case(SMALL)
        _, second = self.run_case(again)
        self.assertEqual(summary(first)["state_hash"], summary(second)["state_hash"])

    def test_copies_of_a_body(self):
        settings = {"Bodies/right/Copies": "n/2, 1", "Bodies/right/Spacing": "1.5, 0"}
        settings["Bodies/right/Initial velocity"] = "x < 1.2 ? 0 : -0.1; 0"
        settings["Stepping/End time"] = "0.1"
        _, folder = self.run_case(SMALL, settings)
        first = [row for row in rows(folder / "bodies.csv") if float(row["time"]) == 0]
        self.assertEqual([row["body"] for row in first], ["left", "right_1", "right_2"])
        centres = [float(row["center_x"]) for row in first[1:]]
        self.assertAlmostEqual(centres[0], 0.5, 12)
        self.assertAlmostEqual(centres[1], 2, 12)
        # expressions see each copy where it is
        self.assertEqual(float(first[1]["velocity_x"]), 0)
        self.assertAlmostEqual(float(first[2]["velocity_x"]), -0.1, 12)
        energies = [float(row["kinetic_energy"]) for row in first]
        self.assertEqual(energies[1], 0)
        self.assertAlmostEqual(energies[2], energies[0], 12)

    def test_constants_in_every_number(self):
        """Numbers of all kinds, those that a material registers and of pairs, may use constants."""
        numbers = {
            "Bodies/left/Material/Young's modulus": 0.5,
            "Stepping/End time": 0.25,
            "Stepping/Time step ratio": 0.4,
            "Contact/Friction": 0.125,
            "Contact/Restitution of pairs": "left:right = 0.75",
            "Output/Save intervals": 4,
        }
        expressions = {
            "Constants": "n = 4, half = 1/2, e = 3*half/2",
            "Bodies/left/Material/Young's modulus": "half",
            "Stepping/End time": "1/n",
            "Stepping/Time step ratio": "0.1*n",
            "Contact/Friction": "half^3",
            "Contact/Restitution of pairs": "left:right = e",
            "Output/Save intervals": "n",
        }
        _, plain = self.run_case(SMALL, {"Constants": "n = 4", **numbers})
        _, named = self.run_case(SMALL, expressions)
        self.assertEqual(summary(plain)["state_hash"], summary(named)["state_hash"])
        self.assert_refused({"Contact/Friction": "-n"}, "'Contact/Friction' cannot be '-n' (-4)")
        self.assert_refused({"Output/Save intervals": "n/8"}, "'n/8' (0.5)", "an integer")
        self.assert_refused({"Contact/Friction": "mu"}, "'Contact/Friction' cannot be 'mu'")
        self.assert_refused({"Contact/Friction of pairs": "left:right = mu"}, "'mu'")

    def test_print_parameters_documents_units(self):
        printed = self.run_program("--print-parameters").stdout
        for name in ("Time step ratio", "Young's modulus", "Restitution", "Boundary ids"):
            self.assertIn("set " + name, printed)
        self.assertIn("Units: length/time.", printed)
        file = self.write("all.prm", printed)
        self.assertEqual(self.run_program(file, "--print-parameters").stdout, printed)

    def test_parameters_prm_is_the_complete_set_that_was_used(self):
        _, first = self.run_case(SMALL, {"Stepping/Time step ratio": 0.4})
        used = first / "parameters.prm"
        self.assertIn("Time step ratio = 0.4", re.sub(" +", " ", used.read_text()))
        _, second = self.run_case(used)
        self.assertEqual(summary(first)["state_hash"], summary(second)["state_hash"])

    def test_set_overrides_the_file(self):
        _, output = self.run_case(SMALL, {"Stepping/End time": 1, "Output/Save intervals": 4})
        self.assertEqual(column(output / "statistics.csv", "time"), [0, 0.25, 0.5, 0.75, 1])

    def test_names_may_be_spaced_out(self):
        _, output = self.run_case(
            SMALL, {"Stepping/End  time": 1, " Output / Save   intervals ": 4}
        )
        self.assertEqual(column(output / "statistics.csv", "time"), [0, 0.25, 0.5, 0.75, 1])
        case = self.write(
            "case.prm", SMALL.read_text() + "subsection  Stepping\n  set End   time = 1\nend\n"
        )
        _, output = self.run_case(case)
        self.assertEqual(column(output / "statistics.csv", "time")[-1], 1)

    def test_suggestions_fit(self):
        for name, suggested in {
            "Stepping/Endtime": "Stepping/End time",
            "End time": "Stepping/End time",
            "Contact/End time": "Stepping/End time",
            "Steping/Clock": "Stepping/Clocks",
            "Bodies/left/Material/Youngs modulus": "Bodies/left/Material/Young's modulus",
            "Bodies/lft/Mesh/Generator": "Bodies/left/Mesh/Generator",
            "Output/VTU ever": "Output/VTU every",
        }.items():
            done, _ = self.run_case(SMALL, {name: 1}, status=2)
            self.assertIn(f"there is no parameter '{name}'.", done.stderr)
            self.assertIn(f"Did you mean '{suggested}'?", done.stderr)
        for name in ("Colour", "Stepping/Wheels and axles"):
            done, _ = self.run_case(SMALL, {name: 1}, status=2)
            self.assertNotIn("Did you mean", done.stderr)
        done, _ = self.run_case(SMALL, {"Loads/push/Value": 1}, status=2)
        self.assertIn("'push' is not in 'Loads/Names'.", done.stderr)

    def test_random_numbers_are_refused(self):
        for expression in ("rand(); 0", "0; 0.1*rand()", "rand_seed(3); 0"):
            self.assert_refused(
                {"Bodies/left/Initial velocity": expression},
                "'Bodies/left/Initial velocity'", "random numbers", "'rand",
            )
        self.run_case(SMALL, {"Constants": "n = 4, brand = 1",
                              "Bodies/left/Initial velocity": "0.1*brand; 0"})

    def test_former_names_are_understood(self):
        file = self.write("former.prm", "subsection Contact\n  set Zone  layers = 0\nend\n")
        for case, settings in ((file, ()), (SMALL, ("--set", "Contact/Zone layers=0"))):
            printed = self.run_program(case, *settings, "--print-parameters").stdout
            contact = printed[printed.index("subsection Contact"):]
            reference = contact[contact.index("subsection Reference"):]
            self.assertRegex(reference[: reference.index("\n  end")], r"set Zone layers += 0")

    def test_files_are_relative_to_the_parameter_file(self):
        (self.folder / "sub" / "meshes").mkdir(parents=True)
        self.write("sub/meshes/mesh.msh", ONE_CELL)
        case = self.write(
            "sub/case.prm",
            SMALL.read_text() + "subsection Bodies\n subsection left\n subsection Mesh\n"
            "set Generator = file\n set File = meshes/mesh.msh\n set Map = x - 3; y\nend\nend\nend\n",
        )
        done, output = self.run_case(case)
        self.assertIn("Body left: 1 cells", done.stdout)
        # also when it is included, or repeated from the folder of the results
        self.write("main.prm", "include sub/case.prm\n")
        for again in (self.folder / "main.prm", output / "parameters.prm"):
            done, other = self.run_case(again)
            self.assertEqual(summary(other)["state_hash"], summary(output)["state_hash"])
        # those of the command line are relative to where that is typed
        done, _ = self.run_case(case, {"Bodies/left/Mesh/File": "sub/meshes/mesh.msh"})
        self.assertIn("Body left: 1 cells", done.stdout)
        (self.folder / "sub" / "meshes" / "mesh.msh").unlink()
        self.assert_refused({}, str(self.folder / "sub" / "meshes" / "mesh.msh"), file=case)
        self.assertIn(
            "relative to the parameter file",
            " ".join(self.run_program("--print-parameters").stdout.replace("#", " ").split()),
        )

    def test_set_can_add_a_body(self):
        settings = {
            "Bodies/Names": "left, right, third",
            "Bodies/third/Mesh/Lower corner": "5, 5",
            "Bodies/third/Mesh/Upper corner": "6, 6",
        }
        done, _ = self.run_case(SMALL, settings)
        self.assertIn("Body third: 1 cells, 4 nodes", done.stdout)

    def test_include_and_continued_lines(self):
        self.write("part.prm", "subsection Stepping\n  set End time = \\\n 0.5\nend\n")
        (self.folder / "small.prm").write_text(SMALL.read_text())
        case = self.write("case.prm", "include small.prm\ninclude part.prm\n")
        _, output = self.run_case(case)
        self.assertEqual(column(output / "statistics.csv", "time")[-1], 0.5)


    def test_byte_order_mark(self):
        case = self.folder / "marked.prm"
        case.write_bytes(b"\xef\xbb\xbf" + SMALL.read_bytes())
        self.run_program(case, "--validate")


class BadInput(ProgramTest):
    def test_unknown_parameter_in_the_file(self):
        text = SMALL.read_text().replace("set End time", "set Endtime")
        line = 1 + text.splitlines().index("  set Endtime = 2")
        case = self.write("case.prm", text)
        self.assert_refused(
            {}, f"case.prm, line {line}:", "'Stepping/Endtime'", "'Stepping/End time'", file=case
        )

    def test_unknown_parameter_on_the_command_line(self):
        self.assert_refused(
            {"Steping/Clocks": "one"}, "--set", "'Steping/Clocks'", "mean 'Stepping/Clocks'"
        )

    def test_a_constant_with_a_long_name(self):
        self.assert_refused({"Constants": f"n = 4, {'a' * 200} = 1"}, "'Constants'",
                            "cannot name a constant")

    def test_a_body_that_is_hardly_there(self):
        """Its steps cannot be counted in those of the other one."""
        for modulus in ("1e-60", "1e-30"):
            _, output = self.run_case(SMALL, {"Bodies/left/Material/Young's modulus": modulus,
                                              "Stepping/Energy limit": 10})
            self.assertEqual(summary(output)["status"], "done")

    def test_plasticity(self):
        plastic = {
            "Bodies/left/Material/Model": "J2 plasticity",
            "Bodies/left/Strain integration": "mean dilatation",
            "Stepping/End time": 0.1,
        }
        self.run_case(SMALL, plastic)
        for integration in ("one-point", "nodal"):
            self.assert_refused(
                {**plastic, "Bodies/left/Strain integration": integration},
                "'left'", "with a history", "mean dilatation",
            )
        for settings, text in (
            ({"Yield stress": 0}, "Yield stress is 0; it must be positive"),
            ({"Hardening curve": "0: 1, 0.1"}, "allowed is pairs of numbers, 'a: b, c: d'"),
            ({"Hardening curve": "0: 1, 0.1: 0.5"}, "0.5; it must be finite, and not below"),
            ({"Hardening curve": "0.1: 1"}, "must begin at the plastic strain 0"),
            ({"Model": "Johnson-Cook", "Melting temperature": 200}, "above room temperature"),
            ({"Model": "linear elastic"}, "mean dilatation is for large strains"),
        ):
            named = {f"Bodies/left/Material/{name}": value for name, value in settings.items()}
            self.assert_refused({**plastic, **named}, text)

    def test_projection_with_restitution(self):
        projection = {
            "Contact/Reference/Projection": "true",
            "Contact/Reference/Schedule": "synchronous",
            "Stepping/Clocks": "one",
            "Stepping/End time": 0.1,
        }
        self.run_case(SMALL, projection)
        text = "'Contact/Reference/Projection' needs 'Contact/Restitution' = 1"
        self.assert_refused({**projection, "Contact/Restitution": 0.5}, text)
        self.assert_refused({**projection, "Contact/Restitution of pairs": "left:right = 0"}, text)
        plane = {"Obstacles/Names": "plane", "Obstacles/plane/Normal": "0, 1"}
        plane["Obstacles/plane/Point"] = "0, -1"
        self.run_case(SMALL, {**projection, **plane})
        self.assert_refused({**projection, **plane, "Obstacles/plane/Restitution": 0.8}, text)

    def test_files_that_double_at_every_include(self):
        """No loop, but two million files. Nor may there be many beside each other."""
        for i in range(1, 22):
            self.write(f"n{i}.prm", f"include n{i + 1}.prm\n" * 2)
        self.write("n22.prm", "set Dimension = 2\n")
        self.assert_refused(
            {}, ".prm, line ", ".prm' cannot be included", "1000", file=self.folder / "n1.prm"
        )
        many = self.write("many.prm", "include n22.prm\n" * 1000 + SMALL.read_text())
        self.run_program(many, "--validate")
        many.write_text("include n22.prm\n" + many.read_text())
        self.assert_refused({}, "many.prm, line 1001", "more than 1000", file=many)

    def test_long_texts(self):
        """Refused in no time, with messages that can be read."""
        long = 10**6 * "a"
        for line, *expected in (
            (f"set {long} = 1", "line 1: there is no parameter 'aaa"),
            (f"set Dimension = {long}", "line 1: 'Dimension' cannot be 'aaa", "there are pi"),
            (f"set Constants = {long}", "'Constants'"),
            (f"set Bodies/Names = {long}/{long}", "Bodies/Names"),
            (f"include {long}", "line 1: the file '"),
            (f"subsection {long}", "is not closed"),
            (long, "line 1: 'aaa", "is none of"),
            (100 * long, "line 1: 'aaa", "is none of"),
            ("\xe9" * 10**6, "line 1: '\xe9"),
        ):
            with self.subTest(line=line[:20], size=len(line)):
                case = self.write("long.prm", line)
                done, _ = self.run_case(case, status=2)
                for text in (*expected, "characters left out"):
                    self.assertIn(text, done.stderr)
                self.assertLess(len(done.stderr), 1100)

    def test_unknown_body_in_a_subsection(self):
        self.assert_refused(
            {"Bodies/lefd/Initial velocity": "0;0"}, "mean 'Bodies/left/Initial velocity'"
        )

    def test_values_out_of_range(self):
        for name, value, allowed in (
            ("Stepping/Time step ratio", "1.5", "1"),
            ("Stepping/Time step ratio", "half", "a number"),
            ("Stepping/Clocks", "two", "one | nested | per cell"),
            ("Contact/Restitution", "-1", "0 to 1"),
            ("Output/Save intervals", "0", "an integer 1 to"),
            ("Dimension", "4", "2 to 3"),
            ("Bodies/left/Material/Model", "jelly", "linear elastic"),
            ("Restraints/Names", "a,a", "twice"),
        ):
            with self.subTest(name=name, value=value):
                self.assert_refused({name: value}, f"'{name}'", f"'{value}'", allowed)

    def test_lists_are_explained(self):
        self.assert_refused(
            {"Probes/tip/Boundary ids": "1, one"},
            "'Probes/tip/Boundary ids': body 'left' has no boundary 'one'",
            "it has 0, 1, 2, 3",
        )

    def test_end_time_and_steps_that_cannot_be_counted(self):
        for settings in (
            {"Stepping/End time": "1e300"},
            {"Stepping/End time": "2e14"},
            {"Stepping/Time step": "1e-300", "Stepping/Clocks": "one"},
            {"Stepping/Time step": "1e-15", "Stepping/Clocks": "one"},
            {"Stepping/End time": "1e300", "Stepping/Clocks": "per cell"},
        ):
            with self.subTest(**settings):
                self.assert_refused(settings, "'Stepping/End time'", "more than 1e15 steps")

    def test_too_many_refinements(self):
        for settings in (
            {"Refinements": 20},
            {"Refinements": 13, "Cell type": "simplices", "Generator": "ball"},
        ):
            with self.subTest(**settings):
                settings = {"Bodies/left/Mesh/" + name: value for name, value in settings.items()}
                self.assert_refused(settings, "'Bodies/left/Mesh/Refinements'", "cells", "2e9")

    def test_mesh_parameters_are_named_in_full(self):
        for name, value in (
            ("Subdivisions", "0, 1"),
            ("Subdivisions", "1e6, 1e6"),
            ("Upper corner", "-2, 0"),
                        ("Map", "log(x-5); y"),
            ("Map", "-x; y"),
            ("Map", "q; y"),
        ):
            with self.subTest(name=name, value=value):
                name = "Bodies/left/Mesh/" + name
                self.assert_refused({name: value}, f"'{name}'", value.split(";")[0])

    def test_functions_that_are_not_finite(self):
        load = {"Loads/Names": "blow", "Loads/blow/Body": "right"}
        for settings, *expected in (
            ({"Bodies/right/Initial velocity": "0; 1/x"}, "inf at (0, 0)"),
            ({"Bodies/left/Initial displacement": "sqrt(x); 0"}, "nan at (-1, 0)"),
            ({**load, "Loads/blow/Value": "1/x; 0"}, "inf at (0, 0)"),
            ({**load, "Loads/blow/Value": "0; 1/(y-t)"}, "inf at (0, 0) and time 0"),
            ({**load, "Loads/blow/Type": "traction", "Loads/blow/Boundary ids": "1",
              "Loads/blow/Value": "log(x-1); 0"}, "-inf at (1, 0"),
            (self.restraint(Displacement="1/t; 0"), "inf at (-1, 0) and time 0"),
        ):
            name = [name for name in settings if name.split("/")[-1] not in
                    ("Names", "Body", "Type", "Boundary ids")][0]
            with self.subTest(name=name, value=settings[name]):
                self.assert_refused(settings, f"'{name}'", *expected)
        # Where no node of the load is, a function may be what it likes.
        load["Contact/Enabled"] = "false"
        self.run_case(SMALL, {**load, "Loads/blow/Value": "1e-3/(x+1); 0"})

    def test_end_time_not_positive(self):
        for value in ("0", "-1"):
            self.assert_refused(
                {"Stepping/End time": value}, "'Stepping/End time' cannot be " + value, "above 0"
            )

    def test_fixed_step_needs_one_clock_and_must_be_stable(self):
        self.assert_refused({"Stepping/Time step": 0.01}, "'Stepping/Time step'", "= one")
        self.assert_refused(
            {"Stepping/Time step": 10, "Stepping/Clocks": "one"},
            "'Stepping/Time step' cannot be 10",
            "critical step of cell",
        )

    def test_density_not_positive(self):
        for value in ("0", "-1"):
            self.assert_refused({"Bodies/left/Material/Density": value}, "Density", value)

    def test_material_out_of_range(self):
        self.assert_refused({"Bodies/left/Material/Poisson's ratio": "0.5"}, "Poisson's ratio")
        self.assert_refused({"Bodies/left/Material/Young's modulus": "0"}, "Young's modulus")

    def test_missing_mesh_file(self):
        settings = {"Bodies/left/Mesh/Generator": "file", "Bodies/left/Mesh/File": "no.msh"}
        self.assert_refused(settings, "no.msh", "'left'")

    def test_broken_mesh_file(self):
        broken = self.write("broken.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0")
        settings = {"Bodies/left/Mesh/Generator": "file", "Bodies/left/Mesh/File": broken}
        self.assert_refused(settings, "broken.msh", "'left'")

    def test_inverted_cells(self):
        self.assert_refused({"Bodies/left/Mesh/Map": "-x; y"}, "'left'", "nvert")

    def test_expressions_that_cannot_be_parsed(self):
        for name, value in (
            ("Bodies/left/Initial velocity", "sin(; 0"),
            ("Bodies/left/Initial velocity", "0.1"),
            ("Bodies/left/Initial velocity", "q; 0"),
            ("Constants", "n = 4, n = 5"),
            ("Constants", "4"),
            ("Constants", "n = 4, sin = 3"),
            ("Constants", "n = 4, if = 3"),
            ("Constants", "n = 4, pi = 3"),
        ):
            with self.subTest(name=name, value=value):
                self.assert_refused({name: value}, name.split("/")[-1])

    def restraint(self, **settings):
        names = {"Restraints/Names": "r", "Restraints/r/Body": "left"}
        for name, value in settings.items():
            names["Restraints/r/" + name.replace("_", " ")] = value
        return names

    def test_restraint_without_direction(self):
        for value in ("", "0, 0"):
            self.assert_refused(
                self.restraint(Directions=value), "Restraints/r/Directions", "direction"
            )

    def test_restraint_on_unknown_boundary(self):
        self.assert_refused(
            self.restraint(Boundary_ids="17"), "'Restraints/r", "17", "0, 1, 2, 3", "'left'"
        )

    def test_restraint_on_unknown_body(self):
        self.assert_refused(
            self.restraint(Body="left, leftt"),
            "'Restraints/r/Body'", "there is no body 'leftt'", "left, right",
        )

    def test_restraint_that_selects_nothing(self):
        self.assert_refused(
            self.restraint(Box="5, 5; 6, 6"), "'Restraints/r' selects no node of body 'left'"
        )

    def test_kicks_that_nobody_registered(self):
        self.assert_refused({"Kicks/Names": "net"}, "'Kicks/Names' has 'net'", "Registry<KickMaker")

    def test_traction_on_unknown_boundary(self):
        settings = {
            "Loads/Names": "push",
            "Loads/push/Body": "left",
            "Loads/push/Type": "traction",
            "Loads/push/Boundary ids": "9",
        }
        self.assert_refused(settings, "'Loads/push/Boundary ids'", "9")

    def test_overlap_at_the_start(self):
        settings = {"Bodies/right/Mesh/Lower corner": "-0.01, 0"}
        self.assert_refused(settings, "overlap", "0.01", "'right'", "Initial overlap")
        settings["Contact/Allow initial overlap"] = "true"
        settings["Stepping/Energy limit"] = "10"
        self.run_case(SMALL, settings)

    def test_unwritable_output_folder(self):
        self.write("file", "not a folder")
        done = self.run_program(SMALL, "--output", self.folder / "file", status=2)
        self.assertIn(str(self.folder / "file"), done.stderr)
        done = self.run_program(SMALL, "--output", "/proc/nowhere", status=2)
        self.assertIn("/proc/nowhere", done.stderr)

    def test_output_files_that_cannot_be_written(self):
        for name in ("probes.csv", "bodies.csv", "solution/solution_000000.vtu"):
            with self.subTest(name=name):
                output = self.folder / ("with_" + name.replace("/", "_"))
                (output / name / "full").mkdir(parents=True)
                done = self.run_program(SMALL, "--output", output, status=2)
                self.assertIn(name, done.stderr)
                self.assertNotIn("stopped", done.stderr)

    def test_no_bodies(self):
        case = self.write("case.prm", "set Dimension = 2\n")
        self.assert_refused({}, "'Bodies/Names' is empty", file=case)

    def test_copies(self):
        for copies in ("2", "0, 1", "1.5, 1", "2, 1, 1", "x, 1"):
            self.assert_refused({"Bodies/right/Copies": copies}, "Bodies/right/Copies")
        self.assert_refused(
            {"Bodies/right/Copies": "2, 1", "Bodies/right/Spacing": "1"}, "Bodies/right/Spacing"
        )
        self.assert_refused({"Bodies/right/Copies": "2, 1"}, "overlap")

    def test_garbage(self):
        for text, message in (
            ("set Dimension 2\n", "line 1: 'set Dimension 2' lacks an equals sign"),
            ("end\n", "line 1: there is no subsection"),
            ("subsection Stepping\n", "'Stepping' is not closed"),
            ("hello world\n", "line 1: 'hello world'"),
            ("include nowhere.prm\n", "nowhere.prm' cannot be opened"),
            ("include /dev/zero\n", "line 1: '/dev/zero' is a device, not a file"),
        ):
            with self.subTest(text=text):
                self.assert_refused({}, message, file=self.write("case.prm", text))


    def test_files_that_include_each_other(self):
        text = SMALL.read_text()
        alone = self.write("alone.prm", text + "include ./alone.prm\n")
        place = f"alone.prm, line {len(text.splitlines()) + 1}:"
        self.assert_refused({}, place, "alone.prm' includes", "./alone.prm'", file=alone)
        (self.folder / "sub").mkdir()
        first = self.write("first.prm", "include sub/second.prm\n")
        self.write("sub/second.prm", "\ninclude third.prm\n")
        self.write("sub/third.prm", "include ../first.prm\n")
        done, _ = self.assert_refused({}, "third.prm, line 1:", file=first)
        self.assertRegex(
            done.stderr,
            "'[^ ]*first.prm' includes '[^ ]*second.prm' includes '[^ ]*third.prm' includes "
            "'[^ ]*first.prm'",
        )

    def test_a_file_may_be_included_twice_in_turn(self):
        self.write("part.prm", "set Dimension = 2\n")
        case = self.write(
            "case.prm", "include part.prm\ninclude part.prm\n" + SMALL.read_text()
        )
        self.run_program(case, "--validate")


class Stops(ProgramTest):
    """Trouble after the first kick: status 1, and what was written stays readable."""

    def assert_readable(self, output):
        times = column(output / "statistics.csv", "time")
        self.assertGreaterEqual(len(times), 1)
        self.assertEqual(times, sorted(times))
        written = summary(output)
        self.assertEqual(written["status"], "stopped")
        return written

    def test_energy_limit(self):
        done, output = self.assert_refused(
            {"Stepping/Energy limit": 0, "Stepping/Clocks": "per cell"},
            "energy error",
            "at time",
            "'Stepping/Energy limit' = 0",
            "'Stepping/Clocks' = per cell",
            status=1,
        )
        written = self.assert_readable(output)
        self.assertIn("energy error", written["message"])
        self.assertIn(written["message"], done.stderr)

    def assert_rows_until(self, end, interval, done, output):
        """There is a row for every save time, or it is said from when on there are none."""
        n_rows = len(column(output / "statistics.csv", "time"))
        first_missing = n_rows * interval
        if first_missing > end:
            self.assertNotIn("there are no results", done.stderr)
        else:
            said = re.search(r"Warning: there are no results from time (\S+) on, since the energy of cell",
                             done.stderr)
            self.assertAlmostEqual(float(said.group(1)), first_missing, delta=1e-5)

    def test_not_a_number(self):
        """Neo-Hookean cells that a sudden load turns inside out, whatever is written."""
        stopped = []
        settings = {
            "Contact/Enabled": "false",
            "Stepping/Energy limit": 1e300,
            "Loads/Names": "blow",
            "Loads/blow/Body": "left",
            "Loads/blow/Value": "-1e4*x*(t > 0.5); 0",
        }
        for body in ("left", "right"):
            settings[f"Bodies/{body}/Material/Model"] = "neo-Hookean"
        for intervals in (1, 64):
            settings["Output/Save intervals"] = intervals
            done, output = self.run_case(SMALL, settings, status=1)
            found = re.search(
                r"At time (\S+) cell [0-9]+ of body 'left' at \(.*\) is turned inside out", done.stderr
            )
            self.assertTrue(found, done.stderr)
            stopped.append((found.group(0), self.assert_readable(output)["time"]))
            self.assertEqual(float(found.group(1)), float(f"{stopped[-1][1]:.6g}"))
            self.assert_rows_until(stopped[-1][1], 2 / intervals, done, output)
        self.assertEqual(*stopped)

    def test_a_soft_body_on_a_stiff_one(self):
        """Which cell turns inside out, and when, is not hidden by the short steps of another body."""
        def soft(dimension, mesh, position):
            return f"""set Dimension = {dimension}
subsection Bodies
  set Names = soft, stiff
  subsection soft
    set Initial velocity = {"0; " * (dimension - 1)}-1
    subsection Mesh
      set Lower corner = {position}
      set Upper corner = {", ".join(["1"] * (dimension - 1) + ["1.05"])}
      set Subdivisions = {mesh}
    end
    subsection Material
      set Young's modulus = 0.03
      set Poisson's ratio = 0.3
    end
  end
  subsection stiff
    subsection Mesh
      set Lower corner = {", ".join(["-1"] * dimension)}
      set Upper corner = {", ".join(["2"] * (dimension - 1) + ["0"])}
      set Subdivisions = {", ".join(["9"] * (dimension - 1) + ["3"])}
    end
    subsection Material
      set Poisson's ratio = 0.3
    end
  end
end
subsection Stepping
  set End time = 1
end
"""
        plane, space = soft(2, "4, 4", "0, 0.05"), soft(3, "2, 2, 2", "0, 0, 0.05")
        for case, moduli in ((plane, (3, 1000)), (space, (100,))):
            case = self.write("soft.prm", case)
            pictures = {"Output/VTU every": 0, "Output/Surface every": 0}
            for modulus in moduli:
                stiff = {"Bodies/stiff/Material/Young's modulus": modulus, **pictures}
                times = []
                for clocks in ("nested", "one"):
                    done, output = self.run_case(
                        case, {**stiff, "Stepping/Clocks": clocks, "Output/Save intervals": 20}, status=1)
                    found = re.search(
                        r"At time (\S+) cell [0-9]+ of body 'soft' at \(.*\) is turned", done.stderr)
                    self.assertTrue(found, done.stderr)
                    times.append(float(found.group(1)))
                    self.assert_rows_until(times[-1], 0.05, done, output)
                    # cells of the soft body share the short steps before they are hit
                    errors = [abs(float(row["energy_error"])) for row in rows(output / "statistics.csv")]
                    self.assertLess(max(errors[:-2]), 0.005)
                # the own step of the soft cells
                self.assertAlmostEqual(*times, delta=0.4)

    def test_bodies_without_strain_energy(self):
        """Cells that free flight turns inside out have no energy and no stress, nor has a run."""
        settings = {"Stepping/Strain": "off", "Stepping/Energy limit": 1e300,
                    "Bodies/left/Material/Model": "neo-Hookean", "Contact/Enabled": "false",
                    "Bodies/left/Initial velocity": "-5*x; 3*y",
                    "Probes/tip/Fields": "stress_xx, von_mises"}
        _, output = self.run_case(SMALL, settings)
        for energy in column(output / "bodies.csv", "strain_energy"):
            self.assertEqual(energy, 0)
        for name in ("stress_xx", "von_mises"):
            self.assertEqual(set(column(output / "probes.csv", f"tip_{name}")), {0})

    def test_equilibrium_with_a_cell_that_is_turned(self):
        """Is none: the cell is named before anything runs."""
        column_of = {
            "Contact/Enabled": "false",
            "Stepping/Quiet start": 1e-9,
            "Bodies/left/Material/Model": "neo-Hookean",
            "Restraints/Names": "foot", "Restraints/foot/Body": "left",
            "Restraints/foot/Boundary ids": 2,
            "Loads/Names": "weight", "Loads/weight/Body": "left",
            "Loads/weight/Type": "acceleration", "Loads/weight/Value": "0; -20",
        }
        hold = {"Restraints/Names": "foot, other", "Restraints/other/Body": "right"}
        self.assert_refused(
            {**column_of, **hold}, "'Stepping/Quiet start'", "No static equilibrium of body 'left'",
            "cell ", "of body 'left' at", "turned inside out",
        )

    def test_a_load_that_becomes_infinite(self):
        settings = {
            "Loads/Names": "blow",
            "Loads/blow/Body": "left",
            "Loads/blow/Value": "if(t > 0.5, 1/0, 0); 0",
        }
        done, output = self.run_case(SMALL, settings, status=1)
        self.assertRegex(done.stderr, r"'Loads/blow/Value' has the value inf at \(.*\) and time 0\.5")
        self.assert_readable(output)

    def test_an_unstable_step_is_seen_whatever_is_written(self):
        svk = {
            "Contact/Enabled": "false",
            "Stepping/Energy limit": 1e300,
            # what follows the deformation is stable
            "Stepping/Clocks": "one",
            "Stepping/Time step": 0.13,
            "Stepping/End time": 1000,
            "Bodies/left/Material/Model": "St. Venant-Kirchhoff",
            "Bodies/left/Initial velocity": "0.3*x; 0",
        }
        stopped = []
        for intervals in (1, 999):
            picture = {"Output/Save intervals": intervals, "Output/VTU every": 0}
            picture["Output/Surface every"] = 0
            done, output = self.run_case(SMALL, {**svk, **picture}, status=1)
            written = self.assert_readable(output)
            stopped.append((done.stderr, written["time"], written["state_hash"]))
            self.assertLess(written["time"], 500)
        self.assertEqual(*stopped)

    def test_the_energy_limit_holds_for_rows_and_in_between(self):
        limit = {"Stepping/Energy limit": 1e-3, "Stepping/End time": 1000}
        limit.update({"Stepping/Clocks": "per cell", "Output/VTU every": 0})
        limit["Output/Surface every"] = 0
        times = []
        for intervals in (1, 999):
            done, output = self.run_case(
                SMALL, {**limit, "Output/Save intervals": intervals}, status=1
            )
            written = self.assert_readable(output)
            times.append(written["time"])
            errors = column(output / "statistics.csv", "energy_error")
            self.assertTrue(all(abs(error) <= 1e-3 for error in errors[:-1]))
            # the number that stopped it is the one that is shown
            stated = float(re.search(r"is (\S+) at time", done.stderr).group(1))
            if intervals == 999:
                self.assertAlmostEqual(stated, errors[-1], delta=1e-5 * abs(stated))
        # with one row at the end it is the watch that stops
        self.assertLess(times[0], 500)
        self.assertLessEqual(times[1], times[0])

    def test_the_likely_cause_is_what_was_chosen(self):
        common = {"Stepping/Energy limit": 1e-9, "Contact/Enabled": "false"}
        start = {"Stepping/Phase": "start", "Bodies/left/Initial velocity": "0.1*x; 0"}
        done, _ = self.run_case(SMALL, {**common, **start}, status=1)
        self.assertIn("'Stepping/Phase' = start", done.stderr)
        self.assertNotIn("Time step ratio", done.stderr)
        rigid = {
            "Stepping/Strain": "off",
            "Loads/Names": "push",
            "Loads/push/Body": "left",
            "Loads/push/Value": "1e200*(t > 0.5); 0",
        }
        done, _ = self.run_case(SMALL, {**common, **rigid}, status=1)
        self.assertIn("not a number", done.stderr)
        self.assertIn("'Stepping/Strain' = off", done.stderr)
        self.assertNotIn("Time step ratio", done.stderr)

    def test_unstable_deformed_state(self):
        """A body that is crushed faster than waves run: its steps cannot follow."""
        settings = {
            "Contact/Enabled": "false",
            "Stepping/Energy limit": 1e300,
            "Stepping/Time step ratio": 0.95,
            "Bodies/left/Material/Model": "neo-Hookean",
            "Bodies/left/Initial velocity": "-20*x; 0",
        }
        done, output = self.run_case(SMALL, settings, status=1)
        self.assertIn("turned inside out", done.stderr)
        self.assertIn("of body 'left'", done.stderr)
        self.assert_readable(output)


class BlindSpots(ProgramTest):
    CASE = HERE / "prm" / "blind_spots.prm"
    REFLECT = {"Contact/Response": "reflect"}

    def warnings(self, settings=None):
        sets = [f"--set={name}={value}" for name, value in (settings or {}).items()]
        done = self.run_program(self.CASE, "--validate", *sets)
        return [line for line in done.stderr.splitlines() if line.startswith("Warning")]

    def test_are_said(self):
        small, fast = self.warnings(self.REFLECT)
        for text in ("'pin'", "0.2 wide", "'ball'", "'Contact/Points per face'"):
            self.assertIn(text, small)
        for text in ("0.25", "'plate'", "0.02", "'Contact/Response' = records"):
            self.assertIn(text, fast)

    def test_what_mends_them_silences_them(self):
        points = {"Contact/Points per face": 3}
        (small,) = self.warnings()  # flights are looked at all along
        self.assertIn("'pin'", small)
        self.assertEqual(self.warnings(points), [])
        self.assertNotIn("'pin'", "".join(self.warnings({**self.REFLECT, **points})))
        self.assertEqual(self.warnings({"Contact/Enabled": "false"}), [])
        slow = {**self.REFLECT, **points, "Bodies/ball/Initial velocity": "0; 0; -1e-3"}
        self.assertEqual(self.warnings(slow), [])


class Points(ProgramTest):
    """'Point' chooses the nearest node: far ones are warned of, even with --quiet, or refused."""

    # cells of body 'right' are 1/4 x 1/3; its diagonal is sqrt(2)
    def at(self, distance, size, **springs):
        corner, point = f"{size}, {size}", f"{size}, {size + distance * size}"
        settings = {"Bodies/right/Mesh/Upper corner": corner, "Stepping/End time": 1e-3,
                    "Springs/s/Body": "right", "Springs/s/Stiffness": 1e-3,
                    "Contact/Enabled": "false", **springs}
        for section in ("Probes", "Restraints", "Point masses", "Springs"):
            name = "tip" if section == "Probes" else section[0].lower()  # one that is there
            settings[f"{section}/Names"] = name
            settings[f"{section}/{name}/Body"] = "right"
            settings[f"{section}/{name}/Point"] = point
        settings["Point masses/p/Mass"] = 1e-3
        return settings

    def warnings(self, distance, size=1, **springs):
        done, _ = self.run_case(SMALL, self.at(distance, size, **springs), arguments=["--quiet"])
        self.assertEqual(done.stdout, "")
        return done.stderr.splitlines()

    def test_within_a_cell(self):
        self.assertEqual(self.warnings(0.41), [])

    def test_beyond_a_cell(self):
        for size in (1, 200):
            springs = {"Springs/s/Other body": "left", "Springs/s/Other point": "-0.5, 2"}
            lines = self.warnings(0.42, size, **springs)
            self.assertEqual(len(lines), 5, lines)
            for line, section in zip(sorted(lines), ("P", "P", "R", "S", "S")):
                self.assertTrue(line.startswith(f"Warning: '{section}"), line)
            for name in ("Probes/tip/Point", "Restraints/r/Point", "Point masses/p/Point",
                         "Springs/s/Point"):
                self.assertRegex("\n".join(lines), f"'{name}' = .* is {0.42 * size:.6g} from node "
                                 r"\d+ of body 'right' at")
            self.assertRegex("\n".join(lines), "'Springs/s/Other point' = .* 'left'")

    def test_beyond_the_body(self):
        self.assertEqual(len(self.warnings(1.41)), 4)
        done, _ = self.assert_refused(self.at(1.42, 1), "/Point' is (1, 2.42)", "1.42 away")
        self.assertRegex(done.stderr, r"node \d+ of body 'right' at \(1, 1\)")
        far = self.at(0, 1, **{"Springs/s/Other body": "left", "Springs/s/Other point": "-0.5, 1e3"})
        self.assert_refused(far, "'Springs/s/Other point' is (-0.5, 1000)", "999 away")


class Untouched(ProgramTest):
    """What has not come to pass by the end is said."""

    def said(self, settings):
        done, _ = self.run_case(SMALL, {"Stepping/End time": 0.5, **settings})
        return re.findall("^Note: (Until .*)$", done.stdout, re.M)

    def test_obstacles(self):
        floor = {"Obstacles/Names": "floor, wall", "Obstacles/floor/Point": "0, -3",
                 "Obstacles/floor/Normal": "0, 1", "Obstacles/wall/Point": "1.01, 0",
                 "Obstacles/wall/Normal": "-1, 0", "Bodies/left/Initial velocity": "0; -1",
                 "Bodies/right/Initial velocity": "0.1; 0", "Stepping/Energy limit": 10}
        (note,) = self.said(floor)
        self.assertRegex(note, r"^Until time 0.5 nothing has touched obstacle 'floor', from which body "
                         r"'left' is 2\.(49|50?)\d* away\.$")

    def test_bodies(self):
        self.assertEqual(self.said({"Bodies/right/Mesh/Lower corner": "0.5, 0"}),
                         ["Until time 0.5 no body has touched another one."])
        self.assertEqual(self.said({}), [])


class Forecast(ProgramTest):
    def forecast(self, case, settings=None):
        """Printed bytes, and those that are there."""
        done, output = self.run_case(case, settings)
        found = re.search(r"Estimated: .*?([0-9.]+) (kB|MB|GB) of results", done.stdout)
        self.assertTrue(found, done.stdout)
        estimated = float(found.group(1)) * {"kB": 1e3, "MB": 1e6, "GB": 1e9}[found.group(2)]
        files = [path for path in output.rglob("*") if path.is_file()]
        present = sum(
            path.stat().st_size for path in files if path.parent.name != "checkpoint"
        )
        return estimated, present

    def test_size_of_results(self):
        for case, settings in (
            (SMALL, {"Output/VTU every": 1, "Output/Surface every": 1, "Constants": "n = 200"}),
            (PRM / "two_elastic_bars.prm", {"Stepping/End time": 1, "Output/Save intervals": 50}),
        ):
            estimated, present = self.forecast(case, settings)
            self.assertAlmostEqual(estimated / present, 1, delta=0.1)

    def test_size_of_tables(self):
        estimated, present = self.forecast(
            SMALL, {"Output/VTU every": 0, "Output/Surface every": 0, "Output/Save intervals": 2000}
        )
        self.assertAlmostEqual(estimated / present, 1, delta=0.4)

    def test_time_of_kicks_is_said(self):
        done, _ = self.run_case(SMALL)
        self.assertRegex(done.stdout, r"Estimated: \S+ ?\S* for kicks \(contact comes on top\), ")


class Output(ProgramTest):
    STATISTICS = (
        "time, kinetic_energy, strain_energy, external_work, prescribed_work, restitution_loss, "
        "friction_loss, contact_energy, hourglass_energy, total_energy, energy_error, momentum_x, "
        "momentum_y, angular_momentum_z, strain_kicks, collision_tests, collisions, "
        "max_penetration, damping_loss, projection_work, contact_ripple, layer_energy, "
        "plastic_work, viscous_loss, dashpot_loss, eroded_energy, deleted_cells"
    ).split(", ")

    def test_nobody_listens(self):
        """Closed standard streams: what is said does not go into files that get their numbers."""
        command = [PROGRAM, str(SMALL), "--output", "run", "--set", "Stepping/Energy limit=1"]
        for closing in (">&- 2>&-", "<&- >&- 2>&-"):
            shutil.rmtree(self.folder / "run", ignore_errors=True)
            done = subprocess.run(["bash", "-c", f'"$@" {closing}', "bash", *command],
                                  cwd=self.folder)
            self.assertEqual(done.returncode, 0)
            header, *lines = (self.folder / "run" / "statistics.csv").read_text().splitlines()
            self.assertEqual(len(lines), 11)
            for line in lines:
                self.assertEqual(len([float(x) for x in line.split(",")]), header.count(",") + 1)
            self.assertFalse((self.folder / "run" / "run.lock").exists())

    def test_pictures_of_the_surface_follow_deleted_cells(self):
        """Also without contact."""
        settings = {
            "Bodies/plate/Mesh/Subdivisions": "40, 12",
            "Output/Save intervals": 2,
            "Output/VTU every": 0,
            "Output/Surface every": 1,
        }
        _, output = self.run_case(PRM / "torn_plate.prm", settings)
        faces = [
            int(re.search(rb'NumberOfCells="(\d+)"', file.read_bytes())[1])
            for file in sorted(output.glob("surface/*.vtu"))
        ]
        self.assertEqual(len(faces), 3)
        self.assertEqual(faces[0], 2 * (40 + 12))
        self.assertGreaterEqual(faces[-1], faces[0] + 2 * 10)  # it is torn across

    def test_all_files_with_the_promised_columns(self):
        _, output = self.run_case(SMALL)
        for name in ("solution.pvd", "surface.pvd", "parameters.prm", "summary.json"):
            self.assertTrue((output / name).exists(), name)
        self.assertEqual(len(list(output.glob("*/*.vtu"))), 6)
        self.assertEqual(list(rows(output / "statistics.csv")[0]), self.STATISTICS)
        self.assertEqual(
            list(rows(output / "probes.csv")[0]),
            [
                "time",
                "tip_displacement_x",
                "tip_displacement_y",
                "tip_velocity_x",
                "tip_velocity_y",
            ],
        )
        bodies = rows(output / "bodies.csv")
        self.assertEqual({row["body"] for row in bodies}, {"left", "right"})
        self.assertEqual(len(bodies), 22)
        self.assertEqual(len(rows(output / "statistics.csv")), 11)

    def test_summary_has_the_promised_keys(self):
        _, output = self.run_case(SMALL)
        written = summary(output)
        for key in (
            "cells nodes h_min h_max h_average work_ratio kicks wall_time kicks_per_second "
            "bytes_per_cell peak_memory energy_error_end energy_error_max threads versions "
            "critical_step_min critical_step_max critical_step_average"
        ).split():
            self.assertIn(key, written)
        for kind in ("min", "max", "average"):
            self.assertEqual(written[f"critical_step_{kind}"], written[f"h_{kind}"])
        for key in ("total", "setup", "stepping", "contact", "output"):
            self.assertGreaterEqual(written["wall_time"][key], 0)
        self.assertGreaterEqual(
            written["wall_time"]["stepping"], written["wall_time"]["contact"]
        )
        self.assertEqual(written["cells"], 20)
        self.assertEqual(written["nodes"], 5 * 3 + 5 * 4)
        self.assertEqual(written["status"], "done")
        self.assertEqual(
            written["kicks"]["strain"], int(rows(output / "statistics.csv")[-1]["strain_kicks"])
        )
        self.assertGreater(written["kicks"]["collisions"], 0)

    def test_profile_tells_where_the_time_went(self):
        bars, parts = Threads.BARS, ("strain_kicks", "drift", "contact_search")
        for settings in ({}, {"Stepping/Clocks": "one"}, {"Stepping/Clocks": "per cell"}):
            with self.subTest(settings=settings):
                done, output = self.run_case(PRM / "two_elastic_bars.prm", {**bars, **settings})
                written = summary(output)
                profile, times = written["profile"], written["wall_time"]
                self.assertAlmostEqual(sum(profile.values()), times["total"], delta=1e-9)
                self.assertGreaterEqual(min(profile.values()), 0)
                self.assertGreater(min(profile[part] for part in parts), 0)
                contact = profile["contact_search"] + profile["contact_response"]
                self.assertAlmostEqual(contact, times["contact"], delta=1e-9)
                self.assertEqual(profile["other_kicks"], 0)
                self.assertIn("Spent on ", done.stdout.splitlines()[-2])

    def test_looking_does_not_touch(self):
        _, often = self.run_case(SMALL, {"Output/Save intervals": 100, "Output/VTU every": 7})
        _, rarely = self.run_case(SMALL, {"Output/Save intervals": 10, "Output/VTU every": 0})
        self.assertEqual(summary(often)["state_hash"], summary(rarely)["state_hash"])
        last_often = rows(often / "statistics.csv")[-1]
        last_rarely = rows(rarely / "statistics.csv")[-1]
        self.assertEqual(last_often, last_rarely)
        _, longer = self.run_case(SMALL, {"Stepping/End time": 2.5})
        self.assertNotEqual(summary(often)["state_hash"], summary(longer)["state_hash"])

    def test_a_run_is_not_overwritten_by_accident(self):
        output = self.folder / "results"
        self.run_program(SMALL, "--output", output)
        before = (output / "statistics.csv").read_text()
        (output / "notes.txt").write_text("mine")
        done = self.run_program(
            SMALL, "--output", output, "--set", "Stepping/End time=1", status=2
        )
        self.assertIn(str(output), done.stderr)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual((output / "statistics.csv").read_text(), before)
        self.run_program(
            SMALL, "--output", output, "--set", "Stepping/End time=1", "--overwrite"
        )
        self.assertEqual(column(output / "statistics.csv", "time")[-1], 1)
        self.assertEqual((output / "notes.txt").read_text(), "mine")

    def test_plan_and_outcome_are_printed(self):
        done, output = self.run_case(SMALL, {"Contact/Enabled": "false"})
        predicted = re.search(r"Predicted: (\d+) kicks until time 2, work ratio ([\d.]+)", done.stdout)
        measured = re.search(r"Measured: (\d+) strain kicks, work ratio ([\d.]+)", done.stdout)
        self.assertIsNotNone(predicted, done.stdout)
        self.assertIsNotNone(measured, done.stdout)
        kicks = summary(output)["kicks"]["strain"]
        self.assertEqual(int(measured[1]), kicks)
        self.assertLess(abs(int(predicted[1]) - kicks), 0.05 * kicks + 20)
        cells = re.findall(r"step +[\d.e-]+ +(\d+) cells", done.stdout)
        self.assertGreater(len(cells), 1)
        self.assertEqual(sum(map(int, cells)), 20)


class ValidateTest(ProgramTest):
    def validate(self, case):
        meshes = re.findall(r"^ *set File *= *(.*\.msh)$", case.read_text(), re.M)
        missing = [mesh for mesh in meshes if not (PRM / mesh).exists()]
        with self.subTest(case=case.name):
            done = self.run_program(case, "--validate", status=2 if missing else 0)
            if missing:  # too large to be kept: the message says how to make it
                geometry = (PRM / missing[0]).with_suffix(".geo")
                self.assertTrue(geometry.exists())
                self.assertIn(f"{geometry} -o {PRM / missing[0]}", done.stderr)


class Validate(ValidateTest):
    LARGE = ("ball_on_plate", "rubber_mount", "mesh_against_wall")  # left to SlowValidate

    def test_report(self):
        done = self.run_program(SMALL, "--validate")
        self.assertIn("Initial penetrations: 0", done.stdout)
        self.assertIn("Boundary ids of body 'left' that nothing refers to: 0, 2, 3", done.stdout)
        smallest = re.findall(r"^  ([\d.e-]+)  cell \d+ of body 'left'", done.stdout, re.M)
        self.assertEqual(smallest, sorted(smallest, key=float))
        self.assertGreater(len(smallest), 0)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_penetrations_are_listed(self):
        done = self.run_program(
            SMALL, "--validate", "--set", "Bodies/right/Mesh/Lower corner=-0.01, 0", status=2
        )
        listed = re.search(r"Initial penetrations: (\d+)", done.stdout)
        self.assertGreater(int(listed[1]), 0)
        self.assertRegex(done.stdout, r"0\.01 .*'(left|right)' in body '(left|right)'")

    def test_every_case_that_comes_with_the_program(self):
        cases = sorted(case for case in PRM.glob("*.prm") if case.stem not in self.LARGE)
        self.assertGreaterEqual(len(cases), 5)
        for case in cases:
            self.validate(case)

    def test_forecast_and_costly_cells(self):
        done = self.run_program(SMALL, "--validate", "--output", self.folder / "report")
        kicks = re.search(r"Predicted: (\d+) kicks", done.stdout)
        sweeps = re.search(r"evaluated 2 times more, (\S+) % of the kicks", done.stdout)
        limit = re.search(r"stable up to a step of (\S+) .*, (\d+) kicks, (\S+) times", done.stdout)
        ours = int(kicks[1]) * (1 + float(sweeps[1]) / 100)
        self.assertAlmostEqual(int(limit[2]) / ours, float(limit[3]), delta=0.01)
        self.assertRegex(done.stdout, r"Forecast, after a trial until time \S+, on .*: the run takes")
        self.assertIn("Cells that cost most: the worst", done.stdout)
        self.assertIn("Body 'left' extends from (-1, 0) to (0, 1)", done.stdout)
        self.assertTrue((self.folder / "report" / "costly_cells.vtu").exists())

    def test_mass_scaling(self):
        """With the mass that it is said to need, synchronous stepping bears the step that is said."""
        settings = ["--validate", "--set", "Bodies/left/Material/Young's modulus=2500"]
        settings += ["--set", "Bodies/left/Mesh/Map=x; y"]  # cells of one size
        done = self.run_program(SMALL, *settings)
        wanted = re.search(r"steps would have to be (\S+), for which (\d+) nodes need more", done.stdout)
        more = re.search(r"in all (\S+) % more: 'left' (\S+) %\n", done.stdout)
        self.assertEqual(int(wanted[2]), 15)
        self.assertGreater(float(more[2]), 50)
        self.assertAlmostEqual(float(more[1]), float(more[2]) / 2, delta=0.01 * float(more[2]))  # equal blocks
        density = f"Bodies/left/Material/Density={1 + float(more[2]) / 100}"
        done = self.run_program(SMALL, *settings, "--set", density)
        limit = float(re.search(r"stable up to a step of (\S+)", done.stdout)[1])
        self.assertAlmostEqual(0.95 * limit / float(wanted[1]), 1, delta=0.01)

    def test_cells_that_lock(self):
        def notes(left, right, ratio):
            settings = {f"Bodies/{body}/Material/Poisson's ratio": ratio for body in ("left", "right")}
            settings.update({"Bodies/left/Strain integration": left, "Bodies/right/Strain integration": right,
                             "Bodies/right/Mesh/Cell type": "simplices"})
            sets = [f"--set={name}={value}" for name, value in settings.items()]
            done = self.run_program(SMALL, "--validate", *sets)
            return re.findall(r"Note: body '(\w+)' has Poisson's ratio 0\.499, .*'Strain integration' = (\S+) "
                              r"is better for (\w+)", done.stdout)

        quadrilaterals = ("left", "one-point", "quadrilaterals")
        self.assertEqual(notes("standard", "standard", 0.499), [quadrilaterals, ("right", "nodal", "triangles")])
        self.assertEqual(notes("nodal", "nodal", 0.499), [quadrilaterals])
        self.assertEqual(notes("one-point", "standard", 0.3), [])

    def test_costly_cells_of_one_clock(self):
        """All would come less often by what the smallest step gains, also if the step is given."""
        for step in ("0", "1e-3"):
            done = self.run_program(SMALL, "--validate", "--set", "Stepping/Clocks=one",
                                    "--set", f"Stepping/Time step={step}")
            fewer = re.search(r"\((\S+) % fewer\), and the smallest critical step would be (\S+)", done.stdout)
            smallest = re.search(r"critical steps from (\S+) to", done.stdout)
            self.assertAlmostEqual(float(fewer[1]), 100 * (1 - float(smallest[1]) / float(fewer[2])), delta=0.1)


class SlowValidate(ValidateTest):
    def test_large_cases(self):
        for name in Validate.LARGE:
            self.validate(PRM / f"{name}.prm")


def subsections(path):
    """Lines of a parameter file by outermost subsection, comments left out."""
    result, section, depth = {}, "", 0
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("subsection"):
            section = line if depth == 0 else section
            depth += 1
        if line:
            result.setdefault(section, []).append(line)
        if line == "end":
            depth -= 1
            section = section if depth > 0 else ""
    return result


class Cases(ProgramTest):
    def test_synchronous_bars_differ_only_in_stepping(self):
        first = subsections(PRM / "two_elastic_bars.prm")
        second = subsections(PRM / "two_elastic_bars_synchronous.prm")
        self.assertEqual(first.keys(), second.keys())
        different = {name for name in first if first[name] != second[name]}
        self.assertEqual(different, {"subsection Stepping"})

    def test_bar_wave(self):
        """The ends follow (V/w) cos(pi x/L) sin(w t), of amplitude 0.0318."""
        _, output = self.run_case(PRM / "bar_wave.prm", {"Output/VTU every": 0})
        omega = math.pi / 10
        for row in rows(output / "probes.csv"):
            exact = 0.01 / omega * math.sin(omega * float(row["time"]))
            self.assertAlmostEqual(float(row["lower_end_displacement_x"]), exact, delta=3.2e-4)
            self.assertAlmostEqual(float(row["upper_end_displacement_x"]), -exact, delta=3.2e-4)
        self.assertLess(summary(output)["energy_error_max"], 2e-3)

    def test_bracket(self):
        """A mesh from a file beside the case: a suddenly loaded tip swings around where beam theory
        has it at rest, but for a corner that hardly bends."""
        _, output = self.run_case(PRM / "bracket.prm", {"Output/VTU every": 0})
        tip = column(output / "probes.csv", "tip_displacement_y")
        self.assertAlmostEqual(sum(tip) / len(tip), -0.064, delta=0.15 * 0.064)
        self.assertAlmostEqual(min(tip), -0.117, delta=0.001)
        self.assertLess(max(tip), 1e-12)
        self.assertLess(summary(output)["energy_error_max"], 1e-3)

    def test_bars_collide(self):
        """Tips stay until t = 20, then the bars fly apart with 0.1, on the mesh that people see first."""
        settings = {"Output/VTU every": 0, "Output/Surface every": 0}
        done, first = self.run_case(PRM / "two_elastic_bars.prm", settings)
        _, second = self.run_case(PRM / "two_elastic_bars_synchronous.prm", settings)
        self.assertEqual(done.stderr, "")  # the first case that people see has nothing to warn of
        for output in (first, second):
            times = column(output / "probes.csv", "time")
            tip = column(output / "probes.csv", "left_tip_displacement_x")
            for time, displacement in zip(times, tip):
                self.assertAlmostEqual(displacement, -0.1 * max(0, time - 20), delta=0.2)
            statistics = rows(output / "statistics.csv")
            for name in ("momentum_x", "momentum_y", "momentum_z"):
                self.assertLess(max(abs(float(row[name])) for row in statistics), 1e-13)
            self.assertLess(summary(output)["energy_error_max"], 0.001)
        self.assertLess(
            summary(first)["kicks"]["strain"], 0.65 * summary(second)["kicks"]["strain"]
        )

    def test_bodies_may_be_swapped(self):
        """Order of bodies is order of collisions: the same answer up to the discretization."""
        settings = {"Constants": "n = 2, L = 10, V = 0.1", "Output/VTU every": 0}
        settings["Output/Surface every"] = 0
        case = PRM / "two_elastic_bars.prm"
        _, first = self.run_case(case, settings)
        _, second = self.run_case(case, {**settings, "Bodies/Names": "right, left"})
        name = "right_end_displacement_x"
        for a, b in zip(column(first / "probes.csv", name), column(second / "probes.csv", name)):
            self.assertAlmostEqual(a, b, delta=0.03)

    def test_restrained_and_prescribed_motion(self):
        """A bar pulled slowly at one end and held at the other stretches evenly."""
        case = self.write(
            "case.prm",
            """
set Dimension = 2
subsection Bodies
  set Names = bar
  subsection bar
    subsection Mesh
      set Upper corner = 4, 1
      set Subdivisions = 8, 2
    end
    subsection Material
      set Model = linear elastic
    end
    set Initial velocity = 0.01*x/4; 0
  end
end
subsection Restraints
  set Names = held, pulled
  subsection held
    set Boundary ids = 0
    set Directions = x
  end
  subsection pulled
    set Boundary ids = 1
    set Directions = 1, 0
    set Displacement = 0.01*t; 0
  end
end
subsection Probes
  set Names = middle, end
  subsection middle
    set Point = 2, 0.5
  end
  subsection end
    set Boundary ids = 1
  end
end
subsection Stepping
  set End time = 10
end
""",
        )
        _, output = self.run_case(case)
        for row in rows(output / "probes.csv"):
            time = float(row["time"])
            self.assertAlmostEqual(float(row["end_displacement_x"]), 0.01 * time, delta=1e-4)
            self.assertAlmostEqual(float(row["middle_displacement_x"]), 0.005 * time, delta=1e-4)
        last = rows(output / "statistics.csv")[-1]
        # Strain energy 0.5 * volume * E * strain^2 came from the support.
        self.assertAlmostEqual(float(last["strain_energy"]), 0.5 * 4 * 0.025**2, delta=2e-5)
        self.assertLess(summary(output)["energy_error_max"], 0.02)

    def test_free_fall(self):
        """A constant load moves a body by -g t^2/2, exactly at the ends of steps."""
        settings = {
            "Contact/Enabled": "false",
            "Loads/Names": "gravity",
            "Loads/gravity/Body": "left",
            "Loads/gravity/Type": "acceleration",
            "Loads/gravity/Value": "0; -2",
            "Stepping/Clocks": "one",
            "Stepping/Time step": 0.05,
            "Stepping/End time": 32 * 0.05,
            "Output/Save intervals": 16,
        }
        _, output = self.run_case(SMALL, settings)
        for row in rows(output / "probes.csv"):
            time = float(row["time"])
            self.assertAlmostEqual(float(row["tip_displacement_y"]), -time * time, delta=1e-6)
            self.assertAlmostEqual(float(row["tip_displacement_x"]), 0.1 * time, delta=1e-12)
            self.assertAlmostEqual(float(row["tip_velocity_y"]), -2 * time, delta=1e-12)
        last = rows(output / "statistics.csv")[-1]
        self.assertAlmostEqual(float(last["external_work"]), 2 * 1.6**2, delta=1e-6)
        self.assertLess(summary(output)["energy_error_max"], 1e-6)

    def test_strain_off_flies_rigidly(self):
        settings = {"Stepping/Strain": "off", "Contact/Enabled": "false"}
        done, output = self.run_case(SMALL, settings)
        self.assertEqual(summary(output)["kicks"]["strain"], 0)
        self.assertIn("Measured: 0 strain kicks", done.stdout)
        self.assertNotRegex(done.stdout, r"\b(nan|inf)\b")
        tip = column(output / "probes.csv", "tip_displacement_x")
        self.assertAlmostEqual(tip[-1], 0.2, delta=1e-14)


QEMU = shutil.which("qemu-x86_64")


@unittest.skipUnless(QEMU and platform.machine() == "x86_64", "needs qemu-x86_64 (qemu-user)")
class Emulated(ProgramTest):
    """The same program on processors that lack instructions which this one may have."""

    def run_on(self, processor, *arguments, force=None):
        environment = {name: text for name, text in os.environ.items() if name != "KICKDRIFT_ISA"}
        if force:
            environment["KICKDRIFT_ISA"] = force
        return subprocess.run(
            [QEMU, "-cpu", processor, PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def test_best_instruction_set_is_chosen(self):
        for processor, expected in (("Nehalem", "sse2"), ("Haswell", "avx2")):
            with self.subTest(processor):
                self.assertIn(
                    f"kernels: {expected}\n", self.run_on(processor, "--version").stdout
                )

    def test_runs_without_avx(self):
        done = self.run_on("Nehalem", SMALL, "--set", "Stepping/End time=0.1", "--output", "run")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "run" / "summary.json").exists())

    def test_missing_instructions_are_refused(self):
        done = self.run_on("Nehalem", SMALL, "--output", "run", force="avx2")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("KICKDRIFT_ISA=avx2: this machine does not have", done.stderr)


if __name__ == "__main__":
    unittest.main()
