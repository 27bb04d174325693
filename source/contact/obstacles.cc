#include <kickdrift/contact/obstacles.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
dealii::Tensor<1, spacedim>
Shape<spacedim>::normal(const dealii::Point<spacedim> &point) const
{
  // small beside the point's coordinates, as rounding goes with them
  double step = std::abs(distance(point));
  for (unsigned int d = 0; d < spacedim; ++d)
    step = std::max(step, std::abs(point[d]));
  step *= 1e-7;
  dealii::Tensor<1, spacedim> gradient;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    auto forward = point, backward = point;
    forward[d] += step;
    backward[d] -= step;
    gradient[d] = distance(forward) - distance(backward);
  }
  const double norm = gradient.norm();
  return norm > 0 ? gradient / norm : gradient;
}

template class Shape<2>;
template class Shape<3>;
} // namespace KickDrift
