#include <kickdrift/base/messages.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/deal_ii/ties.h>
#include <kickdrift/meshes/hanging_nodes.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr double negligible = 1e-9; ///< weights, and distances of the size of a face, are zero [-]
constexpr double on_face = 1e-8;    ///< distances, of the size of a face [-]

template <int dim>
using MeshCell = typename Triangulation<dim>::active_cell_iterator;

template <typename Ids>
std::string
list_of(const Ids &ids)
{
  std::string text;
  for (const auto id : ids)
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

/// A boundary face that may be followed.
template <int dim>
struct MasterFace
{
  unsigned int side; ///< index into Tie::masters
  MeshCell<dim> cell;
  std::vector<unsigned int> vertices; ///< of the cell, in the order of SurfaceFace
  std::array<Point<dim>, SurfaceFace<dim>::max_nodes> corners;
  double size; ///< longest edge [length]
};

/// Call visit(cell, vertices) for all boundary faces with one of these ids.
template <int dim, typename Visit>
void
for_each_face(const Triangulation<dim> &mesh, const std::set<types::boundary_id> &ids,
              const Visit &visit)
{
  for (const auto &cell : mesh.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->face(f)->at_boundary() &&
          (ids.empty() || ids.count(cell->face(f)->boundary_id()) > 0))
        visit(cell, outward_face_vertices<dim, dim>(cell, f));
}

/// Where a point is on a face.
template <int dim>
struct Place
{
  unsigned int face;
  double distance; ///< [length]
  std::array<double, SurfaceFace<dim>::max_nodes> weights;
  Point<dim> point;
};

/// Finds the nearest of the faces that may be followed.
template <int dim>
class FaceFinder
{
public:
  void
  add(const unsigned int side, const MeshCell<dim> &cell, const std::vector<unsigned int> &vertices,
      const std::vector<Point<dim>> &corners)
  {
    MasterFace<dim> face{side, cell, vertices, {}, 0};
    std::copy(corners.begin(), corners.end(), face.corners.begin());
    for (unsigned int e = 0; e < (dim == 2 ? 1 : corners.size()); ++e)
    {
      const auto ends = ends_of_edge(corners.size(), e);
      face.size = std::max(face.size, corners[ends[0]].distance(corners[ends[1]]));
    }
    largest = std::max(largest, face.size);
    faces.push_back(face);
  }

  void
  build()
  {
    std::vector<Box<dim>> boxes;
    for (const auto &face : faces)
    {
      boxes.push_back(empty_box<dim>());
      for (unsigned int i = 0; i < face.vertices.size(); ++i)
        extend(boxes.back(), face.corners[i]);
    }
    hierarchy.build(boxes);
  }

  /// The nearest face that is no further than @p tolerance times its size, or any if that is
  /// infinite. Faces for which skip(face) is true are left out.
  template <typename Skip>
  std::optional<Place<dim>>
  nearest(const Point<dim> &point, const double tolerance, const Skip &skip) const
  {
    static thread_local std::vector<unsigned int> hits;
    hits.clear();
    if (std::isfinite(tolerance))
      hierarchy.query(grown(Box<dim>{point, point}, 1.001 * tolerance * largest), hits);
    else
      for (unsigned int f = 0; f < faces.size(); ++f)
        hits.push_back(f);
    std::sort(hits.begin(), hits.end());
    std::optional<Place<dim>> best;
    for (const unsigned int f : hits)
    {
      const auto &face = faces[f];
      const auto closest = closest_point<dim>(face.corners.data(), face.vertices.size(), point);
      // of faces that are equally near, but for rounding, the first
      if (skip(face) || closest.distance > tolerance * face.size ||
          (best && closest.distance > best->distance - negligible * face.size))
        continue;
      best = Place<dim>{f, closest.distance, closest.weights, {}};
    }
    if (best)
      settle(*best);
    return best;
  }

  std::vector<MasterFace<dim>> faces;

private:
  /// Leave out corners that have no part in it, such as all but two on an edge.
  void
  settle(Place<dim> &place) const
  {
    const auto &face = faces[place.face];
    double sum = 0;
    for (double &weight : place.weights)
    {
      weight = weight < negligible ? 0. : weight;
      sum += weight;
    }
    place.point = face.corners[0];
    for (unsigned int i = 0; i < face.vertices.size(); ++i)
    {
      place.weights[i] /= sum;
      place.point += place.weights[i] * (face.corners[i] - face.corners[0]);
    }
  }

  double largest = 0;
  Hierarchy<dim> hierarchy;
};

template <int dim>
const Triangulation<dim> &
mesh_of(const TiedBoundary<dim> &side)
{
  return side.body->dof_handler().get_triangulation();
}

template <int dim>
const Triangulation<dim> &
mesh_of(const TiedMesh<dim> &side)
{
  return *side.mesh;
}

template <int dim>
const std::string &
name_of(const TiedBoundary<dim> &side)
{
  return side.body->name();
}

template <int dim>
std::string
name_of(const TiedMesh<dim> &)
{
  return "of a mesh";
}

/// Where the vertices of a cell are.
template <int dim>
std::vector<Point<dim>>
positions_of(const TiedBoundary<dim> &side, const MeshCell<dim> &cell)
{
  const auto vertices = side.body->mapping().get_vertices(cell);
  return {vertices.begin(), vertices.end()};
}

template <int dim>
std::vector<Point<dim>>
positions_of(const TiedMesh<dim> &, const MeshCell<dim> &cell)
{
  std::vector<Point<dim>> positions;
  for (const unsigned int v : cell->vertex_indices())
    positions.push_back(cell->vertex(v));
  return positions;
}

template <int dim, typename Side>
void
check(const Tie<Side> &tie)
{
  AssertThrow(tie.tolerance > 0 && tie.tolerance < 1,
              DynamicsExceptions::ExcTieTolerance(tie.tolerance));
  const auto ids_of = [](const Side &side)
  {
    const auto all = mesh_of<dim>(side).get_boundary_ids();
    return side.ids.empty() ? std::set<types::boundary_id>(all.begin(), all.end()) : side.ids;
  };
  for (const Side &follower : tie.followers)
    for (const Side &master : tie.masters)
      if (&mesh_of<dim>(follower) == &mesh_of<dim>(master))
      {
        const auto ids = ids_of(master);
        for (const auto id : ids_of(follower))
          AssertThrow(ids.count(id) == 0,
                      DynamicsExceptions::ExcTieToItself(name_of<dim>(follower)));
      }
}

template <int dim, typename Side>
FaceFinder<dim>
finder_for(const Tie<Side> &tie)
{
  FaceFinder<dim> finder;
  for (unsigned int side = 0; side < tie.masters.size(); ++side)
    for_each_face(mesh_of<dim>(tie.masters[side]), tie.masters[side].ids,
                  [&](const MeshCell<dim> &cell, const std::vector<unsigned int> &vertices)
                  {
                    const auto positions = positions_of<dim>(tie.masters[side], cell);
                    std::vector<Point<dim>> corners;
                    for (const unsigned int v : vertices)
                      corners.push_back(positions[v]);
                    finder.add(side, cell, vertices, corners);
                  });
  finder.build();
  return finder;
}

/// Has a face this vertex as a corner? Then it is next to it, not opposite.
template <int dim, typename Side>
auto
faces_with(const Tie<Side> &tie, const Triangulation<dim> &mesh, const unsigned int vertex)
{
  return [&tie, &mesh, vertex](const MasterFace<dim> &face)
  {
    return &mesh_of<dim>(tie.masters[face.side]) == &mesh &&
           std::any_of(face.vertices.begin(), face.vertices.end(),
                       [&](const unsigned int v) { return face.cell->vertex_index(v) == vertex; });
  };
}

/// The cell of a body, which knows degrees of freedom.
template <int dim>
typename Body<dim>::Cell
cell_of(const Body<dim> &body, const MeshCell<dim> &cell)
{
  return typename Body<dim>::Cell(&cell->get_triangulation(), cell->level(), cell->index(),
                                  &body.dof_handler());
}

/// Faces that are to be tied must be there.
template <int dim>
void
check_present(const std::vector<TiedBoundary<dim>> &sides)
{
  for (const auto &side : sides)
    for (const auto id : side.ids)
    {
      const auto present = mesh_of<dim>(side).get_boundary_ids();
      AssertThrow(std::find(present.begin(), present.end(), id) != present.end(),
                  DynamicsExceptions::ExcTieEmpty(side.body->name(), list_of(side.ids)));
    }
}
} // namespace

