// What goes to and fro between bodies and other solvers: forces, impulses, stresses, states, looks.

#include "test_bar.h"

#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Weight along y of a mesh of density 2, as a solver assembles it: 2 g int N dV.
template <int dim>
Vector<double>
weight(const DoFHandler<dim> &dofs, const double g, const bool condensed)
{
  const QGauss<dim> quadrature(2);
  FEValues<dim> values(dofs.get_fe(), quadrature, update_values | update_JxW_values);
  AffineConstraints<double> constraints;
  if (condensed)
    DoFTools::make_hanging_node_constraints(dofs, constraints);
  constraints.close();
  Vector<double> result(dofs.n_dofs()), of_cell(dofs.get_fe().n_dofs_per_cell());
  std::vector<types::global_dof_index> ids(of_cell.size());
  for (const auto &cell : dofs.active_cell_iterators())
  {
    values.reinit(cell);
    cell->get_dof_indices(ids);
    of_cell = 0;
    for (const unsigned int q : values.quadrature_point_indices())
      for (unsigned int i = 0; i < ids.size(); ++i)
        if (dofs.get_fe().system_to_component_index(i).first == 1)
          of_cell(i) += 2 * g * values.shape_value(i, q) * values.JxW(q);
    constraints.distribute_local_to_global(of_cell, ids, result);
  }
  return result;
}

/// Sum of the entries of each component.
template <int dim>
Tensor<1, dim>
resultant(const DynamicBody<dim> &body, const Vector<double> &vector)
{
  Tensor<1, dim> sum;
  for (unsigned int i = 0; i < body.body().n_nodes(); ++i)
  {
    const auto dofs = body.body().dofs_of_node(body.body().first_node() + i);
    for (unsigned int d = 0; d < dim; ++d)
      sum[d] += vector(dofs[d]);
  }
  return sum;
}

template <int dim>
double
largest_difference(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  double result = 0;
  for (unsigned int node = 0; node < a.size(); ++node)
    result = std::max({result, (a.displacement(node) - b.displacement(node)).norm(),
                       (a.velocity(node) - b.velocity(node)).norm()});
  return result;
}

/// A bar that is pulled by a load, damped, and flies into a wall that moves.
std::unique_ptr<TestBar<2>>
busy_bar(const StepperParameters &stepping = {})
{
  auto bar =
      std::make_unique<TestBar<2>>(true, stepping, std::make_shared<NeoHookean<2>>(2., 1., 0.2));
  Vector<double> velocity(bar->dofs.n_dofs());
  velocity = -0.05;
  bar->body->set_velocity(velocity);
  bar->body->load({BodyLoad<2>::Type::traction, function<2>("0.01*t; 0.005")}, {1});
  bar->body->damp(0.01);
  bar->body->set_viscosity({0.05, 0.06, 1.2});
  bar->body->set_forces(weight(bar->dofs, -0.01, false));
  bar->dynamics.enable_contact(
      ContactParameters(),
      {{"wall", std::make_shared<HalfSpace<2>>(Point<2>(0, -0.02), Point<2>(0, 1)),
        [](const double t) {
          return Tensor<1, 2>({0, 0.001 * t});
        }}});
  return bar;
}
} // namespace

// To rounding with one clock for all; nodes with clocks of their own are a little apart in between.
TEST(NodalForces, AssembledWeightLetsAllNodesFallAlikeHoweverTheyHang)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
    for (const bool is_refined : {false, true})
      for (const bool condensed : {false, true})
      {
        StepperParameters stepping;
        stepping.clocks = clocks;
        TestBar<3> bar(is_refined, stepping);
        bar.body->set_forces(weight(bar.dofs, -0.1, condensed));
        bar.dynamics.advance_to(1.5);
        const auto &nodes = bar.dynamics.state();
        double worst = 0;
        for (unsigned int node = 0; node < nodes.size(); ++node)
          worst =
              std::max(worst, (nodes.velocity(node) - Tensor<1, 3>({0, -0.15, 0})).norm() / 0.15);
        EXPECT_LT(worst, clocks == Clocks::one ? 1e-12 : 0.01);
      }
}

