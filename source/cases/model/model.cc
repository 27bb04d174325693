#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/potentials/shells/shell_kicks.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

template <int dim>
Model<dim>::Model(const CaseParameters<dim> &parameters)
    : parameters(parameters),
      dynamics(parameters.stepping.stepper,
               parameters.stepping.strain ? Dynamics<dim>::Strain::on : Dynamics<dim>::Strain::off),
      nodes(dynamics.nodes()),
      stepper(dynamics.stepper())
{
  add_bodies();
  add_restraints();
  add_kicks();
  add_springs();
  add_point_masses();
  add_sections();
  add_viscosity();
  mass_scaling = scale_masses(*this);
  add_loads();
  add_damping();
  prescribe_motions();
  // those of rigid bodies follow from loads and motions
  with_memory_for("the critical steps", [&] { stepper.find_critical_steps(); });
  check_critical_steps();
  with_memory_for("the surfaces of contact", [&] { add_contact(); });
  check_time_step();
  quiet_start = start_quietly(*this);
  // reports on the case come first
  with_memory_for("the clocks and the search for contacts",
                  [&] { dynamics.start(Dynamics<dim>::OverlapCheck::later); });
  contact = dynamics.contact();
  add_probes();
  sizes.clear();
}

template <int dim>
void
Model<dim>::add_bodies()
{
  double n_cells_so_far = 0;
  for (const auto &body_parameters : parameters.bodies)
  {
    AssertThrow(!body_parameters.rigid.is_rigid || body_parameters.drive ||
                    parameters.stepping.stepper.clocks != Clocks::per_cell,
                ExcMessage("'Bodies/" + body_parameters.section +
                           "/Rigid' = true does not go with 'Stepping/Clocks' = per cell: all of a "
                           "rigid body moves at once; take nested or one."));
    with_memory_for("the mesh of body '" + body_parameters.name + "'",
                    [&] { bodies.emplace_back(body_parameters); });
    n_cells_so_far += bodies.back().n_cells();
    check_n_cells(n_cells_so_far, "Bodies/Names", "all bodies up to " + body_parameters.name);
  }
  close_gaps_of_meshes();
  for (unsigned int b = 0; b < bodies.size(); ++b)
    with_memory_for("the cells of body '" + parameters.bodies[b].name + "'",
                    [&] { bodies[b].make_body(parameters.bodies[b]); });
  tie_bodies();
  unsigned int n_nodes = 0;
  for (const auto &body : bodies)
    n_nodes += body.shell ? body.shell->made->n_nodes() : body.made->n_nodes();
  nodes.reserve(n_nodes);
  for (unsigned int b = 0; b < bodies.size(); ++b)
  {
    const auto &body_parameters = parameters.bodies[b];
    MeshedBody<dim> &body = bodies[b];
    with_memory_for("the nodes of body '" + body_parameters.name + "'",
                    [&]
                    {
                      body.add_to(dynamics, body_parameters,
                                  parameters.stepping.end_time / parameters.output.save_intervals);
                    });
    body.has_internal_forces = parameters.stepping.strain;
    for (unsigned int node = body.first_node(); node < body.first_node() + body.n_nodes(); ++node)
    {
      const auto &x = nodes.reference(node);
      nodes.set_displacement(node, vector_value(*body_parameters.initial_displacement, x));
      nodes.set_velocity(node, vector_value(*body_parameters.initial_velocity, x));
      if (body_parameters.drive)
        put_where_driven(body_parameters, node);
    }
  }
  dynamics.make_kicks();
  for (unsigned int node = 0; node < nodes.size(); ++node)
    AssertThrow(
        std::isfinite(nodes.displacement(node).norm_square()) &&
            std::isfinite(nodes.velocity(node).norm_square()),
        ExcMessage("Initial displacement or velocity is not a number at " + node_text(node) + "."));
}

