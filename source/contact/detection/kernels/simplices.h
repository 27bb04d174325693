#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_SIMPLICES_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_SIMPLICES_H

// Included by the kernels of one instruction set, whose namespace KICKDRIFT_ISA names.

#include "lanes.h"
#include "quadrilaterals.h"

namespace KickDrift
{
namespace FaceKernels
{
namespace KICKDRIFT_ISA
{
/// Parameter in [0,1] of the point of the segment from @p a along @p ab closest to the node.
KICKDRIFT_INLINE Lanes
closest_on_segment(const Vectors &a, const Vectors &ab)
{
  return clamped(-(a * ab) / (ab * ab), all(0), all(1));
}

/// Segments in the plane.
struct Segments
{
  static constexpr unsigned int n_corners = 2;

  /// @p x : corners seen from the nodes. No guess is needed.
  static KICKDRIFT_INLINE Projections
  closest(const Vectors (&x)[n_corners], const Lanes &, const Lanes &)
  {
    Projections p;
    const Vectors ab = x[1] - x[0];
    const Lanes t = closest_on_segment(x[0], ab), length = root(ab * ab);
    const Vectors away = x[0] + t * ab;
    p.weights[0] = 1. - t, p.weights[1] = t, p.weights[2] = p.weights[3] = all(0);
    p.place[0] = 2. * t - 1., p.place[1] = all(0);
    p.normal = {ab.y / length, -ab.x / length, all(0)};
    p.depth = p.normal * away;
    p.distance = root(away * away);
    p.to_edges[0] = t * length, p.to_edges[1] = (1. - t) * length;
    p.to_edges[2] = p.to_edges[3] = all(__builtin_inf());
    p.is_certain = length > 0.;
    return p;
  }
};

/// Triangles; corners w = (1 - place[0] - place[1], place[0], place[1]).
struct Triangles
{
  static constexpr unsigned int n_corners = 3;

  /// @p x : corners seen from the nodes. No guess is needed.
  static KICKDRIFT_INLINE Projections
  closest(const Vectors (&x)[n_corners], const Lanes &, const Lanes &)
  {
    const Vectors ab = x[1] - x[0], ac = x[2] - x[0], bc = x[2] - x[1];
    const Vectors area = cross_product(ab, ac);
    const Lanes square = area * area, length = root(square);
    // barycentric coordinates of the projection onto the plane
    Lanes b = area * cross_product(ac, x[0]) / square, c = area * cross_product(x[0], ab) / square;
    const Mask is_inside = (b >= 0.) & (c >= 0.) & (b + c <= 1.);
    if (any(~is_inside))
      clamp_to_edges(x, ab, ac, bc, is_inside, b, c);
    Projections p;
    const Lanes a = 1. - b - c;
    p.weights[0] = a, p.weights[1] = b, p.weights[2] = c, p.weights[3] = all(0);
    p.place[0] = b, p.place[1] = c;
    const Vectors away = x[0] + b * ab + c * ac;
    p.normal = (1. / length) * area;
    p.depth = p.normal * away;
    p.distance = root(away * away);
    p.to_edges[0] = a * (length / root(bc * bc));
    p.to_edges[1] = b * (length / root(ac * ac));
    p.to_edges[2] = c * (length / root(ab * ab));
    p.to_edges[3] = all(__builtin_inf());
    p.is_certain = length > degenerate * (ab * ab + ac * ac);
    return p;
  }

private:
  /// The closest points of the edges instead, where the projection is not inside.
  static KICKDRIFT_INLINE void
  clamp_to_edges(const Vectors (&x)[n_corners], const Vectors &ab, const Vectors &ac,
                 const Vectors &bc, const Mask &is_inside, Lanes &b, Lanes &c)
  {
    const Lanes t_ab = closest_on_segment(x[0], ab), t_ac = closest_on_segment(x[0], ac),
                t_bc = closest_on_segment(x[1], bc);
    const Vectors on_ab = x[0] + t_ab * ab, on_ac = x[0] + t_ac * ac, on_bc = x[1] + t_bc * bc;
    const Lanes d_ab = on_ab * on_ab, d_ac = on_ac * on_ac, d_bc = on_bc * on_bc;
    const Mask takes_ab = (d_ab <= d_ac) & (d_ab <= d_bc), takes_ac = d_ac <= d_bc;
    b = is_inside ? b : (takes_ab ? t_ab : (takes_ac ? all(0) : 1. - t_bc));
    c = is_inside ? c : (takes_ab ? all(0) : (takes_ac ? t_ac : t_bc));
  }
};
} // namespace KICKDRIFT_ISA
} // namespace FaceKernels
} // namespace KickDrift

#endif
