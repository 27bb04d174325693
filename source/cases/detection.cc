#include <kickdrift/archive.h>
#include <kickdrift/cases/detection.h>
#include <kickdrift/cases/messages.h>

#include <cmath>

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
  auto names = model.surface.body_names;
  for (const auto &own : model.parameters.obstacles)
    names.push_back(own.obstacle.name);
  return names;
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
  for (unsigned int i = 1; i < n_intervals; ++i)
  {
    const auto before = obstacle.displacement((i - 1) * step),
               now = obstacle.displacement(i * step), after = obstacle.displacement((i + 1) * step);
    const double found = (after - now - (now - before)).norm() / (step * step);
    const double round_off =
        1e-14 * (before.norm() + 2 * now.norm() + after.norm()) / (step * step);
    AssertThrow(found <= 1.0001 * *obstacle.largest_acceleration + round_off,
                ExcMessage(name + " cannot be " + number_text(*obstacle.largest_acceleration) +
                           ": at time " + number_text(i * step) +
                           " the displacement is accelerated by " + number_text(found) +
                           ". Set a larger bound."));
  }
}
} // namespace

template <int dim>
Detection<dim>::Detection(const Model<dim> &model)
    : model(model),
      names(names_of_targets(model)),
      surface(model.surface),
      hierarchy(surface, acceleration_bounds(model), model.parameters.detection.resolution,
                scope(model, surface))
{
}

template <int dim>
KineticScope<dim>
Detection<dim>::scope(const Model<dim> &model, Surface<dim> &surface)
{
  KineticScope<dim> scope;
  for (const auto &own : model.parameters.obstacles)
  {
    check_motion(own.obstacle, model.parameters.stepping.end_time);
    scope.obstacles.push_back(own.obstacle);
  }
  scope.self_contact = model.parameters.detection.self_contact;
  scope.exclusions = Exclusions(model.exclusions_by_id(), names_of_targets(model), surface);
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
    if (load.type == LoadParameters<dim>::Type::acceleration && !load.depends_on_time)
    {
      const unsigned int node = model.bodies[load.body].body->first_node();
      bounds[load.body].acceleration += model.nodes.restraints.project(
          node, vector_value(*load.value, model.nodes.reference(node)));
    }
  return bounds;
}

template <int dim>
void
Detection<dim>::open(const std::string &folder, const Opening opening)
{
  file = std::make_unique<CsvFile>(
      folder + "/detection.csv",
      std::vector<std::string>{"time", "first", "second", "level", "distance", "volumes",
                               "sphere_tests", "box_tests", "oriented_tests", "polytope_tests",
                               "primitive_tests", "contact_time", "next_time"},
      opening);
}

template <int dim>
void
Detection<dim>::serialize(Archive &archive)
{
  archive.section("detection");
  archive(hierarchy, *file);
}

template <int dim>
void
Detection<dim>::look()
{
  const double time = next_time();
  const std::size_t n_contacts = hierarchy.contacts().size();
  hierarchy.look(model.stepper->look(time), time);

  const WakeUp &look = hierarchy.wake_ups().back();
  const auto name = [this](const unsigned int target)
  { return target < names.size() ? names[target] : std::string(); };
  const bool has_found = hierarchy.contacts().size() > n_contacts;
  file->write(CsvRow() << look.time << name(look.first_body) << name(look.second_body)
                       << std::uint64_t(look.level) << time_text(look.distance) << look.volumes
                       << look.sphere_tests << look.box_tests << look.oriented_tests
                       << look.polytope_tests << look.primitive_tests
                       << (has_found ? time_text(hierarchy.contacts()[n_contacts].time) : "")
                       << time_text(look.next_time));
}

template <int dim>
void
Detection<dim>::finish(const double time)
{
  hierarchy.finish(model.stepper->look(time), time);
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