// The bar falls, so that all of its kicks come when they would alone; forces that change act from
// the next kick on.
TEST(NodalForces, AreHeldUntilTheNextOnesAndInTheBalance)
{
  TestBar<2> bar;
  bar.dynamics.stop_at_energy_error(0.02);
  const auto once = weight(bar.dofs, 0.1, false), twice = weight(bar.dofs, 0.2, false);
  bar.body->set_forces(twice); // replaced before the start
  bar.body->set_forces(once);
  bar.dynamics.advance_to(2);
  EXPECT_NEAR(bar.momentum()[1], 0.2 * TestBar<2>::mass, 1e-12);
  bar.body->set_forces(Vector<double>(bar.dofs.n_dofs())); // the same for what is replaced now
  bar.body->set_forces(twice);
  EXPECT_NEAR(bar.momentum()[1], 0.2 * TestBar<2>::mass, 1e-12) << "what has been kicked stays";
  const auto before = bar.dynamics.energy();
  bar.dynamics.advance_to(4);
  double longest = 0;
  for (unsigned int id = 0; id < bar.dynamics.stepper().levels().n_kicks(); ++id)
    longest = std::max(longest, bar.dynamics.stepper().levels().step(id));
  EXPECT_NEAR(bar.momentum()[1], 0.6 * TestBar<2>::mass, 0.05 * longest * TestBar<2>::mass);
  EXPECT_GT(std::abs(bar.momentum()[1] - 0.6 * TestBar<2>::mass), 0);
  const auto after = bar.dynamics.energy();
  EXPECT_NEAR(after.total(), before.total(), 1e-2 * after.kinetic);
  EXPECT_NEAR(before.external_work, 0.5 * TestBar<2>::mass * 0.04, 1e-3);
}

// Against the same load by load(), through class boundaries and the mesh of hanging nodes.
TEST(NodalForces, AreAsGoodAsALoad)
{
  for (const bool is_refined : {false, true})
  {
    TestBar<2> by_load(is_refined), by_forces(is_refined);
    by_load.body->load(gravity(Tensor<1, 2>({0, 1e-4})));
    by_forces.body->set_forces(weight(by_forces.dofs, 1e-4, false));
    for (auto *bar : {&by_load, &by_forces})
    {
      bar->body->restrain({0});
      bar->dynamics.advance_to(30);
    }
    const auto &expected = by_load.dynamics.state();
    double largest = 0;
    for (unsigned int node = 0; node < expected.size(); ++node)
      largest = std::max(largest, expected.displacement(node).norm());
    EXPECT_GT(largest, 0.01);
    EXPECT_LT(largest_difference(by_forces.dynamics.state(), expected), 0.01 * largest);
    const auto energy = by_forces.dynamics.energy();
    EXPECT_LT(std::abs(energy.total()), 0.01 * energy.external_work);
  }
}

// A bar whose middle is suddenly warm: of D'Alembert, v = c/2 (e(x - c t) - e(x + c t)) with the
// strain e = alpha T that it would have without stress, as long as nothing has come to the ends.
TEST(NodalForces, HeatLetsWavesRunAsDAlembertSays)
{
  const double E = 1, rho = 2, c = std::sqrt(E / rho), time = 3;
  const auto strain = [](const double x) { return 0.001 * std::exp(-std::pow((x - 5) / 0.8, 2)); };
  double last = 0;
  for (const unsigned int n : {40, 80})
  {
    Triangulation<2> mesh;
    GridGenerator::subdivided_hyper_rectangle(mesh, {n, 1}, Point<2>(), Point<2>(10, 1));
    for (const auto &cell : mesh.active_cell_iterators()) // class boundaries on the way
      if (cell->center()[0] < 4)
        cell->set_refine_flag();
    mesh.execute_coarsening_and_refinement();
    const MappingQ1<2> mapping;
    DoFHandler<2> dofs(mesh);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    Vector<double> forces(dofs.n_dofs()); // int B^T E alpha T
    const QGauss<2> quadrature(3);
    FEValues<2> values(dofs.get_fe(), quadrature,
                       update_gradients | update_JxW_values | update_quadrature_points);
    std::vector<types::global_dof_index> ids(8);
    for (const auto &cell : dofs.active_cell_iterators())
    {
      values.reinit(cell);
      cell->get_dof_indices(ids);
      for (const unsigned int q : values.quadrature_point_indices())
        for (unsigned int i = 0; i < ids.size(); ++i)
          if (dofs.get_fe().system_to_component_index(i).first == 0)
            forces(ids[i]) += values.shape_grad(i, q)[0] * E *
                              strain(values.quadrature_point(q)[0]) * values.JxW(q);
    }
    Dynamics<2> dynamics;
    auto &bar = dynamics.add_body(dofs, mapping, std::make_shared<LinearElastic<2>>(rho, E, 0.));
    bar.set_forces(forces);
    dynamics.advance_to(time);
    const auto &nodes = dynamics.state();
    double worst = 0;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const double x = nodes.reference(node)[0];
      const double expected = c / 2 * (strain(x - c * time) - strain(x + c * time));
      worst = std::max(worst, std::abs(nodes.velocity(node)[0] - expected));
    }
    EXPECT_LT(worst, 0.05 * c / 2 * 0.001);
    if (last > 0)
    {
      EXPECT_LT(worst, 0.35 * last) << "second order";
    }
    last = worst;
  }
}