template <int dim>
void
Model<dim>::put_where_driven(const BodyParameters<dim> &body, const unsigned int node)
{
  const std::string section = "'Bodies/" + body.section;
  const auto refuse = [&](const std::string &name, const Tensor<1, dim> &value)
  {
    AssertThrow(value.norm() == 0,
                ExcMessage(section + "/" + name + "' is " + point_text(Point<dim>(value)) + " at " +
                           node_text(node) + ", but " + section +
                           "/Rigid motion' says how the body moves, from the start; leave '" +
                           name + "' out."));
  };
  refuse("Initial displacement", nodes.displacement(node));
  refuse("Initial velocity", nodes.velocity(node));
  body.drive->set_time(0);
  nodes.set_displacement(node, vector_value(*body.drive, nodes.reference(node)));
}

template <int dim>
void
Model<dim>::add_kicks()
{
  std::vector<const Body<dim> *> all_bodies;
  for (const auto &body : bodies)
    if (body.body)
      all_bodies.push_back(body.body);
  for (const auto &kicks : parameters.kicks)
  {
    own_kicks.push_back(
        kicks.maker->make("Kicks/" + kicks.name, parameters.constants, all_bodies, nodes));
    stepper.add(own_kicks.back());
  }
}

template <int dim>
std::vector<std::pair<std::string, std::string>>
Model<dim>::exclusions_by_id() const
{
  return with_ids(parameters.contact.exclude, "Contact/Exclude");
}

template <int dim>
typename Model<dim>::NamesOfParts
Model<dim>::with_ids(const NamesOfParts &names, const std::string &parameter) const
{
  NamesOfParts result;
  for (const auto &[first, second] : names)
  {
    unsigned int body = 0; // copies have the same names
    while (body < bodies.size() && parameters.bodies[body].name != first &&
           parameters.bodies[body].section != first)
      ++body;
    if (body == bodies.size() || bodies[body].names.boundaries.count(second) == 0)
      result.emplace_back(first, second);
    else
      for (const auto id : bodies[body].boundary_ids({second}, parameter))
        result.emplace_back(first, std::to_string(id));
  }
  return result;
}

template <int dim>
std::map<std::string, std::string>
Model<dim>::sections_of_bodies() const
{
  std::map<std::string, std::string> result;
  for (const auto &body : parameters.bodies)
    if (body.section != body.name)
      result.emplace(body.name, body.section);
  return result;
}

template <int dim>
ContactParameters
Model<dim>::contact_parameters() const
{
  // coefficients of an obstacle hold for all bodies that the pairs do not mention
  ContactParameters result = parameters.contact;
  auto &friction = result.friction_of_pairs;
  auto &restitution = result.restitution_of_pairs;
  for (const auto &own : parameters.obstacles)
  {
    if (own.friction)
      friction.insert(friction.begin(), {"", own.obstacle.name, *own.friction});
    if (own.restitution)
      restitution.insert(restitution.begin(), {"", own.obstacle.name, *own.restitution});
  }
  result.exclude = exclusions_by_id();
  result.group_of_body = sections_of_bodies();
  for (const auto &body : parameters.bodies)
    result.damping.push_back(body.damping);
  return result;
}

template <int dim>
void
Model<dim>::add_contact()
{
  for (const auto &own : parameters.obstacles)
    obstacles.push_back(own.obstacle);
  if (!parameters.contact.enabled)
    return;
  dynamics.enable_contact(contact_parameters(), obstacles);
}

template <int dim>
std::vector<unsigned int>
Model<dim>::nodes_of(const std::vector<unsigned int> &chosen, const NodeSelection<dim> &selection,
                     const std::string &section, const std::string &point)
{
  auto selected = select_nodes(bodies, chosen, nodes, selection, section);
  if (!selection.point)
    return selected;
  const unsigned int node = selected.front(), body = body_of_node(bodies, node);
  auto known = sizes.find(body);
  if (known == sizes.end())
    known = sizes.emplace(body, sizes_of(bodies[body], nodes)).first;
  const BodySizes &of_body = known->second;
  nodes_at_points.push_back({section + "/" + point, *selection.point, node,
                             nodes.reference(node).distance(*selection.point),
                             of_body.cells[node - bodies[body].first_node()]});
  const auto &found = nodes_at_points.back();
  AssertThrow(found.distance <= of_body.diagonal,
              ExcMessage("'" + found.parameter + "' is " + point_text(found.point) +
                         ", but the nearest node is " + node_text(node) + ", " +
                         number_text(found.distance) +
                         " away: further than the body is large, which is " +
                         number_text(of_body.diagonal) + "."));
  return selected;
}

