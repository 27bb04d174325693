// Mistakes of programs that use the library end in exceptions that say what is wrong.

#include "test_body.h"

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/simple_kicks.h>

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_renumbering.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
constexpr double undefined_number = std::numeric_limits<double>::quiet_NaN();

/// A unit square of 4 x 4 cells, perhaps with one refined, in a run.
struct MistakenRun
{
  explicit MistakenRun(
      const bool is_refined = false,
      std::shared_ptr<const Material<2>> material = std::make_shared<NeoHookean<2>>(1., 1., 0.3))
      : mapping(std::make_unique<MappingQ<2>>(1)),
        dofs(std::make_unique<DoFHandler<2>>(triangulation))
  {
    GridGenerator::subdivided_hyper_rectangle(triangulation, {4, 4}, Point<2>(), Point<2>(1, 1),
                                              true);
    if (is_refined)
    {
      triangulation.begin_active()->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }
    dofs->distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    body = &dynamics.add_body(*dofs, *mapping, material, "square");
  }

  Vector<double>
  constant(const double x, const double y = 0) const
  {
    Vector<double> result(dofs->n_dofs());
    VectorTools::interpolate(*mapping, *dofs,
                             Functions::ConstantFunction<2>(std::vector<double>{x, y}), result);
    return result;
  }

  /// Loads of the cells as a program may make them, on the numbers @p at.
  LoadPoints<2>
  points(const LoadShares<2> &shares, const std::vector<unsigned int> &at) const
  {
    LoadPoints<2> result;
    result.nodes_per_kick = result.points_per_kick = 4;
    result.nodes = at;
    result.points = shares.positions;
    result.weights.assign(shares.shares.size() * 4, 0.01);
    return result;
  }

  std::vector<unsigned int>
  ids(const LoadShares<2> &shares) const
  {
    std::vector<unsigned int> result;
    for (const unsigned int cell : shares.active_cell_indices)
      result.push_back(body->id_of_cell(cell));
    return result;
  }

  Triangulation<2> triangulation;
  std::unique_ptr<Mapping<2>> mapping;
  std::unique_ptr<DoFHandler<2>> dofs;
  Dynamics<2> dynamics;
  DynamicBody<2> *body;
};

/// A spring between a node and where it is at first, with nodal stiffnesses of any kind.
struct OddSpring : SimpleKicks<2>
{
  explicit OddSpring(std::vector<double> stiffness) : stiffness(std::move(stiffness)) {}
  std::string
  name() const override
  {
    return "odd";
  }
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int>
  support(unsigned int) const override
  {
    return {3};
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &of_nodes) const override
  {
    of_nodes = stiffness;
  }
  void
  force(const NodeTable<2> &nodes, unsigned int, const double time,
        std::vector<Vector> &force) const override
  {
    force.assign(1, -1. * nodes.displacement_at(3, time));
  }
  double
  energy(const NodeTable<2> &nodes, unsigned int) const override
  {
    return 0.5 * nodes.displacement(3).norm_square();
  }

  const std::vector<double> stiffness;
};

/// A material with some quantities that are given.
struct OddMaterial : Ballast<2>
{
  OddMaterial(const double stress_factor, const double energy_factor, const double speed)
      : Ballast<2>(1.), stress_factor(stress_factor), energy_factor(energy_factor), speed(speed)
  {
  }
  Gradient
  stress(const Gradient &H) const override
  {
    return stress_factor * H;
  }
  double
  energy_density(const Gradient &H) const override
  {
    return energy_factor * 0.5 * H.norm_square();
  }
  double
  wave_speed() const override
  {
    return speed;
  }

  const double stress_factor, energy_factor, speed;
};

/// A material that remembers a number, which does nothing.
struct OddHistory : HistoryMaterial<2>
{
  using HistoryMaterial<2>::energy_density;
  using HistoryMaterial<2>::stress;
  double
  density() const override
  {
    return 1;
  }
  double
  wave_speed() const override
  {
    return 1;
  }
  std::vector<double>
  initial_state() const override
  {
    return {undefined_number};
  }
  void
  update(const Gradient &, double, const double *old_state, double *new_state) const override
  {
    new_state[0] = old_state[0];
  }
  double
  energy_density(const Gradient &H, const double *) const override
  {
    return 0.5 * H.norm_square();
  }
  Gradient
  stress(const Gradient &H, const double *) const override
  {
    return H;
  }
  double
  dissipation(const double *) const override
  {
    return 0;
  }
};

