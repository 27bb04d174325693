#include <kickdrift/cases/input/parameter_file.h>
#include <kickdrift/cases/run/cell_fields.h>

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr const char *axes = "xyz";

/// A number of a cell that follows from its stress.
struct OfStress
{
  std::string name;
  std::function<double(const SymmetricTensor<2, 3> &)> value;
};

/// Those that pictures have, and the pressure.
std::vector<OfStress>
numbers_of_stress(const int dim)
{
  std::vector<OfStress> result;
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      if (dim == 3 || j < 2 || i == 2)
        result.push_back({std::string("stress_") + axes[i] + axes[j],
                          [i, j](const SymmetricTensor<2, 3> &stress) { return stress[i][j]; }});
  result.push_back({"von_mises", [](const SymmetricTensor<2, 3> &stress)
                    { return std::sqrt(1.5) * deviator(stress).norm(); }});
  result.push_back(
      {"mean_pressure", [](const SymmetricTensor<2, 3> &stress) { return -trace(stress) / 3; }});
  return result;
}

/// "NAME_FIELD", with _min or _max.
std::string
column(const std::string &probe, const std::string &field, const Statistic statistic)
{
  const char *ending = statistic == Statistic::min   ? "_min"
                       : statistic == Statistic::max ? "_max"
                                                     : "";
  return probe + "_" + field + ending;
}

/// The known name that is most like another one.
const std::string &
nearest_name(const std::vector<std::string> &known, const std::string &word)
{
  return *std::min_element(known.begin(), known.end(),
                           [&](const std::string &a, const std::string &b)
                           { return edit_distance(a, word) < edit_distance(b, word); });
}

/// Smallest and largest components of displacement and velocity of a probe's nodes.
template <int dim>
void
add_extremes(const Probe &probe, const Statistic statistic, std::vector<ProbedField<dim>> &result)
{
  for (const bool is_velocity : {false, true})
    for (unsigned int d = 0; d < dim; ++d)
      result.push_back(
          {column(probe.name, std::string(is_velocity ? "velocity_" : "displacement_") + axes[d],
                  statistic),
           statistic,
           [=](const NodeTable<dim> &nodes, std::vector<double> &values)
           {
             values.clear();
             for (const unsigned int node : probe.nodes)
               values.push_back(is_velocity ? nodes.velocity(node)[d]
                                            : nodes.displacement(node)[d]);
           }});
}

/// The function of cells that a field is.
template <int dim>
std::function<double(const MeshedBody<dim> &, const NodeTable<dim> &, unsigned int)>
function_of_cell(const std::string &field)
{
  for (const OfStress &known : numbers_of_stress(dim))
    if (known.name == field)
      return [value = known.value](const MeshedBody<dim> &body, const NodeTable<dim> &nodes,
                                   const unsigned int cell)
      {
        return body.is_rigid() ? std::numeric_limits<double>::quiet_NaN()
                               : value(stress_of_cell(body, nodes, cell));
      };
  return [field](const MeshedBody<dim> &body, const NodeTable<dim> &nodes, const unsigned int cell)
  { return output_of_cell(body, field, nodes, cell); };
}
} // namespace

template <int dim>
SymmetricTensor<2, 3>
stress_of_cell(const MeshedBody<dim> &meshed, const NodeTable<dim> &nodes, const unsigned int cell)
{
  if constexpr (dim == 3)
    if (meshed.shell)
      return meshed.shell->moving->stress_of_cell(nodes, cell);
  return meshed.moving->stress_of_cell(nodes, cell);
}

template <int dim>
std::set<std::string>
output_names(const MeshedBody<dim> &body)
{
  return body.shell ? std::set<std::string>() : body.moving->output_names();
}

template <int dim>
double
output_of_cell(const MeshedBody<dim> &body, const std::string &name, const NodeTable<dim> &nodes,
               const unsigned int cell)
{
  return body.shell ? std::numeric_limits<double>::quiet_NaN()
                    : body.moving->output_of_cell(name, nodes, cell);
}

template <int dim>
std::vector<ProbedField<dim>>
probed_fields(const Model<dim> &model)
{
  std::vector<ProbedField<dim>> result;
  for (unsigned int p = 0; p < model.probes.size(); ++p)
  {
    const auto &parameters = model.parameters.probes[p];
    for (const Statistic statistic : parameters.values)
      if (statistic != Statistic::mean) // means are there anyway
        add_extremes(model.probes[p], statistic, result);

    std::vector<std::string> known;
    for (const OfStress &number : numbers_of_stress(dim))
      known.push_back(number.name);
    for (const unsigned int b : parameters.bodies)
      for (const std::string &name : output_names(model.bodies[b]))
        if (std::find(known.begin(), known.end(), name) == known.end())
          known.push_back(name);
    for (const std::string &field : parameters.fields)
    {
      const std::string parameter = "Probes/" + parameters.name + "/Fields";
      AssertThrow(std::find(known.begin(), known.end(), field) != known.end(),
                  ExcMessage("'" + parameter + "': the bodies have no field '" + field +
                             "'. Did you mean '" + nearest_name(known, field) + "'? There are " +
                             boost::algorithm::join(known, ", ") + "."));
      const auto value = function_of_cell<dim>(field);
      std::vector<CellOfBody> cells;
      for (const CellOfBody &cell : model.probed_cells[p])
        if (std::isfinite(value(model.bodies[cell.body], model.nodes, cell.active_cell_index)))
          cells.push_back(cell);
      AssertThrow(!cells.empty(), ExcMessage("'" + parameter +
                                             "': none of the cells of the probe "
                                             "has the field '" +
                                             field + "'."));
      std::vector<double> weights;
      for (const CellOfBody &cell : cells)
        weights.push_back(cell.volume);
      for (const Statistic statistic : parameters.values)
        result.push_back(
            {column(parameters.name, field, statistic), statistic,
             [&model, cells, value](const NodeTable<dim> &nodes, std::vector<double> &values)
             {
               values.clear();
               for (const CellOfBody &cell : cells)
                 values.push_back(value(model.bodies[cell.body], nodes, cell.active_cell_index));
             },
             weights});
    }
  }
  return result;
}

#define INSTANTIATE(dim)                                                                           \
  template SymmetricTensor<2, 3> stress_of_cell(const MeshedBody<dim> &, const NodeTable<dim> &,   \
                                                unsigned int);                                     \
  template std::set<std::string> output_names(const MeshedBody<dim> &);                            \
  template double output_of_cell(const MeshedBody<dim> &, const std::string &,                     \
                                 const NodeTable<dim> &, unsigned int);                            \
  template std::vector<ProbedField<dim>> probed_fields(const Model<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