TEST(NodalForces, ActAtTheTimesOfTheRunHoweverItBegins)
{
  for (const double begin : {0., 3., -2.})
  {
    TestBar<2> bar;
    bar.dynamics.set_start_time(begin);
    bar.body->set_forces(Vector<double>(bar.dofs.n_dofs()));
    bar.dynamics.advance_to(begin + 1);
    bar.body->set_forces(weight(bar.dofs, 0.1, false));
    bar.dynamics.advance_to(begin + 3);
    EXPECT_NEAR(bar.momentum()[1], 0.2 * TestBar<2>::mass, 0.03 * TestBar<2>::mass) << begin;
  }
}

TEST(NodalForces, GivenBetweenStartAndFirstStepDoTheirWork)
{
  double drift[2];
  for (const bool is_late : {false, true})
  {
    TestBar<2> bar(true);
    bar.body->restrain({0});
    const auto forces = weight(bar.dofs, 1e-3, false);
    bar.body->set_forces(is_late ? Vector<double>(bar.dofs.n_dofs()) : forces);
    bar.dynamics.start();
    if (is_late)
      bar.body->set_forces(forces);
    bar.dynamics.advance_to(5);
    const auto energy = bar.dynamics.energy();
    drift[is_late] = energy.total() / energy.external_work;
  }
  EXPECT_LT(std::abs(drift[0]), 1e-3);
  EXPECT_EQ(drift[0], drift[1]);
}

TEST(NodalForces, MistakesHaveNames)
{
  TestBar<2> bar;
  Vector<double> forces(bar.dofs.n_dofs());
  forces(3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bar.body->set_forces(forces), DynamicsExceptions::ExcForceNotFinite);
  EXPECT_ANY_THROW(bar.body->set_forces(Vector<double>(7)));
  bar.dynamics.start();
  forces = 0;
  EXPECT_THROW(bar.body->set_forces(forces), DynamicsExceptions::ExcForcesTooLate);
}

TEST(Impulses, OfContactAndSupportsAreWhatMomentaHaveLost)
{
  TestBar<3> bar(true);
  bar.body->restrain({0}); // the other end hits a wall, obliquely and with friction
  Vector<double> velocity(bar.dofs.n_dofs());
  for (unsigned int i = 0; i < bar.body->body().n_nodes(); ++i)
  {
    const unsigned int node = bar.body->body().first_node() + i;
    const auto dofs = bar.body->body().dofs_of_node(node);
    velocity(dofs[0]) = 0.1 * bar.dynamics.nodes().reference(node)[0] / 10;
    velocity(dofs[1]) = 0.05 * bar.dynamics.nodes().reference(node)[0] / 10;
  }
  bar.body->set_velocity(velocity);
  ContactParameters contact;
  contact.friction = 0.3;
  bar.dynamics.enable_contact(
      contact,
      {{"wall", std::make_shared<HalfSpace<3>>(Point<3>(10.01, 0, 0), Point<3>(-1, 0, 0)), {}}});
  bar.dynamics.start();
  const auto at_start = bar.momentum();
  Vector<double> impulse(bar.dofs.n_dofs()), reaction(bar.dofs.n_dofs());
  for (const double time : {0.05, 0.5, 3., 9.})
  {
    bar.dynamics.advance_to(time);
    bar.body->get_contact_impulse(impulse);
    bar.body->get_reaction(reaction);
    EXPECT_LT(
        (bar.momentum() - at_start - resultant(*bar.body, impulse) - resultant(*bar.body, reaction))
            .norm(),
        1e-13);
  }
  EXPECT_LT(resultant(*bar.body, impulse)[0], -0.1);
  EXPECT_GT(resultant(*bar.body, reaction).norm(), 0.01);
  EXPECT_EQ(bar.dynamics.contact_statistics().lost, 0u);
}

