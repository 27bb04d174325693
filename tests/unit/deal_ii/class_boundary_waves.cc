// Frequencies of bodies whose cells have several step classes: second order in the mesh, and hardly
// further from the exact ones than with one clock.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include "unit/deal_ii/linear_mesh.h"

#include <cmath>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Cells of a unit square or cube.
struct CellKind
{
  bool simplices;
  StrainIntegration integration;
  double poisson;
};

/// That vibrates along x between sides that slide on walls: u_x = a sin(pi x) cos(omega t).
template <int dim>
class Block
{
public:
  /// @param n cells along each side, scattered, and seven times as long along x at one end
  Block(const CellKind &kind, const unsigned int n, const StepperParameters &parameters)
      : mesh(cubes(n), kind.simplices), dynamics(parameters)
  {
    GridTools::transform(
        [](const Point<dim> &p)
        {
          Point<dim> q = p;
          q[0] = 0.25 * p[0] + 0.75 * p[0] * p[0];
          return q;
        },
        mesh.triangulation);
    mesh.distribute();

    AffineConstraints<double> walls;
    shape.reinit(mesh.dofs.n_dofs());
    mesh.for_each_dof(
        [&](const types::global_dof_index dof, const unsigned int c, const Point<dim> &x)
        {
          if (c == 0)
            shape[dof] = std::sin(numbers::PI * x[0]);
          if (x[c] < 1e-10 || x[c] > 1 - 1e-10)
            walls.add_line(dof);
        });
    walls.close();
    typename Body<dim>::Materials materials;
    if (kind.integration == StrainIntegration::mean_dilatation)
      materials[0] = std::make_shared<NeoHookean<dim>>(1., 1., kind.poisson);
    else
      materials[0] = std::make_shared<LinearElastic<dim>>(1., 1., kind.poisson);
    body = &dynamics.add_body(mesh.dofs, *mesh.mapping, materials, "block", kind.integration);
    Vector<double> start(shape);
    start *= 1e-5;
    body->set_displacement(start);
    body->restrain(walls);
    dynamics.start();
  }

  /// From when it passes through zero for the sixth time, of which @p expected is not far [1/time].
  double
  frequency(const double expected)
  {
    constexpr double phase = 5.5 * numbers::PI;
    const double time = phase / expected;
    dynamics.advance_to(time);
    Vector<double> u(mesh.dofs.n_dofs()), v(mesh.dofs.n_dofs());
    body->get_displacement(u);
    body->get_velocity(v);
    return phase / (time - (u * shape) / (v * shape));
  }

  bool
  has_boundaries() const
  {
    return dynamics.stepper().sweep_rate() > 0;
  }

private:
  static Triangulation<dim>
  cubes(const unsigned int n)
  {
    Triangulation<dim> result;
    GridGenerator::subdivided_hyper_cube(result, n);
    GridTools::distort_random(0.15, result);
    return result;
  }

  LinearMesh<dim> mesh;
  Vector<double> shape;
  Dynamics<dim> dynamics;
  DynamicBody<dim> *body;
};

/// @param coarse, fine cells along each side
template <int dim>
void
check(const CellKind &kind, const unsigned int coarse, const unsigned int fine)
{
  const double nu = kind.poisson, modulus = (1 - nu) / ((1 + nu) * (1 - 2 * nu));
  const double exact = numbers::PI * std::sqrt(modulus);
  for (const double ratio : {0.5, 0.9})
  {
    SCOPED_TRACE(std::to_string(dim) + "D, " + std::to_string(kind.simplices) + " " +
                 std::to_string(static_cast<int>(kind.integration)) + ", " + std::to_string(ratio));
    std::vector<double> errors;
    for (const unsigned int n : {coarse, fine})
    {
      StepperParameters parameters;
      parameters.time_step_ratio = ratio;
      Block<dim> nested(kind, n, parameters);
      ASSERT_TRUE(nested.has_boundaries());
      const double filtered = nested.frequency(exact);
      parameters.class_boundary = ClassBoundary::plain;
      const double plain = Block<dim>(kind, n, parameters).frequency(exact);
      parameters.clocks = Clocks::one;
      const double one = Block<dim>(kind, n, parameters).frequency(exact);
      parameters.time_step_ratio = 0.5 * ratio;
      const double one_more = Block<dim>(kind, n, parameters).frequency(exact);
      const double of_mesh = one_more - (one - one_more) / 3; // leapfrog's error is of second order
      errors.push_back(std::abs(filtered - of_mesh));
      if (nu < 0.49) // else the error of the mesh changes its sign
      {
        EXPECT_LT(std::abs(filtered - exact), 1.2 * std::abs(one - exact)) << n;
      }
      EXPECT_LT(errors.back(), 0.5 * std::abs(plain - of_mesh)) << n;
    }
    const double order = std::log(errors[0] / errors[1]) / std::log(double(fine) / coarse);
    EXPECT_GT(order, 1.8);
  }
}
} // namespace

TEST(ClassBoundaryWaves, FrequenciesAreOfSecondOrder)
{
  using Integration = StrainIntegration;
  for (const CellKind &kind :
       {CellKind{false, Integration::standard, 0.3}, CellKind{true, Integration::standard, 0.3},
        CellKind{false, Integration::one_point, 0.3},
        CellKind{false, Integration::mean_dilatation, 0.4999}})
    check<2>(kind, 12, 24);
  check<2>({true, Integration::nodal, 0.3}, 16, 32);
  check<3>({false, Integration::standard, 0.3}, 8, 12);
  check<3>({true, Integration::standard, 0.3}, 6, 9);
}
