// Stretched bodies at rest, of cells of all kinds and several step classes.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools_interpolate.h>

#include <gtest/gtest.h>

#include "unit/deal_ii/linear_mesh.h"

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
constexpr double strain = 1e-3, poisson = 0.3;

/// What a mesh is made of.
struct Kind
{
  bool simplices, hanging;
  StrainIntegration integration;
};

/// A bar along x, with cells that become eight times as long, held at both ends along x.
template <int dim>
struct Bar
{
  Bar(const Kind &kind, const StepperParameters &parameters)
      : mesh(cubes(), kind.simplices), dynamics(parameters)
  {
    GridTools::transform(
        [](const Point<dim> &p)
        {
          Point<dim> q = p;
          q[0] = 6 * (0.2 * p[0] + 0.8 * std::pow(p[0], 3));
          return q;
        },
        mesh.triangulation);
    if (kind.hanging)
    {
      for (const auto &cell : mesh.triangulation.active_cell_iterators())
        if (cell->center()[0] > 2 && cell->center()[0] < 4 && cell->center()[1] < 0.5)
          cell->set_refine_flag();
      mesh.triangulation.execute_coarsening_and_refinement();
    }
    mesh.distribute();

    // uniaxial stress, which nothing but the ends has to hold
    exact.reinit(mesh.dofs.n_dofs());
    AffineConstraints<double> constraints;
    DoFTools::make_hanging_node_constraints(mesh.dofs, constraints);
    mesh.for_each_dof(
        [&](const types::global_dof_index dof, const unsigned int c, const Point<dim> &x)
        {
          const double contraction = dim == 2 ? poisson / (1 - poisson) : poisson; // plane strain
          exact[dof] = strain * (c == 0 ? 1. : -contraction) * x[c];
          if (c == 0 && (x[0] < 1e-10 || x[0] > 6 - 1e-10))
            constraints.add_line(dof);
        });
    constraints.close();
    typename Body<dim>::Materials materials;
    materials[0] = std::make_shared<LinearElastic<dim>>(1., 1., poisson);
    body = &dynamics.add_body(mesh.dofs, *mesh.mapping, materials, "bar", kind.integration);
    body->set_displacement(exact);
    body->restrain(constraints);
    dynamics.start();
  }

  /// The largest error of a displacement over that of the ends, at 200 ends of intervals of all
  /// classes.
  double
  error()
  {
    const TimeLevels &levels = dynamics.stepper().levels();
    double result = 0, time = 0;
    Vector<double> u(mesh.dofs.n_dofs());
    for (unsigned int i = 0; i < 200; ++i)
    {
      time = levels.next_common_instant(levels.classes().n_classes - 1, time * (1 + 1e-12));
      dynamics.advance_to(time);
      body->get_displacement(u);
      u -= exact;
      result = std::max(result, u.linfty_norm() / (6 * strain));
    }
    return result;
  }

  static Triangulation<dim>
  cubes()
  {
    Triangulation<dim> result;
    std::vector<unsigned int> n(dim, 2);
    n[0] = 12;
    Point<dim> upper;
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = 1;
    GridGenerator::subdivided_hyper_rectangle(result, n, Point<dim>(), upper);
    return result;
  }

  LinearMesh<dim> mesh;
  Vector<double> exact;
  Dynamics<dim> dynamics;
  DynamicBody<dim> *body;
};

template <int dim>
void
check(const Kind &kind)
{
  SCOPED_TRACE(std::to_string(dim) + "D, " + std::to_string(kind.simplices) +
               std::to_string(kind.hanging) + " " +
               std::to_string(static_cast<int>(kind.integration)));
  for (const double ratio : {0.5, 0.9})
  {
    StepperParameters parameters;
    parameters.time_step_ratio = ratio;
    parameters.class_boundary = ClassBoundary::plain;
    Bar<dim> plain(kind, parameters);
    parameters.class_boundary = ClassBoundary::filtered;
    Bar<dim> filtered(kind, parameters);
    const double plain_error = plain.error(), filtered_error = filtered.error();
    EXPECT_GT(plain_error, 1e-4);
    EXPECT_LT(filtered_error, 0.02 * plain_error);
    EXPECT_LE(filtered.dynamics.stepper().n_sweeps(), ratio == 0.5 ? 2u : 3u);
  }
}
} // namespace

TEST(ClassBoundaries, BodiesAtRest)
{
  using Integration = StrainIntegration;
  for (const Kind &kind :
       {Kind{false, false, Integration::standard}, Kind{false, false, Integration::one_point},
        Kind{false, false, Integration::nodal}, Kind{true, false, Integration::standard},
        Kind{true, false, Integration::nodal}, Kind{false, true, Integration::standard},
        Kind{false, true, Integration::one_point}})
  {
    check<2>(kind);
    check<3>(kind);
  }
}

