// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/approaches.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

namespace
{
// For cost alone: each slab is a bound. Where so many do not get there, things are met early, and
// get no impulse unless they are too near at the end of the flight.
constexpr unsigned int most_slabs = 1000;

template <typename Shape, std::size_t n>
auto
places_at(const std::array<Shape, n> &flights, const double time)
{
  std::array<decltype(flights[0].at(time)), n> result;
  for (std::size_t i = 0; i < n; ++i)
    result[i] = flights[i].at(time);
  return result;
}

/// @p apart : from the second to the first where they are nearest, function of time.
template <int spacedim, std::size_t n, std::size_t m, typename Apart>
std::optional<double>
advance(const std::array<StraightFlight<spacedim>, n> &first,
        const std::array<StraightFlight<spacedim>, m> &second, const Apart &apart,
        const double offset, const double band)
{
  double time = 0;
  for (unsigned int i = 0; i < most_slabs; ++i)
  {
    Tensor<1, spacedim> normal = apart(time);
    const double distance = normal.norm();
    if (distance - offset <= band)
      return time;
    normal /= distance;
    double next = std::numeric_limits<double>::infinity();
    for (const auto &a : first)
      for (const auto &b : second)
      {
        const double end = normal * (a.end - b.end) - offset;
        if (end >= 0)
          continue;
        const double now = std::max(0., normal * (a.at(time) - b.at(time)) - offset);
        next = std::min(next, time + (1 - time) * now / (now - end));
      }
    if (!(next <= 1))
      return {};
    time = next;
  }
  return time;
}
} // namespace

template <int spacedim>
NearestOnFacet<spacedim>
nearest_on_facet(const Point<spacedim> &point, const std::array<Point<spacedim>, spacedim> &corners)
{
  const ClosestPoint<spacedim> closest = closest_point<spacedim>(corners.data(), spacedim, point);
  NearestOnFacet<spacedim> result;
  std::copy_n(closest.weights.begin(), spacedim, result.weights.begin());
  result.apart = point - closest.point;
  return result;
}

NearestOnEdges
nearest_on_edges(const std::array<Point<3>, 2> &first, const std::array<Point<3>, 2> &second)
{
  const ClosestPoints closest = closest_points(first, second);
  const auto is_within = [](const double place) { return place > 0 && place < 1; };
  const Tensor<1, 3> u = first[1] - first[0], v = second[1] - second[0];
  return {{{closest.s, closest.t}},
          point_on(first, closest.s) - point_on(second, closest.t),
          is_within(closest.s) && is_within(closest.t) &&
              nearest_on_lines(second[0] - first[0], u, v).has_value()};
}

template <int spacedim>
std::optional<double>
first_approach(const StraightFlight<spacedim> &point,
               const std::array<StraightFlight<spacedim>, spacedim> &corners, const double offset,
               const double band)
{
  return advance<spacedim>(
      std::array<StraightFlight<spacedim>, 1>{{point}}, corners,
      [&](const double time)
      { return nearest_on_facet<spacedim>(point.at(time), places_at(corners, time)).apart; },
      offset, band);
}

std::optional<double>
first_approach(const std::array<StraightFlight<3>, 2> &first,
               const std::array<StraightFlight<3>, 2> &second, const double offset,
               const double band)
{
  return advance<3>(
      first, second,
      [&](const double time)
      { return nearest_on_edges(places_at(first, time), places_at(second, time)).apart; },
      offset, band);
}

template NearestOnFacet<2> nearest_on_facet<2>(const Point<2> &, const std::array<Point<2>, 2> &);
template NearestOnFacet<3> nearest_on_facet<3>(const Point<3> &, const std::array<Point<3>, 3> &);
template std::optional<double> first_approach<2>(const StraightFlight<2> &,
                                                 const std::array<StraightFlight<2>, 2> &, double,
                                                 double);
template std::optional<double> first_approach<3>(const StraightFlight<3> &,
                                                 const std::array<StraightFlight<3>, 3> &, double,
                                                 double);
} // namespace KickDrift
