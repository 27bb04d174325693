// What a run records while it goes on.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/preflight.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/surface_recorder.h>
#include <kickdrift/output/volume_recorder.h>
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
/// Plane strain adds a stress across the plane, which follows from the other two.
template <int dim>
SymmetricTensor<2, 3>
three_dimensional(const SymmetricTensor<2, dim> &stress, const Material<dim> &material)
{
  SymmetricTensor<2, 3> result;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = i; j < dim; ++j)
      result[i][j] = stress[i][j];
  const auto [lambda, mu] = material.lame();
  if (dim == 2 && lambda + mu > 0)
    result[2][2] = 0.5 * lambda / (lambda + mu) * trace(stress);
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
  return three_dimensional(sum / double(cell_nodes.size()), kicks.material());
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
  for (auto &body : system.bodies)
    recorded.push_back({body.name(), body.first_node(), body.n_nodes(),
                        [&body](const NodeTable<dim> &nodes)
                        {
                          EnergyBalance balance;
                          for (const auto &family : body.strain_kicks())
                            family->add_energy(nodes, balance);
                          return balance.strain + balance.hourglass;
                        }});
  recorders.push_back(std::make_unique<BodiesRecorder<dim>>(folder, recorded, opening));
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
        stress[cell] = three_dimensional(kicks.mean_stress(nodes, index.kick), kicks.material());
        if (!body.nodal_kicks().empty())
          stress[cell] += nodal_stress(body, nodes, cell);
      }
    };
    fields.time_step = [this, &meshed](const NodeTable<dim> &, Vector<double> &step)
    {
      for (unsigned int cell = 0; cell < step.size(); ++cell)
        step[cell] = system.step_of_cell(meshed, cell);
    };
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
