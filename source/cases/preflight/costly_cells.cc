#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/costly_cells.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/vtu_file.h>
#include <kickdrift/stepping/clocks/stability_rule.h>
#include <kickdrift/stepping/clocks/step_classes.h>
#include <kickdrift/stepping/clocks/sweeps.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lists.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
// Cells nearer to each other than this share of the diagonal of their body are at one place.
constexpr double one_place = 0.1;

/// The cell that a kick belongs to.
struct CellOfKick
{
  unsigned int body, index; ///< index among the active cells
};

/// Call @p f (id, body, family, kick of the family) for all kicks of cells.
template <int dim, typename Function>
void
for_each_kick_of_cells(const Model<dim> &model, const Function &f)
{
  for (unsigned int b = 0; b < model.bodies.size(); ++b)
  {
    if (!model.bodies[b].body) // shells, whose triangles are not looked at
      continue;
    Body<dim> &body = *model.bodies[b].body;
    const auto &first_ids = model.bodies[b].moving->first_ids();
    // behind them are the kicks of nodes, with nodal integration
    for (unsigned int family = 0; family < body.kicks().size(); ++family)
      for (unsigned int k = 0; k < body.strain_kicks()[family]->n_kicks(); ++k)
        f(first_ids[family] + k, b, family, k);
  }
}

/// The cells of some kicks, in their order.
template <int dim>
std::vector<CellOfKick>
cells_of(const Model<dim> &model, const std::vector<unsigned int> &ids)
{
  std::map<unsigned int, CellOfKick> found;
  for (const unsigned int id : ids)
    found[id] = {};
  for_each_kick_of_cells(model,
                         [&](const unsigned int id, const unsigned int b, const unsigned int family,
                             const unsigned int k)
                         {
                           const auto cell = found.find(id);
                           if (cell != found.end())
                             cell->second = {b, model.bodies[b].body->cell_of_kick(family, k)};
                         });
  std::vector<CellOfKick> result;
  for (const unsigned int id : ids)
    result.push_back(found[id]);
  return result;
}

/// Evaluations of kicks in a unit of time, sweeps included, if kicks had these critical steps
/// [1/time].
template <int dim>
double
rate_of_evaluations(const Model<dim> &model, const std::vector<double> &critical_steps)
{
  const StepperParameters &parameters = model.parameters.stepping.stepper;
  const double smallest = *std::min_element(critical_steps.begin(), critical_steps.end());
  // a step that is given would become longer as the smallest one does
  if (parameters.clocks == Clocks::one)
    return model.stepper.levels().kick_rates().first *
           model.stepper.levels().smallest_critical_step() / smallest;
  std::vector<double> steps;
  double rate = 0;
  for (const double critical_step : critical_steps)
  {
    steps.push_back(parameters.time_step_ratio * critical_step);
    rate += 1 / steps.back();
  }
  if (parameters.clocks == Clocks::per_cell)
    return rate;
  CompressedRows<unsigned int> nodes_of_kick;
  std::vector<unsigned int> strata;
  if (parameters.stability_rule)
    for (unsigned int id = 0; id < critical_steps.size(); ++id)
    {
      bool is_first = true; // those behind it follow it
      model.stepper.for_each_kick(id,
                                  [&](const Kicks<dim> &kicks, const unsigned int k)
                                  {
                                    if (!is_first)
                                      return;
                                    is_first = false;
                                    if (parameters.has_filtered_boundaries())
                                      strata.push_back(kicks.stratum());
                                    for (const unsigned int node : kicks.support(k))
                                      nodes_of_kick.push_back(node);
                                  });
      nodes_of_kick.finish_row();
    }
  const auto cost = [&](StepClasses classes)
  {
    const unsigned int n_nodes = model.nodes.size();
    const unsigned int n_sweeps = expected_sweeps(parameters.time_step_ratio);
    if (parameters.stability_rule)
      apply_stability_rule(classes, critical_steps, nodes_of_kick, n_nodes, strata, n_sweeps);
    return evaluations_per_time(classes, critical_steps, nodes_of_kick, n_nodes, strata, n_sweeps);
  };
  return cost(strata.empty() ? nested_classes(steps) : cheapest_nested_classes(steps, 0, cost));
}

/// Name of the material of a cell, or its id.
std::string
material_text(const MeshNames &names, const types::material_id id)
{
  for (const auto &[name, ids] : names.materials)
    if (ids.count(id) > 0)
      return "'" + name + "'";
  return std::to_string(id);
}

/// Length of the diagonal of a body.
template <int dim>
double
diagonal(const Model<dim> &model, const unsigned int b)
{
  const Body<dim> &body = *model.bodies[b].body;
  Point<dim> lower = model.nodes.reference(body.first_node()), upper = lower;
  for (unsigned int i = 0; i < body.n_nodes(); ++i)
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double x = model.nodes.reference(body.first_node() + i)[d];
      lower[d] = std::min(lower[d], x);
      upper[d] = std::max(upper[d], x);
    }
  return lower.distance(upper);
}

/// Some of the cells that are near each other, of one body and material.
template <int dim>
struct Place
{
  unsigned int body;
  types::material_id material;
  Point<dim> point;     ///< centre of the worst cell
  unsigned int n_cells; ///< that are there
  double smallest_step; ///< critical step of the worst cell [time]
  double rate;          ///< kicks [1/time]
};

