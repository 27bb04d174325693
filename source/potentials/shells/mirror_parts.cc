#include "mirror_planes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Vector = Tensor<1, 3>;

// Cosine of the angle from which on edges, or an edge and its triangle, meet at a corner.
constexpr double corner = 0.74;
// The same for a shell and a plane that it crosses.
constexpr double crossing = 0.7;
// What is straight and what is flat, relative to the extent.
constexpr double straight = 1e-3, flat = 1e-6;

double
angle_between(const Vector &a, const Vector &b)
{
  return std::atan2(cross_product_3d(a, b).norm(), a * b);
}

/// Edges of one part, and what is found about them.
class Part
{
public:
  Part(const ShellMesh &mesh, const std::vector<unsigned int> &edges) : mesh(mesh), edges(edges)
  {
    for (const unsigned int e : edges)
      for (const unsigned int node : mesh.edges()[e].nodes)
        points.push_back(mesh.positions()[node]);
  }

  std::optional<Vector>
  common_normal() const
  {
    Vector along, off;
    for (const auto &x : points)
      if ((x - points[0]).norm() > along.norm())
        along = x - points[0];
    const double extent = along.norm();
    along /= extent;
    for (const auto &x : points)
    {
      const Vector way = x - points[0], across = way - (way * along) * along;
      if (across.norm() > off.norm())
        off = across;
    }
    if (off.norm() < straight * extent)
      return axis_across(along);
    Vector normal = cross_product_3d(along, off);
    normal /= normal.norm();
    const bool is_plane = std::all_of(
        points.begin(), points.end(),
        [&](const Point<3> &x) { return std::abs(normal * (x - points[0])) < flat * extent; });
    const bool is_crossed =
        std::all_of(edges.begin(), edges.end(),
                    [&](const unsigned int e)
                    { return std::abs(normal * mesh.mirror_normal(mesh.edges()[e])) > crossing; });
    return is_plane && is_crossed ? std::optional(normal) : std::nullopt;
  }

private:
  std::optional<Vector>
  axis_across(const Vector &along) const
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      const Vector axis = Point<3>::unit_vector(d);
      if (std::abs(axis * along) < flat &&
          std::all_of(edges.begin(), edges.end(),
                      [&](const unsigned int e) { return may_be_square_to(axis, e); }))
        return axis;
    }
    return {};
  }

  /// Does the normal turn, from the triangle at the edge to one of those around it, by as much as
  /// the triangle is turned against the plane?
  bool
  may_be_square_to(const Vector &axis, const unsigned int e) const
  {
    const auto &edge = mesh.edges()[e];
    const Vector across = mesh.mirror_normal(edge);
    const double turn = angle_between(across, across * axis < 0 ? -axis : axis);
    const auto &corners = mesh.triangles()[edge.triangles[0]];
    double turns = 1e-10; // for round-off
    for (const auto &other : mesh.triangles())
      if (std::any_of(other.begin(), other.end(),
                      [&](const unsigned int node)
                      { return std::count(corners.begin(), corners.end(), node) > 0; }))
        turns = std::max(turns, angle_between(normal_of(corners), normal_of(other)));
    return turn <= turns;
  }

  Vector
  normal_of(const ShellMesh::Triangle &t) const
  {
    const auto &x = mesh.positions();
    return cross_product_3d(x[t[1]] - x[t[0]], x[t[2]] - x[t[0]]);
  }

  const ShellMesh &mesh;
  const std::vector<unsigned int> &edges;
  std::vector<Point<3>> points;
};
} // namespace

MirrorPlanes::MirrorPlanes(const ShellMesh &mesh)
    : parts(mesh.edges_with_normals().size()),
      edge_of_inner_node(mesh.positions().size(), ShellMesh::none)
{
  const auto &kept = mesh.edges_with_normals();
  if (kept.empty())
    return;
  std::vector<unsigned int> n_free(mesh.positions().size(), 0);
  for (const auto &edge : mesh.edges())
    if (edge.is_free())
      for (const unsigned int node : edge.nodes)
        ++n_free[node];
  for (const unsigned int e : kept)
    normals.push_back(mesh.mirror_normal(mesh.edges()[e]));
  std::iota(parts.begin(), parts.end(), 0u);
  std::vector<unsigned int> first(mesh.positions().size(), ShellMesh::none);
  const auto root = [this](unsigned int i)
  {
    while (parts[i] != i)
      i = parts[i];
    return i;
  };
  for (unsigned int i = 0; i < kept.size(); ++i)
    for (const unsigned int node : mesh.edges()[kept[i]].nodes)
      if (n_free[node] == 2 && first[node] == ShellMesh::none)
        first[node] = i;
      else if (n_free[node] == 2 && normals[i] * normals[first[node]] > corner)
      {
        edge_of_inner_node[node] = i;
        const unsigned int one = root(i), other = root(first[node]);
        parts[std::max(one, other)] = std::min(one, other);
      }
  std::vector<std::vector<unsigned int>> edges(kept.size());
  for (unsigned int i = 0; i < kept.size(); ++i)
  {
    parts[i] = root(i); // parts are less than their edges, so those before i stay roots
    edges[parts[i]].push_back(kept[i]);
  }
  for (unsigned int part = 0; part < kept.size(); ++part)
    if (!edges[part].empty())
      if (const auto normal = Part(mesh, edges[part]).common_normal())
        for (unsigned int i = 0; i < kept.size(); ++i)
          if (parts[i] == part)
            normals[i] = *normal;
}
} // namespace KickDrift
