// Where points are with respect to closed surfaces: brute force, no memory, no rules.
#ifndef KICKDRIFT_TESTS_SCENES_INSIDE_H
#define KICKDRIFT_TESTS_SCENES_INSIDE_H

#include "scenes/oracle/skin.h"

#include <utility>

namespace Scenes
{
/// How often a closed surface winds round a point: 1 inside, 0 outside.
int winding(const std::vector<Facet<2>> &facets, const std::vector<Vec<2>> &x, const Vec<2> &point);
int winding(const std::vector<Facet<3>> &facets, const std::vector<Vec<3>> &x, const Vec<3> &point);

/// The point of a segment or triangle that is nearest to another one.
Vec<2> nearest_on(const std::array<Vec<2>, 2> &corners, const Vec<2> &point);
Vec<3> nearest_on(const std::array<Vec<3>, 3> &corners, const Vec<3> &point);

/// Distance between two segments [length].
double segment_distance(const Vec<3> &a0, const Vec<3> &a1, const Vec<3> &b0, const Vec<3> &b1);

/// Unit normal to the outside; zero if the facet has no area.
Vec<2> normal(const std::array<Vec<2>, 2> &corners);
Vec<3> normal(const std::array<Vec<3>, 3> &corners);

template <int dim>
std::array<Vec<dim>, dim>
corners(const Facet<dim> &facet, const std::vector<Vec<dim>> &x)
{
  std::array<Vec<dim>, dim> result;
  for (int i = 0; i < dim; ++i)
    result[i] = x[facet[i]];
  return result;
}

/// Distance to the nearest facet, and which it is.
template <int dim>
std::pair<double, unsigned int> nearest_facet(const std::vector<Facet<dim>> &facets,
                                              const std::vector<Vec<dim>> &x,
                                              const Vec<dim> &point);

/// How deep a point is inside of a piece, with both diagonals of its faces; negative outside of
/// one of them [length].
template <int dim>
double depth(const PieceSkin<dim> &piece, const std::vector<Vec<dim>> &x, const Vec<dim> &point);

/// Where the segment from @p a to @p b passes through facets, in [0,1] and ascending.
template <int dim>
std::vector<double> passages(const std::vector<Facet<dim>> &facets, const std::vector<Vec<dim>> &x,
                             const Vec<dim> &a, const Vec<dim> &b);
} // namespace Scenes

#endif
