#include "mirror_parts.h"

#include <kickdrift/potentials/shells/loop_subdivision.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr unsigned int none = ShellMesh::none;

/// A point that is linear in nodes of the mesh.
using Combination = std::map<unsigned int, double>;

void
add(Combination &sum, const double factor, const Combination &term)
{
  for (const auto &[node, weight] : term)
    sum[node] += factor * weight;
}

/// What has images beyond edges that keep their normals: where two edges of a part of the boundary
/// meet, the whole fan of triangles, so that valences are those of the surface with its image;
/// where such a part ends, the triangles at edges only.
class MirrorImages
{
public:
  /// A part of the boundary, see MirrorParts, and a node that is not at it.
  using Image = std::pair<unsigned int, unsigned int>;

  explicit MirrorImages(const ShellMesh &mesh)
      : boundary(mesh), mesh(mesh), has_fan(mesh.positions().size())
  {
    const auto &kept = mesh.edges_with_normals();
    std::map<unsigned int, std::set<unsigned int>> edges_at;
    for (unsigned int i = 0; i < kept.size(); ++i)
    {
      const auto &edge = mesh.edges()[kept[i]];
      for (const unsigned int node : edge.nodes)
      {
        in_parts.insert({boundary.parts[i], node});
        edges_at[node].insert(i);
      }
      edges[{boundary.parts[i], edge.opposite[0]}].insert(i);
    }
    find_fans();
    // images of nodes across from no edge are in the planes of the edges next to them
    std::map<Image, std::set<unsigned int>> others;
    for (const auto &triangle : mesh.triangles())
      for (const unsigned int centre : triangle)
        if (has_image_of_fan(centre))
          for (const unsigned int node : triangle)
            if (const Image image = {part_of(centre), node}; in_parts.count(image) == 0)
              others[image].insert(edges_at[centre].begin(), edges_at[centre].end());
    edges.insert(others.begin(), others.end()); // only of those that are new
  }

  /// Has everything around this node, which is between two edges, an image?
  bool
  has_image_of_fan(const unsigned int node) const
  {
    return has_fan[node];
  }

  /// Part of the boundary in which a node is between two edges, or none.
  unsigned int
  part_of(const unsigned int node) const
  {
    const unsigned int edge = boundary.edge_of_inner_node[node];
    return edge == none ? none : boundary.parts[edge];
  }

  const MirrorParts boundary;
  /// The planes of an image, as places in ShellMesh::edges_with_normals(): it is the mean.
  std::map<Image, std::set<unsigned int>> edges;

private:
  /// Not at triangles that cut off a corner between edges of one part.
  void
  find_fans()
  {
    for (unsigned int node = 0; node < has_fan.size(); ++node)
      has_fan[node] = part_of(node) != none;
    for (unsigned int t = 0; t < mesh.triangles().size(); ++t)
      for (unsigned int i = 0; i < 3; ++i)
      {
        const auto &edge = mesh.edge(t, i);
        for (const unsigned int part : {part_of(edge.nodes[0]), part_of(edge.nodes[1])})
          if (part != none && !edge.keeps_normal && in_parts.count({part, edge.nodes[0]}) > 0 &&
              in_parts.count({part, edge.nodes[1]}) > 0)
            for (const unsigned int node : mesh.triangles()[t])
              has_fan[node] = false;
      }
  }

  const ShellMesh &mesh;
  std::vector<char> has_fan;
  std::set<Image> in_parts; ///< nodes of edges
};

/// A mesh with ghosts beyond its free edges, such that all triangles of the mesh have neighbours
/// all around, and what subdivision makes of it.
class ExtendedMesh
{
public:
  explicit ExtendedMesh(const ShellMesh &mesh) : points(mesh.positions().size())
  {
    for (unsigned int node = 0; node < points.size(); ++node)
      points[node] = {{node, 1.}};
    for (const auto &triangle : mesh.triangles())
      add_triangle(triangle);
    check_fans(mesh);
    add_ghosts(mesh);
    rings.resize(points.size());
    for (const auto &[key, opposite] : opposites)
    {
      rings[key >> 32].push_back(key & 0xffffffffu);
      rings[key & 0xffffffffu].push_back(key >> 32);
    }
    for (auto &ring : rings)
      std::sort(ring.begin(), ring.end());
  }

