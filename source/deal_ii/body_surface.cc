// The boundary of a body.

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/cell_geometry.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Triangle = std::array<unsigned int, 3>;

/**
 * A quadrilateral as triangles, by the diagonal that leaves the larger smallest area; corners may
 * be the same. Returns that area, too, positive if all look along @p normal.
 */
template <typename PositionOfNode>
std::pair<std::vector<Triangle>, double>
divide(const std::array<unsigned int, 4> &corners, const Tensor<1, 3> &normal,
       const PositionOfNode &position)
{
  constexpr unsigned int halves[2][2][3] = {{{0, 1, 2}, {1, 3, 2}}, {{0, 1, 3}, {0, 3, 2}}};
  std::pair<std::vector<Triangle>, double> best({}, -std::numeric_limits<double>::infinity());
  for (const auto &pair : halves)
  {
    std::pair<std::vector<Triangle>, double> found({}, std::numeric_limits<double>::infinity());
    for (const auto &half : pair)
    {
      const Triangle t = {{corners[half[0]], corners[half[1]], corners[half[2]]}};
      if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
        continue;
      const auto area =
          0.5 * cross_product_3d(position(t[1]) - position(t[0]), position(t[2]) - position(t[0]));
      found.first.push_back(t);
      found.second = std::min(found.second, area * normal);
    }
    if (found.second > best.second)
      best = std::move(found);
  }
  return best;
}
} // namespace

template <int dim, int spacedim>
void
Body<dim, spacedim>::find_boundary_faces()
{
  for (const auto &cell : ordered_cells)
    for (const unsigned int f : cell->face_indices())
      if (cell->face(f)->at_boundary())
        faces.push_back({cell->active_cell_index(), f});
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::add_surface(Surface<spacedim> &surface, const unsigned int body) const
{
  AssertThrow(body == surface.body_names.size(),
              ExcMessage("Body '" + body_name + "' is added to the surface as number " +
                         std::to_string(body) + ", but the next free number is " +
                         std::to_string(surface.body_names.size()) + "."));
  surface.body_names.push_back(body_name);
  std::vector<unsigned int> nodes;
  for (const auto &boundary_face : faces)
  {
    const auto &owner = cell(boundary_face.active_cell_index);
    const auto vertices = outward_face_vertices<dim, spacedim>(owner, boundary_face.face);
    local_nodes(owner, nodes);
    SurfaceFace<spacedim> face;
    face.nodes.fill(numbers::invalid_unsigned_int);
    face.n_nodes = vertices.size();
    bool hangs = false;
    for (unsigned int v = 0; v < vertices.size(); ++v)
    {
      face.nodes[v] = nodes[vertices[v]];
      hangs = hangs || nodes[vertices[v]] >= n_nodes();
    }
    face.body = body;
    face.boundary_id = owner->face(boundary_face.face)->boundary_id();
    if (hangs)
    {
      add_triangles(face, surface);
      continue;
    }
    for (unsigned int v = 0; v < vertices.size(); ++v)
      face.nodes[v] += first_node();
    surface.faces.push_back(face);
  }
  for (const unsigned int node : boundary_nodes())
    surface.contactors.push_back({node, body, std::pow(volumes[node - offset], 1. / dim)});
}

template <int dim, int spacedim>
std::vector<unsigned int>
Body<dim, spacedim>::boundary_nodes(const std::set<types::boundary_id> &ids) const
{
  std::set<unsigned int> result;
  for (const auto &boundary_face : faces)
  {
    const auto &owner = cell(boundary_face.active_cell_index);
    if (!ids.empty() && ids.count(owner->face(boundary_face.face)->boundary_id()) == 0)
      continue;
    const auto nodes = nodes_of_cell(owner);
    for (const unsigned int v : outward_face_vertices<dim, spacedim>(owner, boundary_face.face))
      if (nodes[v] != numbers::invalid_unsigned_int)
        result.insert(nodes[v]);
  }
  return {result.begin(), result.end()};
}

template <int dim, int spacedim>
unsigned int
Body<dim, spacedim>::surface_node(const unsigned int local_node) const
{
  if (local_node < n_nodes())
    return local_node;
  // On the boundary nodes hang on edges, so the heaviest parents are at the ends of that edge.
  const auto parents = hanging.parents(local_node - n_nodes());
  return std::min_element(parents.begin(), parents.end(),
                          [](const Parent &a, const Parent &b) {
                            return a.weight > b.weight || (a.weight == b.weight && a.node < b.node);
                          })
      ->node;
}

template <int dim, int spacedim>
const Point<spacedim> &
Body<dim, spacedim>::local_position(const unsigned int local_node) const
{
  return local_node < n_nodes() ? positions[local_node] : hanging.reference(local_node - n_nodes());
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::add_triangles(const SurfaceFace<spacedim> &face,
                                   Surface<spacedim> &surface) const
{
  // A hanging corner is drawn along its edge to one end of it, in all faces that have it. So the
  // faces still cover the boundary and meet edge to edge, with those of coarser cells, too.
  if constexpr (spacedim == 3)
  {
    const auto position = [this](const unsigned int node) { return local_position(node); };
    std::array<unsigned int, 4> corners;
    for (unsigned int v = 0; v < corners.size(); ++v)
      corners[v] = surface_node(face.nodes[v]);
    const auto [triangles, smallest_area] = divide(corners, unit_normal(face, position), position);
    std::ostringstream message;
    message << "Body '" << body_name << "': the boundary face with a corner at ("
            << position(face.nodes[0])
            << ") has hanging corners and cannot be divided into triangles between nodes, because "
               "it is distorted too much; refine its neighbours, too.";
    AssertThrow(smallest_area > 0, ExcMessage(message.str()));
    for (const auto &triangle : triangles)
    {
      SurfaceFace<spacedim> part = face;
      part.n_nodes = 3;
      part.nodes[3] = numbers::invalid_unsigned_int;
      for (unsigned int v = 0; v < 3; ++v)
        part.nodes[v] = first_node() + triangle[v];
      surface.faces.push_back(part);
    }
  }
  else
  {
    (void)face;
    (void)surface;
    Assert(false, ExcInternalError()); // in the plane nothing hangs on the boundary
  }
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
