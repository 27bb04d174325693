// Loads, damping and viscosity of a model.

#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/cells/kicks_at_points.h>
#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/loads/pressure_loads.h>

#include <numeric>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Kicks of a load: pressure, or a dead load that is evaluated at the nodes.
template <int dim>
std::shared_ptr<Loads<dim>>
make_load(const LoadParameters<dim> &load, const LoadShares<dim> &shares)
{
  const auto function = load.value;
  if (load.type == LoadParameters<dim>::Type::pressure)
    return std::make_shared<PressureLoads<dim>>("load " + load.name, shares.nodes_per_piece,
                                                shares.nodes,
                                                [function](const Point<dim> &x, const double t)
                                                {
                                                  function->set_time(t);
                                                  return function->value(x);
                                                });
  LoadPoints<dim> points;
  const unsigned int n = shares.nodes_per_piece;
  points.nodes_per_kick = n;
  points.points_per_kick = n;
  points.nodes = shares.nodes;
  points.points = shares.positions;
  points.weights.resize(shares.shares.size() * n, 0.);
  for (std::size_t i = 0; i < shares.shares.size(); ++i)
    points.weights[i * n + i % n] = shares.shares[i];
  if (load.separated)
  {
    const auto separated = load.separated;
    return std::make_shared<ScaledLoads<dim>>(
        "load " + load.name, points,
        [&](const Point<dim> &x) { return vector_value(separated->unscaled(), x); },
        [separated](const double t) { return separated->factor(t); });
  }
  if (load.depends_on_time)
    return std::make_shared<VaryingLoads<dim>>("load " + load.name, std::move(points),
                                               [function](const Point<dim> &x, const double t)
                                               {
                                                 function->set_time(t);
                                                 return vector_value(*function, x);
                                               });
  return std::make_shared<ConstantLoads<dim>>("load " + load.name, points,
                                              [function](const Point<dim> &x)
                                              { return vector_value(*function, x); });
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
  using Type = typename LoadParameters<dim>::Type;
  if constexpr (dim == 3)
    if (meshed.shell)
    {
      AssertThrow(!load.acts_on_boundary() || load.boundaries.empty(),
                  ExcMessage("'Loads/" + load.name + "/Boundary ids': body '" + meshed.name() +
                             "' is a shell, on whose whole surface tractions and pressures act; "
                             "leave it empty."));
      const Shell &shell = *meshed.shell->body;
      if (load.type == Type::pressure)
        return shell_pressure_shares(shell);
      return shell_load_shares(shell, load.type == Type::traction ? 1.
                                      : load.type == Type::acceleration
                                          ? shell.section().mass_per_area()
                                          : shell.section().thickness);
    }
  return load.acts_on_boundary()
             ? boundary_load_shares(*meshed.body, boundaries)
             : cell_load_shares(*meshed.body,
                                load.type == Type::acceleration ? LoadPer::mass : LoadPer::volume);
}

/// The same shares of another mass, whose resultant passes through its centre wherever the body
/// turns: they are multiplied by a linear function of position.
template <int dim>
void
give_mass_to(LoadShares<dim> &shares, const RigidMass &mass)
{
  const auto &positions = shares.positions;
  const double sum = std::accumulate(shares.shares.begin(), shares.shares.end(), 0.);
  Tensor<1, dim> centre;
  for (std::size_t i = 0; i < positions.size(); ++i)
    centre += shares.shares[i] / sum * positions[i];
  Tensor<2, dim> moments;
  for (std::size_t i = 0; i < positions.size(); ++i)
    moments += shares.shares[i] / sum * outer_product(positions[i] - centre, positions[i] - centre);
  const Tensor<1, dim> shift = from_space<dim>(Tensor<1, 3>(mass.centre)) - centre;
  // without rounding where the mesh has the centre
  const Tensor<1, dim> slope =
      shift.norm_square() > 1e-24 * trace(moments) ? invert(moments) * shift : Tensor<1, dim>();
  for (std::size_t i = 0; i < positions.size(); ++i)
    shares.shares[i] *= mass.mass / sum * (1 + slope * (positions[i] - centre));
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
      const auto kicks = make_load(load, shares);
      if (shares.points)
      {
        const auto at_points = std::make_shared<KicksAtPoints<dim>>(kicks, shares.points);
        begin_books.push_back([=] { kicks->begin(at_points->points_at(nodes)); });
        loads.push_back(at_points);
      }
      else
      {
        begin_books.push_back([=] { kicks->begin(nodes); });
        loads.push_back(kicks);
      }
      begin_books.back()();
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
    for (const auto &block : bodies[b].body->cell_blocks())
    {
      const auto kicks = std::make_shared<CellViscosity<dim>>(
          block.data, *block.material, body.strain_integration, body.viscosity);
      std::vector<unsigned int> ids;
      for (const unsigned int cell : block.active_cell_indices)
        ids.push_back(id_of_cell(bodies[b], cell));
      std::shared_ptr<Kicks<dim>> added = kicks;
      if (block.points)
      {
        const auto at_points = std::make_shared<KicksAtPoints<dim>>(kicks, block.points);
        begin_books.push_back([=] { kicks->begin(at_points->points_at(nodes)); });
        added = at_points;
      }
      else
        begin_books.push_back([=] { kicks->begin(nodes); });
      begin_books.back()();
      for (const auto &section : sections)
        for (unsigned int k = 0; k < ids.size(); ++k)
          section->add_companion(added, k, ids[k]);
      stepper.add_on_clock_of(added, std::move(ids));
    }
  }
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
