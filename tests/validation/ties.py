"""Bodies that are glued, against single bodies and theory.

Usage: KICKDRIFT=path/to/kickdrift python3 ties.py [unittest arguments]
"""

import unittest

from validation import CASES, PRM, Run

BAR = PRM / "tied_bar.prm"
BEAM = CASES / "tied_beam.prm"
AMPLITUDE = 0.01
HEXAHEDRA = {"Bodies/right/Mesh/Cell type": "hypercubes"}
FITTING = {"Bodies/right/Mesh/Subdivisions": "L/2/h, 1/h, 1/h"}
SWAPPED = {"Ties/glue/Followers": "left:1", "Ties/glue/Masters": "right:0"}


def drift(table, *names):
    """Largest change of columns, for a scale of one."""
    return max(abs(value - table[name][0]) for name in names for value in table[name])


class TiedBar(unittest.TestCase):
    """A pulse goes through a tie."""

    def reflection(self, **settings):
        """Largest displacement that comes back, as a share of the pulse."""
        run = Run(BAR, set=settings)
        self.assertLess(run.energy_error(), 0.01)
        self.assertLess(drift(run.statistics, "momentum_x", "momentum_y", "momentum_z"), 1e-14)
        probes = run.probes
        behind = max(probes["behind_displacement_x"])
        self.assertAlmostEqual(behind, AMPLITUDE, delta=0.05 * AMPLITUDE)
        # the pulse has passed at 6, its reflection from the middle comes at 18
        back = [
            u for t, u in zip(probes["time"], probes["before_displacement_x"]) if 14 < t < 22
        ]
        return max(map(abs, back)) / AMPLITUDE

    def test_little_is_reflected(self):
        fine = {"Constants": "h = 0.25, L = 30, A = 0.01, x0 = 6, w = 1.5"}
        for cells in ({}, HEXAHEDRA, FITTING, {**FITTING, **SWAPPED}, {**HEXAHEDRA, **FITTING}):
            with self.subTest(cells=cells):
                coarse = self.reflection(**cells)
                self.assertLess(coarse, 0.01)
                # as with one clock: where the first mesh gives back 0.0092 the second 0.0035
                self.assertLess(self.reflection(**cells, **fine), 0.5 * coarse)

    def test_finer_meshes_should_follow(self):
        self.assertLess(self.reflection(**SWAPPED), 0.03)

    def test_fitting_meshes_are_one(self):
        tied = Run(BAR, set={**HEXAHEDRA, **FITTING})
        single = Run(
            PRM / "refined_bar.prm",
            set={
                "Bodies/bar/Mesh/Local refinements": "0",
                "Stepping/End time": 28,
                "Output/Save intervals": 280,
            },
        )
        for name in ("before_displacement_x", "behind_displacement_x", "behind_velocity_x"):
            for a, b in zip(tied.probes[name], single.probes[name]):
                self.assertAlmostEqual(a, b, delta=1e-13)
        # and the halves know what is theirs
        for name in ("kinetic_energy", "strain_energy"):
            left, right = tied.body("left", name), tied.body("right", name)
            for a, b, both in zip(left, right, single.body("bar", name)):
                self.assertAlmostEqual(a + b, both, delta=1e-12)
        centre = tied.body("right", "center_x")[0]
        self.assertAlmostEqual(centre, 22.5, delta=1e-6)

    def test_sections_see_through_a_tie(self):
        """What goes through, in front of the tie, in it and behind it, is what one bar has."""
        sections = {"Sections/Names": "before, at, behind"}
        for name, x in (("before", 14.75), ("at", 15), ("behind", 15.25)):
            sections[f"Sections/{name}/Point"] = f"{x}, 0.5, 0.5"
        single = Run(
            PRM / "refined_bar.prm",
            set={
                "Bodies/bar/Mesh/Local refinements": "0",
                "Stepping/End time": 12,
                "Output/Save intervals": 120,
                **sections,
            },
        )
        largest = max(map(abs, single.sections["at_force_x"]))
        self.assertGreater(largest, 0.1 * AMPLITUDE)
        swapped = {"Ties/glue/Followers": "left:1", "Ties/glue/Masters": "right:0"}
        for sides in ({}, swapped):
            tied = Run(
                BAR,
                set={
                    **HEXAHEDRA, **FITTING, **sections, **sides,
                    "Stepping/End time": 12,
                    "Output/Save intervals": 120,
                },
            )
            for name in ("before_force_x", "at_force_x", "behind_force_x", "at_moment_y"):
                for a, b in zip(tied.sections[name], single.sections[name]):
                    self.assertAlmostEqual(a, b, delta=1e-10 * largest)

    def test_point_masses_at_a_tie_fall_as_all_do(self):
        for sides in ({}, {"Ties/glue/Followers": "left:1", "Ties/glue/Masters": "right:0"}):
            run = Run(
                BAR,
                set={
                    "Constants": "h = 0.5, L = 30, A = 0, x0 = 6, w = 1.5",
                    "Point masses/Names": "lump",
                    "Point masses/lump/Mass": 3,
                    "Point masses/lump/Box": "15, 0, 0; 15, 1, 1",
                    "Loads/Names": "gravity",
                    "Loads/gravity/Type": "acceleration",
                    "Loads/gravity/Value": "0; -2; 0",
                    "Stepping/End time": 2,
                    "Output/Save intervals": 10,
                    **sides,
                },
            )
            for t, p in zip(run.statistics["time"], run.statistics["momentum_y"]):
                self.assertAlmostEqual(p, -2 * t * 33, delta=1e-10)
            kinetic = max(run.statistics["kinetic_energy"])
            self.assertLess(max(map(abs, run.statistics["strain_energy"])), 1e-5 * kinetic)


