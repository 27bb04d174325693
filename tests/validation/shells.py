"""Shells against plates, spheres and cylinders that are known.

Usage: KICKDRIFT=path/to/kickdrift python3 shells.py [unittest arguments]
"""

import math
import unittest

from validation import CASES, PRM, Run


def frequency(times, values):
    """Angular frequency from the crossings of zero."""
    crossings = [
        t0 + (t1 - t0) * a / (a - b)
        for t0, t1, a, b in zip(times, times[1:], values, values[1:])
        if a * b < 0
    ]
    assert len(crossings) > 3
    return math.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])


def largest(run, *columns):
    return max(max(map(abs, run.statistics[column])) for column in columns)


MOMENTA = [f"momentum_{c}" for c in "xyz"]
SPINS = [f"angular_momentum_{c}" for c in "xyz"]


class Plates(unittest.TestCase):
    BENDING = math.sqrt(0.01**2 / (12 * (1 - 0.3**2)))  # sqrt(D / (rho h)), E = rho = 1

    def omega(self, name, probe, **settings):
        run = Run(PRM / f"{name}.prm", set=settings)
        self.assertLess(run.energy_error(), 1e-3)
        return frequency(run.probes["time"], run.probes[f"{probe}_displacement_z"]) / self.BENDING

    def test_supported(self):
        for bending, tolerance in (("triangle", 0.01), ("Loop", 0.02)):
            omega = self.omega(
                "supported_plate", "centre", **{"Bodies/plate/Bending": bending}
            )
            self.assertAlmostEqual(omega / (2 * math.pi**2), 1, delta=tolerance)

    def test_free(self):
        """The three lowest modes (Leissa 1969)."""
        x, y = "(2*x - 1)^2", "(2*y - 1)^2"
        for exact, shape, point in (
            (13.49, "(2*x - 1)*(2*y - 1)", "1, 1, 0"),
            (19.79, f"{x} - {y}", "1, 0.5, 0"),
            (24.43, f"{x} + {y} - 2/3", "1, 1, 0"),
        ):
            settings = {
                "Bodies/plate/Initial velocity": f"0; 0; 1e-5*({shape})",
                "Probes/corner/Point": point,
            }
            omega = self.omega("free_plate", "corner", **settings)
            self.assertAlmostEqual(omega / exact, 1, delta=0.02 if exact < 15 else 0.04)

    def test_converges(self):
        errors = [
            abs(
                self.omega(
                    "supported_plate", "centre", **{"Bodies/plate/Mesh/Subdivisions": f"{n}, {m}, 1"}
                )
                / (2 * math.pi**2)
                - 1
            )
            for n, m in ((6, 7), (12, 14))
        ]
        self.assertLess(errors[1], 0.5 * errors[0])


