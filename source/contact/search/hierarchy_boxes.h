// Boxes of a hierarchy as it keeps them, for the files that build it and search in it.

#ifndef KICKDRIFT_SOURCE_CONTACT_SEARCH_HIERARCHY_BOXES_H
#define KICKDRIFT_SOURCE_CONTACT_SEARCH_HIERARCHY_BOXES_H

#include <kickdrift/contact/search/hierarchy.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace KickDrift
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

/// Box of a node of a tree of siblings.
template <typename Tree>
inline auto &
node_box(Tree &tree, const std::size_t node)
{
  return tree[node / 2].boxes[node % 2];
}

template <typename Siblings>
inline auto
union_of_children(const std::vector<Siblings> &boxes, const std::size_t node)
{
  return minimum(boxes[node].boxes[0], boxes[node].boxes[1]);
}

/// Boxes of all nodes from those of the leaves.
template <typename Siblings>
inline void
unite_boxes(std::vector<Siblings> &tree)
{
  for (std::size_t node = tree.size(); node-- > 1;) // half of the nodes are leaves
    node_box(tree, node) = union_of_children(tree, node);
}

/// The same for the largest sizes, by node.
inline void
unite_sizes(std::vector<float> &sizes)
{
  for (std::size_t node = sizes.size() / 2; node-- > 1;)
    sizes[node] = std::max(sizes[2 * node], sizes[2 * node + 1]);
}

/// The nearest finite float. Monotone: what is ordered stays so, or becomes equal.
inline float
single_precision(const double x)
{
  return static_cast<float>(std::min(std::max(x, -double(FLT_MAX)), double(FLT_MAX)));
}

template <int spacedim>
inline typename Hierarchy<spacedim>::FloatBox
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

/// A view from a place, prepared to be asked about nodes of the tree.
template <int spacedim>
class Hierarchy<spacedim>::Filter
{
public:
  /// Throws if the hierarchy, which must outlive the filter, has no directions.
  Filter(const Hierarchy &hierarchy, const Box<spacedim> &place, const NormalCone &cone)
      : hierarchy(hierarchy),
        from(relative(place, hierarchy.origin)),
        limit(cone.limit),
        depth(cone.depth),
        has_depth(std::isfinite(cone.depth))
  {
    AssertThrow(!hierarchy.direction_tree.empty() || hierarchy.n_leaves() == 0,
                dealii::ExcMessage("This hierarchy was built without directions."));
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      weights.entries[d] = std::max(cone.direction[d], 0.);
      weights.entries[n_half + d] = std::max(-cone.direction[d], 0.);
    }
    float largest = 0;
    for (unsigned int i = 0; i < 2 * n_half && hierarchy.n_leaves() > 0; ++i)
      largest = std::max(
          {largest, std::abs(from.entries[i]), std::abs(node_box(hierarchy.tree, 1).entries[i])});
    rounding = 32 * FLT_EPSILON * largest;
  }

  /// May there be leaves of interest below @p node?
  bool
  keeps(const std::size_t node) const
  {
    return faces_right(node) && !(has_depth && is_far_side(node));
  }

private:
  /// The smallest n . direction over a box of n is a product with its lower and negative upper
  /// bounds.
  bool
  faces_right(const std::size_t node) const
  {
    const FloatBox &n = node_box(hierarchy.direction_tree, node);
    Float4 products = load(weights.entries) * load(n.entries);
    if constexpr (n_half == 4)
      products += load(weights.entries + 4) * load(n.entries + 4);
    return (products[0] + products[1]) + (products[2] + products[3]) <= limit;
  }

  /// Is n . (p - x) too small for all directions n, points p of the place, and points x?
  bool
  is_far_side(const std::size_t node) const
  {
    const FloatBox &x = node_box(hierarchy.tree, node),
                   &n = node_box(hierarchy.direction_tree, node);
    float largest = 0;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const float lower = from.entries[d] + x.entries[n_half + d];
      const float upper = -from.entries[n_half + d] - x.entries[d];
      largest += std::max(std::max(n.entries[d] * lower, n.entries[d] * upper),
                          std::max(-n.entries[n_half + d] * lower, -n.entries[n_half + d] * upper));
    }
    return largest < -depth * hierarchy.largest_sizes[node] - rounding;
  }

  const Hierarchy &hierarchy;
  FloatBox from, weights{};
  float limit, depth, rounding;
  bool has_depth;
};
} // namespace KickDrift

#endif
