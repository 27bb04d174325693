"""End-to-end tests of what histories and pictures say of contact and of obstacles that move.

Usage: KICKDRIFT=path/to/kickdrift python3 histories_test.py [unittest arguments]
"""

import re
import struct
import unittest

from program_test import PRM, ProgramTest, column, rows
from loads_test import BLOCK


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

    @staticmethod
    def arrays(path):
        """Arrays of a VTU file, whose numbers are behind the XML, each array behind its length."""
        xml, data = path.read_bytes().split(b'<AppendedData encoding="raw">', 1)
        data = data[data.index(b"_") + 1 :]
        result = {}
        for tag in re.findall(rb"<DataArray[^>]*>", xml):
            given = dict(re.findall(r'(\w+)="([^"]*)"', tag.decode()))
            if given["format"] != "appended":
                continue
            kind = {"Float32": "f", "Int32": "i", "UInt8": "B"}[given["type"]]
            begin = int(given["offset"])
            (size,) = struct.unpack_from("<Q", data, begin)
            n = size // struct.calcsize(kind)
            result[given["Name"]] = struct.unpack_from(f"<{n}{kind}", data, begin + 8)
        return result

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
            fields = self.arrays(output / "surface" / f"surface_{index:06}.vtu")
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