class PressedPlates(unittest.TestCase):
    """Static deflections in p a^4 / D, and frequencies of the first mode."""

    STIFFNESS = 0.01**3 / (12 * (1 - 0.3**2))  # D with E = 1
    CLAMPED = 0.00126532, 35.985
    SUPPORTED = 0.00406235, 2 * math.pi**2

    def check(self, exact, tolerance, **settings):
        run = Run(PRM / "clamped_plate.prm", set=settings)
        way = run.probes["middle_displacement_z"]
        deflection = abs(way[0]) * self.STIFFNESS / 1e-9
        self.assertAlmostEqual(deflection / exact[0], 1, delta=tolerance, msg="deflection")
        omega = frequency(run.probes["time"], way) / Plates.BENDING
        self.assertAlmostEqual(omega / exact[1], 1, delta=tolerance, msg="frequency")
        self.assertLess(run.energy_error(), 1e-3)

    def test_clamped(self):
        self.check(self.CLAMPED, 0.01)

    def test_supported(self):
        self.check(
            self.SUPPORTED,
            0.01,
            **{"Bodies/plate/Clamped boundary ids": "", "Stepping/End time": 240},
        )

    def test_symmetric(self):
        """A quarter of the plate between clamped edges and planes of symmetry."""
        quarter = {
            "Bodies/plate/Mesh/Upper corner": "0.5, 0.5, 0",
            "Bodies/plate/Mesh/Subdivisions": "8, 9, 1",
            "Restraints/Names": "edges, x, y",
            "Restraints/edges/Boundary ids": "0, 2",
        }
        for boundary, direction in ((1, "x"), (3, "y")):
            quarter[f"Restraints/{direction}/Body"] = "plate"
            quarter[f"Restraints/{direction}/Boundary ids"] = boundary
            quarter[f"Restraints/{direction}/Directions"] = direction
        self.check(self.CLAMPED, 0.01, **quarter)
        run = Run(
            PRM / "clamped_plate.prm",
            set={
                **quarter,
                "Bodies/plate/Bending": "Loop",
                "Bodies/plate/Clamped boundary ids": "1, 3",
                "Stepping/End time": 0.1,
                "Output/Save intervals": 1,
            },
        )
        way = abs(run.probes["middle_displacement_z"][0]) * self.STIFFNESS / 1e-9
        self.assertAlmostEqual(way / self.SUPPORTED[0], 1, delta=0.025)


class SlowPressedPlates(unittest.TestCase):
    def test_clamped_loop_converges(self):
        """Nodes that are held are control points: the surface is not quite at rest there."""
        errors = []
        for n, m in ((12, 14), (24, 28)):
            run = Run(
                PRM / "clamped_plate.prm",
                set={
                    "Bodies/plate/Bending": "Loop",
                    "Bodies/plate/Mesh/Subdivisions": f"{n}, {m}, 1",
                    "Stepping/End time": 0.1,
                    "Output/Save intervals": 1,
                },
            )
            way = run.probes["middle_displacement_z"][0]
            errors.append(abs(abs(way) * PressedPlates.STIFFNESS / 1e-9 / PressedPlates.CLAMPED[0] - 1))
        self.assertLess(errors[1], 0.03)
        self.assertLess(errors[1], 0.3 * errors[0])  # of second order


def frequency_of_energies(run):
    """Angular frequency of a body whose kinetic and strain energy take turns, twice in a period."""
    difference = [
        k - s for k, s in zip(run.statistics["kinetic_energy"], run.statistics["strain_energy"])
    ]
    return frequency(run.statistics["time"], difference) / 2


