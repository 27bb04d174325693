"""Penalty layers of contact: bars, a spring that bounces for ever, threads, restarts and misuse.

Usage: KICKDRIFT=path/to/kickdrift python3 layers.py [unittest arguments]
"""

import json
import pathlib
import tempfile
import unittest

from validation import CASES, NO_FIELDS, PRM, PROGRAM, Run, loaded_program

DISCS = PRM / "discs_in_a_box.prm"
BARS = PRM / "two_bars_layers.prm"
SPRING = PRM / "spring_on_plane.prm"


class LayersTwoBars(unittest.TestCase):
    """Two bars that start 2 eta apart: release at 20 + 2 eta/V, energy, momentum."""

    def check(self, run, eta, energy):
        statistics, probes = run.statistics, run.probes
        release = 20 + 2 * eta / 0.1
        # contact has ended when the layers are empty
        loaded = [t for t, e in zip(statistics["time"], statistics["layer_energy"]) if e > 1e-9]
        self.assertAlmostEqual(loaded[-1], release, delta=0.7)
        self.assertLess(run.energy_error(release + 1), energy)
        for axis in "xyz":
            self.assertLess(max(map(abs, statistics[f"momentum_{axis}"])), 1e-12)
        self.assertGreater(run.summary["layers"]["closest"], 0)
        self.assertGreater(run.body("right", "velocity_x")[-1], 0.095)
        self.assertLess(run.body("left", "velocity_x")[-1], -0.095)
        # the tips stay where they are, half the gap each but for what the layers are pressed
        middle = min(range(len(probes["time"])), key=lambda i: abs(probes["time"][i] - 10))
        self.assertTrue(-eta < probes["right_tip_displacement_x"][middle] < 0)
        # what the bodies got from each other turned them round
        self.assertEqual((run.contact["first"][-1], run.contact["second"][-1]), ("left", "right"))
        self.assertAlmostEqual(
            run.contact["impulse_x"][-1],
            10 * (run.body("left", "velocity_x")[-1] - 0.1),
            delta=1e-9,
        )

    def test_bars(self):
        self.check(Run(BARS), 0.04, 5e-4)

    def test_bars_swapped(self):
        # which body comes first does not matter to the physics; contact.csv names the other
        run = Run(BARS, set={"Bodies/Names": "right, left", "Stepping/End time": 25})
        self.assertLess(run.energy_error(22), 5e-4)
        self.assertGreater(run.summary["layers"]["closest"], 0)

    def test_nothing_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, str(BARS), "--check-intersections", "--output", folder + "/run"]
            for name, value in {**NO_FIELDS, "Stepping/End time": 22}.items():
                command += ["--set", f"{name}={value}"]
            done = loaded_program.run(command[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("No intersections", done.stdout)

    def test_what_passes_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, str(BARS), "--check-intersections", "--output", folder + "/run"]
            settings = {**NO_FIELDS, "Stepping/End time": 2}
            settings["Contact/Exclude"] = "left:right"
            for name, value in settings.items():
                command += ["--set", f"{name}={value}"]
            # what is excluded is not looked for ...
            done = loaded_program.run(command[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
            # ... what reflection lets through is
            command[-1] = "Contact/Response=reflect"
            command[4] = folder + "/reflected"
            done = loaded_program.run(command[1:])
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("passes through the", done.stderr)


class LayersStruckBar(unittest.TestCase):
    """A rigid mass hits an elastic bar of the same mass: default layers are stiff beside the bar."""

    @staticmethod
    def exact(n=4000):
        """Speed of the mass when contact ends, and largest force, for a speed, wave impedance, length,
        wave speed and mass of one: V' = -(V + 2 V(t - 2) + 2 V(t - 4) + ...)."""
        speed, largest = [1.0], 0.0
        while True:
            now = len(speed) - 1
            force = speed[now] + 2 * sum(speed[i] for i in range(now - 2 * n, -1, -2 * n))
            largest = max(largest, force)
            if force <= 0 and now > n:
                return speed[now], largest
            speed.append(speed[now] - force / n)

    def run_bar(self, V=0.01, E=1, L=10, n=40, **settings):
        run = Run(
            CASES / "struck_bar.prm",
            set={"Constants": f"n = {n}, V = {V}, E = {E}, L = {L}", **settings},
        )
        speed = run.body("block", "velocity_x")
        return run, speed[-1] / speed[0]

    def test_returns_as_from_a_bar_without_layers(self):
        exact, _ = self.exact()
        # coarser than n = 32 layers come to hold 5 % of the energy, of which the program warns
        for settings in ({}, {"V": 1e-4}, {"V": 0.001, "E": 2e11, "L": 0.02}, {"n": 32}):
            with self.subTest(settings):
                run, speed = self.run_bar(**settings)
                self.assertAlmostEqual(speed, exact, delta=0.05 * abs(exact))
                self.assertLess(run.energy_error(), 0.02)
                self.assertNotIn("penalty layers hold", run.log + run.message)

    def test_thick_layers_are_warned_of(self):
        exact, _ = self.exact()
        run, speed = self.run_bar(**{"Contact/Layers/Thickness": 10 / 40 / 6})
        self.assertGreater(abs(speed / exact - 1), 0.1)
        self.assertIn("penalty layers hold", run.log + run.message)
        self.assertIn("Thinner", run.log + run.message)


class LayersBits(unittest.TestCase):
    """Threads and restarts do not change a bit."""

    def run_bars(self, folder, *arguments, **settings):
        command = [PROGRAM, str(BARS), "--output", str(folder), *arguments]
        for name, value in {**NO_FIELDS, **settings.pop("set", {})}.items():
            command += ["--set", f"{name}={value}"]
        done = loaded_program.run(command[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((folder / "summary.json").read_text())["state_hash"]

    def test_threads_and_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            end = {"Stepping/End time": 8, "Output/Save intervals": 8}
            whole = self.run_bars(folder / "whole", set=end)
            self.assertEqual(self.run_bars(folder / "two", "--threads", "2", set=end), whole)
            half = {"Stepping/End time": 4, "Output/Save intervals": 4}
            self.assertNotEqual(self.run_bars(folder / "half", set=half), whole)
            self.assertEqual(self.run_bars(folder / "half", "--resume", set=end), whole)


class LayersSpring(unittest.TestCase):
    """Vouga et al. 2011, section 8.1: the energy over many bounces."""

    def energy_error(self, **settings):
        run = Run(SPRING, set={"Constants": "T = 800", "Output/Save intervals": 8000, **settings})
        layers = run.summary["layers"]
        self.assertGreater(layers["contacts"], 500)
        self.assertGreater(layers["closest"], 0)
        return run.energy_error()

    def test_energy(self):
        error = self.energy_error()
        self.assertLess(error, 0.002)
        self.assertLess(self.energy_error(**{"Contact/Layers/Ratio": 0.2}), 0.02)
        self.assertGreater(self.energy_error(**{"Contact/Layers/Shape": "quadratic"}), 4 * error)


class LayersDiscs(unittest.TestCase):
    """Elastic discs in a box: energy, momentum, restitution."""

    WALLS = ("left", "right", "bottom", "top")

    def run_discs(self, n=4, g=0.0, e=1.0, end=0.04):
        constants = f"n = {n}, a = 0.1, r = 0.02, V = 10, c = 500, g = {g}, e = {e}, T = {end}"
        run = Run(DISCS, set={"Constants": constants, "Output/Save intervals": 40})
        statistics, contact = run.statistics, run.contact
        self.assertGreater(run.summary["layers"]["closest"], 0)
        self.assertGreater(run.summary["layers"]["contacts"], 20)
        # momentum changes by what the walls and gravity give, at all times
        for axis, weight in (("x", 0), ("y", -g * n**2)):
            momentum = statistics[f"momentum_{axis}"]
            given = dict.fromkeys(statistics["time"], 0.0)
            for time, first, second, impulse in zip(
                contact["time"], contact["first"], contact["second"], contact[f"impulse_{axis}"]
            ):
                if second in self.WALLS:
                    given[time] += impulse
                self.assertNotIn(first, self.WALLS)
            for time, now in zip(statistics["time"], momentum):
                self.assertAlmostEqual(
                    now - momentum[0], given[time] + weight * time, delta=1e-9
                )
        return run

    def left(self, run):
        return [
            sum(energies)
            for energies in zip(
                *(run.statistics[f"{name}_energy"] for name in ("kinetic", "strain", "layer"))
            )
        ]

    def test_energy(self):
        self.assertLess(self.run_discs().energy_error(), 1e-3)
        self.assertLess(self.run_discs(g=9.8).energy_error(), 1e-3)

    def test_restitution(self):
        last = 1.0
        for e in (0.9, 0.5, 0.0):
            run = self.run_discs(e=e)
            left = self.left(run)
            for before, after in zip(left, left[1:]):
                self.assertLess(after, before * (1 + 1e-3))
            lost = run.statistics["restitution_loss"][-1] / left[0]
            # nodes that cells press against the layers come and go: what they lose is booked
            self.assertLess(run.energy_error(), 0.02 * lost)
            self.assertLess(left[-1] / left[0], last)
            last = left[-1] / left[0]

    def test_nothing_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, str(DISCS), "--check-intersections", "--output", folder + "/run"]
            constants = "n = 3, a = 0.1, r = 0.02, V = 10, c = 500, g = 9.8, e = 1, T = 0.05"
            for name, value in {**NO_FIELDS, "Constants": constants}.items():
                command += ["--set", f"{name}={value}"]
            done = loaded_program.run(command[1:])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("No intersections", done.stdout)


class LayersKnot(unittest.TestCase):
    """A rope that touches itself."""

    def test_it_stays_a_knot(self):
        run = Run(
            PRM / "knot.prm",
            arguments=["--check-intersections"],
            set={"Constants": "a = 0.1, k = 0.15, n = 80, m = 1, V = 3, T = 3, t1 = 0.2"},
        )
        self.assertIn("No intersections", run.log)
        self.assertGreater(run.summary["layers"]["contacts"], 1000)
        rows = run.statistics
        deviation = max(abs(e - rows["total_energy"][0]) for e in rows["total_energy"])
        self.assertLess(deviation, 1e-3 * rows["prescribed_work"][-1])


class LayersMisuse(unittest.TestCase):
    """Errors name what is wrong."""

    def test_too_near(self):
        run = Run(BARS, status=2, set={"Contact/Layers/Thickness": 0.05})
        self.assertIn("Contact/Layers/Thickness", run.message)
        self.assertIn("'left'", run.message)
        self.assertIn("'right'", run.message)
        thinner = Run(
            BARS,
            set={
                "Contact/Layers/Thickness": 0.05,
                "Contact/Allow initial overlap": "true",
                "Stepping/End time": 1,
            },
        )
        self.assertIn("thinner layers", thinner.log)

    def test_too_deep(self):
        run = Run(
            BARS,
            status=1,
            set={
                "Constants": "n = 4, L = 10, V = 2, eta = 0.04",
                "Contact/Layers/Thickness": 0.02,
                "Contact/Layers/Depth": 1,
                "Stepping/Strain": "off",
            },
        )
        for part in ("'left'", "'right'", "Contact/Layers/Depth"):
            self.assertIn(part, run.message)

    def test_not_with_layers(self):
        for setting in ({"Contact/Reference/Projection": "true"}, {"Contact/Reference/Solver": "coupled"}):
            run = Run(BARS, status=2, set=setting)
            self.assertIn("does not go with", run.message)

    def test_warning_of_speed_and_friction(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [PROGRAM, str(BARS), "--validate", "--set", "Contact/Friction=0.3"]
            command += ["--set", "Constants=n = 4, L = 10, V = 5, eta = 0.04"]
            done = loaded_program.run(command[1:], folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("2 eta = 0.08", done.stdout)
            self.assertIn("v_1 =", done.stdout)
            self.assertIn("Warning: the first layer stops less", done.stderr)
            self.assertIn("brakes but does not hold", done.stdout)
            self.assertIn("Pairs that start too near for penalty layers: 0", done.stdout)


if __name__ == "__main__":
    unittest.main()
