#include "shell_packs.h"

#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/shells/bending_kicks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
// Bending gives a node of equilateral triangles so many times more weight than its largest
// stiffness is of C: there are more kicks than triangles around the node, with more nodes.
constexpr double weight_of_bending = 5;

/// Corners of a hinge that are nodes.
unsigned int
n_nodes_of(const std::array<unsigned int, 4> &corners)
{
  return corners[3] == ShellMesh::none ? 3 : 4;
}
} // namespace

BendingKicks::BendingKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
                           const Bending bending, const unsigned int first_node)
    : ShellKicks(std::move(mesh), section, first_node)
{
  Assert(bending == Bending::triangle || bending == Bending::hinge, ExcInternalError());
  if (bending == Bending::triangle)
    add_triangles();
  else
    add_hinges();
  add_to_packs(bending);
}

/// The kernels' hinges are at the edges 0, 1, 2 of the triangle. In place of one at a free edge is
/// one without stiffness whose triangles lie upon each other. Mirror images are not for kernels:
/// there are few.
void
BendingKicks::add_to_packs(const Bending bending)
{
  using CellKernels::ShellKernel;
  const unsigned int n_hinges = bending == Bending::triangle ? max_hinges : 1;
  auto packs = std::make_unique<ShellPacks>(
      n_hinges == 1 ? ShellKernel::hinge : ShellKernel::three_hinges, 3 + n_hinges);
  std::vector<unsigned int> alone;
  for (unsigned int k = 0; k < stencils.size(); ++k)
  {
    const Stencil &stencil = stencils[k];
    if (std::any_of(stencil.corners.begin(), stencil.corners.begin() + stencil.n_hinges,
                    [](const auto &corners) { return corners[3] == ShellMesh::none; }))
    {
      alone.push_back(k);
      continue;
    }
    std::array<unsigned int, max_hinges> hinge_at;
    hinge_at.fill(max_hinges);
    const unsigned int first = n_hinges == 1 ? stencil.corners[0][0] : 0;
    for (unsigned int h = 0; h < stencil.n_hinges; ++h)
      hinge_at[(stencil.corners[h][0] + 3 - first) % 3] = h;
    std::vector<unsigned int> nodes;
    for (unsigned int i = 0; i < 3; ++i)
      nodes.push_back(stencil.nodes[(first + i) % 3]);
    for (unsigned int i = 0; i < n_hinges; ++i)
      nodes.push_back(hinge_at[i] < max_hinges ? stencil.nodes[stencil.corners[hinge_at[i]][3]]
                                               : nodes[(i + 2) % 3]);
    std::vector<double> numbers;
    for (unsigned int a = 1; a < nodes.size(); ++a)
      for (unsigned int d = 0; d < 3; ++d)
        numbers.push_back(from_to(nodes[0], nodes[a])[d]);
    for (unsigned int i = 0; i < n_hinges; ++i)
    {
      const double angle = hinge_at[i] < max_hinges ? stencil.rest_angles[hinge_at[i]] : 0.;
      numbers.push_back(std::cos(angle));
      numbers.push_back(std::sin(angle));
    }
    for (unsigned int i = 0; i < n_hinges; ++i)
      for (unsigned int j = i; j < n_hinges; ++j)
        numbers.push_back(hinge_at[i] < max_hinges && hinge_at[j] < max_hinges
                              ? stencil.stiffness[hinge_at[i]][hinge_at[j]]
                              : 0.);
    packs->add(numbers, table_nodes(nodes));
  }
  use_kernels(std::move(packs), std::move(alone));
}

BendingKicks::Stencil
BendingKicks::stencil_of(const unsigned int triangle) const
{
  const auto &corners = mesh().triangles()[triangle];
  Stencil stencil{};
  stencil.triangle = triangle;
  stencil.n_nodes = 3;
  std::copy(corners.begin(), corners.end(), stencil.nodes.begin());
  return stencil;
}