/// A wall at x = 1.1, whose distance is not a number beyond some place.
struct OddWall : HalfSpace<2>
{
  explicit OddWall(const double end) : HalfSpace<2>(Point<2>(1.1, 0), Point<2>(-1, 0)), end(end) {}
  double
  distance(const Point<2> &point) const override
  {
    return point[0] > end ? undefined_number : HalfSpace<2>::distance(point);
  }
  const double end;
};
} // namespace

// Vectors, loads and boundaries would go by the old numbers.
TEST(Mistakes, renumbered_dofs)
{
  const std::vector<std::function<void(DoFHandler<2> &)>> changes = {
      [](DoFHandler<2> &dofs) { DoFRenumbering::random(dofs); },
      [](DoFHandler<2> &dofs) { DoFRenumbering::component_wise(dofs); },
      [](DoFHandler<2> &dofs) { dofs.distribute_dofs(FESystem<2>(FE_Q<2>(2), 2)); },
      [](DoFHandler<2> &dofs) { dofs.distribute_dofs(FESystem<2>(FE_DGQ<2>(1), 2)); },
      [](DoFHandler<2> &dofs) { dofs.distribute_dofs(FE_Q<2>(1)); },
      [](DoFHandler<2> &dofs) { dofs.clear(); }};
  for (const auto &change : changes)
  {
    MistakenRun run;
    run.body->set_velocity(run.constant(0.1));
    change(*run.dofs);
    Vector<double> vector(run.dofs->has_active_dofs() ? run.dofs->n_dofs() : 0);
    EXPECT_THROW(run.body->set_velocity(vector), DynamicsExceptions::ExcDoFsChanged);
    EXPECT_THROW(run.body->restrain({0}), DynamicsExceptions::ExcDoFsChanged);
    EXPECT_THROW(cell_load_shares(run.body->body()), DynamicsExceptions::ExcDoFsChanged);
    EXPECT_THROW(run.dynamics.advance_to(0.1), DynamicsExceptions::ExcDoFsChanged);

    MistakenRun later;
    later.dynamics.advance_to(0.1);
    change(*later.dofs);
    later.dynamics.advance_to(0.2);
    EXPECT_THROW(later.body->get_displacement(vector), DynamicsExceptions::ExcDoFsChanged);
  }

  // distributed once more as they were, they are what they were
  MistakenRun run;
  run.dofs->distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  EXPECT_NO_THROW(run.body->set_velocity(run.constant(0.1)));
}

TEST(Mistakes, what_a_body_needs_is_gone)
{
  MistakenRun without_dofs;
  without_dofs.dofs.reset();
  EXPECT_THROW(without_dofs.body->restrain({0}), DynamicsExceptions::ExcDestroyed);
  EXPECT_THROW(without_dofs.dynamics.advance_to(1), DynamicsExceptions::ExcDestroyed);

  MistakenRun later;
  later.dynamics.advance_to(0.1);
  Vector<double> vector(later.dofs->n_dofs());
  later.dofs.reset();
  EXPECT_THROW(later.body->get_displacement(vector), DynamicsExceptions::ExcDestroyed);
  EXPECT_THROW(later.dynamics.advance_to(1), DynamicsExceptions::ExcDestroyed);

  // the mapping is for loads
  MistakenRun without_mapping;
  without_mapping.mapping.reset();
  EXPECT_THROW(cell_load_shares(without_mapping.body->body()), DynamicsExceptions::ExcDestroyed);
  EXPECT_THROW(without_mapping.dynamics.advance_to(0.1), DynamicsExceptions::ExcDestroyed);
  MistakenRun later_without;
  later_without.dynamics.advance_to(0.1);
  later_without.mapping.reset();
  later_without.dynamics.advance_to(0.2);
  EXPECT_NO_THROW(later_without.body->get_displacement(vector));
}

TEST(Mistakes, moved_vertices)
{
  MistakenRun run;
  run.triangulation.begin_active()->vertex(3) += Point<2>(0.01, 0);
  EXPECT_THROW(run.dynamics.advance_to(0.1), DynamicsExceptions::ExcVerticesMoved);
  MistakenRun without_kicks;
  EXPECT_THROW(without_kicks.body->body().kick_of_cell(0), DynamicsExceptions::ExcNoKicks);
}