class TiedBeam(unittest.TestCase):
    """A beam that swings, in one piece and of two."""

    @staticmethod
    def frequency(run, probe):
        """From the times at which the tip is back where it was."""
        times, tip = run.probes["time"], run.probes[f"{probe}_displacement_y"]
        crossings = [
            t + (s - t) * a / (a - b)
            for t, s, a, b in zip(times, times[1:], tip, tip[1:])
            if a > 0 >= b
        ]
        return (len(crossings) - 1) / (crossings[-1] - crossings[0])

    def ratio(self, **settings):
        """Of the frequencies of the two parts and of one piece."""
        run = Run(BEAM, set=settings)
        self.assertLess(run.energy_error(), 0.02)
        return self.frequency(run, "tip") / self.frequency(run, "whole")

    def test_frequency(self):
        self.assertAlmostEqual(self.ratio(**{"Bodies/right/Mesh/Subdivisions": "n, 4"}), 1, delta=1e-9)
        self.assertAlmostEqual(self.ratio(), 1, delta=0.01)
        triangles = {
            "Bodies/right/Mesh/Cell type": "simplices",
            "Bodies/right/Mesh/Subdivisions": "4*n, 12",
        }
        self.assertAlmostEqual(self.ratio(**triangles), 1, delta=0.02)