TEST(CellNumbers, StressOfAUniformStrainIsThatOfTheLaw)
{
  const double E = 1, nu = 0.3, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 + 2 * nu);
  for (const bool is_refined : {false, true})
  {
    TestBar<2> bar(is_refined, {}, std::make_shared<LinearElastic<2>>(2., E, nu));
    Vector<double> u(bar.dofs.n_dofs());
    VectorTools::interpolate(bar.mapping, bar.dofs, *function<2>("0.01*x+0.02*y; -0.03*y"), u);
    bar.body->set_displacement(u);
    for (unsigned int run = 0; run < 2; ++run)
    {
      const auto stress = bar.body->stress();
      EXPECT_EQ(stress.size(), bar.triangulation.n_active_cells());
      for (const auto &cell : stress)
      {
        EXPECT_NEAR(cell[0][0], lambda * -0.02 + 2 * mu * 0.01, 1e-12);
        EXPECT_NEAR(cell[1][1], lambda * -0.02 + 2 * mu * -0.03, 1e-12);
        EXPECT_NEAR(cell[2][2], lambda * -0.02, 1e-12);
        EXPECT_NEAR(cell[0][1], 2 * mu * 0.01, 1e-12);
        EXPECT_NEAR(cell[0][2], 0, 1e-15);
      }
      if (run == 0)
        bar.dynamics.start();
    }
  }
}

TEST(CellNumbers, StatesOfTheStartComeBackByCell)
{
  TestBar<2> bar(true, {}, std::make_shared<J2Plasticity<2>>(2., 1., 0.3, 0.1, 0.01));
  bar.body->set_initial_states(
      [](const HistoryMaterial<2> &material, const Point<2> &x)
      { return dynamic_cast<const PlasticMaterial<2> &>(material).hardened_state(0.01 * x[0]); });
  EXPECT_EQ(bar.body->output_names().count("equivalent_plastic_strain"), 1u);
  EXPECT_THROW(bar.body->output("temperature"), DynamicsExceptions::ExcNoSuchOutput);
  const auto strain = bar.body->output("equivalent_plastic_strain");
  for (const auto &cell : bar.triangulation.active_cell_iterators())
    EXPECT_NEAR(strain[cell->active_cell_index()], 0.01 * cell->center()[0], 1e-14);
  EXPECT_THROW(bar.body->set_failure_strain(0.1), DynamicsExceptions::ExcKicksMade);
}

TEST(BodyOptions, InitialStressIsThere)
{
  TestBar<3> bar(true);
  bar.body->set_initial_stress(
      [](const Point<3> &x)
      {
        SymmetricTensor<2, 3> stress;
        stress[0][0] = 0.1 + 0.01 * x[0];
        return stress;
      });
  const auto stress = bar.body->stress();
  for (const auto &cell : bar.triangulation.active_cell_iterators())
    EXPECT_NEAR(stress[cell->active_cell_index()][0][0], 0.1 + 0.01 * cell->center()[0], 1e-14);
}

TEST(BodyOptions, CellsFailAtTheStrainThatIsGiven)
{
  for (const double strain : {0.01, 0.5})
  {
    TestBar<2> bar;
    bar.body->set_failure_strain(strain);
    bar.body->restrain({0});
    bar.body->load({BodyLoad<2>::Type::traction, function<2>("0.02; 0")}, {1});
    bar.dynamics.advance_to(20);
    EXPECT_EQ(bar.body->body().n_deleted_cells() > 0, strain < 0.1);
    EXPECT_EQ(bar.dynamics.energy().eroded_energy > 0, strain < 0.1);
  }
}

