#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/cell_advice.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <algorithm>
#include <set>
#include <string>

namespace KickDrift
{
namespace
{
/// Cells that lock are clearly too stiff above this Poisson's ratio.
constexpr double compressible = 0.45;

template <int dim>
bool
is_plastic(const BodyParameters<dim> &body)
{
  return std::any_of(body.materials.begin(), body.materials.end(),
                     [](const auto &entry)
                     { return dynamic_cast<const PlasticMaterial<dim> *>(entry.second.get()); });
}

/// The largest of a body's materials that say it.
template <int dim>
double
poissons_ratio(const BodyParameters<dim> &body)
{
  double largest = 0;
  for (const auto &[name, material] : body.materials)
    if (const auto [lambda, mu] = material->lame(); lambda + mu > 0)
      largest = std::max(largest, 0.5 * lambda / (lambda + mu));
  return largest;
}

/// Does a body have cells that lock where volumes are kept?
bool
locks(const StrainIntegration integration, const bool are_hypercubes)
{
  return integration == StrainIntegration::standard ||
         (integration == StrainIntegration::nodal && are_hypercubes);
}

/// Flow keeps volumes, and fully integrated cells are too stiff for that; and what flows gives
/// nothing back.
template <int dim>
void
print_of_plastic_body(const Model<dim> &model, const BodyParameters<dim> &body, std::ostream &out)
{
  const auto &contact = model.parameters.contact;
  if (body.strain_integration == StrainIntegration::standard)
    out << "Note: body '" << body.section
        << "' is plastic, and its cells are too stiff for that; hexahedra and quadrilaterals are "
           "not with 'Strain integration' = mean dilatation\n";
  if (model.contact && contact.restitution > 0)
    out << "Note: body '" << body.section
        << "' is plastic, and 'Contact/Restitution' = " << number_text(contact.restitution)
        << " gives nodes back the speed that they had before an impact; 0 suits what flows\n";
}

template <int dim>
void
print_of_body(const BodyParameters<dim> &body, const bool are_hypercubes, std::ostream &out)
{
  const double ratio = poissons_ratio(body);
  if (!(ratio > compressible) || !locks(body.strain_integration, are_hypercubes) ||
      (body.initial_stress && !are_hypercubes)) // nothing is better
    return;
  const std::string cells = dim == 2 ? (are_hypercubes ? "quadrilaterals" : "triangles")
                                     : (are_hypercubes ? "hexahedra" : "tetrahedra");
  out << "Note: body '" << body.section << "' has Poisson's ratio " << number_text(ratio)
      << ", for which its " << cells << " may be far too stiff; 'Strain integration' = "
      << (body.initial_stress ? "mean dilatation" // a stress is a history to the others
          : are_hypercubes    ? "one-point"
                              : "nodal")
      << " is better for " << cells << "\n";
}
} // namespace

template <int dim>
void
print_cell_advice(const Model<dim> &model, std::ostream &out)
{
  std::set<std::string> sections;
  for (unsigned int b = 0; b < model.bodies.size(); ++b)
  {
    const BodyParameters<dim> &body = model.parameters.bodies[b];
    const MeshedBody<dim> &meshed = model.bodies[b];
    if (meshed.shell || meshed.is_rigid() || !sections.insert(body.section).second)
      continue;
    if (is_plastic(body))
      print_of_plastic_body(model, body, out);
    else
      print_of_body(body, meshed.triangulation.all_reference_cells_are_hyper_cube(), out);
  }
}

template void print_cell_advice(const Model<2> &, std::ostream &);
template void print_cell_advice(const Model<3> &, std::ostream &);
} // namespace KickDrift
