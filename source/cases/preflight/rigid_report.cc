#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/rigid_report.h>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
const RigidMass &
mass_of(const Model<dim> &model, const MeshedBody<dim> &body)
{
  return model.nodes.rigid_bodies.motion(*body.moving->rigid()).mass();
}

template <int dim>
Point<dim>
centre_of(const RigidMass &mass)
{
  return Point<dim>(from_space<dim>(Tensor<1, 3>(mass.centre)));
}
} // namespace

template <int dim>
std::string
rigid_text(const Model<dim> &model, const MeshedBody<dim> &body)
{
  if (!body.is_rigid())
    return "";
  if (!body.moving->rigid())
    return "; rigid, driven";
  const RigidMass &mass = mass_of(model, body);
  std::string text =
      "; rigid, mass " + number_text(mass.mass) + ", centre " + point_text(centre_of<dim>(mass));
  if (dim == 2)
    return text + ", moment of inertia " + number_text(mass.inertia[2][2]);
  const auto moments = eigenvalues(mass.inertia);
  return text + ", principal moments of inertia " + number_text(moments[0]) + ", " +
         number_text(moments[1]) + ", " + number_text(moments[2]);
}

template <int dim>
std::vector<JsonObject>
rigid_json(const Model<dim> &model)
{
  std::vector<JsonObject> result;
  for (const auto &body : model.bodies)
  {
    if (!body.is_rigid() || !body.moving->rigid())
      continue; // mass and inertia of driven ones do not matter
    const RigidMass &mass = mass_of(model, body);
    const auto &J = mass.inertia;
    const Point<dim> centre = centre_of<dim>(mass);
    std::vector<double> components(dim);
    for (unsigned int d = 0; d < dim; ++d)
      components[d] = centre[d];
    result.push_back(JsonObject()
                         .set("body", body.name())
                         .set("mass", mass.mass)
                         .set("centre", components)
                         .set("inertia", dim == 2
                                             ? std::vector<double>{J[2][2]}
                                             : std::vector<double>{J[0][0], J[1][1], J[2][2],
                                                                   J[0][1], J[0][2], J[1][2]}));
  }
  return result;
}

template std::string rigid_text(const Model<2> &, const MeshedBody<2> &);
template std::string rigid_text(const Model<3> &, const MeshedBody<3> &);
template std::vector<JsonObject> rigid_json(const Model<2> &);
template std::vector<JsonObject> rigid_json(const Model<3> &);
} // namespace KickDrift
