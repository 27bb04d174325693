#ifndef KICKDRIFT_CONTACT_GEOMETRY_BOX_H
#define KICKDRIFT_CONTACT_GEOMETRY_BOX_H

#include <deal.II/base/point.h>

#include <algorithm>
#include <limits>
#include <vector>

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

/// A box that contains nothing.
template <int spacedim>
inline Box<spacedim>
empty_box()
{
  Box<spacedim> box;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = std::numeric_limits<double>::infinity();
    box.upper[d] = -std::numeric_limits<double>::infinity();
  }
  return box;
}

/// Make a box so large that it contains @p point.
template <int spacedim>
inline void
extend(Box<spacedim> &box, const dealii::Point<spacedim> &point)
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    box.lower[d] = std::min(box.lower[d], point[d]);
    box.upper[d] = std::max(box.upper[d], point[d]);
  }
}

/// A box around some of @p boxes. @p numbers : which.
template <int spacedim, typename Numbers>
inline Box<spacedim>
box_around(const std::vector<Box<spacedim>> &boxes, const Numbers &numbers)
{
  Box<spacedim> result = empty_box<spacedim>();
  for (const unsigned int i : numbers)
  {
    extend(result, boxes[i].lower);
    extend(result, boxes[i].upper);
  }
  return result;
}

/// Is @p point in a box or on its boundary?
template <int spacedim>
inline bool
is_inside(const Box<spacedim> &box, const dealii::Point<spacedim> &point)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(point[d] >= box.lower[d] && point[d] <= box.upper[d]))
      return false;
  return true;
}
} // namespace KickDrift

#endif