  /// See LoopWeights.
  const std::vector<LoopMirror> &
  mirrors() const
  {
    return all_mirrors;
  }

  /// What the edge between two points becomes: a new point.
  Combination
  midpoint(const unsigned int a, const unsigned int b) const
  {
    Combination result;
    const auto &opposite = opposites.at(key(a, b));
    const bool is_free = opposite[1] == none;
    add(result, is_free ? 0.5 : 3. / 8, points[a]);
    add(result, is_free ? 0.5 : 3. / 8, points[b]);
    for (unsigned int i = 0; i < 2 && !is_free; ++i)
      add(result, 1. / 8, points[opposite[i]]);
    return result;
  }

  /// What a point becomes.
  Combination
  vertex(const unsigned int a) const
  {
    const unsigned int n = rings[a].size();
    const double c = 3. / 8 + 0.25 * std::cos(2 * numbers::PI / n);
    const double beta = (5. / 8 - c * c) / n;
    Combination result;
    add(result, 1 - n * beta, points[a]);
    for (const unsigned int b : rings[a])
      add(result, beta, points[b]);
    return result;
  }

  /// The corner across the edge from a to b of the triangle with the corner c.
  unsigned int
  across(const unsigned int a, const unsigned int b, const unsigned int c) const
  {
    const auto &opposite = opposites.at(key(a, b));
    return opposite[opposite[0] == c ? 1 : 0];
  }

private:
  static std::uint64_t
  key(const unsigned int a, const unsigned int b)
  {
    return (std::uint64_t(std::min(a, b)) << 32) | std::max(a, b);
  }

  void
  add_triangle(const ShellMesh::Triangle &t)
  {
    for (unsigned int i = 0; i < 3; ++i)
    {
      auto entry = opposites.emplace(key(t[i], t[(i + 1) % 3]), std::array{none, none}).first;
      entry->second[entry->second[0] == none ? 0 : 1] = t[(i + 2) % 3];
    }
  }

  /// Can all triangles around a node be reached from one of them across edges at the node?
  void
  check_fans(const ShellMesh &mesh) const
  {
    std::vector<unsigned int> n_triangles(points.size(), 0), n_of_fan(points.size(), 0);
    for (const auto &triangle : mesh.triangles())
      for (const unsigned int node : triangle)
        ++n_triangles[node];
    for (unsigned int t = 0; t < mesh.triangles().size(); ++t)
      for (unsigned int i = 0; i < 3; ++i)
      {
        const auto &corners = mesh.triangles()[t];
        const unsigned int node = corners[i];
        if (n_of_fan[node] > 0)
          continue;
        // on to the left until the fan ends or closes, then to the right
        const unsigned int first = corners[(i + 1) % 3], second = corners[(i + 2) % 3];
        unsigned int n = 1, last = first, next = second;
        while (next != first && across(node, next, last) != none)
        {
          last = std::exchange(next, across(node, next, last));
          ++n;
        }
        const bool is_closed = next == first;
        last = second;
        next = first;
        while (!is_closed && across(node, next, last) != none)
        {
          last = std::exchange(next, across(node, next, last));
          ++n;
        }
        n_of_fan[node] = n;
        AssertThrow(n == n_triangles[node], ShellExceptions::ExcFan(node));
      }
  }

