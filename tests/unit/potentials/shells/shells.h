#ifndef UNIT_POTENTIALS_SHELLS_SHELLS_H
#define UNIT_POTENTIALS_SHELLS_SHELLS_H

#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/base/numbers.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace ShellsTest
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;
using Vector = Tensor<1, 3>;

struct Triangles
{
  std::vector<Point<3>> positions;
  std::vector<ShellMesh::Triangle> triangles;

  std::shared_ptr<const ShellMesh>
  mesh() const
  {
    return std::make_shared<ShellMesh>(positions, triangles);
  }

  /// The same with free edges that keep their normals: those whose middle is @p at_edge.
  template <typename Condition>
  std::shared_ptr<const ShellMesh>
  clamped_mesh(const Condition &at_edge, const std::vector<Tensor<1, 3>> &symmetries = {}) const
  {
    auto result = std::make_shared<ShellMesh>(positions, triangles);
    std::vector<std::array<unsigned int, 2>> edges;
    for (const auto &edge : result->edges())
      if (edge.is_free() &&
          at_edge(Point<3>(0.5 * (positions[edge.nodes[0]] + positions[edge.nodes[1]]))))
        edges.push_back(edge.nodes);
    result->keep_normals(edges, symmetries);
    return result;
  }
};

enum class Pattern
{
  one_sided,   ///< squares halved by parallel diagonals
  shifted_rows ///< every second row moved by half a triangle
};

/// The unit square in the plane z = 0, with normals along z.
inline Triangles
plate(const unsigned int n, const Pattern pattern, const double shift = 0, const unsigned seed = 1)
{
  Triangles result;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> way(-shift / n, shift / n);
  for (unsigned int j = 0; j <= n; ++j)
    for (unsigned int i = 0; i <= n; ++i)
    {
      Point<3> x(double(i) / n, double(j) / n, 0);
      const bool is_inside = i > 0 && i < n && j > 0 && j < n;
      if (pattern == Pattern::shifted_rows && j % 2 == 1 && i > 0 && i < n)
        x[0] += 0.5 / n;
      if (is_inside)
        x += Point<3>(way(random), way(random), 0);
      result.positions.push_back(x);
    }
  for (unsigned int j = 0; j < n; ++j)
    for (unsigned int i = 0; i < n; ++i)
    {
      const unsigned int a = i + (n + 1) * j, b = a + 1, c = a + n + 1, d = c + 1;
      if (pattern == Pattern::one_sided || j % 2 == 1)
      {
        result.triangles.push_back({{a, b, d}});
        result.triangles.push_back({{a, d, c}});
      }
      else
      {
        result.triangles.push_back({{a, b, c}});
        result.triangles.push_back({{b, d, c}});
      }
    }
  return result;
}

/// An icosahedron whose triangles have been divided into four @p levels times, on a sphere.
inline Triangles
sphere(const unsigned int levels, const double radius = 1)
{
  const double g = (1 + std::sqrt(5.)) / 2;
  Triangles result;
  for (const double s : {-1., 1.})
    for (const double t : {-g, g})
    {
      result.positions.emplace_back(0, s, t);
      result.positions.emplace_back(s, t, 0);
      result.positions.emplace_back(t, 0, s);
    }
  auto &x = result.positions;
  for (unsigned int a = 0; a < 12; ++a)
    for (unsigned int b = a + 1; b < 12; ++b)
      for (unsigned int c = b + 1; c < 12; ++c)
        if (std::abs(x[a].distance(x[b]) - 2) + std::abs(x[b].distance(x[c]) - 2) +
                std::abs(x[c].distance(x[a]) - 2) <
            1e-6)
        {
          const Vector normal = cross_product_3d(x[b] - x[a], x[c] - x[a]);
          const bool outwards = normal * (x[a] - Point<3>()) > 0;
          result.triangles.push_back({{a, outwards ? b : c, outwards ? c : b}});
        }
  for (unsigned int level = 0; level < levels; ++level)
  {
    std::map<std::pair<unsigned int, unsigned int>, unsigned int> middles;
    const auto middle = [&](const unsigned int a, const unsigned int b)
    {
      const auto entry = middles.emplace(std::minmax(a, b), x.size());
      if (entry.second)
        x.push_back(Point<3>(0.5 * (x[a] + x[b])));
      return entry.first->second;
    };
    std::vector<ShellMesh::Triangle> finer;
    for (const auto &t : result.triangles)
    {
      const unsigned int a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      finer.insert(finer.end(), {{{t[0], a, c}}, {{a, t[1], b}}, {{c, b, t[2]}}, {{a, b, c}}});
    }
    result.triangles = finer;
  }
  for (auto &p : x)
    p = Point<3>(p / p.norm() * radius);
  return result;
}

/// Steel in SI units, rather thick.
inline ShellSection
steel(const double thickness)
{
  return {2.1e11, 0.3, 7850, thickness};
}

/// A shell with the nodes of its table.
struct Shell
{
  Shell(const std::shared_ptr<const ShellMesh> &mesh, const ShellSection &section,
        const Bending bending)
      : mesh(mesh), families(make_shell_kicks(mesh, section, bending, 0))
  {
    const auto areas = shell_areas(*mesh, bending);
    for (unsigned int n = 0; n < areas.size(); ++n)
      nodes.add(mesh->positions()[n], section.mass_per_area() * areas[n]);
  }

  /// u(X) at all nodes.
  template <typename Function>
  void
  displace(const Function &u)
  {
    for (unsigned int n = 0; n < nodes.size(); ++n)
      nodes.set_displacement(n, u(nodes.reference(n)));
  }

  void
  displace_randomly(const double largest, const unsigned seed = 1)
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> way(-largest, largest);
    displace([&](const Point<3> &) { return Point<3>(way(random), way(random), way(random)); });
  }

  double
  energy() const
  {
    EnergyBalance balance;
    for (const auto &family : families)
      family->add_energy(nodes, balance);
    return balance.strain;
  }

  std::shared_ptr<const ShellMesh> mesh;
  std::vector<std::shared_ptr<ShellKicks>> families;
  NodeTable<3> nodes;
};

constexpr Bending all_kinds[] = {Bending::none, Bending::hinge, Bending::triangle, Bending::loop};
} // namespace ShellsTest

#endif
