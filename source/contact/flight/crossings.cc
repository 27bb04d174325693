// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/crossings.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::cross_product_3d;
using dealii::Point;
using dealii::Tensor;

namespace
{
// of shares of a flight, and of weights
constexpr double rounding = 1e-13;
// of bands: nodes of what touches are solved for to one, and edges lie between several of them
constexpr double touching = 10;

double
determinant(const Tensor<1, 3> &a, const Tensor<1, 3> &b, const Tensor<1, 3> &c)
{
  return a * cross_product_3d(b, c);
}

double
value(const std::array<double, 4> &c, const double t)
{
  return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

double
slope(const std::array<double, 4> &c, const double t)
{
  return c[1] + t * (2 * c[2] + 3 * t * c[3]);
}

/// Roots of a + b t + c t^2, in order.
unsigned int
quadratic_roots(const double a, const double b, const double c, double (&roots)[2])
{
  const double scale = std::abs(a) + std::abs(b) + std::abs(c);
  if (scale == 0)
    return 0;
  if (std::abs(c) <= 1e-14 * scale)
  {
    if (b == 0)
      return 0;
    roots[0] = -a / b;
    return 1;
  }
  const double discriminant = b * b - 4 * a * c;
  if (!(discriminant >= 0))
    return 0;
  const double q = -0.5 * (b + (b >= 0 ? std::sqrt(discriminant) : -std::sqrt(discriminant)));
  roots[0] = q / c;
  roots[1] = q != 0 ? a / q : roots[0];
  if (roots[0] > roots[1])
    std::swap(roots[0], roots[1]);
  return 2;
}

/// The root between two places where the polynomial, monotone between them, has different signs.
double
root_between(const std::array<double, 4> &c, double a, double b, const bool rises)
{
  double t = 0.5 * (a + b);
  for (unsigned int i = 0; i < 100; ++i)
  {
    const double f = value(c, t);
    ((f >= 0) == rises ? b : a) = t;
    const double step = f / slope(c, t);
    double next = t - step;
    if (!(next > a && next < b))
      next = 0.5 * (a + b);
    if (next == t || !(next > a && next < b) || f == 0)
      break;
    t = next;
  }
  return t;
}

Tensor<1, 2>
turned(const Tensor<1, 2> &along)
{
  return Tensor<1, 2>({along[1], -along[0]});
}
} // namespace

unsigned int
find_roots(const std::array<double, 4> &c, std::array<double, 3> &roots)
{
  // it lies between the smallest and the largest of its coefficients over Bernstein's polynomials
  const double control[4] = {c[0], c[0] + c[1] / 3, c[0] + (2 * c[1] + c[2]) / 3,
                             c[0] + c[1] + c[2] + c[3]};
  const double bound =
      rounding * (std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) + std::abs(c[3]));
  if (std::all_of(control, control + 4, [&](const double b) { return b > bound; }) ||
      std::all_of(control, control + 4, [&](const double b) { return b < -bound; }))
    return 0;
  // extrema between 0 and 1 part it into monotone pieces
  double places[4] = {0, 1, 1, 1};
  unsigned int n = 1;
  double extrema[2];
  const unsigned int n_extrema = quadratic_roots(c[1], 2 * c[2], 3 * c[3], extrema);
  for (unsigned int i = 0; i < n_extrema; ++i)
    if (extrema[i] > 0 && extrema[i] < 1)
      places[n++] = extrema[i];
  places[n] = 1;
  unsigned int n_roots = 0;
  for (unsigned int i = 0; i < n; ++i)
  {
    const double begin = value(c, places[i]), end = value(c, places[i + 1]);
    if ((begin >= 0) != (end >= 0))
      roots[n_roots++] = root_between(c, places[i], places[i + 1], begin < 0);
  }
  return n_roots;
}

