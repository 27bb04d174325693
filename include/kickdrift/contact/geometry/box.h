#ifndef KICKDRIFT_CONTACT_GEOMETRY_BOX_H
#define KICKDRIFT_CONTACT_GEOMETRY_BOX_H

#include <deal.II/base/point.h>

namespace KickDrift
{
/// Axis-aligned box. It is empty, and touches nothing, where a lower bound is above the upper one
/// or a bound is not a number.
template <int spacedim>
struct Box
{
  dealii::Point<spacedim> lower; ///< [length]
  dealii::Point<spacedim> upper; ///< [length]
};

/// Does the box contain no point?
template <int spacedim>
inline bool
is_empty(const Box<spacedim> &box)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(box.lower[d] <= box.upper[d]))
      return true;
  return false;
}

/// The box with all sides moved outwards by @p width [length].
template <int spacedim>
inline Box<spacedim>
grown(Box<spacedim> box, const double width)
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] -= width;
    box.upper[d] += width;
  }
  return box;
}
} // namespace KickDrift

#endif