template <int dim>
void
Model<dim>::add_probes()
{
  for (const auto &probe : parameters.probes)
  {
    const std::string section = "Probes/" + probe.name;
    probes.push_back({probe.name, nodes_of(probe.bodies, probe.selection, section)});
    probed_cells.emplace_back();
    if (!probe.fields.empty())
      probed_cells.back() = select_cells(bodies, probe.bodies, probe.selection, section);
  }
}

template <int dim>
unsigned int
Model<dim>::n_cells() const
{
  unsigned int n = 0;
  for (const auto &body : bodies)
    n += body.n_cells();
  return n;
}

template <int dim>
unsigned int
Model<dim>::n_deleted_cells() const
{
  unsigned int n = 0;
  for (const auto &meshed : bodies)
    n += meshed.body ? meshed.body->n_deleted_cells() : 0;
  return n;
}

template <int dim>
bool
Model<dim>::any_deforms() const
{
  return std::any_of(bodies.begin(), bodies.end(),
                     [](const MeshedBody<dim> &body) { return body.has_stress(); });
}

template <int dim>
std::string
Model<dim>::cell_text(const unsigned int id) const
{
  for (const auto &meshed : bodies)
    for (unsigned int family = 0; family < meshed.first_ids().size(); ++family)
    {
      const unsigned int first = meshed.first_ids()[family];
      if (id < first || id >= first + meshed.strain_kicks()[family]->n_kicks())
        continue;
      if (meshed.shell)
      {
        Shell &shell = *meshed.shell->body;
        const auto &cell = shell.cell(shell.strain_kicks()[family]->triangle(id - first));
        std::ostringstream centre;
        centre << cell->center();
        return "cell " + std::to_string(cell->active_cell_index()) + " (" +
               shell.strain_kicks()[family]->name() + ") of body '" + shell.name() + "' at (" +
               centre.str() + ")";
      }
      Body<dim> &body = *meshed.body;
      const unsigned int n_cell_families = body.kicks().size();
      if (family >= n_cell_families)
        return node_text(body.nodal_kicks()[family - n_cell_families]->node(id - first));
      const unsigned int index = body.cell_of_kick(family, id - first);
      return "cell " + std::to_string(index) + " of body '" + body.name() + "' at " +
             point_text(meshed.has_mesh() ? body.cell(index)->center() : mean_of_nodes(id));
    }
  return "kick " + std::to_string(id);
}

/// About where the cell with this id is, where there is no mesh any more.
template <int dim>
Point<dim>
Model<dim>::mean_of_nodes(const unsigned int id) const
{
  const auto support = stepper.supports().nodes_of_kick(id);
  Tensor<1, dim> sum;
  for (const unsigned int node : support)
    sum += nodes.reference(node);
  return Point<dim>(sum / double(support.size()));
}

template <int dim>
std::string
Model<dim>::node_text(const unsigned int node) const
{
  for (const auto &body : bodies)
    if (node >= body.first_node() && node < body.first_node() + body.n_nodes())
      return "node " + std::to_string(node - body.first_node()) + " of body '" + body.name() +
             "' at " + point_text(nodes.reference(node));
  return "node " + std::to_string(node);
}

template <int dim>
double
Model<dim>::bytes_per_cell() const
{
  double bytes = nodes.size() * double(sizeof(NodeState) + sizeof(Point<dim>));
  for (const auto &body : bodies)
  {
    if (body.shell)
    {
      for (const auto &family : body.shell->body->strain_kicks())
        bytes += family->bytes_per_kick() * family->n_kicks();
      continue;
    }
    for (const auto &family : body.body->kicks())
      bytes += family->bytes_per_cell() * family->n_kicks();
    for (const auto &family : body.body->nodal_kicks())
      bytes += family->bytes_per_kick() * family->n_kicks();
  }
  return bytes / n_cells();
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
