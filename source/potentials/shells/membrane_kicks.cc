#include "shell_packs.h"

#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/shells/membrane_kicks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
using namespace dealii;

MembraneKicks::MembraneKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
                             const unsigned int first_node)
    : ShellKicks(std::move(mesh), section, first_node)
{
  for (const auto &corners : this->mesh().triangles())
    elements.emplace_back(from_to(corners[0], corners[1]), from_to(corners[0], corners[2]));

  auto packs = std::make_unique<ShellPacks>(CellKernels::ShellKernel::membrane, 3);
  const double nu = section.poisson_ratio;
  for (unsigned int k = 0; k < elements.size(); ++k)
  {
    const auto &axes = elements[k].axes();
    const auto g = elements[k].shape_gradients();
    const double stiffness = elements[k].area() * section.membrane_stiffness();
    packs->add({axes[0][0], axes[0][1], axes[0][2], axes[1][0], axes[1][1], axes[1][2], g[1][0],
                g[1][1], g[2][1], nu * stiffness, (1 - nu) * stiffness},
               support(k));
  }
  use_kernels(std::move(packs));
}

ArrayView<const unsigned int>
MembraneKicks::mesh_nodes(const unsigned int k) const
{
  return {mesh().triangles()[k].data(), 3};
}

void
MembraneKicks::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  stiffness.clear();
  for (const auto &g : elements[k].shape_gradients())
    stiffness.push_back(section().membrane_stiffness() * elements[k].area() *
                        (g[0] * g[0] + g[1] * g[1]));
}

/**
 * The stiffness is A B^T C B, with B the operator from displacements in the plane to the strains
 * (E_11, E_22, 2 E_12). Its eigenvalues with masses m are those of A C (B m^-1 B^T), a product of
 * 3x3 matrices. C has a Cholesky factor that can be written down.
 */
double
MembraneKicks::critical_step(const unsigned int k, const std::vector<double> &masses) const
{
  const auto g = elements[k].shape_gradients();
  double s_11 = 0, s_22 = 0, s_12 = 0;
  for (unsigned int a = 0; a < 3; ++a)
    if (masses[a] > 0)
    {
      s_11 += g[a][0] * g[a][0] / masses[a];
      s_22 += g[a][1] * g[a][1] / masses[a];
      s_12 += g[a][0] * g[a][1] / masses[a];
    }
  const double B[3][3] = {{s_11, 0, s_12}, {0, s_22, s_12}, {s_12, s_12, s_11 + s_22}};
  const double nu = section().poisson_ratio;
  const double L[3][3] = {
      {1, 0, 0}, {nu, std::sqrt(1 - nu * nu), 0}, {0, 0, std::sqrt(0.5 * (1 - nu))}};
  std::vector<double> matrix(9, 0.);
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      for (unsigned int p = 0; p < 3; ++p)
        for (unsigned int q = 0; q < 3; ++q)
          matrix[3 * i + j] += L[p][i] * B[p][q] * L[q][j];
  const double square_of_frequency =
      section().membrane_stiffness() * elements[k].area() * largest_eigenvalue(matrix, 3);
  return (1 - round_off_margin) * 2 / std::sqrt(square_of_frequency);
}

double
MembraneKicks::deformation(const NodeTable<3> &nodes, const unsigned int k) const
{
  return std::sqrt(2 * energy(nodes, k) / (section().membrane_stiffness() * elements[k].area()));
}

void
MembraneKicks::forces(const unsigned int k, const Vector *const u, Vector *const result) const
{
  const auto state = elements[k].state(u[1] - u[0], u[2] - u[0]);
  const auto on_corners = elements[k].forces(
      state, plane_stress(section().membrane_stiffness(), section().poisson_ratio, state.strain));
  std::copy(on_corners.begin(), on_corners.end(), result);
}

double
MembraneKicks::energy_of(const unsigned int k, const Vector *const u) const
{
  const auto strain = elements[k].state(u[1] - u[0], u[2] - u[0]).strain;
  return 0.5 * elements[k].area() *
         contract(strain,
                  plane_stress(section().membrane_stiffness(), section().poisson_ratio, strain));
}

void
MembraneKicks::add_resultants(const NodeTable<3> &nodes, const unsigned int triangle,
                              ShellResultants &resultants) const
{
  const auto u = displacements(nodes, triangle);
  const auto state = elements[triangle].state(u[1] - u[0], u[2] - u[0]);
  const double nu = section().poisson_ratio;
  const auto stress = plane_stress(section().membrane_stiffness(), nu, state.strain);
  const auto &F = state.gradient;
  const double stretch = cross_product_3d(F[0], F[1]).norm();
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      resultants.force[i][j] += (stress[0] * F[0][i] * F[0][j] + stress[1] * F[1][i] * F[1][j] +
                                 stress[2] * (F[0][i] * F[1][j] + F[1][i] * F[0][j])) /
                                stretch;
  const double across = -nu / (1 - nu) * (state.strain[0] + state.strain[1]);
  resultants.thickness = section().thickness * std::sqrt(std::max(0., 1 + 2 * across));
}
} // namespace KickDrift