// The first mode of the bar that is held at one end, u = sin(pi x / 2L), decays by tau omega^2 / 2.
TEST(BodyOptions, StiffnessDampingLetsTheFirstModeDecay)
{
  const double tau = 0.5, omega = numbers::PI / 20 * std::sqrt(0.5);
  TestBar<2> bar(true);
  bar.body->set_viscosity({7 * tau, 1, 1}); // replaced
  bar.body->set_viscosity({tau, 0, 0});
  bar.body->restrain({0});
  Vector<double> u(bar.dofs.n_dofs());
  VectorTools::interpolate(bar.mapping, bar.dofs, *function<2>("0.01*sin(pi*x/20); 0"), u);
  bar.body->set_displacement(u);
  const double period = 2 * numbers::PI / omega;
  bar.dynamics.advance_to(period);
  const auto energy = bar.dynamics.energy();
  const double expected = std::exp(-tau * omega * omega * period);
  EXPECT_NEAR((energy.kinetic + energy.strain) / energy.total(), expected, 0.01 * expected);
}

TEST(BodyOptions, AreNotForAllBodies)
{
  Triangulation<2> square;
  GridGenerator::hyper_cube(square);
  const MappingQ1<2> mapping;
  DoFHandler<2> dofs(square);
  dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  const Body<2>::Materials materials{
      {numbers::invalid_material_id, std::make_shared<LinearElastic<2>>(2., 1., 0.3)}};
  Dynamics<2> dynamics;
  RigidParameters parameters;
  parameters.critical_step = 0.1;
  auto &rigid = dynamics.add_rigid_body(
      std::make_unique<Body<2>>(dofs, mapping, "square", materials), parameters);
  EXPECT_THROW(rigid.set_viscosity({1, 0, 0}), DynamicsExceptions::ExcNotForRigid);
  EXPECT_THROW(rigid.set_failure_strain(1), DynamicsExceptions::ExcNotForRigid);
  EXPECT_THROW(rigid.set_initial_stress({}), DynamicsExceptions::ExcNotForRigid);
  rigid.set_forces(Vector<double>(dofs.n_dofs()));
  dynamics.start();
  EXPECT_EQ(rigid.stress().size(), 1u);
  EXPECT_EQ(rigid.stress().front().norm(), 0);
  EXPECT_THROW(rigid.set_viscosity({1, 0, 0}), DynamicsExceptions::ExcTooLate);
}

// A force through the centre of a rigid body moves it as its mass says.
TEST(NodalForces, MoveRigidBodies)
{
  Triangulation<2> square;
  GridGenerator::hyper_cube(square);
  square.refine_global(2);
  const MappingQ1<2> mapping;
  DoFHandler<2> dofs(square);
  dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  const Body<2>::Materials materials{
      {numbers::invalid_material_id, std::make_shared<LinearElastic<2>>(2., 1., 0.3)}};
  Dynamics<2> dynamics;
  RigidParameters parameters;
  parameters.critical_step = 0.1;
  auto &rigid = dynamics.add_rigid_body(
      std::make_unique<Body<2>>(dofs, mapping, "square", materials), parameters);
  rigid.set_forces(weight(dofs, 0.5, false));
  dynamics.advance_to(2);
  const auto &nodes = dynamics.state();
  for (unsigned int node = 0; node < nodes.size(); ++node)
    EXPECT_LT((nodes.velocity(node) - Tensor<1, 2>({0, 1.})).norm(), 1e-12);
}

