#include <kickdrift/base/limits.h>
#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <deal.II/base/exceptions.h>

#include "impact_patch.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using namespace ImpactPatches;
using dealii::ArrayView;
using dealii::Point;
using dealii::Tensor;

using Limits::epsilon;
using Limits::never;

/**
 * x(u,v,t) = c + u a + v b + uv d, where a, b, c, d change linearly with t: the whole face in
 * coordinates of the unit square or triangle, or of the unit interval in 2D.
 */
template <int spacedim>
class Face
{
public:
  explicit Face(const Patch<spacedim> &patch) : patch(patch) {}

  /**
   * Newton's method for x(u,v,t) = 0. Returns the time, or infinity if there is no convergence
   * to a point of the face at which x vanishes within round-off.
   */
  double
  meets_origin(double u, double v, double t) const
  {
    for (unsigned int i = 0; i < 8; ++i)
    {
      const Derivatives x = derivatives(u, v, t);
      Tensor<1, 3> change; // of u, v, t
      if (!solve(x, change))
        return never;
      u -= change[0];
      v -= change[1];
      t -= change[2];
      if (!(std::abs(u) < 4 && std::abs(v) < 4 && std::abs(t) < never))
        return never;
      if (std::abs(change[0]) + std::abs(change[1]) < 1e-9 &&
          std::abs(change[2]) < 1e-13 * std::abs(t))
        break;
    }
    return t >= 0 && patch.closest_to_origin(t).distance <= round_off(t) ? t : never;
  }

  /// Error of a distance at this time [length].
  double
  round_off(const double time) const
  {
    double largest = 0;
    for (unsigned int i = 0; i < patch.n_corners; ++i)
      largest = std::max(largest, patch.corners[i].position.norm() +
                                      time * patch.corners[i].velocity.norm());
    return 16 * epsilon * largest;
  }

private:
  struct Derivatives
  {
    Tensor<1, spacedim> x, x_u, x_v, x_t;
  };

  Derivatives
  derivatives(const double u, const double v, const double t) const
  {
    const auto at = [&](const unsigned int i) -> Tensor<1, spacedim>
    { return patch.corners[i].at(t); };
    const auto &velocity = [&](const unsigned int i) -> const Tensor<1, spacedim> &
    { return patch.corners[i].velocity; };
    const auto point = [&](const auto &f) -> Tensor<1, spacedim>
    {
      Tensor<1, spacedim> sum = f(0) + u * (f(1) - f(0));
      if (patch.n_corners > 2)
        sum += v * (f(2) - f(0));
      if (patch.n_corners > 3)
        sum += u * v * (f(3) - f(2) - (f(1) - f(0)));
      return sum;
    };
    Derivatives result;
    result.x = point(at);
    result.x_t = point(velocity);
    result.x_u = at(1) - at(0);
    if (patch.n_corners > 2)
      result.x_v = at(2) - at(0);
    if (patch.n_corners > 3)
    {
      const Tensor<1, spacedim> twist = at(3) - at(2) - (at(1) - at(0));
      result.x_u += v * twist;
      result.x_v += u * twist;
    }
    return result;
  }

  /// Solve x_u u + x_v v + x_t t = x by Cramer's rule; false if it is singular.
  static bool
  solve(const Derivatives &x, Tensor<1, 3> &solution)
  {
    if constexpr (spacedim == 2)
    {
      const double determinant = x.x_u[0] * x.x_t[1] - x.x_u[1] * x.x_t[0];
      solution = Tensor<1, 3>({(x.x[0] * x.x_t[1] - x.x[1] * x.x_t[0]) / determinant, 0.,
                               (x.x_u[0] * x.x[1] - x.x_u[1] * x.x[0]) / determinant});
      return determinant != 0;
    }
    else
    {
      const Tensor<1, 3> normal = cross_product_3d(x.x_u, x.x_v);
      const double determinant = normal * x.x_t;
      const Tensor<1, 3> right = cross_product_3d(x.x, x.x_t);
      solution = Tensor<1, 3>({-(right * x.x_v) / determinant, (right * x.x_u) / determinant,
                               (normal * x.x) / determinant});
      return determinant != 0;
    }
  }

  const Patch<spacedim> patch;
};

/// Search for the first time at which a patch is within reach of the origin.
template <int spacedim>
class ImpactSearch
{
public:
  ImpactSearch(const Patch<spacedim> &patch, const double horizon, const double reach)
      : face(patch), horizon(horizon * (1 + 16 * epsilon)), reach(reach), parts{patch}
  {
  }

  Impact
  run()
  {
    for (unsigned int i = 0; i < max_looks; ++i)
    {
      if (parts.empty() || excluded_until() > latest())
        return {found, true};
      std::pop_heap(parts.begin(), parts.end(), is_later);
      const Patch<spacedim> part = parts.back();
      parts.pop_back();
      const double time = part.excluded_until;
      const auto closest = part.closest_to_origin(time);
      if (!(closest.distance > reach + face.round_off(time)))
        return {time, true};
      exclude(part, closest);
    }
    return {std::min(excluded_until(), found), false};
  }

private:
  static constexpr unsigned int max_looks = 4000;
  static constexpr double time_tolerance = 2e-11; ///< relative

