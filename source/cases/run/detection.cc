#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/detection.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Nothing for never.
std::string
time_text(const double time)
{
  return std::isfinite(time) ? to_text(time) : "";
}

template <int dim>
std::vector<std::string>
names_of_targets(const Model<dim> &model)
{
  auto names = model.dynamics.surface().body_names;
  for (const auto &own : model.parameters.obstacles)
    names.push_back(own.obstacle.name);
  return names;
}

/// Is it one that gives every point an acceleration that stays the same?
template <int dim>
bool
is_constant_acceleration(const LoadParameters<dim> &load)
{
  return load.type == LoadParameters<dim>::Type::acceleration && !load.depends_on_time;
}

/// How such a load accelerates a node that is free of forces but those of supports.
template <int dim>
Tensor<1, dim>
acceleration_at(const Model<dim> &model, const LoadParameters<dim> &load, const unsigned int node)
{
  return model.nodes.restraints.project(node,
                                        vector_value(*load.value, model.nodes.reference(node)));
}

/// Throw if the acceleration of an obstacle that moves has no bound, or clearly exceeds it.
/// Mistakes are found here that no look would see, if it is because of them that there is none.
template <int dim>
void
check_motion(const Obstacle<dim> &obstacle, const double end_time)
{
  if (!obstacle.displacement)
    return;
  const std::string name = "'Obstacles/" + obstacle.name + "/Largest acceleration'";
  AssertThrow(obstacle.largest_acceleration,
              ExcMessage(name + " is empty, but the obstacle moves: detection has to know how fast "
                                "its motion may change. Set a bound; 0 for constant speed."));
  constexpr unsigned int n_intervals = 2000;
  const double step = end_time / n_intervals;
  std::vector<Tensor<1, dim>> values;
  double largest = 0, largest_change = 0;
  for (unsigned int i = 0; i <= n_intervals; ++i)
  {
    values.push_back(obstacle.displacement(i * step));
    largest = std::max(largest, values[i].norm());
    if (i > 0)
      largest_change = std::max(largest_change, (values[i] - values[i - 1]).norm());
  }
  // A value may be a small difference of large terms, such as those of constant speed until then.
  const double round_off = 4e-14 * (largest + n_intervals * largest_change) / (step * step);
  for (unsigned int i = 1; i < n_intervals; ++i)
  {
    const double found =
        (values[i + 1] - values[i] - (values[i] - values[i - 1])).norm() / (step * step);
    AssertThrow(found <= 1.0001 * *obstacle.largest_acceleration + round_off,
                ExcMessage(name + " cannot be " + number_text(*obstacle.largest_acceleration) +
                           ": at time " + number_text(i * step) +
                           " the displacement is accelerated by " + number_text(found) +
                           ". Set a larger bound."));
  }
}

/// Throw if faces of one body that only lie side by side would count as touching: contacts of what
/// is accelerated are found early, by no more than it takes to close a gap of acceleration x
/// resolution^2.
template <int dim>
void
check_resolution(const Model<dim> &model, const Surface<dim> &surface, const Exclusions &exclusions)
{
  const auto &detection = model.parameters.detection;
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto &face : surface.faces)
    if (!exclusions.excluded(face.body, face.body))
      for (unsigned int i = 1; i < face.n_nodes; ++i)
        for (unsigned int j = 0; j < i; ++j)
        {
          const double length =
              model.nodes.reference(face.nodes[i]).distance(model.nodes.reference(face.nodes[j]));
          if (length > 0)
            shortest = std::min(shortest, length);
        }
  const double allowed = std::sqrt(0.5 * shortest / detection.largest_acceleration);
  AssertThrow(
      detection.largest_acceleration == 0 || detection.resolution < allowed,
      ExcMessage(
          "'Detection/Resolution' cannot be " + number_text(detection.resolution) +
          " with 'Detection/Self-contact': in that time 'Detection/Largest acceleration' = " +
          number_text(detection.largest_acceleration) +
          " may move points by half of the shortest distance of two nodes of a face (" +
          number_text(shortest) + ") or more. Allowed is below " + number_text(allowed) +
          "; 0 stands for the end time over 1000."));
}

/// Throw if a load may accelerate points of a body that detection takes to be accelerated alike.
template <int dim>
void
check_load(const Model<dim> &model, const LoadParameters<dim> &load, const unsigned int index)
{
  const MeshedBody<dim> &body = model.bodies[index];
  bool is_known = is_constant_acceleration(load);
  if (is_known)
  {
    const Tensor<1, dim> expected = acceleration_at(model, load, body.first_node());
    for (unsigned int node = body.first_node(); node < body.first_node() + body.n_nodes(); ++node)
      is_known = is_known &&
                 (acceleration_at(model, load, node) - expected).norm() <= 1e-12 * expected.norm();
  }
  AssertThrow(is_known,
              ExcMessage("'Detection/Largest acceleration' cannot be 0 with the load 'Loads/" +
                         load.name +
                         "': what is known in advance are only loads of type acceleration that "
                         "accelerate all points of a body alike, at all times. Set a bound above "
                         "0 of what this one does to the points of body '" +
                         body.name() + "'."));
}
} // namespace

template <int dim>
Detection<dim>::Detection(const Model<dim> &model)
    : model(model),
      names(names_of_targets(model)),
      surface(model.dynamics.surface()),
      hierarchy(surface, acceleration_bounds(model), model.parameters.detection.resolution,
                scope(model, surface))
{
  AssertThrow(!model.dynamics.has_eroding_surface(),
              ExcMessage("'Detection/Enabled' = true looks at the surface of the start, and does "
                         "not go with 'Failure strain' of bodies in contact, whose cells are "
                         "deleted."));
}