namespace
{
/// A square of 6 x 6 quadrilaterals that become wider along x, from @p narrowest sixths.
struct GradedSquare
{
  explicit GradedSquare(const double narrowest)
      : element(FE_Q<2>(1), 2), mapping(1), dofs(triangulation)
  {
    GridGenerator::subdivided_hyper_rectangle(triangulation, {6, 6}, Point<2>(), Point<2>(1, 1));
    GridTools::transform(
        [&](const Point<2> &p)
        { return Point<2>(narrowest * p[0] + (1 - narrowest) * p[0] * p[0], p[1]); },
        triangulation);
    dofs.distribute_dofs(element);
  }

  /// A neo-Hookean body of it with velocities @p velocity (x).
  void
  add_to(Dynamics<2> &dynamics, const std::function<Tensor<1, 2>(const Point<2> &)> &velocity) const
  {
    Vector<double> velocities(dofs.n_dofs());
    const FunctionFromFunctionObjects<2> components(
        {[&](const Point<2> &x) { return velocity(x)[0]; },
         [&](const Point<2> &x) { return velocity(x)[1]; }});
    VectorTools::interpolate(mapping, dofs, components, velocities);
    dynamics.add_body(dofs, mapping, std::make_shared<NeoHookean<2>>(1., 1., 0.3))
        .set_velocity(velocities);
  }

  Triangulation<2> triangulation;
  const FESystem<2> element;
  const MappingQ<2> mapping;
  DoFHandler<2> dofs;
};
} // namespace

// Classes follow a vibration of large strain, and take hardly any energy from it: without patience
// they change in its rhythm, thousands of times.
TEST(ClassBoundaries, BodiesThatVibrate)
{
  const GradedSquare square(0.3);
  for (const auto boundary : {ClassBoundary::plain, ClassBoundary::filtered})
  {
    StepperParameters parameters;
    parameters.class_boundary = boundary;
    Dynamics<2> dynamics(parameters);
    square.add_to(dynamics,
                  [](const Point<2> &x) {
                    return Point<2>(0.25 * std::cos(numbers::PI * x[0]),
                                    0.25 * std::cos(numbers::PI * x[1]));
                  });
    dynamics.start();
    const double energy = dynamics.energy().total();
    double largest = 0;
    for (double time = 1; time <= 200; ++time)
    {
      dynamics.advance_to(time);
      largest = std::max(largest, std::abs(dynamics.energy().total() / energy - 1));
    }
    if (boundary == ClassBoundary::filtered)
    {
      EXPECT_GT(dynamics.stepper().kick_statistics().back().count, 10000u); // in sweeps
    }
    const auto n_changes = dynamics.stepper().levels().n_class_changes();
    EXPECT_GT(n_changes, 10u); // without patience 1300, and an energy error of 0.09, filtered 0.05
    EXPECT_LT(n_changes, 100u);
    EXPECT_LT(largest, 0.02);
  }
}

// Momentum is kept to round-off, angular momentum as far as positions are found by sweeps: it
// trembles, and does not drift.
TEST(ClassBoundaries, SpinningBodies)
{
  const GradedSquare square(0.1);
  for (const double ratio : {0.5, 0.9})
  {
    StepperParameters parameters;
    parameters.class_boundary = ClassBoundary::filtered;
    parameters.time_step_ratio = ratio;
    Dynamics<2> dynamics(parameters);
    square.add_to(dynamics, [](const Point<2> &x)
                  { return Point<2>(-0.1 * x[1] + 0.05 * std::sin(3 * x[0]), 0.1 * x[0]); });
    dynamics.start();
    const auto sums = [&]
    {
      const auto state = dynamics.state();
      return motion_sums(state, 0, state.size());
    };
    const auto before = sums();
    const double spin = before.angular_momentum[2];
    const TimeLevels &levels = dynamics.stepper().levels();
    ASSERT_GT(dynamics.stepper().sweep_rate(), 0);
    constexpr unsigned int n = 1000;
    double time = 0, mean[2] = {0, 0};
    for (unsigned int i = 0; i < n; ++i)
    {
      time = levels.next_common_instant(levels.classes().n_classes - 1, time + 0.2);
      dynamics.advance_to(time);
      const auto now = sums();
      EXPECT_LT((now.momentum - before.momentum).norm(), 1e-12);
      EXPECT_NEAR(now.angular_momentum[2], spin, 1e-5 * spin);
      mean[i / (n / 2)] += (now.angular_momentum[2] / spin - 1) / (n / 2);
    }
    EXPECT_NEAR(mean[0], mean[1], 1e-6) << ratio;
  }
}