  void
  add_ghosts(const ShellMesh &mesh)
  {
    const MirrorImages images(mesh);
    std::map<MirrorImages::Image, unsigned int> ghost_of;
    for (const auto &[image, edges] : images.edges)
    {
      const unsigned int node = image.second;
      ghost_of[image] = points.size();
      Combination point = {{node, 1.}};
      for (const unsigned int i : edges)
      {
        const auto &[a, b] = mesh.edges()[mesh.edges_with_normals()[i]].nodes;
        point.emplace(a, 0.);
        point.emplace(b, 0.);
        point[mesh.positions().size() + all_mirrors.size()] = 1. / edges.size();
        all_mirrors.push_back({mesh.mirror_normals()[i], {{a, b, node}}});
      }
      points.push_back(point);
    }
    std::vector<ShellMesh::Triangle> triangles;
    for (unsigned int t = 0; t < mesh.triangles().size(); ++t)
      for (unsigned int i = 0; i < 3; ++i)
      {
        const auto &corners = mesh.triangles()[t];
        const unsigned int node = corners[i], part = images.part_of(node);
        if (images.has_image_of_fan(node) && !mesh.edge(t, i).keeps_normal &&
            !mesh.edge(t, (i + 2) % 3).keeps_normal) // those come below
          triangles.push_back({{node, ghost_of.at({part, corners[(i + 2) % 3]}),
                                ghost_of.at({part, corners[(i + 1) % 3]})}});
      }
    std::map<unsigned int, std::vector<unsigned int>> ghosts_of_node;
    unsigned int n_kept = 0;
    for (const auto &edge : mesh.edges())
      if (edge.is_free())
      {
        const unsigned int a = edge.nodes[0], b = edge.nodes[1];
        unsigned int ghost = points.size();
        if (edge.keeps_normal)
          ghost = ghost_of.at({images.boundary.parts[n_kept++], edge.opposite[0]});
        else
          points.push_back({{a, 1.}, {b, 1.}, {edge.opposite[0], -1.}});
        triangles.push_back({{b, a, ghost}});
        ghosts_of_node[a].push_back(ghost);
        ghosts_of_node[b].push_back(ghost);
      }
    for (const auto &[node, ghosts] : ghosts_of_node)
      if (!images.has_image_of_fan(node) && ghosts.at(0) != ghosts.at(1))
        triangles.push_back({{node, ghosts.at(0), ghosts.at(1)}});
    for (const auto &triangle : triangles)
      add_triangle(triangle);
  }

  std::vector<LoopMirror> all_mirrors;
  std::vector<Combination> points; ///< nodes of the mesh, then ghosts
  /// Corners off an edge, by its ends.
  std::unordered_map<std::uint64_t, std::array<unsigned int, 2>> opposites;
  std::vector<std::vector<unsigned int>> rings; ///< neighbours of each point
};

constexpr unsigned int n_control = 12;

/// Box splines of the regular patch and their derivatives N, N,1, N,2, N,11, N,22, N,12 at its
/// centre, times 324; control points in the order of Cirak, Ortiz & Schröder (2000).
constexpr double splines[n_control][6] = {
    {1, -8, -10, 36, 72, 54},       {1, -10, -8, 72, 36, 54},      {14, 0, -60, -72, 144, -36},
    {92, -156, -156, -72, -72, 72}, {14, -60, 0, 144, -72, -36},   {1, 8, -2, 36, 0, -18},
    {92, 156, 0, -72, -288, -144},  {92, 0, 156, -288, -72, -144}, {1, -2, 8, 0, 36, -18},
    {1, 10, 2, 72, 0, 18},          {14, 60, 60, 144, 144, 180},   {1, 2, 10, 0, 72, 18}};

/// Control points of the middle child of a triangle, in the order of @p splines.
std::array<Combination, n_control>
middle_child(const ExtendedMesh &mesh, const ShellMesh::Triangle &t)
{
  const unsigned int w_01 = mesh.across(t[0], t[1], t[2]), w_12 = mesh.across(t[1], t[2], t[0]),
                     w_20 = mesh.across(t[2], t[0], t[1]);
  return {{mesh.midpoint(t[1], w_01), mesh.midpoint(t[0], w_01), mesh.vertex(t[1]),
           mesh.midpoint(t[0], t[1]), mesh.vertex(t[0]), mesh.midpoint(t[1], w_12),
           mesh.midpoint(t[1], t[2]), mesh.midpoint(t[2], t[0]), mesh.midpoint(t[0], w_20),
           mesh.midpoint(t[2], w_12), mesh.vertex(t[2]), mesh.midpoint(t[2], w_20)}};
}
} // namespace

LoopWeights
loop_weights(const ShellMesh &mesh)
{
  const ExtendedMesh extended(mesh);
  LoopWeights result;
  result.mirrors = extended.mirrors();
  for (const auto &triangle : mesh.triangles())
  {
    std::map<unsigned int, std::array<double, 6>> sums;
    const auto control = middle_child(extended, triangle);
    for (unsigned int i = 0; i < n_control; ++i)
      for (const auto &[node, weight] : control[i])
        for (unsigned int d = 0; d < 6; ++d)
          sums[node][d] += weight * splines[i][d] / 324;
    for (const auto &[node, w] : sums)
      result.rows.push_back({node, w[0], {{w[1], w[2]}}, {{w[3], w[4], w[5]}}});
    result.rows.finish_row();
  }
  return result;
}
} // namespace KickDrift
