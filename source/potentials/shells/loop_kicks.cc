#include "shell_packs.h"

#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/shells/loop_kicks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Three = std::array<double, 3>;

Three
apply(const std::array<Three, 3> &matrix, const double factor, const Three &x)
{
  Three result{};
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      result[i] += factor * matrix[i][j] * x[j];
  return result;
}

/// Of strains (components 11, 22, twice 12).
double
product(const Three &a, const Three &b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// H of plane stress for strains (11, 22, twice 12) in coordinates with this metric.
std::array<Three, 3>
law_of(const Three &metric, const double nu)
{
  const double det = metric[0] * metric[1] - metric[2] * metric[2];
  const double g_11 = metric[1] / det, g_22 = metric[0] / det, g_12 = -metric[2] / det;
  std::array<Three, 3> H;
  H[0][0] = g_11 * g_11;
  H[1][1] = g_22 * g_22;
  H[0][1] = H[1][0] = nu * g_11 * g_22 + (1 - nu) * g_12 * g_12;
  H[0][2] = H[2][0] = g_11 * g_12;
  H[1][2] = H[2][1] = g_22 * g_12;
  H[2][2] = 0.5 * ((1 - nu) * g_11 * g_22 + (1 + nu) * g_12 * g_12);
  return H;
}

/// Cholesky factor of a positive definite matrix.
std::array<Three, 3>
factor_of(const std::array<Three, 3> &matrix)
{
  std::array<Three, 3> L{};
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j <= i; ++j)
    {
      double rest = matrix[i][j];
      for (unsigned int p = 0; p < j; ++p)
        rest -= L[i][p] * L[j][p];
      L[i][j] = i == j ? std::sqrt(std::max(0., rest)) : rest / L[j][j];
    }
  return L;
}
} // namespace

Three
LoopKicks::Geometry::metric() const
{
  return {{tangents[0] * tangents[0], tangents[1] * tangents[1], tangents[0] * tangents[1]}};
}

Three
LoopKicks::Geometry::curvature() const
{
  return {{second[0] * normal, second[1] * normal, second[2] * normal}};
}

LoopKicks::LoopKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
                     const unsigned int first_node)
    : ShellKicks(std::move(mesh), section, first_node)
{
  auto surface = loop_weights(this->mesh());
  weights = std::move(surface.rows);
  mirrors = std::move(surface.mirrors);
  for (unsigned int k = 0; k < weights.n_rows(); ++k)
  {
    for (const LoopWeight &weight : weights.row(k))
      if (weight.node < this->mesh().positions().size())
        nodes_of.push_back(weight.node);
    nodes_of.finish_row();
    const Geometry at_rest = geometry(k, std::vector<Vector>(weights.row(k).size()).data());
    const double area = 2 * at_rest.jacobian; // the middle child is a quarter of the triangle
    AssertThrow(area > 1e-8 * mesh_area_scale(k),
                ShellExceptions::ExcDegenerate(k, area, std::sqrt(mesh_area_scale(k))));
    points.push_back({area, at_rest.metric(), at_rest.curvature(),
                      law_of(at_rest.metric(), section.poisson_ratio)});
  }
  add_to_packs();
}