class Spheres(unittest.TestCase):
    def test_breathes(self):
        exact = math.sqrt(2 * 2.1e11 / (7850 * 0.7))
        for bending in ("triangle", "hinge", "Loop", "none"):
            run = Run(PRM / "breathing_sphere.prm", set={"Bodies/sphere/Bending": bending})
            omega = frequency_of_energies(run)
            self.assertAlmostEqual(omega / exact, 1, delta=1e-3, msg=bending)
            self.assertLess(run.energy_error(), 4e-3)  # (omega h)^2 / 4 with the step h
            mass = 4 * math.pi * 7850 * 0.01
            self.assertLess(largest(run, *MOMENTA), 1e-12 * mass)

    def test_swings(self):
        """Modes with n waves from pole to pole: lower branch of the membrane (Lamb 1882)."""
        nu, velocity = 0.3, math.sqrt(2.1e11 / 7850)
        legendre = {2: ("0.5*(3*z^2 - 1)", "3*z"), 3: ("0.5*(5*z^3 - 3*z)", "1.5*(5*z^2 - 1)")}
        for bending, n in (("triangle", 2), ("triangle", 3), ("Loop", 2)):
            waves = n * (n + 1)
            q = waves + 1 + 3 * nu
            root = q / 2 - math.sqrt(q**2 / 4 - (1 - nu**2) * (waves - 2))
            exact = math.sqrt(root / (1 - nu**2)) * velocity
            # w P radially, u dP/dphi along the meridian
            w, u = 1, (2 * (1 + nu) - root) / (waves * (1 + nu))
            radial, along = legendre[n]
            components = [f"({w}*{radial} - {u}*z*{along})*{x}" for x in "xyz"]
            components[2] += f" + {u}*{along}"
            run = Run(
                PRM / "breathing_sphere.prm",
                set={
                    "Bodies/sphere/Bending": bending,
                    "Bodies/sphere/Initial velocity": "; ".join(components),
                    "Stepping/End time": 2 * 2 * math.pi / exact,
                    "Output/Save intervals": 400,
                },
            )
            omega = frequency_of_energies(run)
            self.assertAlmostEqual(omega / exact, 1, delta=5e-3, msg=f"{bending}, n = {n}")

    def test_tumbles(self):
        for ratio, clocks in ((0.5, "nested"), (0.8, "nested"), (0.5, "one")):
            run = Run(
                PRM / "tumbling_sphere.prm",
                set={"Stepping/Time step ratio": ratio, "Stepping/Clocks": clocks},
            )
            errors = [abs(error) for error in run.statistics["energy_error"]]
            quarter = len(errors) // 4
            self.assertLess(max(errors), 1e-3)
            self.assertLess(max(errors[-quarter:]), 1.5 * max(errors[:quarter]))
            for column in MOMENTA + SPINS:
                values = run.statistics[column]
                self.assertLess(max(values) - min(values), 1e-12)
            kicks = run.summary["kicks"]["membrane"] + run.summary["kicks"]["bending"]
            if clocks == "nested":
                nested = kicks if ratio == 0.5 else nested
            else:
                self.assertLess(nested, 0.76 * kicks)


class SlowSpheres(unittest.TestCase):
    def test_tumbles_for_ten_thousand_periods(self):
        """Of the breathing mode: largest errors of the quarters have no trend."""
        period = 2 * math.pi / math.sqrt(2 / 0.7)
        for ratio in (0.5, 0.8):
            run = Run(
                PRM / "tumbling_sphere.prm",
                set={
                    "Bodies/sphere/Mesh/Refinements": 1,
                    "Stepping/Time step ratio": ratio,
                    "Stepping/End time": 1e4 * period,
                    "Output/Save intervals": 20000,
                },
            )
            errors = [abs(error) for error in run.statistics["energy_error"]]
            n = len(errors) // 4
            quarters = [errors[n * i : n * (i + 1)] for i in range(4)]
            means = [sum(quarter) / n for quarter in quarters]
            self.assertLess(max(errors), 2e-3)
            self.assertLess(max(quarters[3]), 1.3 * max(quarters[0]))
            self.assertLess(means[3], 1.2 * means[0])
            for column in MOMENTA + SPINS:
                values = run.statistics[column]
                self.assertLess(max(values) - min(values), 1e-10)