// Where it hangs it goes.
TEST(Mistakes, a_hanging_node_is_held_alone)
{
  MistakenRun run(true);
  AffineConstraints<double> hanging, held;
  DoFTools::make_hanging_node_constraints(*run.dofs, hanging);
  hanging.close();
  ASSERT_GT(hanging.n_constraints(), 0u);
  EXPECT_NO_THROW(run.body->restrain(hanging));
  for (const auto &line : hanging.get_lines())
    held.add_line(line.index);
  held.close();
  run.body->restrain(held);
  EXPECT_THROW(run.dynamics.start(), DynamicsExceptions::ExcTiedNodeHeld);

  // together with what they hang on
  MistakenRun all(true);
  AffineConstraints<double> zero;
  for (types::global_dof_index dof = 0; dof < all.dofs->n_dofs(); ++dof)
    zero.add_line(dof);
  zero.close();
  all.body->restrain(zero);
  EXPECT_NO_THROW(all.dynamics.start());
}

TEST(Mistakes, restraints_after_the_start)
{
  MistakenRun run;
  run.dynamics.advance_to(0.1);
  run.dynamics.nodes().restraints.add(0, Point<2>::unit_vector(0));
  EXPECT_THROW(run.dynamics.advance_to(0.2), StepperExceptions::ExcRestraintsChanged);
}

TEST(Mistakes, nodal_stiffnesses)
{
  for (const std::vector<double> &stiffness : {std::vector<double>{1, 1, 1}, {1, undefined_number}})
  {
    MistakenRun run;
    run.dynamics.stepper().add(std::make_shared<OddSpring>(stiffness));
    EXPECT_THROW(run.dynamics.start(), StepperExceptions::ExcStiffnessLength);
  }
  for (const double stiffness : {-1., undefined_number, std::numeric_limits<double>::infinity()})
  {
    MistakenRun run;
    run.dynamics.stepper().add(std::make_shared<OddSpring>(std::vector<double>{stiffness}));
    EXPECT_THROW(run.dynamics.start(), StepperExceptions::ExcStiffness);
  }
  for (const std::vector<double> &stiffness : {std::vector<double>{}, {0.}, {1.}})
  {
    MistakenRun run;
    run.dynamics.stepper().add(std::make_shared<OddSpring>(stiffness));
    EXPECT_NO_THROW(run.dynamics.start());
  }
}

// Its stress in the reference state is none, so its cells have no stiffness either.
TEST(Mistakes, a_stress_that_is_not_a_number)
{
  MistakenRun run(false, std::make_shared<OddMaterial>(undefined_number, 1, 1));
  EXPECT_THROW(run.dynamics.start(), StepperExceptions::ExcStiffness);
}

TEST(Mistakes, an_initial_state_that_is_not_a_number)
{
  const std::string message = message_of(
      []
      {
        MistakenRun run(false, std::make_shared<OddHistory>());
        run.dynamics.start();
      });
  EXPECT_TRUE(contains(message, "initial state")) << message;
}

// Also while the energy error would not yet mean anything.
TEST(Mistakes, an_energy_that_is_not_a_number)
{
  MistakenRun run(false, std::make_shared<OddMaterial>(1, undefined_number, 1));
  run.body->set_velocity(run.constant(0.1));
  run.dynamics.stop_at_energy_error(0.01);
  EXPECT_THROW(run.dynamics.advance_to(0.1), DynamicsExceptions::ExcEnergyError);
}

TEST(Mistakes, a_wave_speed_of_viscous_cells)
{
  MistakenRun run;
  const auto cells = run.body->body().cell_blocks()[0].data;
  for (const double speed : {0., -1., undefined_number})
  {
    const OddMaterial material(1, 1, speed);
    const std::string message = message_of(
        [&] { CellViscosity<2>(cells, material, StrainIntegration::standard, Viscosity()); });
    EXPECT_TRUE(contains(message, "wave speed")) << message;
  }
}

