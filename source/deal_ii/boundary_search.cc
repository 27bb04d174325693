#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>
#include <kickdrift/deal_ii/boundary_search.h>
#include <kickdrift/deal_ii/cell_geometry.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Equidistant points of a face of the unit cell, lexicographic.
template <int dim>
std::vector<Point<dim>>
unit_points_of_hypercube(const unsigned int face, const unsigned int degree)
{
  const unsigned int normal = face / 2, n = degree + 1;
  std::vector<Point<dim>> points(dim == 2 ? n : n * n);
  for (unsigned int i = 0; i < points.size(); ++i)
  {
    points[i][normal] = face % 2;
    points[i][(normal + 1) % dim] = double(i % n) / degree;
    if (dim == 3)
      points[i][(normal + 2) % dim] = double(i / n) / degree;
  }
  return points;
}

template <int dim>
std::vector<Point<dim>>
unit_points_of_simplex(const typename Triangulation<dim>::active_cell_iterator &cell,
                       const unsigned int face)
{
  std::vector<Point<dim>> points;
  for (const unsigned int v : outward_face_vertices<dim, dim>(cell, face))
    points.push_back(v == 0 ? Point<dim>() : Point<dim>::unit_vector(v - 1));
  return points;
}
} // namespace

template <int dim>
BoundarySearch<dim>::BoundarySearch(const Triangulation<dim> &triangulation,
                                    const Mapping<dim> &mapping, const unsigned int degree)
    : degree(degree)
{
  AssertThrow(degree >= 1 && degree <= 3,
              ExcMessage("The degree of a boundary search cannot be " + std::to_string(degree) +
                         "; allowed is 1, 2 or 3."));
  // an empty one has no level to go through
  AssertThrow(triangulation.n_levels() > 0, ExcMessage("This triangulation has no cells."));
  for (const auto &cell : triangulation.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
    {
      if (!cell->face(f)->at_boundary())
        continue;
      const auto reference = cell->reference_cell();
      AssertThrow(reference.is_hyper_cube() || (reference.is_simplex() && degree == 1),
                  ExcMessage("A boundary search of degree " + std::to_string(degree) +
                             " cannot have cells of type " + reference.to_string() +
                             "; allowed are hypercubes, and with degree 1 simplices."));
      faces.push_back({cell,
                       f,
                       reference.is_hyper_cube() ? unit_points_of_hypercube<dim>(f, degree)
                                                 : unit_points_of_simplex<dim>(cell, f),
                       {}});
    }
  AssertThrow(!faces.empty(), ExcMessage("This triangulation has no boundary to search on."));
  update(mapping);
}

template <int dim>
void
BoundarySearch<dim>::update(const Mapping<dim> &mapping)
{
  curved_faces.clear();
  for (auto &face : faces)
  {
    face.points.clear();
    for (const auto &unit_point : face.unit_points)
      face.points.push_back(mapping.transform_unit_to_real_cell(face.cell, unit_point));
    if (degree > 1)
      curved_faces.emplace_back(face.points, degree);
  }
  const auto boxes = face_boxes();
  if (hierarchy.n_leaves() == 0)
    hierarchy.build(boxes);
  else
    hierarchy.refit(boxes);

  bounds = boxes[0];
  mean_size = 0;
  for (const auto &box : boxes)
  {
    for (unsigned int d = 0; d < dim; ++d)
    {
      bounds.lower[d] = std::min(bounds.lower[d], box.lower[d]);
      bounds.upper[d] = std::max(bounds.upper[d], box.upper[d]);
    }
    mean_size += (box.upper - box.lower).norm() / boxes.size();
  }
}

template <int dim>
std::vector<Box<dim>>
BoundarySearch<dim>::face_boxes() const
{
  std::vector<Box<dim>> boxes;
  for (unsigned int i = 0; i < faces.size(); ++i)
    boxes.push_back(degree > 1
                        ? curved_faces[i].bounding_box()
                        : enclosing_box<dim>({faces[i].points.data(), faces[i].points.size()}));
  return boxes;
}

template <int dim>
typename BoundarySearch<dim>::Nearest
BoundarySearch<dim>::closest_on(const unsigned int face, const Point<dim> &point) const
{
  if (degree > 1)
  {
    const auto closest = curved_faces[face].closest_point(point);
    return {face, closest.point, closest.distance};
  }
  const auto &points = faces[face].points;
  const auto closest = closest_point(points.data(), points.size(), point);
  return {face, closest.point, closest.distance};
}

/// Faces whose boxes are within @p radius of a point in every direction.
template <int dim>
std::vector<unsigned int>
BoundarySearch<dim>::candidates(const Point<dim> &point, const double radius) const
{
  Box<dim> box;
  for (unsigned int d = 0; d < dim; ++d)
  {
    box.lower[d] = point[d] - radius;
    box.upper[d] = point[d] + radius;
  }
  std::vector<unsigned int> hits;
  hierarchy.query(box, hits);
  return hits;
}

template <int dim>
typename BoundarySearch<dim>::Nearest
BoundarySearch<dim>::nearest_face(const Point<dim> &point) const
{
  for (unsigned int d = 0; d < dim; ++d)
    AssertThrow(std::isfinite(point[d]), ExcMessage("The point to search from is not finite."));
  Nearest nearest{0, Point<dim>(), std::numeric_limits<double>::infinity()};
  // larger and larger boxes until one holds a face, then one that holds all that are as near
  double radius = distance_bound(bounds, Box<dim>{point, point}) + mean_size;
  while (true)
  {
    for (const unsigned int face : candidates(point, radius))
    {
      const Nearest here = closest_on(face, point);
      if (here.distance < nearest.distance)
        nearest = here;
    }
    if (nearest.distance <= radius)
      return nearest;
    radius = std::isfinite(nearest.distance) ? nearest.distance
                                             : 2 * radius + std::numeric_limits<double>::min();
  }
}

template <int dim>
std::vector<unsigned int>
BoundarySearch<dim>::faces_within(const Point<dim> &point, const double radius) const
{
  std::vector<unsigned int> result;
  for (const unsigned int face : candidates(point, radius))
    if (degree > 1 ? curved_faces[face].is_within(point, radius)
                   : closest_on(face, point).distance <= radius)
      result.push_back(face);
  std::sort(result.begin(), result.end());
  return result;
}

template <int dim>
std::vector<Point<dim>>
BoundarySearch<dim>::corners(const unsigned int face) const
{
  const auto &points = faces[face].points;
  if (degree == 1)
    return points;
  if (dim == 2)
    return {points.front(), points.back()};
  return {points.front(), points[degree], points[points.size() - 1 - degree], points.back()};
}

template <int dim>
BoundaryContact
first_contact(const BoundarySearch<dim> &first, const VelocityOfPoint<dim> &first_velocity,
              const BoundarySearch<dim> &second, const VelocityOfPoint<dim> &second_velocity)
{
  NodeTable<dim> nodes;
  Surface<dim> surface;
  const auto add = [&](const BoundarySearch<dim> &body, const VelocityOfPoint<dim> &velocity)
  {
    for (unsigned int f = 0; f < body.n_faces(); ++f)
    {
      SurfaceFace<dim> face{};
      for (const auto &corner : body.corners(f))
      {
        face.nodes[face.n_nodes] = nodes.add(corner, 1.);
        nodes.set_velocity(face.nodes[face.n_nodes++], velocity(corner));
      }
      face.body = surface.body_names.size();
      surface.faces.push_back(face);
    }
    surface.body_names.emplace_back();
  };
  add(first, first_velocity);
  add(second, second_velocity);

  // straight motion for ever: one look sees all
  KineticHierarchy<dim> hierarchy(surface, std::vector<AccelerationBounds<dim>>(2),
                                  std::numeric_limits<double>::infinity());
  hierarchy.update(nodes, 0.);
  BoundaryContact result;
  if (!hierarchy.contacts().empty())
  {
    const FirstContact &contact = hierarchy.contacts()[0];
    result = {contact.time, contact.first_face, contact.second_face - first.n_faces()};
  }
  return result;
}

template class BoundarySearch<2>;
template class BoundarySearch<3>;
template BoundaryContact first_contact(const BoundarySearch<2> &, const VelocityOfPoint<2> &,
                                       const BoundarySearch<2> &, const VelocityOfPoint<2> &);
template BoundaryContact first_contact(const BoundarySearch<3> &, const VelocityOfPoint<3> &,
                                       const BoundarySearch<3> &, const VelocityOfPoint<3> &);
} // namespace KickDrift