void
BendingKicks::add_hinge(const unsigned int triangle, const unsigned int i, Stencil &stencil) const
{
  const unsigned int h = stencil.n_hinges++;
  stencil.corners[h] = {{i, (i + 1) % 3, (i + 2) % 3, ShellMesh::none}};
  if (!mesh().edge(triangle, i).is_free())
  {
    stencil.corners[h][3] = stencil.n_nodes;
    stencil.nodes[stencil.n_nodes++] = mesh().opposite(triangle, i);
  }
  const std::array<Vector, max_nodes> at_rest;
  stencil.rest_angles[h] = hinge_angle(corners(stencil, h, at_rest.data()));
}

void
BendingKicks::add_triangles()
{
  for (unsigned int t = 0; t < mesh().triangles().size(); ++t)
  {
    Stencil stencil = stencil_of(t);
    const auto Q = TriangleCurvature(mesh(), t).stiffness(section().bending_stiffness(),
                                                          section().poisson_ratio);
    std::array<unsigned int, max_hinges> edge_of_hinge{};
    for (unsigned int i = 0; i < 3; ++i)
      if (mesh().edge(t, i).carries_moment())
      {
        edge_of_hinge[stencil.n_hinges] = i;
        add_hinge(t, i, stencil);
      }
    for (unsigned int g = 0; g < stencil.n_hinges; ++g)
      for (unsigned int h = 0; h < stencil.n_hinges; ++h)
        stencil.stiffness[g][h] = Q[edge_of_hinge[g]][edge_of_hinge[h]];
    if (stencil.n_hinges > 0)
      stencils.push_back(stencil);
  }
}

void
BendingKicks::add_hinges()
{
  for (const auto &edge : mesh().edges())
  {
    if (!edge.carries_moment())
      continue;
    const unsigned int t = edge.triangles[0];
    const auto &corners = mesh().triangles()[t];
    const unsigned int i =
        std::find(corners.begin(), corners.end(), edge.nodes[0]) - corners.begin();
    Stencil stencil = stencil_of(t);
    add_hinge(t, i, stencil);
    const double square = from_to(edge.nodes[0], edge.nodes[1]).norm_square();
    // of a hinge with a mirror image half
    stencil.stiffness[0][0] =
        section().bending_stiffness() * square /
        (edge.is_free() ? 4 * mesh().area(t) : mesh().area(t) + mesh().area(edge.triangles[1]));
    stencils.push_back(stencil);
  }
}

ArrayView<const unsigned int>
BendingKicks::mesh_nodes(const unsigned int k) const
{
  return {stencils[k].nodes.data(), stencils[k].n_nodes};
}

BendingKicks::Vector
BendingKicks::mirror_normal(const Stencil &stencil, const unsigned int hinge) const
{
  const auto &kept = mesh().edges_with_normals();
  const unsigned int edge =
      &mesh().edge(stencil.triangle, stencil.corners[hinge][0]) - mesh().edges().data();
  return mesh().mirror_normals()[std::lower_bound(kept.begin(), kept.end(), edge) - kept.begin()];
}

HingeCorners
BendingKicks::by_nodes(const Stencil &stencil, const unsigned int hinge,
                       const HingeCorners &gradient) const
{
  if (stencil.corners[hinge][3] != ShellMesh::none)
    return gradient;
  const Vector normal = mirror_normal(stencil, hinge);
  const Vector across = (normal * gradient[3]) * normal;
  return {{gradient[0] + across, gradient[1] + across, gradient[2] + gradient[3] - 2 * across,
           Vector()}};
}

HingeCorners
BendingKicks::corners(const Stencil &stencil, const unsigned int hinge, const Vector *const u) const
{
  const auto &places = stencil.corners[hinge];
  HingeCorners x; // relative to the first one
  const unsigned int n = n_nodes_of(places);
  for (unsigned int a = 1; a < n; ++a)
    x[a] =
        from_to(stencil.nodes[places[0]], stencil.nodes[places[a]]) + (u[places[a]] - u[places[0]]);
  if (n == 3)
  {
    const Vector normal = mirror_normal(stencil, hinge);
    x[3] = x[2] + (normal * (x[1] - 2. * x[2])) * normal; // the plane is half-way between x_0, x_1
  }
  return x;
}

