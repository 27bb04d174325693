"""End-to-end tests of what histories say: probes of cells, sections, contact on surfaces; and of
springs and point masses.

Usage: KICKDRIFT=path/to/kickdrift python3 histories_test.py [unittest arguments]
"""

import math
import unittest

import vtu
from program_test import PRM, ProgramTest, column, rows, summary
from loads_test import BLOCK, LOAD

BAR = """
set Dimension = 2
set Constants = L = 4
subsection Bodies
  set Names = bar
  subsection bar
    subsection Mesh
      set Upper corner = L, 1
      set Subdivisions = 16, 4
      set Material id  = x < L/2 ? 3 : 8
      set Map          = x*(0.5 + 0.5*x/L); y
    end
    subsection Material
      set Model = St. Venant-Kirchhoff
      set Ids   = 8
      subsection Id 8
        set Model   = St. Venant-Kirchhoff
        set Density = 5
      end
    end
  end
end
subsection Contact
  set Enabled = false
end
subsection Stepping
  set End time = 4
end
subsection Output
  set Save intervals = 8
end
"""
OTHER = """  subsection other
    subsection Mesh
      set Lower corner = -3, 0
      set Upper corner = -2, 1
      set Subdivisions = 2, 2
    end
  end
"""
TWO_BODIES = BAR.replace("Names = bar", "Names = bar, other").replace(
    "  subsection bar", OTHER + "  subsection bar", 1
)
SECTION = {"Sections/Names": "cut", "Sections/cut/Point": "1.1, 0.3", "Sections/cut/Normal": "2, 0"}


class Sections(ProgramTest):
    def case(self):
        return self.write("bar.prm", BAR)

    def test_what_a_wall_gives_goes_through(self):
        """The nodes behind the section are those that the wall holds: they get nothing in all."""
        settings = {
            **SECTION,
            "Sections/cut/Point": "1e-3, 0.3",
            "Restraints/Names": "wall",
            "Restraints/wall/Boundary ids": 0,
            "Bodies/bar/Initial velocity": "0.01*x; 0.005*x*x",
        }
        for clocks in ("one", "nested", "per cell"):
            _, output = self.run_case(self.case(), {**settings, "Stepping/Clocks": clocks})
            table = output / "sections.csv"
            largest = max(map(abs, column(table, "cut_impulse_x")))
            self.assertGreater(largest, 1e-3)
            for axis in "xy":
                for kind in ("impulse", "force"):
                    section = column(table, f"cut_{kind}_{axis}")
                    wall = column(output / "reactions.csv", f"wall_{kind}_{axis}")
                    for a, b in zip(section, wall):
                        self.assertAlmostEqual(a + b, 0, delta=1e-12 * largest)

    def test_it_does_not_change_the_run(self):
        settings = {"Bodies/bar/Initial velocity": "0.01*x; 0.005*x*x"}
        hashes = {
            summary(self.run_case(self.case(), {**settings, **more})[1])["state_hash"]
            for more in ({}, SECTION, {**SECTION, "Stepping/Threads": 2})
        }
        self.assertEqual(len(hashes), 1)

    def test_equilibrium_under_weight(self):
        """Force and moment of what hangs beyond, from the first step on."""
        settings = {
            **SECTION,
            "Restraints/Names": "wall",
            "Restraints/wall/Boundary ids": 0,
            "Loads/Names": "weight",
            "Loads/weight/Type": "acceleration",
            "Loads/weight/Value": "0; -1e-5",
            "Stepping/Quiet start": 1e-11,
            "Stepping/Clocks": "one",
        }
        _, output = self.run_case(self.case(), settings)
        table = output / "sections.csv"
        # The nodes behind carry half of the cells that are cut: the first two columns of nodes are
        # those up to 1.1 of edges x(0.5 + 0.5 x/4) at multiples of 1/4.
        edges = [x * (0.5 + 0.125 * x) for x in (0.25 * i for i in range(17))]
        beyond = [i for i in range(17) if edges[i] > 1.1]
        weight = moment = 0
        for i, (a, b) in enumerate(zip(edges, edges[1:])):
            density = 5 if 0.5 * (a + b) > 2 else 1
            for node in (i, i + 1):
                if node in beyond:
                    weight += 0.5 * 1e-5 * density * (b - a)
                    moment += 0.5 * 1e-5 * density * (b - a) * (edges[node] - 1.1)
        for force, couple in zip(
            column(table, "cut_force_y")[1:], column(table, "cut_moment_z")[1:]
        ):
            self.assertAlmostEqual(force, -weight, delta=1e-8 * weight)
            self.assertAlmostEqual(couple, -moment, delta=1e-3 * moment)

    def test_with_viscosity(self):
        settings = {
            **SECTION,
            "Sections/cut/Point": "1e-3, 0.3",
            "Restraints/Names": "wall",
            "Restraints/wall/Boundary ids": 0,
            "Bodies/bar/Initial velocity": "0.01*x; 0.005*x*x",
            "Bodies/bar/Stiffness damping": 0.05,
        }
        _, output = self.run_case(self.case(), settings)
        section = column(output / "sections.csv", "cut_impulse_x")
        wall = column(output / "reactions.csv", "wall_impulse_x")
        self.assertGreater(column(output / "statistics.csv", "viscous_loss")[-1], 1e-6)
        for a, b in zip(section, wall):
            self.assertAlmostEqual(a + b, 0, delta=1e-12)

    def test_it_goes_on(self):
        settings = {
            **SECTION,
            "Bodies/bar/Initial velocity": "0.01*x; 0.005*x*x",
            "Checkpoint/Time interval": 0.5,
        }
        _, whole = self.run_case(self.case(), settings)
        half = {**settings, "Stepping/End time": 2, "Output/Save intervals": 4}
        _, output = self.run_case(self.case(), half)
        later = {**half, "Stepping/End time": 4}
        sets = [w for k, v in later.items() for w in ("--set", f"{k}={v}")]
        self.run_program(self.case(), "--output", output, "--resume", *sets)
        self.assertEqual(
            (whole / "sections.csv").read_text(), (output / "sections.csv").read_text()
        )

    def test_mistakes(self):
        case = self.case()
        self.assert_refused(
            {**SECTION, "Sections/cut/Point": "9, 0"}, "Sections/cut", "cuts no cell", file=case
        )
        self.assert_refused(
            {**SECTION, "Sections/cut/Normal": "0, 0"}, "Sections/cut/Normal", file=case
        )