TEST(States, ARunGoesBackAndOnWithTheSameBits)
{
  for (const Clocks clocks : {Clocks::nested, Clocks::one})
  {
    StepperParameters stepping;
    stepping.clocks = clocks;
    const auto bar = busy_bar(stepping);
    bar->dynamics.advance_to(0.5);
    const std::string state = bar->dynamics.save();
    const auto run = [](TestBar<2> &of)
    {
      of.dynamics.advance_to(1);
      of.body->set_forces(weight(of.dofs, 0.02, true));
      of.dynamics.advance_to(2);
      return of.dynamics.state();
    };
    const auto expected = run(*bar);
    const auto energy = bar->dynamics.energy();
    EXPECT_GT(bar->dynamics.contact_statistics().collisions, 10u);
    bar->dynamics.load(state);
    EXPECT_EQ(bar->dynamics.time(), 0.5);
    EXPECT_EQ(bar->dynamics.save(), state);
    EXPECT_EQ(largest_difference(run(*bar), expected), 0);
    EXPECT_EQ(bar->dynamics.energy().total(), energy.total());
    const auto other = busy_bar(stepping);
    other->dynamics.start();
    other->dynamics.load(state);
    EXPECT_EQ(largest_difference(run(*other), expected), 0);
  }
}

TEST(States, LieInFilesThatAreWholeOrRefused)
{
  const std::string file = testing::TempDir() + "states_of_test";
  const auto bar = busy_bar();
  EXPECT_THROW(bar->dynamics.save(), DynamicsExceptions::ExcNotReady);
  bar->dynamics.advance_to(0.3);
  bar->dynamics.save_to_file(file);
  const auto other = busy_bar();
  EXPECT_THROW(other->dynamics.load_from_file(file), DynamicsExceptions::ExcNotReady);
  other->dynamics.start();
  other->dynamics.load_from_file(file);
  EXPECT_EQ(largest_difference(other->dynamics.state(), bar->dynamics.state()), 0);
  TestBar<2> different;
  different.dynamics.start();
  EXPECT_THROW(different.dynamics.load_from_file(file), DynamicsExceptions::ExcOtherModel);
  different.dynamics.advance_to(0.1); // it is as it was

  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_TRUE(contains(message_of([&] { other->dynamics.load_from_file(file); }), file));
  std::remove(file.c_str());
  EXPECT_TRUE(contains(message_of([&] { other->dynamics.load_from_file(file); }), file));
  EXPECT_TRUE(contains(message_of([&] { other->dynamics.save_to_file("no/such/folder"); }),
                       "no/such/folder"));
}

// The load throws once; without it the run would have gone on.
TEST(States, AreThereAfterAnExceptionInTheMidstOfAStep)
{
  class Failing : public Function<2>
  {
  public:
    Failing() : Function<2>(2) {}
    double
    value(const Point<2> &, const unsigned int component) const override
    {
      AssertThrow(!fails || this->get_time() < 0.7, ExcMessage("the load has no value"));
      return 0.01 * component;
    }
    bool fails = false;
  };
  const auto function = std::make_shared<Failing>();
  TestBar<2> bar(true);
  bar.body->load({BodyLoad<2>::Type::body_force, function});
  bar.dynamics.advance_to(0.5);
  const std::string state = bar.dynamics.save();
  bar.dynamics.advance_to(1);
  const auto expected = bar.dynamics.state();
  bar.dynamics.load(state);
  function->fails = true;
  EXPECT_ANY_THROW(bar.dynamics.advance_to(1));
  EXPECT_THROW(bar.dynamics.save(), StepperExceptions::ExcStopped);
  function->fails = false;
  bar.dynamics.load(state);
  bar.dynamics.advance_to(1);
  EXPECT_EQ(largest_difference(bar.dynamics.state(), expected), 0);
}

// Of a run that began later: functions know its time from then on.
TEST(States, HaveTheTimeThatTheRunHad)
{
  const auto make = [](const double begin)
  {
    auto bar = std::make_unique<TestBar<2>>();
    bar->dynamics.set_start_time(begin);
    bar->body->load({BodyLoad<2>::Type::body_force, function<2>("0; t")});
    return bar;
  };
  const auto late = make(3), early = make(0);
  late->dynamics.advance_to(4);
  early->dynamics.start();
  early->dynamics.load(late->dynamics.save());
  for (auto *bar : {late.get(), early.get()})
    bar->dynamics.advance_to(5);
  EXPECT_EQ(early->dynamics.time(), 5);
  EXPECT_EQ(largest_difference(early->dynamics.state(), late->dynamics.state()), 0);
}

