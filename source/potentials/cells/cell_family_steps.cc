// Stiffness of cells, and the critical steps that follow from it.

#include "cell_family.h"
#include "one_point_cell.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace KickDrift
{
using namespace CellKernels;

namespace
{
/**
 * Sums over the quadrature points of the outer products of a node's reference gradients with
 * themselves, by node of a tensor-product cell: all that nodal_stiffness() needs of the shape
 * functions where the Jacobian is constant.
 */
template <int dim>
const std::array<dealii::Tensor<2, dim>, 1 << dim> &
reference_products()
{
  static const auto products = []
  {
    std::array<dealii::Tensor<2, dim>, 1 << dim> result;
    for (unsigned int q = 0; q < 1 << dim; ++q)
    {
      const auto gradients = shape_gradients<dim>(
          1 << dim, q, dealii::Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>()));
      for (unsigned int a = 0; a < 1 << dim; ++a)
        result[a] += outer_product(gradients[a], gradients[a]);
    }
    return result;
  }();
  return products;
}
} // namespace

template <int dim>
std::vector<double>
CellFamily<dim>::stiffness_matrix(const Numbers &numbers) const
{
  const unsigned int n = dim * nodes_per_cell;
  std::vector<double> matrix(n * n, 0.);
  if (one_point)
  {
    const OnePointCell<dim> cell(geometry, numbers);
    add_stiffness<dim>({cell.mean_gradients.begin(), cell.mean_gradients.end()}, cell.volume,
                       tangent, matrix);
    cell.add_hourglass_stiffness(law.hourglass, matrix);
    return matrix;
  }
  for (unsigned int q = 0; q < points_per_cell; ++q)
    add_stiffness<dim>(gradients(numbers, q), weight(numbers, q), tangent, matrix);
  return matrix;
}

template <int dim>
void
CellFamily<dim>::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  const Numbers of_cell = numbers(schedule.slot(k));
  stiffness.assign(nodes_per_cell, 0.);
  const auto trace = trace_of_blocks<dim>(tangent);
  if (one_point)
  {
    const auto matrix = stiffness_matrix(of_cell);
    for (unsigned int i = 0; i < dim * nodes_per_cell; ++i)
      stiffness[i / dim] += matrix[i * (dim * nodes_per_cell + 1)];
  }
  else if (geometry == Geometry::box || geometry == Geometry::affine)
  {
    const auto J = inverse_jacobian(of_cell, 0);
    const auto metric = weight(of_cell, 0) * (J * trace * transpose(J));
    for (unsigned int a = 0; a < nodes_per_cell; ++a)
      stiffness[a] = scalar_product(metric, reference_products<dim>()[a]);
  }
  else
    for (unsigned int q = 0; q < points_per_cell; ++q)
    {
      const auto gradient = gradients(of_cell, q);
      for (unsigned int a = 0; a < nodes_per_cell; ++a)
        stiffness[a] += weight(of_cell, q) * (gradient[a] * (trace * gradient[a]));
    }
  for (double &entry : stiffness)
    entry = std::max(entry, 0.);
}

template <int dim>
typename CellFamily<dim>::Numbers
CellFamily<dim>::rounded(const unsigned int slot, std::vector<double> &with_masses,
                         Fingerprint &fingerprint) const
{
  // numbers with one unit, that are compared with the largest of them
  std::vector<unsigned int> groups;
  const unsigned int of_jacobian = geometry == Geometry::box ? dim : dim * dim;
  if (one_point && geometry == Geometry::general)
    groups = {(nodes_per_cell - 1) * dim, 1, 1, dim * dim, dim, kernel.n_geometry};
  else if (one_point)
    groups = {of_jacobian, 1, 1, dim * dim, dim};
  else
    for (unsigned int q = 0; q < (geometry == Geometry::general ? points_per_cell : 1); ++q)
      groups.insert(groups.end(), {of_jacobian, 1});
  Numbers all = numbers(slot);
  auto begin = all.begin();
  for (const unsigned int size : groups)
  {
    const auto end = begin + std::min<std::ptrdiff_t>(size, all.end() - begin);
    fingerprint.add(begin, end);
    begin = end;
  }
  fingerprint.add(with_masses.begin(), with_masses.end());
  return all;
}