std::array<double, BendingKicks::max_hinges>
BendingKicks::angles(const Stencil &stencil, const Vector *const u) const
{
  std::array<double, max_hinges> result{};
  for (unsigned int h = 0; h < stencil.n_hinges; ++h)
    result[h] = angle_difference(hinge_angle(corners(stencil, h, u)), stencil.rest_angles[h]);
  return result;
}

void
BendingKicks::forces(const unsigned int k, const Vector *const u, Vector *const result) const
{
  const Stencil &stencil = stencils[k];
  std::array<HingeAngle, max_hinges> hinges;
  std::array<double, max_hinges> change{};
  for (unsigned int h = 0; h < stencil.n_hinges; ++h)
  {
    hinges[h] = hinge_angle_and_gradient(corners(stencil, h, u));
    change[h] = angle_difference(hinges[h].angle, stencil.rest_angles[h]);
  }
  std::fill(result, result + stencil.n_nodes, Vector());
  for (unsigned int g = 0; g < stencil.n_hinges; ++g)
  {
    double moment = 0;
    for (unsigned int h = 0; h < stencil.n_hinges; ++h)
      moment += stencil.stiffness[g][h] * change[h];
    const auto gradient = by_nodes(stencil, g, hinges[g].gradient);
    for (unsigned int a = 0; a < n_nodes_of(stencil.corners[g]); ++a)
      result[stencil.corners[g][a]] -= moment * gradient[a];
  }
}

double
BendingKicks::energy_of(const unsigned int k, const Vector *const u) const
{
  const Stencil &stencil = stencils[k];
  const auto change = angles(stencil, u);
  double sum = 0;
  for (unsigned int g = 0; g < stencil.n_hinges; ++g)
    for (unsigned int h = 0; h < stencil.n_hinges; ++h)
      sum += stencil.stiffness[g][h] * change[g] * change[h];
  return 0.5 * sum;
}

std::array<std::array<BendingKicks::Vector, BendingKicks::max_nodes>, BendingKicks::max_hinges>
BendingKicks::reference_gradients(const Stencil &stencil) const
{
  const std::array<Vector, max_nodes> at_rest;
  std::array<std::array<Vector, max_nodes>, max_hinges> result;
  for (unsigned int h = 0; h < stencil.n_hinges; ++h)
  {
    const auto gradient = by_nodes(
        stencil, h, hinge_angle_and_gradient(corners(stencil, h, at_rest.data())).gradient);
    for (unsigned int a = 0; a < n_nodes_of(stencil.corners[h]); ++a)
      result[h][stencil.corners[h][a]] = gradient[a];
  }
  return result;
}

void
BendingKicks::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  const Stencil &stencil = stencils[k];
  const auto gradients = reference_gradients(stencil);
  stiffness.assign(stencil.n_nodes, 0.);
  for (unsigned int a = 0; a < stencil.n_nodes; ++a)
    for (unsigned int g = 0; g < stencil.n_hinges; ++g)
      for (unsigned int h = 0; h < stencil.n_hinges; ++h)
        stiffness[a] += stencil.stiffness[g][h] * (gradients[g][a] * gradients[h][a]);
  double largest = 0;
  for (double &entry : stiffness)
    largest = std::max(largest, entry = std::max(0., entry));
  const double ratio = weight_of_bending * largest / section().membrane_stiffness();
  const double factor = std::max(1., std::pow(ratio, -2. / 3));
  for (double &entry : stiffness)
    entry *= factor;
}