template <int dim>
std::vector<Place<dim>>
places(const Model<dim> &model, const std::vector<unsigned int> &ids)
{
  std::vector<Place<dim>> result;
  std::map<unsigned int, double> reach; // by body
  const auto cells = cells_of(model, ids);
  for (unsigned int i = 0; i < ids.size(); ++i)
  {
    const unsigned int b = cells[i].body;
    if (reach.count(b) == 0)
      reach[b] = one_place * diagonal(model, b);
    const auto cell = model.bodies[b].body->cell(cells[i].index);
    const Point<dim> centre = cell->center();
    auto place = std::find_if(result.begin(), result.end(),
                              [&](const Place<dim> &p)
                              {
                                return p.body == b && p.material == cell->material_id() &&
                                       p.point.distance(centre) < reach[b];
                              });
    const TimeLevels &levels = model.stepper.levels();
    if (place == result.end())
      place = result.insert(place,
                            {b, cell->material_id(), centre, 0, levels.critical_step(ids[i]), 0.});
    ++place->n_cells;
    place->rate += 1 / levels.natural_step(ids[i]);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto &a, const auto &b) { return a.rate > b.rate; });
  return result;
}

std::string
percent_text(const double share)
{
  return number_text(std::round(1e4 * share) / 100) + " %";
}
} // namespace

template <int dim>
CostlyCells
find_costly_cells(const Model<dim> &model, const unsigned int n)
{
  const TimeLevels &levels = model.stepper.levels();
  std::vector<double> steps(levels.n_kicks());
  for (unsigned int id = 0; id < steps.size(); ++id)
    steps[id] = levels.critical_step(id);
  std::vector<unsigned int> body_of_id(steps.size(), 0);
  std::vector<std::vector<double>> steps_of_body(model.bodies.size());
  CostlyCells result;
  for_each_kick_of_cells(
      model,
      [&](const unsigned int id, const unsigned int b, unsigned int, unsigned int)
      {
        body_of_id[id] = b;
        steps_of_body[b].push_back(steps[id]);
        result.ids.push_back(id);
      });
  const auto end = result.ids.begin() + std::min<std::size_t>(n, result.ids.size());
  std::partial_sort(result.ids.begin(), end, result.ids.end(),
                    [&](const unsigned int a, const unsigned int b)
                    { return steps[a] != steps[b] ? steps[a] < steps[b] : a < b; });
  result.ids.erase(end, result.ids.end());
  result.rate = rate_of_evaluations(model, steps);
  for (auto &of_body : steps_of_body)
    std::nth_element(of_body.begin(), of_body.begin() + of_body.size() / 2, of_body.end());
  for (const unsigned int id : result.ids)
  {
    result.own_rate += 1 / levels.natural_step(id);
    const auto &of_body = steps_of_body[body_of_id[id]];
    steps[id] = of_body[of_body.size() / 2];
  }
  result.smallest_without = *std::min_element(steps.begin(), steps.end());
  result.rate_without = rate_of_evaluations(model, steps);
  return result;
}

template <int dim>
void
print_costly_cells(const Model<dim> &model, const CostlyCells &cells, std::ostream &out)
{
  if (cells.ids.empty())
    return;
  const double end = model.parameters.stepping.end_time;
  out << "Cells that cost most: the worst " << cells.ids.size() << " ("
      << percent_text(1. * cells.ids.size() / model.n_cells()) << " of all) get "
      << percent_text(cells.own_rate / cells.rate)
      << " of the kicks; if their steps were like those of most cells of their bodies, there would "
         "be "
      << std::llround(cells.rate_without * end) << " kicks ("
      << percent_text(1 - cells.rate_without / cells.rate)
      << " fewer), and the smallest critical step would be " << number_text(cells.smallest_without)
      << "\n";
  const auto found = places(model, cells.ids);
  for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, found.size()); ++i)
  {
    const Place<dim> &place = found[i];
    const MeshedBody<dim> &body = model.bodies[place.body];
    out << "  " << place.n_cells << " of body '" << body.body->name() << "', material "
        << material_text(body.names, place.material) << ", around " << point_text(place.point)
        << ": " << percent_text(place.rate / cells.rate) << " of the kicks, smallest critical step "
        << number_text(place.smallest_step) << "\n";
  }
  if (found.size() > n_listed)
    out << "  and " << found.size() - n_listed << " more places\n";
}

template <int dim>
void
write_costly_cells(const Model<dim> &model, const CostlyCells &cells, const std::string &file)
{
  VtuGrid grid;
  std::vector<VtuField> fields = {
      {"critical_step", 1, {}}, {"time_step", 1, {}}, {"body", 1, {}}, {"material", 1, {}}};
  const auto of_kicks = cells_of(model, cells.ids);
  for (unsigned int i = 0; i < cells.ids.size(); ++i)
  {
    const MeshedBody<dim> &body = model.bodies[of_kicks[i].body];
    const auto cell = body.body->cell(of_kicks[i].index);
    const auto vertices = body.mapping->get_vertices(cell);
    std::vector<unsigned int> corners;
    for (const unsigned int v : cell->vertex_indices())
    {
      corners.push_back(grid.n_points());
      append_vector<dim>(grid.points, vertices[v]);
    }
    grid.add_cell(dim, corners);
    const TimeLevels &levels = model.stepper.levels();
    const double values[] = {levels.critical_step(cells.ids[i]), levels.natural_step(cells.ids[i]),
                             1. * of_kicks[i].body, 1. * cell->material_id()};
    for (unsigned int f = 0; f < fields.size(); ++f)
      fields[f].values.push_back(static_cast<float>(values[f]));
  }
  atomic_write(file, [&](std::ostream &out) { write_vtu(out, grid, {}, fields, 0., 0); });
}

#define INSTANTIATE(dim)                                                                           \
  template CostlyCells find_costly_cells(const Model<dim> &, unsigned int);                        \
  template void print_costly_cells(const Model<dim> &, const CostlyCells &, std::ostream &);       \
  template void write_costly_cells(const Model<dim> &, const CostlyCells &, const std::string &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
