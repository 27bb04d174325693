"""Supports and loads against closed forms.

Usage: KICKDRIFT=path/to/kickdrift python3 supports.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, PRM, Run


def history(table, name, axes):
    """Columns NAME_x, NAME_y ... as a list of vectors."""
    return list(zip(*(table[f"{name}_{axis}"] for axis in axes)))


class Materials(unittest.TestCase):
    def test_a_pulse_is_reflected_and_transmitted_by_the_impedances(self):
        for clocks in ("one", "nested"):
            run = Run(CASES / "two_material_bar.prm", set={"Stepping/Clocks": clocks})
            reflected = run.probes["reflected_displacement_x"]
            self.assertAlmostEqual(max(reflected), 1e-3, delta=5e-6)  # on its way in
            self.assertAlmostEqual(min(reflected), -0.6e-3, delta=5e-6)
            transmitted = run.probes["transmitted_displacement_x"]
            self.assertAlmostEqual(max(transmitted), 0.4e-3, delta=5e-6)
            arrival = run.probes["time"][transmitted.index(max(transmitted))]
            self.assertAlmostEqual(arrival, 5 + 6 / 2, delta=0.06)
            self.assertLess(run.energy_error(), 3e-3)


class CrushedBlock(unittest.TestCase):
    """A block that is compressed to a third of its height, and back; E = 1, Poisson's ratio 0."""

    FORCE = 0.5 * (3 - 1 / 3) * 16
    ENERGY = 0.25 * (1 / 9 - 1 + 2 * math.log(3)) * 32

    def test_steps_follow(self):
        for cells in ("8, 8, 4", "12, 12, 6"):
            for ratio in (0.5, 0.75, 0.9):
                with self.subTest(cells=cells, ratio=ratio):
                    settings = {
                        "Bodies/block/Mesh/Subdivisions": cells,
                        "Stepping/Time step ratio": ratio,
                    }
                    run = Run(PRM / "crushed_block.prm", set=settings)
                    middle = run.reactions["time"].index(20)
                    force = run.reactions["support_force_z"][middle]
                    self.assertAlmostEqual(force, self.FORCE, delta=0.01 * self.FORCE)
                    energy = run.statistics["strain_energy"]
                    self.assertAlmostEqual(energy[middle], self.ENERGY, delta=0.01 * self.ENERGY)
                    left = energy[-1] + run.statistics["kinetic_energy"][-1]
                    self.assertLess(left, 3e-3 * self.ENERGY)
                    self.assertLess(run.energy_error(), 0.01)
                    self.assertGreater(run.summary["class_changes"], 0)


class Preload(unittest.TestCase):
    """A bar of two materials hangs, is damped to rest and then released."""

    # its lower half weighs 1.5 and its upper half 0.5
    MIDDLE = -(1.5 * 5 + 0.5 * 5 / 2) / 100
    LOWER_END = MIDDLE - 1.5 * 5 / 2 / 200

    def hang(self, **settings):
        return Run(CASES / "hanging_bar.prm", set=settings)

    def errors(self, run):
        return [
            abs(run.probes[f"{name}_displacement_y"][-1] - exact)
            for name, exact in (("middle", self.MIDDLE), ("lower_end", self.LOWER_END))
        ]

    def test_static_elongation(self):
        synchronous = self.hang(**{"Stepping/Clocks": "one"})
        self.assertLess(max(self.errors(synchronous)), 1e-12)
        filtered = self.hang()
        self.assertLess(max(self.errors(filtered)), 2e-6 * -self.LOWER_END)
        # where class boundaries are plain the balance of forces is one of means
        plain = {"Stepping/Class boundaries": "plain"}
        coarse, fine = (
            max(self.errors(self.hang(**plain, **{"Stepping/Time step ratio": ratio})))
            for ratio in (0.5, 0.25)
        )
        self.assertLess(coarse, 4e-3 * -self.LOWER_END)
        self.assertAlmostEqual(fine / coarse, 0.25, delta=0.05)

    def test_reaction_is_the_weight(self):
        run = self.hang()
        for time, roof, guide in zip(
            run.reactions["time"],
            history(run.reactions, "roof_force", "xy"),
            history(run.reactions, "guide_force", "xy"),
        ):
            if time > 30:
                self.assertAlmostEqual(roof[1], 2, delta=1e-9)
                self.assertAlmostEqual(math.hypot(roof[0], *guide), 0, delta=1e-9)

    def test_the_balance_closes_as_without_damping(self):
        for clocks in ("one", "nested"):
            damped = self.hang(**{"Stepping/Clocks": clocks})
            free = self.hang(**{"Stepping/Clocks": clocks, "Bodies/bar/Damping": 0})
            # relative to the work of gravity, which without damping is twice as large
            self.assertLess(damped.energy_error(), 2.5 * free.energy_error())
            self.assertEqual(max(map(abs, free.statistics["damping_loss"])), 0)

    def test_nothing_is_lost_after_the_release(self):
        run = self.hang(**{"Bodies/bar/Damping": "t < 1 ? 2 : 0"})
        loss = [
            loss
            for time, loss in zip(run.statistics["time"], run.statistics["damping_loss"])
            if time > 1.1
        ]
        self.assertGreater(loss[0], 1e-3)
        self.assertEqual(max(loss), min(loss))

    def test_damped_oscillation(self):
        rate = 0.1
        run = Run(PRM / "bar_wave.prm", set={"Bodies/bar/Damping": rate})
        omega = math.sqrt((math.pi / 10) ** 2 - (rate / 2) ** 2)
        for time, u in zip(run.probes["time"], run.probes["lower_end_displacement_x"]):
            exact = 0.01 / omega * math.exp(-rate * time / 2) * math.sin(omega * time)
            self.assertAlmostEqual(u, exact, delta=0.01 * 0.01 / omega)
        self.assertLess(run.energy_error(), 2e-3)


