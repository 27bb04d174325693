#include "mesh_topology.h"

#include <algorithm>

namespace KickDrift
{
namespace
{
using Faces = std::vector<std::vector<unsigned int>>;

/// Corners of the faces of a cell; none for cells that are not known.
const Faces &
faces_of_cell(const unsigned int dimension, const std::size_t n_nodes)
{
  static const std::map<std::pair<unsigned int, std::size_t>, Faces> faces = {
      {{2, 3}, {{0, 1}, {1, 2}, {2, 0}}},
      {{2, 4}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
      {{3, 4}, {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
      {{3, 8},
       {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}}};
  static const Faces none;
  const auto entry = faces.find({dimension, n_nodes});
  return entry == faces.end() ? none : entry->second;
}
} // namespace

void
MeshTopology::add(const unsigned int dimension, const std::vector<long> &nodes,
                  const std::size_t line)
{
  if (dimension < 2)
    return;
  Cells &cells = by_dimension[dimension];
  const Faces &faces = faces_of_cell(dimension, nodes.size());
  if (faces.empty()) // wedges and pyramids: refused by others, but their sides are no cells
    return;
  const auto complain = [&cells, line](const std::string &complaint)
  {
    if (cells.complaint.empty())
    {
      cells.complaint = complaint;
      cells.line = line;
    }
  };
  // The list of all nodes is longer than that of any face.
  std::vector<long> all = nodes;
  std::sort(all.begin(), all.end());
  if (std::adjacent_find(all.begin(), all.end()) != all.end())
    complain("the element has a node twice");
  if (++cells.n_cells[all] > 1)
    complain("the element has the same nodes as one before");
  for (const auto &corners : faces)
  {
    std::vector<long> face;
    for (const unsigned int corner : corners)
      face.push_back(nodes[corner]);
    std::sort(face.begin(), face.end());
    if (++cells.n_cells[face] > 2)
      complain("the element is the third at one of its sides; a side belongs to at most two");
  }
}

void
MeshTopology::check() const
{
  if (by_dimension.empty())
    return;
  const Cells &cells = by_dimension.rbegin()->second;
  require_in_line(cells.complaint.empty(), cells.line, cells.complaint);
}
} // namespace KickDrift
