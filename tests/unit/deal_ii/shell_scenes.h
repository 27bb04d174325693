// Plates and cubes for tests of shells in contact.

#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_SHELL_SCENES_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_SHELL_SCENES_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/deal_ii/dynamics.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/grid/tria_description.h>

#include <memory>
#include <string>
#include <vector>

namespace ShellScenes
{
using namespace KickDrift;
using namespace dealii;

inline const ShellSection section{1., 0.3, 2., 0.05};
constexpr unsigned int n_nodes_of_plate = 16; // of 3 x 3 squares

/// For angular momentum to round-off: filtered boundaries keep it to the tolerance of their sweeps.
inline StepperParameters
plain_boundaries()
{
  StepperParameters parameters;
  parameters.class_boundary = ClassBoundary::plain;
  return parameters;
}

/// A square of triangles with two vectors along its sides, each triangle gone round backwards if
/// @p flip.
struct Plate
{
  Plate(const Point<3> &corner, const Tensor<1, 3> &a, const Tensor<1, 3> &b,
        const bool flip = false, const unsigned int n = 3)
      : dofs(mesh)
  {
    std::vector<Point<3>> points;
    for (unsigned int j = 0; j <= n; ++j)
      for (unsigned int i = 0; i <= n; ++i)
        points.push_back(corner + (double(i) / n) * a + (double(j) / n) * b);
    std::vector<dealii::CellData<2>> cells;
    const auto add = [&](const unsigned int x, const unsigned int y, const unsigned int z)
    {
      cells.emplace_back(3);
      cells.back().vertices = {x, flip ? z : y, flip ? y : z};
    };
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int i = 0; i < n; ++i)
      {
        const unsigned int first = j * (n + 1) + i;
        add(first, first + 1, first + n + 2);
        add(first, first + n + 2, first + n + 1);
      }
    mesh.create_triangulation(points, cells, SubCellData());
    dofs.distribute_dofs(element);
  }

  std::unique_ptr<Shell>
  shell(const std::string &name, const ShellSection &own = section) const
  {
    return std::make_unique<Shell>(dofs, mapping, name, own);
  }

  Triangulation<2, 3> mesh;
  FESystem<2, 3> element{FE_SimplexP<2, 3>(1), 3};
  MappingFE<2, 3> mapping{FE_SimplexP<2, 3>(1)};
  DoFHandler<2, 3> dofs;
};

inline Tensor<1, 3>
vector(const double x, const double y, const double z)
{
  return Point<3>(x, y, z);
}

/// A plate in the plane z = @p height.
inline Plate
level(const double height, const bool flip = false, const double size = 1)
{
  return {Point<3>(0.11, 0.07, height), vector(size, 0, 0), vector(0, size, 0), flip};
}

struct Cube
{
  Cube(const Point<3> &lower, const double size) : dofs(mesh)
  {
    GridGenerator::hyper_rectangle(mesh, lower, lower + vector(size, size, size));
    dofs.distribute_dofs(element);
  }

  Triangulation<3> mesh;
  FESystem<3> element{FE_Q<3>(1), 3};
  MappingQ1<3> mapping;
  DoFHandler<3> dofs;
};

inline std::vector<Obstacle<3>>
ground()
{
  return {{"ground", std::make_shared<HalfSpace<3>>(Point<3>(), vector(0, 0, 1)), {}}};
}

inline void
throw_body(Dynamics<3> &dynamics, const Shell &shell, const Tensor<1, 3> &velocity)
{
  for (unsigned int n = 0; n < shell.n_nodes(); ++n)
    dynamics.nodes().set_velocity(shell.first_node() + n, velocity);
}

inline Tensor<1, 3>
momentum_of(const NodeTable<3> &nodes)
{
  Tensor<1, 3> sum;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    sum += nodes.mass(n) * nodes.velocity(n);
  return sum;
}

inline Tensor<1, 3>
spin_of(const NodeTable<3> &nodes)
{
  Tensor<1, 3> sum;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    sum += nodes.mass(n) * cross_product_3d(nodes.position(n), nodes.velocity(n));
  return sum;
}
} // namespace ShellScenes

#endif
