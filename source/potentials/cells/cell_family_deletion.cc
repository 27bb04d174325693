// Cells that fail, and what is left of them.

#include "cell_family.h"

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/eigenvalues.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// Fewer kicks than these are left to one thread.
constexpr unsigned int fewest_to_share = 256;
} // namespace

template <int dim>
void
CellFamily<dim>::set_failure_strain(const double strain)
{
  AssertThrow(strain > 0 && std::isfinite(strain),
              dealii::ExcMessage("A failure strain is " + std::to_string(strain) +
                                 "; it must be positive."));
  deletion = std::make_unique<CellDeletion>();
  deletion->strain = strain;
  deletion->by_clock = KicksByClock(n_kicks());
  deletion->is_deleted.assign(n_kicks(), 0);
  deletion->lost.assign(n_kicks(), 0.);
  deletion->dissipated.assign(n_kicks(), 0.);
  if (with_history)
  {
    const auto names = with_history->output_names();
    const auto entry = std::find(names.begin(), names.end(), "equivalent_plastic_strain");
    if (entry != names.end())
    {
      deletion->of_output = entry - names.begin();
      deletion->n_outputs = names.size();
      deletion->n_state = history->size_of_cell() / points_per_cell;
      for (unsigned int k = 0; k < n_kicks(); ++k)
      {
        const Numbers of_cell = numbers(schedule.slot(k));
        double volume = 0;
        for (unsigned int q = 0; q < points_per_cell; ++q)
          volume += weight(of_cell, q);
        for (unsigned int q = 0; q < points_per_cell; ++q)
          deletion->weights.push_back(weight(of_cell, q) / volume);
      }
      return;
    }
  }
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    const Numbers of_cell = numbers(schedule.slot(k));
    std::vector<Vector> mean(nodes_per_cell);
    double volume = 0;
    for (unsigned int q = 0; q < points_per_cell; ++q)
    {
      const auto at_point = gradients(of_cell, q);
      volume += weight(of_cell, q);
      for (unsigned int a = 0; a < nodes_per_cell; ++a)
        mean[a] += weight(of_cell, q) * at_point[a];
    }
    for (const Vector &gradient : mean)
      for (unsigned int d = 0; d < dim; ++d)
        deletion->mean_gradients.push_back(gradient[d] / volume);
  }
}

template <int dim>
bool
CellFamily<dim>::fails(const NodeTable<dim> &nodes, const unsigned int k) const
{
  const unsigned int slot = schedule.slot(k);
  if (deletion->of_output)
  {
    static thread_local std::vector<double> state, outputs; // of a point
    state.resize(deletion->n_state);
    outputs.resize(deletion->n_outputs);
    const double *number = history->begin_of_cell(slot);
    double mean = 0;
    for (unsigned int q = 0; q < points_per_cell; ++q)
    {
      for (double &of_state : state)
      {
        of_state = *number;
        number += CellKernels::n_lanes;
      }
      with_history->outputs(state.data(), outputs.data());
      mean +=
          deletion->weights[std::size_t(k) * points_per_cell + q] * outputs[*deletion->of_output];
    }
    return mean >= deletion->strain;
  }
  const unsigned int *cell_nodes = schedule.batches().nodes_of(slot);
  const double *gradient = &deletion->mean_gradients[std::size_t(k) * nodes_per_cell * dim];
  dealii::Tensor<2, dim> F;
  for (unsigned int a = 0; a < nodes_per_cell; ++a, gradient += dim)
  {
    const NodeState &node = nodes[cell_nodes[a]];
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        F[i][j] += node.displacement[i] * gradient[j];
  }
  const double stretch = std::exp(deletion->strain);
  if (1 + F.norm() < stretch) // it is not below the largest stretch
    return false;
  for (unsigned int i = 0; i < dim; ++i)
    F[i][i] += 1;
  return largest_eigenvalue(symmetrize(transpose(F) * F)) >= stretch * stretch;
}

template <int dim>
void
CellFamily<dim>::find_failed(const NodeTable<dim> &nodes, const unsigned int clock)
{
  deletion->found.clear();
  const std::vector<unsigned int> &kicks = deletion->by_clock.kicks(clock);
  std::vector<char> &has_failed = deletion->has_failed;
  has_failed.resize(kicks.size());
  const auto look = [&](const unsigned int share, const unsigned int n_shares)
  {
    for (std::size_t i = kicks.size() * share / n_shares; i < kicks.size() * (share + 1) / n_shares;
         ++i)
      has_failed[i] = fails(nodes, kicks[i]);
  };
  if (threads && kicks.size() >= fewest_to_share)
    threads->run([&](const unsigned int i) { look(i, threads->size()); });
  else
    look(0, 1);
  for (unsigned int i = 0; i < kicks.size(); ++i)
    if (has_failed[i])
      deletion->found.push_back(kicks[i]);
}

template <int dim>
std::vector<unsigned int>
CellFamily<dim>::take_ended()
{
  std::vector<unsigned int> result;
  if (deletion)
    result.swap(deletion->found);
  return result;
}

template <int dim>
void
CellFamily<dim>::end(const NodeTable<dim> &nodes, const unsigned int k)
{
  const unsigned int slot = schedule.slot(k);
  if (slot < schedule.batches().n_complete()) // else others know what it had
  {
    CellKernels::Energies of_cell;
    get_energies(slot, slot + 1, nodes, &of_cell);
    deletion->lost[k] = of_cell.strain + of_cell.hourglass;
    deletion->dissipated[k] = of_cell.dissipation;
  }
  deletion->is_deleted[k] = 1;
  ++deletion->n_deleted;
}

template <int dim>
void
CellFamily<dim>::serialize_deletion(Archive &archive)
{
  auto &cells = *deletion;
  archive.fixed(cells.is_deleted, cells.lost, cells.dissipated);
  for (unsigned int k = 0; k < n_kicks() && archive.is_reading(); ++k)
    check_state((cells.is_deleted[k] & ~1) == 0 && std::isfinite(cells.lost[k]) &&
                    std::isfinite(cells.dissipated[k]),
                "cells");
  cells.n_deleted = std::count(cells.is_deleted.begin(), cells.is_deleted.end(), 1);
}

template class CellFamily<2>;
template class CellFamily<3>;
} // namespace KickDrift