void
LoopKicks::add_to_packs()
{
  using namespace CellKernels;
  bool is_wide = false;
  std::vector<unsigned int> alone;
  // mirrors are not for kernels: there are few
  const auto is_alone = [&](const unsigned int k)
  {
    return weights.row(k).size() > wide_loop_nodes ||
           weights.row(k).size() > nodes_of.row(k).size();
  };
  for (unsigned int k = 0; k < weights.n_rows(); ++k)
    if (is_alone(k))
      alone.push_back(k);
    else
      is_wide = is_wide || weights.row(k).size() > loop_nodes;
  const unsigned int n_nodes = is_wide ? wide_loop_nodes : loop_nodes;
  auto packs =
      std::make_unique<ShellPacks>(is_wide ? ShellKernel::wide_loop : ShellKernel::loop, n_nodes);
  std::vector<double> numbers;
  const auto append = [&numbers](const auto &values)
  {
    for (unsigned int i = 0; i < 3; ++i)
      numbers.push_back(values[i]);
  };
  for (unsigned int k = 0; k < weights.n_rows(); ++k)
  {
    const auto row = weights.row(k);
    if (is_alone(k))
      continue;
    const Geometry at_rest = geometry(k, std::vector<Vector>(row.size()).data());
    numbers.clear();
    for (const Vector &tangent : at_rest.tangents)
      append(tangent);
    for (const Vector &second : at_rest.second)
      append(second);
    append(points[k].curvature);
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = i; j < 3; ++j)
        numbers.push_back(points[k].area * section().membrane_stiffness() * points[k].law[i][j]);
    numbers.push_back(section().bending_stiffness() / section().membrane_stiffness());
    for (unsigned int i = 1; i < row.size(); ++i)
    {
      numbers.insert(numbers.end(), row[i].first.begin(), row[i].first.end());
      append(row[i].second);
    }
    numbers.resize(numbers.size() + 5 * (n_nodes - row.size()), 0.);
    packs->add(numbers, support(k));
  }
  use_kernels(std::move(packs), std::move(alone));
}

double
LoopKicks::mesh_area_scale(const unsigned int k) const
{
  const auto &corners = mesh().triangles()[k];
  return std::max({from_to(corners[0], corners[1]).norm_square(),
                   from_to(corners[1], corners[2]).norm_square(),
                   from_to(corners[2], corners[0]).norm_square()});
}

ArrayView<const unsigned int>
LoopKicks::mesh_nodes(const unsigned int k) const
{
  return nodes_of.row(k);
}

LoopKicks::Mirror
LoopKicks::mirror(const unsigned int k, const unsigned int node) const
{
  const auto &[normal, corners] = mirrors[node - mesh().positions().size()];
  const auto nodes = nodes_of.row(k);
  Mirror result;
  result.normal = normal;
  for (unsigned int i = 0; i < 3; ++i)
    result.places[i] = std::lower_bound(nodes.begin(), nodes.end(), corners[i]) - nodes.begin();
  return result;
}

LoopKicks::Geometry
LoopKicks::geometry(const unsigned int k, const Vector *const u) const
{
  const auto row = weights.row(k);
  const unsigned int origin = row[0].node;
  const auto nodes = nodes_of.row(k);
  const auto place = [&](const unsigned int i) -> Vector
  { return from_to(origin, nodes[i]) + (u[i] - u[0]); };
  Geometry result;
  for (unsigned int i = 0; i < row.size(); ++i)
  {
    const LoopWeight &weight = row[i];
    Vector x;
    if (i < nodes.size())
      x = place(i);
    else
    {
      const auto [places, normal] = mirror(k, weight.node);
      x = (normal * (place(places[0]) + place(places[1]) - 2. * place(places[2]))) * normal;
    }
    for (unsigned int d = 0; d < 2; ++d)
      result.tangents[d] += weight.first[d] * x;
    for (unsigned int d = 0; d < 3; ++d)
      result.second[d] += weight.second[d] * x;
  }
  const Vector area = cross_product_3d(result.tangents[0], result.tangents[1]);
  result.jacobian = area.norm();
  result.normal = area / result.jacobian;
  return result;
}

LoopKicks::State
LoopKicks::state(const Point &point, const Geometry &geometry) const
{
  const Three metric = geometry.metric(), curvature = geometry.curvature();
  State state;
  for (unsigned int i = 0; i < 3; ++i)
  {
    const double factor = i == 2 ? 2. : 1.;
    state.strain[i] = 0.5 * factor * (metric[i] - point.metric[i]);
    state.bending[i] = factor * (point.curvature[i] - curvature[i]);
  }
  state.stress = apply(point.law, section().membrane_stiffness(), state.strain);
  state.moment = apply(point.law, section().bending_stiffness(), state.bending);
  return state;
}

