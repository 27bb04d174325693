// Bodies that are in each other before the first step.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/initial_overlap.h>
#include <kickdrift/contact/detection/overlap.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/contact/layers/layer_primitives.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lists.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr double harmless_overlap = 1e-6; ///< of the size of a face

/// Names of bodies and obstacles; there is contact.
template <int dim>
const std::vector<std::string> &
partner_names(const Model<dim> &model)
{
  return model.layers ? model.layers->partner_pairs().names() : model.contact->pairs().names();
}

/// "0.01 (0.1 of the face) at (0, 0, 1), body 'a' in body 'b'".
template <int dim>
std::string
overlap_text(const Model<dim> &model, const Penetration<dim> &overlap)
{
  const auto &names = partner_names(model);
  return number_text(overlap.depth) + " (" + number_text(overlap.relative_depth) +
         " of the face) at " + point_text(overlap.point) + ", body '" + names[overlap.body] +
         "' in " +
         (overlap.target < model.dynamics.surface().body_names.size() ? "body '" : "obstacle '") +
         names[overlap.target] + "'";
}

/// Places where bodies overlap by more than is harmless, deepest first.
template <int dim>
std::vector<Penetration<dim>>
overlaps(Model<dim> &model)
{
  std::vector<Penetration<dim>> found;
  if (!model.contact && !model.layers)
    return found;
  // what contact itself would answer: shallow, but also with obstacles and of a body with itself
  if (model.contact)
    for (const auto &penetration : model.contact->penetrations())
      if (penetration.relative_depth > harmless_overlap)
        found.push_back(penetration);
  Surface<dim> surface = model.dynamics.surface();
  const Exclusions exclusions(model.exclusions_by_id(), partner_names(model), surface,
                              model.sections_of_bodies());
  for (const auto &overlap : find_overlaps<dim>(
           model.nodes, model.dynamics.surface(), harmless_overlap,
           [&](const unsigned int a, const unsigned int b) { return exclusions.excluded(a, b); }))
  {
    const auto &face = model.dynamics.surface().faces[overlap.face];
    const bool is_known =
        std::any_of(found.begin(), found.end(),
                    [&](const auto &known)
                    { return known.body == overlap.body && known.point == overlap.point; });
    if (!is_known && !exclusions.excluded_boundary(face.body, face.boundary_id))
      found.push_back(
          {overlap.body, face.body, overlap.depth, overlap.relative_depth, overlap.point});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto &a, const auto &b) { return a.depth > b.depth; });
  return found;
}

/// What the first bodies are like; a thousand would hide everything else.

/// Where shells pass through something, or something through them, without a node near; there is
/// contact by impulses.
template <int dim>
std::vector<std::string>
crossings(const Model<dim> &model)
{
  std::vector<std::string> texts;
  Surface<dim> surface = model.dynamics.surface();
  if (!surface.has_shells())
    return texts;
  const Exclusions exclusions(model.exclusions_by_id(), partner_names(model), surface,
                              model.sections_of_bodies());
  const std::vector<Obstacle<dim>> no_obstacles;
  LayerPrimitives<dim> primitives(model.nodes, surface, no_obstacles, exclusions);
  const double time = model.stepper.time();
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
                    point_text(model.nodes.position(crossing.edge[0])) +
                    " passes through a face of body '" +
                    surface.body_names[surface.faces[crossing.face].body] + "'");
  }
  return texts;
}
} // namespace

template <int dim>
void
print_initial_overlap(Model<dim> &model, std::ostream &out)
{
  if (model.layers)
  {
    const auto &near = model.layers->near_pairs();
    out << "Pairs that start too near for penalty layers: " << near.size() << "\n";
    for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, near.size()); ++i)
      out << "  " << number_text(near[i].distance) << "  " << model.layers->text(near[i].primitives)
          << "\n";
  }
  const std::vector<std::string> crossing = model.layers    ? model.layers->crossings()
                                            : model.contact ? crossings(model)
                                                            : std::vector<std::string>();
  if (!crossing.empty())
    out << "Crossings at the start: " << crossing.size() << "\n";
  for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, crossing.size()); ++i)
    out << "  " << crossing[i] << "\n";
  const auto found = overlaps(model);
  out << "Initial penetrations: " << found.size() << "\n";
  for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, found.size()); ++i)
    out << "  " << overlap_text(model, found[i]) << "\n";
}

template <int dim>
void
check_initial_overlap(Model<dim> &model)
{
  if (model.layers)
    model.layers->check_crossings();
  if (model.parameters.contact.allow_initial_overlap)
    return;
  if (model.contact)
  {
    const auto crossing = crossings(model);
    AssertThrow(crossing.empty(),
                ExcMessage("Surfaces cross at the start at " + std::to_string(crossing.size()) +
                           " places: " + crossing.front() +
                           ", and contact would keep them so. Move the bodies apart "
                           "('Bodies/NAME/Mesh/Map'), exclude the pair ('Contact/Exclude'), or set "
                           "'Contact/Allow initial overlap' = true."));
  }
  const auto found = overlaps(model);
  AssertThrow(found.empty(),
              ExcMessage("Bodies overlap at the start at " + std::to_string(found.size()) +
                         " places, deepest by " + overlap_text(model, found.front()) +
                         ". Move them apart ('Bodies/NAME/Mesh/Map'), or set 'Contact/Allow "
                         "initial overlap' = true."));
  if (model.layers)
    model.layers->check_distances();
}

template void print_initial_overlap(Model<2> &, std::ostream &);
template void print_initial_overlap(Model<3> &, std::ostream &);
template void check_initial_overlap(Model<2> &);
template void check_initial_overlap(Model<3> &);
} // namespace KickDrift
