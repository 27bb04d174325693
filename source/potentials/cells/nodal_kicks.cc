#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/cells/nodal_kicks.h>
#include <kickdrift/potentials/materials/history_material.h>

#include "critical_step.h"
#include "material_split.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace KickDrift
{
namespace
{
/// Covers differences in the tangent and round-off.
constexpr double margin = 1e-8;

/// Lower triangular factor of a symmetric, positive semidefinite matrix.
template <int dim>
dealii::Tensor<2, dim>
cholesky_factor(const dealii::Tensor<2, dim> &matrix)
{
  dealii::Tensor<2, dim> L;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j <= i; ++j)
    {
      double rest = matrix[i][j];
      for (unsigned int k = 0; k < j; ++k)
        rest -= L[i][k] * L[j][k];
      L[i][j] = i == j ? std::sqrt(std::max(0., rest)) : L[j][j] > 0 ? rest / L[j][j] : 0.;
    }
  return L;
}
} // namespace

template <int dim>
NodalKicks<dim>::NodalKicks(const CellData<dim> &cells,
                            std::shared_ptr<const Material<dim>> material)
    : the_material(std::move(material)), begin_of_support(1, 0)
{
  // The corners of the cells, sorted by node.
  std::vector<std::size_t> corners(cells.nodes.size());
  std::iota(corners.begin(), corners.end(), std::size_t(0));
  std::stable_sort(corners.begin(), corners.end(),
                   [&](const std::size_t a, const std::size_t b)
                   { return cells.nodes[a] < cells.nodes[b]; });
  for (auto begin = corners.begin(); begin != corners.end();)
  {
    const unsigned int node = cells.nodes[*begin];
    const auto end =
        std::find_if(begin, corners.end(),
                     [&](const std::size_t corner) { return cells.nodes[corner] != node; });
    centres.push_back(node);
    add_support(cells, {begin, end});
    begin = end;
  }
  members.shrink_to_fit();
  this->by_clock = KicksByClock(n_kicks());
  tangent = reference_tangent(*the_material);
}

/// Average over the parts of the cells at their @p corners, which are all at one node.
template <int dim>
void
NodalKicks<dim>::add_support(const CellData<dim> &cells, const std::vector<std::size_t> &corners)
{
  const unsigned int n = cells.nodes_per_cell;
  const bool simplices = cells.points_per_cell == 1;
  const std::size_t begin = members.size();
  double volume = 0;
  for (const std::size_t corner : corners)
  {
    // Points and nodes of tensor-product cells are in the same order.
    const std::size_t cell = corner / n, q = simplices ? 0 : corner % n;
    const std::size_t point = cell * cells.points_per_cell + q;
    const double part = simplices ? cells.weights[point] / n : cells.weights[point];
    const auto gradients = shape_gradients<dim>(n, q, cells.inverse_jacobians[point]);
    volume += part;
    for (unsigned int a = 0; a < n; ++a)
    {
      const unsigned int node = cells.nodes[cell * n + a];
      const auto known = std::find_if(members.begin() + begin, members.end(),
                                      [&](const Member &member) { return member.node == node; });
      if (known == members.end())
        members.push_back({part * gradients[a], node});
      else
        known->gradient += part * gradients[a];
    }
  }
  for (auto member = members.begin() + begin; member != members.end(); ++member)
    member->gradient /= volume;
  std::sort(members.begin() + begin, members.end(),
            [](const Member &a, const Member &b) { return a.node < b.node; });
  volumes.push_back(volume);
  begin_of_support.push_back(members.size());
}

template <int dim>
void
NodalKicks<dim>::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  const Gradient trace = volumes[k] * trace_of_blocks<dim>(tangent);
  stiffness.clear();
  for (std::size_t i = begin_of_support[k]; i < begin_of_support[k + 1]; ++i)
    stiffness.push_back(std::max(0., members[i].gradient * (trace * members[i].gradient)));
}