/// The eigenvalues of B^T Q B with masses m are those of Q (B m^-1 B^T) = Q R, with B the
/// derivatives of the angles; R and Q are as small as there are hinges, and with Q = L L^T those of
/// L^T R L.
double
BendingKicks::critical_step(const unsigned int k, const std::vector<double> &masses) const
{
  const Stencil &stencil = stencils[k];
  const unsigned int n = stencil.n_hinges;
  const auto gradients = reference_gradients(stencil);
  TriangleCurvature::Matrix R{}, L{};
  for (unsigned int g = 0; g < n; ++g)
    for (unsigned int h = 0; h < n; ++h)
      for (unsigned int a = 0; a < stencil.n_nodes; ++a)
        if (masses[a] > 0)
          R[g][h] += gradients[g][a] * gradients[h][a] / masses[a];
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int j = 0; j <= i; ++j)
    {
      double rest = stencil.stiffness[i][j];
      for (unsigned int p = 0; p < j; ++p)
        rest -= L[i][p] * L[j][p];
      L[i][j] = i == j ? std::sqrt(std::max(0., rest)) : L[j][j] > 0 ? rest / L[j][j] : 0.;
    }
  std::vector<double> matrix(n * n, 0.);
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int p = 0; p < n; ++p)
        for (unsigned int q = 0; q < n; ++q)
          matrix[n * i + j] += L[p][i] * R[p][q] * L[q][j];
  return (1 - round_off_margin) * 2 / std::sqrt(largest_eigenvalue(matrix, n));
}

double
BendingKicks::deformation(const NodeTable<3> &nodes, const unsigned int k) const
{
  const Stencil &stencil = stencils[k];
  const auto u = displacements(nodes, k);
  double largest = 0;
  for (const double change : angles(stencil, u.data()))
    largest = std::max(largest, std::abs(change));
  for (unsigned int h = 0; h < stencil.n_hinges; ++h)
    for (const auto &[a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}})
    {
      const unsigned int from = stencil.corners[h][a], to = stencil.corners[h][b];
      if (to == ShellMesh::none)
        continue;
      const Vector edge = from_to(stencil.nodes[from], stencil.nodes[to]);
      largest = std::max(largest, std::abs((edge + (u[to] - u[from])).norm() / edge.norm() - 1));
    }
  return largest;
}

void
BendingKicks::add_resultants(const NodeTable<3> &nodes, const unsigned int t,
                             ShellResultants &resultants) const
{
  const auto &corners = mesh().triangles()[t];
  std::array<double, 3> change{};
  for (unsigned int i = 0; i < 3; ++i)
    if (mesh().edge(t, i).carries_moment())
    {
      Stencil stencil = stencil_of(t);
      add_hinge(t, i, stencil);
      std::vector<Vector> u;
      for (unsigned int n = 0; n < stencil.n_nodes; ++n)
        u.push_back(displacement(nodes, stencil.nodes[n]));
      change[i] = angles(stencil, u.data())[0];
    }
  const double nu = section().poisson_ratio;
  const auto curvature = TriangleCurvature(mesh(), t).curvature(change, nu);
  const auto moment = plane_stress(section().bending_stiffness(), nu, curvature);
  const MembraneTriangle element(from_to(corners[0], corners[1]), from_to(corners[0], corners[2]));
  const auto F = element
                     .state(displacement(nodes, corners[1]) - displacement(nodes, corners[0]),
                            displacement(nodes, corners[2]) - displacement(nodes, corners[0]))
                     .gradient;
  const double stretch = cross_product_3d(F[0], F[1]).norm();
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
    {
      const double f_11 = F[0][i] * F[0][j], f_22 = F[1][i] * F[1][j],
                   f_12 = F[0][i] * F[1][j] + F[1][i] * F[0][j];
      resultants.moment[i][j] += (moment[0] * f_11 + moment[1] * f_22 + moment[2] * f_12) / stretch;
      resultants.curvature[i][j] += curvature[0] * f_11 + curvature[1] * f_22 + curvature[2] * f_12;
    }
}
} // namespace KickDrift
