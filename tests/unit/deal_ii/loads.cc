// Loads, damping and motions that a program asks a body for, against closed forms.

#include "test_bar.h"

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_kicks.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
void
check_momentum(const BodyLoad<dim> &load, const std::set<types::boundary_id> &boundaries,
               const Tensor<1, dim> &expected, const double tolerance)
{
  for (const bool is_refined : {false, true})
  {
    TestBar<dim> bar(is_refined);
    bar.body->load(load, boundaries);
    bar.dynamics.advance_to(1.5);
    EXPECT_LT((bar.momentum() - expected).norm(), tolerance) << bar.momentum();
  }
}
} // namespace

// The bar of 1D: its tip swings between 0 and rho g L^2 / E, with the period 4 L / c.
TEST(BodyLoads, AHangingBarSwingsAsLongAsItsWavesSayHoweverOftenEnergyIsLookedAt)
{
  for (const double interval : {0.02, 0.3, 2., 100.})
  {
    TestBar<3> bar;
    bar.body->restrain({0});
    bar.body->load(gravity(Tensor<1, 3>({1e-3, 0, 0})));
    bar.dynamics.stop_at_energy_error(0.02);
    const double half_period = 20 * std::sqrt(2.);
    for (double time = interval; time < half_period; time += interval)
      bar.dynamics.advance_to(time);
    bar.dynamics.advance_to(half_period);
    Vector<double> u(bar.dofs.n_dofs());
    bar.body->get_displacement(u);
    EXPECT_NEAR(u.linfty_norm(), 2 * 1e-3 * 100 / 1., 0.003) << interval;
    bar.dynamics.advance_to(2 * half_period);
    bar.body->get_displacement(u);
    EXPECT_NEAR(u.linfty_norm(), 0, 0.003) << interval;
  }
}

// (m g)^2 L / (6 E A), however the cells are.
TEST(BodyLoads, EnergyThatMattersIsThatOfAHangingBar)
{
  const double g = 0.01, length = 10, E = 1;
  for (const bool is_refined : {false, true})
  {
    TestBar<2> bar(is_refined);
    const auto &nodes = bar.dynamics.nodes();
    const auto &body = bar.body->body();
    const auto load = gravity(Tensor<1, 2>({0, g}));
    const auto shares = load_shares(load, body, {});
    const auto kicks = make_loads("gravity", load, shares, nodes).kicks;
    BodyAsWhole whole =
        body_as_whole(nodes, body.first_node(), body.n_nodes(), 16, 2, length / (4 * 2));
    EXPECT_NEAR(whole.mass, TestBar<2>::mass, 1e-12);
    EXPECT_NEAR(whole.transit_time, length, 1e-12);
    whole.transit_time = length * std::sqrt(2 / E);
    EXPECT_NEAR(energy_of_loads<2>(nodes, {kicks}, {whole}, 0.),
                std::pow(TestBar<2>::mass * g, 2) * length / (6 * E * TestBar<2>::area), 1e-12);
  }
}

TEST(BodyLoads, MomentumIsWhatLoadsGive)
{
  const double time = 1.5;
  check_momentum<3>(gravity(Tensor<1, 3>({0, 0.01, -0.02})), {},
                    TestBar<3>::mass * time * Tensor<1, 3>({0, 0.01, -0.02}), 1e-12);
  using Load2 = BodyLoad<2>;
  // over the volume: the mean of x is 5, that of y 1/2
  const double impulse = 1 - std::cos(time);
  check_momentum<2>({Load2::Type::body_force, function<2>("0.01*x*sin(t); 0.02*y*sin(t)")}, {},
                    impulse * Tensor<1, 2>({0.5, 0.1}), 4e-3);
  check_momentum<2>({Load2::Type::acceleration, function<2>("0.01*x; 0.02*y"), false}, {},
                    2 * time * Tensor<1, 2>({0.5, 0.1}), 1e-12);
  check_momentum<2>({Load2::Type::traction, function<2>("0.01*t; 0.02"), true}, {1},
                    Tensor<1, 2>({0.005 * time * time, 0.02 * time}), 1e-3);
  const std::function<double(double)> factor = [](const double t) { return 3 * t * t; };
  check_momentum<2>({Load2::Type::traction, function<2>("0; 0.02"), false, factor}, {0, 1},
                    Tensor<1, 2>({0, 0.04 * std::pow(time, 3)}), 1e-3);
  // against the outward normal of the upper end at x = 0; and all around
  check_momentum<2>({Load2::Type::pressure, function<2>("0.001", 1)}, {0},
                    Tensor<1, 2>({0.001 * time, 0}), 1e-5);
  check_momentum<2>({Load2::Type::pressure, function<2>("0.001", 1), false, factor}, {0},
                    Tensor<1, 2>({0.001 * std::pow(time, 3), 0}), 1e-4);
  check_momentum<2>({Load2::Type::pressure, function<2>("0.001", 1)}, {}, Tensor<1, 2>(), 1e-9);
}

