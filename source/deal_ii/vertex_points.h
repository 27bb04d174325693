#ifndef KICKDRIFT_DEAL_II_VERTEX_POINTS_H
#define KICKDRIFT_DEAL_II_VERTEX_POINTS_H

#include <kickdrift/deal_ii/body.h>

#include <unordered_map>

namespace KickDrift
{
/// Vertices of some cells of a body, as points that follow nodes.
template <int dim, int spacedim>
class VertexPoints
{
public:
  explicit VertexPoints(const Body<dim, spacedim> &body)
      : body(&body), all(std::make_shared<Interpolation<spacedim>>())
  {
  }

  /// Number of the point at a vertex of a cell, each vertex being one point.
  unsigned int
  operator()(const typename Body<dim, spacedim>::Cell &cell, const unsigned int vertex)
  {
    const auto entry = known.emplace(cell->vertex_index(vertex), all->size());
    if (entry.second)
      all->add(body->mapping().get_vertices(cell)[vertex], body->parents_of_vertex(cell, vertex));
    return entry.first->second;
  }

  /// The points so far.
  const std::shared_ptr<Interpolation<spacedim>> &
  points() const
  {
    return all;
  }

private:
  const Body<dim, spacedim> *body;
  std::shared_ptr<Interpolation<spacedim>> all;
  std::unordered_map<unsigned int, unsigned int> known; ///< by index of the vertex in the mesh
};
} // namespace KickDrift

#endif