class TiedBlocks(unittest.TestCase):
    """Contact beside a tie."""

    CASE = PRM / "tied_blocks.prm"

    def test_extents_have_tied_nodes(self):
        log = Run(self.CASE, arguments=["--validate"]).log
        self.assertIn("Body 'right' extends from (0, 0, 0) to (1, 1, 1)", log)
    MOMENTA = [f"momentum_{axis}" for axis in "xyz"]
    ANGULAR_MOMENTA = [f"angular_momentum_{axis}" for axis in "xyz"]

    def check(self, run):
        self.assertIn("Tie glue: 36 nodes follow faces; largest gap that was closed 0.02", run.log)
        self.assertNotIn("no targets", run.log)
        self.assertLess(drift(run.statistics, *self.MOMENTA), 1e-14)
        # as far as contact keeps it
        self.assertLess(drift(run.statistics, *self.ANGULAR_MOMENTA), 1e-6)
        self.assertLess(run.energy_error(), 0.01)
        pairs = set(zip(run.contact["first"], run.contact["second"]))
        self.assertNotIn(("left", "right"), pairs)
        impulse = {
            frozenset(pair): abs(z)
            for *pair, z in zip(
                run.contact["first"], run.contact["second"], run.contact["impulse_z"]
            )
        }
        for body in ("left", "right"):
            self.assertGreater(impulse[frozenset((body, "hammer"))], 0.25 * sum(impulse.values()))
        # the momenta of bodies are those of all
        for axis in "xz":
            velocity = {b: run.body(b, f"velocity_{axis}")[-1] for b in ("left", "right", "hammer")}
            masses = {"left": 1, "right": 1, "hammer": 0.3 * 0.4 * 0.6}
            total = sum(masses[b] * velocity[b] for b in masses)
            self.assertAlmostEqual(total, run.statistics[f"momentum_{axis}"][-1], delta=1e-12)

    def test_seam(self):
        self.check(Run(self.CASE))

    def test_seam_with_layers(self):
        settings = {"Contact/Response": "layers", "Bodies/hammer/Mesh/Map": "x; y; z + 0.05"}
        run = Run(self.CASE, set=settings)
        self.assertLess(drift(run.statistics, *self.MOMENTA), 1e-14)
        self.assertGreater(run.body("hammer", "velocity_z")[-1], 0)
        self.assertLess(run.energy_error(), 0.02)

    def test_threads(self):
        settings = {"Stepping/End time": 2, "Output/Save intervals": 4}
        alone = Run(self.CASE, set=settings)
        together = Run(self.CASE, set={**settings, "Stepping/Threads": 3})
        self.assertEqual(alone.statistics, together.statistics)
        self.assertEqual(alone.bodies, together.bodies)

    def test_validate(self):
        run = Run(self.CASE, arguments=["--validate"])
        self.assertIn("Initial penetrations: 0", run.log)
        self.assertIn("36 tied ones", run.log)


class TieMisuse(unittest.TestCase):
    """What cannot be is named."""

    def refuse(self, text, **settings):
        run = Run(BAR, status=2, set=settings)
        self.assertIn(text, " ".join(run.message.split()))

    def test_errors(self):
        self.refuse("'Ties/glue/Followers' is empty", **{"Ties/glue/Followers": ""})
        self.refuse("there is no body 'middle'", **{"Ties/glue/Masters": "middle:1"})
        self.refuse("body 'left' has no boundary 9", **{"Ties/glue/Masters": "left:9"})
        self.refuse("cannot be tied to itself", **{"Ties/glue/Masters": "right:0"})
        self.refuse("find no face within the tolerance", **{"Ties/glue/Followers": "right:1"})
        self.refuse("'Ties/glue/Tolerance' is", **{"Ties/glue/Tolerance": "0"})
        self.refuse(
            "which is tied and follows nodes that are not held",
            **{
                "Restraints/Names": "side",
                "Restraints/side/Body": "right",
                "Restraints/side/Boundary ids": "2",
            },
        )
        self.refuse(
            "but tied ones",
            **{
                "Restraints/Names": "side",
                "Restraints/side/Body": "right",
                "Restraints/side/Boundary ids": "0",
            },
        )
        self.refuse(
            "would follow itself",
            **{
                **HEXAHEDRA,
                **FITTING,
                "Ties/Names": "glue, back",
                "Ties/back/Followers": "left:1",
                "Ties/back/Masters": "right:0",
            },
        )

    def test_untied_nodes_may_be_allowed(self):
        wide = {"Bodies/right/Mesh/Upper corner": "L, 2, 1", "Stepping/End time": 1}
        self.refuse("find no face", **wide)
        run = Run(BAR, set={**wide, "Ties/glue/Allow untied nodes": "true"})
        self.assertIn("nodes found no face, the first at (15, ", run.log)

    def test_supports_of_both_sides(self):
        sides = {
            "Restraints/Names": "side",
            "Restraints/side/Boundary ids": "2",
            "Restraints/side/Directions": "y",
            "Stepping/End time": 1,
        }
        Run(BAR, set=sides)


if __name__ == "__main__":
    unittest.main()
