#include <kickdrift/contact/hierarchy.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace KickDrift
{
namespace
{
/// Four floats on which the compiler computes at once, on any processor.
using Float4 = float __attribute__((vector_size(16)));
using Mask4 = std::int32_t __attribute__((vector_size(16)));

inline Float4
load(const float *entries)
{
  Float4 v;
  std::memcpy(&v, entries, sizeof(v));
  return v;
}

inline void
store(const Float4 &v, float *entries)
{
  std::memcpy(entries, &v, sizeof(v));
}

inline bool
none(const Mask4 &mask)
{
  std::uint64_t words[2];
  std::memcpy(words, &mask, sizeof(mask));
  return (words[0] | words[1]) == 0;
}

/// Whether a <= b in all entries.
template <typename FloatBox>
inline bool
all_less_or_equal(const FloatBox &a, const FloatBox &b)
{
  Mask4 greater = load(a.entries) > load(b.entries);
  if constexpr (sizeof(FloatBox) == 2 * sizeof(Float4))
    greater |= load(a.entries + 4) > load(b.entries + 4);
  return none(greater);
}

template <typename FloatBox>
inline bool
equal(const FloatBox &a, const FloatBox &b)
{
  Mask4 differs = load(a.entries) != load(b.entries);
  if constexpr (sizeof(FloatBox) == 2 * sizeof(Float4))
    differs |= load(a.entries + 4) != load(b.entries + 4);
  return none(differs);
}

template <typename FloatBox>
inline FloatBox
minimum(const FloatBox &a, const FloatBox &b)
{
  FloatBox result;
  for (unsigned int i = 0; i < sizeof(FloatBox) / sizeof(float); i += 4)
  {
    const Float4 x = load(a.entries + i), y = load(b.entries + i);
    store(x < y ? x : y, result.entries + i);
  }
  return result;
}

/// The nearest finite float. Monotone: what is ordered stays so, or becomes equal.
inline float
single_precision(const double x)
{
  return static_cast<float>(std::min(std::max(x, -double(FLT_MAX)), double(FLT_MAX)));
}

template <int spacedim>
bool
is_empty(const Box<spacedim> &box)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(box.lower[d] <= box.upper[d]))
      return true;
  return false;
}

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

/// The smallest box around the points of a range that is not empty.
template <typename Iterator>
auto
bounding_box(const Iterator begin, const Iterator end)
{
  constexpr int spacedim = decltype(begin->point)::dimension;
  Box<spacedim> bounds{begin->point, begin->point};
  for (Iterator i = begin; i != end; ++i)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      bounds.lower[d] = std::min(bounds.lower[d], i->point[d]);
      bounds.upper[d] = std::max(bounds.upper[d], i->point[d]);
    }
  return bounds;
}

