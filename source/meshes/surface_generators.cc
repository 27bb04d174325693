#include "surface_generators.h"

#include <deal.II/base/numbers.h>
#include <deal.II/grid/manifold_lib.h>
#include <deal.II/grid/tria_description.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Surface = Triangulation<2, 3>;

/// Points and triangles on the way to a triangulation.
struct Builder
{
  void
  add_triangle(const unsigned int a, const unsigned int b, const unsigned int c)
  {
    cells.emplace_back(3);
    cells.back().vertices = {a, b, c};
  }

  /// @param id_of_edge boundary id of a free edge with its middle at a point
  void
  make(Surface &triangulation,
       const std::function<types::boundary_id(const Point<3> &)> &id_of_edge) const
  {
    triangulation.create_triangulation(points, cells, SubCellData());
    for (const auto &edge : triangulation.active_face_iterators())
      if (edge->at_boundary())
        edge->set_boundary_id(id_of_edge(edge->center()));
  }

  std::vector<Point<3>> points;
  std::vector<CellData<2>> cells;
};

void
make_plate(const Point<3> &p, const Point<3> &q, const unsigned int normal,
           const std::array<unsigned int, 3> &n, Surface &triangulation)
{
  const unsigned int a = (normal + 1) % 3, b = (normal + 2) % 3;
  Builder builder;
  std::vector<unsigned int> first_of_row;
  for (unsigned int j = 0; j <= n[b]; ++j)
  {
    first_of_row.push_back(builder.points.size());
    const bool is_shifted = j % 2 == 1;
    const unsigned int n_points = n[a] + (is_shifted ? 2 : 1);
    for (unsigned int i = 0; i < n_points; ++i)
    {
      const double along = i == 0              ? 0.
                           : i == n_points - 1 ? 1.
                                               : (is_shifted ? i - 0.5 : 1. * i) / n[a];
      Point<3> x = p;
      x[a] = p[a] + along * (q[a] - p[a]);
      x[b] = p[b] + double(j) / n[b] * (q[b] - p[b]);
      builder.points.push_back(x);
    }
  }
  for (unsigned int j = 0; j < n[b]; ++j)
  {
    const bool is_shifted = j % 2 == 1; // the lower one of two rows
    const unsigned int lower = first_of_row[j], upper = first_of_row[j + 1];
    const unsigned int straight = is_shifted ? upper : lower, shifted = is_shifted ? lower : upper;
    for (unsigned int i = 0; i <= n[a]; ++i)
    {
      // an edge of the shifted row with a corner in the other, and the other way round
      if (is_shifted)
        builder.add_triangle(shifted + i, shifted + i + 1, straight + i);
      else
        builder.add_triangle(straight + i, shifted + i + 1, shifted + i);
      if (i == n[a])
        break;
      if (is_shifted)
        builder.add_triangle(straight + i + 1, straight + i, shifted + i + 1);
      else
        builder.add_triangle(straight + i, straight + i + 1, shifted + i + 1);
    }
  }
  builder.make(triangulation,
               [&](const Point<3> &middle) -> types::boundary_id
               {
                 for (const unsigned int d : {a, b})
                 {
                   const double x = (middle[d] - p[d]) / (q[d] - p[d]);
                   if (std::abs(x) < 1e-10 || std::abs(x - 1) < 1e-10)
                     return 2 * d + (x > 0.5 ? 1 : 0);
                 }
                 return numbers::internal_face_boundary_id;
               });
}
} // namespace

