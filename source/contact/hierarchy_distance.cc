#include <kickdrift/contact/hierarchy.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace KickDrift
{
namespace
{
// Coordinates are rounded to single precision; those of the query and those of the leaf.
constexpr float rounding = 2.5e-7f;

using Float4 = float __attribute__((vector_size(16)));

/// Square of the distance of two boxes, given by lower and negative upper bounds.
template <typename FloatBox>
inline float
square_of_distance(const FloatBox &a, const FloatBox &b)
{
  constexpr unsigned int n_half = sizeof(FloatBox) / (2 * sizeof(float));
  if constexpr (n_half == 4)
  {
    Float4 a_lower, a_upper, b_lower, b_upper;
    std::memcpy(&a_lower, a.entries, sizeof(Float4));
    std::memcpy(&a_upper, a.entries + 4, sizeof(Float4));
    std::memcpy(&b_lower, b.entries, sizeof(Float4));
    std::memcpy(&b_upper, b.entries + 4, sizeof(Float4));
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
} // namespace

template <int spacedim>
double
Hierarchy<spacedim>::distance(const Box<spacedim> &box) const
{
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (n_leaves() == 0)
    return infinity;
  const FloatBox target = relative(box, origin);
  const auto square = [&](const std::size_t node)
  { return square_of_distance(tree[node / 2].boxes[node % 2], target); };

  // nearer children first; the others wait with their distances
  struct Waiting
  {
    std::size_t node;
    float square;
  };
  Waiting waiting[8 * sizeof(std::size_t)];
  unsigned int n_waiting = 0;
  float best = infinity;
  std::size_t node = 1;
  float here = square(1);
  while (true)
  {
    if (here < best)
    {
      if (node >= first_leaf)
        best = here;
      else
      {
        float left = square(2 * node), right = square(2 * node + 1);
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
    return infinity;
  // what rounding may have added: the coordinates are no larger than those of both boxes
  const FloatBox &all = tree[0].boxes[1];
  float size = 0;
  for (unsigned int i = 0; i < 2 * n_half; ++i)
    size = std::max(size, std::max(std::abs(all.entries[i]), std::abs(target.entries[i])));
  return std::max(0.,
                  std::sqrt(double(best)) * (1 - 1e-6) - 2 * spacedim * rounding * double(size));
}

template double Hierarchy<2>::distance(const Box<2> &) const;
template double Hierarchy<3>::distance(const Box<3> &) const;
} // namespace KickDrift
