"""Tests of contrib/render.py, which draws what the program writes.

Usage: KICKDRIFT=path/to/kickdrift python3 render_test.py [unittest arguments]
"""

import functools
import json
import re
import subprocess
import sys
import unittest

from program_test import HERE, SMALL, ProgramTest

RENDER = HERE.parent.parent / "contrib" / "render.py"

# Prints size and colours of a picture: [[red, green, blue], pixels], most frequent ones first.
MEASURE = """
import json, sys
import matplotlib.image, numpy
image = numpy.rint(255 * matplotlib.image.imread(sys.argv[1])[:, :, :3]).astype(int)
colours, counts = numpy.unique(image.reshape(-1, 3), axis=0, return_counts=True)
order = numpy.argsort(-counts)
print(json.dumps([image.shape[:2], [[colours[i].tolist(), int(counts[i])] for i in order]]))
"""


@functools.lru_cache(maxsize=None)
def python_with_matplotlib():
    """Debian's matplotlib belongs to Debian's Python, which need not be the first one in PATH."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", "import matplotlib"], check=True, capture_output=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            pass
    return None


class Render(ProgramTest):
    def setUp(self):
        super().setUp()
        if not python_with_matplotlib():
            self.skipTest("matplotlib is missing")

    def render(self, *arguments, status=0):
        done = subprocess.run(
            [python_with_matplotlib(), RENDER, *map(str, arguments)],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def draw(self, *arguments):
        """Size and colours of the picture."""
        picture = self.folder / "picture.png"
        done = self.render(
            *arguments, "--output", picture, "--size", "4", "3", "--dpi", "50", "--edges", "0"
        )
        self.assertEqual(done.stdout, f"{picture}\n")
        self.assertTrue(picture.read_bytes().startswith(b"\x89PNG\r\n"))
        done = subprocess.run(
            [python_with_matplotlib(), "-c", MEASURE, picture],
            stdout=subprocess.PIPE, text=True, check=True,
        )
        return json.loads(done.stdout)

    def output(self):
        """Folder of a run of two bodies of equal size, side by side."""
        return self.run_case(SMALL, {"Stepping/End time": "0.2"})[1]

    def test_bodies(self):
        size, colours = self.draw(self.output() / "solution.pvd")
        self.assertEqual(size, [150, 200])
        (background, _), (_, first), (_, second) = colours[:3]
        self.assertEqual(background, [255, 255, 255])
        # the first two of matplotlib's colours tab10
        self.assertEqual(
            sorted(colour for colour, _ in colours[1:3]), [[31, 119, 180], [255, 127, 14]]
        )
        self.assertAlmostEqual(first / second, 1, delta=0.05)
        # together twice as wide as high, and as large as the picture allows
        self.assertAlmostEqual((first + second) / (200 * 100), 1, delta=0.15)

    def test_field(self):
        output = self.output()
        plain = self.draw(output / "solution.pvd")[1]
        size, colours = self.draw(output / "solution.pvd", "--field", "velocity_x")
        self.assertEqual(size, [150, 200])
        # a value for each cell (8 and 12 of them), and a scale with many colours
        self.assertGreater(len(colours), len(plain) + 50)
        # the bodies move towards each other: both ends of the colours
        frequent = [colour for colour, pixels in colours if pixels > 200]
        self.assertTrue(any(blue > 2 * red for red, _, blue in frequent), frequent)  # purple
        self.assertTrue(any(red > 4 * blue for red, _, blue in frequent), frequent)  # yellow

    def test_surface(self):
        _, colours = self.draw(self.output() / "surface.pvd")
        self.assertLess(colours[1][1], 1500)  # lines around the bodies
        self.assertGreater(colours[1][1], 100)

    def refused(self, path, *arguments):
        done = self.render(path, *arguments, "--output", "no.png", status=1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("render.py: "), done.stderr)
        self.assertFalse((self.folder / "no.png").exists())
        return done.stderr

    def test_damaged_files(self):
        file = sorted(self.output().glob("solution_*.vtu"))[0]
        text = file.read_text()
        data = re.search(r'"connectivity"[^>]*>\s*(\S+)', text)  # header, then packed numbers
        middle = (data.start(1) + data.end(1)) // 2
        damages = {
            "cut off": text[: len(text) // 2],
            "empty": "",
            "no XML": "solid cube\n",
            "other XML": "<html><body/></html>",
            "no points": re.sub(r"(?s)<Points>.*</Points>", "", text),
            "no types": text.replace('Name="types"', 'Name="kinds"'),
            "unknown numbers": text.replace('type="Float32"', 'type="Float13"').replace(
                'type="Float64"', 'type="Float13"'),
            "no base64": text[: data.start(1)] + "*" + text[data.start(1) :],
            "cut numbers": text[:middle] + text[data.end(1) :],
            "packed wrongly": text[:middle] + ("B" if text[middle] == "A" else "A")
            + text[middle + 1 :],
            "fewer cells": re.sub(r'(?s)(Name="types".*?>)\s*\S+', r"\1", text, count=1),
        }
        # plain numbers in place of the packed ones
        n_cells = int(re.search(r'NumberOfCells="(\d+)"', text).group(1))
        offsets = list(range(4, 4 * n_cells + 1, 4))
        for name, damaged in {
            "right": offsets, "three corners": [3, *offsets[1:]], "no cells": [],
            "backwards": [8, 4, *offsets[2:]], "no integers": [4.5, *offsets[1:]],
        }.items():
            kind = "Float64" if name == "no integers" else "Int32"
            damages[name] = re.sub(
                r'(?s)<DataArray[^>]*Name="offsets".*?</DataArray>',
                f'<DataArray type="{kind}" Name="offsets" format="ascii">'
                f'{" ".join(map(str, damaged))}</DataArray>',
                text,
            )
        self.write("whole.vtu", damages.pop("right"))
        self.assertEqual(self.draw("whole.vtu"), self.draw(file))
        for name, damaged in damages.items():
            with self.subTest(name):
                self.assertNotEqual(damaged, text)
                self.write("damaged.vtu", damaged)
                message = self.refused("damaged.vtu")
                self.assertIn("damaged.vtu'", message)
                if name == "three corners":
                    self.assertIn("has not as many points as its VTK type 9 needs", message)
                if name in ("no cells", "fewer cells"):
                    self.assertIn(
                        "there are no cells" if name == "no cells" else "types differ", message)

    def test_mistakes(self):
        output = self.output()
        self.assertIn("gone.vtu'", self.refused("gone.vtu"))
        message = self.refused(output / "solution.pvd", "--field", "colour")
        self.assertIn("no field 'colour'; it has ", message)
        self.assertIn("velocity", message)
        # what a file of pieces refers to
        piece = sorted(output.glob("solution_*.vtu"))[-1]
        piece.unlink()
        pieces = sorted(output.glob("solution_*.pvtu"))[-1]
        self.assertIn(piece.name, self.refused(pieces))
        for name, text in (
            ("own.pvtu", re.sub('Source="[^"]*"', 'Source="own.pvtu"', pieces.read_text())),
            ("own.pvd", re.sub('file="[^"]*"', 'file="own.pvd"',
                               (output / "solution.pvd").read_text())),
        ):
            self.write(name, text)
            self.assertIn(f"{name}' refers to files that refer to it", self.refused(name))


if __name__ == "__main__":
    unittest.main()
