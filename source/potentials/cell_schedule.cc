#include "cell_schedule.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <numeric>

namespace KickDrift
{
using CellKernels::n_lanes;

namespace
{
/// Slots of a chunk: a multiple of the lanes; their nodes should fit into the first-level cache.
constexpr unsigned int chunk_size = 64;
} // namespace

CellSchedule::CellSchedule(const unsigned int n_geometry, const unsigned int nodes_per_cell)
    : nodes_per_cell(nodes_per_cell), no_packs(n_geometry, nodes_per_cell), home(no_packs)
{
}

void
CellSchedule::add(const double *geometry, const unsigned int *cell_nodes)
{
  home.resize(home.size() + 1);
  home.set(home.size() - 1, geometry, cell_nodes);
}

void
CellSchedule::finish()
{
  home.pad();
  assign(std::vector<unsigned int>(home.size(), 0), 1);
}

void
CellSchedule::assign(const std::vector<unsigned int> &clock_of_cell, const unsigned int n_clocks)
{
  const unsigned int n_cells = home.size();
  std::vector<unsigned int> order(n_cells);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](const unsigned int a, const unsigned int b)
                   { return clock_of_cell[a] < clock_of_cell[b]; });
  CellPacks arranged = no_packs;
  arranged.resize(n_cells);
  std::vector<unsigned int> slots(n_cells);
  for (unsigned int s = 0; s < n_cells; ++s)
  {
    arranged.copy(s, home, slot(order[s]));
    slots[order[s]] = s;
  }
  arranged.pad();
  home = std::move(arranged);
  slot_of_cell = std::move(slots);

  std::vector<unsigned int> n_of_clock(n_clocks, 0);
  for (const unsigned int clock : clock_of_cell)
    ++n_of_clock.at(clock);
  begin_of_clock.assign(n_clocks + 1, {0, 0});
  for (unsigned int c = 0; c < n_clocks; ++c)
  {
    const unsigned int begin = begin_of_clock[c].slot, end = begin + n_of_clock[c];
    const unsigned int n_chunks =
        n_of_clock[c] > n_lanes ? (end - 1) / chunk_size - begin / chunk_size + 1 : 0;
    begin_of_clock[c + 1] = {end, begin_of_clock[c].chunk + n_chunks};
  }
  list_chunk_nodes();
  absent.clear();
  clock_of_absent.clear();
  visitors_of_clock.clear();
}

void
CellSchedule::list_chunk_nodes()
{
  begin_of_list.assign(1, 0);
  node_list.clear();
  std::vector<unsigned int> nodes;
  for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
    if (begin_of_clock[c].chunk < begin_of_clock[c + 1].chunk)
      for (unsigned int s = begin_of_clock[c].slot; s < begin_of_clock[c + 1].slot;)
      {
        const unsigned int end =
            std::min((s / chunk_size + 1) * chunk_size, begin_of_clock[c + 1].slot);
        nodes.assign(home.nodes_of(s), home.nodes_of(s) + (end - s) * nodes_per_cell);
        std::sort(nodes.begin(), nodes.end());
        node_list.insert(node_list.end(), nodes.begin(), std::unique(nodes.begin(), nodes.end()));
        begin_of_list.push_back(node_list.size());
        s = end;
      }
  node_list.shrink_to_fit();
  begin_of_list.shrink_to_fit();
}

unsigned int
CellSchedule::home_clock(const unsigned int cell) const
{
  const auto next =
      std::upper_bound(begin_of_clock.begin(), begin_of_clock.end(), slot(cell),
                       [](const unsigned int s, const Begin &b) { return s < b.slot; });
  return next - begin_of_clock.begin() - 1;
}

void
CellSchedule::set_absent(const unsigned int cell, const bool is_absent)
{
  if (absent.empty())
    absent.assign((home.size() + n_lanes - 1) / n_lanes, 0);
  const unsigned char bit = 1u << (slot(cell) % n_lanes);
  unsigned char &pack = absent[slot(cell) / n_lanes];
  pack = is_absent ? pack | bit : pack & ~bit;
}

void
CellSchedule::change_clock(const unsigned int cell, const unsigned int clock)
{
  const auto old = clock_of_absent.find(cell);
  if (old != clock_of_absent.end())
  {
    if (old->second == clock)
      return;
    const auto visit = visitors_of_clock.find(old->second);
    auto &cells = visit->second.cells;
    cells.erase(std::lower_bound(cells.begin(), cells.end(), cell));
    visit->second.packs_are_current = false;
    if (cells.empty())
      visitors_of_clock.erase(visit);
    clock_of_absent.erase(old);
  }
  const bool leaves = clock != home_clock(cell);
  set_absent(cell, leaves);
  if (!leaves)
    return;
  Visitors &visitors = visitors_of_clock.emplace(clock, no_packs).first->second;
  visitors.cells.insert(std::lower_bound(visitors.cells.begin(), visitors.cells.end(), cell), cell);
  visitors.packs_are_current = false;
  clock_of_absent[cell] = clock;
}

