// What the classes of parameters need to declare and to read their entries.
#ifndef KICKDRIFT_SOURCE_CASES_PARAMETERS_PARAMETER_PARSING_H
#define KICKDRIFT_SOURCE_CASES_PARAMETERS_PARAMETER_PARSING_H

#include <kickdrift/base/expressions.h>

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

#include "../input/subsection.h"

namespace KickDrift
{
template <int dim>
struct BodyParameters;

/// Zero vector as expressions.
template <int dim>
std::string
zeros()
{
  return dim == 2 ? "0; 0" : "0; 0; 0";
}

/// Function of space and time, finite wherever it is asked, by the expressions of entry @p name.
template <int dim>
std::shared_ptr<dealii::Function<dim>>
parse_function(dealii::ParameterHandler &prm, const std::string &section, const std::string &name,
               const Constants &constants, const unsigned int n_components = dim)
{
  const std::string full_name = section + "/" + name;
  return std::make_shared<FiniteFunction<dim>>(
      make_function<dim>(prm.get(name), n_components, full_name, constants), full_name);
}

/// Subsection 'Rigid motion' of Bodies/NAME.
template <int dim>
void declare_drive(dealii::ParameterHandler &prm);
/// Displacement of a body whose motion the subsection gives; null: it gives none.
template <int dim>
std::shared_ptr<dealii::Function<dim>>
parse_drive(dealii::ParameterHandler &prm, const std::string &body, const Constants &constants);

/// Throws dealii::ExceptionBase, naming the parameters, if those of a body do not go together.
template <int dim>
void check_body(const BodyParameters<dim> &body);

/// Entry with the names of bodies, in the subsection of a part.
void declare_body(dealii::ParameterHandler &prm);

/// Entry with the numbers of copies of a body, in Bodies/NAME.
void declare_copies(dealii::ParameterHandler &prm);
/// Read them from the text of the entry, the full name of which is for messages. Throws
/// dealii::ExceptionBase if they are no numbers from 1, one for each dimension.
std::array<unsigned int, 3> parse_copies(const std::string &text, const std::string &name,
                                         unsigned int dimension, const Constants &constants);

/// Entry with the material ids that have a material of their own, in Bodies/NAME/Material.
void declare_material_ids(dealii::ParameterHandler &prm);
/// The same of these. Throws dealii::ExceptionBase if an id is there twice.
std::vector<std::string> parse_material_ids(const std::string &list, const std::string &name);
} // namespace KickDrift

#endif