void
make_box_surface(const Point<3> &p, const Point<3> &q, const std::array<unsigned int, 3> &n,
                 Surface &triangulation)
{
  // sides that are expressions may differ by rounding
  for (unsigned int d = 0; d < 3; ++d)
    if (std::abs(p[d] - q[d]) <= 1e-12 * p.distance(q))
      return make_plate(p, q, d, n, triangulation);
  Builder builder;
  std::map<std::array<unsigned int, 3>, unsigned int> known;
  const auto point = [&](const std::array<unsigned int, 3> &place)
  {
    const auto entry = known.emplace(place, builder.points.size());
    if (entry.second)
    {
      Point<3> x;
      for (unsigned int d = 0; d < 3; ++d)
        x[d] = place[d] == n[d] ? q[d] : p[d] + double(place[d]) / n[d] * (q[d] - p[d]);
      builder.points.push_back(x);
    }
    return entry.first->second;
  };
  for (unsigned int d = 0; d < 3; ++d)
    for (const bool is_upper : {false, true})
    {
      // right-handed axes as seen from outside
      const unsigned int a = (d + (is_upper ? 1 : 2)) % 3, b = (d + (is_upper ? 2 : 1)) % 3;
      for (unsigned int i = 0; i < n[a]; ++i)
        for (unsigned int j = 0; j < n[b]; ++j)
        {
          const auto corner = [&](const unsigned int along_a, const unsigned int along_b)
          {
            std::array<unsigned int, 3> place;
            place[d] = is_upper ? n[d] : 0;
            place[a] = i + along_a;
            place[b] = j + along_b;
            return point(place);
          };
          builder.add_triangle(corner(0, 0), corner(1, 0), corner(1, 1));
          builder.add_triangle(corner(0, 0), corner(1, 1), corner(0, 1));
        }
    }
  builder.make(triangulation, [](const Point<3> &) { return types::boundary_id(0); });
}

void
make_sphere(const Point<3> &centre, const double radius, Surface &triangulation)
{
  // corners of three golden rectangles, of which those with the shortest distance are neighbours
  const double golden = 0.5 * (1 + std::sqrt(5.)), scale = radius / std::sqrt(1 + golden * golden);
  Builder builder;
  std::vector<Tensor<1, 3>> x;
  for (unsigned int d = 0; d < 3; ++d)
    for (const double s : {-1., 1.})
      for (const double t : {-golden, golden})
      {
        Tensor<1, 3> corner;
        corner[(d + 1) % 3] = s;
        corner[(d + 2) % 3] = t;
        x.push_back(corner);
        builder.points.push_back(centre + scale * corner);
      }
  const auto are_neighbours = [&](const unsigned int i, const unsigned int j)
  { return (x[i] - x[j]).norm_square() < 5; }; // 4, or more than 10
  for (unsigned int i = 0; i < x.size(); ++i)
    for (unsigned int j = i + 1; j < x.size(); ++j)
      for (unsigned int k = j + 1; k < x.size(); ++k)
        if (are_neighbours(i, j) && are_neighbours(j, k) && are_neighbours(k, i))
        {
          const bool outwards = cross_product_3d(x[j] - x[i], x[k] - x[i]) * x[i] > 0;
          builder.add_triangle(i, outwards ? j : k, outwards ? k : j);
        }
  builder.make(triangulation, [](const Point<3> &) { return types::boundary_id(0); });
  triangulation.set_all_manifold_ids(0);
  triangulation.set_manifold(0, SphericalManifold<2, 3>(centre));
}

void
make_tube(const Point<3> &centre, const double radius, const double length, Surface &triangulation)
{
  constexpr unsigned int n_around = 6;
  const double side = 2 * numbers::PI * radius / n_around, height = 0.5 * std::sqrt(3.) * side;
  const unsigned int n_rows = std::max(1l, std::lround(length / height));
  Builder builder;
  for (unsigned int j = 0; j <= n_rows; ++j)
    for (unsigned int i = 0; i < n_around; ++i)
    {
      const double angle = 2 * numbers::PI * (i + 0.5 * (j % 2)) / n_around;
      builder.points.push_back(centre + Point<3>((double(j) / n_rows - 0.5) * length,
                                                 radius * std::cos(angle),
                                                 radius * std::sin(angle)));
    }
  const auto place = [](const unsigned int j, const unsigned int i)
  { return j * n_around + i % n_around; };
  for (unsigned int j = 0; j < n_rows; ++j)
    for (unsigned int i = 0; i < n_around; ++i)
    {
      const unsigned int shift = j % 2; // the row above is half a triangle ahead, or behind
      builder.add_triangle(place(j, i), place(j, i + 1), place(j + 1, i + shift));
      builder.add_triangle(place(j, i + 1 - shift), place(j + 1, i + 1), place(j + 1, i));
    }
  builder.make(triangulation,
               [&](const Point<3> &middle) -> types::boundary_id
               { return middle[0] < centre[0] ? 1 : 2; });
  triangulation.set_all_manifold_ids(0);
  triangulation.set_manifold(0, CylindricalManifold<2, 3>(Tensor<1, 3>({1, 0, 0}), centre));
}
} // namespace KickDrift