// A family is on the clocks of one stepper; when that is gone, another may have it.
TEST(Mistakes, a_family_in_two_runs)
{
  const auto spring = std::make_shared<OddSpring>(std::vector<double>{1});
  {
    MistakenRun first, second;
    first.dynamics.stepper().add(spring);
    second.dynamics.stepper().add(spring);
    first.dynamics.start();
    EXPECT_THROW(second.dynamics.start(), StepperExceptions::ExcFamilyElsewhere);
  }
  MistakenRun third;
  third.dynamics.stepper().add(spring);
  EXPECT_NO_THROW(third.dynamics.start());
}

TEST(Mistakes, too_many_threads)
{
  StepperParameters parameters;
  parameters.threads = 1000000;
  EXPECT_THROW(Dynamics<2>{parameters}, StepperExceptions::ExcParameter);
}

// Their work would be counted from nothing.
TEST(Mistakes, loads_that_have_not_begun)
{
  MistakenRun run;
  const auto shares = cell_load_shares(run.body->body());
  const auto load = std::make_shared<VaryingLoads<2>>("late", run.points(shares, shares.nodes),
                                                      [](const Point<2> &, double) {
                                                        return Tensor<1, 2>({0.1, 0.});
                                                      });
  run.dynamics.stepper().add_on_clock_of(load, run.ids(shares));
  const std::string message = message_of([&] { run.dynamics.start(); });
  EXPECT_TRUE(contains(message, "begin() of 'late'")) << message;
}

// Numbers of points, which are not those of nodes.
TEST(Mistakes, shares_of_hanging_nodes_as_if_of_nodes)
{
  MistakenRun run(true);
  const auto shares = cell_load_shares(run.body->body(), LoadPer::mass);
  EXPECT_TRUE(shares.nodes.empty());
  EXPECT_EQ(shares.point_numbers.size(), shares.shares.size());
  EXPECT_THROW(
      ConstantLoads<2>("gravity", 4, shares.nodes, std::vector<Tensor<1, 2>>(shares.shares.size())),
      ExceptionBase);
  EXPECT_THROW(VaryingLoads<2>("wind", run.points(shares, shares.nodes),
                               [](const Point<2> &, double) { return Tensor<1, 2>(); }),
               ExceptionBase);
}

// Of equal names a rule means neither; without rules they do no harm.
TEST(Mistakes, rules_for_equal_names)
{
  for (const bool has_rule : {false, true})
  {
    MistakenRun run;
    ContactParameters parameters;
    if (has_rule)
      parameters.exclude = {{"square", "square"}};
    run.dynamics.enable_contact(
        parameters,
        {{"square", std::make_shared<HalfSpace<2>>(Point<2>(0, -1), Point<2>(0, 1)), {}, {}}});
    if (has_rule)
    {
      const std::string message = message_of([&] { run.dynamics.start(); });
      EXPECT_TRUE(contains(message, "several bodies or obstacles")) << message;
    }
    else
      EXPECT_NO_THROW(run.dynamics.start());
  }
}

// A distance that is not a number would be none that is small.
TEST(Mistakes, distances_to_obstacles)
{
  for (const Response response : {Response::records, Response::reflect, Response::layers})
    for (const double end : {0.5, 1.05})
    {
      MistakenRun run;
      run.body->set_velocity(run.constant(0.2));
      ContactParameters parameters;
      parameters.response = response;
      parameters.layers.thickness = 0.02;
      run.dynamics.enable_contact(parameters, {{"wall", std::make_shared<OddWall>(end), {}, {}}});
      EXPECT_THROW(run.dynamics.advance_to(1), ObstacleExceptions::ExcDistance)
          << static_cast<int>(response) << " " << end;
    }
}

TEST(Mistakes, displacements_of_obstacles)
{
  for (const Response response : {Response::records, Response::reflect, Response::layers})
    for (const double bad : {undefined_number, std::numeric_limits<double>::infinity()})
    {
      MistakenRun run;
      run.body->set_velocity(run.constant(0.2));
      ContactParameters parameters;
      parameters.response = response;
      parameters.layers.thickness = 0.02;
      const auto displacement = [bad](const double time) {
        return Tensor<1, 2>({time > 0.3 ? bad : 0., 0.});
      };
      run.dynamics.enable_contact(parameters,
                                  {{"wall", std::make_shared<OddWall>(10.), displacement, {}}});
      EXPECT_THROW(run.dynamics.advance_to(1), ObstacleExceptions::ExcDisplacement)
          << static_cast<int>(response) << " " << bad;
    }
}