TEST(States, DeletedCellsDoNotComeBack)
{
  const auto make = []
  {
    auto bar = std::make_unique<TestBar<2>>();
    bar->body->set_failure_strain(0.01);
    bar->body->restrain({0});
    bar->body->load({BodyLoad<2>::Type::traction, function<2>("0.02; 0")}, {1});
    return bar;
  };
  const auto bar = make();
  bar->dynamics.advance_to(1);
  const std::string early = bar->dynamics.save();
  bar->dynamics.advance_to(20);
  const std::string late = bar->dynamics.save();
  EXPECT_THROW(bar->dynamics.load(early), DynamicsExceptions::ExcCellsDeleted);
  bar->dynamics.load(late);
  bar->dynamics.advance_to(25);
  const auto other = make();
  other->dynamics.start();
  other->dynamics.load(early);
  other->dynamics.load(late);
  other->dynamics.advance_to(25);
  EXPECT_EQ(largest_difference(other->dynamics.state(), bar->dynamics.state()), 0);
}

TEST(Observers, LookInTimeAndLeaveTheRunAlone)
{
  const auto alone = busy_bar();
  alone->dynamics.advance_to(1);
  const auto seen = busy_bar();
  std::vector<double> often, rarely;
  double work = 0;
  seen->dynamics.call_every(0.1,
                            [&](const double time)
                            {
                              EXPECT_EQ(time, seen->dynamics.time());
                              often.push_back(time);
                              work += seen->dynamics.energy().external_work;
                            });
  seen->dynamics.call_every(0.25, [&](const double time) { rarely.push_back(time); });
  seen->dynamics.advance_to(0.15);
  EXPECT_EQ(often, std::vector<double>({0, 0.1}));
  const std::string state = seen->dynamics.save();
  seen->dynamics.advance_to(1);
  EXPECT_EQ(often.size(), 11u);
  EXPECT_EQ(rarely, std::vector<double>({0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(largest_difference(seen->dynamics.state(), alone->dynamics.state()), 0);
  seen->dynamics.load(state);
  rarely.clear();
  seen->dynamics.advance_to(0.5);
  EXPECT_EQ(rarely, std::vector<double>({0.25, 0.5})) << "looks come again after going back";
}

TEST(Observers, LookOnceAtEveryTimeWhereverRunsBegin)
{
  for (const double begin : {0., -1.2, 2.})
  {
    TestBar<2> bar;
    std::vector<double> looks;
    bar.dynamics.set_start_time(begin);
    bar.dynamics.call_every(0.5, [&](const double time) { looks.push_back(time); });
    bar.dynamics.start();
    bar.dynamics.load(bar.dynamics.save());
    bar.dynamics.advance_to(begin + 1.2);
    EXPECT_EQ(looks, begin == 0   ? std::vector<double>({0, 0.5, 1})
                     : begin == 2 ? std::vector<double>({2, 2.5, 3})
                                  : std::vector<double>({-1, -0.5, 0}));
  }
}

TEST(Observers, TimesAreThoseOfTheProgramInSpiteOfRounding)
{
  TestBar<2> bar;
  std::vector<double> looks;
  bar.dynamics.call_every(0.1, [&](const double time) { looks.push_back(time); });
  for (const double until : {0.3, 0.6, 0.7})
  {
    bar.dynamics.advance_to(until);
    EXPECT_EQ(looks.back(), until);
    EXPECT_EQ(looks.size(), std::lround(10 * until) + 1u);
  }
}

TEST(Observers, MistakesHaveNames)
{
  TestBar<2> bar;
  auto &dynamics = bar.dynamics;
  EXPECT_THROW(dynamics.call_every(0, [](double) {}), DynamicsExceptions::ExcInterval);
  EXPECT_THROW(dynamics.call_every(1, {}), DynamicsExceptions::ExcInterval);
  dynamics.call_every(1, [&](const double time) { dynamics.advance_to(time + 1); });
  EXPECT_THROW(dynamics.advance_to(1), DynamicsExceptions::ExcCalledByObserver);
  EXPECT_THROW(dynamics.call_every(1, [](double) {}), DynamicsExceptions::ExcTooLate);
}
