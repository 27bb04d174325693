#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_QUADRILATERALS_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_KERNELS_QUADRILATERALS_H

// Included by the kernels of one instruction set, whose namespace KICKDRIFT_ISA names.

#include "lanes.h"

namespace KickDrift
{
namespace FaceKernels
{
namespace KICKDRIFT_ISA
{
/// Projection of each pair, by lane.
struct Projections
{
  Lanes weights[4], place[2], to_edges[4];
  Vectors normal;
  Lanes depth, distance;
  Mask is_certain;
};

/// Faces whose area is smaller than this times the square of their size are left to others.
constexpr double degenerate = 1e-6;

/**
 * Bilinear quadrilaterals x(r,s) - y = c + r a + s b + rs d on [-1,1]^2, seen from the nodes y, and
 * half the squared distance f(r,s): see closest_on_quadrilateral(), which finds the same.
 */
class Quadrilaterals
{
public:
  static constexpr unsigned int n_corners = 4;

  /// @p x : corners seen from the nodes; @p r, @p s : first guess.
  static KICKDRIFT_INLINE Projections
  closest(const Vectors (&x)[n_corners], Lanes r, Lanes s)
  {
    const Quadrilaterals faces(x);
    const Mask has_converged = faces.minimise(r, s);
    return faces.at(r, s, has_converged);
  }

private:
  KICKDRIFT_INLINE
  Quadrilaterals(const Vectors (&x)[n_corners])
  {
    const Vectors lower = x[1] - x[0], upper = x[3] - x[2], left = x[2] - x[0], right = x[3] - x[1];
    const Lanes quarter = all(0.25);
    c = quarter * ((x[0] + x[3]) + (x[1] + x[2]));
    a = quarter * (lower + upper);
    b = quarter * (left + right);
    d = quarter * (upper - lower);
    aa = a * a, bb = b * b, dd = d * d;
    ab = a * b, ad = a * d, bd = b * d;
    ca = c * a, cb = c * b, cd_ab = c * d + ab;
  }

  /// Minimise f over r for this s.
  KICKDRIFT_INLINE Lanes
  best_r(const Lanes &s) const
  {
    return clamped(-(ca + s * (cd_ab + s * bd)) / (aa + s * (2. * ad + s * dd)), all(-1), all(1));
  }

  /// Minimise f over s for this r.
  KICKDRIFT_INLINE Lanes
  best_s(const Lanes &r) const
  {
    return clamped(-(cb + r * (cd_ab + r * ad)) / (bb + r * (2. * bd + r * dd)), all(-1), all(1));
  }

  /// Newton's method. A coordinate at a bound that the gradient pushes against is kept, and the
  /// other is minimised exactly; a step that leaves the square is cut in one coordinate, the same.
  /// Returns which have converged.
  KICKDRIFT_INLINE Mask
  minimise(Lanes &r, Lanes &s) const
  {
    constexpr unsigned int max_iterations = 6;
    constexpr double tolerance = 1e-7; // of the last step; the error is about its square
    Mask moves = all(0) == 0.;
    for (unsigned int i = 0; i < max_iterations && any(moves); ++i)
    {
      const Lanes h_rr = aa + s * (2. * ad + s * dd), h_ss = bb + r * (2. * bd + r * dd);
      const Lanes h_rs = cd_ab + 2. * (r * ad + s * (bd + r * dd));
      const Lanes g_r = ca + s * (cd_ab + s * bd) + r * h_rr,
                  g_s = cb + r * (cd_ab + r * ad) + s * h_ss;
      const Lanes determinant = h_rr * h_ss - h_rs * h_rs, inverse = 1. / determinant;
      Lanes new_r = r - (h_ss * g_r - h_rs * g_s) * inverse,
            new_s = s - (h_rr * g_s - h_rs * g_r) * inverse;
      const Mask r_pushed = is_pushed(r, g_r), s_pushed = is_pushed(s, g_s);
      const Mask keep_r = r_pushed | (~s_pushed & (absolute(new_r) > 1.));
      const Mask keep_s = ~keep_r & (s_pushed | (absolute(new_s) > 1.));
      if (any(moves & (keep_r | keep_s)))
      {
        const Lanes r_bound = r_pushed ? r : clamped(new_r, all(-1), all(1)),
                    s_bound = s_pushed ? s : clamped(new_s, all(-1), all(1));
        const Lanes r_beside = best_r(s_bound), s_beside = best_s(r_bound);
        new_r = keep_r ? r_bound : (keep_s ? r_beside : new_r);
        new_s = keep_r ? s_beside : (keep_s ? s_bound : new_s);
      }
      // not where the Hessian is indefinite or nearly singular: those never come to rest here
      const Mask is_safe = (determinant > 1e-3 * (h_rr * h_ss)) | r_pushed | s_pushed;
      const Lanes change = larger(absolute(new_r - r), absolute(new_s - s));
      r = moves ? new_r : r;
      s = moves ? new_s : s;
      moves &= ~(is_safe & (change < tolerance));
    }
    return ~moves;
  }

