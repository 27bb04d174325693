#include "scenes/oracle/flights.h"

#include <algorithm>

namespace Scenes
{
namespace
{
double
value(const std::array<double, 4> &c, const double s)
{
  return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

double
determinant(const Vec<3> &a, const Vec<3> &b, const Vec<3> &c)
{
  return dot(a, cross(b, c));
}

double
determinant(const Vec<2> &a, const Vec<2> &b)
{
  return a[0] * b[1] - a[1] * b[0];
}

/// Start and change of the way from one flight to another.
template <int dim>
std::pair<Vec<dim>, Vec<dim>>
way(const Flight<dim> &from, const Flight<dim> &to)
{
  const Vec<dim> start = to.start - from.start;
  return {start, (to.end - from.end) - start};
}

std::array<Vec<3>, 3>
corners_at(const std::array<Flight<3>, 3> &facet, const double s)
{
  return {{facet[0].at(s), facet[1].at(s), facet[2].at(s)}};
}

/// Is a point of the plane of a triangle in it?
bool
is_within(const std::array<Vec<3>, 3> &c, const Vec<3> &point)
{
  const Vec<3> n = cross(c[1] - c[0], c[2] - c[0]);
  for (int i = 0; i < 3; ++i)
    if (dot(n, cross(c[(i + 1) % 3] - c[i], point - c[i])) < 0)
      return false;
  return true;
}
/// det(u + s du, v + s dv, w + s dw) as a polynomial of s.
std::array<double, 4>
determinant_in_time(const std::pair<Vec<3>, Vec<3>> &u, const std::pair<Vec<3>, Vec<3>> &v,
                    const std::pair<Vec<3>, Vec<3>> &w)
{
  return {{determinant(u.first, v.first, w.first),
           determinant(u.second, v.first, w.first) + determinant(u.first, v.second, w.first) +
               determinant(u.first, v.first, w.second),
           determinant(u.second, v.second, w.first) + determinant(u.second, v.first, w.second) +
               determinant(u.first, v.second, w.second),
           determinant(u.second, v.second, w.second)}};
}
} // namespace

std::vector<double>
sign_changes(const std::array<double, 4> &c)
{
  std::vector<double> ends{0};
  std::vector<double> extrema;
  const double a = 3 * c[3], b = 2 * c[2];
  const double discriminant = b * b - 4 * a * c[1];
  if (a == 0 && b != 0)
    extrema = {-c[1] / b};
  else if (a != 0 && discriminant > 0)
  {
    const double q = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
    extrema = {q / a};
    if (q != 0)
      extrema.push_back(c[1] / q);
  }
  std::sort(extrema.begin(), extrema.end());
  for (const double s : extrema)
    if (s > 0 && s < 1)
      ends.push_back(s);
  ends.push_back(1);
  std::vector<double> result;
  for (unsigned int i = 0; i + 1 < ends.size(); ++i)
  {
    double low = ends[i], high = ends[i + 1];
    const bool sign = value(c, low) >= 0;
    if ((value(c, high) >= 0) == sign)
      continue;
    for (;;)
    {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high)
        break;
      ((value(c, middle) >= 0) == sign ? low : high) = middle;
    }
    result.push_back(high);
  }
  return result;
}

std::vector<Crossing>
crossings(const Flight<2> &point, const std::array<Flight<2>, 2> &facet)
{
  const auto [e, de] = way(facet[0], facet[1]);
  const auto [q, dq] = way(facet[0], point);
  // positive on the left of the facet, which is inside
  const std::array<double, 4> c{
      {determinant(e, q), determinant(de, q) + determinant(e, dq), determinant(de, dq), 0}};
  std::vector<Crossing> result;
  for (const double s : sign_changes(c))
  {
    const Vec<2> a = facet[0].at(s), along = facet[1].at(s) - a;
    const double place = dot(point.at(s) - a, along);
    if (place >= 0 && place <= dot(along, along))
      result.push_back({s, c[1] + s * 2 * c[2] > 0});
  }
  return result;
}

std::vector<Crossing>
crossings(const Flight<3> &point, const std::array<Flight<3>, 3> &facet)
{
  // positive in front of the facet, which is outside
  const auto c =
      determinant_in_time(way(facet[0], facet[1]), way(facet[0], facet[2]), way(facet[0], point));
  std::vector<Crossing> result;
  for (const double s : sign_changes(c))
    if (is_within(corners_at(facet, s), point.at(s)))
      result.push_back({s, c[1] + s * (2 * c[2] + s * 3 * c[3]) < 0});
  return result;
}

bool
edges_cross(const std::array<Flight<3>, 2> &a, const std::array<Flight<3>, 2> &b)
{
  for (const double s :
       sign_changes(determinant_in_time(way(a[0], a[1]), way(b[0], b[1]), way(a[0], b[0]))))
  {
    const Vec<3> u = a[1].at(s) - a[0].at(s), v = b[1].at(s) - b[0].at(s),
                 w = b[0].at(s) - a[0].at(s), n = cross(u, v);
    const double square = dot(n, n);
    const double on_a = determinant(w, v, n), on_b = determinant(w, u, n);
    if (on_a >= 0 && on_a <= square && on_b >= 0 && on_b <= square)
      return true;
  }
  return false;
}
} // namespace Scenes
