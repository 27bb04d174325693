#include <deal.II/base/exceptions.h>

#include "closest_on_quadrilateral.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace KickDrift
{
namespace ClosestOnFaces
{
namespace
{
/**
 * Bilinear quadrilateral x(r,s) - y = c + r a + s b + rs d on [-1,1]^2, seen from the point y, and
 * half its squared distance f(r,s).
 *
 * For one coordinate fixed, f is a quadratic function of the other. The products of the four
 * vectors are all that f and its derivatives need.
 */
class Quadrilateral
{
public:
  struct Coordinates
  {
    double r, s;
  };

  Quadrilateral(const Point<3> *corners, const Point<3> &y)
  {
    const Tensor<1, 3> x0 = corners[0] - y, x1 = corners[1] - y, x2 = corners[2] - y,
                       x3 = corners[3] - y;
    const Tensor<1, 3> lower = x1 - x0, upper = x3 - x2, left = x2 - x0, right = x3 - x1;
    c = 0.25 * ((x0 + x3) + (x1 + x2));
    a = 0.25 * (lower + upper);
    b = 0.25 * (left + right);
    d = 0.25 * (upper - lower);
    aa = a * a, bb = b * b, dd = d * d;
    ab = a * b, ad = a * d, bd = b * d;
    ca = c * a, cb = c * b, cd = c * d;
  }

  /// x(r,s) - y [length]
  Tensor<1, 3>
  position(const Coordinates &p) const
  {
    return c + p.r * a + p.s * (b + p.r * d);
  }

  /// Unit normal; the one of the centre where the face is pinched, zero if it has no area.
  Tensor<1, 3>
  normal(const Coordinates &p) const
  {
    const double size_square = aa + bb + dd;
    const Tensor<1, 3> n = unit_normal(cross_product_3d(a + p.s * d, b + p.r * d), size_square);
    return n.norm_square() > 0 ? n : unit_normal(cross_product_3d(a, b), size_square);
  }

  /// The closest point.
  Coordinates closest() const;

private:
  Tensor<1, 3> a, b, c, d;
  double aa, bb, dd, ab, ad, bd, ca, cb, cd;

  /// Minimise f over r for this s.
  double
  best_r(const double s) const
  {
    return clamped(-quotient(ca + s * (cd + ab + s * bd), aa + s * (2 * ad + s * dd)), -1., 1.);
  }

  /// Minimise f over s for this r.
  double
  best_s(const double r) const
  {
    return clamped(-quotient(cb + r * (cd + ab + r * ad), bb + r * (2 * bd + r * dd)), -1., 1.);
  }

  bool newton(Coordinates &p) const;

  Coordinates newton_step(const Coordinates &p, const double g_r, const double g_s) const;

  bool is_global_minimum(const Coordinates &p) const;

  Coordinates global_minimum(const Coordinates &guess) const;

  std::array<double, 6> stationarity_polynomial() const;
};

/**
 * One step of Newton's method, Gauss-Newton's where the Hessian is indefinite or nearly singular
 * (far from a warped face), alternating exact minimisation where the tangents are parallel.
 * A step that leaves the square is cut in one coordinate, and the other is minimised exactly.
 */
Quadrilateral::Coordinates
Quadrilateral::newton_step(const Coordinates &p, const double g_r, const double g_s) const
{
  const double h_rr = aa + p.s * (2 * ad + p.s * dd), h_ss = bb + p.r * (2 * bd + p.r * dd);
  const double warp = p.r * ad + p.s * (bd + p.r * dd);
  double h_rs = ab + cd + 2 * warp;
  double determinant = h_rr * h_ss - h_rs * h_rs;
  if (!(determinant > 1e-3 * h_rr * h_ss))
  {
    h_rs = ab + warp;
    determinant = h_rr * h_ss - h_rs * h_rs;
    if (!(determinant > 1e-12 * h_rr * h_ss))
    {
      const double r = best_r(p.s);
      return {r, best_s(r)};
    }
  }
  const double r = p.r - (h_ss * g_r - h_rs * g_s) / determinant;
  const double s = p.s - (h_rr * g_s - h_rs * g_r) / determinant;
  if (std::abs(r) > 1)
  {
    const double bound = std::copysign(1., r);
    return {bound, best_s(bound)};
  }
  if (std::abs(s) > 1)
  {
    const double bound = std::copysign(1., s);
    return {best_r(bound), bound};
  }
  return {r, s};
}

/// Minimise f from @p p on, keeping coordinates fixed at bounds that the gradient pushes against.
bool
Quadrilateral::newton(Coordinates &p) const
{
  constexpr unsigned int max_iterations = 12;
  constexpr double tolerance = 1e-7; // of the last step; the error is about its square
  for (unsigned int i = 0; i < max_iterations; ++i)
  {
    const double g_r = ca + p.s * (cd + ab + p.s * bd) + p.r * (aa + p.s * (2 * ad + p.s * dd));
    const double g_s = cb + p.r * (cd + ab + p.r * ad) + p.s * (bb + p.r * (2 * bd + p.r * dd));
    const bool r_fixed = (p.r == 1 && g_r < 0) || (p.r == -1 && g_r > 0);
    const bool s_fixed = (p.s == 1 && g_s < 0) || (p.s == -1 && g_s > 0);
    if (r_fixed && s_fixed)
      return true;

    const Coordinates next = r_fixed   ? Coordinates{p.r, best_s(p.r)}
                             : s_fixed ? Coordinates{best_r(p.s), p.s}
                                       : newton_step(p, g_r, g_s);
    const double change = std::max(std::abs(next.r - p.r), std::abs(next.s - p.s));
    p = next;
    if (change < tolerance)
      return true;
  }
  return false;
}

/**
 * Whether no other point of the face can be closer than the stationary point @p p.
 *
 * The chord from p to another point of the face is linear in the change of coordinates, with the
 * tangents half-way. So f grows along it at least as the quadratic form that has the squared
 * tangents half-way on its diagonal, and beside it their product plus (x(p)-y).d. That is positive
 * if the mixed term is below the product of the tangents' lengths. Here both are bounded over all
 * places half-way, which are at most 1/2 from p/2. Sufficient, not necessary.
 */
bool
Quadrilateral::is_global_minimum(const Coordinates &p) const
{
  const double r = 0.5 * p.r, s = 0.5 * p.s;
  const double radius = 0.5 * std::sqrt(dd);
  const double shortest_r = std::sqrt(aa + s * (2 * ad + s * dd)) - radius,
               shortest_s = std::sqrt(bb + r * (2 * bd + r * dd)) - radius;
  const double distance_d = cd + p.r * ad + p.s * (bd + p.r * dd);
  const double mixed = std::abs(distance_d + ab + r * ad + s * (bd + r * dd)) +
                       0.5 * (std::abs(ad + s * dd) + std::abs(bd + r * dd) + 0.5 * dd);
  return shortest_r > 0 && shortest_s > 0 && mixed <= shortest_r * shortest_s;
}

/**
 * df/ds along the valley r = r(s) where df/dr = 0, times the fourth power of |dx/dr|. Coefficients
 * of 1, s, s^2, ...
 */
std::array<double, 6>
Quadrilateral::stationarity_polynomial() const
{
  // with p = c + s b, q = a + s d: r(s) = -p.q / q.q,  df/ds = (p + r q).(b + r d)
  const std::array<double, 3> pq = {{ca, cd + ab, bd}}, qq = {{aa, 2 * ad, dd}};
  const std::array<double, 2> pb = {{cb, bb}}, qd = {{ad, dd}}, mixed = {{cd + ab, 2 * bd}};

  std::array<double, 6> coefficients{};
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      for (unsigned int k = 0; k < 2; ++k)
        coefficients[i + j + k] +=
            qq[i] * qq[j] * pb[k] - pq[i] * qq[j] * mixed[k] + pq[i] * pq[j] * qd[k];
  return coefficients;
}

/// Value and derivative of a polynomial given by its coefficients, lowest power first.
std::pair<double, double>
evaluate(const std::array<double, 6> &c, const unsigned int degree, const double x)
{
  double value = c[degree], derivative = 0;
  for (unsigned int i = degree; i-- > 0;)
  {
    derivative = derivative * x + value;
    value = value * x + c[i];
  }
  return {value, derivative};
}

/// The root between two points at which the polynomial differs in sign: Newton, else bisection.
double
bracketed_root(const std::array<double, 6> &c, const unsigned int degree, double left, double right)
{
  const bool left_sign = evaluate(c, degree, left).first > 0;
  double x = 0.5 * (left + right);
  for (unsigned int i = 0; i < 60; ++i)
  {
    const auto [value, derivative] = evaluate(c, degree, x);
    ((value > 0) == left_sign ? left : right) = x;
    double next = x - value / derivative;
    if (!(next > left && next < right))
      next = 0.5 * (left + right);
    const double change = std::abs(next - x);
    x = next;
    if (change < 1e-15)
      break;
  }
  return x;
}

/**
 * Roots in [-1,1] of a polynomial of degree 5 at which it changes sign. Between two neighbouring
 * roots of its derivative a polynomial is monotone, so the roots of all derivatives are found one
 * after the other, from the linear one up. Returns their number.
 */
unsigned int
roots_of_quintic(const std::array<double, 6> &coefficients, std::array<double, 5> &roots)
{
  unsigned int n_roots = 0;
  for (unsigned int degree = 1; degree <= 5; ++degree)
  {
    std::array<double, 6> c{};
    for (unsigned int i = 0; i <= degree; ++i)
    {
      c[i] = coefficients[i + 5 - degree];
      for (unsigned int k = 1; k <= 5 - degree; ++k)
        c[i] *= i + k;
    }
    std::array<double, 6> ends{};
    std::copy_n(roots.begin(), n_roots, ends.begin());
    ends[n_roots] = 1;

    const unsigned int n_intervals = n_roots + 1;
    n_roots = 0;
    double left = -1;
    for (unsigned int i = 0; i < n_intervals; ++i)
    {
      if ((evaluate(c, degree, left).first > 0) != (evaluate(c, degree, ends[i]).first > 0))
        roots[n_roots++] = bracketed_root(c, degree, left, ends[i]);
      left = ends[i];
    }
  }
  return n_roots;
}

/// The best of all stationary points inside, of the best points of the edges, and of @p guess.
Quadrilateral::Coordinates
Quadrilateral::global_minimum(const Coordinates &guess) const
{
  Coordinates best = guess;
  double smallest = position(best).norm_square();
  const auto consider = [&](const Coordinates &p)
  {
    const double square = position(p).norm_square();
    if (square < smallest)
    {
      smallest = square;
      best = p;
    }
  };
  for (const double bound : {-1., 1.})
  {
    consider({bound, best_s(bound)});
    consider({best_r(bound), bound});
  }
  std::array<double, 5> roots{};
  const unsigned int n_roots = roots_of_quintic(stationarity_polynomial(), roots);
  for (unsigned int i = 0; i < n_roots; ++i)
    consider({best_r(roots[i]), roots[i]});
  return best;
}

Quadrilateral::Coordinates
Quadrilateral::closest() const
{
  Coordinates p{0, 0};
  if (newton(p) && is_global_minimum(p))
    return p;
  return global_minimum(p);
}

} // namespace

ClosestPoint<3>
closest_on_quadrilateral(const Point<3> *corners, const Point<3> &y)
{
  const Quadrilateral face(corners, y);
  const auto p = face.closest();
  const double right = 0.5 * (1 + p.r), left = 0.5 * (1 - p.r), upper = 0.5 * (1 + p.s),
               lower = 0.5 * (1 - p.s);

  ClosestPoint<3> result;
  result.weights = {{left * lower, right * lower, left * upper, right * upper}};
  result.point = corners[0];
  for (unsigned int i = 1; i < 4; ++i)
    result.point += result.weights[i] * (corners[i] - corners[0]);
  result.distance = face.position(p).norm();
  result.normal = face.normal(p);
  return result;
}

} // namespace ClosestOnFaces
} // namespace KickDrift
