#include <kickdrift/base/messages.h>
#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/detection/overlap.h>
#include <kickdrift/contact/initial_overlap.h>
#include <kickdrift/contact/layers/layer_primitives.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
constexpr double harmless_overlap = 1e-6; ///< of the size of a face

/// Penetrations that contact itself does not see, which may be deep.
template <int spacedim>
void
add_deep(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
         const Exclusions &exclusions, std::vector<Penetration<spacedim>> &found)
{
  const auto excluded = [&](const unsigned int a, const unsigned int b)
  { return exclusions.excluded(a, b); };
  for (const auto &overlap : find_overlaps<spacedim>(nodes, surface, harmless_overlap, excluded))
  {
    const auto &face = surface.faces[overlap.face];
    const bool is_known =
        std::any_of(found.begin(), found.end(),
                    [&](const auto &known)
                    { return known.body == overlap.body && known.point == overlap.point; });
    if (!is_known && !exclusions.excluded_boundary(face.body, face.boundary_id))
      found.push_back(
          {overlap.body, face.body, overlap.depth, overlap.relative_depth, overlap.point});
  }
}

/// Obstacles in bodies that have no node in them.
template <int spacedim>
void
add_obstacles(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
              const std::vector<Obstacle<spacedim>> &obstacles, const double time,
              const Exclusions &exclusions, std::vector<Penetration<spacedim>> &found)
{
  const unsigned int n_bodies = surface.body_names.size();
  const auto is_known = [&](const unsigned int body, const unsigned int obstacle)
  {
    return exclusions.excluded(body, n_bodies + obstacle) ||
           std::any_of(found.begin(), found.end(),
                       [&](const auto &known)
                       { return known.body == body && known.target == n_bodies + obstacle; });
  };
  for (const auto &inside : find_obstacles_in_bodies<spacedim>(nodes, surface, obstacles, time,
                                                               harmless_overlap, is_known))
    found.push_back({n_bodies + inside.obstacle, inside.body, inside.depth, inside.relative_depth,
                     inside.point});
}

/// Where shells pass through something, or something through them, without a node near.
template <int spacedim>
std::vector<std::string>
find_crossings(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const double time, const Exclusions &exclusions)
{
  std::vector<std::string> texts;
  if (!surface.has_shells())
    return texts;
  const std::vector<Obstacle<spacedim>> no_obstacles;
  LayerPrimitives<spacedim> primitives(nodes, surface, no_obstacles, exclusions);
  primitives.enter_instant(time);
  primitives.fit(time);
  for (const auto &crossing : primitives.crossings_of_shells(time))
  {
    const auto owner =
        std::find_if(surface.faces.begin(), surface.faces.end(),
                     [&](const auto &face)
                     {
                       const auto end = face.nodes.begin() + face.n_nodes;
                       return std::find(face.nodes.begin(), end, crossing.edge[0]) != end;
                     });
    texts.push_back("an edge of body '" + surface.body_names[owner->body] + "' at " +
                    point_text(nodes.position(crossing.edge[0])) +
                    " passes through a face of body '" +
                    surface.body_names[surface.faces[crossing.face].body] + "'");
  }
  return texts;
}
} // namespace

template <int spacedim>
std::string
InitialOverlap<spacedim>::text(const Penetration<spacedim> &penetration) const
{
  const auto name = [this](const unsigned int partner)
  { return (partner < n_bodies ? "body '" : "obstacle '") + partner_names[partner] + "'"; };
  return number_text(penetration.depth) + " (" + number_text(penetration.relative_depth) +
         " of the face) at " + point_text(penetration.point) + ", " + name(penetration.body) +
         " in " +
         (penetration.target == penetration.body ? "another part of itself"
                                                 : name(penetration.target));
}

template <int spacedim>
InitialOverlap<spacedim>
find_initial_overlap(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                     const std::vector<Obstacle<spacedim>> &obstacles, const double time,
                     const ContactParameters &parameters, ContactMethod<spacedim> &contact)
{
  InitialOverlap<spacedim> result;
  result.partner_names = contact.pairs().names();
  result.n_bodies = surface.body_names.size();
  Surface<spacedim> without_excluded = surface;
  const Exclusions exclusions(parameters.exclude, result.partner_names, without_excluded,
                              parameters.group_of_body);
  // what contact itself would answer: shallow, but also with obstacles and of a body with itself
  for (const auto &penetration : contact.penetrations())
    if (penetration.relative_depth > harmless_overlap)
      result.penetrations.push_back(penetration);
  add_deep(nodes, surface, exclusions, result.penetrations);
  add_obstacles(nodes, surface, obstacles, time, exclusions, result.penetrations);
  std::stable_sort(result.penetrations.begin(), result.penetrations.end(),
                   [](const auto &a, const auto &b) { return a.depth > b.depth; });
  result.crossings = contact.crossings()
                         ? *contact.crossings()
                         : find_crossings(nodes, without_excluded, time, exclusions);
  return result;
}

template <int spacedim>
void
check_initial_overlap(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                      const std::vector<Obstacle<spacedim>> &obstacles, const double time,
                      const ContactParameters &parameters, ContactMethod<spacedim> &contact)
{
  contact.check_crossings();
  if (parameters.initial_overlap != OverlapRule::refuse &&
      parameters.initial_overlap != OverlapRule::resolve)
    return;
  auto found = find_initial_overlap(nodes, surface, obstacles, time, parameters, contact);
  if (parameters.initial_overlap == OverlapRule::resolve)
  {
    // nodes of other bodies are pushed out, of themselves and obstacles without nodes in them not
    auto &all = found.penetrations;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const auto &one)
                             { return one.body < found.n_bodies && one.target != one.body; }),
              all.end());
  }
  AssertThrow(found.crossings.empty(),
              ContactExceptions::ExcShellsCross(found.crossings.size(), found.crossings.front()));
  AssertThrow(found.penetrations.empty(),
              ContactExceptions::ExcOverlap(found.penetrations.size(),
                                            found.text(found.penetrations.front())));
  contact.check_distances();
}

#define INSTANTIATE(dim)                                                                           \
  template struct InitialOverlap<dim>;                                                             \
  template InitialOverlap<dim> find_initial_overlap(                                               \
      const NodeTable<dim> &, const Surface<dim> &, const std::vector<Obstacle<dim>> &, double,    \
      const ContactParameters &, ContactMethod<dim> &);                                            \
  template void check_initial_overlap(const NodeTable<dim> &, const Surface<dim> &,                \
                                      const std::vector<Obstacle<dim>> &, double,                  \
                                      const ContactParameters &, ContactMethod<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
