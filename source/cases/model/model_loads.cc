// Loads, damping and viscosity of a model.

#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/deal_ii/load_kicks.h>
#include <kickdrift/potentials/loads/damping.h>

#include <numeric>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
BodyLoad<dim>
load_on_bodies(const LoadParameters<dim> &load)
{
  BodyLoad<dim> result{load.type, load.value, load.depends_on_time};
  if (load.separated)
  {
    result.value = load.separated->unscaled();
    result.factor = [separated = load.separated](const double t) { return separated->factor(t); };
  }
  return result;
}

/// Shares of a load, and the ids of the cells that they belong to.
template <int dim>
struct SharesOfCells
{
  LoadShares<dim> shares;
  std::vector<unsigned int> ids;
};

/// Shares of a load on a body.
template <int dim>
LoadShares<dim>
shares_of(const LoadParameters<dim> &load, const MeshedBody<dim> &meshed,
          const std::set<types::boundary_id> &boundaries)
{
  if constexpr (dim == 3)
    if (meshed.shell)
    {
      AssertThrow(!load.acts_on_boundary() || load.boundaries.empty(),
                  ExcMessage("'Loads/" + load.name + "/Boundary ids': body '" + meshed.name() +
                             "' is a shell, on whose whole surface tractions and pressures act; "
                             "leave it empty."));
      return load_shares(load_on_bodies(load), *meshed.shell->body);
    }
  return load_shares(load_on_bodies(load), *meshed.body, boundaries);
}

template <typename Value>
void
append(std::vector<Value> &all, const std::vector<Value> &more)
{
  all.insert(all.end(), more.begin(), more.end());
}

/// Append the shares of another body to those of bodies with such cells: a family of kicks for each
/// body would take more memory than a small body.
template <int dim>
void
append(std::vector<SharesOfCells<dim>> &all, SharesOfCells<dim> more)
{
  for (auto &one : all)
    if (one.shares.nodes_per_piece == more.shares.nodes_per_piece && !one.shares.points &&
        !more.shares.points)
    {
      append(one.shares.nodes, more.shares.nodes);
      append(one.shares.shares, more.shares.shares);
      append(one.shares.positions, more.shares.positions);
      append(one.ids, more.ids);
      return;
    }
  all.push_back(std::move(more));
}
} // namespace

template <int dim>
void
Model<dim>::add_loads()
{
  for (const auto &load : parameters.loads)
  {
    std::vector<SharesOfCells<dim>> all;
    for (const auto &[index, boundaries] : boundary_parts(bodies, load.bodies, load.boundaries,
                                                          "Loads/" + load.name + "/Boundary ids"))
    {
      const auto &body = bodies[index];
      SharesOfCells<dim> own{shares_of(load, body, boundaries), {}};
      for (const unsigned int cell : own.shares.active_cell_indices)
        own.ids.push_back(id_of_cell(body, cell));
      if (load.type == LoadParameters<dim>::Type::acceleration && body.is_rigid() &&
          body.moving->rigid())
        give_mass_to(own.shares, nodes.rigid_bodies.motion(*body.moving->rigid()).mass());
      append(all, std::move(own));
      SharesOfCells<dim> masses;
      masses.shares = shares_of_point_masses(load, index, masses.ids);
      if (!masses.ids.empty())
        append(all, std::move(masses));
    }
    for (auto &[shares, ids] : all)
    {
      const auto made = make_loads("load " + load.name, load_on_bodies(load), shares, nodes);
      begin_books.push_back(made.begin);
      loads.push_back(made.kicks);
      stepper.add_on_clock_of(loads.back(), std::move(ids));
    }
  }
}

template <int dim>
void
Model<dim>::add_damping()
{
  std::vector<std::shared_ptr<Damping<dim>>> of_bodies;
  for (unsigned int b = 0; b < bodies.size(); ++b)
  {
    const auto &body = parameters.bodies[b];
    if (!body.damping)
      continue;
    std::vector<unsigned int> damped(bodies[b].n_nodes());
    std::iota(damped.begin(), damped.end(), bodies[b].first_node());
    of_bodies.push_back(std::make_shared<Damping<dim>>(std::move(damped), body.damping));
  }
  if (!dashpots.empty())
    stepper.add_damping(std::make_shared<Dashpots<dim>>(
        dashpots,
        std::vector<std::shared_ptr<const Damping<dim>>>(of_bodies.begin(), of_bodies.end())));
  for (const auto &damping : of_bodies)
    stepper.add_damping(damping);
}

template <int dim>
void
Model<dim>::add_viscosity()
{
  for (unsigned int b = 0; b < bodies.size() && parameters.stepping.strain; ++b)
  {
    const auto &body = parameters.bodies[b];
    if (!body.viscosity.any())
      continue;
    for (const auto &made : make_viscosity(*bodies[b].body, body.viscosity, nodes))
    {
      std::vector<unsigned int> ids;
      for (const unsigned int cell : made.active_cell_indices)
        ids.push_back(id_of_cell(bodies[b], cell));
      begin_books.push_back(made.begin);
      for (const auto &section : sections)
        for (unsigned int k = 0; k < ids.size(); ++k)
          section->add_companion(made.kicks, k, ids[k]);
      stepper.add_on_clock_of(made.kicks, std::move(ids));
    }
  }
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
