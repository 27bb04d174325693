#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/curved_face.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <string>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

constexpr unsigned int max_degree = 3;

/// Number of points in lines along a direction, and from one point of a line to the next.
struct Lines
{
  unsigned int stride, n_lines;

  std::size_t
  begin(const unsigned int line, const unsigned int degree) const
  {
    return stride == 1 ? line * (degree + 1) : line;
  }
};

template <int spacedim>
Lines
lines(const unsigned int direction, const unsigned int degree)
{
  return {direction == 0 ? 1 : degree + 1, spacedim == 2 ? 1 : degree + 1};
}

/// Control points of a curve from equidistant points on it.
template <int spacedim>
void
interpolate(Point<spacedim> *x, const unsigned int stride, const unsigned int degree)
{
  if (degree == 2)
    x[stride] = x[stride] + 0.5 * ((x[stride] - x[0]) + (x[stride] - x[2 * stride]));
  else if (degree == 3)
  {
    const Tensor<1, spacedim> a = x[0], b = x[stride], c = x[2 * stride], d = x[3 * stride];
    x[stride] = Point<spacedim>((-5. * a + 18. * b - 9. * c + 2. * d) / 6.);
    x[2 * stride] = Point<spacedim>((2. * a - 9. * b + 18. * c - 5. * d) / 6.);
  }
}

/// Bernstein polynomials and their first and second derivatives.
std::array<std::array<double, max_degree + 1>, 3>
bernstein(const unsigned int degree, const double t)
{
  std::array<std::array<double, max_degree + 1>, 3> result{};
  // of degree n from those of degree n-1; derivatives are differences of these
  std::array<std::array<double, max_degree + 1>, max_degree + 1> b{};
  b[0][0] = 1;
  for (unsigned int n = 1; n <= degree; ++n)
    for (unsigned int i = 0; i <= n; ++i)
      b[n][i] = (i < n ? (1 - t) * b[n - 1][i] : 0.) + (i > 0 ? t * b[n - 1][i - 1] : 0.);
  const auto value = [&](const unsigned int n, const int i)
  { return i < 0 || i > int(n) ? 0. : b[n][i]; };
  const double first = degree, second = degree * (degree - 1.);
  for (int i = 0; i <= int(degree); ++i)
  {
    result[0][i] = b[degree][i];
    result[1][i] = first * (value(degree - 1, i - 1) - value(degree - 1, i));
    if (degree > 1)
      result[2][i] =
          second * (value(degree - 2, i - 2) - 2 * value(degree - 2, i - 1) + value(degree - 2, i));
  }
  return result;
}
} // namespace

template <int spacedim>
struct CurvedFace<spacedim>::Derivatives
{
  Point<spacedim> x;
  std::array<Tensor<1, spacedim>, face_dim> first;
  std::array<std::array<Tensor<1, spacedim>, face_dim>, face_dim> second;
};

/// A part of the face over a box of coordinates.
template <int spacedim>
struct CurvedFace<spacedim>::Part
{
  std::vector<Point<spacedim>> control;
  Point<face_dim> lower, upper; ///< coordinates on the whole face
  double bound = 0;             ///< no point of the part is nearer [length]

  bool
  operator<(const Part &other) const
  {
    return bound > other.bound;
  }

  /// From the box around the control points, and from their distance along the way to their middle.
  void
  set_bound(const Point<spacedim> &y)
  {
    const auto box = enclosing_box<spacedim>({control.data(), control.size()});
    bound = std::max(bound, distance_bound(box, Box<spacedim>{y, y}));
    Tensor<1, spacedim> direction;
    for (const auto &point : control)
      direction += point - y;
    const double length = direction.norm();
    if (!(length > 0))
      return;
    double along = (control[0] - y) * direction / length;
    for (const auto &point : control)
      along = std::min(along, (point - y) * direction / length);
    bound = std::max(bound, along);
  }

