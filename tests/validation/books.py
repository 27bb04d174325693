"""Energies, velocities and impulses that are reported, against finite differences, equilibrium and
momentum; and runs that stop, or do not, at 'Stepping/Energy limit'.

Usage: KICKDRIFT=path/to/kickdrift python3 books.py [unittest arguments]
"""

import re
import tempfile
import unittest

from validation import CASES, PRM, Run


def mean(values):
    return sum(values) / len(values)


class AtRest(unittest.TestCase):
    """What lies in contact is at rest, though its nodes move to and fro between impulses and kicks."""

    def check_balance(self, table):
        names = (
            "total_energy kinetic_energy contact_ripple contact_energy strain_energy external_work "
            "damping_loss restitution_loss friction_loss"
        ).split()
        for total, kinetic, ripple, kept, strain, work, *losses in zip(*map(table.get, names)):
            self.assertAlmostEqual(
                total, kinetic + ripple + kept + strain - work + sum(losses), delta=1e-15
            )

    def test_a_stack_has_no_kinetic_energy(self):
        for clocks in ("one", "nested"):
            for response in ("records", "reflect"):
                with self.subTest(clocks=clocks, response=response):
                    run = Run(
                        CASES / "resting_stack.prm",
                        set={"Stepping/Clocks": clocks, "Contact/Response": response},
                    )
                    table = run.statistics
                    strain = mean(table["strain_energy"][500:])
                    self.check_balance(table)
                    ripple = max(table["contact_ripple"][500:])
                    if response == "records":
                        self.assertLess(max(table["kinetic_energy"][500:]), 5e-5 * strain)
                    else:
                        # what nodes that are thrown up and fall back have is left out, but not lost
                        self.assertGreater(ripple, 1e-2 * strain)

    def test_impulses_are_the_change_of_momentum(self):
        undamped = {"Bodies/lower/Damping": 0, "Bodies/upper/Damping": 0}
        run = Run(CASES / "resting_stack.prm", set=undamped)
        columns = [run.contact[name] for name in ("time", "first", "second", "impulse_y")]
        impulse = {
            time: value
            for time, first, second, value in zip(*columns)
            if {first, second} == {"lower", "plane"}
        }
        momentum = dict(zip(run.statistics["time"], run.statistics["momentum_y"]))
        weight = lambda t: 0.02 * (t * t / 20 if t < 10 else t - 5)
        times = sorted(impulse)
        self.assertGreater(len(times), 500)
        # kicks see the weight at their instants: midpoint rule, of which the kink is an error
        for time in times:
            self.assertAlmostEqual(
                momentum[time] + weight(time) - impulse[time], 0, delta=5e-6, msg=time
            )

    def test_velocities_of_a_flattened_ring_are_rates_of_displacements(self):
        run = Run(CASES / "flattened_ring.prm")
        dt = run.probes["time"][1]
        for probe in ("foot", "head"):
            y = run.probes[f"{probe}_displacement_y"]
            v = run.probes[f"{probe}_velocity_y"]
            # over the plate's motion, and when it is held; some periods of contact each way
            for begin, end in ((400, 900), (1300, 1990)):
                rates = [(y[i + 2] - y[i - 2]) / (4 * dt) for i in range(begin, end)]
                errors = [abs(a - b) for a, b in zip(v[begin:end], rates)]
                self.assertLess(mean(errors), 3e-4, msg=probe)
            self.assertLess(max(map(abs, v[1300:1990])), 1e-3)

    def test_impacts_are_not_smeared(self):
        # all that bounces has its whole impulse at once: velocities before and after add up to zero
        run = Run(PRM / "newtons_cradle.prm")
        momentum = run.statistics["momentum_x"]
        for value in momentum:
            self.assertAlmostEqual(value, momentum[0], delta=1e-13)