template <int dim>
TieReport<dim>
tie(const Tie<TiedBoundary<dim>> &tie)
{
  check<dim>(tie);
  check_present(tie.followers);
  check_present(tie.masters);
  const auto finder = finder_for<dim>(tie);
  TieReport<dim> report;
  std::string first_body;
  double nearest_face = 0;
  for (const auto &side : tie.followers)
  {
    Body<dim> &body = *side.body;
    const auto &mesh = mesh_of(side);
    const auto present = mesh.get_boundary_ids();
    body.mark_tied(side.ids.empty() ? std::set<types::boundary_id>(present.begin(), present.end())
                                    : side.ids);
    std::vector<char> seen(mesh.n_vertices(), 0);
    const auto visit =
        [&](const MeshCell<dim> &mesh_cell, const std::vector<unsigned int> &vertices)
    {
      const auto cell = cell_of(body, mesh_cell);
      const auto positions = positions_of(side, mesh_cell);
      for (const unsigned int v : vertices)
      {
        const unsigned int vertex = cell->vertex_index(v);
        const auto dof = cell->vertex_dof_index(v, 0);
        if (seen[vertex]++ > 0 || body.hangs(dof))
          continue;
        if (body.is_tied(dof))
        {
          ++report.n_tied_before;
          continue;
        }
        const auto skip = faces_with(tie, mesh, vertex);
        const auto place = finder.nearest(positions[v], tie.tolerance, skip);
        if (!place)
        {
          if (report.untied.empty())
          {
            first_body = body.name();
            const auto any =
                finder.nearest(positions[v], std::numeric_limits<double>::infinity(), skip);
            nearest_face = any ? any->distance : std::numeric_limits<double>::infinity();
          }
          report.untied.push_back(positions[v]);
          continue;
        }
        const auto &face = finder.faces[place->face];
        AssertThrow(
            place->distance <= on_face * face.size,
            DynamicsExceptions::ExcTieGap(body.name(), point_text(positions[v]), place->distance));
        Body<dim> &other = *tie.masters[face.side].body;
        const auto other_cell = cell_of(other, face.cell);
        std::vector<typename Body<dim>::Master> masters;
        for (unsigned int i = 0; i < face.vertices.size(); ++i)
          if (place->weights[i] > 0)
            masters.push_back(
                {&other, other_cell->vertex_dof_index(face.vertices[i], 0), place->weights[i]});
        body.follow(dof, masters);
        ++report.n_tied;
      }
    };
    for_each_face(mesh, side.ids, visit);
  }
  AssertThrow(tie.allow_untied || report.untied.empty(),
              DynamicsExceptions::ExcUntied(report.untied.size(), first_body,
                                            point_text(report.untied.front()), nearest_face));
  return report;
}

