#include <kickdrift/contact/bounding_volumes.h>
#include <kickdrift/contact/position_code_grid.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace KickDrift
{
namespace
{
constexpr std::uint64_t no_code = -1;

/// Bits of a code by direction, such that all fit into 64 bits and no code is no_code.
template <int spacedim>
constexpr int n_bits = spacedim == 2 ? 31 : 21;

} // namespace

template <int spacedim>
typename PositionCodeGrid<spacedim>::Range
PositionCodeGrid<spacedim>::range_of(const Box<spacedim> &box) const
{
  Range range{{}, {}, is_empty(box) ? 0. : 1.};
  for (unsigned int d = 0; d < spacedim && !range.is_empty(); ++d)
  {
    constexpr double limit = 1 << (n_bits<spacedim> - 2);
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

/// Lebesgue's curve: the bits of the coordinates in turn.
template <int spacedim>
std::uint64_t
PositionCodeGrid<spacedim>::code_of(const Cell &cell)
{
  std::uint64_t code = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    std::uint64_t x = std::uint32_t(cell[d] + (1 << (n_bits<spacedim> - 1)));
    // spread the bits by shifting halves apart
    if constexpr (spacedim == 2)
    {
      x = (x | x << 16) & 0x0000ffff0000ffff;
      x = (x | x << 8) & 0x00ff00ff00ff00ff;
      x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
      x = (x | x << 2) & 0x3333333333333333;
      x = (x | x << 1) & 0x5555555555555555;
    }
    else
    {
      x = (x | x << 32) & 0x001f00000000ffff;
      x = (x | x << 16) & 0x001f0000ff0000ff;
      x = (x | x << 8) & 0x100f00f00f00f00f;
      x = (x | x << 4) & 0x10c30c30c30c30c3;
      x = (x | x << 2) & 0x1249249249249249;
    }
    code |= x << d;
  }
  return code;
}

template <int spacedim>
template <typename Visit>
void
PositionCodeGrid<spacedim>::for_each_cell(const Range &range, const Visit &visit)
{
  Cell cell = range.first;
  while (true)
  {
    visit(cell);
    unsigned int d = 0;
    while (d < spacedim && cell[d] == range.last[d])
    {
      cell[d] = range.first[d];
      ++d;
    }
    if (d == spacedim)
      return;
    ++cell[d];
  }
}

/// Position of a code in the table, or of the free slot where it would be. Neighbours along the
/// curve stay neighbours in groups of eight.
template <int spacedim>
unsigned int
PositionCodeGrid<spacedim>::find(const std::uint64_t code) const
{
  const std::size_t mask = slots.size() - 1;
  std::size_t i = (((code >> 3) * 0x9e3779b97f4a7c15ull) >> 29) * 8 + (code & 7);
  while (slots[i & mask].code != code && slots[i & mask].code != no_code)
    ++i;
  return i & mask;
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
  constexpr std::int32_t limit = 1 << (n_bits<spacedim> - 3);
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

/// Calls @p visit (leaf) for all leaves whose boxes overlap @p box, in no particular order.
template <int spacedim>
template <typename Visit>
void
PositionCodeGrid<spacedim>::for_each_overlap(const Box<spacedim> &box, const Visit &visit) const
{
  const Range range = range_of(box);
  if (range.is_empty())
    return;
  if (range.n_cells > n_leaves())
  {
    for (unsigned int leaf = 0; leaf < n_leaves(); ++leaf)
      if (!ranges[leaf].is_empty() && overlap(boxes[leaf], box))
        visit(leaf);
    return;
  }
  for (const unsigned int leaf : large)
    if (overlap(boxes[leaf], box))
      visit(leaf);
  for_each_cell(range,
                [&](const Cell &cell)
                {
                  unsigned int entry = slots[find(code_of(cell))].entry;
                  for (; entry != none; entry = entries[entry].next)
                  {
                    const unsigned int leaf = entries[entry].leaf;
                    // of all cells that the two have in common only the first reports
                    bool is_first = true;
                    for (unsigned int d = 0; d < spacedim; ++d)
                      is_first =
                          is_first && cell[d] == std::max(range.first[d], ranges[leaf].first[d]);
                    if (is_first && overlap(boxes[leaf], box))
                      visit(leaf);
                  }
                });
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const
{
  const std::size_t n_before = hits.size();
  for_each_overlap(box, [&](const unsigned int leaf) { hits.push_back(leaf); });
  // their order in the cells depends on all updates since build()
  std::sort(hits.begin() + n_before, hits.end());
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::query(const Box<spacedim> &from, const double radius, const View &view,
                                  std::vector<unsigned int> &hits) const
{
  check_directions();
  const std::size_t n_before = hits.size();
  for_each_overlap(grown(from, radius),
                   [&](const unsigned int leaf)
                   {
                     if (is_wanted(leaf, from, view))
                       hits.push_back(leaf);
                   });
  std::sort(hits.begin() + n_before, hits.end());
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::check_directions() const
{
  AssertThrow(directions.size() == n_leaves(),
              dealii::ExcMessage("This grid was built without directions."));
}

/// Does a view from all of @p from ask for this leaf?
template <int spacedim>
bool
PositionCodeGrid<spacedim>::is_wanted(const unsigned int leaf, const Box<spacedim> &from,
                                      const View &view) const
{
  const Box<spacedim> &n = directions[leaf], &x = boxes[leaf];
  // the smallest product, and the largest n . (p - x) of all points p of the place
  double product = 0, height = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    product += std::min(n.lower[d] * view.direction[d], n.upper[d] * view.direction[d]);
    const double lower = from.lower[d] - x.upper[d], upper = from.upper[d] - x.lower[d];
    height +=
        std::max({n.lower[d] * lower, n.lower[d] * upper, n.upper[d] * lower, n.upper[d] * upper});
  }
  return product <= view.limit && !(height < -view.depth * sizes[leaf]);
}

/// The smallest of what @p distance_to_leaf gives, or @p furthest.
template <int spacedim>
template <typename Distance>
double
PositionCodeGrid<spacedim>::find_nearest(const Box<spacedim> &from, const double furthest,
                                         const Distance &distance_to_leaf) const
{
  if (is_empty(from))
    return furthest;
  double nearest = furthest, asked_up_to = 0;
  for (double radius = cell_size;; radius *= 2)
  {
    const auto ask = [&](const unsigned int leaf, const double up_to)
    {
      const double to_box = distance_bound(from, boxes[leaf]);
      if (asked_up_to <= to_box && to_box <= up_to && to_box < nearest)
        nearest = std::min(nearest, distance_to_leaf(leaf, to_box));
    };
    const Box<spacedim> around = grown(from, radius);
    const double n_cells = range_of(around).n_cells;
    if (!(n_cells > 0 && n_cells <= n_leaves())) // also what is not finite
    {
      for (unsigned int leaf = 0; leaf < n_leaves(); ++leaf)
        if (!ranges[leaf].is_empty())
          ask(leaf, std::numeric_limits<double>::infinity());
      return nearest;
    }
    for_each_overlap(around, [&](const unsigned int leaf) { ask(leaf, radius); });
    if (nearest <= radius)
      return nearest;
    asked_up_to = radius;
  }
}

template <int spacedim>
double
PositionCodeGrid<spacedim>::distance(const Box<spacedim> &box) const
{
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return (1 - rounding) * find_nearest(box, std::numeric_limits<double>::infinity(),
                                       [](const unsigned int, const double to_box)
                                       { return to_box; });
}

template <int spacedim>
double
PositionCodeGrid<spacedim>::distance(
    const Box<spacedim> &from, const View &view, const double furthest,
    const std::function<double(unsigned int)> &distance_to_leaf) const
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_directions();
  return find_nearest(from, furthest,
                      [&](const unsigned int leaf, const double)
                      { return is_wanted(leaf, from, view) ? distance_to_leaf(leaf) : infinity; });
}

template class PositionCodeGrid<2>;
template class PositionCodeGrid<3>;
} // namespace KickDrift
