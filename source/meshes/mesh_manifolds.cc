#include "mesh_manifolds.h"

#include <kickdrift/base/messages.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>
#include <deal.II/grid/manifold_lib.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// How much the distances of vertices from centre or axis may differ, relative to the largest: mesh
/// files have few digits, but an ellipse or a wrong centre is a mistake.
constexpr double tolerance_of_radii = 1e-3;

/// Ids of ours are above any that files and generators use in practice.
constexpr types::manifold_id first_manifold_id = 1u << 31;

/// The two parts of @p text around @p separator; without it all of @p text and nothing.
std::pair<std::string, std::string>
split_once(const std::string &text, const std::string &separator)
{
  const auto at = text.find(separator);
  if (at == std::string::npos)
    return {Utilities::trim(text), ""};
  return {Utilities::trim(text.substr(0, at)), Utilities::trim(text.substr(at + separator.size()))};
}

template <int dim>
RoundBoundary<dim>
parse_entry(const std::string &entry, const std::string &parameter, const Constants &constants)
{
  RoundBoundary<dim> result;
  result.text = entry;
  const auto [boundaries, shape] = split_once(entry, ":");
  const auto [kind, place] = split_once(shape, " around ");
  const auto [point, direction] = split_once(place, " along ");
  const bool is_cylinder = kind == "cylinder";
  const std::string complaint = "Parameter '" + parameter + "': in '" + entry + "' ";
  AssertThrow(dim == 3 || !is_cylinder,
              ExcMessage(complaint + "there is a cylinder, which needs three dimensions; in two a "
                                     "circle is called sphere."));
  AssertThrow(
      !boundaries.empty() && (kind == "sphere" || is_cylinder) && !point.empty() &&
          direction.empty() != is_cylinder,
      ExcMessage("Parameter '" + parameter + "': '" + entry +
                 "' is not understood; allowed are 'BOUNDARIES: sphere around CENTRE'" +
                 (dim == 3 ? " and 'BOUNDARIES: cylinder around POINT along DIRECTION'" : "") +
                 "."));
  result.boundaries = Utilities::split_string_list(boundaries, ',');
  result.point = evaluate_point<dim>(point, parameter, constants);
  if (is_cylinder)
  {
    result.axis = evaluate_point<dim>(direction, parameter, constants);
    AssertThrow(std::isnormal(result.axis.norm_square()),
                ExcMessage(complaint + "the direction of the axis has the length " +
                           number_text(result.axis.norm()) + " but must be longer than 0."));
    result.axis /= result.axis.norm();
  }
  return result;
}

/// Calls @p action with the two ends of every edge of a face.
template <typename Face, typename Action>
void
for_each_edge(const Face &face, const Action &action)
{
  if constexpr (Face::AccessorType::structure_dimension == 1)
    action(face->vertex(0), face->vertex(1));
  else
    for (const unsigned int line : face->line_indices())
      action(face->line(line)->vertex(0), face->line(line)->vertex(1));
}

/// Complains about boundaries that are not on the sphere or cylinder, and about edges of which it
/// is not known on which side they go round.
template <int dim>
void
check_round(const Triangulation<dim> &triangulation, const std::set<unsigned int> &ids,
            const RoundBoundary<dim> &boundary, const std::string &parameter)
{
  double smallest = std::numeric_limits<double>::max(), largest = 0;
  Point<dim> nearest, farthest;
  std::string half_turn; // ends of an edge that spans one, if there is any
  for (const auto &face : triangulation.active_face_iterators())
  {
    if (!face->at_boundary() || ids.count(face->boundary_id()) == 0)
      continue;
    for (const unsigned int v : face->vertex_indices())
    {
      const Point<dim> vertex = face->vertex(v);
      const double radius = boundary.radius(vertex);
      if (radius < smallest)
        nearest = vertex;
      if (radius > largest)
        farthest = vertex;
      smallest = std::min(smallest, radius);
      largest = std::max(largest, radius);
    }
    for_each_edge(face,
                  [&](const Point<dim> &p, const Point<dim> &q)
                  {
                    if (boundary.radius(p + 0.5 * (q - p)) <= 1e-6 * boundary.radius(p))
                      half_turn = "from " + point_text(p) + " to " + point_text(q);
                  });
  }
  const std::string complaint =
                        "Parameter '" + parameter + "': the boundary of '" + boundary.text + "' ",
                    middle = boundary.is_cylinder() ? "axis" : "centre";
  AssertThrow(
      smallest > 1e-10 * largest,
      ExcMessage(complaint + "has the vertex " + point_text(nearest) + " at the " + middle + "."));
  AssertThrow(largest - smallest <= tolerance_of_radii * largest,
              ExcMessage(complaint + "has vertices in different distances from the " + middle +
                         ": " + point_text(nearest) + " in " + number_text(smallest) + ", " +
                         point_text(farthest) + " in " + number_text(largest) +
                         "; these may differ by a thousandth."));
  AssertThrow(half_turn.empty(),
              ExcMessage(complaint + "has an edge " + half_turn + ", through the " + middle +
                         "; edges must span less than half a turn."));
}

