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
} // namespace KickDrift

#endif
