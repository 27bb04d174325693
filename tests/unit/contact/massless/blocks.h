#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_MASSLESS_BLOCKS_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_MASSLESS_BLOCKS_H

// Blocks of cells, one above the other or above a plane, whose surfaces are massless.

#include <kickdrift/contact/massless_contact.h>
#include <kickdrift/potentials/cells/nodal_kicks.h>

#include "unit/potentials/cells/cells.h"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace KickDriftTests
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

/// What cells a block is made of.
enum class CellKind
{
  boxes,
  distorted, ///< quadrilaterals or hexahedra, boundaries stay plane
  simplices,
  one_point,
  nodal
};

template <int dim>
struct Block
{
  Point<dim> lower, upper;
  std::array<unsigned int, dim> cells;
  CellKind kind = CellKind::boxes;
  std::shared_ptr<const Material<dim>> material;
};

/// Bodies with faces at the bottom (boundary id 0) and top (1), all along the last axis.
template <int dim>
struct Blocks
{
  using Vector = Tensor<1, dim>;
  static constexpr unsigned int up = dim - 1;

  explicit Blocks(const std::vector<Block<dim>> &blocks)
  {
    for (const Block<dim> &block : blocks)
      add(block);
  }

  /// Everything is massless at these faces: pairs of block and boundary.
  void
  start(const std::vector<std::pair<unsigned int, unsigned int>> &massless,
        ContactParameters parameters = {}, const std::vector<Obstacle<dim>> &obstacles = {},
        const StepperParameters &stepping = {})
  {
    parameters.response = Response::massless;
    for (const auto &[body, boundary] : massless)
      parameters.massless_surfaces.emplace_back(surface.body_names[body], std::to_string(boundary));
    stepper = std::make_unique<Stepper<dim>>(nodes, stepping);
    for (const auto &family : families)
      first_ids.push_back(stepper->add(family));
    plan = make_massless_contact(nodes, *stepper, surface, parameters, obstacles);
    stepper->start();
    plan.zones->start();
  }

  /// All zones.
  MasslessZones<dim> &
  zones() const
  {
    return *plan.zones;
  }

  /// The first zone.
  const MasslessZone<dim> &
  zone() const
  {
    return *plan.zones->zones()[0];
  }

  /// The clock of the first zone.
  unsigned int
  clock() const
  {
    return stepper->levels().clock_of_kick(zone().ids()[0]);
  }

  /// Move the massless nodes of a table to the equilibrium, and kick all nodes of the layer.
  void
  kick_zone(NodeTable<dim> &table, const double step) const
  {
    zones().kick(table, clock(), 0., step);
  }

  /// Energy of all cells and of the contacts.
  double
  strain_energy(const NodeTable<dim> &table) const
  {
    EnergyBalance balance;
    for (const auto &family : families)
      family->add_energy(table, balance);
    zones().add_energy(table, balance);
    return balance.strain + balance.hourglass;
  }

  NodeTable<dim> nodes;
  Surface<dim> surface;
  std::vector<std::shared_ptr<Kicks<dim>>> families;
  std::vector<unsigned int> first_ids;
  std::unique_ptr<Stepper<dim>> stepper;
  MasslessPlan<dim> plan;

private:
  /// Points of a grid over the block; those within it are moved if it is distorted.
  static PotentialsTest::Mesh<dim>
  mesh_of(const Block<dim> &block)
  {
    PotentialsTest::Mesh<dim> mesh;
    const bool simplices = block.kind == CellKind::simplices;
    mesh.nodes_per_cell = simplices ? dim + 1 : 1 << dim;
    std::mt19937 random(7);
    unsigned int n_points = 1, n_cells = 1;
    for (const unsigned int n : block.cells)
    {
      n_points *= n + 1;
      n_cells *= n;
    }
    for (unsigned int p = 0; p < n_points; ++p)
    {
      Point<dim> x;
      unsigned int rest = p;
      for (unsigned int d = 0; d < dim; ++d)
      {
        const unsigned int n = block.cells[d], i = rest % (n + 1);
        const double side = block.upper[d] - block.lower[d];
        const bool is_inside = i > 0 && i < n && block.kind != CellKind::boxes;
        x[d] = block.lower[d] +
               side / n * (i + (is_inside ? PotentialsTest::uniform(random, -0.15, 0.15) : 0));
        rest /= n + 1;
      }
      mesh.points.push_back(x);
    }
    for (unsigned int cell = 0; cell < n_cells; ++cell)
    {
      std::array<unsigned int, 1 << dim> corners;
      for (unsigned int c = 0; c < corners.size(); ++c)
      {
        unsigned int point = 0, stride = 1, rest = cell;
        for (unsigned int d = 0; d < dim; ++d)
        {
          point += stride * (rest % block.cells[d] + (c >> d & 1));
          rest /= block.cells[d];
          stride *= block.cells[d] + 1;
        }
        corners[c] = point;
      }
      if (simplices)
        for (const auto &simplex : PotentialsTest::simplices_of_cube<dim>())
          for (const unsigned int corner : simplex)
            mesh.nodes.push_back(corners[corner]);
      else
        mesh.nodes.insert(mesh.nodes.end(), corners.begin(), corners.end());
    }
    return mesh;
  }

