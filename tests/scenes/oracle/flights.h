// Where straight flights pass through each other, exactly: all sign changes, by bisection.
#ifndef KICKDRIFT_TESTS_SCENES_FLIGHTS_H
#define KICKDRIFT_TESTS_SCENES_FLIGHTS_H

#include "scenes/oracle/skin.h"

namespace Scenes
{
/// Where a vertex is at the two ends of a flight.
template <int dim>
struct Flight
{
  Vec<dim> start, end; ///< [length]

  Vec<dim>
  at(const double s) const
  {
    return between(start, end, s);
  }
};

/// Flights of some vertices.
template <int dim, std::size_t n>
std::array<Flight<dim>, n>
flights(const std::array<unsigned int, n> &vertices, const std::vector<Vec<dim>> &start,
        const std::vector<Vec<dim>> &end)
{
  std::array<Flight<dim>, n> result;
  for (unsigned int i = 0; i < n; ++i)
    result[i] = {start[vertices[i]], end[vertices[i]]};
  return result;
}

/// A point passes through a facet.
struct Crossing
{
  double when;    ///< share of the flight [-]
  bool is_inward; ///< from outside to inside
};

/// All passages of a point through a facet, ascending.
std::vector<Crossing> crossings(const Flight<2> &point, const std::array<Flight<2>, 2> &facet);
std::vector<Crossing> crossings(const Flight<3> &point, const std::array<Flight<3>, 3> &facet);

/// Do two edges pass through each other?
bool edges_cross(const std::array<Flight<3>, 2> &a, const std::array<Flight<3>, 2> &b);

/// Roots in [0,1) at which a polynomial of third degree changes its sign, ascending.
std::vector<double> sign_changes(const std::array<double, 4> &coefficients);
} // namespace Scenes

#endif
