// How contact is set up.

#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/detection/edge_detector.h>
#include <kickdrift/contact/detection/obstacle_detector.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

namespace KickDrift
{
namespace
{
/// Nothing in 2D, or if no edges are wanted.
template <int spacedim>
std::unique_ptr<Detector<spacedim>>
make_edge_detector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                   const Exclusions &exclusions, const FaceSearch<spacedim> &search,
                   const FaceDetector<spacedim> &faces, const MotionBounds<spacedim> &bounds,
                   const ContactParameters &parameters)
{
  if constexpr (spacedim == 3)
    if (parameters.edges != Edges::none)
    {
      const double degrees = parameters.edges == Edges::all ? -180. : parameters.feature_angle;
      return std::make_unique<EdgeDetector>(nodes, surface, exclusions, search, faces, bounds,
                                            degrees * dealii::numbers::PI / 180);
    }
  (void)nodes, (void)surface, (void)exclusions, (void)search, (void)faces, (void)bounds,
      (void)parameters;
  return {};
}
} // namespace

template <int spacedim>
Contact<spacedim>::Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                           Surface<spacedim> surface, const ContactParameters &parameters,
                           std::vector<Obstacle<spacedim>> obstacles,
                           std::shared_ptr<const ErodingSurface<spacedim>> eroding_bodies)
    : nodes(nodes),
      stepper(stepper),
      parameters(parameters),
      obstacles(std::move(obstacles)),
      eroding(std::move(eroding_bodies)),
      contact_surface(std::move(surface)),
      partners(partner_names(contact_surface, this->obstacles), parameters),
      exclusions(parameters.exclude, partners.names(), contact_surface, parameters.group_of_body),
      bounds(nodes, contact_surface),
      response(nodes, stepper, partners, bounds,
               parameters.solver == ContactSolver::coupled || parameters.projection
                   ? Response::reflect
               : parameters.response == Response::automatic ? Response::look_ahead
                                                            : parameters.response,
               parameters.damping),
      simultaneous_response(nodes, stepper, partners, bounds, response, parameters),
      search(nodes, contact_surface, bounds, parameters.broad_phase),
      schedule(nodes, stepper.levels(), stepper.supports(), this->parameters, exclusions, bounds,
               search, contact_surface, detectors)
{
  check_parameters(parameters);
  check_shapes(this->obstacles);
  if (!nodes.rigid_bodies.empty())
  {
    const std::string name = nodes.rigid_bodies.name(0);
    AssertThrow(parameters.solver != ContactSolver::coupled,
                ExcRigidBody(name, "the coupled solver"));
    AssertThrow(!parameters.projection, ExcRigidBody(name, "projection"));
  }
  AssertThrow(eroding || !contact_surface.faces.empty() || !contact_surface.contactors.empty(),
              ExcEmptySurface());
  AssertThrow(
      parameters.points_per_face == 0 || !contact_surface.has_shells(),
      dealii::ExcMessage("'Contact/Points per face' must be 0 where there are shells, whose "
                         "nodes alone know on which side of others they are: refine the "
                         "meshes, or take 'Contact/Response' = layers."));
  AssertThrow(!eroding || (!parameters.projection && !contact_surface.has_shells() &&
                           contact_surface.tied.empty()),
              ExcEroding());
  if (eroding)
    first_surface = contact_surface;
  complete_surface();
  make_detectors();
  // projection asks for forces; cells that fail may bare any node of a body
  stepper.watch(surface_nodes(),
                parameters.projection || eroding ? WatchedKicks::by_all : WatchedKicks::divided);
  stepper.attach(*this);
}

template <int spacedim>
void
Contact<spacedim>::complete_surface()
{
  add_other_sides(contact_surface);
  add_face_points(contact_surface, parameters.points_per_face);
}

template <int spacedim>
void
Contact<spacedim>::make_detectors()
{
  auto faces =
      std::make_unique<FaceDetector<spacedim>>(nodes, contact_surface, exclusions, search, bounds);
  auto edges =
      make_edge_detector(nodes, contact_surface, exclusions, search, *faces, bounds, parameters);
  detectors.push_back(std::move(faces));
  if (edges)
    detectors.push_back(std::move(edges));
}

template <int spacedim>
std::vector<unsigned int>
Contact<spacedim>::surface_nodes() const
{
  std::vector<unsigned int> result;
  for (const auto &face : contact_surface.faces)
    result.insert(result.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  for (const Contactor &contactor : contact_surface.contactors)
    result.insert(result.end(), contactor.node_view().begin(), contactor.node_view().end());
  if (eroding)
  {
    const auto more = eroding->nodes();
    result.insert(result.end(), more.begin(), more.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <int spacedim>
void
Contact<spacedim>::start()
{
  AssertThrow(stepper.has_started(), ExcStepperNotStarted());
  AssertThrow(!started, ExcStartedTwice());
  schedule.check_clocks();
  const auto on_surface = surface_nodes();
  response.start(on_surface, schedule.uses_zones());
  find_short_time(on_surface);
  start_detectors(stepper.time());
  // contactors of a surface that is renewed go from one process to another: all look at them
  schedule.start(stepper.time(), !obstacles.empty(), average_critical_step(),
                 eroding ? nullptr : stepper.ranks());
  started = true;
  if (eroding && eroding->n_deleted() > 0)
    next_renewal = stepper.time();
}

/// Steps of rigid bodies say nothing about contact of others; they count where all are rigid.
template <int spacedim>
double
Contact<spacedim>::average_critical_step() const
{
  double sum[2] = {0, 0}; // of what can deform, and of what cannot
  unsigned int n[2] = {0, 0};
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (const double step = stepper.levels().critical_step(id); std::isfinite(step))
    {
      const bool is_rigid = stepper.kind_of_kick(id) == KickKind::rigid;
      sum[is_rigid] += step;
      ++n[is_rigid];
    }
  return n[0] > 0 ? sum[0] / n[0] : sum[1] / n[1];
}

template <int spacedim>
void
Contact<spacedim>::find_short_time(const std::vector<unsigned int> &on_surface)
{
  double shortest = std::numeric_limits<double>::infinity();
  for (const unsigned int node : on_surface)
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      shortest = std::min(shortest, stepper.levels().natural_step(id));
  short_time = std::isfinite(shortest) ? 0.01 * shortest : 1;
}

template <int spacedim>
void
Contact<spacedim>::start_detectors(const double time)
{
  bounds.start();
  search.build(time, short_time);
  if (!obstacles.empty())
    detectors.push_back(std::make_unique<ObstacleDetector<spacedim>>(
        nodes, contact_surface, obstacles, exclusions, bounds, short_time));
}

template class Contact<2>;
template class Contact<3>;
} // namespace KickDrift
