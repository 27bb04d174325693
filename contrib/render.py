#!/usr/bin/env python3
"""Make a picture of volume or surface output of kickdrift, without ParaView.

    render.py FILE.vtu|FILE.pvtu|FILE.pvd ... [--field NAME] [--output FILE.png]

Draws the outer faces of the deformed bodies, coloured by a field: a scalar, the length of a vector
(`velocity`) or a component of it (`velocity_x`). Understands what kickdrift and deal.II write:
unstructured grids with appended raw data, ASCII or zlib-compressed base64. Any Python will do if
one in PATH has matplotlib (Debian: python3-matplotlib).
"""

import argparse
import base64
import os
import sys
import xml.etree.ElementTree as ElementTree
import zlib

from find_matplotlib import use_matplotlib

if __name__ == "__main__":
    use_matplotlib()  # numpy comes with it

import numpy as np

TYPES = {"Float32": "<f4", "Float64": "<f8", "Int8": "i1", "UInt8": "u1", "Int32": "<i4",
         "UInt32": "<u4", "Int64": "<i8", "UInt64": "<u8"}

# Faces of VTK's cells, as rings of corners. Cells of lower dimension are their own face.
FACES = {
    3: [(0, 1)],
    5: [(0, 1, 2)],
    9: [(0, 1, 2, 3)],
    10: [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    12: [(0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)],
    13: [(0, 1, 2), (3, 5, 4), (0, 3, 4, 1), (1, 4, 5, 2), (2, 5, 3, 0)],
    14: [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)],
}
SOLIDS = (10, 12, 13, 14)


def fail(message):
    sys.exit(f"render.py: {message}")


def parse(path):
    """Root of the XML, and the bytes that are appended to it."""
    with open(path, "rb") as file:
        text = file.read()
    begin, end = text.find(b'<AppendedData encoding="raw">'), text.rfind(b"</AppendedData>")
    if begin < 0 or end < begin:
        return ElementTree.fromstring(text), b""
    begin = text.index(b"_", begin) + 1
    return ElementTree.fromstring(text[:begin] + text[end:]), text[begin:end]


