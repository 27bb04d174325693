#include "cell_schedule.h"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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
    : nodes_per_cell(nodes_per_cell), no_batches(n_geometry, nodes_per_cell), natural(no_batches)
{
}

void
CellSchedule::add(const double *geometry, const unsigned int *cell_nodes)
{
  natural.resize(natural.size() + 1);
  natural.set(natural.size() - 1, geometry, cell_nodes);
}

void
CellSchedule::finish()
{
  natural.pad();
  find_clocks(std::vector<unsigned int>(natural.size(), 0), 1, 1);
}

void
CellSchedule::assign(const std::vector<unsigned int> &clock_of_cell, const unsigned int n_clocks,
                     const unsigned int n_kicked, const std::vector<char> &is_elsewhere)
{
  const unsigned int n_cells = natural.size();
  const auto key = [&](const unsigned int cell)
  { return std::make_pair(clock_of_cell[cell], !is_elsewhere.empty() && is_elsewhere[cell]); };
  std::vector<unsigned int> order(n_cells);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](const unsigned int a, const unsigned int b) { return key(a) < key(b); });
  CellBatches arranged = no_batches;
  arranged.resize(n_cells, n_cells - std::count(is_elsewhere.begin(), is_elsewhere.end(), 1));
  std::vector<unsigned int> slots(n_cells);
  for (unsigned int s = 0; s < n_cells; ++s)
  {
    arranged.copy(s, natural, slot(order[s]));
    slots[order[s]] = s;
  }
  arranged.pad();
  natural = std::move(arranged);
  slot_of_cell = std::move(slots);
  find_clocks(clock_of_cell, n_clocks, n_kicked);
  absent.clear();
  clock_of_absent.clear();
  migrated_of_clock.clear();
}

void
CellSchedule::find_clocks(const std::vector<unsigned int> &clock_of_cell,
                          const unsigned int n_clocks, const unsigned int n_kicked)
{
  std::vector<unsigned int> n_of_clock(n_clocks, 0);
  for (const unsigned int clock : clock_of_cell)
    ++n_of_clock.at(clock);
  begin_of_clock.assign(n_clocks + 1, {0, 0});
  for (unsigned int c = 0; c < n_clocks; ++c)
  {
    const unsigned int end = begin_of_clock[c].slot + n_of_clock[c];
    const bool is_run = n_of_clock[c] > n_lanes && c < n_kicked;
    begin_of_clock[c + 1] = {end, begin_of_clock[c].run + is_run};
  }
  make_runs();
}