/// How strains and changes of curvature vary with the displacement of a node.
LoopKicks::Variation
LoopKicks::variation(const LoopWeight &weight, const Geometry &geometry) const
{
  const auto &a = geometry.tangents;
  const auto &N = weight.first;
  Variation result;
  result[0] = N[0] * a[0];
  result[1] = N[1] * a[1];
  result[2] = N[0] * a[1] + N[1] * a[0];
  for (unsigned int i = 0; i < 3; ++i)
  {
    const Vector p = geometry.second[i] - (geometry.second[i] * geometry.normal) * geometry.normal;
    const Vector turned =
        (N[0] * cross_product_3d(a[1], p) + N[1] * cross_product_3d(p, a[0])) / geometry.jacobian;
    result[3 + i] = (i == 2 ? -2. : -1.) * (weight.second[i] * geometry.normal + turned);
  }
  return result;
}

std::vector<LoopKicks::Variation>
LoopKicks::variations(const unsigned int k, const Geometry &geometry) const
{
  const auto row = weights.row(k);
  const unsigned int n_nodes = nodes_of.row(k).size();
  std::vector<Variation> result;
  for (unsigned int i = 0; i < n_nodes; ++i)
    result.push_back(variation(row[i], geometry));
  for (unsigned int i = n_nodes; i < row.size(); ++i)
  {
    const auto [places, normal] = mirror(k, row[i].node);
    const Variation of_mirror = variation(row[i], geometry);
    for (unsigned int c = 0; c < of_mirror.size(); ++c)
    {
      const Vector across = (normal * of_mirror[c]) * normal;
      result[places[0]][c] += across;
      result[places[1]][c] += across;
      result[places[2]][c] -= 2. * across;
    }
  }
  return result;
}

void
LoopKicks::forces(const unsigned int k, const Vector *const u, Vector *const result) const
{
  const Geometry now = geometry(k, u);
  const State s = state(points[k], now);
  const auto &a = now.tangents;
  // What changes of the normal do depends on the derivatives of a node's shape function only.
  Vector p =
      s.moment[0] * now.second[0] + s.moment[1] * now.second[1] + 2 * s.moment[2] * now.second[2];
  p -= (p * now.normal) * now.normal;
  const double area = points[k].area;
  const Vector by_first =
      area * (s.stress[0] * a[0] + s.stress[2] * a[1] - cross_product_3d(a[1], p) / now.jacobian);
  const Vector by_second =
      area * (s.stress[2] * a[0] + s.stress[1] * a[1] - cross_product_3d(p, a[0]) / now.jacobian);
  const auto row = weights.row(k);
  const unsigned int n_nodes = nodes_of.row(k).size();
  for (unsigned int i = 0; i < row.size(); ++i)
  {
    const LoopWeight &weight = row[i];
    const double bending = area * (s.moment[0] * weight.second[0] + s.moment[1] * weight.second[1] +
                                   2 * s.moment[2] * weight.second[2]);
    const Vector force =
        bending * now.normal - weight.first[0] * by_first - weight.first[1] * by_second;
    if (i < n_nodes)
    {
      result[i] = force;
      continue;
    }
    const auto [places, normal] = mirror(k, weight.node);
    const Vector across = (normal * force) * normal;
    result[places[0]] += across;
    result[places[1]] += across;
    result[places[2]] -= 2. * across;
  }
}

double
LoopKicks::energy_of(const unsigned int k, const Vector *const u) const
{
  const State s = state(points[k], geometry(k, u));
  return 0.5 * points[k].area * (product(s.strain, s.stress) + product(s.bending, s.moment));
}

