// Small vectors, so that scenes and their oracle share no geometry with what they judge.
#ifndef KICKDRIFT_TESTS_SCENES_VECTORS_H
#define KICKDRIFT_TESTS_SCENES_VECTORS_H

#include <array>
#include <cmath>

namespace Scenes
{
template <int dim>
struct Vec
{
  std::array<double, dim> c{};

  double &
  operator[](const unsigned int d)
  {
    return c[d];
  }
  double
  operator[](const unsigned int d) const
  {
    return c[d];
  }
};

template <int dim>
Vec<dim>
operator+(Vec<dim> a, const Vec<dim> &b)
{
  for (int d = 0; d < dim; ++d)
    a[d] += b[d];
  return a;
}

template <int dim>
Vec<dim>
operator-(Vec<dim> a, const Vec<dim> &b)
{
  for (int d = 0; d < dim; ++d)
    a[d] -= b[d];
  return a;
}

template <int dim>
Vec<dim>
operator*(const double s, Vec<dim> a)
{
  for (int d = 0; d < dim; ++d)
    a[d] *= s;
  return a;
}

template <int dim>
double
dot(const Vec<dim> &a, const Vec<dim> &b)
{
  double sum = 0;
  for (int d = 0; d < dim; ++d)
    sum += a[d] * b[d];
  return sum;
}

template <int dim>
double
norm(const Vec<dim> &a)
{
  return std::sqrt(dot(a, a));
}

/// a + s (b - a)
template <int dim>
Vec<dim>
between(const Vec<dim> &a, const Vec<dim> &b, const double s)
{
  return a + s * (b - a);
}

inline Vec<3>
cross(const Vec<3> &a, const Vec<3> &b)
{
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

/// spin x arm; spins of the plane are about the third axis.
inline Vec<3>
turned(const Vec<3> &spin, const Vec<3> &arm)
{
  return cross(spin, arm);
}

inline Vec<2>
turned(const Vec<3> &spin, const Vec<2> &arm)
{
  return {{-spin[2] * arm[1], spin[2] * arm[0]}};
}

/// arm x force; of the plane the third component alone.
inline Vec<3>
moment(const Vec<3> &arm, const Vec<3> &force)
{
  return cross(arm, force);
}

inline Vec<3>
moment(const Vec<2> &arm, const Vec<2> &force)
{
  return {{0, 0, arm[0] * force[1] - arm[1] * force[0]}};
}

/// A box along the axes; empty at first.
template <int dim>
struct Box
{
  Vec<dim> lower = filled(1e300), upper = filled(-1e300);

  static Vec<dim>
  filled(const double value)
  {
    Vec<dim> v;
    v.c.fill(value);
    return v;
  }

  void
  include(const Vec<dim> &x)
  {
    for (int d = 0; d < dim; ++d)
    {
      lower[d] = std::fmin(lower[d], x[d]);
      upper[d] = std::fmax(upper[d], x[d]);
    }
  }

  bool
  overlaps(const Box &other) const
  {
    for (int d = 0; d < dim; ++d)
      if (lower[d] > other.upper[d] || other.lower[d] > upper[d])
        return false;
    return true;
  }

  /// The same of boxes that are larger by @p margin together.
  bool
  is_within(const double margin, const Box &other) const
  {
    for (int d = 0; d < dim; ++d)
      if (lower[d] > other.upper[d] + margin || other.lower[d] > upper[d] + margin)
        return false;
    return true;
  }

  bool
  contains(const Vec<dim> &x) const
  {
    for (int d = 0; d < dim; ++d)
      if (x[d] < lower[d] || x[d] > upper[d])
        return false;
    return true;
  }
};
} // namespace Scenes

#endif
