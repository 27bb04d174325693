#include "hierarchy_boxes.h"

namespace KickDrift
{
namespace
{
// Coordinates are rounded to single precision; those of the query and those of the leaf.
constexpr float rounding = 2.5e-7f;

/// Square of the distance of two boxes, given by lower and negative upper bounds.
template <typename FloatBox>
inline float
square_of_distance(const FloatBox &a, const FloatBox &b)
{
  constexpr unsigned int n_half = sizeof(FloatBox) / (2 * sizeof(float));
  if constexpr (n_half == 4)
  {
    const Float4 a_lower = load(a.entries), a_upper = load(a.entries + 4),
                 b_lower = load(b.entries), b_upper = load(b.entries + 4);
    const Float4 before = a_lower + b_upper, behind = a_upper + b_lower, zero{};
    Float4 gap = before > behind ? before : behind;
    gap = gap > zero ? gap : zero;
    gap *= gap;
    return (gap[0] + gap[1]) + (gap[2] + gap[3]);
  }
  float sum = 0;
  for (unsigned int d = 0; d < n_half; ++d)
  {
    const float gap = std::max(
        std::max(a.entries[d] + b.entries[n_half + d], a.entries[n_half + d] + b.entries[d]), 0.f);
    sum += gap * gap;
  }
  return sum;
}

/// Finite for any finite distance.
inline float
square_of(const double distance)
{
  const double square = distance * distance;
  return std::isfinite(distance) && square > FLT_MAX ? FLT_MAX : static_cast<float>(square);
}
} // namespace

/// Branch and bound. Nodes, the root among them, that @p keeps (node) is false for are left out;
/// what @p square_of_leaf (node, square of the distance of its box) gives is the square of the
/// distance of a leaf.
template <int spacedim>
template <typename Keep, typename SquareOfLeaf>
double
Hierarchy<spacedim>::find_nearest(const Box<spacedim> &box, const double furthest,
                                  const Keep &keeps, const SquareOfLeaf &square_of_leaf) const
{
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (n_leaves() == 0 || !keeps(1))
    return furthest;
  const FloatBox target = relative(box, origin);
  const auto square = [&](const std::size_t node)
  { return square_of_distance(node_box(tree, node), target); };

  // nearer children first; the others wait with their distances
  struct Waiting
  {
    std::size_t node;
    float square;
  };
  Waiting waiting[8 * sizeof(std::size_t)];
  unsigned int n_waiting = 0;
  float best = square_of(furthest);
  std::size_t node = 1;
  float here = square(1);
  while (true)
  {
    if (here < best)
    {
      if (node >= first_leaf)
        best = std::min(best, square_of_leaf(node, here));
      else
      {
        const auto square_if_kept = [&](const std::size_t child)
        {
          const float of_box = square(child);
          return of_box < best && keeps(child) ? of_box : infinity;
        };
        float left = square_if_kept(2 * node), right = square_if_kept(2 * node + 1);
        std::size_t near = 2 * node, far = 2 * node + 1;
        if (right < left)
        {
          std::swap(left, right);
          std::swap(near, far);
        }
        if (right < best)
          waiting[n_waiting++] = {far, right};
        node = near;
        here = left;
        continue;
      }
    }
    if (best == 0 || n_waiting == 0)
      break;
    --n_waiting;
    node = waiting[n_waiting].node;
    here = waiting[n_waiting].square;
  }
  if (!(best < infinity))
    return furthest;
  // what rounding may have added: the coordinates are no larger than those of both boxes
  const FloatBox &all = node_box(tree, 1);
  float size = 0;
  for (unsigned int i = 0; i < 2 * n_half; ++i)
    size = std::max(size, std::max(std::abs(all.entries[i]), std::abs(target.entries[i])));
  const double nearest =
      std::sqrt(double(best)) * (1 - 1e-6) - 2 * spacedim * rounding * double(size);
  return std::min(furthest, std::max(0., nearest));
}

template <int spacedim>
double
Hierarchy<spacedim>::distance(const Box<spacedim> &box) const
{
  return find_nearest(
      box, std::numeric_limits<double>::infinity(), [](const std::size_t) { return true; },
      [](const std::size_t, const float square) { return square; });
}

template <int spacedim>
double
Hierarchy<spacedim>::distance(const Box<spacedim> &from, const NormalCone &cone,
                              const double furthest,
                              const std::function<double(unsigned int)> &distance_to_leaf) const
{
  const Filter filter(*this, from, cone);
  return find_nearest(
      from, furthest, [&](const std::size_t node) { return filter.keeps(node); },
      [&](const std::size_t node, const float)
      { return square_of(distance_to_leaf(leaf_at_position[node - first_leaf])); });
}

template double Hierarchy<2>::distance(const Box<2> &) const;
template double Hierarchy<3>::distance(const Box<3> &) const;
template double Hierarchy<2>::distance(const Box<2> &, const NormalCone &, double,
                                       const std::function<double(unsigned int)> &) const;
template double Hierarchy<3>::distance(const Box<3> &, const NormalCone &, double,
                                       const std::function<double(unsigned int)> &) const;
} // namespace KickDrift