def read_array(element, header_type, appended):
    """The numbers of a DataArray, shape (n,) or (n, components)."""
    if element.get("format") == "appended":
        data = appended_numbers(element, header_type, appended)
        components = int(element.get("NumberOfComponents", 1))
        return data.reshape(-1, components) if components > 1 else data
    text = "".join((element.text or "").split()) if element.get("format") == "binary" else element.text
    dtype = np.dtype(TYPES[element.get("type")])
    if not text:
        data = np.empty(0, dtype)
    elif element.get("format") == "binary":
        size = np.dtype(header_type).itemsize
        # header and data are encoded separately; the first number is the count of blocks
        first = base64.b64decode(text[:4 * ((size + 2) // 3)])[:size]
        n_blocks = int(np.frombuffer(first, header_type)[0])
        length = 4 * (((3 + n_blocks) * size + 2) // 3)
        sizes = np.frombuffer(base64.b64decode(text[:length]), header_type)[3:3 + n_blocks]
        packed = base64.b64decode(text[length:])
        ends = np.cumsum(sizes, dtype=int)
        blocks = [zlib.decompress(packed[end - int(s):end]) for s, end in zip(sizes, ends)]
        data = np.frombuffer(b"".join(blocks), dtype)
    else:
        data = np.array(text.split(), dtype=dtype)
    components = int(element.get("NumberOfComponents", 1))
    return data.reshape(-1, components) if components > 1 else data


def appended_numbers(element, header_type, appended):
    """Numbers behind their length in bytes."""
    begin = int(element.get("offset"))
    size = np.dtype(header_type).itemsize
    length = int(np.frombuffer(appended[begin:begin + size], header_type)[0])
    data = appended[begin + size:begin + size + length]
    if len(data) < length:
        raise ValueError("the appended data end too early")
    return np.frombuffer(data, np.dtype(TYPES[element.get("type")]))


def check_piece(piece):
    """Raise ValueError if cells or fields do not fit the points."""
    points, cells = piece["points"], piece["cells"]
    connectivity, offsets = cells["connectivity"], cells["offsets"]
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError("points have not three coordinates")
    if len(offsets) == 0:
        raise ValueError("there are no cells, but the file says that there are")
    if len(offsets) != len(cells["types"]):
        raise ValueError("the numbers of cells and of cell types differ")
    if not all(np.issubdtype(a.dtype, np.integer) for a in (connectivity, offsets)):
        raise ValueError("points of cells are not counted by integers")
    counts = np.diff(offsets.astype(int), prepend=0)
    if np.any(counts < 1) or offsets[-1] != len(connectivity):
        raise ValueError("the cells have not as many points as they say")
    for kind, faces in FACES.items():
        if np.any(counts[cells["types"] == kind] != 1 + max(map(max, faces))):
            raise ValueError(f"a cell has not as many points as its VTK type {kind} needs")
    if connectivity.min() < 0 or connectivity.max() >= len(points):
        raise ValueError("a cell has a point that does not exist")
    for name, values in piece["fields"].items():
        if len(values) != len(points):
            raise ValueError(f"field '{name}' has not a value for every point")
    for name, values in piece["cell_fields"].items():
        if len(values) != len(offsets):
            raise ValueError(f"field '{name}' has not a value for every cell")


def read_pieces(path):
    root, appended = parse(path)
    header_type = TYPES[root.get("header_type", "UInt32")]
    folder = os.path.dirname(path)
    if root.get("type") == "Collection":
        entries = list(root.iter("DataSet"))
        if not entries:
            fail(f"'{path}' is empty.")
        # solids and shells are parts of their own
        return [piece for entry in entries if entry.get("timestep") == entries[-1].get("timestep")
                for piece in read_vtu(os.path.join(folder, entry.get("file")))]
    if root.get("type") == "PUnstructuredGrid":
        return [piece for source in root.iter("Piece")
                for piece in read_vtu(os.path.join(folder, source.get("Source")))]
    if root.get("type") != "UnstructuredGrid":
        raise ValueError("it is no VTK file of an unstructured grid")
    pieces = []
    for piece in root.iter("Piece"):
        if int(piece.get("NumberOfCells")) == 0:
            continue
        arrays = {section: {a.get("Name"): read_array(a, header_type, appended)
                            for a in piece.iterfind(section + "/*")}
                  for section in ("Cells", "PointData", "CellData")}
        points = read_array(piece.find("Points/DataArray"), header_type, appended).astype(float)
        pieces.append({"points": points, "cells": arrays["Cells"], "fields": arrays["PointData"],
                       "cell_fields": arrays["CellData"]})
        check_piece(pieces[-1])
    return pieces


def read_vtu(path):
    """Pieces of a file: dictionaries of points, cells and fields."""
    try:
        return read_pieces(path)
    except (OSError, ElementTree.ParseError) as error:
        return fail(f"Cannot read '{path}': {error}.")
    except (AttributeError, LookupError, TypeError, ValueError, zlib.error) as error:
        # whatever is missing or does not fit where it is looked for
        return fail(f"'{path}' is damaged, or not as kickdrift and deal.II write it: "
                    f"{type(error).__name__}: {error}.")
    except RecursionError:
        return fail(f"'{path}' refers to files that refer to it again.")


def field_values(piece, name, path):
    """Values of a field, and whether they are those of points."""
    base, _, axis = name.rpartition("_")
    for fields in (piece["fields"], piece["cell_fields"]):
        if name in fields:
            values = fields[name]
            values = np.linalg.norm(values, axis=1) if values.ndim > 1 else values
            return values, fields is piece["fields"]
        if base in fields and fields[base].ndim > 1 and axis in ("x", "y", "z"):
            return fields[base][:, "xyz".index(axis)], fields is piece["fields"]
    known = sorted([*piece["fields"], *piece["cell_fields"]])
    return fail(f"'{path}' has no field '{name}'; it has {', '.join(known)}.")


def undeformed(piece):
    """Points where they would be without the field displacement."""
    return piece["points"] - piece["fields"].get("displacement", 0)


def outer_faces(piece):
    """Rings of points, each with its cell: faces that belong to one solid cell only, and all cells
    that are no solids. Cells that have been deleted are left out."""
    points, cells = undeformed(piece), piece["cells"]
    # cells may have points of their own: the same place is the same corner
    size = max(np.ptp(points, axis=0).max(), 1e-300)
    _, corner = np.unique(np.round(points / (1e-6 * size)), axis=0, return_inverse=True)
    corner = corner.ravel()
    # but not if it is another body's
    body = piece["cell_fields"].get("body", np.zeros(len(cells["types"])))
    deleted = piece["cell_fields"].get("deleted", np.zeros(len(cells["types"])))
    rings, begin = {}, 0
    for number, (end, kind) in enumerate(zip(cells["offsets"], cells["types"])):
        nodes = cells["connectivity"][begin:end]
        begin = end
        if kind not in FACES:
            fail(f"Cells of VTK type {kind} are not supported.")
        if deleted[number]:
            continue
        for face in FACES[kind]:
            ring = nodes[list(face)]
            key = (body[number], *sorted(corner[ring])) if kind in SOLIDS else number
            rings[key] = None if key in rings else (ring, number)  # seen twice: between two cells
    return [ring for ring in rings.values() if ring is not None]


def view(points, azimuth, elevation):
    """Coordinates right, up and towards the viewer of an orthographic camera (z is up)."""
    a, e = np.radians((azimuth, elevation))
    right = np.array([-np.sin(a), np.cos(a), 0])
    towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    return points @ np.array([right, np.cross(towards, right), towards]).T


def collect(arguments):
    """Rings in camera coordinates, and a value for each."""
    rings, values = [], []
    pieces = [(path, piece) for path in arguments.files for piece in read_vtu(path)]
    if not pieces:
        fail("There are no cells in these files.")
    for path, piece in pieces:
        faces = outer_faces(piece)
        points = undeformed(piece) + arguments.warp * piece["fields"].get("displacement", 0)
        if arguments.field:
            value, of_points = field_values(piece, arguments.field, path)
        else:
            of_points = "body" in piece["fields"]
            bodies = piece["fields" if of_points else "cell_fields"].get("body")
            value = np.zeros(len(piece["cells"]["types"])) if bodies is None else bodies
        rings += [points[ring] for ring, _ in faces]
        values += [value[ring].mean() if of_points else value[cell] for ring, cell in faces]
    if not rings:
        fail("There are no faces in these files.")
    flat = all(np.all(ring[:, 2] == 0) for ring in rings)
    if not flat:
        rings = [view(ring, arguments.azimuth, arguments.elevation) for ring in rings]
    return rings, np.array(values), flat


def shades(rings, flat):
    """Brightness of each face under a lamp beside the viewer."""
    lamp = np.array([-0.3, 0.45, 0.84])
    result = np.ones(len(rings))
    for i, ring in enumerate(rings):
        if not flat and len(ring) > 2:
            normal = np.cross(ring[len(ring) // 2] - ring[0], ring[-1] - ring[1])
            length = np.linalg.norm(normal)
            normal = normal * (np.sign(normal[2]) or 1) / length if length > 0 else lamp
            result[i] = 0.65 + 0.35 * max(0, normal @ lamp)
    return result


def draw(arguments):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import PolyCollection

    rings, values, flat = collect(arguments)
    finite = values[np.isfinite(values)]
    limits = arguments.limits or ((finite.min(), finite.max()) if len(finite) else (0, 1))
    norm = plt.Normalize(*limits)
    if arguments.field:
        colours = plt.get_cmap(arguments.colormap)(norm(values))
    else:
        colours = plt.get_cmap("tab10")(values.astype(int) % 10)
    colours[:, :3] *= shades(rings, flat)[:, None]
    order = np.argsort([ring[:, 2].mean() for ring in rings], kind="stable")  # far ones first
    is_line = len(rings[0]) == 2
    line_width = 2.5 if is_line else arguments.edges
    edges = colours.copy()
    if not is_line and arguments.edges > 0:
        edges[:, :3] *= 0.6
    figure, axes = plt.subplots(figsize=arguments.size, layout="constrained")
    axes.add_collection(PolyCollection([rings[i][:, :2] for i in order], facecolors=colours[order],
                                       edgecolors=edges[order], linewidths=max(line_width, 0.2),
                                       closed=not is_line))
    left, right, lower, upper = arguments.window or extents(rings)
    margin = 0.02 * max(right - left, upper - lower, 1e-300)
    axes.set_xlim(left - margin, right + margin)
    axes.set_ylim(lower - margin, upper + margin)
    axes.set_aspect("equal")
    axes.set_axis_off()
    if arguments.field:
        scale = plt.cm.ScalarMappable(norm, arguments.colormap)
        figure.colorbar(scale, ax=axes, shrink=0.7, pad=0.02, label=arguments.field.replace("_", " "))
    if arguments.title:
        axes.set_title(arguments.title)
    figure.savefig(arguments.output, dpi=arguments.dpi)
    plt.close(figure)


def extents(rings):
    """Left, right, lower and upper end of what is seen."""
    corners = np.vstack(rings)[:, :2]
    return (*(end(corners[:, 0]) for end in (np.min, np.max)),
            *(end(corners[:, 1]) for end in (np.min, np.max)))


def add_options(parser):
    """What a picture is to look like."""
    parser.add_argument("--field", help="colour by this field (default: one colour per body)")
    parser.add_argument("--warp", type=float, default=1, help="factor on displacements (1)")
    parser.add_argument("--azimuth", type=float, default=-60, help="of the viewer, degrees (-60)")
    parser.add_argument("--elevation", type=float, default=25, help="of the viewer, degrees (25)")
    parser.add_argument("--limits", type=float, nargs=2, help="of the colours")
    parser.add_argument("--colormap", default="viridis", help="matplotlib's name (viridis)")
    parser.add_argument("--edges", type=float, default=0.4, help="width of cell edges, 0 = none")
    parser.add_argument("--size", type=float, nargs=2, default=(8, 6), help="inches (8 6)")
    parser.add_argument("--dpi", type=float, default=150)
    parser.add_argument("--title")
    parser.add_argument("--window", type=float, nargs=4, metavar=("LEFT", "RIGHT", "LOWER", "UPPER"),
                        help="coordinates, as the viewer sees them, between which to draw (all)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help=".vtu, .pvtu, or .pvd (last time)")
    parser.add_argument("--output", metavar="FILE.png", help="default: first file with .png")
    add_options(parser)
    arguments = parser.parse_args()
    arguments.output = arguments.output or os.path.splitext(arguments.files[0])[0] + ".png"
    try:
        draw(arguments)
    except (OSError, ValueError) as error:
        fail(f"Cannot draw '{arguments.output}': {error}.")
    print(arguments.output)


if __name__ == "__main__":
    main()