template <int dim>
double
CellFamily<dim>::critical_step(const unsigned int k, const std::vector<double> &with_masses) const
{
  Fingerprint fingerprint;
  std::vector<double> rounded_masses = with_masses;
  const Numbers of_cell = rounded(schedule.slot(k), rounded_masses, fingerprint);
  return critical_step_of(stiffness_matrix(of_cell), rounded_masses, dim);
}

template <int dim>
std::vector<double>
CellFamily<dim>::critical_steps(const typename Kicks<dim>::MassesOfKick &masses_of_kick) const
{
  std::unordered_map<Fingerprint, double, Fingerprint::Hash> known;
  std::vector<double> steps(n_kicks()), with_masses;
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    masses_of_kick(k, with_masses);
    Fingerprint fingerprint;
    const Numbers of_cell = rounded(schedule.slot(k), with_masses, fingerprint);
    const auto entry = known.emplace(fingerprint, 0.);
    if (entry.second)
      entry.first->second = critical_step_of(stiffness_matrix(of_cell), with_masses, dim);
    steps[k] = entry.first->second;
  }
  return steps;
}

/// result = K direction in the current state, by a central difference of the force.
template <int dim>
void
CellFamily<dim>::apply_stiffness(const NodeTable<dim> &nodes, const unsigned int k,
                                 const std::vector<double> &direction,
                                 std::vector<double> &result) const
{
  const unsigned int slot = schedule.slot(k), lane = slot % n_lanes;
  const unsigned int *cell_nodes = schedule.batches().nodes_of(slot);
  double largest = 0;
  for (const double entry : direction)
    largest = std::max(largest, std::abs(entry));
  const double increment = 1e-5 * size(slot) / largest;
  alignas(32) double displacements[max_size] = {}, forward[max_size], backward[max_size];
  // Plastic flow makes cells softer: states are held.
  const PackHistory states = {history ? history->committed_pack(slot) : nullptr, nullptr, 0};
  const auto evaluate = [&](const double scale, double *gradient)
  {
    for (unsigned int i = 0; i < dim * nodes_per_cell; ++i)
      displacements[i * n_lanes + lane] =
          nodes[cell_nodes[i / dim]].displacement[i % dim] + scale * direction[i];
    kernel.gradient(schedule.batches().geometry_of_batch(slot), law, 1u << lane, displacements,
                    states, gradient);
  };
  evaluate(increment, forward);
  evaluate(-increment, backward);
  for (unsigned int i = 0; i < dim * nodes_per_cell; ++i)
    result[i] = (forward[i * n_lanes + lane] - backward[i * n_lanes + lane]) / (2 * increment);
}

template <int dim>
double
CellFamily<dim>::deformation(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (is_deleted(k))
    return 0;
  const unsigned int slot = schedule.slot(k);
  const Numbers of_cell = numbers(slot);
  if (has_history())
  {
    double largest = 0;
    for (unsigned int q = 0; q < points_per_cell; ++q)
    {
      const auto H = displacement_gradient(slot, of_cell, q, nodes);
      const double of_point = (symmetrize(H) + 0.5 * symmetrize(transpose(H) * H)).norm();
      if (std::isnan(of_point))
        return of_point; // max() would hide it
      largest = std::max(largest, of_point);
    }
    return largest;
  }
  double volume = 0;
  for (unsigned int q = 0; q < points_per_cell; ++q)
    volume += weight(of_cell, geometry == Geometry::general ? q : 0);
  return std::sqrt(std::abs(2 * energy(nodes, k) / (volume * tangent[0][0])));
}

template <int dim>
double
CellFamily<dim>::current_critical_step(const NodeTable<dim> &nodes, const unsigned int k,
                                       const std::vector<double> &with_masses) const
{
  if (is_deleted(k))
    return std::numeric_limits<double>::infinity();
  if (the_material->is_linear())
    return critical_step(k, with_masses);
  const unsigned int n = dim * nodes_per_cell;
  return lanczos_step(n,
                      [&](const std::vector<double> &x, std::vector<double> &y)
                      {
                        std::vector<double> direction(n);
                        for (unsigned int i = 0; i < n; ++i)
                          direction[i] = x[i] / std::sqrt(with_masses[i / dim]);
                        apply_stiffness(nodes, k, direction, y);
                        for (unsigned int i = 0; i < n; ++i)
                          y[i] /= std::sqrt(with_masses[i / dim]);
                      });
}

template class CellFamily<2>;
template class CellFamily<3>;
} // namespace KickDrift
