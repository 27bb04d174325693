#include <kickdrift/potentials/shells/shell_mesh.h>

#include <deal.II/base/tensor.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
// Area of a triangle that counts as none, relative to the square of its longest edge.
constexpr double smallest_area = 1e-8;

/// One number for the edge between two nodes, whichever is first.
std::uint64_t
key(const unsigned int a, const unsigned int b)
{
  return (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
}

Tensor<1, 3>
area_vector(const std::vector<Point<3>> &x, const ShellMesh::Triangle &t)
{
  return 0.5 * cross_product_3d(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
}

void
check_triangle(const std::vector<Point<3>> &x, const ShellMesh::Triangle &t,
               const unsigned int number)
{
  AssertThrow(t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && t[0] < x.size() && t[1] < x.size() &&
                  t[2] < x.size(),
              ShellExceptions::ExcCorners(number));
  const double area = area_vector(x, t).norm();
  const double longest =
      std::max({x[t[0]].distance(x[t[1]]), x[t[1]].distance(x[t[2]]), x[t[2]].distance(x[t[0]])});
  AssertThrow(area > smallest_area * longest * longest, // neither is not-a-number
              ShellExceptions::ExcDegenerate(number, area, longest));
}
} // namespace

void
ShellSection::check() const
{
  const auto check_positive = [](const std::string &what, const double value)
  {
    AssertThrow(value > 0 && std::isfinite(value),
                ShellExceptions::ExcSection(what, value, "positive"));
  };
  check_positive("thickness", thickness);
  check_positive("density", density);
  check_positive("Young's modulus", youngs_modulus);
  AssertThrow(
      poisson_ratio > -1 && poisson_ratio < 1,
      ShellExceptions::ExcSection("Poisson's ratio", poisson_ratio, "above -1 and below 1"));
}

ShellMesh::ShellMesh(std::vector<Point<3>> positions, std::vector<Triangle> triangles)
    : all_positions(std::move(positions)),
      all_triangles(std::move(triangles)),
      turned(all_triangles.size(), false)
{
  for (unsigned int t = 0; t < all_triangles.size(); ++t)
    check_triangle(all_positions, all_triangles[t], t);
  find_edges();
  turn_triangles();
  if (n_turned() > 0)
    find_edges();
}

void
ShellMesh::find_edges()
{
  all_edges.clear();
  edges_of_triangle.resize(all_triangles.size());
  std::unordered_map<std::uint64_t, unsigned int> known;
  for (unsigned int t = 0; t < all_triangles.size(); ++t)
    for (unsigned int i = 0; i < 3; ++i)
    {
      const auto &corners = all_triangles[t];
      const unsigned int a = corners[i], b = corners[(i + 1) % 3], c = corners[(i + 2) % 3];
      const auto [entry, is_new] = known.emplace(key(a, b), all_edges.size());
      edges_of_triangle[t][i] = entry->second;
      if (is_new)
      {
        all_edges.push_back({{{a, b}}, {{t, none}}, {{c, none}}});
        continue;
      }
      Edge &edge = all_edges[entry->second];
      if (!edge.is_free())
      {
        unsigned int n = 0;
        for (const Triangle &other : all_triangles)
          n += std::count_if(other.begin(), other.end(),
                             [&](const unsigned int node) { return node == a || node == b; }) == 2;
        AssertThrow(false, ShellExceptions::ExcThreeTriangles(std::min(a, b), std::max(a, b), n));
      }
      AssertThrow(edge.opposite[0] != c, ShellExceptions::ExcTwice(edge.triangles[0], t));
      edge.triangles[1] = t;
      edge.opposite[1] = c;
    }
}

bool
ShellMesh::goes_from(const unsigned int triangle, const unsigned int first,
                     const unsigned int second) const
{
  const Triangle &t = all_triangles[triangle];
  return (t[0] == first && t[1] == second) || (t[1] == first && t[2] == second) ||
         (t[2] == first && t[0] == second);
}

void
ShellMesh::turn_triangles()
{
  std::vector<bool> seen(all_triangles.size(), false);
  std::vector<unsigned int> part;
  for (unsigned int first = 0; first < all_triangles.size(); ++first)
  {
    if (seen[first])
      continue;
    seen[first] = true;
    part.assign(1, first);
    std::size_t n_turned = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      for (const unsigned int e : edges_of_triangle[part[i]])
      {
        const Edge &edge = all_edges[e];
        if (edge.is_free())
          continue;
        const unsigned int other = edge.triangles[edge.triangles[0] == part[i] ? 1 : 0];
        // neighbours that agree go along their common edge in opposite directions
        const bool agree = !goes_from(edge.triangles[1], edge.nodes[0], edge.nodes[1]);
        const bool wanted = agree ? turned[part[i]] : !turned[part[i]];
        if (!seen[other])
        {
          seen[other] = true;
          turned[other] = wanted;
          n_turned += wanted;
          part.push_back(other);
        }
        AssertThrow(turned[other] == wanted,
                    ShellExceptions::ExcOneSided(std::min(edge.nodes[0], edge.nodes[1]),
                                                 std::max(edge.nodes[0], edge.nodes[1])));
      }
    if (2 * n_turned > part.size())
      for (const unsigned int t : part)
        turned[t] = !turned[t];
  }
  for (unsigned int t = 0; t < all_triangles.size(); ++t)
    if (turned[t])
      std::swap(all_triangles[t][1], all_triangles[t][2]);
}

unsigned int
ShellMesh::n_turned() const
{
  return std::count(turned.begin(), turned.end(), true);
}

unsigned int
ShellMesh::opposite(const unsigned int triangle, const unsigned int i) const
{
  const Edge &e = edge(triangle, i);
  return e.opposite[e.triangles[0] == triangle ? 1 : 0];
}

void
ShellMesh::keep_normals(const std::vector<std::array<unsigned int, 2>> &edges,
                        const std::vector<Tensor<1, 3>> &symmetries)
{
  std::unordered_map<std::uint64_t, unsigned int> free;
  for (unsigned int e = 0; e < all_edges.size(); ++e)
    if (all_edges[e].is_free())
      free.emplace(key(all_edges[e].nodes[0], all_edges[e].nodes[1]), e);
  std::map<unsigned int, Tensor<1, 3>> all; // normals by edge, with those of earlier calls
  for (unsigned int i = 0; i < kept.size(); ++i)
    all[kept[i]] = normals_of_kept[i];
  for (const auto &[a, b] : edges)
  {
    const auto entry = free.find(key(a, b));
    AssertThrow(entry != free.end(), ShellExceptions::ExcNotFree(a, b));
    Edge &edge = all_edges[entry->second];
    edge.keeps_normal = true;
    all[entry->second] = mirror_normal(edge, symmetries);
  }
  kept.clear();
  normals_of_kept.clear();
  for (const auto &[edge, normal] : all)
  {
    kept.push_back(edge);
    normals_of_kept.push_back(normal);
  }
}

Tensor<1, 3>
ShellMesh::mirror_normal(const Edge &edge, const std::vector<Tensor<1, 3>> &symmetries) const
{
  const auto &x = all_positions;
  const Tensor<1, 3> along = x[edge.nodes[1]] - x[edge.nodes[0]];
  Tensor<1, 3> across = x[edge.opposite[0]] - x[edge.nodes[0]];
  across -= (across * along) / along.norm_square() * along;
  across /= across.norm();
  Tensor<1, 3> result = across;
  double largest = std::sqrt(0.5); // cosine
  for (const Tensor<1, 3> &normal : symmetries)
  {
    const Tensor<1, 3> unit = normal / normal.norm();
    const double cosine = std::abs(unit * across);
    if (cosine > largest)
      result = unit * across < 0 ? -unit : unit;
    largest = std::max(largest, cosine);
  }
  return result;
}

double
ShellMesh::area(const unsigned int triangle) const
{
  return area_vector(all_positions, all_triangles[triangle]).norm();
}
} // namespace KickDrift
