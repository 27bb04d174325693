#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/potentials/cells/kicks_at_points.h>
#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/loads/pressure_loads.h>
#include <kickdrift/stepping/stability_limit.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <limits>
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
} // namespace

template <int dim>
MeshedBody<dim>::MeshedBody(const BodyParameters<dim> &parameters, Dynamics<dim> &dynamics)
    : dof_handler(triangulation)
{
  try
  {
    names = parameters.mesh.make(triangulation);
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("The mesh of body '" + parameters.name +
                                  "' cannot be made: " + message_of(exception)));
  }
  if (triangulation.all_reference_cells_are_hyper_cube())
  {
    mapping = std::make_unique<MappingQ1<dim>>();
    dof_handler.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
  }
  else
  {
    mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
    dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexP<dim>(1), dim));
  }
  try
  {
    moving = &dynamics.add_body(std::make_unique<Body<dim>>(
        dof_handler, *mapping, parameters.name, materials_by_id(parameters),
        parameters.strain_integration, parameters.hourglass));
    body = &moving->body();
  }
  catch (const typename Mapping<dim>::ExcDistortedMappedCell &exception)
  {
    // deal.II checks in Debug only, and before Body
    AssertThrow(false, ExcMessage("Body '" + parameters.name + "': " + message_of(exception)));
  }
}

template <int dim>
typename Body<dim>::Materials
MeshedBody<dim>::materials_by_id(const BodyParameters<dim> &parameters) const
{
  std::set<types::material_id> present;
  for (const auto &cell : triangulation.active_cell_iterators())
    present.insert(cell->material_id());
  const std::string parameter = "Bodies/" + parameters.name + "/Material/Ids";
  typename Body<dim>::Materials result;
  for (const auto &[word, material] : parameters.materials)
    if (word.empty())
      result[numbers::invalid_material_id] = material;
    else
      for (const auto id : ids_of({word}, names.materials, present, parameter,
                                  "the mesh has no cell with material id"))
        AssertThrow(result.emplace(id, material).second,
                    ExcMessage("'" + parameter + "': the cells of '" + word +
                               "' have another material already."));
  return result;
}

template <int dim>
std::set<types::boundary_id>
MeshedBody<dim>::boundary_ids(const std::vector<std::string> &words,
                              const std::string &parameter) const
{
  const auto ids = triangulation.get_boundary_ids();
  return ids_of(words, names.boundaries, {ids.begin(), ids.end()}, parameter,
                "body '" + body->name() + "' has no boundary");
}

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
  check_critical_steps();
  add_loads();
  add_damping();
  prescribe_motions();
  add_contact();
  check_time_step();
  dynamics.start();
  contact = dynamics.contact();
  add_probes();
}

template <int dim>
void
Model<dim>::add_bodies()
{
  double n_cells_so_far = 0;
  for (const auto &body_parameters : parameters.bodies)
  {
    bodies.emplace_back(body_parameters, dynamics);
    Body<dim> &body = *bodies.back().body;
    n_cells_so_far += bodies.back().triangulation.n_active_cells();
    check_n_cells(n_cells_so_far, "Bodies/Names", "all bodies up to " + body.name());
    for (unsigned int node = body.first_node(); node < body.first_node() + body.n_nodes(); ++node)
    {
      const auto &x = nodes.reference(node);
      nodes.set_displacement(node, vector_value(*body_parameters.initial_displacement, x));
      nodes.set_velocity(node, vector_value(*body_parameters.initial_velocity, x));
    }
  }
  for (unsigned int node = 0; node < nodes.size(); ++node)
    AssertThrow(
        std::isfinite(nodes.displacement(node).norm_square()) &&
            std::isfinite(nodes.velocity(node).norm_square()),
        ExcMessage("Initial displacement or velocity is not a number at " + node_text(node) + "."));
}

template <int dim>
void
Model<dim>::add_kicks()
{
  std::vector<const Body<dim> *> all_bodies;
  for (const auto &body : bodies)
    all_bodies.push_back(body.body);
  for (const auto &kicks : parameters.kicks)
  {
    own_kicks.push_back(
        kicks.maker->make("Kicks/" + kicks.name, parameters.constants, all_bodies, nodes));
    stepper.add(own_kicks.back());
  }
}

template <int dim>
void
Model<dim>::add_loads()
{
  using Type = typename LoadParameters<dim>::Type;
  for (const auto &load : parameters.loads)
  {
    const auto &body = bodies[load.body];
    const auto shares =
        load.acts_on_boundary()
            ? boundary_load_shares(
                  *body.body,
                  body.boundary_ids(load.boundaries, "Loads/" + load.name + "/Boundary ids"))
            : cell_load_shares(*body.body,
                               load.type == Type::acceleration ? LoadPer::mass : LoadPer::volume);
    std::vector<unsigned int> ids;
    for (const unsigned int cell : shares.active_cell_indices)
      ids.push_back(id_of_cell(body, cell));
    const auto kicks = make_load(load, shares);
    if (shares.points)
    {
      const auto at_points = std::make_shared<KicksAtPoints<dim>>(kicks, shares.points);
      kicks->begin(at_points->points_at(nodes));
      stepper.add_on_clock_of(at_points, std::move(ids));
      continue;
    }
    kicks->begin(nodes);
    stepper.add_on_clock_of(kicks, std::move(ids));
  }
}