class Objectivity(unittest.TestCase):
    """The default material may turn; the one that may not says when it does."""

    SPINNING = CASES / "spinning_block.prm"

    def spin(self, model, cells="hypercubes", status=0, **settings):
        name = "Bodies/block/Material/Model"
        settings = {
            "Bodies/block/Initial velocity": "-0.5*(y - 0.35); 0.5*(x - 0.5); 0",
            "Bodies/block/Mesh/Cell type": cells,
            "Stepping/End time": 2,
            "Stepping/Energy limit": 1e300,
            **({name: model} if model else {}),
            **settings,
        }
        if model:
            return Run(self.SPINNING, status, set=settings)
        with tempfile.NamedTemporaryFile("w", suffix=".prm") as case:
            lines = self.SPINNING.read_text().splitlines()
            case.write("\n".join(line for line in lines if "Model" not in line))
            case.flush()
            return Run(case.name, status, set=settings)

    def test_the_default_may_turn(self):
        strain = lambda run: run.statistics["strain_energy"][-1]
        default = self.spin(None)
        self.assertLess(strain(default), 1e-2 * default.statistics["kinetic_energy"][0])
        self.assertEqual(default.message.count("Warning"), 0)
        self.assertEqual(strain(default), strain(self.spin("neo-Hookean")))
        # nothing holds it together where nodes move on along straight lines
        self.assertGreater(strain(default), 1e-4 * default.statistics["kinetic_energy"][0])
        self.assertLess(strain(self.spin("linear elastic")), 1e-20)

    def test_linear_elasticity_warns_once_if_cells_turn(self):
        for cells in ("hypercubes", "simplices"):
            with self.subTest(cells=cells):
                run = self.spin("linear elastic", cells)
                self.assertEqual(run.message.count("Warning"), 1)
                words = r"at time (\S+) cell (\d+) of body 'block' at \(.*\) has turned by (\S+)\. "
                time, _, angle = re.search(words, run.message).groups()
                # cells turn at 0.5, and are looked at every 0.04 (rows) or more often
                self.assertAlmostEqual(float(time), 0.2, delta=0.06)
                self.assertAlmostEqual(float(angle), 0.1, delta=0.03)
                self.assertIn("'Bodies/block/Material/Model' = neo-Hookean", run.message)

    def test_linear_elasticity_warns_once_if_cells_are_strained(self):
        stretched = {"Bodies/block/Initial velocity": "3*(x - 0.5); 0; 0"}
        run = self.spin("linear elastic", **stretched)
        self.assertEqual(run.message.count("Warning"), 1)
        self.assertRegex(run.message, r"cell \d+ of body 'block' at \(.*\) is strained by 0\.2")
        self.assertNotIn("Warning", self.spin("neo-Hookean", **stretched).message)

    def test_no_warning_of_little_turns(self):
        little = {"Bodies/block/Initial velocity": "-0.04*(y - 0.35); 0.04*(x - 0.5); 0"}
        self.assertNotIn("Warning", self.spin("linear elastic", **little).message)


class EnergyLimit(unittest.TestCase):
    def test_gravity_that_rises_from_zero(self):
        run = Run(CASES / "rising_gravity.prm")
        self.assertEqual(run.summary["status"], "done")
        early = [
            abs(error)
            for time, error in zip(run.statistics["time"], run.statistics["energy_error"])
            if time < 0.1
        ]
        self.assertLess(max(early), 0.05)

    def test_bodies_at_rest_have_finite_errors(self):
        bodies = ("first", "second", "third", "fourth", "last")
        settings = {f"Bodies/{name}/Initial velocity": "0; 0; 0" for name in bodies}
        settings.update(
            {f"Bodies/{name}/Initial displacement": "1/3; 1/7; 1/9" for name in bodies}
        )
        run = Run(PRM / "newtons_cradle.prm", set={**settings, "Stepping/End time": 20})
        self.assertEqual(run.summary["status"], "done")
        self.assertIsNotNone(run.summary["energy_error_max"])
        self.assertLess(run.summary["energy_error_max"], 1e-3)
        self.assertNotRegex(run.log, r"\b(inf|nan)\b")

    def test_rows_are_checked_and_the_cause_fits(self):
        run = Run(CASES / "resonating_bar.prm", status=1)
        errors = run.statistics["energy_error"]
        self.assertTrue(all(abs(error) <= 0.1 for error in errors[:-1]))
        self.assertGreater(abs(errors[-1]), 0.1)  # what stopped it is written
        self.assertIn("resonance", run.message)
        self.assertIn("cell 8 of body 'bar'", run.message)
        self.assertNotIn("load", run.message)


class Transits(unittest.TestCase):
    """Waves run through materials whose steps differ by eight and ten; nothing grows."""

    N_TRANSITS = 200
    # name of the case, time that a wave takes to run through, largest energy error
    VIBRATIONS = (("resonating_bar", 9.0, 1.5e-2), ("stiff_inclusion", 12.0, 5e-3))

    def test_energy_errors_do_not_grow(self):
        for name, transit, limit in self.VIBRATIONS:
            for ratio in (0.5, 0.9):
                with self.subTest(case=name, ratio=ratio):
                    run = Run(
                        CASES / f"{name}.prm",
                        set={
                            "Stepping/End time": self.N_TRANSITS * transit,
                            "Stepping/Stability rule": "on",
                            "Stepping/Mass for steps": "shared",
                            "Stepping/Time step ratio": ratio,
                            "Output/Save intervals": 3000,
                        },
                    )
                    errors = [abs(error) for error in run.statistics["energy_error"]]
                    self.assertLess(max(errors), limit * (ratio / 0.5) ** 2)
                    third = len(errors) // 3
                    self.assertLess(max(errors[-third:]), 1.2 * max(errors[:third]))

    def test_without_rule_and_shared_masses_they_do(self):
        run = Run(CASES / "resonating_bar.prm", status=1)
        self.assertIn("Energy limit", run.message)


class SlowTransits(Transits):
    N_TRANSITS = 10000


if __name__ == "__main__":
    unittest.main()
