#include "scenes/oracle/inside.h"

#include <algorithm>

namespace Scenes
{
namespace
{
/// Twice the area of a triangle in extended precision: with its sign right but for what is nearer
/// to zero than any tolerance here.
long double
area(const Vec<2> &a, const Vec<2> &b, const Vec<2> &c)
{
  return (static_cast<long double>(b[0]) - a[0]) * (static_cast<long double>(c[1]) - a[1]) -
         (static_cast<long double>(b[1]) - a[1]) * (static_cast<long double>(c[0]) - a[0]);
}

double
determinant(const Vec<3> &a, const Vec<3> &b, const Vec<3> &c)
{
  return dot(a, cross(b, c));
}

double
clamp_to_unit(const double s)
{
  return std::min(1., std::max(0., s));
}

template <int dim>
Vec<dim>
nearest_on_segment(const Vec<dim> &a, const Vec<dim> &b, const Vec<dim> &point)
{
  const Vec<dim> along = b - a;
  const double length_square = dot(along, along);
  return length_square > 0 ? between(a, b, clamp_to_unit(dot(point - a, along) / length_square))
                           : a;
}
} // namespace

int
winding(const std::vector<Facet<2>> &facets, const std::vector<Vec<2>> &x, const Vec<2> &point)
{
  int count = 0; // of facets that pass the ray to the right, upwards less downwards
  for (const auto &facet : facets)
  {
    const Vec<2> &a = x[facet[0]], &b = x[facet[1]];
    const bool a_is_above = a[1] > point[1], b_is_above = b[1] > point[1];
    if (a_is_above != b_is_above && (area(a, b, point) > 0) == b_is_above)
      count += b_is_above ? 1 : -1;
  }
  return count;
}

// The solid angle of each triangle: van Oosterom & Strackee (1983).
int
winding(const std::vector<Facet<3>> &facets, const std::vector<Vec<3>> &x, const Vec<3> &point)
{
  double sum = 0;
  for (const auto &facet : facets)
  {
    const Vec<3> a = x[facet[0]] - point, b = x[facet[1]] - point, c = x[facet[2]] - point;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += std::atan2(determinant(a, b, c),
                      la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  constexpr double full = 2 * 3.14159265358979323846; // half of the whole sphere, as the angles
  return static_cast<int>(std::lround(sum / full));
}

Vec<2>
nearest_on(const std::array<Vec<2>, 2> &corners, const Vec<2> &point)
{
  return nearest_on_segment(corners[0], corners[1], point);
}

Vec<3>
nearest_on(const std::array<Vec<3>, 3> &corners, const Vec<3> &point)
{
  const auto &[a, b, c] = corners;
  const Vec<3> n = cross(b - a, c - a);
  const double square = dot(n, n);
  if (square > 0)
  {
    const double u = dot(cross(c - b, point - b), n), v = dot(cross(a - c, point - c), n),
                 w = dot(cross(b - a, point - a), n);
    if (u >= 0 && v >= 0 && w >= 0) // above the triangle
      return point - (dot(point - a, n) / square) * n;
  }
  Vec<3> best = a;
  double least = 1e300;
  for (int i = 0; i < 3; ++i)
  {
    const Vec<3> q = nearest_on_segment(corners[i], corners[(i + 1) % 3], point);
    const double square_of_distance = dot(point - q, point - q);
    if (square_of_distance < least)
    {
      least = square_of_distance;
      best = q;
    }
  }
  return best;
}

double
segment_distance(const Vec<3> &a0, const Vec<3> &a1, const Vec<3> &b0, const Vec<3> &b1)
{
  double least = std::min(
      {norm(a0 - nearest_on_segment(b0, b1, a0)), norm(a1 - nearest_on_segment(b0, b1, a1)),
       norm(b0 - nearest_on_segment(a0, a1, b0)), norm(b1 - nearest_on_segment(a0, a1, b1))});
  const Vec<3> u = a1 - a0, v = b1 - b0, w = b0 - a0, n = cross(u, v);
  const double square = dot(n, n);
  if (square > 1e-20 * dot(u, u) * dot(v, v)) // not parallel
  {
    const double s = determinant(w, v, n) / square, t = determinant(w, u, n) / square;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
      least = std::min(least, std::abs(dot(w, n)) / std::sqrt(square));
  }
  return least;
}

Vec<2>
normal(const std::array<Vec<2>, 2> &corners)
{
  const Vec<2> along = corners[1] - corners[0], n{{along[1], -along[0]}};
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : n;
}

Vec<3>
normal(const std::array<Vec<3>, 3> &corners)
{
  const Vec<3> n = cross(corners[1] - corners[0], corners[2] - corners[0]);
  const double length = norm(n);
  return length > 0 ? (1 / length) * n : n;
}

template <int dim>
std::pair<double, unsigned int>
nearest_facet(const std::vector<Facet<dim>> &facets, const std::vector<Vec<dim>> &x,
              const Vec<dim> &point)
{
  std::pair<double, unsigned int> best{1e300, 0};
  for (unsigned int f = 0; f < facets.size(); ++f)
  {
    const Vec<dim> away = point - nearest_on(corners<dim>(facets[f], x), point);
    const double square = dot(away, away);
    if (square < best.first)
      best = {square, f};
  }
  best.first = std::sqrt(best.first);
  return best;
}

template <int dim>
double
depth(const PieceSkin<dim> &piece, const std::vector<Vec<dim>> &x, const Vec<dim> &point)
{
  double least = 1e300;
  for (unsigned int split = 0; split < (piece.has_quads ? 2 : 1); ++split)
  {
    const double distance = nearest_facet<dim>(piece.facets[split], x, point).first;
    if (winding(piece.facets[split], x, point) < 1)
      return -distance;
    least = std::min(least, distance);
  }
  return least;
}

template <>
std::vector<double>
passages<2>(const std::vector<Facet<2>> &facets, const std::vector<Vec<2>> &x, const Vec<2> &a,
            const Vec<2> &b)
{
  std::vector<double> result;
  Box<2> box;
  box.include(a);
  box.include(b);
  for (const auto &facet : facets)
  {
    const Vec<2> &c = x[facet[0]], &d = x[facet[1]];
    Box<2> other;
    other.include(c);
    other.include(d);
    if (!box.overlaps(other))
      continue;
    const long double at_a = area(c, d, a), at_b = area(c, d, b);
    if ((at_a > 0) != (at_b > 0) && (area(a, b, c) > 0) != (area(a, b, d) > 0))
      result.push_back(static_cast<double>(at_a / (at_a - at_b)));
  }
  std::sort(result.begin(), result.end());
  return result;
}

template <>
std::vector<double>
passages<3>(const std::vector<Facet<3>> &facets, const std::vector<Vec<3>> &x, const Vec<3> &a,
            const Vec<3> &b)
{
  std::vector<double> result;
  Box<3> box;
  box.include(a);
  box.include(b);
  for (const auto &facet : facets)
  {
    Box<3> other;
    for (const unsigned int vertex : facet)
      other.include(x[vertex]);
    if (!box.overlaps(other))
      continue;
    const Vec<3> &c = x[facet[0]], &d = x[facet[1]], &e = x[facet[2]];
    const double at_a = determinant(d - c, e - c, a - c), at_b = determinant(d - c, e - c, b - c);
    if ((at_a > 0) == (at_b > 0))
      continue;
    const bool first = determinant(b - a, c - a, d - a) > 0;
    if (first == (determinant(b - a, d - a, e - a) > 0) &&
        first == (determinant(b - a, e - a, c - a) > 0))
      result.push_back(at_a / (at_a - at_b));
  }
  std::sort(result.begin(), result.end());
  return result;
}

template std::pair<double, unsigned int>
nearest_facet<2>(const std::vector<Facet<2>> &, const std::vector<Vec<2>> &, const Vec<2> &);
template std::pair<double, unsigned int>
nearest_facet<3>(const std::vector<Facet<3>> &, const std::vector<Vec<3>> &, const Vec<3> &);
template double depth(const PieceSkin<2> &, const std::vector<Vec<2>> &, const Vec<2> &);
template double depth(const PieceSkin<3> &, const std::vector<Vec<3>> &, const Vec<3> &);
} // namespace Scenes
