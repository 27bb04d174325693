// One body of Dynamics: kicks, restraints, and nodes that follow others.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/loads/rigid_flight.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
DynamicBody<dim, spacedim>::DynamicBody(Dynamics<spacedim> &dynamics,
                                        std::unique_ptr<Body<dim, spacedim>> body,
                                        std::unique_ptr<MeshReplica<spacedim>> replica)
    : dynamics(dynamics), replica(std::move(replica)), own_body(std::move(body))
{
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::check_mesh() const
{
  if (replica)
    replica->check_mesh();
  own_body->check_mesh();
}

template <int dim, int spacedim>
const std::vector<unsigned int> &
DynamicBody<dim, spacedim>::first_ids() const
{
  dynamics.make_kicks();
  return ids;
}

template <int dim, int spacedim>
unsigned int
DynamicBody<dim, spacedim>::id_of_cell(const unsigned int active_cell_index) const
{
  dynamics.make_kicks();
  if constexpr (dim < spacedim) // kicks of membranes and of subdivision shells, by triangle
    return ids[0] + own_body->triangle_of_cell(active_cell_index);
  else
  {
    const auto index = own_body->kick_of_cell(active_cell_index);
    return ids[index.family] + index.kick;
  }
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_kicks(const bool strain)
{
  const auto families = own_body->strain_kicks(); // may throw
  has_kicks = true;
  for (const auto &family : families)
    if (strain)
      ids.push_back(dynamics.loop.add(family));
    else
      ids.push_back(dynamics.loop.add(std::make_shared<RigidFlight<spacedim>>(family)));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::make_rigid(const RigidParameters &parameters)
{
  if constexpr (dim == spacedim)
  {
    std::vector<unsigned int> body_nodes(own_body->n_nodes());
    std::iota(body_nodes.begin(), body_nodes.end(), own_body->first_node());
    NodeTable<spacedim> &nodes = dynamics.nodes();
    if (parameters.is_driven)
    {
      is_driven = true;
      for (const unsigned int node : body_nodes)
        for (unsigned int d = 0; d < spacedim; ++d)
          nodes.restraints.add(node, Point<spacedim>::unit_vector(d));
      stop_restrained_nodes();
      return;
    }
    const RigidMass mass = rigid_mass(*own_body, parameters);
    rigid_body = nodes.rigid_bodies.add(nodes, own_body->name(), body_nodes, mass);
    // what acts on single nodes goes by their masses: they are those of the body together
    double lumped = 0;
    for (const unsigned int node : body_nodes)
      lumped += nodes.mass(node);
    for (const unsigned int node : body_nodes)
      if (parameters.mass)
        nodes.set_mass(node, nodes.mass(node) * (mass.mass / lumped));
  }
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_rigid_kicks(const RigidParameters &parameters)
{
  if constexpr (dim == spacedim)
  {
    const auto families = own_body->strain_kicks(); // may throw
    has_kicks = true;
    // nothing in it can become unstable
    const double step = parameters.critical_step > 0 ? parameters.critical_step
                                                     : std::numeric_limits<double>::infinity();
    std::vector<unsigned int> kicks;
    for (const auto &family : families)
    {
      ids.push_back(dynamics.loop.add(std::make_shared<RigidFlight<spacedim>>(family, step)));
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        kicks.push_back(ids.back() + k);
    }
    if (rigid_body)
      dynamics.loop.add_rigid_body(*rigid_body, kicks);
    if (parameters.critical_step > 0)
      return;
    std::vector<unsigned int> body_nodes(own_body->n_nodes());
    std::iota(body_nodes.begin(), body_nodes.end(), own_body->first_node());
    dynamics.loop.follow_rigid_body(body_nodes, kicks, parameters.resolution);
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
  check_boundaries(boundaries);
  for (const unsigned int node : own_body->boundary_nodes(boundaries))
    for (unsigned int d = 0; d < spacedim; ++d)
      if (directions[d])
        dynamics.nodes().restraints.add(node, Point<spacedim>::unit_vector(d));
  hold_tied_nodes(boundaries, directions);
  stop_restrained_nodes();
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::hold_tied_nodes(const std::set<types::boundary_id> &boundaries,
                                            const ComponentMask &directions)
{
  if constexpr (dim == spacedim) // shells have none
    if (own_body->n_tied_nodes() > 0)
      // the masters may not have been added yet
      dynamics.holds.push_back(
          [body = own_body.get(), boundaries, directions]
          {
            std::vector<typename Dynamics<spacedim>::HeldFollower> held;
            for (const auto &node : body->tied_nodes(boundaries))
              for (unsigned int d = 0; d < spacedim; ++d)
                if (directions[d])
                  held.push_back({body->name(), node.reference, node.parents,
                                  Point<spacedim>::unit_vector(d)});
            return held;
          });
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::hold_if_tied(
    const typename MeshReplica<spacedim>::Constraint &constraint)
{
  if constexpr (dim == spacedim) // shells have none
  {
    // what ties a hanging node to others is known, but one may also be held at zero
    const bool is_tied = own_body->is_tied(constraint.dof);
    if (is_tied || constraint.is_zero)
    {
      AssertThrow(constraint.is_zero, ExcConstraint(own_body->name(), constraint.given_dof));
      dynamics.holds.push_back(
          [body = own_body.get(), dof = constraint.dof]
          {
            const auto node = body->tied_node(dof);
            return std::vector<typename Dynamics<spacedim>::HeldFollower>{
                {body->name(), node.reference, node.parents,
                 Point<spacedim>::unit_vector(body->component_of_dof(dof))}};
          });
    }
  }
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::restrain(const AffineConstraints<double> &constraints)
{
  dynamics.check_not_started("restrain()");
  check_mesh();
  own_body->check_vector(own_body->dof_handler().n_dofs());
  using Constraint = typename MeshReplica<spacedim>::Constraint;
  std::vector<Constraint> lines;
  if (replica)
    lines = replica->gather(constraints);
  else
    for (const auto &line : constraints.get_lines())
      lines.push_back({line.index, line.index, line.entries.empty() && line.inhomogeneity == 0});
  for (const Constraint &line : lines)
  {
    AssertThrow(line.given_dof < own_body->dof_handler().n_dofs(),
                ExcNoSuchDoF(own_body->name(), line.given_dof, own_body->dof_handler().n_dofs()));
    const unsigned int node = own_body->node_of_dof(line.dof);
    if (node == numbers::invalid_unsigned_int)
      hold_if_tied(line);
    else
      AssertThrow(line.is_zero, ExcConstraint(own_body->name(), line.given_dof));
  }
  for (const Constraint &line : lines)
  {
    const unsigned int node = own_body->node_of_dof(line.dof);
    if (node == numbers::invalid_unsigned_int)
      continue;
    const auto dofs = own_body->dofs_of_node(node);
    const unsigned int component = std::find(dofs.begin(), dofs.end(), line.dof) - dofs.begin();
    dynamics.nodes().restraints.add(node, Point<spacedim>::unit_vector(component));
  }
  stop_restrained_nodes();
}

template class DynamicBody<2>;
template class DynamicBody<3>;
template class DynamicBody<2, 3>;
} // namespace KickDrift
