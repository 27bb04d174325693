"""Static equilibrium before time 0, against closed forms, and against the run that follows.

Usage: KICKDRIFT=path/to/kickdrift python3 quiet_start.py [unittest arguments]
"""

import unittest

from validation import CASES, PRM, Run

QUIET = "Stepping/Quiet start"


class QuietBar(unittest.TestCase):
    """The bar of supports.py that hangs: two materials, skew supports, graded cells."""

    MIDDLE = -(1.5 * 5 + 0.5 * 5 / 2) / 100
    LOWER_END = MIDDLE - 1.5 * 5 / 2 / 200

    def hang(self, status=0, **settings):
        settings = {"Bodies/bar/Damping": 0, "Stepping/End time": 8, QUIET: 1e-12, **settings}
        return Run(CASES / "hanging_bar.prm", status, set=settings)

    def check_elongation(self, run, row=0):
        probes = run.probes
        self.assertAlmostEqual(probes["middle_displacement_y"][row], self.MIDDLE, delta=1e-11)
        self.assertAlmostEqual(probes["lower_end_displacement_y"][row], self.LOWER_END, delta=1e-11)

    def test_hangs_from_the_start_and_stays(self):
        run = self.hang(**{"Stepping/Clocks": "one"})
        self.assertEqual(run.probes["time"][0], 0)
        self.check_elongation(run)
        self.check_elongation(run, -1)
        strain = run.statistics["strain_energy"]
        self.assertLess(max(run.statistics["kinetic_energy"]), 1e-20 * strain[0])
        self.assertLess(run.energy_error(), 1e-12)
        # the supports carry the weight, and more roof than guide
        self.assertAlmostEqual(run.reactions["roof_force_y"][-1], 2, delta=1e-10)

    def test_steps_of_neighbours_only_make_it_tremble(self):
        run = self.hang()
        self.check_elongation(run)
        # nodes between cells of different classes get their forces one after the other
        for kinetic, strain in zip(
            run.statistics["kinetic_energy"], run.statistics["strain_energy"]
        ):
            self.assertLess(kinetic, 1e-4 * strain)
        self.assertLess(run.energy_error(), 1e-3)

    def test_books_begin_in_equilibrium(self):
        run = self.hang()
        self.assertEqual(run.statistics["external_work"][0], 0)
        done = run.summary["quiet_start"]
        # Clapeyron: half of what the weight does is stored
        self.assertAlmostEqual(done["work_of_loads"], 2 * done["strain_energy"], delta=1e-10)
        self.assertAlmostEqual(
            done["strain_energy"], run.statistics["strain_energy"][0], delta=1e-14
        )
        self.assertAlmostEqual(done["largest_displacement"], -self.LOWER_END, delta=1e-10)
        self.assertLessEqual(done["residual"], 1e-12)
        self.assertIn(f"Quiet start: equilibrium after {done['iterations']} iterations", run.log)

    def test_threads_and_clocks_start_alike(self):
        starts = {
            (tuple(run.probes[name][0] for name in ("middle_displacement_y", "middle_displacement_x")))
            for run in (
                self.hang(),
                self.hang(**{"Stepping/Threads": 2}),
                self.hang(**{"Stepping/Clocks": "per cell"}),
            )
        }
        self.assertEqual(len(starts), 1)

    def test_small_loads(self):
        """A millionth of the weight: the same search, to the last bit."""
        here = self.hang().summary["quiet_start"]
        there = self.hang(**{"Loads/gravity/Value": "0; -g/1048576"}).summary["quiet_start"]
        self.assertEqual(here["iterations"], there["iterations"])
        self.assertEqual(there["largest_displacement"] * 1048576, here["largest_displacement"])

    def test_prescribed_displacement_at_the_start(self):
        """The supports have moved: the bar has gone with them, and swings on from there."""
        settings = {
            "Restraints/roof/Displacement": "0; 0.3 + 0.02*t",
            "Restraints/guide/Displacement": "0.3 + 0.02*t; 0.3 + 0.02*t",
            "Bodies/bar/Initial velocity": "0.02; 0.02",
            "Stepping/Clocks": "one",
        }
        # along (1, 1) by 0.3 sqrt(2), along y by 0.3: by 0.3 along x, too
        run = self.hang(**settings)
        probes = run.probes
        self.assertAlmostEqual(probes["middle_displacement_y"][0], 0.3 + self.MIDDLE, delta=1e-10)
        self.assertAlmostEqual(probes["middle_displacement_x"][0], 0.3, delta=1e-9)
        self.assertAlmostEqual(probes["middle_velocity_y"][0], 0.02, delta=1e-15)
        self.assertAlmostEqual(
            probes["middle_displacement_y"][-1], 0.3 + self.MIDDLE + 0.16, delta=1e-3
        )
        # without a quiet start that is refused
        refused = self.hang(2, **{**settings, QUIET: 0})
        self.assertIn("initial displacement", refused.message)

    def test_loads_are_those_of_time_zero(self):
        run = self.hang(**{"Loads/gravity/Amplitude": "0: 2, 1: 2, 1.5: 0"})
        self.assertAlmostEqual(
            run.probes["middle_displacement_y"][0], 2 * self.MIDDLE, delta=1e-10
        )

    def test_refusals(self):
        # it may slide along y, where gravity pulls
        free = self.hang(
            2, **{"Restraints/roof/Directions": "x", "Restraints/guide/Directions": "x"}
        )
        for text in (QUIET, "body 'bar'", "no restraint holds it"):
            self.assertIn(text, free.message)
        self.assertIn("'Stepping/Strain' = on", self.hang(2, **{"Stepping/Strain": "off"}).message)
        settings = {}
        for material in ("Material", "Material/Id 7"):
            settings[f"Bodies/bar/{material}/Model"] = "J2 plasticity"
            settings[f"Bodies/bar/{material}/Yield stress"] = 1.2
            settings[f"Bodies/bar/{material}/Hardening modulus"] = 50
        flows = self.hang(2, **settings)
        self.assertIn("body 'bar' flows plastically", flows.message)
        johnson_cook = {
            name: "Johnson-Cook" if "Model" in name else value for name, value in settings.items()
            if "Hardening" not in name
        }
        self.assertIn("how fast it is loaded", self.hang(2, **johnson_cook).message)
        settings = {name: 2.5 if "Yield" in name else value for name, value in settings.items()}
        held = self.hang(**settings)
        self.assertAlmostEqual(
            held.probes["middle_displacement_y"][0], self.MIDDLE, delta=0.02 * -self.MIDDLE
        )


