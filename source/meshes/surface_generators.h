#ifndef KICKDRIFT_SOURCE_MESHES_SURFACE_GENERATORS_H
#define KICKDRIFT_SOURCE_MESHES_SURFACE_GENERATORS_H

#include <deal.II/grid/tria.h>

#include <array>

namespace KickDrift
{
/**
 * The surface of a box, closed, or a plate if the corners are equal in one coordinate. Plates have
 * rows that are shifted by half a triangle; their edges have the boundary ids 0 and 1 (lower and
 * upper in x), 2 and 3 (y), 4 and 5 (z).
 */
void make_box_surface(const dealii::Point<3> &lower, const dealii::Point<3> &upper,
                      const std::array<unsigned int, 3> &subdivisions,
                      dealii::Triangulation<2, 3> &triangulation);

/// An icosahedron with its corners on a sphere, and the sphere as manifold.
void make_sphere(const dealii::Point<3> &centre, double radius,
                 dealii::Triangulation<2, 3> &triangulation);

/// The hull of a cylinder along x, nearly equilateral triangles with six of them around, and the
/// cylinder as manifold. The lower end in x has boundary id 1, the upper one 2.
void make_tube(const dealii::Point<3> &centre, double radius, double length,
               dealii::Triangulation<2, 3> &triangulation);
} // namespace KickDrift

#endif