class CellProbes(ProgramTest):
    """A bar with a stress that grows from cell to cell."""

    def run_bar(self, settings):
        more = {
            "Probes/Names": "p",
            "Bodies/bar/Initial displacement": "0.01*x*x; 0",
            "Stepping/End time": 1e-3,
            "Output/Save intervals": 1,
        }
        return self.run_case(self.write("bar.prm", BAR), {**more, **settings})[1] / "probes.csv"

    def first(self, table, name):
        return column(table, name)[0]

    def test_extremes_and_means_of_nodes(self):
        table = self.run_bar({"Probes/p/Values": "mean, min, max"})
        # displacement 0.01 x^2 of the mapped places
        self.assertAlmostEqual(self.first(table, "p_displacement_x_max"), 0.16, delta=1e-14)
        self.assertAlmostEqual(self.first(table, "p_displacement_x_min"), 0, delta=1e-14)
        edges = [x * (0.5 + 0.125 * x) for x in (0.25 * i for i in range(17))]
        self.assertAlmostEqual(
            self.first(table, "p_displacement_x"), sum(0.01 * x * x for x in edges) / 17, delta=1e-14
        )

    def test_stress_of_cells(self):
        fields = {"Probes/p/Fields": "stress_xx, von_mises, stress_zz, mean_pressure",
                  "Probes/p/Values": "mean, min, max"}
        # Cauchy stress of the mean gradient G = (u_b - u_a)/h, with E = 1 and Poisson's ratio 0.3
        poisson = {f"Bodies/bar/{m}/Poisson's ratio": 0.3 for m in ("Material", "Material/Id 8")}
        fields.update(poisson)
        modulus = 0.7 / (1.3 * 0.4)
        all_cells = self.run_bar(fields)
        edges = [x * (0.5 + 0.125 * x) for x in (0.25 * i for i in range(17))]
        stress, volume, pressure = [], [], []
        across = 0.3 / (1.3 * 0.4)  # Lame's first parameter
        for a, b in zip(edges, edges[1:]):
            g = 0.01 * (b * b - a * a) / (b - a)
            strain = g + 0.5 * g * g
            stress.append(modulus * strain * (1 + g))
            volume.append(b - a)
            # both lateral stresses are those of plane strain
            pressure.append(-(stress[-1] + 2 * across * strain / (1 + g)) / 3)
            largest_across = across * strain / (1 + g)
        mean = sum(s * v for s, v in zip(stress, volume)) / sum(volume)
        self.assertAlmostEqual(self.first(all_cells, "p_stress_xx_max"), max(stress), delta=1e-12)
        self.assertAlmostEqual(self.first(all_cells, "p_stress_xx_min"), min(stress), delta=1e-12)
        self.assertAlmostEqual(self.first(all_cells, "p_stress_xx"), mean, delta=1e-12)
        self.assertAlmostEqual(
            self.first(all_cells, "p_stress_zz_max"), largest_across, delta=1e-12)
        self.assertAlmostEqual(
            self.first(all_cells, "p_mean_pressure_min"), min(pressure), delta=1e-12)
        # sets of cells: by material, box, boundary and point
        heavy = [s for s, a, b in zip(stress, edges, edges[1:]) if 0.5 * (a + b) >= 2]
        for chosen, expected in (
            ({"Probes/p/Material ids": 8}, min(heavy)),
            ({"Probes/p/Material ids": 8, "Probes/p/Box": "3, 0; 4, 1"}, None),
            ({"Probes/p/Boundary ids": 1}, stress[-1]),
            ({"Probes/p/Point": "0.01, 0.5"}, stress[0]),
        ):
            table = self.run_bar({**fields, **chosen})
            value = self.first(table, "p_stress_xx_min")
            if expected is None:
                expected = min(
                    s for s, a, b in zip(stress, edges, edges[1:]) if 0.5 * (a + b) >= 3
                )
            self.assertAlmostEqual(value, expected, delta=1e-12)
            self.assertGreaterEqual(self.first(table, "p_von_mises_max"), 0.3 * value)

    def test_plastic_strain_is_that_of_the_body(self):
        settings = {"Probes/Names": "tail, foot, rim, all",
                    "Probes/all/Fields": "equivalent_plastic_strain", "Probes/all/Values": "max",
                    "Stepping/End time": 2,
                    "Output/Save intervals": 2, "Output/VTU every": 0, "Output/Surface every": 0}
        _, output = self.run_case(PRM / "taylor_bar.prm", settings)
        probe = column(output / "probes.csv", "all_equivalent_plastic_strain_max")
        body = [
            float(row["largest_equivalent_plastic_strain"]) for row in rows(output / "bodies.csv")
        ]
        self.assertGreater(probe[-1], 0.01)
        self.assertEqual(probe, body[: len(probe)])

    def test_what_a_body_has_not_is_no_number(self):
        settings = {f"Bodies/bar/Material/{name}": value for name, value in (
            ("Model", "J2 plasticity"), ("Yield stress", 1e-3), ("Hardening modulus", 0.5))}
        settings.update({"Bodies/bar/Initial displacement": "0.01*x*x; 0", "Stepping/End time": 0.5})
        _, output = self.run_case(self.write("two.prm", TWO_BODIES), settings)
        table = rows(output / "bodies.csv")
        of_bar = [float(row["largest_equivalent_plastic_strain"]) for row in table if row["body"] == "bar"]
        self.assertGreater(of_bar[-1], 1e-3)
        others = {row["largest_equivalent_plastic_strain"] for row in table if row["body"] == "other"}
        self.assertEqual(others, {"nan"})

    def test_mistakes(self):
        case = self.write("bar.prm", BAR)
        name = {"Probes/Names": "p"}
        self.assert_refused(
            {**name, "Probes/p/Fields": "von_mses"},
            "Probes/p/Fields", "'von_mses'", "Did you mean 'von_mises'", file=case,
        )
        self.assert_refused({**name, "Probes/p/Values": "largest"}, "Probes/p/Values", file=case)
        self.assert_refused({**name, "Probes/p/Material ids": 5}, "Probes/p/Material ids", "5",
                            file=case)