const CellSchedule::Visitors *
CellSchedule::current_visitors(const unsigned int clock) const
{
  const auto entry = visitors_of_clock.find(clock);
  if (entry == visitors_of_clock.end())
    return nullptr;
  Visitors &visitors = entry->second;
  if (!visitors.packs_are_current)
  {
    visitors.packs.resize(visitors.cells.size());
    for (unsigned int s = 0; s < visitors.cells.size(); ++s)
      visitors.packs.copy(s, home, slot(visitors.cells[s]));
    visitors.packs.pad();
    visitors.packs_are_current = true;
  }
  return &visitors;
}

void
CellSchedule::kick(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
                   const CellKernels::LawData &law, const unsigned int clock, double *node_lines,
                   const double time, const double step) const
{
  if (clock + 1 < begin_of_clock.size())
    kick_home(kernels, kernel, law, clock, node_lines, time, step);
  if (visitors_of_clock.empty())
    return;
  if (const Visitors *visitors = current_visitors(clock))
  {
    const CellPacks &packs = visitors->packs;
    kernels.drift(node_lines, packs.nodes_of(0), packs.size() * nodes_per_cell, time);
    kernel.kick(packs.view({}), 0, packs.size(), node_lines, step, law);
  }
}

void
CellSchedule::kick_in_turn(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
                           const CellKernels::LawData &law,
                           const dealii::ArrayView<const DueClock> &due, double *node_lines,
                           const std::function<void(unsigned int)> &after) const
{
  boost::container::small_vector<CellKernels::DueSlot, 32> slots(due.size());
  bool single = clock_of_absent.empty();
  for (unsigned int i = 0; i < due.size() && single; ++i)
  {
    slots[i].slot = begin_of_clock[due[i].clock].slot;
    slots[i].time = due[i].time;
    slots[i].step = due[i].step;
    single = begin_of_clock[due[i].clock + 1].slot - slots[i].slot == 1;
  }
  if (single)
  {
    const CellKernels::AfterKick call = {
        [](const void *function, const unsigned int i)
        { (*static_cast<const std::function<void(unsigned int)> *>(function))(i); },
        &after};
    kernel.kick_in_turn(home.view({}), slots.data(), slots.size(), node_lines, law,
                        after ? call : CellKernels::AfterKick{nullptr, nullptr});
    return;
  }
  for (unsigned int i = 0; i < due.size(); ++i)
  {
    kick(kernels, kernel, law, due[i].clock, node_lines, due[i].time, due[i].step);
    if (after)
      after(i);
  }
}

void
CellSchedule::kick_home(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
                        const CellKernels::LawData &law, const unsigned int clock,
                        double *node_lines, const double time, const double step) const
{
  const Begin begin = begin_of_clock[clock], end = begin_of_clock[clock + 1];
  const auto view = home.view(absent);
  if (begin.chunk == end.chunk && begin.slot < end.slot)
  {
    const unsigned int n_nodes = (end.slot - begin.slot) * nodes_per_cell;
    kernels.drift(node_lines, home.nodes_of(begin.slot), n_nodes, time);
    kernel.kick(view, begin.slot, end.slot, node_lines, step, law);
    return;
  }
  unsigned int slot = begin.slot;
  for (unsigned int chunk = begin.chunk; chunk < end.chunk; ++chunk)
  {
    const unsigned int *list = &node_list[begin_of_list[chunk]];
    kernels.drift(node_lines, list, begin_of_list[chunk + 1] - begin_of_list[chunk], time);
    const unsigned int next = std::min((slot / chunk_size + 1) * chunk_size, end.slot);
    kernel.kick(view, slot, next, node_lines, step, law);
    slot = next;
  }
}

std::size_t
CellSchedule::memory_consumption() const
{
  std::size_t bytes = home.memory_consumption() + absent.capacity() +
                      begin_of_clock.capacity() * sizeof(Begin) +
                      (slot_of_cell.capacity() + begin_of_list.capacity() + node_list.capacity() +
                       2 * clock_of_absent.size()) *
                          sizeof(unsigned int);
  for (const auto &visitors : visitors_of_clock)
    bytes += visitors.second.packs.memory_consumption() +
             visitors.second.cells.capacity() * sizeof(unsigned int);
  return bytes;
}
} // namespace KickDrift