  /// Is the coordinate @p x at a bound, and does the gradient @p g push it there?
  static KICKDRIFT_INLINE Mask
  is_pushed(const Lanes &x, const Lanes &g)
  {
    return ((x == 1.) & (g < 0.)) | ((x == -1.) & (g > 0.));
  }

  /// Can no other point of the face be closer than the stationary point? Sufficient, see the
  /// function of this name in closest_on_quadrilateral.cc.
  KICKDRIFT_INLINE Mask
  is_global_minimum(const Lanes &p_r, const Lanes &p_s) const
  {
    const Lanes r = 0.5 * p_r, s = 0.5 * p_s;
    const Lanes radius = 0.5 * root(dd);
    const Lanes shortest_r = root(aa + s * (2. * ad + s * dd)) - radius,
                shortest_s = root(bb + r * (2. * bd + r * dd)) - radius;
    const Lanes distance_d = cd_ab - ab + p_r * ad + p_s * (bd + p_r * dd);
    const Lanes mixed = absolute(distance_d + ab + r * ad + s * (bd + r * dd)) +
                        0.5 * (absolute(ad + s * dd) + absolute(bd + r * dd) + 0.5 * dd);
    return (shortest_r > 0.) & (shortest_s > 0.) & (mixed <= shortest_r * shortest_s);
  }

  KICKDRIFT_INLINE Projections
  at(const Lanes &r, const Lanes &s, const Mask &has_converged) const
  {
    Projections p;
    const Lanes right = 0.5 * (1. + r), left = 0.5 * (1. - r), upper = 0.5 * (1. + s),
                lower = 0.5 * (1. - s);
    p.weights[0] = left * lower, p.weights[1] = right * lower;
    p.weights[2] = left * upper, p.weights[3] = right * upper;
    p.place[0] = r, p.place[1] = s;
    const Vectors away = c + r * a + s * (b + r * d);
    const Vectors along_r = a + s * d, along_s = b + r * d;
    const Vectors area = cross_product(along_r, along_s);
    const Lanes length = root(area * area);
    p.normal = (1. / length) * area;
    p.depth = p.normal * away;
    p.distance = root(away * away);
    const Lanes height_r = length / root(along_s * along_s),
                height_s = length / root(along_r * along_r);
    p.to_edges[0] = (1. + r) * height_r, p.to_edges[1] = (1. - r) * height_r;
    p.to_edges[2] = (1. + s) * height_s, p.to_edges[3] = (1. - s) * height_s;
    p.is_certain = has_converged & is_global_minimum(r, s) & (length > degenerate * (aa + bb + dd));
    return p;
  }

  Vectors a, b, c, d;
  Lanes aa, bb, dd, ab, ad, bd, ca, cb, cd_ab;
};
} // namespace KICKDRIFT_ISA
} // namespace FaceKernels
} // namespace KickDrift

#endif
