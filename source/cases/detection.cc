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
} // namespace

template <int dim>
Detection<dim>::Detection(const Model<dim> &model)
    : model(model),
      hierarchy(model.surface, acceleration_bounds(model), model.parameters.detection.resolution)
{
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
                               "sphere_tests", "box_tests", "polytope_tests", "primitive_tests",
                               "contact_time", "next_time"},
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
  const auto name = [this](const unsigned int body)
  { return body < model.bodies.size() ? model.surface.body_names[body] : std::string(); };
  const bool has_found = hierarchy.contacts().size() > n_contacts;
  file->write(CsvRow() << look.time << name(look.first_body) << name(look.second_body)
                       << std::uint64_t(look.level) << time_text(look.distance) << look.volumes
                       << look.sphere_tests << look.box_tests << look.polytope_tests
                       << look.primitive_tests
                       << (has_found ? time_text(hierarchy.contacts()[n_contacts].time) : "")
                       << time_text(look.next_time));
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
    out << "; first contact of " << model.surface.body_names[contact.first_body] << " and "
        << model.surface.body_names[contact.second_body] << " at " << time_text(contact.time);
  if (hierarchy.n_broken_bounds() > 0)
    out << "\nWarning: " << hierarchy.n_broken_bounds()
        << " times a node was accelerated by more than detection was told, so that it may have "
           "missed a contact; make 'Detection/Largest acceleration' larger";
}

template class Detection<2>;
template class Detection<3>;
} // namespace KickDrift
