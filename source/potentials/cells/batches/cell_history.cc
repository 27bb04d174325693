#include "cell_history.h"

#include <algorithm>

namespace KickDrift
{
using CellKernels::n_lanes;

CellHistory::CellHistory(const std::vector<double> &initial_state, const unsigned int n_points,
                         const unsigned int n_cells)
    : size(n_points * initial_state.size())
{
  const unsigned int n_packs = (n_cells + n_lanes - 1) / n_lanes;
  committed.resize(std::size_t(n_packs) * n_lanes * size);
  for (std::size_t i = 0; i < committed.size(); ++i)
    committed[i] = initial_state[i / n_lanes % initial_state.size()];
  proposed = committed;
}

void
CellHistory::resize(const unsigned int n_cells)
{
  for (auto *states : {&committed, &proposed})
  {
    states->resize((std::size_t(n_cells) + n_lanes - 1) / n_lanes * n_lanes * size);
    states->shrink_to_fit();
  }
}

CellKernels::History
CellHistory::view(const double time, const unsigned int *slots)
{
  return {committed.data(), proposed.data(), slots, time};
}

CellKernels::History
CellHistory::view(const double time) const
{
  return {committed.data(), nullptr, nullptr, time};
}

void
CellHistory::commit(const unsigned int begin, const unsigned int end)
{
  for (unsigned int slot = begin; slot < end;)
  {
    const std::size_t first = begin_of_pack(slot);
    if (slot % n_lanes == 0 && slot + n_lanes <= end)
    {
      const unsigned int whole = (end - slot) / n_lanes * n_lanes;
      std::copy_n(proposed.begin() + first, std::size_t(whole) * size, committed.begin() + first);
      slot += whole;
      continue;
    }
    for (unsigned int i = 0; i < size; ++i)
    {
      const std::size_t place = first + i * n_lanes + slot % n_lanes;
      committed[place] = proposed[place];
    }
    ++slot;
  }
}

std::vector<double>
CellHistory::state(const unsigned int slot) const
{
  std::vector<double> result(size);
  for (unsigned int i = 0; i < size; ++i)
    result[i] = committed_pack(slot)[i * n_lanes + slot % n_lanes];
  return result;
}

void
CellHistory::set_state(const unsigned int slot, const double *state)
{
  for (unsigned int i = 0; i < size; ++i)
  {
    const std::size_t place = begin_of_pack(slot) + i * n_lanes + slot % n_lanes;
    committed[place] = proposed[place] = state[i];
  }
}
} // namespace KickDrift
