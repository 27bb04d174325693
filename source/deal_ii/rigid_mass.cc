#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/deal_ii/rigid_mass.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <cmath>

namespace KickDrift
{
using namespace dealii;

template <int dim>
RigidMass
rigid_mass(const Body<dim> &body, const RigidParameters &parameters)
{
  // exact for affine cells, whose second moments are of second degree in each direction
  const bool hypercubes = body.dof_handler().get_fe().reference_cell().is_hyper_cube();
  const Quadrature<dim> quadrature =
      hypercubes ? Quadrature<dim>(QGauss<dim>(3)) : Quadrature<dim>(QGaussSimplex<dim>(3));
  FEValues<dim> fe_values(body.mapping(), body.dof_handler().get_fe().base_element(0), quadrature,
                          update_quadrature_points | update_JxW_values);
  RigidMass result;
  Tensor<1, 3> first_moment;
  const auto integrate = [&](const auto &f)
  {
    for (const auto &cell : body.cells())
    {
      const typename Triangulation<dim>::active_cell_iterator mesh_cell = cell;
      fe_values.reinit(mesh_cell);
      const double density = body.material(cell)->density();
      for (const unsigned int q : fe_values.quadrature_point_indices())
        f(in_space<dim>(fe_values.quadrature_point(q)), density * fe_values.JxW(q));
    }
  };
  integrate(
      [&](const Tensor<1, 3> &x, const double mass)
      {
        result.mass += mass;
        first_moment += mass * x;
      });
  result.centre = Point<3>(first_moment / result.mass);
  integrate(
      [&](const Tensor<1, 3> &x, const double mass)
      {
        const Tensor<1, 3> r = x - result.centre;
        result.inertia +=
            mass * (r.norm_square() * unit_symmetric_tensor<3>() - symmetrize(outer_product(r, r)));
      });
  if (parameters.mass)
  {
    result.inertia *= *parameters.mass / result.mass;
    result.mass = *parameters.mass;
  }
  if (parameters.centre)
  {
    AssertThrow(parameters.inertia && std::isfinite(parameters.centre->norm_square()) &&
                    (dim == 3 || (*parameters.centre)[2] == 0),
                DynamicsExceptions::ExcRigidCentre(body.name()));
    result.centre = *parameters.centre;
  }
  if (parameters.inertia)
    result.inertia = *parameters.inertia;
  return result;
}

template RigidMass rigid_mass(const Body<2> &, const RigidParameters &);
template RigidMass rigid_mass(const Body<3> &, const RigidParameters &);
} // namespace KickDrift
