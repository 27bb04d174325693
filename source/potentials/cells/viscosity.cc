#include <kickdrift/base/archive.h>
#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/cells/viscosity.h>

#include "critical_step.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Kicks nearer to each other than this, in times of a wave across the cell, know no rate.
constexpr double shortest_interval = 1e-6;

/// What is remembered of a kick before forces and displacements of its nodes.
enum Number : unsigned int
{
  time_of_kick,
  loss,
  rate_of_volume,
  has_forces, ///< 1 after the first kick that knew a rate, 0 before
  has_ended,  ///< 1 if the cell has been deleted
  n_numbers
};
} // namespace

template <int dim>
struct CellViscosity<dim>::PointState
{
  Tensor<2, dim> F;               ///< deformation gradient
  SymmetricTensor<2, dim> change; ///< of Green's strain
  double weight;                  ///< [length^dim]
  std::array<Vector, 1 << dim> gradients;
};

template <int dim>
struct CellViscosity<dim>::CellState
{
  boost::container::small_vector<PointState, 1 << dim> points;
  double interval;             ///< since the last kick [time]
  double volume = 0;           ///< [length^dim]
  double reference_volume = 0; ///< [length^dim]
  double rate = 0;             ///< of the logarithm of the volume [1/time]
  double length = 0;           ///< [length]

  /// Is the interval long enough for rates?
  bool has_rates;
};

template <int dim>
CellViscosity<dim>::CellViscosity(const CellData<dim> &cells, const Material<dim> &material,
                                  const StrainIntegration integration, const Viscosity &viscosity)
    : nodes_per_cell(cells.nodes_per_cell),
      nodes_of_cells(cells.nodes),
      viscosity(viscosity),
      integration(integration),
      lambda(reference_lame(material).lambda),
      mu(reference_lame(material).mu),
      density(material.density()),
      wave_speed(material.wave_speed()),
      is_linear(material.is_linear()),
      points_per_cell(cells.points_per_cell),
      inverse_jacobians(cells.inverse_jacobians),
      weights(cells.weights),
      memory_size(n_numbers + 2 * dim * cells.nodes_per_cell),
      memories(std::size_t(n_kicks()) * memory_size, 0.)
{
  this->by_clock = KicksByClock(n_kicks());
  AssertThrow(integration != StrainIntegration::nodal,
              ExcMessage("Cells are not viscous with nodal integration."));
  AssertThrow(wave_speed > 0 && std::isfinite(wave_speed),
              ExcMessage("The wave speed of a material of viscous cells is " +
                         std::to_string(wave_speed) + "; it must be positive and finite."));
  AssertThrow(lambda + 2 * mu / dim > 0,
              ExcMessage("Viscous cells need a material with a positive bulk modulus."));
  for (unsigned int k = 0; k < n_kicks(); ++k)
    lengths.push_back(length(k, Tensor<2, dim>(unit_symmetric_tensor<dim>())));
}

template <int dim>
unsigned int
CellViscosity<dim>::n_points() const
{
  return integration == StrainIntegration::one_point ? 1 : points_per_cell;
}

template <int dim>
double
CellViscosity<dim>::gradients(const unsigned int k, const unsigned int point, Vector *result) const
{
  const unsigned int n = nodes_per_cell;
  const std::size_t first = std::size_t(place(k)) * points_per_cell;
  const auto at = [&](const unsigned int q, const unsigned int a)
  { return reference_gradients<dim>(n, q)[a] * inverse_jacobians[first + q]; };
  if (n_points() == points_per_cell)
  {
    for (unsigned int a = 0; a < n; ++a)
      result[a] = at(point, a);
    return weights[first + point];
  }
  double volume = 0;
  std::fill(result, result + n, Vector());
  for (unsigned int q = 0; q < points_per_cell; ++q)
  {
    volume += weights[first + q];
    for (unsigned int a = 0; a < n; ++a)
      result[a] += weights[first + q] * at(q, a);
  }
  for (unsigned int a = 0; a < n; ++a)
    result[a] /= volume;
  return volume;
}