template <int dim>
KineticScope<dim>
Detection<dim>::scope(const Model<dim> &model, Surface<dim> &surface)
{
  KineticScope<dim> scope;
  scope.exclusions = Exclusions(model.exclusions_by_id(), names_of_targets(model), surface,
                                model.sections_of_bodies());
  scope.self_contact = model.parameters.detection.self_contact;
  if (scope.self_contact)
    check_resolution(model, surface, scope.exclusions);
  for (const auto &own : model.parameters.obstacles)
  {
    scope.obstacles.push_back(own.obstacle);
    Obstacle<dim> &obstacle = scope.obstacles.back();
    const unsigned int target = surface.body_names.size() + scope.obstacles.size() - 1;
    bool is_seen = false;
    for (unsigned int b = 0; b < surface.body_names.size(); ++b)
      is_seen = is_seen || !scope.exclusions.excluded(b, target);
    // the motion of an obstacle that nothing can touch need not be known
    if (!is_seen)
      obstacle.displacement = {};
    check_motion(obstacle, model.parameters.stepping.end_time);
  }
  return scope;
}

/// Accelerations of bodies as far as they are known in advance: from constant loads of that type.
template <int dim>
std::vector<AccelerationBounds<dim>>
Detection<dim>::acceleration_bounds(const Model<dim> &model)
{
  std::vector<AccelerationBounds<dim>> bounds(model.bodies.size());
  for (auto &bound : bounds)
    bound.deviation = model.parameters.detection.largest_acceleration;
  for (const auto &load : model.parameters.loads)
  {
    for (const unsigned int body : load.bodies)
    {
      if (is_constant_acceleration(load))
        bounds[body].acceleration += acceleration_at(model, load, model.bodies[body].first_node());
      if (model.parameters.detection.largest_acceleration == 0)
        check_load(model, load, body);
    }
  }
  return bounds;
}

template <int dim>
void
Detection<dim>::open(const std::string &folder, const Opening opening)
{
  looks_file = std::make_unique<CsvFile>(
      folder + "/detection.csv",
      std::vector<std::string>{"time", "first", "second", "level", "distance", "volumes",
                               "sphere_tests", "box_tests", "oriented_tests", "polytope_tests",
                               "primitive_tests", "next_time"},
      opening);
  contacts_file = std::make_unique<CsvFile>(
      folder + "/first_contacts.csv", std::vector<std::string>{"time", "first", "second"}, opening);
}

template <int dim>
void
Detection<dim>::serialize(Archive &archive)
{
  archive.section("detection");
  archive(hierarchy, *looks_file, *contacts_file);
}

template <int dim>
void
Detection<dim>::look()
{
  const double time = next_time();
  const std::size_t n_contacts = hierarchy.contacts().size();
  hierarchy.update(model.stepper.snapshot(time), time);
  for (std::size_t i = n_contacts; i < hierarchy.contacts().size(); ++i)
  {
    const FirstContact &contact = hierarchy.contacts()[i];
    contacts_file->write(CsvRow() << contact.time << names[contact.first_body]
                                  << names[contact.second_body]);
  }

  const WakeUp &look = hierarchy.wake_ups().back();
  const auto name = [this](const unsigned int target)
  { return target < names.size() ? names[target] : std::string(); };
  looks_file->write(CsvRow() << look.time << name(look.first_body) << name(look.second_body)
                             << std::uint64_t(look.level) << time_text(look.distance)
                             << look.volumes << look.sphere_tests << look.box_tests
                             << look.oriented_tests << look.polytope_tests << look.primitive_tests
                             << time_text(look.next_time));
}

template <int dim>
void
Detection<dim>::finish(const double time)
{
  hierarchy.finish(model.stepper.snapshot(time), time);
}

template <int dim>
void
Detection<dim>::add_to(Summary &summary) const
{
  const auto &contacts = hierarchy.contacts();
  summary.more.set("first_contact_time", contacts.empty() ? Summary::unknown : contacts[0].time);
  summary.more.set("detection_wake_ups", std::uint64_t(hierarchy.wake_ups().size()));
}

template <int dim>
void
Detection<dim>::print_outcome(std::ostream &out) const
{
  out << "\nDetection woke up " << hierarchy.wake_ups().size() << " times";
  for (const auto &contact : hierarchy.contacts())
    out << "; first contact of " << names[contact.first_body]
        << (contact.second_body == contact.first_body ? " with itself"
                                                      : " and " + names[contact.second_body])
        << " at " << time_text(contact.time);
  if (hierarchy.n_broken_bounds() > 0)
    out << "\nWarning: " << hierarchy.n_broken_bounds()
        << " times a node was accelerated by more than detection was told, so that it may have "
           "missed a contact; make 'Detection/Largest acceleration' larger";
  for (unsigned int o = 0; o < hierarchy.n_broken_motions().size(); ++o)
    if (hierarchy.n_broken_motions()[o] > 0)
    {
      const std::string &name = names[model.bodies.size() + o];
      out << "\nWarning: " << hierarchy.n_broken_motions()[o] << " times obstacle '" << name
          << "' was not where detection expected it, so that it may have missed a contact; make "
             "'Obstacles/"
          << name << "/Largest acceleration' larger";
    }
}

template class Detection<2>;
template class Detection<3>;
} // namespace KickDrift