template <>
Tensor<1, 2>
facet_normal<2>(const std::array<Point<2>, 2> &corners)
{
  const Tensor<1, 2> normal = turned(corners[1] - corners[0]);
  const double norm = normal.norm();
  return norm > 0 ? normal / norm : normal;
}

template <>
Tensor<1, 3>
facet_normal<3>(const std::array<Point<3>, 3> &corners)
{
  const Tensor<1, 3> normal = cross_product_3d(corners[1] - corners[0], corners[2] - corners[0]);
  const double norm = normal.norm();
  return norm > 0 ? normal / norm : normal;
}

template <>
std::array<double, 2>
facet_weights<2>(const Point<2> &point, const std::array<Point<2>, 2> &corners)
{
  const Tensor<1, 2> along = corners[1] - corners[0];
  const double s = (point - corners[0]) * along / along.norm_square();
  return {{1 - s, s}};
}

template <>
std::array<double, 3>
facet_weights<3>(const Point<3> &point, const std::array<Point<3>, 3> &corners)
{
  const Tensor<1, 3> normal = cross_product_3d(corners[1] - corners[0], corners[2] - corners[0]);
  const double square = normal.norm_square();
  const double first =
      normal * cross_product_3d(corners[2] - corners[1], point - corners[1]) / square;
  const double second =
      normal * cross_product_3d(corners[0] - corners[2], point - corners[2]) / square;
  return {{first, second, 1 - first - second}};
}

namespace
{
/// n . (x - a) times the length or twice the area of the facet, over time.
std::array<double, 4>
volume(const StraightFlight<2> &point, const std::array<StraightFlight<2>, 2> &corners,
       double &size)
{
  const Tensor<1, 2> e0 = corners[1].begin - corners[0].begin,
                     e1 = (corners[1].end - corners[0].end) - e0;
  const Tensor<1, 2> q0 = point.begin - corners[0].begin, q1 = (point.end - corners[0].end) - q0;
  size = e0.norm();
  return {{turned(e0) * q0, turned(e1) * q0 + turned(e0) * q1, turned(e1) * q1, 0.}};
}

std::array<double, 4>
volume(const std::array<Tensor<1, 3>, 3> &begin, const std::array<Tensor<1, 3>, 3> &change)
{
  const auto &[u0, v0, w0] = begin;
  const auto &[u1, v1, w1] = change;
  return {{determinant(u0, v0, w0),
           determinant(u1, v0, w0) + determinant(u0, v1, w0) + determinant(u0, v0, w1),
           determinant(u1, v1, w0) + determinant(u1, v0, w1) + determinant(u0, v1, w1),
           determinant(u1, v1, w1)}};
}

std::array<double, 4>
volume(const StraightFlight<3> &point, const std::array<StraightFlight<3>, 3> &corners,
       double &size)
{
  std::array<Tensor<1, 3>, 3> begin, change;
  const StraightFlight<3> *const tips[3] = {&corners[1], &corners[2], &point};
  for (unsigned int i = 0; i < 3; ++i)
  {
    begin[i] = tips[i]->begin - corners[0].begin;
    change[i] = (tips[i]->end - corners[0].end) - begin[i];
  }
  size = cross_product_3d(begin[0], begin[1]).norm();
  return volume(begin, change);
}

/// Double roots inwards and straight ones: does the volume fall there?
bool
goes_inwards(const std::array<double, 4> &c, const double t)
{
  const double first = slope(c, t);
  return first < 0 || (first == 0 && 2 * c[2] + 6 * c[3] * t < 0);
}
} // namespace