class QuietShelf(unittest.TestCase):
    """A shelf that rests, and is loaded then."""

    MODULUS, THICKNESS, PERIOD = 200e9 / (1 - 0.3**2), 0.04, 30.1e-3
    BY_WEIGHT = -3 * 7800 * 9.81 / (2 * MODULUS * THICKNESS**2)
    BY_LOAD = -4e6 / (MODULUS * THICKNESS**2)

    def test_rests_until_it_is_loaded(self):
        run = Run(PRM / "quiet_shelf.prm")
        time, end = run.probes["time"], run.probes["end_displacement_y"]
        before = [i for i, t in enumerate(time) if t < 20e-3]
        for i in before:
            self.assertAlmostEqual(end[i], self.BY_WEIGHT, delta=0.01 * -self.BY_WEIGHT)
            strain = run.statistics["strain_energy"][i]
            self.assertLess(run.statistics["kinetic_energy"][i], 1e-12 * strain)
        self.assertAlmostEqual(
            min(end), self.BY_WEIGHT + 1.97 * self.BY_LOAD, delta=0.04 * -self.BY_LOAD
        )
        self.assertLess(run.energy_error(), 1e-3)
        # where it swings about is where both loads would hold it
        mean = [u for t, u in zip(time, end) if 20e-3 < t <= 20e-3 + self.PERIOD]
        both = Run(
            PRM / "quiet_shelf.prm",
            set={"Loads/load/Amplitude": "0: 1", "Stepping/End time": 1e-4},
        )
        static = both.probes["end_displacement_y"][0]
        self.assertAlmostEqual(static, self.BY_WEIGHT + self.BY_LOAD, delta=0.01 * -self.BY_LOAD)
        self.assertAlmostEqual(sum(mean) / len(mean), static, delta=0.03 * -static)


if __name__ == "__main__":
    unittest.main()