template <int dim>
void
Model<dim>::add_damping()
{
  for (unsigned int b = 0; b < bodies.size(); ++b)
  {
    const auto &body = parameters.bodies[b];
    if (!body.damping)
      continue;
    std::vector<unsigned int> damped(bodies[b].body->n_nodes());
    std::iota(damped.begin(), damped.end(), bodies[b].body->first_node());
    stepper.add_synchronised(std::make_shared<Damping<dim>>(std::move(damped), body.damping));
  }
}

template <int dim>
std::vector<std::pair<std::string, std::string>>
Model<dim>::exclusions_by_id() const
{
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto &[first, second] : parameters.contact.exclude)
  {
    const auto body =
        std::find_if(bodies.begin(), bodies.end(),
                     [&first = first](const auto &meshed) { return meshed.body->name() == first; });
    if (body == bodies.end() || body->names.boundaries.count(second) == 0)
      result.emplace_back(first, second);
    else
      for (const auto id : body->boundary_ids({second}, "Contact/Exclude"))
        result.emplace_back(first, std::to_string(id));
  }
  return result;
}

template <int dim>
void
Model<dim>::add_contact()
{
  if (!parameters.contact.enabled)
    return;
  // coefficients of an obstacle hold for all bodies that the pairs do not mention
  ContactParameters contact_parameters = parameters.contact;
  auto &friction = contact_parameters.friction_of_pairs;
  auto &restitution = contact_parameters.restitution_of_pairs;
  std::vector<Obstacle<dim>> obstacles;
  for (const auto &own : parameters.obstacles)
  {
    obstacles.push_back(own.obstacle);
    for (const std::string &body : dynamics.surface().body_names)
    {
      if (own.friction)
        friction.insert(friction.begin(), {body, own.obstacle.name, *own.friction});
      if (own.restitution)
        restitution.insert(restitution.begin(), {body, own.obstacle.name, *own.restitution});
    }
  }
  contact_parameters.exclude = exclusions_by_id();
  dynamics.enable_contact(contact_parameters, std::move(obstacles));
}

template <int dim>
void
Model<dim>::add_probes()
{
  for (const auto &probe : parameters.probes)
    probes.push_back({probe.name, select_nodes(bodies[probe.body], nodes, probe.selection,
                                               "Probes/" + probe.name)});
}

template <int dim>
unsigned int
Model<dim>::n_cells() const
{
  unsigned int n = 0;
  for (const auto &body : bodies)
    n += body.triangulation.n_active_cells();
  return n;
}

template <int dim>
std::string
Model<dim>::cell_text(const unsigned int id) const
{
  for (const auto &meshed : bodies)
    for (unsigned int family = 0; family < meshed.moving->first_ids().size(); ++family)
    {
      Body<dim> &body = *meshed.body;
      const unsigned int first = meshed.moving->first_ids()[family];
      if (id < first || id >= first + body.strain_kicks()[family]->n_kicks())
        continue;
      const unsigned int n_cell_families = body.kicks().size();
      if (family >= n_cell_families)
        return node_text(body.nodal_kicks()[family - n_cell_families]->node(id - first));
      const unsigned int index = body.cell_of_kick(family, id - first);
      return "cell " + std::to_string(index) + " of body '" + body.name() + "' at " +
             point_text(body.cell(index)->center());
    }
  return "kick " + std::to_string(id);
}

template <int dim>
std::string
Model<dim>::node_text(const unsigned int node) const
{
  for (const auto &body : bodies)
    if (node >= body.body->first_node() && node < body.body->first_node() + body.body->n_nodes())
      return "node " + std::to_string(node - body.body->first_node()) + " of body '" +
             body.body->name() + "' at " + point_text(nodes.reference(node));
  return "node " + std::to_string(node);
}

template <int dim>
double
Model<dim>::bytes_per_cell() const
{
  double bytes = nodes.size() * double(sizeof(NodeState) + sizeof(Point<dim>));
  for (const auto &body : bodies)
  {
    for (const auto &family : body.body->kicks())
      bytes += family->bytes_per_cell() * family->n_kicks();
    for (const auto &family : body.body->nodal_kicks())
      bytes += family->bytes_per_kick() * family->n_kicks();
  }
  return bytes / n_cells();
}

template class Model<2>;
template class Model<3>;
template struct MeshedBody<2>;
template struct MeshedBody<3>;
} // namespace KickDrift
