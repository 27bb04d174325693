#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/loads/rigid_flight.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
DynamicBody<dim, spacedim>::DynamicBody(Dynamics<spacedim> &dynamics,
                                        std::unique_ptr<Body<dim, spacedim>> body)
    : dynamics(dynamics), own_body(std::move(body))
{
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_kicks(const bool strain)
{
  for (const auto &family : own_body->strain_kicks())
    if (strain)
      ids.push_back(dynamics.stepper().add(family));
    else
      ids.push_back(dynamics.stepper().add(std::make_shared<RigidFlight<spacedim>>(family)));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_rigid_kicks(const RigidParameters &parameters)
{
  if constexpr (dim == spacedim)
  {
    std::vector<unsigned int> body_nodes(own_body->n_nodes());
    std::iota(body_nodes.begin(), body_nodes.end(), own_body->first_node());
    rigid_body = dynamics.nodes().rigid_bodies.add(dynamics.nodes(), own_body->name(), body_nodes,
                                                   rigid_mass(*own_body, parameters));
    std::vector<unsigned int> kicks;
    for (const auto &family : own_body->strain_kicks())
    {
      ids.push_back(dynamics.stepper().add(
          std::make_shared<RigidFlight<spacedim>>(family, parameters.critical_step)));
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        kicks.push_back(ids.back() + k);
    }
    dynamics.stepper().add_rigid_body(*rigid_body, kicks);
  }
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::stop_restrained_nodes()
{
  NodeTable<spacedim> &nodes = dynamics.nodes();
  for (unsigned int i = 0; i < own_body->n_nodes(); ++i)
  {
    const unsigned int node = own_body->first_node() + i;
    if (nodes.restraints.is_restrained(node))
      nodes.set_velocity(node, nodes.restraints.project(node, nodes.velocity(node)));
  }
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::restrain(const std::set<types::boundary_id> &boundaries,
                                     const ComponentMask &directions)
{
  dynamics.check_not_started("restrain()");
  AssertThrow(directions.represents_n_components(spacedim),
              ExcComponents(directions.size(), spacedim));
  const auto present = own_body->dof_handler().get_triangulation().get_boundary_ids();
  for (const auto id : boundaries)
    AssertThrow(std::find(present.begin(), present.end(), id) != present.end(),
                ExcNoSuchBoundary(own_body->name(), id));
  for (const unsigned int node : own_body->boundary_nodes(boundaries))
    for (unsigned int d = 0; d < spacedim; ++d)
      if (directions[d])
        dynamics.nodes().restraints.add(node, Point<spacedim>::unit_vector(d));
  stop_restrained_nodes();
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::restrain(const AffineConstraints<double> &constraints)
{
  dynamics.check_not_started("restrain()");
  own_body->check_vector(own_body->dof_handler().n_dofs());
  for (const auto &line : constraints.get_lines())
  {
    const unsigned int node = own_body->node_of_dof(line.index);
    if (node == numbers::invalid_unsigned_int) // hangs
      continue;
    AssertThrow(line.entries.empty() && line.inhomogeneity == 0,
                ExcConstraint(own_body->name(), line.index));
    const auto dofs = own_body->dofs_of_node(node);
    const unsigned int component = std::find(dofs.begin(), dofs.end(), line.index) - dofs.begin();
    dynamics.nodes().restraints.add(node, Point<spacedim>::unit_vector(component));
  }
  stop_restrained_nodes();
}

template <int spacedim>
Dynamics<spacedim>::Dynamics(const StepperParameters &parameters, const Strain strain)
    : strain(strain), loop(table, parameters)
{
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_body(const DoFHandler<spacedim> &dof_handler,
                             const Mapping<spacedim> &mapping,
                             std::shared_ptr<const Material<spacedim>> material,
                             const std::string &name)
{
  return add_body(std::make_unique<Body<spacedim>>(
      dof_handler, mapping,
      name.empty() ? "body " + std::to_string(faces.body_names.size() + 1) : name,
      std::move(material)));
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::append(std::unique_ptr<Body<spacedim>> body)
{
  check_not_started("add_body()");
  AssertThrow(body, ExcNullBody());
  body->add_nodes(table);
  body->add_surface(faces, faces.body_names.size());
  parts.emplace_back(*this, std::move(body));
  return parts.back();
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_body(std::unique_ptr<Body<spacedim>> body)
{
  append(std::move(body)).add_kicks(strain == Strain::on);
  return parts.back();
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_rigid_body(std::unique_ptr<Body<spacedim>> body,
                                   const RigidParameters &parameters)
{
  append(std::move(body)).add_rigid_kicks(parameters);
  return parts.back();
}

template <int spacedim>
DynamicBody<2, 3> &
Dynamics<spacedim>::add_shell(const DoFHandler<2, 3> &dof_handler, const Mapping<2, 3> &mapping,
                              const ShellSection &section, const Bending bending,
                              const std::string &name)
{
  return add_shell(std::make_unique<Shell>(
      dof_handler, mapping,
      name.empty() ? "body " + std::to_string(faces.body_names.size() + 1) : name, section,
      bending));
}

template <int spacedim>
DynamicBody<2, 3> &
Dynamics<spacedim>::add_shell(std::unique_ptr<Shell> shell)
{
  check_not_started("add_shell()");
  AssertThrow(shell, ExcNullBody());
  AssertThrow(spacedim == 3, ExcShellInPlane());
  if constexpr (spacedim == 3)
  {
    shell->add_nodes(table);
    shell->add_surface(faces, faces.body_names.size());
    shell_parts.emplace_back(*this, std::move(shell));
    shell_parts.back().add_kicks(strain == Strain::on);
  }
  return shell_parts.back();
}

template <int spacedim>
void
Dynamics<spacedim>::enable_contact(const ContactParameters &parameters,
                                   std::vector<Obstacle<spacedim>> new_obstacles)
{
  check_not_started("enable_contact()");
  AssertThrow(!contact_parameters, ExcContactTwice());
  contact_parameters = parameters;
  obstacles = std::move(new_obstacles);
}

template <int spacedim>
void
Dynamics<spacedim>::stop_at_energy_error(const double limit)
{
  check_not_started("stop_at_energy_error()");
  AssertThrow(limit > 0, ExcEnergyLimit(limit));
  energy_limit = limit;
}

template <int spacedim>
void
Dynamics<spacedim>::start()
{
  check_not_started("start()");
  AssertThrow(!faces.body_names.empty(), ExcNoBody());
  AssertThrow(!contact_parameters || contact_parameters->response == Response::layers ||
                  shell_parts.empty(),
              ExcShellContact(shell_parts.front().body().name()));
  check_meshes();
  started = true;
  if (contact_parameters && contact_parameters->response == Response::massless)
    massless = make_massless_contact(table, loop, faces, *contact_parameters, obstacles);
  if (contact_parameters && contact_parameters->response == Response::layers)
    layer_contact = std::make_shared<LayerContact<spacedim>>(
        table, loop, faces, *contact_parameters, std::move(obstacles));
  else if (contact_parameters)
    collisions = std::make_unique<Contact<spacedim>>(table, loop, faces, *contact_parameters,
                                                     std::move(obstacles), massless.zones);
  loop.start();
  if (massless.zones)
    massless.zones->start();
  if (collisions)
    collisions->start();
  if (layer_contact)
    layer_contact->start();
  check_energy();
}

template <int spacedim>
ContactStatistics<spacedim>
Dynamics<spacedim>::contact_statistics() const
{
  if (layer_contact)
    return layer_contact->synchronised_statistics();
  auto result = collisions ? collisions->synchronised_statistics() : ContactStatistics<spacedim>();
  if (massless.zones)
    massless.zones->add_to(result);
  return result;
}

template <int spacedim>
ContactPairs<spacedim>
Dynamics<spacedim>::contact_pairs() const
{
  Assert(collisions || layer_contact, ExcInternalError());
  if (layer_contact)
    return layer_contact->synchronised_pairs();
  auto result = collisions->synchronised_pairs();
  if (massless.zones)
    massless.zones->add_to(result);
  return result;
}

template <int spacedim>
void
Dynamics<spacedim>::advance_to(const double time)
{
  if (!started)
    start();
  check_meshes();
  loop.advance_to(time);
  check_finite();
  check_energy();
}

template <int spacedim>
const NodeTable<spacedim> &
Dynamics<spacedim>::state() const
{
  if (!started)
    return table;
  if (!synchronised || time_of_synchronised != loop.time())
  {
    synchronised = loop.snapshot(loop.time());
    time_of_synchronised = loop.time();
  }
  return *synchronised;
}

template <int spacedim>
EnergyBalance
Dynamics<spacedim>::energy() const
{
  EnergyBalance balance = loop.energy(state());
  if (collisions)
    collisions->add_energy(balance);
  if (layer_contact)
    layer_contact->add_energy(balance);
  return balance;
}

template <int spacedim>
void
Dynamics<spacedim>::check_not_started(const std::string &what) const
{
  AssertThrow(!started, ExcTooLate(what));
}

template <int spacedim>
void
Dynamics<spacedim>::check_meshes() const
{
  for (const auto &part : parts)
    part.body().check_mesh();
  for (const auto &part : shell_parts)
    part.body().check_mesh();
}

template <int spacedim>
void
Dynamics<spacedim>::check_finite() const
{
  const auto check = [this](const auto &body)
  {
    for (unsigned int node = body.first_node(); node < body.first_node() + body.n_nodes(); ++node)
      AssertThrow(std::isfinite(table.velocity(node).norm_square()) &&
                      std::isfinite(table.displacement(node).norm_square()),
                  ExcNotFinite(node, body.name(), loop.time()));
  };
  for (const auto &part : parts)
    check(part.body());
  for (const auto &part : shell_parts)
    check(part.body());
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

template class DynamicBody<2>;
template class DynamicBody<3>;
template class DynamicBody<2, 3>;
template class Dynamics<2>;
template class Dynamics<3>;
} // namespace KickDrift
