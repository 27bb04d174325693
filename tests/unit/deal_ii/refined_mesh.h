#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_REFINED_MESH_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_REFINED_MESH_H

// Meshes with hanging nodes, and what bodies on them do.

#include "test_body.h"

#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/stepping/stepper.h>

#include <random>

namespace KickDriftTests
{
using namespace KickDrift;

/// A box of 2 x 2 (x 2) cells, refined twice in cells drawn by lot, with three levels side by side.
template <int dim>
void
refine_by_lot(Triangulation<dim> &triangulation, const unsigned int seed)
{
  std::mt19937 random(seed);
  GridGenerator::subdivided_hyper_cube(triangulation, 2);
  for (unsigned int pass = 0; pass < 2; ++pass)
  {
    for (const auto &cell : triangulation.active_cell_iterators())
      if (random() % 3 == 0)
        cell->set_refine_flag();
    if (pass == 0)
      triangulation.begin_active()->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
  }
}

/// Not affine, so that cells are warped.
template <int dim>
Point<dim>
warp(const Point<dim> &p)
{
  Point<dim> q = p;
  q[0] += 0.2 * p[1] + 0.1 * std::sin(2 * p[1] * p[dim - 1]) + 5;
  q[1] += 0.15 * std::sin(3 * p[0]) - 2;
  q[dim - 1] += 0.1 * p[0] * p[1];
  return q;
}

/// DoFs, mapping and a body on a mesh that exists.
template <int dim>
struct RefinedBody
{
  RefinedBody(const Triangulation<dim> &triangulation,
              std::shared_ptr<const Material<dim>> material,
              const StrainIntegration integration = StrainIntegration::standard)
      : mapping(1), dof_handler(triangulation)
  {
    dof_handler.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
    body = std::make_unique<Body<dim>>(dof_handler, mapping, "refined", material, integration);
    body->add_nodes(nodes);
  }

  /// Displace the nodes by a function of their positions.
  template <typename Function>
  void
  displace(const Function &u)
  {
    for (unsigned int n = 0; n < nodes.size(); ++n)
      nodes.set_displacement(n, u(nodes.reference(n)));
  }

  /// Sum of the forces of all kicks on every node.
  std::vector<Tensor<1, dim>>
  forces()
  {
    std::vector<Tensor<1, dim>> sum(nodes.size()), force;
    for (const auto &family : body->kicks())
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        family->force(nodes, k, 0., force);
        const auto support = family->support(k);
        for (unsigned int i = 0; i < support.size(); ++i)
          sum[support[i]] += force[i];
      }
    return sum;
  }

  double
  energy()
  {
    EnergyBalance balance;
    for (const auto &family : body->kicks())
      family->add_energy(nodes, balance);
    return balance.strain + balance.hourglass;
  }

  MappingQ<dim> mapping;
  DoFHandler<dim> dof_handler;
  NodeTable<dim> nodes;
  std::unique_ptr<Body<dim>> body;
};

/// A mesh by lot with a body on it; warped unless it is plain.
template <int dim>
struct RefinedMesh
{
  RefinedMesh(const unsigned int seed, const bool plain)
  {
    refine_by_lot(triangulation, seed);
    if (!plain)
      GridTools::transform([](const Point<dim> &p) { return warp(p); }, triangulation);
    straighten_hanging_nodes(triangulation);
  }
  Triangulation<dim> triangulation;
};

template <int dim>
Tensor<1, dim>
random_vector(std::mt19937 &random, const double size)
{
  Tensor<1, dim> v;
  for (unsigned int d = 0; d < dim; ++d)
    v[d] = size * std::uniform_real_distribution<double>(-1, 1)(random);
  return v;
}

/// Momentum and angular momentum (2D: its one component in [0]).
template <int dim>
std::pair<Tensor<1, dim>, Tensor<1, 3>>
momenta(const NodeTable<dim> &nodes)
{
  Tensor<1, dim> linear;
  Tensor<1, 3> angular;
  for (unsigned int n = 0; n < nodes.size(); ++n)
  {
    linear += nodes.mass(n) * nodes.velocity(n);
    Tensor<1, 3> x, v;
    for (unsigned int d = 0; d < dim; ++d)
    {
      x[d] = nodes.position(n)[d];
      v[d] = nodes.velocity(n)[d];
    }
    angular += nodes.mass(n) * cross_product_3d(x, v);
  }
  return {linear, angular};
}
} // namespace KickDriftTests

#endif