template <int spacedim>
std::optional<FacetCrossing<spacedim>>
first_crossing(const StraightFlight<spacedim> &point,
               const std::array<StraightFlight<spacedim>, spacedim> &corners, const double band)
{
  double size;
  const auto c = volume(point, corners, size);
  const bool touches = std::abs(c[0]) <= band * size;
  if (touches && value(c, 1) >= -band * size)
    return {};
  std::array<double, 3> roots;
  const unsigned int n_roots = find_roots(c, roots);
  for (unsigned int i = touches ? 0 : 1; i <= n_roots; ++i)
  {
    const double t = i == 0 ? 0. : roots[i - 1];
    if (!goes_inwards(c, t))
      continue;
    std::array<Point<spacedim>, spacedim> places;
    for (unsigned int k = 0; k < spacedim; ++k)
      places[k] = corners[k].at(t);
    const auto weights = facet_weights<spacedim>(point.at(t), places);
    double longest = 0;
    for (unsigned int k = 0; k < spacedim; ++k)
      longest = std::max(longest, (places[(k + 1) % spacedim] - places[k]).norm_square());
    const double least = -(band / std::sqrt(longest) + rounding);
    if (std::all_of(weights.begin(), weights.end(), [&](const double w) { return w >= least; }))
      return FacetCrossing<spacedim>{t, weights, facet_normal<spacedim>(places)};
  }
  return {};
}

std::optional<NearestOnLines>
nearest_on_lines(const Tensor<1, 3> &apart, const Tensor<1, 3> &u, const Tensor<1, 3> &v)
{
  constexpr double parallel = 1e-6; // sine of an angle
  const Tensor<1, 3> across = cross_product_3d(u, v);
  const double square = across.norm_square();
  if (square <= parallel * parallel * u.norm_square() * v.norm_square())
    return {};
  return NearestOnLines{
      {{determinant(apart, v, across) / square, determinant(apart, u, across) / square}},
      across / std::sqrt(square)};
}

unsigned int
find_crossings(const std::array<StraightFlight<3>, 2> &first,
               const std::array<StraightFlight<3>, 2> &second, const double band,
               std::array<EdgeCrossing, 4> &crossings)
{
  const Tensor<1, 3> u0 = first[1].begin - first[0].begin, v0 = second[1].begin - second[0].begin,
                     w0 = first[0].begin - second[0].begin;
  const Tensor<1, 3> u1 = (first[1].end - first[0].end) - u0,
                     v1 = (second[1].end - second[0].end) - v0,
                     w1 = (first[0].end - second[0].end) - w0;
  const auto c = volume({{u0, v0, w0}}, {{u1, v1, w1}});
  std::array<double, 3> roots;
  const unsigned int n_roots = find_roots(c, roots);
  const double size = cross_product_3d(u0, v0).norm();
  const bool touches = std::abs(c[0]) <= touching * band * size;
  if (touches &&
      std::abs(value(c, 1)) <= touching * band * cross_product_3d(u0 + u1, v0 + v1).norm())
    return 0;
  unsigned int n = 0;
  for (unsigned int i = touches ? 0 : 1; i <= n_roots; ++i)
  {
    const double t = i == 0 ? 0. : roots[i - 1];
    const double change = slope(c, t);
    if (change == 0)
      continue;
    const Point<3> a = first[0].at(t), b = second[0].at(t);
    const Tensor<1, 3> u = first[1].at(t) - a, v = second[1].at(t) - b;
    const auto nearest = nearest_on_lines(b - a, u, v);
    if (!nearest)
      continue; // parallel ones do not cross; what is at their ends does
    const auto [s, r] = nearest->place;
    const double beyond_s = band / u.norm() + rounding, beyond_r = band / v.norm() + rounding;
    if (s < -beyond_s || s > 1 + beyond_s || r < -beyond_r || r > 1 + beyond_r)
      continue;
    // the volume is that of u, v and what leads from the second to the first
    const double sign = change < 0 ? 1. : -1.;
    crossings[n++] = {t, nearest->place, sign * nearest->across};
  }
  return n;
}

template std::optional<FacetCrossing<2>>
first_crossing<2>(const StraightFlight<2> &, const std::array<StraightFlight<2>, 2> &, double);
template std::optional<FacetCrossing<3>>
first_crossing<3>(const StraightFlight<3> &, const std::array<StraightFlight<3>, 3> &, double);
} // namespace KickDrift