class Rings(unittest.TestCase):
    def test_swing(self):
        """Modes with n waves around that stretch nothing (Rayleigh 1894)."""
        thickness = 0.05
        for bending, n in (("triangle", 2), ("triangle", 3), ("hinge", 2), ("Loop", 2)):
            exact = thickness / math.sqrt(12) * n * (n**2 - 1) / math.sqrt(n**2 + 1)
            # radially cos n phi, around -sin(n phi)/n
            cosine, sine = {
                2: ("(y^2 - z^2)", "2*y*z"),
                3: ("(y^3 - 3*y*z^2)", "(3*y^2*z - z^3)"),
            }[n]
            run = Run(
                PRM / "breathing_sphere.prm",
                set={
                    "Bodies/sphere/Bending": bending,
                    "Bodies/sphere/Thickness": thickness,
                    "Bodies/sphere/Initial velocity": f"0; 1e-5*({cosine}*y + {sine}*z/{n}); "
                    f"1e-5*({cosine}*z - {sine}*y/{n})",
                    "Bodies/sphere/Mesh/Generator": "cylinder",
                    "Bodies/sphere/Mesh/Length": 0.9,
                    "Bodies/sphere/Material/Density": 1,
                    "Bodies/sphere/Material/Young's modulus": 1,
                    "Bodies/sphere/Material/Poisson's ratio": 0,
                    "Probes/pole/Point": "0, 0, 1",
                    "Stepping/End time": 1.2 * 2 * math.pi / exact,
                    "Output/Save intervals": 200,
                },
            )
            omega = frequency_of_energies(run)
            self.assertAlmostEqual(omega / exact, 1, delta=0.02, msg=f"{bending}, n = {n}")

    def test_quarters_between_planes_of_symmetry(self):
        """The same mode with n = 2, whichever way the planes lie."""
        exact = 0.05 / math.sqrt(12) * 6 / math.sqrt(5)
        y, z = "(y*cos(turn) + z*sin(turn))", "(z*cos(turn) - y*sin(turn))"
        cosine, sine = f"({y}^2 - {z}^2)", f"(2*{y}*{z})"
        across, up = f"({cosine}*{y} + {sine}*{z}/2)", f"({cosine}*{z} - {sine}*{y}/2)"
        for bending in ("triangle", "hinge", "Loop"):
            omegas = []
            for turn in (0, 0.4):
                run = Run(
                    CASES / "quarter_ring.prm",
                    set={
                        "Constants": f"h = 0.05, turn = {turn}, T = {1.2 * 2 * math.pi / exact}",
                        "Bodies/ring/Bending": bending,
                        "Bodies/ring/Initial velocity": f"0; "
                        f"1e-5*({across}*cos(turn) - {up}*sin(turn)); "
                        f"1e-5*({across}*sin(turn) + {up}*cos(turn))",
                    },
                )
                omegas.append(frequency_of_energies(run))
            self.assertAlmostEqual(omegas[0] / exact, 1, delta=0.02, msg=bending)
            self.assertAlmostEqual(omegas[1] / omegas[0], 1, delta=1e-6, msg=bending)

    def test_half_a_ring_turns_in_its_plane_of_symmetry(self):
        """By a right angle: nothing bends or rises, only what turns is stretched a little."""
        omega = 1e-3
        for bending in ("triangle", "Loop"):
            for turn in (0, 0.4):
                run = Run(
                    CASES / "quarter_ring.prm",
                    set={
                        "Constants": f"h = 0.05, turn = {turn}, T = {0.5 * math.pi / omega}",
                        "Bodies/ring/Bending": bending,
                        "Bodies/ring/Clamped boundary ids": 2,
                        "Restraints/second/Boundary ids": 2,  # as the first
                        "Restraints/second/Directions": "0, -sin(turn), cos(turn)",
                        "Bodies/ring/Initial velocity": f"-{omega}*(y*cos(turn) + z*sin(turn)); "
                        f"{omega}*x*cos(turn); {omega}*x*sin(turn)",
                    },
                )
                kinetic = run.statistics["kinetic_energy"][0]
                self.assertLess(largest(run, "strain_energy"), 1e-3 * kinetic, f"{bending} {turn}")
                # in a plane that is tilted as the triangles are it would rise by 0.033
                height = [
                    z * math.cos(turn) - y * math.sin(turn)
                    for y, z in zip(run.body("ring", "center_y"), run.body("ring", "center_z"))
                ]
                self.assertAlmostEqual(height[-1], height[0], delta=2e-3, msg=f"{bending} {turn}")


class FallingShell(unittest.TestCase):
    def test_loads(self):
        for bending in ("triangle", "Loop"):
            run = Run(CASES / "falling_shell.prm", set={"Bodies/sphere/Bending": bending})
            self.assertAlmostEqual(run.body("sphere", "center_z")[-1], -50, delta=1e-3)
            self.assertAlmostEqual(run.body("sphere", "velocity_z")[-1], -10, delta=1e-11)
            self.assertLess(abs(run.body("sphere", "velocity_x")[-1]), 1e-14)
            self.assertLess(run.energy_error(), 1e-4)
            # with the load from one instant on, it swings about the static state up to twice as far
            static = 0.5 * 4 * math.pi * 0.001**2 * (1 - 0.3) / (2 * 0.05)
            self.assertLess(max(run.statistics["strain_energy"]), 4.2 * static)
            self.assertGreater(max(run.statistics["strain_energy"]), 2 * static)