SPRING = {
    "Springs/Names": "s",
    "Springs/s/Point": "0, 0",
    "Springs/s/Other point": "-2, 0",
    "Springs/s/Stiffness": 1e-3,
}


class SpringsAndMasses(ProgramTest):
    def case(self):
        return self.write("bar.prm", BAR)

    def mass(self, settings=None):
        settings = {"Bodies/bar/Initial velocity": "1e-3; 0", "Stepping/End time": 1e-3,
                    **(settings or {})}
        output = self.run_case(self.case(), settings)[1]
        return column(output / "statistics.csv", "momentum_x")[0] / 1e-3

    def test_a_block_on_a_spring_swings(self):
        """Soft enough for the bar to be rigid beside it: omega^2 = k/m."""
        settings = {
            **SPRING,
            "Restraints/Names": "guide",
            "Restraints/guide/Directions": "y",
            "Bodies/bar/Initial velocity": "1e-3; 0",
            "Probes/Names": "all",
            "Stepping/End time": 200,
            "Output/Save intervals": 200,
        }
        output = self.run_case(self.case(), settings)[1]
        omega = math.sqrt(1e-3 / self.mass())
        for t, u in zip(
            column(output / "probes.csv", "time"), column(output / "probes.csv", "all_displacement_x")
        ):
            self.assertAlmostEqual(u, 1e-3 / omega * math.sin(omega * t), delta=0.01 * 1e-3 / omega)
        self.assertLess(max(map(abs, column(output / "statistics.csv", "energy_error"))), 1e-3)
        self.assertGreater(summary(output)["kicks"]["spring"], 0)

    def test_a_spring_that_is_stretched(self):
        """In equilibrium with a load: force over stiffness."""
        settings = {
            **SPRING,
            "Springs/s/Rest length": 1.5,
            "Loads/Names": "push",
            "Loads/push/Type": "traction",
            "Loads/push/Boundary ids": 1,
            "Loads/push/Value": "2e-4; 0",
            "Restraints/Names": "guide",
            "Restraints/guide/Directions": "y",
            "Probes/Names": "end",
            "Probes/end/Point": "0, 0",
            "Stepping/Quiet start": 1e-11,
            "Stepping/End time": 1e-2,
        }
        output = self.run_case(self.case(), settings)[1]
        # longer than it wants to be by 0.5 at the start
        self.assertAlmostEqual(
            column(output / "probes.csv", "end_displacement_x")[0], 0.2 - 0.5, delta=1e-7
        )
        self.assertGreater(column(output / "statistics.csv", "strain_energy")[0], 0.5 * 2e-4 * 0.2)

    def test_a_stiff_spring_sets_the_step(self):
        soft = summary(self.run_case(self.case(), SPRING)[1])["h_min"]
        stiff = self.run_case(self.case(), {**SPRING, "Springs/s/Stiffness": 1e4})[1]
        self.assertLess(summary(stiff)["h_min"], 0.1 * soft)

    def test_two_bodies_on_a_spring_keep_their_momentum(self):
        case = self.write("two.prm", TWO_BODIES)
        settings = {
            "Springs/Names": "s",
            "Springs/s/Body": "bar",
            "Springs/s/Point": "0, 0",
            "Springs/s/Other body": "other",
            "Springs/s/Other point": "-2, 0",
            "Springs/s/Stiffness": 0.2,
            "Springs/s/Rest length": 1.5,
            "Stepping/End time": 20,
            "Stepping/Class boundaries": "plain",  # for angular momentum to round-off
        }
        output = self.run_case(case, settings)[1]
        for name in ("momentum_x", "momentum_y", "angular_momentum_z"):
            self.assertLess(max(map(abs, column(output / "statistics.csv", name))), 1e-13)
        energy = column(output / "statistics.csv", "kinetic_energy")
        self.assertGreater(max(energy), 5e-3)
        self.assertAlmostEqual(
            column(output / "statistics.csv", "total_energy")[0], 0.5 * 0.2 * 0.5**2, delta=1e-12
        )

    def test_a_point_mass_is_counted(self):
        plain = self.mass()
        for chosen in ({"Point masses/m/Point": "4, 1"}, {"Point masses/m/Boundary ids": 1}, {}):
            settings = {"Point masses/Names": "m", "Point masses/m/Mass": 7, **chosen}
            self.assertAlmostEqual(self.mass(settings), plain + 7, delta=1e-12)

    def test_a_point_mass_falls_with_its_body(self):
        """It has its weight, so nothing is strained."""
        settings = {
            "Point masses/Names": "m",
            "Point masses/m/Point": "4, 1",
            "Point masses/m/Mass": 7,
            "Loads/Names": "weight",
            "Loads/weight/Type": "acceleration",
            "Loads/weight/Value": "0; -0.01",
        }
        output = self.run_case(self.case(), settings)[1]
        kinetic = column(output / "statistics.csv", "kinetic_energy")[-1]
        self.assertAlmostEqual(kinetic, 0.5 * (self.mass() + 7) * 0.04**2, delta=1e-4 * kinetic)
        strain = column(output / "statistics.csv", "strain_energy")[-1]
        self.assertLess(strain, 1e-5 * kinetic)

    def test_mistakes(self):
        case = self.case()
        name = "Springs/s/"
        self.assert_refused({**SPRING, name + "Stiffness": 0}, name + "Stiffness", file=case)
        self.assert_refused({**SPRING, name + "Rest length": -1}, name + "Rest length", file=case)
        self.assert_refused({**SPRING, name + "Other body": "bar", name + "Other point": "0, 0"},
                            "Springs/s", "both ends", file=case)
        self.assert_refused({**SPRING, name + "Body": "barr"}, name + "Body", "'barr'", file=case)
        self.assert_refused({"Point masses/Names": "m"}, "Point masses/m/Mass", file=case)


