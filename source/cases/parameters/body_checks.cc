// Do the parameters of a body fit together?

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/case_parameters.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Does what is said of shells fit, and is nothing of it said of solids?
template <int dim>
void
check_shell(const BodyParameters<dim> &body)
{
  const std::string section = "Bodies/" + body.name;
  if (!body.mesh.is_shell())
  {
    AssertThrow(body.thickness == 0,
                ExcMessage("'" + section + "/Thickness' is for shells, with '" + section +
                           "/Mesh/Cell type' = shell."));
    AssertThrow(body.clamped_boundaries.empty(),
                ExcMessage("'" + section + "/Clamped boundary ids' is for shells, with '" +
                           section + "/Mesh/Cell type' = shell."));
    AssertThrow(body.bending == BodyParameters<dim>().bending,
                ExcMessage("'" + section + "/Bending' is for shells, with '" + section +
                           "/Mesh/Cell type' = shell."));
    return;
  }
  AssertThrow(body.clamped_boundaries.empty() || body.bending != Bending::none,
              ExcMessage("'" + section +
                         "/Clamped boundary ids': there is nothing to clamp in a "
                         "membrane; 'Bending' is none."));
  AssertThrow(body.thickness > 0 && std::isfinite(body.thickness),
              ExcMessage("'" + section + "/Thickness' is " + number_text(body.thickness) +
                         ", but a shell ('" + section + "/Mesh/Cell type') needs one above 0."));
  AssertThrow(body.materials.size() == 1,
              ExcMessage("'" + section +
                         "/Material/Ids': a shell has one material; make parts of "
                         "other materials bodies of their own."));
  AssertThrow(dynamic_cast<const StVenantKirchhoff<dim> *>(body.materials.at("").get()) != nullptr,
              ExcMessage("'" + section +
                         "/Material/Model' must be St. Venant-Kirchhoff: shells know no other "
                         "law."));
  AssertThrow(body.strain_integration == StrainIntegration::standard,
              ExcMessage("'" + section + "/Strain integration' of a shell must be standard."));
}

/// Is nothing said of a rigid body that only others can do?
template <int dim>
void
check_rigid(const BodyParameters<dim> &body)
{
  const std::string name = "'Bodies/" + body.name + "/Rigid' = true: ";
  AssertThrow(body.rigid.is_rigid || !body.drive,
              ExcMessage("'Bodies/" + body.name +
                         "/Rigid motion' is for rigid bodies; set 'Bodies/" + body.name +
                         "/Rigid' = true, or move parts of the boundary by "
                         "'Restraints'."));
  if (!body.rigid.is_rigid)
    return;
  AssertThrow(!body.drive ||
                  (body.rigid.mass == 0 && body.rigid.centre.empty() && body.rigid.inertia.empty()),
              ExcMessage("'Bodies/" + body.name +
                         "/Rigid motion': 'Rigid mass', 'Rigid centre' and 'Rigid inertia' have no "
                         "effect on a motion that is given; leave them out."));
  AssertThrow(body.rigid.centre.empty() || !body.rigid.inertia.empty(),
              ExcMessage("'Bodies/" + body.name +
                         "/Rigid centre' needs 'Rigid inertia', the moments of inertia about it: "
                         "those of the mesh are about another point."));
  AssertThrow(!body.mesh.is_shell(), ExcMessage(name + "a shell cannot be rigid; take a solid."));
  AssertThrow(!body.damping, ExcMessage(name + "there can be no 'Damping' of a rigid body."));
  AssertThrow(!body.viscosity.any(),
              ExcMessage(name + "'Stiffness damping' and bulk viscosity are for bodies that "
                                "deform."));
}
} // namespace

template <int dim>
void
check_body(const BodyParameters<dim> &body)
{
  const std::string section = "Bodies/" + body.name;
  check_shell(body);
  check_rigid(body);
  AssertThrow(
      (body.failure_strain == 0 && !body.initial_stress && !body.initial_plastic_strain) ||
          !(body.mesh.is_shell() || body.rigid.is_rigid),
      ExcMessage("'" + section +
                 "': 'Failure strain', 'Initial stress' and 'Initial plastic strain' are for "
                 "cells of solids that deform."));
  const auto is_plastic = [](const auto &entry)
  { return dynamic_cast<const PlasticMaterial<dim> *>(entry.second.get()) != nullptr; };
  AssertThrow(!body.initial_plastic_strain ||
                  std::any_of(body.materials.begin(), body.materials.end(), is_plastic),
              ExcMessage("'" + section +
                         "/Initial plastic strain' is for plastic materials; the body has none "
                         "('Material/Model')."));
  AssertThrow(body.failure_strain == 0 || body.strain_integration != StrainIntegration::nodal,
              ExcMessage("'" + section +
                         "/Failure strain' does not go with 'Strain integration' = nodal."));
  AssertThrow(!body.viscosity.any() ||
                  (!body.mesh.is_shell() && body.strain_integration != StrainIntegration::nodal),
              ExcMessage("'" + section +
                         "': 'Stiffness damping' and bulk viscosity are for cells of solids, not "
                         "for shells, and not with 'Strain integration' = nodal."));
}

template void check_body(const BodyParameters<2> &);
template void check_body(const BodyParameters<3> &);
} // namespace KickDrift