  static bool
  is_later(const Patch<spacedim> &a, const Patch<spacedim> &b)
  {
    return a.excluded_until > b.excluded_until;
  }

  double
  excluded_until() const
  {
    return parts.front().excluded_until;
  }

  /// Until when parts need to be excluded.
  double
  latest() const
  {
    return found < never ? found * (1 - time_tolerance) : horizon;
  }

  void
  add(const Patch<spacedim> &part)
  {
    parts.push_back(part);
    std::push_heap(parts.begin(), parts.end(), is_later);
  }

  /// Exclude a part for as long as its corners stay on their side of a plane, or halve it.
  void
  exclude(Patch<spacedim> part, const ClosestPoint<spacedim> &closest)
  {
    const double time = part.excluded_until;
    const double gap = closest.distance - reach, margin = 0.25 * face.round_off(time);
    const Tensor<1, spacedim> normal = closest.point / closest.distance;
    Tensor<1, spacedim> velocity; // of the closest point
    // A plane that separates all corners is all that counts: the distance itself is not precise
    // where angles are small. There, and on warped faces, corners may lie behind the plane; those
    // of smaller parts do not.
    double until = never, largest_speed = 0;
    for (unsigned int i = 0; i < part.n_corners; ++i)
    {
      const auto &corner = part.corners[i];
      velocity += closest.weights[i] * corner.velocity;
      largest_speed = std::max(largest_speed, corner.velocity.norm());
      const double distance = normal * corner.at(time) - reach - margin,
                   speed = -(normal * corner.velocity);
      if (!(distance > 0))
        until = time;
      else if (speed > 0)
        until = std::min(until, time + distance / speed);
    }

    const double approach = -(normal * velocity);
    const double expected = approach > 0 ? time + gap / approach : never;
    if (reach == 0 && expected < latest())
      improve_found(part, closest, expected);
    const double end = latest();
    if (until > end)
      return;
    part.excluded_until = until;
    const double wanted = std::min(expected, end) - time;
    if (until - time >= 0.5 * wanted)
      add(part);
    else
    {
      const double duration = largest_speed > 0 ? std::min(wanted, gap / largest_speed) : 0.;
      for (const auto &half : halves(part, time, duration))
        add(half);
    }
  }

  void
  improve_found(const Patch<spacedim> &part, const ClosestPoint<spacedim> &closest,
                const double expected)
  {
    double u = 0, v = 0;
    for (unsigned int i = 0; i < part.n_corners; ++i)
    {
      u += closest.weights[i] * part.coordinates[i][0];
      v += closest.weights[i] * part.coordinates[i][1];
    }
    const double time = face.meets_origin(u, v, expected);
    if (time <= horizon)
      found = std::min(found, time);
  }

  const Face<spacedim> face;
  const double horizon, reach;
  std::vector<Patch<spacedim>> parts; ///< heap, the one excluded for the shortest time on top
  double found = never;               ///< a contact, perhaps not the first
};

template <int spacedim>
MovingPoint<spacedim>
difference(const MovingPoint<spacedim> &a, const MovingPoint<spacedim> &b)
{
  return {Point<spacedim>(a.position - b.position), a.velocity - b.velocity};
}

constexpr std::array<std::array<double, 2>, 4> unit_coordinates = {
    {{{0., 0.}}, {{1., 0.}}, {{0., 1.}}, {{1., 1.}}}};
} // namespace

template <int spacedim>
Impact
first_contact(const MovingPoint<spacedim> &point,
              const ArrayView<const MovingPoint<spacedim>> corners, const double horizon,
              const double reach)
{
  Patch<spacedim> patch;
  patch.n_corners = corners.size();
  patch.excluded_until = 0;
  AssertThrow(corners.size() >= 2 && corners.size() <= Patch<spacedim>::max_corners,
              dealii::ExcMessage("A face has 2 corners, or 3 or 4 in three dimensions, not " +
                                 std::to_string(corners.size()) + "."));
  for (unsigned int i = 0; i < patch.n_corners; ++i)
  {
    patch.corners[i] = difference(corners[i], point);
    patch.coordinates[i] = unit_coordinates[i];
  }
  return ImpactSearch<spacedim>(patch, horizon, reach).run();
}

Impact
first_contact_of_edges(const ArrayView<const MovingPoint<3>> first,
                       const ArrayView<const MovingPoint<3>> second, const double horizon,
                       const double reach)
{
  AssertDimension(first.size(), 2);
  AssertDimension(second.size(), 2);
  Patch<3> patch; // the parallelogram of all differences of points
  patch.n_corners = 4;
  patch.excluded_until = 0;
  for (unsigned int i = 0; i < 4; ++i)
  {
    patch.corners[i] = difference(first[i % 2], second[i / 2]);
    patch.coordinates[i] = unit_coordinates[i];
  }
  return ImpactSearch<3>(patch, horizon, reach).run();
}

template Impact first_contact(const MovingPoint<2> &, ArrayView<const MovingPoint<2>>, double,
                              double);
template Impact first_contact(const MovingPoint<3> &, ArrayView<const MovingPoint<3>>, double,
                              double);
} // namespace KickDrift