template <int dim>
double
CellViscosity<dim>::length(const unsigned int k, const Tensor<2, dim> &deformation) const
{
  Tensor<2, dim> mean;
  for (unsigned int q = 0; q < points_per_cell; ++q)
    mean += inverse_jacobians[std::size_t(place(k)) * points_per_cell + q] / points_per_cell;
  mean = mean * invert(deformation);
  double largest = 0;
  Vector sum;
  for (unsigned int d = 0; d < dim; ++d)
  {
    largest = std::max(largest, mean[d].norm());
    sum += mean[d];
  }
  if (nodes_per_cell == dim + 1) // the side opposite to the first node
    largest = std::max(largest, sum.norm());
  return 1 / largest;
}

template <int dim>
typename CellViscosity<dim>::CellState
CellViscosity<dim>::compare(const NodeTable<dim> &nodes, const unsigned int k,
                            const double time) const
{
  const unsigned int n = nodes_per_cell;
  const double *displacements = memory(k) + n_numbers + dim * n;
  std::array<Vector, 1 << dim> now, before;
  for (unsigned int a = 0; a < n; ++a)
  {
    now[a] = nodes.displacement_at(node(k, a), time);
    for (unsigned int d = 0; d < dim; ++d)
      before[a][d] = displacements[a * dim + d];
  }
  CellState state;
  state.interval = time - memory(k)[time_of_kick];
  state.has_rates = state.interval > shortest_interval * length_of(k) / wave_speed;
  state.points.resize(n_points());
  const Tensor<2, dim> identity(unit_symmetric_tensor<dim>());
  double volume_before = 0;
  Tensor<2, dim> mean;
  for (unsigned int q = 0; q < state.points.size(); ++q)
  {
    PointState &point = state.points[q];
    point.weight = gradients(k, q, point.gradients.data());
    Tensor<2, dim> H_now, H_before;
    for (unsigned int a = 0; a < n; ++a)
    {
      H_now += outer_product(now[a], point.gradients[a]);
      H_before += outer_product(before[a], point.gradients[a]);
    }
    const Tensor<2, dim> difference = H_now - H_before;
    point.F = identity + H_now;
    point.change = symmetrize(difference + 0.5 * transpose(difference) * (H_now + H_before));
    state.reference_volume += point.weight;
    state.volume += point.weight * determinant(point.F);
    volume_before += point.weight * determinant(identity + H_before);
    mean += point.weight * point.F;
  }
  mean /= state.reference_volume;
  // cells that have turned inside out have no length and no density
  const bool is_sound = state.volume > 0 && volume_before > 0 && determinant(mean) > 0;
  state.length = is_sound ? length(k, mean) : length_of(k);
  if (state.has_rates)
    state.rate = is_sound ? std::log(state.volume / volume_before) / state.interval : 0.;
  else
    state.rate = memory(k)[rate_of_volume];
  return state;
}

template <int dim>
typename CellViscosity<dim>::Forces
CellViscosity<dim>::forces_at(const NodeTable<dim> &nodes, const unsigned int k,
                              const double time) const
{
  return forces_of(compare(nodes, k, time), k);
}