/**
 * The stiffness is V B^T C B, with B the operator from displacements to H. Its eigenvalues with the
 * masses M are those of V C (B M^-1 B^T), and B M^-1 B^T is the unit matrix of the components of
 * the displacement times the sum of g g^T / m over the support, with the factor L L^T.
 */
template <int dim>
double
NodalKicks<dim>::step_for_tangent(const unsigned int k, const Tangent &current,
                                  const std::vector<double> &masses) const
{
  Gradient sum;
  for (std::size_t i = 0; i < masses.size(); ++i)
  {
    const Vector &gradient = members[begin_of_support[k] + i].gradient;
    if (masses[i] > 0)
      sum += outer_product(gradient, gradient) / masses[i];
  }
  const Gradient L = cholesky_factor(sum);
  constexpr unsigned int n = dim * dim;
  std::vector<double> half(n * n, 0.), matrix(n * n, 0.);
  for (unsigned int row = 0; row < n; ++row)
    for (unsigned int j = 0; j < dim; ++j)
      for (unsigned int m = 0; m < dim; ++m)
        for (unsigned int l = m; l < dim; ++l)
          half[row * n + dim * j + m] += current[row][dim * j + l] * L[l][m];
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int m = 0; m < dim; ++m)
      for (unsigned int l = m; l < dim; ++l)
        for (unsigned int column = 0; column < n; ++column)
          matrix[(dim * i + m) * n + column] +=
              volumes[k] * L[l][m] * half[(dim * i + l) * n + column];
  const double square_of_frequency = largest_eigenvalue(matrix, n);
  // NaN stays NaN: a state without a tangent must not pass for one without a limit
  return square_of_frequency <= 0 ? std::numeric_limits<double>::infinity()
                                  : (1 - margin) * 2 / std::sqrt(square_of_frequency);
}

template <int dim>
double
NodalKicks<dim>::critical_step(const unsigned int k, const std::vector<double> &masses) const
{
  return step_for_tangent(k, tangent, masses);
}

template <int dim>
double
NodalKicks<dim>::current_critical_step(const NodeTable<dim> &nodes, const unsigned int k,
                                       const std::vector<double> &masses) const
{
  if (the_material->is_linear())
    return critical_step(k, masses);
  return step_for_tangent(k, tangent_at(*the_material, gradient(nodes, k)), masses);
}

template <int dim>
double
NodalKicks<dim>::deformation(const NodeTable<dim> &nodes, const unsigned int k) const
{
  return std::sqrt(std::abs(2 * energy(nodes, k) / (volumes[k] * tangent[0][0])));
}

template <int dim>
std::vector<unsigned int>
NodalKicks<dim>::support(const unsigned int k) const
{
  std::vector<unsigned int> nodes;
  for (std::size_t i = begin_of_support[k]; i < begin_of_support[k + 1]; ++i)
    nodes.push_back(members[i].node);
  return nodes;
}

template <int dim>
void
NodalKicks<dim>::kick(NodeTable<dim> &nodes, const unsigned int clock, const double time,
                      const double step) const
{
  undefined.reset();
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const Member *const begin = &members[begin_of_support[k]], *const end =
                                                                   begin +
                                                                   (begin_of_support[k + 1] -
                                                                    begin_of_support[k]);
    Gradient H;
    for (const Member *member = begin; member != end; ++member)
    {
      NodeState &node = nodes[member->node];
      if (node.time != time) // most have been drifted for another node's kick
        node.drift(time);
      for (unsigned int i = 0; i < dim; ++i)
        for (unsigned int j = 0; j < dim; ++j)
          H[i][j] += node.displacement[i] * member->gradient[j];
    }
    const Gradient stress = the_material->stress(H);
    if (!std::isfinite(stress.norm_square()))
      undefined = clock;
    const Gradient impulse = step * volumes[k] * stress;
    for (const Member *member = begin; member != end; ++member)
    {
      NodeState &node = nodes[member->node];
      for (unsigned int i = 0; i < dim; ++i)
        node.velocity[i] -= node.inverse_mass * (impulse[i] * member->gradient);
    }
  }
}