unsigned int
CellSchedule::cell(const unsigned int slot) const
{
  return slot_of_cell.empty()
             ? slot
             : std::find(slot_of_cell.begin(), slot_of_cell.end(), slot) - slot_of_cell.begin();
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
 * The axes across which the cells are divided in two, each part again, and so on, with the least
 * work for the busiest threads. All clocks are cut across the same ones, so that neighbours tend to
 * be worked on by the same thread: nodes that go from one core to the other cost more than cells at
 * the cuts. With step classes clock k is due half as often as clock k-1.
 */
std::vector<unsigned int>
CellSchedule::choose_axes() const
{
  unsigned int most = 1;
  for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
    if (has_run(c))
      most = std::max(most, n_shares(c));
  std::vector<unsigned int> axes;
  for (unsigned int n = 2; axes.empty() || n / 2 < most; n *= 2)
  {
    std::array<double, 3> work = {{0, 0, 0}};
    for (unsigned int axis = 0; axis < 3 && most > 1; ++axis)
    {
      auto tried = axes;
      tried.push_back(axis);
      for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
        if (const unsigned int n_parts = std::min(n, n_shares(c)); has_run(c) && n_parts > 1)
          work[axis] +=
              std::ldexp(divide_batches(range(c), n_parts, tried, node_positions).work, -int(c));
    }
    axes.push_back(std::min_element(work.begin(), work.end()) - work.begin());
  }
  return axes;
}

void
CellSchedule::make_runs()
{
  runs.clear();
  const auto axes = choose_axes();
  for (unsigned int c = 0; c + 1 < begin_of_clock.size(); ++c)
    if (has_run(c))
      runs.emplace_back(range(c), n_shares(c), axes, node_positions);
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
    absent.assign((natural.size() + n_lanes - 1) / n_lanes, 0);
  const unsigned char bit = 1u << (slot(cell) % n_lanes);
  unsigned char &batch = absent[slot(cell) / n_lanes];
  batch = is_absent ? batch | bit : batch & ~bit;
}

void
CellSchedule::change_clock(const unsigned int cell, const unsigned int clock)
{
  const auto old = clock_of_absent.find(cell);
  if (old != clock_of_absent.end())
  {
    if (old->second == clock)
      return;
    const auto visit = migrated_of_clock.find(old->second);
    auto &cells = visit->second.cells;
    cells.erase(std::lower_bound(cells.begin(), cells.end(), cell));
    visit->second.copies_are_current = false;
    if (cells.empty())
      migrated_of_clock.erase(visit);
    clock_of_absent.erase(old);
  }
  const bool leaves = clock != home_clock(cell);
  set_absent(cell, leaves);
  if (!leaves)
    return;
  MigratedCells &migrated = migrated_of_clock.emplace(clock, no_batches).first->second;
  migrated.cells.insert(std::lower_bound(migrated.cells.begin(), migrated.cells.end(), cell), cell);
  migrated.copies_are_current = false;
  clock_of_absent[cell] = clock;
}

CellSchedule::Copies
CellSchedule::copies(const std::vector<unsigned int> &cells) const
{
  Copies result{no_batches, {}};
  result.batches.resize(cells.size());
  for (unsigned int s = 0; s < cells.size(); ++s)
  {
    result.home_slots.push_back(slot(cells[s]));
    result.batches.copy(s, natural, result.home_slots[s]);
  }
  while (result.home_slots.size() % n_lanes != 0)
    result.home_slots.push_back(result.home_slots.back());
  result.batches.pad();
  return result;
}

const CellSchedule::MigratedCells *
CellSchedule::current_migrated(const unsigned int clock) const
{
  const auto entry = migrated_of_clock.find(clock);
  if (entry == migrated_of_clock.end())
    return nullptr;
  MigratedCells &migrated = entry->second;
  if (!migrated.copies_are_current)
    migrated.copies = copies(migrated.cells);
  migrated.copies_are_current = true;
  return &migrated;
}

bool
CellSchedule::kick(const unsigned int clock, const CellKick &cell_kick) const
{
  const bool are_finite = clock + 1 >= begin_of_clock.size() || kick_home(clock, cell_kick);
  if (migrated_of_clock.empty())
    return are_finite;
  const MigratedCells *migrated = current_migrated(clock);
  if (!migrated)
    return are_finite;
  CellKernels::History history;
  if (cell_kick.history)
    history = cell_kick.history->view(cell_kick.time, migrated->copies.home_slots.data());
  const CellBatches &batches = migrated->copies.batches;
  return kick_few(batches, batches.view({}, cell_kick.history ? &history : nullptr), 0,
                  batches.size(), cell_kick) &&
         are_finite;
}

void
CellSchedule::commit(const unsigned int clock, CellHistory &history) const
{
  if (clock + 1 < begin_of_clock.size())
  {
    const unsigned int begin = begin_of_clock[clock].slot, end = begin_of_clock[clock + 1].slot;
    if (end - begin == natural.size() && clock_of_absent.empty())
    {
      history.commit_all();
      return;
    }
    const auto is_at_home = [&](const unsigned int slot)
    { return absent.empty() || !(absent[slot / n_lanes] >> slot % n_lanes & 1); };
    const auto commit_home = [&](unsigned int slot, const unsigned int end)
    {
      while (slot < end)
      {
        unsigned int next = slot;
        while (next < end && is_at_home(next))
          ++next;
        history.commit(slot, next);
        slot = next + 1;
      }
    };
    // shares of whole packs: what lies in a pack is written by one thread
    const unsigned int n = n_shares(clock);
    const auto border = [&](const unsigned int i)
    {
      const unsigned int slot = begin + std::uint64_t(end - begin) * i / n;
      return i == n ? end : i == 0 ? begin : slot / n_lanes * n_lanes;
    };
    if (n == 1)
      commit_home(begin, end);
    else
      team->run(
          [&](const unsigned int i)
          {
            if (i < n)
              commit_home(border(i), border(i + 1));
          });
  }
  const auto entry = migrated_of_clock.find(clock);
  if (entry != migrated_of_clock.end())
    for (const unsigned int cell : entry->second.cells)
      history.commit(slot(cell), slot(cell) + 1);
}

unsigned int
CellSchedule::kick_in_sequence(const dealii::ArrayView<const DueClock> &due,
                               const CellKick &cell_kick,
                               const std::function<void(unsigned int)> &after) const
{
  boost::container::small_vector<CellKernels::DueSlot, 32> slots(due.size());
  bool single = clock_of_absent.empty() && cell_kick.kernel.kick_in_sequence;
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
    return cell_kick.kernel.kick_in_sequence(
        natural.view({}), slots.data(), slots.size(), cell_kick.node_lines, cell_kick.law,
        after ? call : CellKernels::AfterKick{nullptr, nullptr});
  }
  for (unsigned int i = 0; i < due.size(); ++i)
  {
    CellKick one = cell_kick;
    one.time = due[i].time;
    one.step = due[i].step;
    if (!kick(due[i].clock, one))
      return i;
    if (after)
      after(i);
  }
  return due.size();
}