TEST(BodyLoads, ShellsAndRigidBodies)
{
  Triangulation<3> cubes;
  GridGenerator::hyper_cube(cubes, -1, 1);
  const MappingQ1<3> mapping;
  DoFHandler<3> dofs(cubes);
  dofs.distribute_dofs(FESystem<3>(FE_Q<3>(1), 3));
  Triangulation<2, 3> squares, triangles;
  GridGenerator::hyper_cube(squares, 3, 5);
  squares.refine_global(2);
  GridGenerator::convert_hypercube_to_simplex_mesh(squares, triangles);
  const FE_SimplexP<2, 3> simplex(1);
  const MappingFE<2, 3> shell_mapping(simplex);
  DoFHandler<2, 3> shell_dofs(triangles);
  shell_dofs.distribute_dofs(FESystem<2, 3>(simplex, 3));

  Dynamics<3> dynamics;
  const Body<3>::Materials materials{
      {numbers::invalid_material_id, std::make_shared<LinearElastic<3>>(2., 1., 0.3)}};
  RigidParameters rigid;
  rigid.mass = 5;
  auto &cube =
      dynamics.add_rigid_body(std::make_unique<Body<3>>(dofs, mapping, "cube", materials), rigid);
  ShellSection section;
  section.density = 3;
  section.youngs_modulus = 10;
  section.poisson_ratio = 0.3;
  section.thickness = 0.1;
  auto &shell = dynamics.add_shell(shell_dofs, shell_mapping, section);
  const Tensor<1, 3> g({0.1, -0.2, 0.3});
  cube.load(gravity(g));
  shell.load(gravity(g));
  shell.load({BodyLoad<3>::Type::traction, function<3>("0.01; 0; 0")});
  dynamics.advance_to(0.5);
  const auto &nodes = dynamics.state();
  const auto velocity = nodes.velocity(cube.body().first_node());
  EXPECT_LT((velocity - 0.5 * g).norm(), 1e-12);
  for (unsigned int i = 0; i < shell.body().n_nodes(); ++i)
    EXPECT_LT((nodes.velocity(shell.body().first_node() + i) - 0.5 * g -
               0.5 * Tensor<1, 3>({0.01 / (3 * 0.1), 0, 0}))
                  .norm(),
              1e-10);
}

TEST(BodyLoads, DampedVelocitiesDieOut)
{
  TestBar<2> bar;
  Vector<double> velocity(bar.dofs.n_dofs());
  velocity = 1;
  bar.body->set_velocity(velocity);
  bar.body->damp([](const double t) { return t < 1 ? 0. : 2.; });
  bar.dynamics.advance_to(1);
  EXPECT_NEAR(bar.momentum()[0], TestBar<2>::mass, 0.05 * TestBar<2>::mass);
  bar.dynamics.advance_to(2);
  EXPECT_NEAR(bar.momentum()[0], TestBar<2>::mass * std::exp(-2.), 0.01 * TestBar<2>::mass);
}

// A bar that is pulled at its end with the speed v, slower than its waves: the stress is rho c v
// behind the first one, and doubles at the held end.
TEST(BodyLoads, EndsMoveAsTheyAreTold)
{
  TestBar<2> bar;
  ComponentMask along(2, false);
  along.set(0, true);
  bar.body->restrain({0});
  bar.body->move({1}, function<2>("0.001*t; 0"), along);
  bar.dynamics.stop_at_energy_error(0.1); // of the energy of the end
  for (double time = 0.5; time <= 40; time += 0.5)
    bar.dynamics.advance_to(time);
  Vector<double> u(bar.dofs.n_dofs());
  bar.body->get_displacement(u);
  EXPECT_NEAR(u.linfty_norm(), 0.04, 1e-12);
  const EnergyBalance energies = bar.dynamics.energy();
  EXPECT_GT(energies.prescribed_work, 0.5 * 0.1 * 0.04 * 0.04);
  EXPECT_NEAR(energies.total(), 0, 0.02 * energies.prescribed_work);
}

TEST(BodyLoads, MistakesHaveNames)
{
  TestBar<2> bar;
  using Load2 = BodyLoad<2>;
  using Exceptions = DynamicsExceptions;
  const auto two = function<2>("0; t");
  EXPECT_THROW(bar.body->load({Load2::Type::traction, nullptr}), Exceptions::ExcNoFunction);
  EXPECT_THROW(bar.body->load({Load2::Type::pressure, two}), Exceptions::ExcFunctionComponents);
  EXPECT_THROW(bar.body->load({Load2::Type::traction, two}, {17}), Exceptions::ExcNoSuchBoundary);
  EXPECT_THROW(bar.body->load({Load2::Type::body_force, two}, {0}), Exceptions::ExcNotOnBoundary);
  EXPECT_THROW(bar.body->damp(-1), Exceptions::ExcDamping);
  EXPECT_THROW(bar.body->damp(std::function<double(double)>()), Exceptions::ExcNoFunction);
  EXPECT_THROW(bar.body->move({0}, nullptr), Exceptions::ExcNoFunction);
  bar.body->damp(1);
  EXPECT_THROW(bar.body->damp(1), Exceptions::ExcDampedTwice);
  bar.body->move({0}, function<2>("1; 0"));
  EXPECT_THROW(bar.dynamics.start(), Exceptions::ExcMotionAtStart);
  TestBar<2> other;
  other.dynamics.start();
  EXPECT_THROW(other.body->load({Load2::Type::traction, two}), Exceptions::ExcTooLate);
  EXPECT_THROW(other.body->damp(1), Exceptions::ExcTooLate);
  EXPECT_THROW(other.body->move({0}, two), Exceptions::ExcTooLate);
  TestBar<2> wild;
  wild.body->load({Load2::Type::body_force, function<2>("0; log(1-t)")});
  EXPECT_ANY_THROW(wild.dynamics.advance_to(3));
}
