"""Tests of contrib/render.py, which draws what the program writes.

Usage: KICKDRIFT=path/to/kickdrift python3 render_test.py [unittest arguments]
"""

import base64
import functools
import json
import re
import struct
import subprocess
import sys
import unittest
import zlib

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


def packed(text):
    """A file with appended data as deal.II would write it."""
    begin = text.index(b"_", text.index(b"<AppendedData")) + 1
    data = text[begin : text.rindex(b"\n</AppendedData>")]

    def array(found):
        offset = int(re.search(rb'offset="(\d+)"', found.group()).group(1))
        (length,) = struct.unpack_from("<Q", data, offset)
        numbers = zlib.compress(data[offset + 8 : offset + 8 + length])
        head = struct.pack("<QQQQ", 1, length, length, len(numbers))
        kind = re.sub(rb'format="appended" offset="\d+"/>', b'format="binary">', found.group())
        return kind + base64.b64encode(head) + base64.b64encode(numbers) + b"</DataArray>"

    head = text[: text.index(b"<AppendedData")]
    return re.sub(rb"<DataArray[^>]*appended[^>]*/>", array, head) + b"</VTKFile>"


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

    def test_solids_hide_no_faces_of_each_other(self):
        """Bodies may have had the same place in the reference configuration."""
        output = self.run_case(HERE / "prm" / "two_boxes.prm")[1]
        colours = self.draw(output / "solution.pvd")[1]
        blue = sum(pixels for (r, _, b), pixels in colours if b > r + 30)
        orange = sum(pixels for (r, _, b), pixels in colours if r > b + 30)
        self.assertGreater(blue, 1000)
        self.assertAlmostEqual(blue / orange, 1, delta=0.1)

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

    def test_animation(self):
        """A frame for every picture of the run, drawn as render.py draws it, all from one place."""
        output, film = self.output(), self.folder / "film.webp"
        animate = [python_with_matplotlib(), RENDER.with_name("animate.py"), output, "--output", film]
        options = ["--field", "velocity_x", "--size", "4", "3", "--dpi", "50", "--edges", "0"]
        done = subprocess.run([*animate, *options], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, f"{film}\n"), done.stderr)
        script = """
import sys
from PIL import Image
film = Image.open(sys.argv[1])
boxes = []
for i in range(film.n_frames):
    film.seek(i)
    dark = film.convert("L").crop((0, 0, 120, 150)).point(lambda grey: 255 * (grey < 250))
    boxes.append(dark.getbbox())
print(film.n_frames, film.size == (200, 150), all(boxes))
"""
        seen = subprocess.run(
            [python_with_matplotlib(), "-c", script, film], capture_output=True, text=True, check=True
        )
        n_frames = len(list((output / "solution").glob("*.vtu")))
        self.assertGreater(n_frames, 2)
        self.assertEqual(seen.stdout.split(), [str(n_frames), "True", "True"])
        done = subprocess.run([*animate[:2], self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no solution/*.vtu: 'Output/VTU every'", done.stderr)

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
        file = sorted(self.output().glob("solution/solution_*.vtu"))[0]
        text = file.read_bytes()
        self.check_damages(file, {
            "cut off": text[: len(text) // 2],
            "empty": b"",
            "no XML": b"solid cube\n",
            "other XML": b"<html><body/></html>",
            "no points": re.sub(rb"(?s)<Points>.*</Points>", b"", text),
            "no types": text.replace(b'Name="types"', b'Name="kinds"'),
            "unknown numbers": text.replace(b'type="Float32"', b'type="Float13"'),
            "cut numbers": text[: text.rindex(b"\n</AppendedData>") - 50]
            + text[text.rindex(b"\n</AppendedData>"):],
            "wrong offset": re.sub(rb'(Name="connectivity".*?offset=)"\d+"', rb'\1"999999"', text),
            **self.with_offsets(text),
        })

    def test_files_of_deal_ii(self):
        """The same numbers in base64, packed by zlib."""
        file = sorted(self.output().glob("solution/solution_*.vtu"))[0]
        text = packed(file.read_bytes())
        self.write("packed.vtu", text.decode())
        self.assertEqual(self.draw("packed.vtu"), self.draw(file))
        data = re.search(rb'"connectivity"[^>]*>\s*(\S+)', text)  # header, then packed numbers
        middle = (data.start(1) + data.end(1)) // 2
        self.check_damages(file, {
            "no base64": text[: data.start(1)] + b"*" + text[data.start(1) :],
            "cut numbers": text[:middle] + text[data.end(1) :],
            "packed wrongly": text[:middle]
            + (b"B" if text[middle : middle + 1] == b"A" else b"A") + text[middle + 1 :],
            **self.with_offsets(text),
        })

    def with_offsets(self, text):
        """Plain numbers in place of those that say where cells end."""
        n_cells = int(re.search(rb'NumberOfCells="(\d+)"', text).group(1))
        offsets = list(range(4, 4 * n_cells + 1, 4))
        return {
            name: re.sub(
                rb'(?s)<DataArray[^>]*Name="offsets"[^>]*?(/>|>.*?</DataArray>)',
                f'<DataArray type="{"Float64" if name == "no integers" else "Int32"}" '
                f'Name="offsets" format="ascii">{" ".join(map(str, damaged))}</DataArray>'.encode(),
                text,
            )
            for name, damaged in {
                "right": offsets, "three corners": [3, *offsets[1:]], "no cells": [],
                "backwards": [8, 4, *offsets[2:]], "no integers": [4.5, *offsets[1:]],
                "fewer cells": offsets[:-1],
            }.items()
        }

    def check_damages(self, file, damages):
        (self.folder / "whole.vtu").write_bytes(damages.pop("right"))
        self.assertEqual(self.draw("whole.vtu"), self.draw(file))
        for name, damaged in damages.items():
            with self.subTest(name):
                self.assertNotEqual(damaged, file.read_bytes())
                (self.folder / "damaged.vtu").write_bytes(damaged)
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
        # what a file refers to
        picture = sorted(output.glob("solution/solution_*.vtu"))[-1]
        picture.unlink()
        self.assertIn(picture.name, self.refused(output / "solution.pvd"))
        for name, text in (
            ("own.pvtu", '<VTKFile type="PUnstructuredGrid"><PUnstructuredGrid>'
                         '<Piece Source="own.pvtu"/></PUnstructuredGrid></VTKFile>'),
            ("own.pvd", re.sub('file="[^"]*"', 'file="own.pvd"',
                               (output / "solution.pvd").read_text())),
        ):
            self.write(name, text)
            self.assertIn(f"{name}' refers to files that refer to it", self.refused(name))


if __name__ == "__main__":
    unittest.main()
