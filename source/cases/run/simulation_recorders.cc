// What a run records while it goes on.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/preflight.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/surface_recorder.h>
#include <kickdrift/output/volume_recorder.h>
#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// @param across stress across the plane of plane strain
template <int dim>
SymmetricTensor<2, 3>
three_dimensional(const SymmetricTensor<2, dim> &stress, const double across)
{
  SymmetricTensor<2, 3> result;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = i; j < dim; ++j)
      result[i][j] = stress[i][j];
  if (dim == 2)
    result[2][2] = across;
  return result;
}

/// Mean of the nodal parts of the stress at a cell's nodes.
template <int dim>
SymmetricTensor<2, 3>
nodal_stress(Body<dim> &body, const NodeTable<dim> &nodes, const unsigned int cell)
{
  const auto &kicks = *body.nodal_kicks()[body.nodal_family_of_cell(cell)];
  const auto cell_nodes = body.nodes_of_cell(body.cell(cell));
  SymmetricTensor<2, dim> sum;
  for (const unsigned int node : cell_nodes)
    sum += kicks.cauchy_stress(nodes, kicks.kick_of_node(node));
  sum /= double(cell_nodes.size());
  // that across the plane follows from the other two
  const auto [lambda, mu] = kicks.material().lame();
  return three_dimensional(sum, lambda + mu > 0 ? 0.5 * lambda / (lambda + mu) * trace(sum) : 0.);
}

/// Names of the numbers that materials of a body have for pictures.
template <int dim>
std::set<std::string>
output_names(Body<dim> &body)
{
  std::set<std::string> names;
  for (const auto &family : body.kicks())
    if (const auto *material = dynamic_cast<const HistoryMaterial<dim> *>(&family->material()))
      for (const std::string &name : material->output_names())
        names.insert(name);
  return names;
}

/// The number of this name in each cell; zero where the material has none.
template <int dim>
void
get_output(Body<dim> &body, const std::string &name, const NodeTable<dim> &nodes,
           Vector<double> &values)
{
  for (unsigned int cell = 0; cell < values.size(); ++cell)
  {
    const auto index = body.kick_of_cell(cell);
    const auto &kicks = *body.kicks()[index.family];
    values[cell] = 0;
    const auto *material = dynamic_cast<const HistoryMaterial<dim> *>(&kicks.material());
    if (!material)
      continue;
    const auto names = material->output_names();
    const auto entry = std::find(names.begin(), names.end(), name);
    if (entry != names.end())
      values[cell] = kicks.mean_outputs(nodes, index.kick)[entry - names.begin()];
  }
}
} // namespace

template <int dim>
void
Simulation<dim>::add_recorders(const Opening opening)
{
  if (!writes())
    return;
  recorders.push_back(std::make_unique<StatisticsRecorder<dim>>(folder, opening));
  if (!system.probes.empty())
    recorders.push_back(std::make_unique<ProbesRecorder<dim>>(folder, system.probes, opening));
  if (!system.supports.empty())
    recorders.push_back(std::make_unique<ReactionsRecorder<dim>>(folder, system.supports, opening));
  std::vector<RecordedBody<dim>> recorded;
  std::set<std::string> names;
  for (auto &body : system.bodies)
    if (body.body) // a shell has none
      names.merge(output_names(*body.body));
  const auto largest = [names](const MeshedBody<dim> &body, const NodeTable<dim> &nodes)
  {
    std::vector<double> result(body.body ? 0 : names.size(), 0.);
    if (!body.body)
      return result;
    Vector<double> values(body.body->cells().size());
    for (const std::string &name : names)
    {
      get_output(*body.body, name, nodes, values);
      result.push_back(*std::max_element(values.begin(), values.end()));
    }
    return result;
  };
  const bool has_ties = !parameters.ties.empty();
  for (auto &body : system.bodies)
  {
    recorded.push_back({body.name(),
                        body.first_node(),
                        body.n_nodes(),
                        [&body](const NodeTable<dim> &nodes)
                        {
                          EnergyBalance balance;
                          for (const auto &family : body.strain_kicks())
                            family->add_energy(nodes, balance);
                          return balance.strain + balance.hourglass;
                        },
                        [&body, largest](const NodeTable<dim> &nodes)
                        { return largest(body, nodes); },
                        {}});
    if (has_ties && body.body)
      for (const auto &part : body.body->mass_fractions())
        recorded.back().fractions.emplace_back(part.node, part.fraction);
  }
  recorders.push_back(std::make_unique<BodiesRecorder<dim>>(
      folder, recorded, opening, std::vector<std::string>(names.begin(), names.end())));
  if (system.contact || system.layers)
    recorders.push_back(std::make_unique<ContactRecorder<dim>>(
        folder, [this] { return system.dynamics.contact_pairs(); }, opening));
  if (parameters.output.vtu_every > 0)
    recorders.push_back(volume_recorder(folder));
  if (parameters.output.surface_every > 0)
    recorders.push_back(std::make_unique<SurfaceRecorder<dim>>(
        folder, system.dynamics.surface(), parameters.output.surface_every,
        [this]
        { return system.contact ? system.contact->states() : std::vector<ContactState>(); }));
  if (detection)
    detection->open(folder, opening);
}