class RolledPlate(unittest.TestCase):
    def test_springs_open(self):
        run = Run(PRM / "rolled_plate.prm")
        exact = 0.01**3 / 12 / (2 * 0.5**2)
        # chords of n arcs are shorter by 1 / (24 (n R)^2)
        chords = 0.5 * 0.01 / (24 * (16 * 0.5) ** 2) ** 2
        expected = (1 - 1 / 16) * exact + chords
        self.assertAlmostEqual(run.statistics["strain_energy"][0] / expected, 1, delta=0.02)
        self.assertGreater(max(run.statistics["kinetic_energy"]), 0.5 * exact)
        self.assertLess(run.energy_error(), 0.01)
        self.assertLess(largest(run, *MOMENTA, *SPINS), 1e-14)


class ShellMisuse(unittest.TestCase):
    def test_says_what_crosses(self):
        upright = {"Bodies/upper/Mesh/Map": "0.5 + 0.01*x; 0.4*x + 0.31; y - 0.15"}
        for response in ("layers", "records"):
            run = Run(
                CASES / "stacked_sheets.prm",
                status=2,
                arguments=["--validate"],
                set={**upright, "Contact/Response": response},
            )
            for word in ("'upper'", "'lower'", "passes through a face", "Contact/Exclude"):
                self.assertIn(word, run.message)
            self.assertIn("Crossings at the start: ", run.log)

    def refusal(self, **settings):
        return Run(PRM / "free_plate.prm", status=2, set=settings).message

    def test_says_what_is_wrong(self):
        for settings, words in (
            ({"Bodies/plate/Thickness": 0}, ["Bodies/plate/Thickness", "is 0", "above 0"]),
            ({"Bodies/plate/Material/Model": "neo-Hookean"}, ["Bodies/plate/Material/Model"]),
            (
                {"Bodies/plate/Clamped boundary ids": "1, 7"},
                ["Bodies/plate/Clamped boundary ids", "body 'plate' has no boundary", "7"],
            ),
            (
                {"Bodies/plate/Clamped boundary ids": 1, "Bodies/plate/Bending": "none"},
                ["Bodies/plate/Clamped boundary ids", "membrane"],
            ),
            (
                {
                    "Bodies/plate/Clamped boundary ids": 1,
                    "Bodies/plate/Thickness": 0,
                    "Bodies/plate/Mesh/Cell type": "simplices",
                    "Bodies/plate/Mesh/Upper corner": "1, 1, 1",
                },
                ["Bodies/plate/Clamped boundary ids", "is for shells"],
            ),
            ({"Bodies/plate/Mesh/Cell type": "simplices"}, ["Bodies/plate/Thickness", "is for shells"]),
            ({"Bodies/plate/Strain integration": "nodal"}, ["Strain integration"]),
            ({"Bodies/plate/Mesh/Local refinements": "1"}, ["Local refinements", "not for shells"]),
            ({"Bodies/plate/Mesh/Generator": "grid generator"}, ["Generator", "makes no shells"]),
            ({"Bodies/plate/Mesh/Map": "x; 0; 0"}, ["degenerate"]),
            (
                {"Contact/Enabled": "true", "Contact/Response": "reflect"},
                ["'Contact/Response' = reflect", "shells"],
            ),
            (
                {"Contact/Enabled": "true", "Contact/Response": "layers", "Contact/Exclude": "plate:0"},
                ["Contact/Exclude", "boundary id 0", "plate"],
            ),
        ):
            message = self.refusal(**settings)
            for word in words:
                self.assertIn(word, message, settings)


if __name__ == "__main__":
    unittest.main()
