// The boundary of a body.

#include <kickdrift/contact/surface/eroding_surface.h>
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

/// Cosine of the largest angle by which faces with tied corners may be turned.
constexpr double most_turned = 0.94;

/**
 * A triangle or quadrilateral as triangles, by the diagonal that leaves the larger smallest area;
 * corners may be the same. Returns that area, too, positive if all look along @p normal.
 */
template <typename PositionOfNode>
std::pair<std::vector<Triangle>, double>
divide(const std::array<unsigned int, 4> &corners, const unsigned int n_corners,
       const Tensor<1, 3> &normal, const PositionOfNode &position)
{
  constexpr unsigned int halves[2][2][3] = {{{0, 1, 2}, {1, 3, 2}}, {{0, 1, 3}, {0, 3, 2}}};
  std::pair<std::vector<Triangle>, double> best({}, -std::numeric_limits<double>::infinity());
  for (const auto &pair : halves)
  {
    std::pair<std::vector<Triangle>, double> found({}, std::numeric_limits<double>::infinity());
    for (const auto &half : pair)
    {
      if (n_corners == 3 && &half != &pair[0])
        break; // the first half of the first diagonal is all
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
    if (n_corners == 3)
      break;
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
    unsigned int n_following = 0, n_tied = 0;
    for (unsigned int v = 0; v < vertices.size(); ++v)
    {
      face.nodes[v] = nodes[vertices[v]];
      n_following += face.nodes[v] >= n_nodes();
      n_tied += face.nodes[v] >= n_nodes() + n_hanging;
    }
    face.body = body;
    face.boundary_id = owner->face(boundary_face.face)->boundary_id();
    if (n_following > 0)
    {
      add_drawn_face(
          face, n_tied > 0 && n_following == face.n_nodes && tied_ids.count(face.boundary_id) > 0,
          surface);
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
ErodingBody<spacedim>
Body<dim, spacedim>::eroding_body(const unsigned int number) const
{
  AssertThrow(followers.empty(), ExcErodingSurface(body_name));
  ErodingBody<spacedim> result;
  result.number = number;
  result.is_deleted = [this](const unsigned int cell) { return is_deleted(cell); };
  result.n_deleted = [this] { return n_deleted_cells(); };
  const auto face_of = [&](const Cell &owner, const unsigned int f)
  {
    const auto vertices = outward_face_vertices<dim, spacedim>(owner, f);
    const auto nodes = nodes_of_cell(owner);
    SurfaceFace<spacedim> face;
    face.nodes.fill(numbers::invalid_unsigned_int);
    face.n_nodes = vertices.size();
    for (unsigned int v = 0; v < vertices.size(); ++v)
      face.nodes[v] = nodes[vertices[v]];
    face.body = number;
    face.boundary_id =
        owner->at_boundary(f) ? owner->face(f)->boundary_id() : numbers::internal_face_boundary_id;
    return face;
  };
  for (const auto &boundary_face : faces)
    result.boundary.push_back({face_of(cell(boundary_face.active_cell_index), boundary_face.face),
                               boundary_face.active_cell_index, ErodingBody<spacedim>::nothing});
  for (const auto &owner : ordered_cells)
    for (const unsigned int f : owner->face_indices())
    {
      if (owner->at_boundary(f))
        continue;
      const unsigned int own = owner->active_cell_index(),
                         other = owner->neighbor(f)->active_cell_index();
      if (own < other)
        result.inside.push_back({face_of(owner, f), own, other});
    }
  const auto contactor = [&](const unsigned int node)
  { return Contactor(node, number, std::pow(volumes[node - offset], 1. / dim)); };
  const auto on_boundary = boundary_nodes();
  for (const unsigned int node : on_boundary)
    result.rim.push_back(contactor(node));
  for (unsigned int node = first_node(); node < first_node() + n_nodes(); ++node)
    if (!std::binary_search(on_boundary.begin(), on_boundary.end(), node))
      result.core.push_back(contactor(node));
  return result;
}

template <int dim, int spacedim>
std::vector<unsigned int>
Body<dim, spacedim>::boundary_nodes(const std::set<types::boundary_id> &ids) const
{
  check_dofs();
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
typename Body<dim, spacedim>::Master
Body<dim, spacedim>::surface_node(const unsigned int local_node) const
{
  // On the boundary nodes hang on edges, so the heaviest parents are at the ends of that edge.
  std::vector<Master> found;
  for (const Master &master : masters_of(local_node))
    collect_masters(master, found);
  const auto node = [](const Master &master) { return master.body->node_of_dof(master.dof); };
  return *std::min_element(found.begin(), found.end(),
                           [&](const Master &a, const Master &b) {
                             return a.weight > b.weight ||
                                    (a.weight == b.weight && node(a) < node(b));
                           });
}

template <int dim, int spacedim>
const Point<spacedim> &
Body<dim, spacedim>::local_position(const unsigned int local_node) const
{
  return local_node < n_nodes() ? positions[local_node]
                                : followers[local_node - n_nodes()].reference;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::add_drawn_face(const SurfaceFace<spacedim> &face, const bool is_tied,
                                    Surface<spacedim> &surface) const
{
  // A corner that hangs is drawn along its edge to one end of it, in all faces that have it. So the
  // faces still cover the boundary and meet edge to edge, with those of coarser cells, too. What is
  // tied is drawn to a corner of the face that it follows: along the rim if faces end there.
  std::array<unsigned int, SurfaceFace<spacedim>::max_nodes> corners{};
  std::map<unsigned int, Point<spacedim>> drawn;
  bool has_tied = false;
  for (unsigned int v = 0; v < face.n_nodes; ++v)
  {
    const unsigned int local_node = face.nodes[v];
    if (local_node < n_nodes())
    {
      corners[v] = first_node() + local_node;
      drawn[corners[v]] = positions[local_node];
      continue;
    }
    const auto &masters = masters_of(local_node);
    has_tied = has_tied || local_node >= n_nodes() + n_hanging ||
               std::any_of(masters.begin(), masters.end(),
                           [](const Master &m) { return m.body->is_tied(m.dof); });
    const Master master = surface_node(local_node);
    corners[v] = master.body->node_of_dof(master.dof);
    drawn[corners[v]] = master.body->positions[master.body->local_node_of_dof[master.dof]];
  }
  const auto position = [&](const unsigned int node) { return drawn.at(node); };
  const auto normal =
      unit_normal(face, [&](const unsigned int local_node) { return local_position(local_node); });
  const auto add = [&](const auto &nodes, const unsigned int n)
  {
    SurfaceFace<spacedim> part = face;
    part.nodes.fill(numbers::invalid_unsigned_int);
    part.n_nodes = n;
    std::copy_n(nodes.begin(), n, part.nodes.begin());
    const bool is_turned = has_tied && unit_normal(part, position) * normal < most_turned;
    (is_tied || is_turned ? surface.closures : surface.faces).push_back(part);
    surface.n_turned += is_turned && !is_tied;
  };
  if constexpr (spacedim == 2)
  {
    if (corners[0] != corners[1])
      add(corners, 2);
  }
  else
  {
    const auto [triangles, smallest_area] = divide(corners, face.n_nodes, normal, position);
    std::ostringstream message;
    message << "Body '" << body_name << "': the boundary face with a corner at ("
            << local_position(face.nodes[0])
            << ") has hanging corners and cannot be divided into triangles between nodes, because "
               "it is distorted too much; refine its neighbours, too.";
    AssertThrow(has_tied || smallest_area > 0, ExcMessage(message.str()));
    for (const auto &triangle : triangles)
      add(triangle, 3);
  }
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
