"""Cells that are deleted, initial stress and dashpots.

Usage: KICKDRIFT=path/to/kickdrift python3 deletion.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, PRM, Run

TORN = PRM / "torn_plate.prm"
COARSE = {"Bodies/plate/Mesh/Subdivisions": "40, 12", "Output/Save intervals": 40}
LET_GO = {"Restraints/right/Directions": "0, 1"}  # along x it is free


class TornPlate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_of_plate = Run(TORN, set=COARSE)

    def test_is_torn_in_two(self):
        run = self.run_of_plate
        n = run.statistics["deleted_cells"]
        self.assertEqual(n[0], 0)
        self.assertGreaterEqual(n[-1], 12)  # as many as there are across
        self.assertLess(n[-1], 0.2 * 480)
        self.assertEqual(n, sorted(n))
        self.assertEqual(run.summary["deleted_cells"], n[-1])
        # then nothing pulls at the halves, which ring: their distance grows, in the mean at one
        # speed
        gap = [
            right - left
            for right, left in zip(
                run.probes["right_displacement_x"], run.probes["left_displacement_x"]
            )
        ]
        first, second = gap[-11] - gap[-21], gap[-1] - gap[-11]
        self.assertGreater(first, 0)
        self.assertAlmostEqual(second, first, delta=0.1 * first)

    def test_sections_only_look(self):
        section = {
            "Sections/Names": "tear",
            "Sections/tear/Body": "plate",
            "Sections/tear/Point": "0.1, 0",
        }
        run = Run(TORN, set={**COARSE, **section})
        self.assertEqual(run.summary["state_hash"], self.run_of_plate.summary["state_hash"])
        self.assertGreater(run.sections["tear_impulse_x"][-1], 0)  # pulled back

    def test_keeps_momentum_and_energy(self):
        run = self.run_of_plate
        for name in ("momentum_x", "momentum_y", "angular_momentum_z"):
            self.assertLess(max(map(abs, run.statistics[name])), 1e-10)
        self.assertLess(run.energy_error(), 1e-3)
        kinetic = run.statistics["kinetic_energy"][0]
        self.assertGreater(run.statistics["eroded_energy"][-1], 0)
        self.assertLess(run.statistics["eroded_energy"][-1], 0.02 * kinetic)
        self.assertGreater(run.statistics["plastic_work"][-1], 0.3 * kinetic)

    def test_is_not_torn_without_a_failure_strain(self):
        run = Run(TORN, set={**COARSE, "Bodies/plate/Failure strain": 0})
        self.assertEqual(set(run.statistics["deleted_cells"]), {0})
        self.assertNotIn("deleted_cells", run.summary)

    def test_bits_do_not_depend_on_threads(self):
        threads = Run(TORN, set={**COARSE, "Stepping/Threads": 2})
        self.assertEqual(threads.summary["state_hash"], self.run_of_plate.summary["state_hash"])

    def test_misuse_is_refused_by_name(self):
        refused = Run(TORN, status=2, set={**COARSE, "Stepping/Strain": "off"})
        self.assertIn("'Bodies/plate/Failure strain' is of strains", refused.message)

    def test_contact_is_refused_by_name(self):
        refused = Run(TORN, status=2, set={**COARSE, "Contact/Enabled": "true"})
        self.assertIn("'plate' has a failure strain", refused.message)
        self.assertIn("= plate:plate,", refused.message)  # what to write into 'Exclude'
        layers = {"Contact/Enabled": "true", "Contact/Response": "layers"}
        refused = Run(TORN, status=2, set={**COARSE, **layers})
        self.assertIn("'plate' has a failure strain", refused.message)

    def test_others_touch_while_one_is_torn(self):
        run = Run(CASES / "torn_beside_contact.prm")
        self.assertGreater(run.summary["deleted_cells"], 0)
        self.assertGreater(len(run.contact), 0)


class HeldBar(unittest.TestCase):
    CASE = CASES / "stressed_bar.prm"

    def test_rests_between_supports(self):
        run = Run(self.CASE)
        self.assertLess(max(map(abs, run.probes["end_displacement_x"])), 1e-15)
        self.assertLess(max(run.statistics["kinetic_energy"]), 1e-30)

    def test_quiet_start_lets_it_shrink(self):
        # (E + sigma) H + sigma = 0
        run = Run(self.CASE, set={**LET_GO, "Stepping/Quiet start": 1e-10})
        for u in run.probes["end_displacement_x"]:
            self.assertAlmostEqual(u, -1e-3 / 1.001, delta=1e-11)
        self.assertLess(max(run.statistics["kinetic_energy"]), 1e-20)

    def test_vibrates_when_it_is_let_go(self):
        # the end moves between 0 and -2 sigma L/E with the speed sigma/(rho c); E = rho = L = 1
        run = Run(self.CASE, set=LET_GO)
        for time, u in zip(run.probes["time"], run.probes["end_displacement_x"]):
            phase = math.fmod(time, 4)
            self.assertAlmostEqual(u, -1e-3 * min(phase, 4 - phase), delta=5e-5)
        self.assertLess(run.energy_error(), 0.01)

    def test_comes_to_rest_with_a_dashpot(self):
        # a boundary with c = rho c A lets waves out: all is over when they have gone to and fro
        absorbed = {
            **LET_GO,
            "Springs/Names": "end",
            "Springs/end/Boundary": 1,
            "Springs/end/Damping coefficient": 0.1,
        }
        run = Run(self.CASE, set=absorbed)
        # nodes share it by area, so that rows of cells move alike, whatever their heights
        alike = {**absorbed, "Stepping/Clocks": "one", "Stepping/Time step": 0.004}
        rows = {"Bodies/bar/Mesh/Subdivisions": "100, 2", "Bodies/bar/Mesh/Map": "x; 10*y^2"}
        ends = [
            Run(self.CASE, set=changes).probes["end_displacement_x"]
            for changes in (alike, {**alike, **rows})
        ]
        self.assertEqual(*map(len, ends))
        for a, b in zip(*ends):
            self.assertAlmostEqual(a, b, delta=1e-9)
        refused = Run(self.CASE, status=2, set={**absorbed, "Springs/end/Point": "1, 0"})
        self.assertIn("does not go with 'Point'", refused.message)
        stored = run.statistics["strain_energy"][0]
        self.assertLess(run.energy_error(), 0.01)
        for time, kinetic, loss in zip(
            *(run.statistics[n] for n in ("time", "kinetic_energy", "dashpot_loss"))
        ):
            if time > 2.5:
                self.assertLess(kinetic, 1e-2 * stored)
                self.assertAlmostEqual(loss, stored, delta=0.02 * stored)


if __name__ == "__main__":
    unittest.main()