  /// De Casteljau's algorithm at the middle.
  std::array<Part, 2>
  halves(const unsigned int direction, const unsigned int degree) const
  {
    std::array<Part, 2> parts{{*this, *this}};
    const Lines along = lines<spacedim>(direction, degree);
    for (unsigned int line = 0; line < along.n_lines; ++line)
    {
      Point<spacedim> *left = &parts[0].control[along.begin(line, degree)],
                      *right = &parts[1].control[along.begin(line, degree)];
      const unsigned int s = along.stride;
      for (unsigned int level = 1; level <= degree; ++level)
      {
        for (unsigned int i = degree; i >= level; --i)
          left[i * s] = left[(i - 1) * s] + 0.5 * (left[i * s] - left[(i - 1) * s]);
        right[(degree - level) * s] = left[degree * s];
      }
    }
    parts[0].upper[direction] = parts[1].lower[direction] =
        0.5 * (lower[direction] + upper[direction]);
    return parts;
  }
};

template <int spacedim>
CurvedFace<spacedim>::CurvedFace(const std::vector<Point<spacedim>> &points,
                                 const unsigned int degree)
    : degree(degree), control(points)
{
  AssertThrow(degree >= 1 && degree <= max_degree,
              dealii::ExcMessage("The degree of a face cannot be " + std::to_string(degree) +
                                 "; allowed is 1, 2 or 3."));
  const unsigned int n = spacedim == 2 ? degree + 1 : (degree + 1) * (degree + 1);
  AssertThrow(points.size() == n, dealii::ExcMessage("A face of degree " + std::to_string(degree) +
                                                     " has " + std::to_string(n) + " points, not " +
                                                     std::to_string(points.size()) + "."));
  for (unsigned int direction = 0; direction < face_dim; ++direction)
  {
    const Lines along = lines<spacedim>(direction, degree);
    for (unsigned int line = 0; line < along.n_lines; ++line)
      interpolate(&control[along.begin(line, degree)], along.stride, degree);
  }
}

template <int spacedim>
Box<spacedim>
CurvedFace<spacedim>::bounding_box() const
{
  return enclosing_box<spacedim>({control.data(), control.size()});
}

template <int spacedim>
Point<spacedim>
CurvedFace<spacedim>::at(const Point<face_dim> &coordinates) const
{
  return derivatives(coordinates).x;
}

template <int spacedim>
typename CurvedFace<spacedim>::Derivatives
CurvedFace<spacedim>::derivatives(const Point<face_dim> &coordinates) const
{
  std::array<std::array<std::array<double, max_degree + 1>, 3>, face_dim> b;
  for (unsigned int d = 0; d < face_dim; ++d)
    b[d] = bernstein(degree, coordinates[d]);
  // sum of the control points weighted by derivatives of these orders
  const auto sum = [&](const std::array<unsigned int, 2> &orders)
  {
    Tensor<1, spacedim> result;
    for (std::size_t i = 0; i < control.size(); ++i)
    {
      double weight = b[0][orders[0]][i % (degree + 1)];
      if constexpr (spacedim == 3)
        weight *= b[1][orders[1]][i / (degree + 1)];
      result += weight * control[i];
    }
    return result;
  };
  Derivatives result;
  result.x = Point<spacedim>(sum({{0, 0}}));
  for (unsigned int i = 0; i < face_dim; ++i)
  {
    std::array<unsigned int, 2> orders{};
    ++orders[i];
    result.first[i] = sum(orders);
    for (unsigned int j = 0; j < face_dim; ++j)
    {
      std::array<unsigned int, 2> both = orders;
      ++both[j];
      result.second[i][j] = sum(both);
    }
  }
  return result;
}

/**
 * Newton's method on the coordinates that are not held at a bound, steepest descent where the
 * Hessian is not positive, with steps that are cut until the distance falls.
 */