template <int dim>
typename CellViscosity<dim>::Forces
CellViscosity<dim>::forces_of(const CellState &state, const unsigned int k) const
{
  const unsigned int n = nodes_per_cell;
  Forces forces;
  if (!state.has_rates)
  {
    const double *before = memory(k) + n_numbers;
    for (unsigned int i = 0; i < dim * n; ++i)
      forces[i / dim][i % dim] = before[i];
    return forces;
  }
  const double speed = wave_speed * viscosity.linear_bulk + std::pow(viscosity.quadratic_bulk, 2) *
                                                                state.length *
                                                                std::max(0., -state.rate);
  const double bulk = state.volume > 0 ? density * state.reference_volume / state.volume *
                                             state.length * speed * state.rate
                                       : 0.;
  const double factor = viscosity.stiffness_damping / state.interval;
  double mean_trace = 0;
  for (const PointState &point : state.points)
    mean_trace += point.weight / state.reference_volume * trace(point.change);
  for (const PointState &point : state.points)
  {
    const SymmetricTensor<2, dim> stress =
        integration == StrainIntegration::mean_dilatation
            ? 2 * mu * deviator(point.change) +
                  (lambda + 2 * mu / dim) * mean_trace * unit_symmetric_tensor<dim>()
            : 2 * mu * point.change + lambda * trace(point.change) * unit_symmetric_tensor<dim>();
    Tensor<2, dim> P = factor * (point.F * Tensor<2, dim>(stress));
    if (bulk != 0)
      P += bulk * cofactor(point.F);
    for (unsigned int a = 0; a < n; ++a)
      forces[a] -= point.weight * (P * point.gradients[a]);
  }
  return forces;
}

template <int dim>
double
CellViscosity<dim>::loss_since(const NodeTable<dim> &nodes, const unsigned int k,
                               const Forces &forces) const
{
  const unsigned int n = nodes_per_cell;
  const double *before = memory(k) + n_numbers;
  // Until the first kick there is one rate only, which the nodes have had from the start.
  const bool is_first = memory(k)[has_forces] == 0;
  double work = 0;
  for (unsigned int a = 0; a < n; ++a)
  {
    const Vector now = nodes.displacement(node(k, a));
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double earlier = is_first ? forces[a][d] : before[a * dim + d];
      work += 0.5 * (earlier + forces[a][d]) * (now[d] - before[dim * n + a * dim + d]);
    }
  }
  return -work;
}

template <int dim>
std::vector<unsigned int>
CellViscosity<dim>::support(const unsigned int k) const
{
  const auto first = nodes_of_cells.begin() + std::size_t(k) * nodes_per_cell;
  return {first, first + nodes_per_cell};
}

template <int dim>
void
CellViscosity<dim>::let_go(const std::vector<char> &is_elsewhere, const bool stays_known)
{
  if (stays_known)
    return;
  places.assign(n_kicks(), nowhere);
  unsigned int n = 0;
  // each is moved forward, over those that go
  const auto move =
      [](auto &numbers, const unsigned int from, const unsigned int to, const std::size_t size)
  {
    if (from != to)
      std::copy_n(numbers.begin() + from * size, size, numbers.begin() + to * size);
  };
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    if (is_elsewhere[k])
      continue;
    move(inverse_jacobians, k, n, points_per_cell);
    move(weights, k, n, points_per_cell);
    move(lengths, k, n, 1);
    move(memories, k, n, memory_size);
    places[k] = n++;
  }
  const auto shorten = [n](auto &numbers, const std::size_t size)
  {
    numbers.resize(n * size);
    numbers.shrink_to_fit();
  };
  shorten(inverse_jacobians, points_per_cell);
  shorten(weights, points_per_cell);
  shorten(lengths, 1);
  shorten(memories, memory_size);
}

template <int dim>
void
CellViscosity<dim>::kick(NodeTable<dim> &nodes, const unsigned int clock, const double time,
                         const double step) const
{
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const Forces forces = forces_at(nodes, k, time);
    for (unsigned int a = 0; a < nodes_per_cell; ++a)
    {
      NodeState &state = nodes[node(k, a)];
      state.drift(time);
      for (unsigned int d = 0; d < dim; ++d)
        state.velocity[d] += step * state.inverse_mass * forces[a][d];
    }
  }
}

template <int dim>
void
CellViscosity<dim>::force(const NodeTable<dim> &nodes, const unsigned int k, const double time,
                          std::vector<Vector> &force) const
{
  if (memory(k)[has_ended] != 0)
  {
    force.assign(nodes_per_cell, Vector());
    return;
  }
  const Forces forces = forces_at(nodes, k, time);
  force.assign(forces.begin(), forces.begin() + nodes_per_cell);
}

