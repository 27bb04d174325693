// What Dynamics checks before the first kick and while the run goes on.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/large_strain.h>
#include <kickdrift/potentials/instruction_set.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Answers and rules of contact, for a comparison; not all of them.
template <int spacedim>
std::uint64_t
checksum_of(ContactParameters contact, const std::vector<Obstacle<spacedim>> &obstacles)
{
  Archive archive;
  archive(contact.response, contact.solver, contact.projection, contact.restitution,
          contact.friction, contact.schedule, contact.step_factor, contact.maximum_step,
          contact.zone_layers, contact.edges, contact.feature_angle, contact.points_per_face,
          contact.allow_initial_overlap, contact.layers.thickness, contact.layers.ratio,
          contact.layers.stiffness, contact.layers.shape, contact.layers.depth, contact.exclude,
          contact.massless_surfaces);
  for (const auto &obstacle : obstacles)
  {
    std::string name = obstacle.name;
    double distance = obstacle.shape->distance(Point<spacedim>());
    archive(name, distance);
  }
  return checksum(archive.bytes());
}
} // namespace

template <int spacedim>
void
Dynamics<spacedim>::check_ties() const
{
  for (const auto &hold : holds)
    for (const HeldFollower &follower : hold())
      for (const Parent &parent : follower.parents)
      {
        std::ostringstream where;
        where << follower.reference;
        AssertThrow(table.restraints.is_restrained_along(parent.node, follower.direction),
                    ExcTiedNodeHeld("'restrain()", follower.body, where.str()));
      }
  for (const auto &part : parts)
    AssertThrow(!contact_parameters || contact_parameters->response != Response::massless ||
                    part.body().n_tied_nodes() == 0,
                ExcTieMassless(part.body().name()));
}

template <int spacedim>
void
Dynamics<spacedim>::check_meshes() const
{
  for (const auto &part : parts)
    part.check_mesh();
  for (const auto &part : shell_parts)
    part.check_mesh();
}

/// That to which a node belongs, if there is one.
template <int spacedim>
std::optional<std::string>
Dynamics<spacedim>::name_of_body(const unsigned int node) const
{
  std::optional<std::string> name;
  const auto look = [&](const auto &body)
  {
    if (node >= body.first_node() && node < body.first_node() + body.n_nodes())
      name = body.name();
  };
  for (const auto &part : parts)
    look(part.body());
  for (const auto &part : shell_parts)
    look(part.body());
  return name;
}

template <int spacedim>
void
Dynamics<spacedim>::check_finite() const
{
  for (unsigned int node = 0; node < table.size(); ++node)
    if (!std::isfinite(table.velocity(node).norm_square()) ||
        !std::isfinite(table.displacement(node).norm_square()))
      if (const auto body = name_of_body(node))
        throw ExcNotFinite(node, *body, loop.time());
}

template <int spacedim>
void
Dynamics<spacedim>::check_energy()
{
  if (!std::isfinite(energy_limit))
    return;
  audit.update(energy(), round_off_energy(table, loop.levels().smallest_critical_step()));
  const double error = audit.error();
  AssertThrow(std::abs(error) <= energy_limit, ExcEnergyError(error, loop.time(), energy_limit));
}

template <int spacedim>
std::uint64_t
Dynamics<spacedim>::fingerprint() const
{
  Archive archive;
  for (unsigned int node = 0; node < table.size(); ++node)
  {
    auto reference = table.reference(node);
    auto state = table[node];
    archive(reference, state);
  }
  for (const unsigned int node : table.restraints.nodes())
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      auto free_part = table.restraints.project(node, Point<spacedim>::unit_vector(d));
      archive(free_part);
    }
  for (unsigned int id = 0; id < loop.levels().n_kicks(); ++id)
  {
    auto support = loop.supports().nodes_of_kick(id);
    double step = loop.levels().critical_step(id);
    archive(support, step);
  }
  for (const auto &face : faces.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      auto node = face.nodes[i];
      archive(node);
    }
  return checksum(archive.bytes());
}

template <int spacedim>
void
Dynamics<spacedim>::check_alike() const
{
  AssertThrow(ranks->all_equal(instruction_set()), ExcInstructionSets());
  const std::uint64_t of_contact =
      contact_parameters ? checksum_of(*contact_parameters, obstacles) : 0;
  AssertThrow(ranks->all_equal(std::to_string(fingerprint()) + " " + std::to_string(of_contact)),
              ExcModelsDiffer());
}

template <int spacedim>
InitialOverlap<spacedim>
Dynamics<spacedim>::initial_overlap()
{
  if (!collisions && !layer_contact)
    return {};
  return find_initial_overlap(table, faces, loop.time(), *contact_parameters, collisions.get(),
                              layer_contact.get());
}

template <int spacedim>
void
Dynamics<spacedim>::check_initial_overlap()
{
  if (collisions || layer_contact)
    KickDrift::check_initial_overlap(table, faces, loop.time(), *contact_parameters,
                                     collisions.get(), layer_contact.get());
}

template <int spacedim>
void
Dynamics<spacedim>::warn_of_large_strains()
{
  if (!warn || strain == Strain::off || loop.time() < next_look)
    return;
  const auto is_linear = [](auto &part)
  {
    const auto &families = part.body().kicks();
    return !part.is_rigid() &&
           std::any_of(families.begin(), families.end(),
                       [](const auto &family) { return family->material().is_linear(); });
  };
  bool any = false;
  for (auto &part : parts)
  {
    if (!is_linear(part))
      continue;
    any = true;
    const auto found = find_large_strain(part.body(), table, loop.time());
    if (!found)
      continue;
    const auto &cell = part.body().cell(found->active_cell_index);
    if (!ranks || ranks->is_first())
      warn("Warning: at time " + number_text(loop.time()) + " the cell of body '" +
           part.body().name() + "' at " + point_text(cell->center()) + found->text() +
           "; NeoHookean has no such limit.");
    warn = nullptr;
    return;
  }
  if (!any)
  {
    warn = nullptr;
    return;
  }
  // a look takes about as long as kicks of all cells, and is not to come more often
  double rate = 0;
  for (unsigned int id = 0; id < loop.levels().n_kicks(); ++id)
    rate += 1 / loop.levels().step(id);
  next_look = loop.time() + loop.levels().n_kicks() / rate;
}

template class Dynamics<2>;
template class Dynamics<3>;
} // namespace KickDrift