template <int dim>
void
NodalKicks<dim>::force(const NodeTable<dim> &nodes, const unsigned int k, const double time,
                       std::vector<Vector> &force) const
{
  Gradient H = gradient(nodes, k);
  for (std::size_t i = begin_of_support[k]; i < begin_of_support[k + 1]; ++i)
  {
    const unsigned int node = members[i].node;
    H += outer_product((time - nodes[node].time) * nodes.velocity(node), members[i].gradient);
  }
  const Gradient stress = volumes[k] * the_material->stress(H);
  force.clear();
  for (std::size_t i = begin_of_support[k]; i < begin_of_support[k + 1]; ++i)
    force.push_back(-(stress * members[i].gradient));
}

template <int dim>
void
NodalKicks<dim>::add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const
{
  for (unsigned int k = 0; k < n_kicks(); ++k)
    balance.strain += energy(nodes, k);
}

template <int dim>
unsigned int
NodalKicks<dim>::kick_of_node(const unsigned int node) const
{
  const auto entry = std::lower_bound(centres.begin(), centres.end(), node);
  Assert(entry != centres.end() && *entry == node, dealii::ExcMessage("The node has no kick."));
  return entry - centres.begin();
}

template <int dim>
dealii::Tensor<2, dim>
NodalKicks<dim>::gradient(const NodeTable<dim> &nodes, const unsigned int k) const
{
  Gradient H;
  for (std::size_t i = begin_of_support[k]; i < begin_of_support[k + 1]; ++i)
    H += outer_product(nodes.displacement(members[i].node), members[i].gradient);
  return H;
}

template <int dim>
double
NodalKicks<dim>::energy(const NodeTable<dim> &nodes, const unsigned int k) const
{
  return volumes[k] * the_material->energy_density(gradient(nodes, k));
}

template <int dim>
dealii::SymmetricTensor<2, dim>
NodalKicks<dim>::cauchy_stress(const NodeTable<dim> &nodes, const unsigned int k) const
{
  const Gradient H = gradient(nodes, k), P = the_material->stress(H);
  if (the_material->is_linear())
    return symmetrize(P);
  const Gradient F = H + Gradient(dealii::unit_symmetric_tensor<dim>());
  return symmetrize(P * transpose(F)) / determinant(F);
}

template <int dim>
double
NodalKicks<dim>::bytes_per_kick() const
{
  const double bytes = members.capacity() * sizeof(Member) +
                       begin_of_support.capacity() * sizeof(std::size_t) +
                       volumes.capacity() * sizeof(double) +
                       (centres.capacity() + 2 * n_kicks()) * sizeof(unsigned int);
  return bytes / n_kicks();
}

template <int dim>
NodalIntegration<dim>
make_nodal_integration(const CellData<dim> &cells,
                       const std::shared_ptr<const Material<dim>> &material)
{
  AssertThrow(material != nullptr, dealii::ExcMessage("Cells need a material."));
  AssertThrow(dynamic_cast<const HistoryMaterial<dim> *>(material.get()) == nullptr,
              ExcHistory("Nodal integration", "standard integration or mean dilatation"));
  const auto split = split_for_nodal_integration(material);
  return {std::make_shared<NodalKicks<dim>>(cells, split.nodal),
          make_cell_kicks(cells, split.stabilisation)};
}

template class NodalKicks<2>;
template class NodalKicks<3>;
template NodalIntegration<2> make_nodal_integration(const CellData<2> &,
                                                    const std::shared_ptr<const Material<2>> &);
template NodalIntegration<3> make_nodal_integration(const CellData<3> &,
                                                    const std::shared_ptr<const Material<3>> &);
} // namespace KickDrift