class DampedContact(unittest.TestCase):
    """Three bars hit one another while they are damped: zones form and dissolve."""

    def test_balance_and_momentum(self):
        names = ("first", "second", "third")
        run = Run(
            CASES / "second_impact.prm", set={f"Bodies/{name}/Damping": 0.05 for name in names}
        )
        self.assertGreater(run.summary["class_changes"], 0)
        self.assertEqual(run.summary["leased_cells"], 0)
        self.assertGreater(run.statistics["damping_loss"][-1], 0.02)
        self.assertLessEqual(run.energy_error(), 5e-3)
        # impulses between the bodies come at other times than the damping of each
        momentum = run.statistics["momentum_x"]
        for time, p in zip(run.statistics["time"], momentum):
            exact = momentum[0] * math.exp(-0.05 * time)
            self.assertAlmostEqual(p, exact, delta=1e-3 * momentum[0])


class Reactions(unittest.TestCase):
    """What supports and loads give is what the bodies have."""

    def check_momentum(self, run, gravity, axes):
        """Momentum = initial momentum + reactions + gravity * time, at every save time."""
        names = sorted(n[: -len("_impulse_x")] for n in run.reactions if n.endswith("_impulse_x"))
        largest = 0
        for i, time in enumerate(run.statistics["time"]):
            for axis, weight in zip(axes, gravity):
                impulses = [run.reactions[f"{name}_impulse_{axis}"][i] for name in names]
                momentum = run.statistics[f"momentum_{axis}"]
                size = abs(weight) * time + sum(map(abs, impulses)) + 1
                self.assertAlmostEqual(
                    momentum[i], momentum[0] + sum(impulses) + weight * time, delta=1e-12 * size
                )
                largest = max(largest, *map(abs, impulses))
        return largest

    def check_means(self, run, name, axis):
        """Forces are means over the intervals."""
        times = run.reactions["time"]
        impulse = run.reactions[f"{name}_impulse_{axis}"]
        force = run.reactions[f"{name}_force_{axis}"]
        for i in range(1, len(times)):
            mean = (impulse[i] - impulse[i - 1]) / (times[i] - times[i - 1])
            self.assertAlmostEqual(force[i], mean, delta=1e-9 * (1 + abs(mean)))

    def test_skew_supports(self):
        run = Run(PRM / "skew_supports.prm")
        self.check_momentum(run, (0, 0, -3), "xyz")
        self.check_means(run, "plane", "z")

    def test_contact_impulses_on_held_nodes(self):
        run = Run(PRM / "sliding_block.prm", set={"Stepping/End time": 0.5})
        largest = self.check_momentum(run, (0, 0, -1), "xyz")
        self.assertGreater(largest, 0.4)

    def test_a_floor_carries_the_weight_of_a_damped_block(self):
        settings = {
            "Bodies/block/Initial velocity": "0; 0; 0",
            "Bodies/block/Damping": 5,
            "Stepping/End time": 6,
            "Output/Save intervals": 6,
        }
        run = Run(PRM / "sliding_block.prm", set=settings)
        forces = run.reactions["foundation_force_z"][3:]
        self.assertAlmostEqual(sum(forces) / len(forces), 1, delta=0.01)

    def test_prescribed_motion(self):
        run = Run(
            CASES / "hanging_bar.prm",
            set={
                "Restraints/roof/Displacement": "0; 0.1*(1-cos(t))",
                "Bodies/bar/Damping": 0,
                "Stepping/End time": 10,
            },
        )
        self.check_momentum(run, (0, -2), "xy")
        self.assertLess(run.energy_error(), 1e-2)