void
LoopKicks::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  const Geometry at_rest = geometry(k, std::vector<Vector>(weights.row(k).size()).data());
  stiffness.clear();
  for (const Variation &B : variations(k, at_rest))
  {
    std::vector<double> block(9, 0.);
    for (unsigned int part = 0; part < 2; ++part)
      for (unsigned int p = 0; p < 3; ++p)
        for (unsigned int q = 0; q < 3; ++q)
        {
          const double factor =
              points[k].area * points[k].law[p][q] *
              (part == 0 ? section().membrane_stiffness() : section().bending_stiffness());
          for (unsigned int i = 0; i < 3; ++i)
            for (unsigned int j = 0; j < 3; ++j)
              block[3 * i + j] += factor * B[3 * part + p][i] * B[3 * part + q][j];
        }
    stiffness.push_back(std::max(0., largest_eigenvalue(block, 3)));
  }
}

/// The eigenvalues of B^T C B with masses m are those of L^T (B m^-1 B^T) L with C = L L^T, a 6x6
/// matrix.
double
LoopKicks::critical_step(const unsigned int k, const std::vector<double> &masses) const
{
  const Geometry at_rest = geometry(k, std::vector<Vector>(masses.size()).data());
  const auto by_nodes = variations(k, at_rest);
  const auto L = factor_of(points[k].law);
  std::vector<double> matrix(36, 0.);
  for (unsigned int n = 0; n < by_nodes.size(); ++n)
  {
    if (!(masses[n] > 0))
      continue;
    const Variation &B = by_nodes[n];
    Variation scaled; // rows of L^T B
    for (unsigned int part = 0; part < 2; ++part)
      for (unsigned int i = 0; i < 3; ++i)
      {
        Vector sum;
        for (unsigned int p = 0; p < 3; ++p)
          sum += L[p][i] * B[3 * part + p];
        scaled[3 * part + i] = std::sqrt(points[k].area / masses[n] *
                                         (part == 0 ? section().membrane_stiffness()
                                                    : section().bending_stiffness())) *
                               sum;
      }
    for (unsigned int i = 0; i < 6; ++i)
      for (unsigned int j = 0; j < 6; ++j)
        matrix[6 * i + j] += scaled[i] * scaled[j];
  }
  return (1 - round_off_margin) * 2 / std::sqrt(largest_eigenvalue(matrix, 6));
}

double
LoopKicks::deformation(const NodeTable<3> &nodes, const unsigned int k) const
{
  const auto u = displacements(nodes, k);
  const State s = state(points[k], geometry(k, u.data()));
  return std::sqrt(std::abs(product(s.strain, s.stress)) / section().membrane_stiffness()) +
         std::sqrt(std::abs(product(s.bending, s.moment)) * points[k].area /
                   section().bending_stiffness());
}

void
LoopKicks::add_resultants(const NodeTable<3> &nodes, const unsigned int k,
                          ShellResultants &resultants) const
{
  const auto u = displacements(nodes, k);
  const Geometry now = geometry(k, u.data());
  const State s = state(points[k], now);
  const auto &a = now.tangents;
  const double stretch = 2 * now.jacobian / points[k].area;
  // contravariant components of the change of curvature in the reference metric
  const Three raised = apply(law_of(points[k].metric, 0.), 1., s.bending);
  const auto push = [&](const Three &components, const unsigned int i, const unsigned int j)
  {
    return components[0] * a[0][i] * a[0][j] + components[1] * a[1][i] * a[1][j] +
           components[2] * (a[0][i] * a[1][j] + a[1][i] * a[0][j]);
  };
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
    {
      resultants.force[i][j] += push(s.stress, i, j) / stretch;
      resultants.moment[i][j] += push(s.moment, i, j) / stretch;
      resultants.curvature[i][j] += push(raised, i, j);
    }
  const Three strain = apply(law_of(points[k].metric, 0.), 1., s.strain);
  const double trace = strain[0] * points[k].metric[0] + strain[1] * points[k].metric[1] +
                       2 * strain[2] * points[k].metric[2];
  const double nu = section().poisson_ratio;
  resultants.thickness =
      section().thickness * std::sqrt(std::max(0., 1 - 2 * nu / (1 - nu) * trace));
}
} // namespace KickDrift
