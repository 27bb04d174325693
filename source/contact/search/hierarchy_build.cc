// Construction of a hierarchy, and new boxes for all of its leaves.

#include "hierarchy_boxes.h"

#include <array>
#include <numeric>
#include <string>
#include <tuple>

namespace KickDrift
{
namespace
{
// A tree is built anew when its cost has become this multiple of what it was.
constexpr double degraded = 1.5;

/// The centre of the box; in a direction in which it has one finite bound only that, or else zero.
template <int spacedim>
dealii::Point<spacedim>
finite_centre(const Box<spacedim> &box)
{
  dealii::Point<spacedim> centre;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    const double lower = box.lower[d], upper = box.upper[d];
    if (std::isfinite(lower))
      centre[d] = std::isfinite(upper) ? 0.5 * lower + 0.5 * upper : lower;
    else if (std::isfinite(upper))
      centre[d] = upper;
  }
  return centre;
}

template <int spacedim>
struct Centre
{
  dealii::Point<spacedim> point;
  unsigned int leaf;
};

/// Finite points of all boxes that are not empty.
template <int spacedim>
std::vector<Centre<spacedim>>
finite_centres(const std::vector<Box<spacedim>> &boxes)
{
  std::vector<Centre<spacedim>> centres;
  centres.reserve(boxes.size());
  for (unsigned int i = 0; i < boxes.size(); ++i)
    if (!is_empty(boxes[i]))
      centres.push_back({finite_centre(boxes[i]), i});
  return centres;
}

/// Median of every coordinate: near most of the points, wherever a few others are.
template <int spacedim>
dealii::Point<spacedim>
median(const std::vector<Centre<spacedim>> &centres)
{
  dealii::Point<spacedim> result;
  std::vector<double> coordinates(centres.size());
  for (unsigned int d = 0; d < spacedim && !centres.empty(); ++d)
  {
    std::transform(centres.begin(), centres.end(), coordinates.begin(),
                   [d](const auto &centre) { return centre.point[d]; });
    const auto middle = coordinates.begin() + coordinates.size() / 2;
    std::nth_element(coordinates.begin(), middle, coordinates.end());
    result[d] = *middle;
  }
  return result;
}

/// How far the points of a range extend in every dimension.
template <typename Iterator>
auto
extents(const Iterator begin, const Iterator end)
{
  std::array<double, decltype(begin->point)::dimension> result{};
  for (unsigned int d = 0; d < result.size() && begin != end; ++d)
  {
    const auto [lowest, highest] = std::minmax_element(
        begin, end, [d](const auto &a, const auto &b) { return a.point[d] < b.point[d]; });
    result[d] = highest->point[d] - lowest->point[d];
  }
  return result;
}

/**
 * Order points such that neighbours in space get near each other: cut across the longest extent
 * into two parts, order these. The first part fills half of the @p capacity, a power of two, so
 * that every part lies below a node of its own in the complete binary tree. Of points with the
 * same coordinate there the next longest extent decides.
 */
template <typename Iterator>
void
order_in_space(const Iterator begin, const Iterator end, const std::size_t capacity)
{
  const std::size_t size = end - begin;
  if (size < 2)
    return;
  const std::size_t half = capacity / 2;
  if (size <= half)
  {
    order_in_space(begin, end, half);
    return;
  }
  const auto lengths = extents(begin, end);
  std::array<unsigned int, std::tuple_size_v<decltype(lengths)>> dimensions;
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](const unsigned int a, const unsigned int b)
                   { return lengths[a] > lengths[b]; });
  const Iterator middle = begin + half;
  std::nth_element(begin, middle, end,
                   [&dimensions](const auto &a, const auto &b)
                   {
                     for (const unsigned int d : dimensions)
                       if (a.point[d] != b.point[d])
                         return a.point[d] < b.point[d];
                     return false;
                   });
  order_in_space(begin, middle, half);
  order_in_space(middle, end, half);
}
} // namespace