class ObstacleAmplitude(ProgramTest):
    """A plane that pushes a block, moved by an expression and by a table."""

    def test_table_and_expression_are_the_same(self):
        settings = {
            "Obstacles/Names": "wall",
            "Obstacles/wall/Point": "1.05, 0",
            "Obstacles/wall/Normal": "-1, 0",
            "Contact/Enabled": "true",
        }
        case = self.write("case.prm", BLOCK)
        ends = []
        for more in (
            {"Obstacles/wall/Displacement": "t < 1 ? -0.2*t : -0.2; 0"},
            {"Obstacles/wall/Displacement": "-0.2; 0", "Obstacles/wall/Amplitude": "0: 0, 1: 1"},
        ):
            output = self.run_case(case, {**settings, **more})[1]
            ends.append(column(output / "probes.csv", "right_displacement_x"))
        self.assertLess(min(ends[0]), -0.05)
        for a, b in zip(*ends):
            self.assertAlmostEqual(a, b, delta=1e-9)
        self.assert_refused(
            {**settings, "Obstacles/wall/Amplitude": "0: 0"}, "Obstacles/wall", "'Displacement'",
            file=case,
        )


class ContactField(ProgramTest):
    """What pictures of surfaces say of contact, against contact.csv."""

    def test_tractions_integrate_to_the_force_of_the_pair(self):
        settings = {"Output/Surface every": 1, "Output/VTU every": 0, "Output/Save intervals": 5}
        _, output = self.run_case(PRM / "two_elastic_bars.prm", settings)
        forces = {
            float(row["time"]): [float(row["force_x"]), float(row["force_y"])]
            for row in rows(output / "contact.csv")
        }
        largest = max(abs(f[0]) for f in forces.values())
        self.assertGreater(largest, 0)
        n_compared = 0
        times = column(output / "statistics.csv", "time")
        for index, time in enumerate(times):
            if index == 0 or time not in forces:
                continue
            fields = vtu.arrays(output / "surface" / f"surface_{index:06}.vtu")
            # nodes of the first body, by its faces
            of_first, begin = set(), 0
            for end, body in zip(fields["offsets"], fields["body"]):
                if body == 0:
                    of_first.update(fields["connectivity"][begin:end])
                begin = end
            for axis in (0, 1):
                force = sum(
                    fields["nodal_area"][p] * fields["contact_traction"][3 * p + axis]
                    for p in of_first
                )
                # as exact as the numbers of single precision in the file
                self.assertAlmostEqual(force, forces[time][axis], delta=1e-6 * largest)
            n_compared += 1
        self.assertGreater(n_compared, 1)


if __name__ == "__main__":
    unittest.main()
