// What a run records while it goes on.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/run/cell_fields.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/sections.h>
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
/// Fields set_NAME, 1 in the cells that have a name in the mesh and 0 elsewhere: sets may overlap.
template <int dim, int spacedim>
void
add_sets(const MeshNames &names, VolumeBody<dim, spacedim> &fields)
{
  for (const auto &[name, ids] : names.materials)
  {
    std::vector<char> is_in_set; // by cell
    for (const auto &cell : fields.dof_handler->active_cell_iterators())
      is_in_set.push_back(ids.count(cell->material_id()) > 0);
    fields.cell_numbers["set_" + name] =
        [is_in_set](const NodeTable<spacedim> &, const unsigned int cell)
    { return double(is_in_set[cell]); };
  }
}
} // namespace

template <int dim>
void
Simulation<dim>::add_recorders(const Opening opening)
{
  if (!writes())
  {
    if (writes_pieces())
      recorders.push_back(volume_recorder(folder));
    return;
  }
  recorders.push_back(std::make_unique<StatisticsRecorder<dim>>(folder, opening));
  if (!system.probes.empty())
    recorders.push_back(
        std::make_unique<ProbesRecorder<dim>>(folder, system.probes, opening, more_of_probes));
  if (!system.supports.empty())
    recorders.push_back(std::make_unique<ReactionsRecorder<dim>>(folder, system.supports, opening));
  if (!system.sections.empty())
    recorders.push_back(
        std::make_unique<SectionsRecorder<dim>>(folder, recorded_sections(), opening));
  std::vector<RecordedBody<dim>> recorded;
  std::set<std::string> names;
  for (const auto &body : system.bodies)
    names.merge(output_names(body));
  const auto largest = [names](const MeshedBody<dim> &body, const NodeTable<dim> &nodes)
  {
    std::vector<double> result;
    for (const std::string &name : names)
    {
      result.push_back(std::numeric_limits<double>::quiet_NaN());
      for (unsigned int cell = 0; cell < body.n_cells(); ++cell)
        result.back() = std::fmax(result.back(), output_of_cell(body, name, nodes, cell));
    }
    return result;
  };
  const bool has_ties = !parameters.ties.empty();
  for (auto &body : system.bodies)
  {
    recorded.push_back({body.name(),
                        body.first_node(),
                        body.n_nodes(),
                        {},
                        [&body, largest](const NodeTable<dim> &nodes)
                        { return largest(body, nodes); },
                        {}});
    if (body.has_stress())
      for (const auto &family : body.strain_kicks())
        recorded.back().families.push_back(family);
    if (has_ties && body.body && !body.is_rigid())
      for (const auto &part : body.body->mass_fractions())
        recorded.back().fractions.emplace_back(part.node, part.fraction);
  }
  recorders.push_back(std::make_unique<BodiesRecorder<dim>>(
      folder, recorded, opening, std::vector<std::string>(names.begin(), names.end())));
  if (system.contact)
    recorders.push_back(std::make_unique<ContactRecorder<dim>>(
        folder, [this] { return system.dynamics.contact_pairs(); }, opening));
  if (parameters.output.vtu_every > 0)
    recorders.push_back(volume_recorder(folder));
  if (parameters.output.surface_every > 0)
    recorders.push_back(std::make_unique<SurfaceRecorder<dim>>(
        folder, system.dynamics.surface(), parameters.output.surface_every,
        [this] { return system.contact ? system.contact->states() : std::vector<ContactState>(); },
        system.dynamics.may_lose_faces() ? [this] { return system.dynamics.present_surface(); }
                                         : std::function<Surface<dim>()>()));
  if (detection)
    detection->open(folder, opening);
}

template <int dim>
std::vector<RecordedSection<dim>>
Simulation<dim>::recorded_sections() const
{
  std::vector<RecordedSection<dim>> result;
  const TimeLevels &levels = system.stepper.levels();
  for (unsigned int s = 0; s < system.sections.size(); ++s)
    result.push_back(
        {parameters.sections[s].name,
         [&levels, &section = *system.sections[s]](const NodeTable<dim> &nodes, const double time)
         {
           return section.impulse(
               nodes, time, [&levels](const unsigned int id) { return levels.covered_until(id); });
         }});
  return result;
}

template <int dim>
bool
Simulation<dim>::writes_pieces() const
{
  return parameters.output.vtu_every > 0 && parameters.output.vtu_pieces && ranks->size() > 1;
}

template <int dim>
std::optional<std::vector<unsigned int>>
Simulation<dim>::cells_of_piece(const MeshedBody<dim> &body) const
{
  if (!writes_pieces())
    return std::nullopt;
  std::vector<unsigned int> cells;
  const std::uint64_t n_cells = body.n_cells();
  for (unsigned int cell = 0; cell < n_cells; ++cell)
  {
    const auto holder = system.stepper.first_holder(system.id_of_cell(body, cell));
    if (holder.value_or(cell * ranks->size() / n_cells) == ranks->rank())
      cells.push_back(cell);
  }
  return cells;
}

template <int dim>
std::unique_ptr<Recorder<dim>>
Simulation<dim>::volume_recorder(const std::string &folder) const
{
  auto recorder = std::make_unique<VolumeRecorder<dim>>(
      folder, parameters.output.vtu_every,
      writes_pieces() ? VtuPiece{ranks->rank(), ranks->size()} : VtuPiece());
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
    fields.cells = cells_of_piece(meshed);
    fields.displacement = [&body](const NodeTable<dim> &nodes, Vector<double> &displacement)
    { body.get_displacement(nodes, displacement); };
    fields.velocity = [&body](const NodeTable<dim> &nodes, Vector<double> &velocity)
    { body.get_velocity(nodes, velocity); };
    fields.stress = [&meshed](const NodeTable<dim> &nodes, const unsigned int cell)
    { return stress_of_cell(meshed, nodes, cell); };
    fields.time_step = [this, &meshed](const NodeTable<dim> &, const unsigned int cell)
    { return system.step_of_cell(meshed, cell); };
    for (const std::string &name : output_names(meshed))
      fields.cell_numbers[name] =
          [&meshed, name](const NodeTable<dim> &nodes, const unsigned int cell)
      {
        const double value = output_of_cell(meshed, name, nodes, cell);
        return std::isnan(value) ? 0. : value;
      };
    add_sets(meshed.names, fields);
    if (body.failure_strain() > 0)
      fields.cell_numbers["deleted"] = [&body](const NodeTable<dim> &, const unsigned int cell)
      { return double(body.is_deleted(cell)); };
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
    fields.cells = cells_of_piece(meshed);
    fields.displacement = [&shell](const NodeTable<3> &nodes, Vector<double> &displacement)
    { shell.get_displacement(nodes, displacement); };
    fields.velocity = [&shell](const NodeTable<3> &nodes, Vector<double> &velocity)
    { shell.get_velocity(nodes, velocity); };
    fields.resultants = [&shell](const NodeTable<3> &nodes, const unsigned int cell)
    {
      ShellResultants resultants;
      for (const auto &family : shell.strain_kicks())
        family->add_resultants(nodes, shell.triangle_of_cell(cell), resultants);
      return resultants;
    };
    fields.time_step = [this, &meshed](const NodeTable<3> &, const unsigned int cell)
    { return system.step_of_cell(meshed, cell); };
    add_sets(meshed.names, fields);
    recorder.add_body(fields);
  }
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
