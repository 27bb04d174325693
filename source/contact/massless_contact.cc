#include <kickdrift/contact/massless_contact.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
/// Throws ExcNotForMassless for what massless nodes cannot do, or not yet.
template <int spacedim>
void
check_massless(const ContactParameters &parameters, const Stepper<spacedim> &stepper,
               const std::vector<Obstacle<spacedim>> &obstacles)
{
  using Exceptions = MasslessExceptions;
  const auto is_elastic = [](const ValueOfPair &pair) { return pair.value == 1; };
  const auto &restitutions = parameters.restitution_of_pairs;
  AssertThrow(parameters.restitution == 1 &&
                  std::all_of(restitutions.begin(), restitutions.end(), is_elastic),
              Exceptions::ExcNotForMassless("a coefficient of restitution below 1"));
  AssertThrow(!parameters.projection && parameters.solver == ContactSolver::sequential,
              Exceptions::ExcNotForMassless("'Projection', or 'Solver' = coupled"));
  AssertThrow(parameters.points_per_face == 0,
              Exceptions::ExcNotForMassless("'Points per face' above 0"));
  AssertThrow(stepper.levels().has_classes(),
              Exceptions::ExcNotForMassless("'Stepping/Clocks' = per cell"));
  for (const auto &obstacle : obstacles)
    AssertThrow(!obstacle.displacement, Exceptions::ExcNotForMassless(
                                            "obstacles that move, yet ('" + obstacle.name + "')"));
}

/// The faces of these surfaces; throws, naming the parameter, for those that there are not.
template <int spacedim>
std::vector<SurfaceFace<spacedim>>
faces_of(const Surface<spacedim> &surface,
         const std::vector<std::pair<std::string, std::string>> &names,
         const PartnerNames &partners)
{
  const std::string parameter = "Contact/Massless surfaces";
  std::vector<char> is_named(surface.faces.size(), 0);
  for (const auto &[body, boundary] : names)
  {
    const auto reference = partners.find(body, parameter);
    bool any = false;
    for (unsigned int f = 0; f < surface.faces.size(); ++f)
      if (partners.is_among(surface.faces[f].body, reference) &&
          (boundary.empty() || std::to_string(surface.faces[f].boundary_id) == boundary))
        is_named[f] = any = true;
    AssertThrow(any, dealii::ExcMessage("'" + parameter + "' names '" + body +
                                        (boundary.empty() ? "" : ":" + boundary) +
                                        "', where there is no surface that takes part."));
  }
  std::vector<SurfaceFace<spacedim>> faces;
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    if (is_named[f])
      faces.push_back(surface.faces[f]);
  return faces;
}
} // namespace

template <int spacedim>
std::shared_ptr<MasslessZone<spacedim>>
make_massless_contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                      Surface<spacedim> surface, const ContactParameters &parameters,
                      const std::vector<Obstacle<spacedim>> &obstacles)
{
  check_massless(parameters, stepper, obstacles);
  auto names = surface.body_names;
  for (const auto &obstacle : obstacles)
    names.push_back(obstacle.name);
  const Exclusions exclusions(parameters.exclude, names, surface, parameters.group_of_body);
  const ContactPairs<spacedim> pairs(names, parameters);
  MasslessTargets<spacedim> targets(faces_of(surface, parameters.massless_surfaces,
                                             PartnerNames(names, parameters.group_of_body)),
                                    obstacles, exclusions, surface.body_names.size(), pairs);
  auto zone = std::make_shared<MasslessZone<spacedim>>(nodes, stepper, std::move(targets), pairs,
                                                       parameters.massless);
  stepper.add_in_place_of(zone, zone->ids());
  return zone;
}

#define INSTANTIATE(dim)                                                                           \
  template std::shared_ptr<MasslessZone<dim>> make_massless_contact(                               \
      NodeTable<dim> &, Stepper<dim> &, Surface<dim>, const ContactParameters &,                   \
      const std::vector<Obstacle<dim>> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
