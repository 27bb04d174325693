#ifndef KICKDRIFT_CONTACT_CCD_IMPACT_PATCH_H
#define KICKDRIFT_CONTACT_CCD_IMPACT_PATCH_H

#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <algorithm>
#include <array>

namespace KickDrift
{
/// Parts of faces that first_contact() halves.
namespace ImpactPatches
{
using dealii::Point;

/// A part of a face, or of the differences of the points of two edges, seen from the point.
template <int spacedim>
struct Patch
{
  static constexpr unsigned int max_corners = ClosestPoint<spacedim>::max_nodes;

  std::array<MovingPoint<spacedim>, max_corners> corners;
  std::array<std::array<double, 2>, max_corners> coordinates; ///< of the corners, on the whole face
  unsigned int n_corners;
  double excluded_until; ///< [time]

  ClosestPoint<spacedim>
  closest_to_origin(const double time) const
  {
    std::array<Point<spacedim>, max_corners> x;
    for (unsigned int i = 0; i < n_corners; ++i)
      x[i] = corners[i].at(time);
    if constexpr (spacedim == 3)
      if (n_corners == 2)
      {
        // a triangle without area
        x[2] = x[1];
        auto closest = closest_point(x.data(), 3, Point<3>());
        closest.weights[1] += closest.weights[2];
        return closest;
      }
    return closest_point(x.data(), n_corners, Point<spacedim>());
  }
};

/// Corners 0..n-1 of a patch and the position on the whole face half-way between two of them.
template <int spacedim>
void
set_to_middle(Patch<spacedim> &patch, const unsigned int i, const Patch<spacedim> &whole,
              const unsigned int a, const unsigned int b)
{
  const auto &x = whole.corners[a], &y = whole.corners[b];
  patch.corners[i].position = x.position + 0.5 * (y.position - x.position);
  patch.corners[i].velocity = 0.5 * (x.velocity + y.velocity);
  for (unsigned int k = 0; k < 2; ++k)
    patch.coordinates[i][k] = 0.5 * (whole.coordinates[a][k] + whole.coordinates[b][k]);
}

/// How much the ends of an edge differ while a time passes.
template <int spacedim>
double
extent(const MovingPoint<spacedim> &a, const MovingPoint<spacedim> &b, const double time,
       const double duration)
{
  return (a.at(time) - b.at(time)).norm_square() +
         (duration * (a.velocity - b.velocity)).norm_square();
}

/// Halve a patch across its longer side; both halves are excluded as long as the whole was.
template <int spacedim>
std::array<Patch<spacedim>, 2>
halves(const Patch<spacedim> &whole, const double time, const double duration)
{
  std::array<Patch<spacedim>, 2> parts = {{whole, whole}};
  const auto size = [&](const unsigned int a, const unsigned int b)
  { return extent(whole.corners[a], whole.corners[b], time, duration); };
  // edges {a,b} cut in the middle: the first half keeps a, the second b
  const auto cut = [&](const unsigned int a, const unsigned int b)
  {
    set_to_middle(parts[0], b, whole, a, b);
    set_to_middle(parts[1], a, whole, a, b);
  };
  if constexpr (spacedim == 3)
  {
    if (whole.n_corners == 2)
      cut(0, 1);
    else if (whole.n_corners == 4)
    {
      if (std::max(size(0, 1), size(2, 3)) >= std::max(size(0, 2), size(1, 3)))
      {
        cut(0, 1);
        cut(2, 3);
      }
      else
      {
        cut(0, 2);
        cut(1, 3);
      }
    }
    else
    {
      // the shortest edge {b,c} and the corner opposite to it
      unsigned int a = 0;
      for (unsigned int i = 1; i < 3; ++i)
        if (size((i + 1) % 3, (i + 2) % 3) < size((a + 1) % 3, (a + 2) % 3))
          a = i;
      const unsigned int b = (a + 1) % 3, c = (a + 2) % 3;
      if (4 * size(b, c) < std::max(size(a, b), size(a, c)))
      {
        // slender: a triangle half as long, and the trapezoid that remains
        cut(a, b);
        cut(a, c);
        parts[1].n_corners = 4;
        set_to_middle(parts[1], 0, whole, a, b);
        set_to_middle(parts[1], 1, whole, a, c);
        parts[1].corners[2] = whole.corners[b];
        parts[1].coordinates[2] = whole.coordinates[b];
        parts[1].corners[3] = whole.corners[c];
        parts[1].coordinates[3] = whole.coordinates[c];
      }
      else if (size(a, b) >= size(a, c))
        cut(a, b);
      else
        cut(a, c);
    }
  }
  else
    cut(0, 1);
  return parts;
}

} // namespace ImpactPatches
} // namespace KickDrift

#endif
