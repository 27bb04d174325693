#include "position_code_grid_cells.h"

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/search/position_code_grid.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace KickDrift
{
template <int spacedim>
typename PositionCodeGrid<spacedim>::Range
PositionCodeGrid<spacedim>::range_of(const Box<spacedim> &box) const
{
  Range range{{}, {}, is_empty(box) ? 0. : 1.};
  for (unsigned int d = 0; d < spacedim && !range.is_empty(); ++d)
  {
    constexpr double limit = 1 << (n_bits - 2);
    const auto coordinate = [&](const double x)
    {
      return std::int32_t(
          std::min(limit, std::max(-limit, std::floor((x - origin[d]) / cell_size))));
    };
    range.first[d] = coordinate(box.lower[d]);
    range.last[d] = coordinate(box.upper[d]);
    range.n_cells *= double(range.last[d]) - range.first[d] + 1;
  }
  return range;
}

template <int spacedim>
typename PositionCodeGrid<spacedim>::Slot &
PositionCodeGrid<spacedim>::slot_for(const std::uint64_t code)
{
  unsigned int i = find(code);
  if (slots[i].code == no_code)
  {
    if (2 * (n_used_slots + 1) > slots.size())
    {
      make_room();
      i = find(code);
    }
    slots[i].code = code;
    ++n_used_slots;
  }
  return slots[i];
}

/// Drop cells that have become empty, and let the table be at most half full for some time.
template <int spacedim>
void
PositionCodeGrid<spacedim>::make_room()
{
  std::vector<Slot> occupied;
  for (const Slot &slot : slots)
    if (slot.entry != none)
      occupied.push_back(slot);
  std::size_t size = 64;
  while (size < 4 * (occupied.size() + 1))
    size *= 2;
  slots.assign(size, Slot{no_code, none});
  n_used_slots = occupied.size();
  for (const Slot &slot : occupied)
    slots[find(slot.code)] = slot;
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::insert(const unsigned int leaf)
{
  const Range &range = ranges[leaf];
  if (range.is_empty())
    return;
  if (range.is_large())
  {
    large.push_back(leaf);
    return;
  }
  for_each_cell(range,
                [&](const Cell &cell)
                {
                  Slot &slot = slot_for(code_of(cell));
                  unsigned int entry = first_free;
                  if (entry == none)
                  {
                    entry = entries.size();
                    entries.emplace_back();
                  }
                  else
                    first_free = entries[entry].next;
                  entries[entry] = {leaf, slot.entry};
                  slot.entry = entry;
                });
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::remove(const unsigned int leaf)
{
  const Range &range = ranges[leaf];
  if (range.is_empty())
    return;
  if (range.is_large())
  {
    large.erase(std::find(large.begin(), large.end(), leaf));
    return;
  }
  for_each_cell(range,
                [&](const Cell &cell)
                {
                  unsigned int *link = &slots[find(code_of(cell))].entry;
                  while (entries[*link].leaf != leaf)
                    link = &entries[*link].next;
                  const unsigned int entry = *link;
                  *link = entries[entry].next;
                  entries[entry].next = first_free;
                  first_free = entry;
                });
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::build(const std::vector<Box<spacedim>> &leaves,
                                  const std::vector<Box<spacedim>> &leaf_directions,
                                  const std::vector<double> &leaf_sizes)
{
  AssertThrow((leaf_directions.empty() || leaf_directions.size() == leaves.size()) &&
                  leaf_sizes.size() == leaf_directions.size(),
              dealii::ExcMessage("There must be a box of directions and a size for each of the " +
                                 std::to_string(leaves.size()) + " leaves, or none at all; not " +
                                 std::to_string(leaf_directions.size()) + " and " +
                                 std::to_string(leaf_sizes.size()) + "."));
  boxes = leaves;
  directions = leaf_directions;
  sizes = leaf_sizes;
  double sum = 0;
  unsigned int n = 0;
  origin = dealii::Point<spacedim>();
  for (const auto &box : leaves)
  {
    double extent = 0;
    for (unsigned int d = 0; d < spacedim; ++d)
      extent = std::max(extent, box.upper[d] - box.lower[d]);
    if (is_empty(box) || !std::isfinite(extent))
      continue;
    if (n++ == 0)
      origin = box.lower;
    sum += extent;
  }
  cell_size = sum > 0 ? 1.5 * sum / n : 1.;
  list_all();
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::list_all()
{
  slots.assign(64, Slot{no_code, none});
  n_used_slots = 0;
  entries.clear();
  large.clear();
  first_free = none;
  ranges.clear();
  for (const auto &box : boxes)
    ranges.push_back(range_of(box));
  // along the curve, so that neighbours in space are neighbours in memory
  std::vector<std::pair<std::uint64_t, unsigned int>> order;
  for (unsigned int leaf = 0; leaf < n_leaves(); ++leaf)
    order.emplace_back(code_of(ranges[leaf].first), leaf);
  std::sort(order.begin(), order.end());
  for (const auto &entry : order)
    insert(entry.second);
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::update(const unsigned int leaf, const Box<spacedim> &box)
{
  AssertIndexRange(leaf, n_leaves());
  boxes[leaf] = box;
  const Range range = range_of(box), &old = ranges[leaf];
  if (range.first == old.first && range.last == old.last && range.is_empty() == old.is_empty())
    return;
  remove(leaf);
  ranges[leaf] = range;
  insert(leaf);
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::refit(const std::vector<Box<spacedim>> &leaves)
{
  AssertThrow(leaves.size() == n_leaves(),
              dealii::ExcMessage("A grid of " + std::to_string(n_leaves()) +
                                 " leaves cannot be refitted with " +
                                 std::to_string(leaves.size()) + " boxes; build it anew."));
  if (is_far_away(leaves))
    build(leaves, std::vector<Box<spacedim>>(directions), std::vector<double>(sizes));
  else
    for (unsigned int leaf = 0; leaf < leaves.size(); ++leaf)
      update(leaf, leaves[leaf]);
}

/// Is the first leaf where the codes come to an end?
template <int spacedim>
bool
PositionCodeGrid<spacedim>::is_far_away(const std::vector<Box<spacedim>> &leaves) const
{
  constexpr std::int32_t limit = 1 << (n_bits - 3);
  const auto first =
      std::find_if(leaves.begin(), leaves.end(), [](const auto &leaf) { return !is_empty(leaf); });
  if (first == leaves.end())
    return false;
  const Cell cell = range_of(*first).first;
  return std::any_of(cell.begin(), cell.end(),
                     [](const std::int32_t x) { return std::abs(x) >= limit; });
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::update_directions(const unsigned int leaf,
                                              const Box<spacedim> &leaf_directions)
{
  AssertIndexRange(leaf, directions.size());
  directions[leaf] = leaf_directions;
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::serialize(Archive &archive)
{
  archive(origin, cell_size);
  archive.fixed(boxes, directions);
  check_state(cell_size > 0 && std::isfinite(cell_size), "grid");
  if (archive.is_reading())
    list_all();
}

template class PositionCodeGrid<2>;
template class PositionCodeGrid<3>;
} // namespace KickDrift
