#include "cell_schedule.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace KickDrift
{
using CellKernels::n_lanes;

namespace
{
/// Cells of a share: fewer cost more to hand out than they save.
constexpr unsigned int smallest_share = 192;
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
    const bool is_run = n_of_clock[c] > n_lanes;
    begin_of_clock[c + 1] = {begin_of_clock[c].slot + n_of_clock[c],
                             begin_of_clock[c].run + is_run};
  }
  make_runs();
  absent.clear();
  clock_of_absent.clear();
  visitors_of_clock.clear();
}

unsigned int
CellSchedule::n_shares(const unsigned int clock) const
{
  if (!team)
    return 1;
  const unsigned int n_cells = begin_of_clock[clock + 1].slot - begin_of_clock[clock].slot;
  return std::max(1u, std::min(team->size(), n_cells / smallest_share));
}

/**
 * The axis across which the cells are divided with the least work for the busiest threads. All
 * clocks are cut across the same one, so that neighbours are worked on by the same thread: nodes
 * that go from one core to the other cost more than cells at the cuts. With step classes clock k
 * fires half as often as clock k-1.
 */
unsigned int
CellSchedule::choose_axis() const
{
  std::array<double, 3> work = {{0, 0, 0}};
  for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
    if (n_shares(c) > 1)
      for (unsigned int axis = 0; axis < 3; ++axis)
        work[axis] +=
            std::ldexp(divide_packs(range(c), n_shares(c), axis, node_positions).work, -int(c));
  return std::min_element(work.begin(), work.end()) - work.begin();
}

void
CellSchedule::make_runs()
{
  runs.clear();
  const unsigned int axis = choose_axis();
  for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
    if (begin_of_clock[c].run < begin_of_clock[c + 1].run)
      runs.emplace_back(range(c), n_shares(c), axis, node_positions);
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
CellSchedule::kick(const unsigned int clock, const CellFiring &firing) const
{
  if (clock + 1 < begin_of_clock.size())
    kick_home(clock, firing);
  if (visitors_of_clock.empty())
    return;
  if (const Visitors *visitors = current_visitors(clock))
    kick_few(visitors->packs, visitors->packs.view({}), 0, visitors->packs.size(), firing);
}

void
CellSchedule::kick_in_turn(const dealii::ArrayView<const DueClock> &due, const CellFiring &firing,
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
    firing.kernel.kick_in_turn(home.view({}), slots.data(), slots.size(), firing.node_lines,
                               firing.law, after ? call : CellKernels::AfterKick{nullptr, nullptr});
    return;
  }
  for (unsigned int i = 0; i < due.size(); ++i)
  {
    CellFiring one = firing;
    one.time = due[i].time;
    one.step = due[i].step;
    kick(due[i].clock, one);
    if (after)
      after(i);
  }
}

void
CellSchedule::kick_home(const unsigned int clock, const CellFiring &firing) const
{
  const Begin begin = begin_of_clock[clock], end = begin_of_clock[clock + 1];
  const auto view = home.view(absent);
  if (begin.run < end.run)
    runs[begin.run].kick(view, firing, team.get());
  else if (begin.slot < end.slot)
    kick_few(home, view, begin.slot, end.slot, firing);
}

void
CellSchedule::kick_few(const CellPacks &packs, const CellKernels::Packs &view,
                       const unsigned int begin, const unsigned int end,
                       const CellFiring &firing) const
{
  firing.sampler.run(
      end - begin,
      [&]
      {
        firing.kernels.drift(firing.node_lines, packs.nodes_of(begin),
                             (end - begin) * nodes_per_cell, firing.time);
      },
      [&] { firing.kernel.kick(view, begin, end, firing.node_lines, firing.step, firing.law); });
}

std::size_t
CellSchedule::memory_consumption() const
{
  std::size_t bytes = home.memory_consumption() + begin_of_clock.capacity() * sizeof(Begin) +
                      (slot_of_cell.capacity() + 2 * clock_of_absent.size()) * sizeof(unsigned int);
  if (!clock_of_absent.empty())
    bytes += absent.size();
  for (const CellRun &run : runs)
    bytes += run.memory_consumption();
  // what those that visit now need: capacities depend on earlier visits
  for (const auto &visitors : visitors_of_clock)
    bytes += home.bytes_for(visitors.second.cells.size()) +
             visitors.second.cells.size() * sizeof(unsigned int);
  return bytes;
}
} // namespace KickDrift