template <int dim>
void
set_manifold(Triangulation<dim> &triangulation, const types::manifold_id id,
             const RoundBoundary<dim> &boundary)
{
  if constexpr (dim == 3)
    if (boundary.is_cylinder())
    {
      // deal.II compares with coordinates, not with the radius, to find points on the axis; it need
      // not look for any.
      constexpr double tolerance = std::numeric_limits<double>::min();
      triangulation.set_manifold(id,
                                 CylindricalManifold<3>(boundary.axis, boundary.point, tolerance));
      return;
    }
  triangulation.set_manifold(id, SphericalManifold<dim>(boundary.point));
}
} // namespace

template <int dim>
bool
RoundBoundary<dim>::is_cylinder() const
{
  return axis != Tensor<1, dim>();
}

template <int dim>
double
RoundBoundary<dim>::radius(const Point<dim> &vertex) const
{
  const Tensor<1, dim> distance = vertex - point;
  return (distance - (distance * axis) * axis).norm();
}

template <int dim>
void
declare_manifolds(ParameterHandler &prm)
{
  const bool is_3d = dim == 3;
  prm.declare_entry(
      "Manifolds", "", Patterns::Anything(),
      std::string("Parts of the boundary that are to become rounder by 'Refinements' and 'Local "
                  "refinements', separated by semicolons: 'rim, 7: sphere around 0, 0") +
          (is_3d ? ", 0; hull: cylinder around 0, 0, 0 along 0, 0, 1'" : "'") +
          ". Before the colon are boundary ids or names of the mesh file, the id if a name has a "
          "colon, semicolon or comma; then the centre" +
          (is_3d ? ", or a point of the axis and its direction" : " of the circle") +
          ", expressions of the constants. The vertices of an entry must have the same distance "
          "from it, up to a thousandth. New vertices of these faces" +
          (is_3d
               ? " and their edges are put onto the sphere or cylinder; an edge that belongs to "
                 "two entries goes with the later one, and where a plane cuts a sphere beside its "
                 "centre, the edge becomes a great circle and leaves the plane."
               : " are put onto the circle.") +
          " All other new vertices are where manifolds of the generator put them; without these, "
          "as in mesh files, they are in the middle of those around, and so are hanging nodes and "
          "those of the conversion to simplices in any case. Empty: as the generator has it. "
          "Units: length.");
}

template <int dim>
std::vector<RoundBoundary<dim>>
parse_manifolds(const std::string &list, const std::string &parameter, const Constants &constants)
{
  std::vector<RoundBoundary<dim>> result;
  if (!Utilities::trim(list).empty())
    for (const auto &entry : Utilities::split_string_list(list, ';'))
      result.push_back(parse_entry<dim>(entry, parameter, constants));
  return result;
}

template <int dim>
void
attach_manifolds(Triangulation<dim> &triangulation,
                 const std::vector<RoundBoundary<dim>> &round_boundaries, const MeshNames &names,
                 const std::string &parameter)
{
  const auto present = triangulation.get_boundary_ids();
  std::set<types::boundary_id> taken;
  types::manifold_id manifold = first_manifold_id;
  for (const auto &boundary : round_boundaries)
  {
    const auto ids = ids_of(boundary.boundaries, names.boundaries, {present.begin(), present.end()},
                            parameter, "the mesh has no boundary");
    for (const auto id : ids)
      AssertThrow(taken.insert(id).second,
                  ExcMessage("Parameter '" + parameter + "': a part of the boundary of '" +
                             boundary.text + "' (id " + std::to_string(id) +
                             ") has a manifold already."));
    check_round(triangulation, ids, boundary, parameter);
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary() && ids.count(face->boundary_id()) > 0)
        face->set_all_manifold_ids(manifold);
    set_manifold(triangulation, manifold++, boundary);
  }
}

template struct RoundBoundary<2>;
template struct RoundBoundary<3>;
template void declare_manifolds<2>(ParameterHandler &);
template void declare_manifolds<3>(ParameterHandler &);
template std::vector<RoundBoundary<2>> parse_manifolds(const std::string &, const std::string &,
                                                       const Constants &);
template std::vector<RoundBoundary<3>> parse_manifolds(const std::string &, const std::string &,
                                                       const Constants &);
template void attach_manifolds(Triangulation<2> &, const std::vector<RoundBoundary<2>> &,
                               const MeshNames &, const std::string &);
template void attach_manifolds(Triangulation<3> &, const std::vector<RoundBoundary<3>> &,
                               const MeshNames &, const std::string &);
} // namespace KickDrift
