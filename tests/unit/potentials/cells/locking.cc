// First bending frequency of a nearly incompressible cantilever: what locks and what does not.

#include "bar.h"

#include <kickdrift/potentials/cells/nodal_kicks.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
/// Converged frequency of the bar at Poisson's ratio 0.499, see SlowReference.
constexpr double reference = 0.01022;

/// A slender beam in its first mode: 1.875^2 sqrt(E I / (density A)) / L^2.
const double slender_beam = std::pow(1.87510407, 2) * std::sqrt(1. / 12) / 100;

std::shared_ptr<const Material<3>>
material(const double poissons_ratio)
{
  return std::make_shared<LinearElastic<3>>(1., 1., poissons_ratio);
}

double
standard_frequency(const bool simplices, const unsigned int n, const double poissons_ratio)
{
  const Body<3> body(bar(simplices, n), material(poissons_ratio));
  return lowest_frequency(body.nodes, n,
                          [&](const AddStiffness &add)
                          {
                            for (const auto &family : body.families)
                              add_kicks(*family, body.nodes, add);
                          });
}

double
nodal_frequency(const bool simplices, const unsigned int n, const double poissons_ratio)
{
  const auto law = material(poissons_ratio);
  const auto mesh = bar(simplices, n);
  const auto data = cell_data(mesh, law->density());
  const auto nodes = node_table(mesh, data);
  const auto kicks = make_nodal_integration<3>(data, law);
  return lowest_frequency(nodes, n,
                          [&](const AddStiffness &add)
                          {
                            add_kicks(*kicks.nodal, nodes, add);
                            for (const auto &family : kicks.stabilisation)
                              add_kicks(*family, nodes, add);
                          });
}

double
one_point_frequency(const unsigned int n, const double poissons_ratio)
{
  const auto law = material(poissons_ratio);
  const auto mesh = bar(false, n);
  const auto data = cell_data(mesh, law->density());
  const auto nodes = node_table(mesh, data);
  const auto families = make_one_point_kicks<3>(data, law);
  return lowest_frequency(nodes, n,
                          [&](const AddStiffness &add)
                          {
                            for (const auto &family : families)
                              add_kicks(*family, nodes, add);
                          });
}

/// Hexahedra with the mean of the volume strain in every cell (B-bar), which do not lock in volume.
double
mean_dilatation_frequency(const unsigned int n, const double poissons_ratio)
{
  const auto mesh = bar(false, n);
  const auto data = cell_data(mesh, 1.);
  const auto [lambda, mu] = Lame::from_young_and_poisson(1., poissons_ratio);
  const auto assemble = [&, lambda = lambda, mu = mu](const AddStiffness &add)
  {
    for (unsigned int c = 0; c < mesh.n_cells(); ++c)
    {
      std::vector<double> matrix(24 * 24);
      std::array<Tensor<1, 3>, 8> g, mean;
      double volume = 0;
      for (unsigned int q = 0; q < 8; ++q)
      {
        const double weight = data.weights[8 * c + q];
        volume += weight;
        for (unsigned int a = 0; a < 8; ++a)
        {
          g[a] =
              shape_gradient(8, a, quadrature_point<3>(8, q)) * data.inverse_jacobians[8 * c + q];
          mean[a] += weight * g[a];
        }
        for (unsigned int i = 0; i < 24; ++i)
          for (unsigned int j = 0; j < 24; ++j)
            matrix[24 * i + j] +=
                weight * mu *
                ((i % 3 == j % 3 ? g[i / 3] * g[j / 3] : 0.) + g[i / 3][j % 3] * g[j / 3][i % 3]);
      }
      for (unsigned int i = 0; i < 24; ++i)
        for (unsigned int j = 0; j < 24; ++j)
          matrix[24 * i + j] += lambda / volume * mean[i / 3][i % 3] * mean[j / 3][j % 3];
      add({&mesh.nodes[8 * c], &mesh.nodes[8 * c] + 8}, matrix);
    }
  };
  return lowest_frequency(node_table(mesh, data), n, assemble);
}
} // namespace

TEST(Locking, NodalIntegrationDoesNotLock)
{
  EXPECT_NEAR(nodal_frequency(false, 2, 0.499), reference, 0.05 * reference);
  EXPECT_NEAR(nodal_frequency(true, 2, 0.499), reference, 0.05 * reference);
}

TEST(Locking, StandardIntegrationDoes)
{
  EXPECT_GT(standard_frequency(false, 2, 0.499), 1.5 * reference);
  EXPECT_GT(standard_frequency(true, 2, 0.499), 5 * reference);
}

TEST(Locking, CompressibleMaterials)
{
  for (const double poissons_ratio : {0., 0.3})
    for (const bool simplices : {false, true})
      EXPECT_NEAR(nodal_frequency(simplices, 2, poissons_ratio), slender_beam, 0.05 * slender_beam);
}

/// Meshes with 8 cells across agree with an element of another kind and with theory.
TEST(Locking, SlowReference)
{
  EXPECT_NEAR(nodal_frequency(false, 8, 0.499), reference, 0.01 * reference);
  EXPECT_NEAR(nodal_frequency(true, 8, 0.499), reference, 0.01 * reference);
  EXPECT_NEAR(mean_dilatation_frequency(8, 0.499), reference, 0.01 * reference);
  EXPECT_NEAR(slender_beam, reference, 0.015 * reference);
}

/// With one hexahedron across, too, where nodal integration is too stiff: deflections are as the
/// squares of frequencies.
TEST(Locking, OnePointIntegrationDoesNotLock)
{
  for (const double poissons_ratio : {0.3, 0.499, 0.4999})
    EXPECT_NEAR(one_point_frequency(1, poissons_ratio), slender_beam, 0.05 * slender_beam);
  EXPECT_GT(nodal_frequency(false, 1, 0.499), 1.3 * slender_beam);
}