  void
  add(const Block<dim> &block)
  {
    const auto mesh = mesh_of(block);
    auto data = PotentialsTest::cell_data(mesh, block.material->density());
    const unsigned int first = nodes.size(), body = surface.body_names.size();
    const auto own = PotentialsTest::node_table(mesh, data);
    for (unsigned int i = 0; i < own.size(); ++i)
      nodes.add(own.reference(i), own.mass(i));
    for (unsigned int &node : data.nodes)
      node += first;
    surface.body_names.push_back("block " + std::to_string(body));
    for (unsigned int cell = 0; cell < mesh.n_cells(); ++cell)
    {
      const unsigned int *cell_nodes = &data.nodes[cell * mesh.nodes_per_cell];
      add_face(cell_nodes, mesh.nodes_per_cell, block.lower[up], body, 0);
      add_face(cell_nodes, mesh.nodes_per_cell, block.upper[up], body, 1);
    }
    if (block.kind == CellKind::nodal)
    {
      const auto kicks = make_nodal_integration(data, block.material);
      families.push_back(kicks.nodal);
      families.insert(families.end(), kicks.stabilisation.begin(), kicks.stabilisation.end());
      return;
    }
    const auto kicks = block.kind == CellKind::one_point
                           ? make_one_point_kicks(data, block.material)
                           : make_cell_kicks(data, block.material);
    families.insert(families.end(), kicks.begin(), kicks.end());
  }

  /// The face of a cell at this height, if it has one.
  void
  add_face(const unsigned int *cell_nodes, const unsigned int n, const double height,
           const unsigned int body, const unsigned int boundary)
  {
    SurfaceFace<dim> face{{}, 0, body, boundary};
    for (unsigned int i = 0; i < n; ++i)
      if (std::abs(nodes.reference(cell_nodes[i])[up] - height) < 1e-12)
        face.nodes[face.n_nodes++] = cell_nodes[i];
    if (face.n_nodes < (n == dim + 1 ? dim : n / 2))
      return;
    const auto normal =
        unit_normal(face, [&](const unsigned int node) { return nodes.reference(node); });
    if ((normal[up] > 0) != (boundary == 1))
      std::swap(face.nodes[face.n_nodes == 4 ? 1 : 0], face.nodes[face.n_nodes == 4 ? 2 : 1]);
    surface.faces.push_back(face);
  }
};

/// Two blocks that overlap a little; the upper one is smaller, so that nothing hangs over.
template <int dim>
std::vector<Block<dim>>
two_blocks(const CellKind kind, const std::shared_ptr<const Material<dim>> &material)
{
  Block<dim> lower, upper;
  lower.kind = upper.kind = kind;
  lower.material = upper.material = material;
  for (unsigned int d = 0; d < dim; ++d)
  {
    lower.upper[d] = 1;
    lower.cells[d] = 3;
    upper.lower[d] = d == dim - 1 ? 0.995 : 0.13;
    upper.upper[d] = d == dim - 1 ? 1.8 : 0.87;
    upper.cells[d] = 2;
  }
  return {lower, upper};
}
} // namespace KickDriftTests

#endif