/**
 * Order points such that neighbours in space get near each other: cut across the longest extent
 * into two parts, order these. The first part fills half of the @p capacity, a power of two, so
 * that every part lies below a node of its own in the complete binary tree.
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
  const auto bounds = bounding_box(begin, end);
  unsigned int longest = 0;
  for (unsigned int d = 1; d < bounds.lower.dimension; ++d)
    if (bounds.upper[d] - bounds.lower[d] > bounds.upper[longest] - bounds.lower[longest])
      longest = d;

  const Iterator middle = begin + half;
  std::nth_element(begin, middle, end,
                   [longest](const auto &a, const auto &b)
                   { return a.point[longest] < b.point[longest]; });
  order_in_space(begin, middle, half);
  order_in_space(middle, end, half);
}

template <typename Siblings>
inline auto &
node_box(std::vector<Siblings> &boxes, const std::size_t node)
{
  return boxes[node / 2].boxes[node % 2];
}

template <typename Siblings>
inline auto
union_of_children(const std::vector<Siblings> &boxes, const std::size_t node)
{
  return minimum(boxes[node].boxes[0], boxes[node].boxes[1]);
}
} // namespace

template <int spacedim>
typename Hierarchy<spacedim>::FloatBox
Hierarchy<spacedim>::relative(const Box<spacedim> &box, const dealii::Point<spacedim> &origin)
{
  FloatBox result;
  if (is_empty(box))
  {
    std::fill(std::begin(result.entries), std::end(result.entries),
              std::numeric_limits<float>::infinity());
    return result;
  }
  for (unsigned int d = 0; d < n_half; ++d)
  {
    result.entries[d] = d < spacedim ? single_precision(box.lower[d] - origin[d]) : 0.f;
    result.entries[n_half + d] = d < spacedim ? single_precision(origin[d] - box.upper[d]) : 0.f;
  }
  return result;
}

template <int spacedim>
void
Hierarchy<spacedim>::build(const std::vector<Box<spacedim>> &leaves,
                           const std::vector<Box<spacedim>> &directions)
{
  AssertThrow(leaves.size() < std::numeric_limits<unsigned int>::max(),
              dealii::ExcMessage("Too many leaves for a hierarchy."));
  first_leaf = 1;
  while (first_leaf < leaves.size())
    first_leaf *= 2;
  auto centres = finite_centres(leaves);
  origin = median(centres);
  order_in_space(centres.begin(), centres.end(), first_leaf);

  // empty boxes come last
  constexpr unsigned int no_position = std::numeric_limits<unsigned int>::max();
  leaf_at_position.clear();
  position_of_leaf.assign(leaves.size(), no_position);
  const auto append = [this](const unsigned int leaf)
  {
    position_of_leaf[leaf] = leaf_at_position.size();
    leaf_at_position.push_back(leaf);
  };
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

  direction_tree.clear();
  if (directions.empty())
    return;
  AssertDimension(directions.size(), leaves.size());
  direction_tree.assign(first_leaf, empty);
  for (std::size_t i = 0; i < directions.size(); ++i)
    node_box(direction_tree, first_leaf + position_of_leaf[i]) =
        relative(directions[i], dealii::Point<spacedim>());
  for (std::size_t node = first_leaf - 1; node >= 1; --node)
    node_box(direction_tree, node) = union_of_children(direction_tree, node);
}

template <int spacedim>
unsigned int
Hierarchy<spacedim>::n_leaves() const
{
  return leaf_at_position.size();
}

template <int spacedim>
void
Hierarchy<spacedim>::fit(const std::vector<Box<spacedim>> &leaves)
{
  for (std::size_t i = 0; i < leaves.size(); ++i)
    node_box(tree, first_leaf + position_of_leaf[i]) = relative(leaves[i], origin);
  for (std::size_t node = first_leaf - 1; node >= 1; --node)
    node_box(tree, node) = union_of_children(tree, node);
}

template <int spacedim>
unsigned int
Hierarchy<spacedim>::climb(std::vector<Siblings> &boxes, const unsigned int leaf,
                           FloatBox changed) const
{
  AssertIndexRange(leaf, n_leaves());
  std::size_t node = first_leaf + position_of_leaf[leaf];
  unsigned int n_levels = 0;
  while (!equal(changed, node_box(boxes, node)))
  {
    node_box(boxes, node) = changed;
    node /= 2;
    if (node == 0)
      break;
    changed = union_of_children(boxes, node);
    ++n_levels;
  }
  return n_levels;
}

template <int spacedim>
unsigned int
Hierarchy<spacedim>::update(const unsigned int leaf, const Box<spacedim> &box)
{
  return climb(tree, leaf, relative(box, origin));
}

template <int spacedim>
void
Hierarchy<spacedim>::update_directions(const unsigned int leaf, const Box<spacedim> &directions)
{
  climb(direction_tree, leaf, relative(directions, dealii::Point<spacedim>()));
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
}

template <int spacedim>
template <typename Visit>
void
Hierarchy<spacedim>::traverse(const Box<spacedim> &box, const Visit &visit,
                              std::vector<unsigned int> &hits) const
{
  if (n_leaves() == 0)
    return;

  // A node overlaps where lower <= box.upper and -upper <= -box.lower. These are finite, which
  // shuts out empty nodes; those of an empty box are minus infinity.
  const FloatBox bounds = relative(box, origin);
  FloatBox limits;
  for (unsigned int d = 0; d < n_half; ++d)
  {
    limits.entries[d] = -bounds.entries[n_half + d];
    limits.entries[n_half + d] = -bounds.entries[d];
  }
  const auto is_wanted = [&](const std::size_t node)
  { return all_less_or_equal(tree[node / 2].boxes[node % 2], limits) && visit(node); };
  if (!is_wanted(1))
    return;
  std::size_t right_children[8 * sizeof(std::size_t)]; // that are still to be visited
  unsigned int n_right_children = 0;
  std::size_t node = 1;
  while (true)
  {
    if (node < first_leaf)
    {
      const bool left = is_wanted(2 * node), right = is_wanted(2 * node + 1);
      if (left)
      {
        if (right)
          right_children[n_right_children++] = 2 * node + 1;
        node = 2 * node;
        continue;
      }
      if (right)
      {
        node = 2 * node + 1;
        continue;
      }
    }
    else
      hits.push_back(leaf_at_position[node - first_leaf]);
    if (n_right_children == 0)
      return;
    node = right_children[--n_right_children];
  }
}

template <int spacedim>
void
Hierarchy<spacedim>::query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const
{
  traverse(
      box, [](const std::size_t) { return true; }, hits);
}

template <int spacedim>
void
Hierarchy<spacedim>::query(const Box<spacedim> &box, const dealii::Tensor<1, spacedim> &direction,
                           const double limit, std::vector<unsigned int> &hits) const
{
  AssertThrow(!direction_tree.empty() || n_leaves() == 0,
              dealii::ExcMessage("This hierarchy was built without directions."));
  // the smallest n . direction over a box of n is a product with its lower and negative upper
  // bounds
  FloatBox weights{};
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    weights.entries[d] = std::max(direction[d], 0.);
    weights.entries[n_half + d] = std::max(-direction[d], 0.);
  }
  const float bound = limit;
  const auto looks_there = [&](const std::size_t node)
  {
    const FloatBox &n = direction_tree[node / 2].boxes[node % 2];
    Float4 products = load(weights.entries) * load(n.entries);
    if constexpr (n_half == 4)
      products += load(weights.entries + 4) * load(n.entries + 4);
    return (products[0] + products[1]) + (products[2] + products[3]) <= bound;
  };
  traverse(box, looks_there, hits);
}

template class Hierarchy<2>;
template class Hierarchy<3>;
} // namespace KickDrift