bool
CellSchedule::kick_home(const unsigned int clock, const CellKick &cell_kick) const
{
  const Begin begin = begin_of_clock[clock], end = begin_of_clock[clock + 1];
  CellKernels::History history;
  if (cell_kick.history)
    history = cell_kick.history->view(cell_kick.time, nullptr);
  const auto view = natural.view(absent, cell_kick.history ? &history : nullptr);
  if (has_run(clock))
    return runs[begin.run].kick(view, cell_kick, team.get());
  return begin.slot == end.slot || kick_few(natural, view, begin.slot, end.slot, cell_kick);
}

bool
CellSchedule::kick_few(const CellBatches &batches, const CellKernels::Batches &view,
                       const unsigned int begin, const unsigned int end,
                       const CellKick &cell_kick) const
{
  bool are_finite = true;
  cell_kick.sampler.run(
      end - begin,
      [&]
      {
        cell_kick.kernels.drift(cell_kick.node_lines, batches.nodes_of(begin),
                                (end - begin) * nodes_per_cell, cell_kick.time);
      },
      [&]
      {
        are_finite = cell_kick.kernel.kick(view, begin, end, cell_kick.node_lines, cell_kick.step,
                                           cell_kick.law);
      });
  return are_finite;
}

std::size_t
CellSchedule::memory_consumption() const
{
  std::size_t bytes = natural.memory_consumption() + begin_of_clock.capacity() * sizeof(Begin) +
                      (slot_of_cell.capacity() + 2 * clock_of_absent.size()) * sizeof(unsigned int);
  if (!clock_of_absent.empty())
    bytes += absent.size();
  for (const CellRun &run : runs)
    bytes += run.memory_consumption();
  // what those that visit now need: capacities depend on earlier visits
  for (const auto &migrated : migrated_of_clock)
    bytes += natural.bytes_for(migrated.second.cells.size()) +
             migrated.second.cells.size() * sizeof(unsigned int);
  return bytes;
}
} // namespace KickDrift
