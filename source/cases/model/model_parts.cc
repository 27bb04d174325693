// Springs, point masses and sections of a model.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/parallel/ranks.h>
#include <kickdrift/potentials/springs.h>

#include <algorithm>
#include <map>
#include <set>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// The parts of a boundary that belong to its nodes, which sum to one: by area, of shells equal
/// ones.
template <int dim>
std::map<unsigned int, double>
parts_by_area(const MeshedBody<dim> &body, const std::set<types::boundary_id> &ids)
{
  std::map<unsigned int, double> parts;
  if (!body.body)
    for (const unsigned int node : body.boundary_nodes(ids))
      parts[node] = 1;
  else
  {
    const LoadShares<dim> shares = boundary_load_shares(*body.body, ids);
    for (unsigned int i = 0; i < shares.shares.size(); ++i)
      if (shares.points)
        for (const Parent &parent : shares.points->parents(shares.point_numbers[i]))
          parts[parent.node] += parent.weight * shares.shares[i];
      else
        parts[shares.nodes[i]] += shares.shares[i];
  }
  double sum = 0;
  for (const auto &part : parts)
    sum += part.second;
  for (auto &part : parts)
    part.second /= sum;
  return parts;
}
} // namespace

template <int dim>
void
Model<dim>::add_springs()
{
  std::vector<Spring> between;
  std::vector<AnchoredSpring<dim>> anchored;
  for (const auto &spring : parameters.springs)
  {
    check_dashpot(spring);
    if (!spring.boundary.empty())
    {
      const MeshedBody<dim> &body = bodies[*spring.first.body];
      const std::string name = "Springs/" + spring.name + "/Boundary";
      AssertThrow(!body.is_rigid(),
                  ExcMessage("'" + name + "' is of body '" + body.name() +
                             "', which is rigid; springs pull at single points of it."));
      for (const auto &[node, part] :
           parts_by_area(body, body.boundary_ids({spring.boundary}, name)))
      {
        if (spring.stiffness > 0)
          anchored.push_back({node, nodes.reference(node), spring.stiffness * part, 0.});
        if (spring.damping > 0)
          dashpots.push_back({node,
                              {},
                              nodes.reference(node),
                              spring.damping * part,
                              Dashpot<dim>::Direction::all});
      }
      continue;
    }
    const auto node_of =
        [&](const typename SpringParameters<dim>::End &end, const std::string &point)
    {
      NodeSelection<dim> nearest;
      nearest.point = end.point;
      const auto &rigid = parameters.bodies[*end.body].rigid;
      AssertThrow(!rigid.is_rigid || (rigid.mass == 0 && rigid.inertia.empty()),
                  ExcMessage("'Springs/" + spring.name + "' pulls at body '" +
                             bodies[*end.body].name() +
                             "', which is rigid with a mass or inertia of its own. Critical steps "
                             "of springs are those for the masses of the mesh: set its 'Density' "
                             "in place of 'Rigid mass' and 'Rigid inertia'."));
      return nodes_of({*end.body}, nearest, "Springs/" + spring.name, point).front();
    };
    const unsigned int first = node_of(spring.first, "Point");
    const auto second = spring.second.body
                            ? std::optional<unsigned int>(node_of(spring.second, "Other point"))
                            : std::optional<unsigned int>();
    AssertThrow(second != first, ExcMessage("'Springs/" + spring.name + "' has both ends at " +
                                            node_text(first) + "."));
    const Point<dim> end = second ? nodes.reference(*second) : spring.second.point;
    const double rest_length =
        spring.rest_length ? *spring.rest_length : nodes.reference(first).distance(end);
    if (spring.damping > 0)
      dashpots.push_back({first, second, end, spring.damping, Dashpot<dim>::Direction::along});
    if (spring.stiffness == 0)
      continue;
    if (second)
      between.push_back({{{first, *second}}, spring.stiffness, rest_length});
    else
      anchored.push_back({first, end, spring.stiffness, rest_length});
  }
  const auto add = [this](std::shared_ptr<Kicks<dim>> kicks)
  {
    stepper.add(kicks);
    own_kicks.push_back(std::move(kicks));
  };
  if (!between.empty())
    add(std::make_shared<Springs<dim>>(between));
  if (!anchored.empty())
    add(std::make_shared<AnchoredSprings<dim>>(anchored));
}

template <int dim>
void
Model<dim>::check_dashpot(const SpringParameters<dim> &spring) const
{
  const StepperParameters &stepping = parameters.stepping.stepper;
  const std::string name = "'Springs/" + spring.name + "/Damping coefficient' ";
  if (spring.damping == 0)
    return;
  AssertThrow(stepping.clocks != Clocks::per_cell && stepping.phase == Phase::centred,
              ExcMessage(name +
                         "needs times at which the nodes have synchronised velocities: "
                         "'Stepping/Clocks' = nested or one with 'Stepping/Phase' = centred."));
  const auto moves_freely = [&](const unsigned int body)
  { return parameters.bodies[body].rigid.is_rigid && !parameters.bodies[body].drive; };
  AssertThrow(!moves_freely(*spring.first.body) &&
                  (!spring.second.body || !moves_freely(*spring.second.body)),
              ExcMessage(name +
                         "is not for rigid bodies that move freely, whose velocities are not "
                         "their nodes' to lose."));
}

