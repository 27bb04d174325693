#include "mirror_parts.h"

#include <algorithm>
#include <numeric>

namespace KickDrift
{
namespace
{
// Cosine of the angle from which on the planes of two edges meet at a corner.
constexpr double corner = 0.74;
} // namespace

MirrorParts::MirrorParts(const ShellMesh &mesh)
    : parts(mesh.edges_with_normals().size()),
      edge_of_inner_node(mesh.positions().size(), ShellMesh::none)
{
  const auto &kept = mesh.edges_with_normals();
  const auto &normals = mesh.mirror_normals();
  std::vector<unsigned int> n_free(mesh.positions().size(), 0);
  for (const auto &edge : mesh.edges())
    if (edge.is_free())
      for (const unsigned int node : edge.nodes)
        ++n_free[node];
  std::iota(parts.begin(), parts.end(), 0u);
  const auto root = [this](unsigned int i)
  {
    while (parts[i] != i)
      i = parts[i];
    return i;
  };
  std::vector<unsigned int> first(mesh.positions().size(), ShellMesh::none);
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
  for (unsigned int &part : parts) // parts are less than their edges, so those before stay roots
    part = root(part);
}
} // namespace KickDrift