template <int dim>
void
CellViscosity<dim>::begin(const NodeTable<dim> &nodes)
{
  const unsigned int n = nodes_per_cell;
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    std::fill(memory(k), memory(k) + memory_size, 0.);
    memory(k)[time_of_kick] = nodes[node(k, 0)].time;
    for (unsigned int a = 0; a < n; ++a)
      for (unsigned int d = 0; d < dim; ++d)
        memory(k)[n_numbers + dim * (n + a) + d] = nodes.displacement(node(k, a))[d];
  }
}

template <int dim>
void
CellViscosity<dim>::book(const NodeTable<dim> &nodes, const unsigned int clock, const double time)
{
  const unsigned int n = nodes_per_cell;
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const CellState state = compare(nodes, k, time);
    const Forces forces = forces_of(state, k);
    double *numbers = memory(k);
    numbers[loss] += loss_since(nodes, k, forces);
    numbers[time_of_kick] = time;
    numbers[rate_of_volume] = state.rate;
    if (state.has_rates)
      numbers[has_forces] = 1;
    for (unsigned int a = 0; a < n; ++a)
      for (unsigned int d = 0; d < dim; ++d)
      {
        numbers[n_numbers + dim * a + d] = forces[a][d];
        numbers[n_numbers + dim * (n + a) + d] = nodes.displacement(node(k, a))[d];
      }
  }
}

template <int dim>
void
CellViscosity<dim>::add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const
{
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    if (memory(k)[has_ended] != 0)
    {
      balance.viscous_loss += memory(k)[loss];
      continue;
    }
    const auto forces = forces_at(nodes, k, nodes[node(k, 0)].time);
    balance.viscous_loss += memory(k)[loss] + loss_since(nodes, k, forces);
  }
}

template <int dim>
void
CellViscosity<dim>::end(const NodeTable<dim> &, const unsigned int k)
{
  if (places.empty() || places[k] != nowhere) // else others remember it
    memory(k)[has_ended] = 1;
}

template <int dim>
void
CellViscosity<dim>::serialize(Archive &archive)
{
  if (places.empty())
  {
    archive.fixed(memories);
    return;
  }
  AssertThrow(archive.is_reading(), StepperExceptions::ExcGivenElsewhere(0));
  std::vector<double> of_all(std::size_t(n_kicks()) * memory_size);
  archive.fixed(of_all);
  for (unsigned int k = 0; k < n_kicks(); ++k)
    if (places[k] != nowhere)
      std::copy_n(of_all.begin() + std::size_t(k) * memory_size, memory_size, memory(k));
}

template <int dim>
KickAccount
CellViscosity<dim>::account(const unsigned int k)
{
  return {places.empty() || places[k] != nowhere ? memory(k) : nullptr, memory_size, 1};
}

template <int dim>
double
CellViscosity<dim>::damping_time(const unsigned int k) const
{
  return viscosity.stiffness_damping +
         viscosity.linear_bulk * density * wave_speed * length_of(k) / (lambda + 2 * mu / dim);
}

template <int dim>
double
CellViscosity<dim>::current_damping_time(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (memory(k)[has_ended] != 0)
    return 0;
  const CellState state = compare(nodes, k, nodes[node(k, 0)].time);
  double stretch = 1; // square of the largest one
  for (const PointState &point : state.points)
    stretch = std::max(stretch, largest_eigenvalue(symmetrize(transpose(point.F) * point.F)));
  const double flatness = std::max(1., length_of(k) / state.length);
  // what is quadratic acts against small changes of the rate twice as strongly as against the rate
  const double speed =
      viscosity.linear_bulk * wave_speed * flatness +
      2 * std::pow(viscosity.quadratic_bulk, 2) * length_of(k) * std::max(0., -state.rate);
  return viscosity.stiffness_damping * stretch +
         density * length_of(k) * speed / (lambda + 2 * mu / dim);
}

template <int dim>
bool
CellViscosity<dim>::has_constant_steps() const
{
  return is_linear && viscosity.quadratic_bulk == 0;
}

template class CellViscosity<2>;
template class CellViscosity<3>;
} // namespace KickDrift
