#include <kickdrift/contact/massless_contact.h>
#include <kickdrift/contact/surface/touching_faces.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
// Bodies with smaller gaps, as a share of the size of a face, are in contact at the start.
constexpr double gap_at_start = 1e-3;

/// Why there can be no zones at all; empty if there can.
template <int spacedim>
std::string
reason_for_impulses(const NodeTable<spacedim> &nodes, const ContactParameters &parameters,
                    const Stepper<spacedim> &stepper)
{
  if (!nodes.rigid_bodies.empty())
    return "impulses answer all contacts: nodes of rigid bodies, such as '" +
           nodes.rigid_bodies.name(0) + "', have no mass to lend";
  if (!stepper.levels().has_classes())
    return "impulses answer all contacts: massless nodes need step classes, not 'Stepping/Clocks' "
           "= per cell";
  if (parameters.projection || parameters.solver == ContactSolver::coupled)
    return "impulses answer all contacts: 'Contact/Projection' and 'Contact/Solver' = coupled do "
           "not go with massless nodes";
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
    if (stepper.has_history(id))
      return "impulses answer all contacts: massless nodes do not go with materials that have a "
             "history, such as plastic ones";
  return "";
}

/// By face: is it named?
template <int spacedim>
std::vector<char>
named_faces(const Surface<spacedim> &surface,
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
  return is_named;
}

/// Pairs that lose energy in collisions, or one of which moves as it wants, as
/// Surface::without_zone has them.
template <int spacedim>
std::set<std::pair<unsigned int, unsigned int>>
pairs_without_zone(const Surface<spacedim> &surface, const ContactParameters &parameters,
                   const ContactPairs<spacedim> &pairs,
                   const std::vector<Obstacle<spacedim>> &obstacles)
{
  std::set<std::pair<unsigned int, unsigned int>> result;
  const unsigned int n_bodies = surface.body_names.size();
  const auto is_elastic = [](const ValueOfPair &pair) { return pair.value == 1; };
  const bool all_elastic =
      parameters.restitution == 1 && std::all_of(parameters.restitution_of_pairs.begin(),
                                                 parameters.restitution_of_pairs.end(), is_elastic);
  for (unsigned int a = 0; a < n_bodies; ++a)
    for (unsigned int b = all_elastic ? n_bodies : a + 1; b < n_bodies + obstacles.size(); ++b)
      if (pairs(a, b).restitution < 1 || (b >= n_bodies && obstacles[b - n_bodies].displacement))
        result.insert({a, b});
  return result;
}

/// Faces of bodies that can touch nothing in a zone need not be massless.
template <int spacedim, typename MayTouch>
void
leave_lonely(const Surface<spacedim> &surface, const unsigned int n_obstacles,
             const MayTouch &may_touch, std::vector<char> &wanted)
{
  const unsigned int n_bodies = surface.body_names.size();
  std::vector<char> takes_part(n_bodies, 0), has_partner(n_bodies, 0);
  for (unsigned int f = 0; f < wanted.size(); ++f)
    takes_part[surface.faces[f].body] |= wanted[f];
  for (unsigned int body = 0; body < n_bodies; ++body)
    for (unsigned int i = 0; i < n_bodies + n_obstacles && takes_part[body] && !has_partner[body];
         ++i)
    {
      const unsigned int partner = i < n_obstacles ? n_bodies + i : i - n_obstacles;
      has_partner[body] = partner != body && (partner >= n_bodies || takes_part[partner]) &&
                          may_touch(body, partner);
    }
  for (unsigned int f = 0; f < wanted.size(); ++f)
    wanted[f] = wanted[f] && has_partner[surface.faces[f].body];
}

/// Sentences about pairs and faces that zones leave to impulses.
template <int spacedim>
std::vector<std::string>
sentences_about(const Surface<spacedim> &surface, const std::vector<std::string> &names,
                const ContactPairs<spacedim> &pairs, const std::vector<MasslessRefusal> &refusals)
{
  constexpr unsigned int n_listed = 10;
  std::vector<std::string> result;
  for (const auto &[a, b] : surface.without_zone)
    if (result.size() < n_listed)
      result.push_back(
          "impulses answer contacts of '" + names[a] + "' and '" + names[b] + "': " +
          (pairs(a, b).restitution < 1 ? "their restitution is below 1" : "the obstacle moves"));
  if (surface.without_zone.size() > n_listed)
    result.push_back("and those of " + std::to_string(surface.without_zone.size() - n_listed) +
                     " more pairs");
  for (const MasslessRefusal &refusal : refusals)
    result.push_back("impulses answer contacts of " + std::to_string(refusal.n_faces) +
                     " faces of '" + names[refusal.body] +
                     "': nothing behind them can carry the masses of their nodes, or hold them");
  return result;
}
} // namespace

template <int spacedim>
MasslessPlan<spacedim>
make_massless_contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                      const Surface<spacedim> &all, const ContactParameters &parameters,
                      const std::vector<Obstacle<spacedim>> &obstacles)
{
  check_shapes(obstacles);
  MasslessPlan<spacedim> result;
  const auto names = partner_names(all, obstacles);
  Surface<spacedim> surface = all;
  const Exclusions exclusions(parameters.exclude, names, surface, parameters.group_of_body);
  auto wanted = named_faces(surface, parameters.massless_surfaces,
                            PartnerNames(names, parameters.group_of_body));
  const std::string reason = reason_for_impulses(nodes, parameters, stepper);
  if (!reason.empty())
  {
    result.left_to_impulses.push_back(reason);
    return result;
  }

  const ContactPairs<spacedim> pairs(names, parameters);
  surface.without_zone = pairs_without_zone(surface, parameters, pairs, obstacles);
  const auto may_touch = [&](const unsigned int body, const unsigned int partner)
  {
    return !exclusions.excluded(body, partner) &&
           surface.without_zone.count({std::min(body, partner), std::max(body, partner)}) == 0;
  };
  const auto touching =
      touching_faces<spacedim>(nodes, surface, obstacles, gap_at_start, may_touch);
  for (unsigned int f = 0; f < wanted.size(); ++f)
    wanted[f] |= touching[f];
  leave_lonely(surface, obstacles.size(), may_touch, wanted);
  result.zones = std::make_shared<MasslessZones<spacedim>>(
      nodes, stepper, std::move(surface), wanted,
      MasslessSetting<spacedim>{obstacles, exclusions, pairs, parameters.massless});
  result.left_to_impulses =
      sentences_about(result.zones->surface(), names, pairs, result.zones->refusals());
  stepper.add_in_place_of(result.zones, result.zones->groups());
  return result;
}

#define INSTANTIATE(dim)                                                                           \
  template MasslessPlan<dim> make_massless_contact(                                                \
      NodeTable<dim> &, Stepper<dim> &, const Surface<dim> &, const ContactParameters &,           \
      const std::vector<Obstacle<dim>> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
