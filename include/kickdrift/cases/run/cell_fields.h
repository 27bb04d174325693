#ifndef KICKDRIFT_CASES_RUN_CELL_FIELDS_H
#define KICKDRIFT_CASES_RUN_CELL_FIELDS_H

#include <kickdrift/cases/model/model.h>

#include <deal.II/base/symmetric_tensor.h>

#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
/// Mean stress of a cell, for nodes that are all at one time: Cauchy's, of shells the force per
/// thickness [force/length^2].
template <int dim>
dealii::SymmetricTensor<2, 3> stress_of_cell(const MeshedBody<dim> &body,
                                             const NodeTable<dim> &nodes,
                                             unsigned int active_cell_index);

/// Names of the numbers that materials of a body have for pictures, such as temperatures.
template <int dim>
std::set<std::string> output_names(const MeshedBody<dim> &body);

/// The number of this name in a cell; not-a-number where the material has none.
template <int dim>
double output_of_cell(const MeshedBody<dim> &body, const std::string &name,
                      const NodeTable<dim> &nodes, unsigned int active_cell_index);

/**
 * What the probes of a model record beside displacements and velocities, as their parameters say.
 * Throws dealii::ExceptionBase, naming the parameter, for fields that there are not, with the name
 * that may be meant, and for cells that have none.
 */
template <int dim>
std::vector<ProbedField<dim>> probed_fields(const Model<dim> &model);
} // namespace KickDrift

#endif