namespace
{
template <int dim>
using VertexOfMesh = std::pair<const Triangulation<dim> *, unsigned int>;

/// Throws if an edge has lost most of its length. @param before where moved vertices were
template <int dim>
void
check_edges(const Triangulation<dim> &mesh, const std::map<VertexOfMesh<dim>, Point<dim>> &before)
{
  for (const auto &cell : mesh.active_cell_iterators())
    for (unsigned int l = 0; l < cell->n_lines(); ++l)
    {
      Point<dim> old_ends[2];
      for (unsigned int i = 0; i < 2; ++i)
      {
        const auto moved = before.find({&mesh, cell->line(l)->vertex_index(i)});
        old_ends[i] = moved == before.end() ? cell->line(l)->vertex(i) : moved->second;
      }
      const double old_length = old_ends[0].distance(old_ends[1]),
                   length = cell->line(l)->vertex(0).distance(cell->line(l)->vertex(1));
      AssertThrow(length >= 0.25 * old_length,
                  DynamicsExceptions::ExcTieFlattens(point_text(old_ends[0]), old_length, length));
    }
}
} // namespace

template <int dim>
std::vector<double>
close_gaps(const std::vector<Tie<TiedMesh<dim>>> &ties)
{
  for (const auto &tie : ties)
    check<dim>(tie);
  using Vertex = VertexOfMesh<dim>;
  std::map<Vertex, unsigned int> tie_of; // that moves the vertex
  std::map<Vertex, Point<dim>> before;
  std::vector<double> moved(ties.size(), 0.);
  // what masters move takes what follows them along, so look again
  for (unsigned int pass = 0; pass <= ties.size(); ++pass)
  {
    bool moves = false;
    for (unsigned int t = 0; t < ties.size(); ++t)
    {
      const auto finder = finder_for<dim>(ties[t]);
      for (const auto &side : ties[t].followers)
      {
        std::vector<char> seen(side.mesh->n_vertices(), 0);
        const auto visit = [&](const MeshCell<dim> &cell, const std::vector<unsigned int> &vertices)
        {
          for (const unsigned int v : vertices)
          {
            const Vertex vertex{side.mesh, cell->vertex_index(v)};
            const auto known = tie_of.find(vertex);
            if (seen[vertex.second] || (known != tie_of.end() && known->second != t))
              continue;
            seen[vertex.second] = 1;
            const auto place = finder.nearest(cell->vertex(v), ties[t].tolerance,
                                              faces_with(ties[t], *side.mesh, vertex.second));
            if (!place)
              continue;
            tie_of.emplace(vertex, t);
            const auto &original = before.emplace(vertex, cell->vertex(v)).first->second;
            moves = moves || place->distance > negligible * finder.faces[place->face].size;
            moved[t] = std::max(moved[t], original.distance(place->point));
            cell->vertex(v) = place->point;
          }
        };
        for_each_face(*side.mesh, side.ids, visit);
        if (side.mesh->has_hanging_nodes())
          straighten_hanging_nodes(*side.mesh);
      }
    }
    if (!moves)
      break;
  }
  for (const auto &tie : ties)
    for (const auto &side : tie.followers)
      check_edges<dim>(*side.mesh, before);
  return moved;
}

template TieReport<2> tie(const Tie<TiedBoundary<2>> &);
template TieReport<3> tie(const Tie<TiedBoundary<3>> &);
template std::vector<double> close_gaps(const std::vector<Tie<TiedMesh<2>>> &);
template std::vector<double> close_gaps(const std::vector<Tie<TiedMesh<3>>> &);
} // namespace KickDrift