template <int spacedim>
typename CurvedFace<spacedim>::Closest
CurvedFace<spacedim>::local_minimum(Point<face_dim> xi, const Point<spacedim> &y) const
{
  Derivatives x = derivatives(xi);
  for (unsigned int iteration = 0; iteration < 50; ++iteration)
  {
    const Tensor<1, spacedim> r = x.x - y;
    Tensor<1, face_dim> gradient;
    Tensor<2, face_dim> hessian;
    double largest = 0; // of the squares of the tangents
    for (unsigned int i = 0; i < face_dim; ++i)
    {
      gradient[i] = r * x.first[i];
      largest = std::max(largest, x.first[i].norm_square());
      for (unsigned int j = 0; j < face_dim; ++j)
        hessian[i][j] = x.first[i] * x.first[j] + r * x.second[i][j];
    }
    for (unsigned int i = 0; i < face_dim; ++i)
      if ((xi[i] == 0 && gradient[i] > 0) || (xi[i] == 1 && gradient[i] < 0))
      {
        gradient[i] = 0;
        for (unsigned int j = 0; j < face_dim; ++j)
          hessian[i][j] = hessian[j][i] = 0;
        hessian[i][i] = largest;
      }
    const auto eigen =
        eigenvectors(symmetrize(hessian), dealii::SymmetricTensorEigenvectorMethod::jacobi);
    Tensor<1, face_dim> step;
    for (const auto &[value, direction] : eigen)
    {
      const double curvature = std::max(std::abs(value), 1e-8 * largest);
      if (curvature > 0)
        step -= (gradient * direction / curvature) * direction;
    }
    // far from the minimum a step may be much too long
    double share = 1;
    bool falls = false;
    Point<face_dim> next;
    for (; share > 1e-6 && !falls; share *= 0.5)
    {
      for (unsigned int i = 0; i < face_dim; ++i)
        next[i] = std::min(1., std::max(0., xi[i] + share * step[i]));
      const Derivatives there = derivatives(next);
      falls = (there.x - y).norm_square() < r.norm_square();
      if (falls)
        x = there;
    }
    if (!falls)
      break;
    const double change = (next - xi).norm();
    xi = next;
    if (change < 1e-15)
      break;
  }
  return {xi, x.x, (x.x - y).norm()};
}

template <int spacedim>
typename CurvedFace<spacedim>::Closest
CurvedFace<spacedim>::closest_point(const Point<spacedim> &y) const
{
  return search(y, std::numeric_limits<double>::infinity(), 0.);
}

template <int spacedim>
bool
CurvedFace<spacedim>::is_within(const Point<spacedim> &y, const double radius) const
{
  return search(y, radius, radius).distance <= radius;
}

template <int spacedim>
typename CurvedFace<spacedim>::Closest
CurvedFace<spacedim>::search(const Point<spacedim> &y, const double beyond,
                             const double near_enough) const
{
  const Box<spacedim> box = bounding_box();
  const double size = (box.upper - box.lower).norm();
  std::priority_queue<Part> parts;
  Part whole;
  whole.control = control;
  for (unsigned int d = 0; d < face_dim; ++d)
    whole.upper[d] = 1;
  whole.set_bound(y);
  parts.push(whole);

  Closest best;
  best.distance = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i < 1000 && !parts.empty() && best.distance > near_enough; ++i)
  {
    const Part part = parts.top();
    parts.pop();
    const auto is_excluded = [&](const double bound)
    { return bound > beyond || bound >= best.distance * (1 - 1e-6) - 1e-14 * size; };
    if (is_excluded(part.bound))
      break;
    const Closest here = local_minimum(part.lower + 0.5 * (part.upper - part.lower), y);
    if (here.distance < best.distance)
      best = here;

    unsigned int longest = 0;
    for (unsigned int d = 1; d < face_dim; ++d)
      if (part.upper[d] - part.lower[d] > part.upper[longest] - part.lower[longest])
        longest = d;
    for (Part &half : part.halves(longest, degree))
    {
      half.set_bound(y);
      if (!is_excluded(half.bound))
        parts.push(std::move(half));
    }
  }
  return best;
}

template class CurvedFace<2>;
template class CurvedFace<3>;
} // namespace KickDrift