class SkewSupports(unittest.TestCase):
    def test_motion_stays_on_plane_and_line(self):
        run = Run(PRM / "skew_supports.prm")
        for name in ("foot", "far_foot"):
            displacements = history(run.probes, f"{name}_displacement", "xyz")
            self.assertGreater(max(map(math.hypot, *zip(*displacements))), 0.5)
            for u in displacements:
                self.assertAlmostEqual(u[0] + 2 * u[1] + 2 * u[2], 0, delta=1e-12)
        line = (2, -2, 1)
        bead = history(run.probes, "bead_corner_displacement", "xyz")
        speed = history(run.probes, "bead_corner_velocity", "xyz")
        for time, u, v in zip(run.probes["time"], bead, speed):
            for i, d in enumerate(line):
                self.assertAlmostEqual(u[i], u[2] * d, delta=1e-12)
                self.assertAlmostEqual(v[i], -time / 9 * d, delta=1e-12)
            # between kicks, motion is a straight line
            self.assertAlmostEqual(u[2], -time * time / 18, delta=1e-5)
        self.assertLess(run.energy_error(), 3e-3)

    def test_centre_of_mass_slides_freely(self):
        run = Run(PRM / "skew_supports.prm")
        centre = [run.body("slider", f"velocity_{axis}") for axis in "xyz"]
        # across the normal (1, 2, 2)/3, gravity is (2, 4, -5)/9
        for time, *v in zip(run.statistics["time"], *centre):
            normal = (v[0] + 2 * v[1] + 2 * v[2]) / 9
            for c, n, g in zip(v, (1, 2, 2), (2, 4, -5)):
                self.assertAlmostEqual(c - normal * n, g / 9 * time, delta=1e-12)

    def test_supports_share_the_weight(self):
        run = Run(PRM / "skew_supports.prm")
        for name, force in (("rail_1", (-2, -2, 0)), ("rail_2", (0, 4, 8))):
            for row in history(run.reactions, f"{name}_force", "xyz")[1:]:
                for c, f in zip(row, force):
                    self.assertAlmostEqual(c, 2 * f / 9, delta=1e-11)
        for x, y, z in history(run.reactions, "plane_force", "xyz"):
            self.assertAlmostEqual(math.hypot(y - 2 * x, z - 2 * x), 0, delta=1e-11)


class Pressure(unittest.TestCase):
    def test_ring_under_pressure_from_within(self):
        errors = []
        for refinements in (2, 3):
            run = Run(
                CASES / "inflated_ring.prm", set={"Bodies/ring/Mesh/Refinements": refinements}
            )
            for name, exact in (("inner", 1.9067e-3), ("outer", 1.2133e-3)):
                u = run.probes[f"{name}_displacement_x"][-1]
                errors.append(abs(u / exact - 1))
            self.assertLess(run.energy_error(), 1e-3)
        self.assertLess(max(errors[2:]), 5e-3)
        self.assertLess(max(errors[2:]), 0.35 * max(errors[:2]))

    def test_a_closed_surface_keeps_momenta(self):
        run = Run(
            CASES / "inflated_ring.prm",
            set={
                "Bodies/ring/Mesh/Refinements": 2,
                "Bodies/ring/Material/Model": "St. Venant-Kirchhoff",
                "Bodies/ring/Material/Young's modulus": 100,
                "Bodies/ring/Damping": 0,
                "Bodies/ring/Initial velocity": "1 - 2*y; 2*x",
                "Constants": "p = 20",
                "Stepping/Class boundaries": "plain",  # for angular momentum to round-off
            },
        )
        for name in ("momentum_x", "momentum_y", "angular_momentum_z"):
            values = run.statistics[name]
            self.assertLess(max(values) - min(values), 1e-11 * 10)
        self.assertGreater(run.statistics["angular_momentum_z"][0], 10)
        self.assertGreater(run.statistics["external_work"][-1], 1)
        self.assertLess(run.energy_error(), 5e-3)


if __name__ == "__main__":
    unittest.main()
