#ifndef KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_NODAL_H
#define KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_NODAL_H

// Small bodies with nodal integration.

#include "cells.h"

#include <kickdrift/potentials/cells/nodal_kicks.h>
#include <kickdrift/stepping/steps/critical_steps.h>

#include <gtest/gtest.h>

namespace PotentialsTest
{
/// A random mesh with nodal integration.
template <int dim>
struct NodalBody : public Body<dim>
{
  NodalBody(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material)
      : Body<dim>(mesh, material), whole(material), kicks(make_nodal_integration(this->data, whole))
  {
  }

  std::vector<const StrainKicks<dim> *>
  all_families() const
  {
    std::vector<const StrainKicks<dim> *> all = {kicks.nodal.get()};
    for (const auto &family : kicks.stabilisation)
      all.push_back(family.get());
    return all;
  }

  /// All families, the nodal one first.
  std::vector<std::shared_ptr<const Kicks<dim>>>
  shared_families() const
  {
    std::vector<std::shared_ptr<const Kicks<dim>>> all = {kicks.nodal};
    all.insert(all.end(), kicks.stabilisation.begin(), kicks.stabilisation.end());
    return all;
  }

  double
  energy() const
  {
    EnergyBalance balance;
    for (const auto *family : all_families())
      family->add_energy(this->nodes, balance);
    return balance.strain;
  }

  /// Sum of all forces on each node, shape (n_nodes).
  std::vector<Tensor<1, dim>>
  forces() const
  {
    return forces(all_families());
  }

  template <typename Families>
  std::vector<Tensor<1, dim>>
  forces(const Families &families) const
  {
    std::vector<Tensor<1, dim>> sum(this->nodes.size()), force;
    for (const auto &family : families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        const auto support = family->support(k);
        family->force(this->nodes, k, 0., force);
        for (unsigned int a = 0; a < support.size(); ++a)
          sum[support[a]] += force[a];
      }
    return sum;
  }

  const std::shared_ptr<const Material<dim>> whole;
  const NodalIntegration<dim> kicks;
};

/// Random meshes of all shapes, with all materials.
template <int dim>
void
for_all_bodies(const std::function<void(NodalBody<dim> &, std::mt19937 &)> &check)
{
  std::mt19937 random(5);
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) + " law " +
                   std::to_string(int(material->built_in_law())));
      NodalBody<dim> body(block<dim>(shape, 2, random), material);
      check(body, random);
    }
}

template <int dim>
void
displace_randomly(Body<dim> &body, std::mt19937 &random, const double size)
{
  Tensor<2, dim> H;
  for (unsigned int d = 0; d < dim; ++d)
    H[d] = random_vector<dim>(random, size);
  body.displace([&](const Point<dim> &x) { return H * x + random_vector<dim>(random, size); });
}

} // namespace PotentialsTest

#endif
