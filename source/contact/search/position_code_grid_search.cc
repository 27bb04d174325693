// What is asked of a grid: leaves near a box, and their distances.

#include "position_code_grid_cells.h"

#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/search/position_code_grid.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
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
PositionCodeGrid<spacedim>::query(const Box<spacedim> &from, const double radius,
                                  const NormalCone &cone, std::vector<unsigned int> &hits) const
{
  check_directions();
  const std::size_t n_before = hits.size();
  for_each_overlap(grown(from, radius),
                   [&](const unsigned int leaf)
                   {
                     if (is_wanted(leaf, from, cone))
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
                                      const NormalCone &cone) const
{
  const Box<spacedim> &n = directions[leaf], &x = boxes[leaf];
  // the smallest product, and the largest n . (p - x) of all points p of the place
  double product = 0, height = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    product += std::min(n.lower[d] * cone.direction[d], n.upper[d] * cone.direction[d]);
    const double lower = from.lower[d] - x.upper[d], upper = from.upper[d] - x.lower[d];
    height +=
        std::max({n.lower[d] * lower, n.lower[d] * upper, n.upper[d] * lower, n.upper[d] * upper});
  }
  return product <= cone.limit && !(height < -cone.depth * sizes[leaf]);
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
    const Box<spacedim> &from, const NormalCone &cone, const double furthest,
    const std::function<double(unsigned int)> &distance_to_leaf) const
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_directions();
  return find_nearest(from, furthest,
                      [&](const unsigned int leaf, const double)
                      { return is_wanted(leaf, from, cone) ? distance_to_leaf(leaf) : infinity; });
}

template class PositionCodeGrid<2>;
template class PositionCodeGrid<3>;
} // namespace KickDrift
