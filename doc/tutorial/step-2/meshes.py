#!/usr/bin/env python3
"""Writes wheel.msh and ring.msh, as Gmsh would: quadrilaterals with physical groups that have names."""

import math


class Mesh:
    def __init__(self, names):
        self.names = names  # (dimension, tag): name
        self.nodes, self.numbers, self.elements = [], {}, []

    def node(self, x, y):
        """Number of the node at a place, which neighbours share."""
        key = (round(x, 9), round(y, 9))
        if key not in self.numbers:
            self.nodes.append((x, y))
            self.numbers[key] = len(self.nodes)
        return self.numbers[key]

    def patch(self, n, m, place, group):
        """n x m quadrilaterals; place(s, t) with s, t from 0 to 1, right-handed."""
        for i in range(n):
            for j in range(m):
                corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
                ring = [self.node(*place(a / n, b / m)) for a, b in corners]
                self.elements.append((3, group((i + 0.5) / n), ring))

    def line(self, n, place, tag):
        for i in range(n):
            self.elements.append((1, tag, [self.node(*place(k / n)) for k in (i, i + 1)]))

    def write(self, file_name):
        with open(file_name, "w", encoding="ascii") as file:
            print("$MeshFormat\n2.2 0 8\n$EndMeshFormat", file=file)
            print("$PhysicalNames", len(self.names), sep="\n", file=file)
            for (dimension, tag), name in sorted(self.names.items()):
                print(dimension, tag, f'"{name}"', file=file)
            print("$EndPhysicalNames", file=file)
            print("$Nodes", len(self.nodes), sep="\n", file=file)
            for number, (x, y) in enumerate(self.nodes, 1):
                print(number, f"{x:.10g} {y:.10g} 0", file=file)
            print("$EndNodes", file=file)
            print("$Elements", len(self.elements), sep="\n", file=file)
            for number, (kind, tag, ring) in enumerate(self.elements, 1):
                print(number, kind, 2, tag, tag, *ring, file=file)
            print("$EndElements", file=file)


def circle(radius, turn):
    return radius * math.cos(2 * math.pi * turn), radius * math.sin(2 * math.pi * turn)


def wheel(radius, n, m):
    """A square in the middle with four sectors around it; the outer part is the tyre."""
    mesh = Mesh({(2, 1): "core", (2, 2): "tyre", (1, 3): "tread"})
    half = 0.5 * radius / math.sqrt(2)
    mesh.patch(n, n, lambda s, t: (half * (2 * s - 1), half * (2 * t - 1)), lambda s: 1)
    for side in range(4):
        def place(s, t, side=side):
            outer = circle(radius, (side + t) / 4 - 1 / 8)
            x, y = half, half * (2 * t - 1)
            for _ in range(side):
                x, y = -y, x
            return tuple((1 - s) * a + s * b for a, b in zip((x, y), outer))
        mesh.patch(m, n, place, lambda s: 2 if s > 0.5 else 1)
        mesh.line(n, lambda t: place(1, t), 3)
    return mesh


def ring(inner, outer, n, m):
    mesh = Mesh({(2, 1): "ring", (1, 2): "inside", (1, 3): "outside"})
    mesh.patch(m, n, lambda s, t: circle(inner + s * (outer - inner), t), lambda s: 1)
    mesh.line(n, lambda t: circle(inner, t), 2)
    mesh.line(n, lambda t: circle(outer, t), 3)
    return mesh


if __name__ == "__main__":
    wheel(0.25, 6, 6).write("wheel.msh")
    ring(0.45, 0.5, 80, 2).write("ring.msh")