template <int dim>
void
Model<dim>::add_point_masses()
{
  for (const auto &mass : parameters.masses)
  {
    const auto chosen = nodes_of(mass.bodies, mass.selection, "Point masses/" + mass.name);
    for (const unsigned int node : chosen)
    {
      AssertThrow(nodes.rigid_bodies.body_of(node) == RigidBodies<dim>::none,
                  ExcMessage("'Point masses/" + mass.name + "' is at " + node_text(node) +
                             ", but that body is rigid; set its 'Rigid mass' instead."));
      const double added = mass.mass / chosen.size();
      nodes.set_mass(node, nodes.mass(node) + added);
      point_masses[node] += added;
    }
  }
}

template <int dim>
LoadShares<dim>
Model<dim>::shares_of_point_masses(const LoadParameters<dim> &load, const unsigned int body,
                                   std::vector<unsigned int> &ids) const
{
  LoadShares<dim> shares;
  shares.nodes_per_piece = 1;
  if (load.type != LoadParameters<dim>::Type::acceleration)
    return shares;
  const MeshedBody<dim> &meshed = bodies[body];
  // the clocks of any kicks that act on the nodes; those of tied bodies act on others' nodes, too
  std::map<unsigned int, unsigned int> id_of_node;
  for (unsigned int f = 0; f < meshed.first_ids().size() && !point_masses.empty(); ++f)
  {
    const auto kicks = meshed.strain_kicks()[f];
    for (unsigned int k = 0; k < kicks->n_kicks(); ++k)
      for (const unsigned int node : kicks->support(k))
        id_of_node.emplace(node, meshed.first_ids()[f] + k);
  }
  for (const auto &[node, mass] : point_masses)
  {
    const auto id = id_of_node.find(node);
    if (id == id_of_node.end() || node < meshed.first_node() ||
        node >= meshed.first_node() + meshed.n_nodes())
      continue;
    shares.nodes.push_back(node);
    shares.shares.push_back(mass);
    shares.positions.push_back(nodes.reference(node));
    ids.push_back(id->second);
  }
  return shares;
}

template <int dim>
void
Model<dim>::add_sections()
{
  for (const auto &section : parameters.sections)
  {
    sections.push_back(make_section(section));
    stepper.add_on_clock_of(sections.back(), sections.back()->ids());
  }
}

template <int dim>
std::shared_ptr<SectionImpulses<dim>>
Model<dim>::make_section(const SectionParameters<dim> &section) const
{
  AssertThrow(parameters.stepping.strain,
              ExcMessage("'Sections/" + section.name +
                         "' does not go with 'Stepping/Strain' = off: cells exert no forces."));
  const Tensor<1, dim> normal = section.normal / section.normal.norm();
  // of all bodies: cells of tied ones act on nodes of others
  std::vector<char> is_behind(nodes.size(), 0);
  double extent = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    extent = std::max(extent, nodes.reference(node).distance(section.point));
  for (unsigned int node = 0; node < nodes.size(); ++node)
    is_behind[node] = (nodes.reference(node) - section.point) * normal <= 1e-9 * extent;
  std::vector<typename SectionImpulses<dim>::Cut> cuts;
  for (const unsigned int b : section.bodies)
  {
    const MeshedBody<dim> &body = bodies[b];
    AssertThrow(!body.is_rigid(),
                ExcMessage("'Sections/" + section.name + "' cuts body '" + body.name() +
                           "', which is rigid: there are no forces of cells in it."));
    const auto families = body.strain_kicks();
    for (unsigned int f = 0; f < body.first_ids().size(); ++f)
      for (unsigned int k = 0; k < families[f]->n_kicks(); ++k)
      {
        const auto support = families[f]->support(k);
        const auto n_behind =
            std::count_if(support.begin(), support.end(),
                          [&](const unsigned int node) { return is_behind[node] != 0; });
        if (n_behind > 0 && n_behind < static_cast<std::ptrdiff_t>(support.size()))
          cuts.push_back({families[f], k, body.first_ids()[f] + k});
      }
  }
  AssertThrow(!cuts.empty(), ExcMessage("'Sections/" + section.name +
                                        "' cuts no cell: all nodes of its bodies are on one side "
                                        "of the plane through " +
                                        point_text(section.point) + "."));
  return std::make_shared<SectionImpulses<dim>>(cuts, std::move(is_behind), section.point);
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
