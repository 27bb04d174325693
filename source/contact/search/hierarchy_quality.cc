#include <kickdrift/contact/search/hierarchy.h>

namespace KickDrift
{
template <int spacedim>
double
Hierarchy<spacedim>::surface_area_cost() const
{
  const auto area = [this](const std::size_t node)
  {
    const FloatBox &box = tree[node / 2].boxes[node % 2];
    double extent[spacedim];
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      extent[d] = -double(box.entries[n_half + d]) - box.entries[d];
      if (!(extent[d] >= 0))
        return 0.; // empty
    }
    if constexpr (spacedim == 2)
      return 2 * (extent[0] + extent[1]);
    else
      return 2 * (extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0]);
  };
  double sum = 0;
  for (std::size_t node = 1; node < first_leaf; ++node)
    sum += area(node);
  return sum > 0 ? sum / area(1) : 1.;
}

template double Hierarchy<2>::surface_area_cost() const;
template double Hierarchy<3>::surface_area_cost() const;
} // namespace KickDrift