template <int dim>
std::unique_ptr<Recorder<dim>>
Simulation<dim>::volume_recorder(const std::string &folder) const
{
  auto recorder = std::make_unique<VolumeRecorder<dim>>(folder, parameters.output.vtu_every);
  for (const auto &meshed : system.bodies)
  {
    if constexpr (dim == 3)
      if (meshed.shell)
      {
        add_shell(meshed, *recorder);
        continue;
      }
    Body<dim> &body = *meshed.body;
    VolumeBody<dim> fields;
    fields.dof_handler = &meshed.dof_handler;
    fields.mapping = meshed.mapping.get();
    fields.displacement = [&body](const NodeTable<dim> &nodes, Vector<double> &displacement)
    { body.get_displacement(nodes, displacement); };
    fields.velocity = [&body](const NodeTable<dim> &nodes, Vector<double> &velocity)
    { body.get_velocity(nodes, velocity); };
    fields.stress = [&body](const NodeTable<dim> &nodes, std::vector<SymmetricTensor<2, 3>> &stress)
    {
      for (unsigned int cell = 0; cell < stress.size(); ++cell)
      {
        const auto index = body.kick_of_cell(cell);
        const auto &kicks = *body.kicks()[index.family];
        stress[cell] = three_dimensional(kicks.mean_stress(nodes, index.kick),
                                         kicks.mean_stress_across(nodes, index.kick));
        if (!body.nodal_kicks().empty())
          stress[cell] += nodal_stress(body, nodes, cell);
      }
    };
    fields.time_step = [this, &meshed](const NodeTable<dim> &, Vector<double> &step)
    {
      for (unsigned int cell = 0; cell < step.size(); ++cell)
        step[cell] = system.step_of_cell(meshed, cell);
    };
    for (const std::string &name : output_names(body))
      fields.cell_numbers[name] = [&body, name](const NodeTable<dim> &nodes, Vector<double> &values)
      { get_output(body, name, nodes, values); };
    recorder->add_body(fields);
  }
  return recorder;
}

template <int dim>
void
Simulation<dim>::add_shell(const MeshedBody<dim> &meshed, VolumeRecorder<dim> &recorder) const
{
  if constexpr (dim == 3)
  {
    Shell &shell = *meshed.shell->body;
    VolumeBody<2, 3> fields;
    fields.dof_handler = &meshed.shell->dof_handler;
    fields.mapping = meshed.shell->mapping.get();
    fields.displacement = [&shell](const NodeTable<3> &nodes, Vector<double> &displacement)
    { shell.get_displacement(nodes, displacement); };
    fields.velocity = [&shell](const NodeTable<3> &nodes, Vector<double> &velocity)
    { shell.get_velocity(nodes, velocity); };
    fields.resultants =
        [&shell](const NodeTable<3> &nodes, std::vector<ShellResultants> &resultants)
    {
      for (unsigned int cell = 0; cell < resultants.size(); ++cell)
        for (const auto &family : shell.strain_kicks())
          family->add_resultants(nodes, shell.triangle_of_cell(cell), resultants[cell]);
    };
    fields.time_step = [this, &meshed](const NodeTable<3> &, Vector<double> &step)
    {
      for (unsigned int cell = 0; cell < step.size(); ++cell)
        step[cell] = system.step_of_cell(meshed, cell);
    };
    recorder.add_body(fields);
  }
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