template <int spacedim>
void
Hierarchy<spacedim>::build(const std::vector<Box<spacedim>> &leaves)
{
  AssertThrow(leaves.size() < std::numeric_limits<unsigned int>::max(),
              dealii::ExcMessage("Too many leaves for a hierarchy."));
  first_leaf = 1;
  while (first_leaf < leaves.size())
    first_leaf *= 2;
  // empty boxes come last
  constexpr unsigned int no_position = std::numeric_limits<unsigned int>::max();
  leaf_at_position.clear();
  position_of_leaf.assign(leaves.size(), no_position);
  const auto append = [this](const unsigned int leaf)
  {
    position_of_leaf[leaf] = leaf_at_position.size();
    leaf_at_position.push_back(leaf);
  };
  auto centres = finite_centres(leaves);
  origin = median(centres);
  order_in_space(centres.begin(), centres.end(), first_leaf);
  for (const auto &centre : centres)
    append(centre.leaf);
  for (unsigned int leaf = 0; leaf < leaves.size(); ++leaf)
    if (position_of_leaf[leaf] == no_position)
      append(leaf);

  Siblings empty;
  std::fill_n(&empty.boxes[0].entries[0], 2 * n_half, std::numeric_limits<float>::infinity());
  empty.boxes[1] = empty.boxes[0];
  tree.assign(first_leaf, empty);
  fit(leaves);

  cost_when_built = surface_area_cost();
  if (group_of_leaf.size() == leaves.size())
    find_groups();
  else
    group_of_leaf.clear();
}

template <int spacedim>
void
Hierarchy<spacedim>::set_groups(std::vector<unsigned int> groups)
{
  AssertThrow(groups.size() == n_leaves(), dealii::ExcDimensionMismatch(groups.size(), n_leaves()));
  group_of_leaf = std::move(groups);
  find_groups();
}

template <int spacedim>
void
Hierarchy<spacedim>::find_groups()
{
  group_of_node.assign(2 * first_leaf, no_group);
  for (std::size_t i = 0; i < n_leaves(); ++i)
    group_of_node[first_leaf + position_of_leaf[i]] = group_of_leaf[i];
  for (std::size_t node = first_leaf; node-- > 1;)
  {
    const unsigned int left = group_of_node[2 * node], right = group_of_node[2 * node + 1];
    group_of_node[node] = left == right || right == no_group ? left
                          : left == no_group                 ? right
                                                             : several_groups;
  }
}

template <int spacedim>
void
Hierarchy<spacedim>::fit(const std::vector<Box<spacedim>> &leaves)
{
  for (std::size_t i = 0; i < leaves.size(); ++i)
    node_box(tree, first_leaf + position_of_leaf[i]) = relative(leaves[i], origin);
  unite_boxes(tree);
}

template <int spacedim>
void
Hierarchy<spacedim>::refit(const std::vector<Box<spacedim>> &leaves)
{
  AssertThrow(leaves.size() == n_leaves(),
              dealii::ExcMessage("A hierarchy of " + std::to_string(n_leaves()) +
                                 " leaves cannot be refitted with " +
                                 std::to_string(leaves.size()) + " boxes; build it anew."));
  if (leaves.empty())
    return;
  fit(leaves);

  // an origin far away, compared with the size of the scene, costs digits
  const FloatBox all = node_box(tree, 1);
  float size = 0, distance = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    size = std::max(size, -all.entries[d] - all.entries[n_half + d]);
    distance = std::max(distance, std::abs(all.entries[d] - all.entries[n_half + d]));
  }
  if (distance > 16 * size)
  {
    origin = median(finite_centres(leaves));
    fit(leaves);
  }
  if (surface_area_cost() > degraded * cost_when_built)
    build(leaves);
}

template void Hierarchy<2>::build(const std::vector<Box<2>> &);
template void Hierarchy<3>::build(const std::vector<Box<3>> &);
template void Hierarchy<2>::set_groups(std::vector<unsigned int>);
template void Hierarchy<3>::set_groups(std::vector<unsigned int>);
template void Hierarchy<2>::refit(const std::vector<Box<2>> &);
template void Hierarchy<3>::refit(const std::vector<Box<3>> &);
} // namespace KickDrift
