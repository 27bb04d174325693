// States of the points of cells whose material has a history, and what is made of them.

#include "cell_family.h"

#include <kickdrift/base/archive_checks.h>

#include <cmath>

namespace KickDrift
{
template <int dim>
void
CellFamily<dim>::book(const NodeTable<dim> &nodes, const unsigned int clock, double)
{
  if (has_history())
    schedule.commit(clock, *history);
  if (deletion)
    find_failed(nodes, clock);
}

template <int dim>
KickAccount
CellFamily<dim>::account(const unsigned int k)
{
  if (!has_history())
    return {};
  const unsigned int slot = schedule.slot(k);
  return {slot < schedule.batches().n_complete() ? history->begin_of_cell(slot) : nullptr,
          history->size_of_cell(), CellKernels::n_lanes};
}

template <int dim>
void
CellFamily<dim>::serialize(Archive &archive)
{
  if (deletion)
    serialize_deletion(archive);
  if (!has_history())
    return;
  std::vector<double> states;
  for (unsigned int k = 0; k < n_kicks() && !archive.is_reading(); ++k)
  {
    check_held(schedule.slot(k));
    const auto state = history->state(schedule.slot(k));
    states.insert(states.end(), state.begin(), state.end());
  }
  archive(states);
  if (!archive.is_reading())
    return;
  check_state(states.size() == std::size_t(n_kicks()) * history->size_of_cell(), "cells");
  for (const double number : states)
    check_state(std::isfinite(number), "cells");
  for (unsigned int k = 0; k < n_kicks(); ++k)
    if (schedule.slot(k) < schedule.batches().n_complete())
      history->set_state(schedule.slot(k), &states[std::size_t(k) * history->size_of_cell()]);
}

template <int dim>
std::vector<dealii::Tensor<2, dim>>
CellFamily<dim>::strains(const unsigned int slot, const Numbers &numbers,
                         const NodeTable<dim> &nodes) const
{
  const dealii::Tensor<2, dim> identity(dealii::unit_symmetric_tensor<dim>());
  std::vector<dealii::Tensor<2, dim>> result(points_per_cell);
  double reference = 0, current = 0;
  for (unsigned int q = 0; q < points_per_cell; ++q)
  {
    result[q] = displacement_gradient(slot, numbers, q, nodes);
    reference += weight(numbers, q);
    current += weight(numbers, q) * determinant(identity + result[q]);
  }
  if (scheme == CellKernels::Scheme::mean_dilatation)
    for (auto &H : result)
    {
      const dealii::Tensor<2, dim> F = identity + H;
      H = std::pow(current / (reference * determinant(F)), 1. / dim) * F - identity;
    }
  return result;
}

template <int dim>
std::vector<double>
CellFamily<dim>::states(const unsigned int slot, const std::vector<dealii::Tensor<2, dim>> &strains,
                        const double time) const
{
  if (!with_history)
    return {};
  const auto old_states = history->state(slot);
  std::vector<double> result(old_states.size());
  const unsigned int n_state = result.size() / points_per_cell;
  for (unsigned int q = 0; q < points_per_cell; ++q)
    with_history->update(strains[q], time, &old_states[q * n_state], &result[q * n_state]);
  return result;
}

template <int dim>
double
CellFamily<dim>::mean_stress_across(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (dim == 3 || is_deleted(k))
    return 0;
  const unsigned int slot = schedule.slot(k);
  const dealii::Tensor<2, dim> identity(dealii::unit_symmetric_tensor<dim>());
  const Numbers of_cell = numbers(slot);
  const auto gradients = strains(slot, of_cell, nodes);
  const auto state = states(slot, gradients, time_of(nodes, slot));
  double sum = 0, volume = 0;
  for (unsigned int q = 0; q < points_per_cell; ++q)
  {
    const dealii::Tensor<2, dim> &H = gradients[q];
    const double part =
        weight(of_cell, q) * (the_material->is_linear() ? 1. : determinant(identity + H));
    sum += part * (with_history ? with_history->stress_across(H, state_of_point(state, q))
                                : the_material->stress_across(H));
    volume += part;
  }
  return sum / volume;
}

template <int dim>
std::vector<double>
CellFamily<dim>::mean_outputs(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (!with_history)
    return {};
  const unsigned int slot = schedule.slot(k);
  const Numbers of_cell = numbers(slot);
  const auto state = is_deleted(k)
                         ? history->state(slot)
                         : states(slot, strains(slot, of_cell, nodes), time_of(nodes, slot));
  const unsigned int n = with_history->output_names().size();
  std::vector<double> sum(n, 0.), values(n);
  double volume = 0;
  for (unsigned int q = 0; q < points_per_cell; ++q)
  {
    with_history->outputs(state_of_point(state, q), values.data());
    for (unsigned int i = 0; i < n; ++i)
      sum[i] += weight(of_cell, q) * values[i];
    volume += weight(of_cell, q);
  }
  for (double &value : sum)
    value /= volume;
  return sum;
}

template class CellFamily<2>;
template class CellFamily<3>;
} // namespace KickDrift
