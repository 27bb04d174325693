"""The pictures that kickdrift writes, for tests."""

import re
import struct
import xml.etree.ElementTree as ElementTree


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


def names(path, section):
    """Of the arrays in a section of a VTU file."""
    xml = path.read_bytes().split(b"<AppendedData", 1)[0].decode()
    (found,) = re.findall(f"<{section}>(.*)</{section}>", xml, re.DOTALL)
    return sorted(re.findall(' Name="([^"]*)"', found))


def files(pvd):
    """By time, the .vtu files of a .pvd; where it names a .pvtu, the pieces of that."""
    result = {}
    for entry in ElementTree.parse(pvd).iter("DataSet"):
        path = pvd.parent / entry.get("file")
        of_time = result.setdefault(float(entry.get("timestep")), [])
        if path.suffix == ".pvtu":
            of_time += [path.parent / piece.get("Source")
                        for piece in ElementTree.parse(path).iter("Piece")]
        else:
            of_time.append(path)
    return result


def cells(paths):
    """What is said of each cell of some files, and of its points: sorted tuples."""
    result = []
    for path in paths:
        data = arrays(path)
        n_cells, n_points = len(data["types"]), len(data["Points"]) // 3
        begin = 0

        def value(name, i, n):
            size = len(data[name]) // n
            return data[name][size * i:size * (i + 1)]

        of_points = ["Points", *names(path, "PointData")]
        of_cells = ["types", *names(path, "CellData")]
        for cell, end in enumerate(data["offsets"]):
            corners = data["connectivity"][begin:end]
            begin = end
            result.append(tuple((name, value(name, point, n_points))
                                for name in of_points for point in corners)
                          + tuple((name, value(name, cell, n_cells)) for name in of_cells))
    return sorted(result)
