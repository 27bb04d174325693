#include <kickdrift/base/limits.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/contact_blind_spots.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Limits::infinity;

/// Shortest distance of two nodes of a face [length].
template <int dim>
double
side_of(const Model<dim> &model, const SurfaceFace<dim> &face)
{
  double shortest = infinity;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    for (unsigned int j = 0; j < i; ++j)
      shortest = std::min(
          shortest,
          model.nodes.reference(face.nodes[i]).distance(model.nodes.reference(face.nodes[j])));
  return shortest;
}

/// Distance of neighbouring contactors in a face along its shortest side [length].
template <int dim>
double
spacing(const Model<dim> &model, const SurfaceFace<dim> &face)
{
  return side_of(model, face) / (model.parameters.contact.points_per_face + 1);
}

/// Obstacles that fit between contactors.
template <int dim>
void
add_small_obstacles(const Model<dim> &model, std::vector<std::string> &result)
{
  const auto &surface = model.contact->surface();
  double widest = 0;
  unsigned int body = 0;
  for (const auto &face : surface.faces)
  {
    const double width = spacing(model, face);
    if (width > widest)
    {
      widest = width;
      body = face.body;
    }
  }
  for (const auto &parameters : model.parameters.obstacles)
  {
    const Obstacle<dim> &obstacle = parameters.obstacle;
    const double width = obstacle.shape->extents()[dim - 2];
    if (width < widest)
      result.push_back("Obstacle '" + obstacle.name + "' is " + number_text(width) +
                       " wide and fits between nodes of body '" + surface.body_names[body] +
                       "', which are up to " + number_text(widest) +
                       " apart: it is seen only where a node hits it. " +
                       (surface.has_shells() ? "Refine the mesh."
                                             : "Use 'Contact/Points per face', or refine the "
                                               "mesh."));
  }
}

/// Name and thickness of the thinnest body or obstacle.
template <int dim>
std::pair<std::string, double>
thinnest(const Model<dim> &model)
{
  std::pair<std::string, double> result("", infinity);
  const auto consider = [&result](const std::string &name, const double thickness)
  {
    if (thickness < result.second)
      result = {name, thickness};
  };
  for (const auto &meshed : model.bodies)
  {
    std::vector<Point<dim>> points;
    const unsigned int first = meshed.first_node();
    for (unsigned int node = first; node < first + meshed.n_nodes(); ++node)
      points.push_back(model.nodes.reference(node));
    const auto box = enclosing_oriented_box<dim>({points.data(), points.size()});
    consider("body '" + meshed.name() + "'",
             2 * *std::min_element(box.half_sizes.begin(), box.half_sizes.end()));
  }
  for (const auto &parameters : model.parameters.obstacles)
    consider("obstacle '" + parameters.obstacle.name + "'",
             parameters.obstacle.shape->extents()[0]);
  return result;
}

/// The way that a node may go between two tests at the start [length].
template <int dim>
double
way_between_tests(const Model<dim> &model)
{
  const auto &contact = model.parameters.contact;
  double speed = 0;
  for (unsigned int node = 0; node < model.nodes.size(); ++node)
    speed = std::max(speed, model.nodes.velocity(node).norm());
  const auto steps = critical_steps(model);
  switch (contact.schedule)
  {
  case Schedule::synchronous:
    return speed * model.stepper.levels().classes().step(model.stepper.levels().finest_class());
  case Schedule::constant:
    return speed * std::min(steps.largest, contact.maximum_step * steps.average);
  default:
  {
    double longest = 0;
    for (const auto &face : model.contact->surface().faces)
      longest = std::max(longest, spacing(model, face));
    return std::min(speed * contact.maximum_step * steps.average, contact.step_factor * longest);
  }
  }
}
} // namespace

template <int dim>
std::vector<std::string>
contact_blind_spots(const Model<dim> &model)
{
  std::vector<std::string> result;
  if (!model.contact)
    return result;
  add_small_obstacles(model, result);
  if (model.contact->misses_nothing())
    return result;
  const double way = way_between_tests(model);
  const auto [name, thickness] = thinnest(model);
  if (way > thickness)
    result.push_back(
        "Nodes may go " + number_text(way) + " between two tests, more than " + name +
        " is thick, " + number_text(thickness) +
        ": what meets there may pass unseen. 'Contact/Response' = records misses nothing.");
  return result;
}

template std::vector<std::string> contact_blind_spots(const Model<2> &);
template std::vector<std::string> contact_blind_spots(const Model<3> &);
} // namespace KickDrift
