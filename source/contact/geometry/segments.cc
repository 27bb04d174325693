#include <kickdrift/contact/geometry/segments.h>

#include <deal.II/base/tensor.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
/// Divide and cut to [0,1]; zero if the divisor, a sum of squares, vanishes.
double
share(const double dividend, const double divisor)
{
  return divisor > 0 ? std::min(1., std::max(0., dividend / divisor)) : 0.;
}
} // namespace

ClosestPoints
closest_points(const Segment &first, const Segment &second)
{
  const dealii::Tensor<1, 3> a = first[1] - first[0], b = second[1] - second[0],
                             r = first[0] - second[0];
  const double aa = a * a, bb = b * b;
  // The closest points of the two lines. From cross products, their error grows with the inverse,
  // not with its square, of the angle between the lines.
  const auto normal = cross_product_3d(a, b);
  double s = share(cross_product_3d(b, r) * normal, normal * normal);
  // The squared distance is convex: from the cut s the best t, and for the cut t the best s.
  const double t = share(b * (r + s * a), bb);
  s = share(a * (t * b - r), aa);
  return {s, t, (r + s * a - t * b).norm()};
}
} // namespace KickDrift
