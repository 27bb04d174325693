// The front door: bodies, restraints, contact and vectors in a deal.II program.

#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/block_vector.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace dealii;
using namespace KickDrift;

namespace
{
/// A square of 4 x 4 cells with the lower left corner at (x, y).
struct Square
{
  explicit Square(const double x = 0, const double length = 1, const double y = 0)
      : dofs(triangulation)
  {
    GridGenerator::subdivided_hyper_rectangle(triangulation, {4, 4}, Point<2>(x, y),
                                              Point<2>(x + length, y + length), true);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  }

  std::unique_ptr<Body<2>>
  make_body() const
  {
    return std::make_unique<Body<2>>(dofs, mapping, "square", material);
  }

  /// Velocities that shear, bend and move the square.
  template <typename VectorType = Vector<double>>
  VectorType
  velocity(const double to_the_right = 0) const
  {
    Vector<double> result(dofs.n_dofs());
    for (unsigned int i = 0; i < result.size(); ++i)
      result[i] = 0.01 * std::sin(1. + 3. * i) + (i % 2 == 0 ? to_the_right : 0.);
    VectorType copy;
    copy.reinit(dofs.n_dofs());
    for (unsigned int i = 0; i < result.size(); ++i)
      copy(i) = result[i];
    return copy;
  }

  Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  DoFHandler<2> dofs;
  const std::shared_ptr<const Material<2>> material = std::make_shared<NeoHookean<2>>(1., 1., 0.3);
};

Vector<double>
displacement_of(const DynamicBody<2> &body, const Square &square)
{
  Vector<double> result(square.dofs.n_dofs());
  body.get_displacement(result);
  return result;
}
} // namespace

// Two squares that collide, one of them held: the same bits as from table, stepper and contact.
TEST(Dynamics, does_what_is_done_by_hand)
{
  const Square left, right(1.02);
  Vector<double> velocity = left.velocity();
  for (unsigned int i = 0; i < velocity.size(); i += 2)
    velocity[i] += 0.2;

  Dynamics<2> dynamics;
  auto &a = dynamics.add_body(left.dofs, left.mapping, left.material, "left");
  auto &b = dynamics.add_body(right.dofs, right.mapping, right.material);
  EXPECT_EQ(b.body().name(), "body 2");
  a.set_velocity(velocity);
  b.restrain({1}, ComponentMask(std::vector<bool>{true, false}));
  dynamics.enable_contact(ContactParameters());
  dynamics.advance_to(0.7);
  dynamics.advance_to(1.);

  NodeTable<2> nodes;
  Surface<2> surface;
  Body<2> first(left.dofs, left.mapping, "left", left.material);
  Body<2> second(right.dofs, right.mapping, "right", right.material);
  first.add_nodes(nodes);
  first.add_surface(surface, 0);
  second.add_nodes(nodes);
  second.add_surface(surface, 1);
  first.set_velocity(nodes, velocity);
  for (const unsigned int node : second.boundary_nodes({1}))
    nodes.restraints.add(node, Tensor<1, 2>({1, 0}));
  Stepper<2> stepper(nodes, StepperParameters());
  stepper.add(first.kicks()[0]);
  stepper.add(second.kicks()[0]);
  ImpulseContact<2> contact(nodes, stepper, surface, ContactParameters(), {});
  stepper.start();
  contact.start();
  stepper.advance_to(1.);
  const NodeTable<2> now = stepper.snapshot(1.);

  EXPECT_GT(contact.statistics().collisions, 0u);
  EXPECT_EQ(contact.statistics().collisions, dynamics.contact()->statistics().collisions);
  Vector<double> u(left.dofs.n_dofs()), v(left.dofs.n_dofs());
  first.get_displacement(now, u);
  EXPECT_TRUE(u == displacement_of(a, left));
  second.get_displacement(now, u);
  EXPECT_TRUE(u == displacement_of(b, right));
  second.get_velocity(now, v);
  b.get_velocity(u);
  EXPECT_TRUE(u == v);
  EXPECT_GT(u.linfty_norm(), 0.01);
}

TEST(Dynamics, keeps_its_energy)
{
  const Square left, right(1.02);
  Dynamics<2> dynamics;
  auto &a = dynamics.add_body(left.dofs, left.mapping, left.material);
  dynamics.add_body(right.dofs, right.mapping, right.material);
  Vector<double> velocity(left.dofs.n_dofs());
  VectorTools::interpolate(left.mapping, left.dofs,
                           Functions::ConstantFunction<2>(std::vector<double>{0.2, 0}), velocity);
  a.set_velocity(velocity);
  ContactParameters parameters;
  parameters.restitution = 0.3;
  dynamics.enable_contact(parameters);
  dynamics.start();
  const double before = dynamics.energy().total();
  EXPECT_NEAR(before, 0.5 * 0.2 * 0.2, 1e-12);
  dynamics.advance_to(2.);
  EXPECT_GT(dynamics.energy().restitution_loss, 1e-5);
  EXPECT_NEAR(dynamics.energy().total(), before, 0.01 * before);
}

template <typename VectorType>
class VectorsOfDynamics : public testing::Test
{
};
using VectorTypes =
    testing::Types<Vector<double>, Vector<float>, LinearAlgebra::distributed::Vector<double>>;
TYPED_TEST_SUITE(VectorsOfDynamics, VectorTypes);

TYPED_TEST(VectorsOfDynamics, go_in_and_out)
{
  const Square square;
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  const auto given = square.template velocity<TypeParam>();
  body.set_velocity(given);
  body.set_displacement(given);
  TypeParam u, v;
  u.reinit(square.dofs.n_dofs());
  v.reinit(square.dofs.n_dofs());
  body.get_displacement(u);
  body.get_velocity(v);
  for (unsigned int i = 0; i < u.size(); ++i)
  {
    EXPECT_EQ(u(i), given(i));
    EXPECT_EQ(v(i), given(i));
  }
  dynamics.advance_to(0.1);
  body.get_velocity(v);
  EXPECT_NE(v(0), given(0));
}

TEST(Dynamics, takes_vectors_in_blocks)
{
  const Square square;
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  BlockVector<double> u(std::vector<types::global_dof_index>{10, square.dofs.n_dofs() - 10});
  u = 0.25;
  body.set_velocity(u);
  dynamics.advance_to(1.);
  body.get_displacement(u);
  for (unsigned int i = 0; i < u.size(); ++i)
    EXPECT_NEAR(u(i), 0.25, 1e-14);
}

// Boundary ids and constraints of deal.II are two ways to say the same.
TEST(Dynamics, restrains_by_boundary_ids_and_by_constraints)
{
  const Square square;
  Dynamics<2> by_id, by_constraints;
  auto &a = by_id.add_body(square.dofs, square.mapping, square.material);
  auto &b = by_constraints.add_body(square.dofs, square.mapping, square.material);
  a.set_velocity(square.velocity());
  b.set_velocity(square.velocity());
  a.restrain({0});
  a.restrain({3}, ComponentMask(std::vector<bool>{false, true}));
  AffineConstraints<double> constraints;
  DoFTools::make_zero_boundary_constraints(square.dofs, 0, constraints);
  DoFTools::make_zero_boundary_constraints(square.dofs, 3, constraints,
                                           ComponentMask(std::vector<bool>{false, true}));
  constraints.close();
  b.restrain(constraints);
  by_id.advance_to(1.);
  by_constraints.advance_to(1.);
  const auto u = displacement_of(a, square);
  EXPECT_TRUE(u == displacement_of(b, square));
  EXPECT_GT(u.linfty_norm(), 1e-4);
  for (const auto &line : constraints.get_lines())
    EXPECT_EQ(u(line.index), 0.);
}

// Constraints of hanging nodes are skipped: the body has its own.
TEST(Dynamics, skips_constraints_of_hanging_nodes)
{
  Square square;
  square.triangulation.begin_active()->set_refine_flag();
  square.triangulation.execute_coarsening_and_refinement();
  square.dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  AffineConstraints<double> constraints;
  DoFTools::make_hanging_node_constraints(square.dofs, constraints);
  EXPECT_GT(constraints.n_constraints(), 0u);
  constraints.close();
  body.restrain(constraints);
  EXPECT_TRUE(dynamics.nodes().restraints.nodes().empty());
}

TEST(DynamicsMisuse, before_the_start)
{
  Triangulation<2> triangulation;
  GridGenerator::hyper_cube(triangulation);
  const DoFHandler<2> without_dofs(triangulation);
  const Square square;
  Dynamics<2> dynamics;
  EXPECT_THROW(dynamics.start(), DynamicsExceptions::ExcNoBody);
  EXPECT_THROW(dynamics.add_body(nullptr), DynamicsExceptions::ExcNullBody);
  EXPECT_THROW(dynamics.add_body(without_dofs, square.mapping, square.material),
               DynamicsExceptions::ExcNoDoFs);
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  EXPECT_THROW(body.restrain({0, 7}), DynamicsExceptions::ExcNoSuchBoundary);
  EXPECT_THROW(body.restrain({0}, ComponentMask(3, true)), DynamicsExceptions::ExcComponents);
  EXPECT_THROW(body.set_velocity(Vector<double>(3)), ExceptionBase);

  AffineConstraints<double> constraints;
  constraints.add_line(2);
  constraints.set_inhomogeneity(2, 0.1);
  EXPECT_THROW(body.restrain(constraints), DynamicsExceptions::ExcConstraint);
  constraints.clear();
  constraints.add_line(2);
  constraints.add_entry(2, 4, 1.);
  EXPECT_THROW(body.restrain(constraints), DynamicsExceptions::ExcConstraint);

  dynamics.enable_contact(ContactParameters());
  EXPECT_THROW(dynamics.enable_contact(ContactParameters()), DynamicsExceptions::ExcContactTwice);

  Vector<double> velocity(square.dofs.n_dofs());
  velocity[3] = std::numeric_limits<double>::quiet_NaN();
  body.set_velocity(velocity);
  EXPECT_THROW(dynamics.start(), StepperExceptions::ExcNodeNotFinite);
}

TEST(DynamicsMisuse, after_the_start)
{
  const Square square, other(2);
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  dynamics.advance_to(0.1);
  EXPECT_THROW(dynamics.start(), DynamicsExceptions::ExcTooLate);
  EXPECT_THROW(dynamics.add_body(other.dofs, other.mapping, other.material),
               DynamicsExceptions::ExcTooLate);
  EXPECT_THROW(body.restrain({0}), DynamicsExceptions::ExcTooLate);
  EXPECT_THROW(body.set_velocity(square.velocity()), DynamicsExceptions::ExcTooLate);
  EXPECT_THROW(dynamics.enable_contact(ContactParameters()), DynamicsExceptions::ExcTooLate);
  EXPECT_THROW(dynamics.advance_to(0.05), StepperExceptions::ExcTargetTime);
}

TEST(DynamicsMisuse, changed_meshes)
{
  Square square;
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  dynamics.advance_to(0.1);
  square.triangulation.refine_global(1);
  EXPECT_THROW(dynamics.advance_to(0.2), DynamicsExceptions::ExcMeshChanged);
  Vector<double> u(square.dofs.n_dofs());
  EXPECT_THROW(body.get_displacement(u), DynamicsExceptions::ExcMeshChanged);
}

// Those of a larger mesh, and of a problem with temperatures on the same one.
TEST(DynamicsMisuse, constraints_of_another_problem)
{
  Square square, larger;
  larger.triangulation.refine_global();
  larger.dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  DoFHandler<2> mixed(square.triangulation);
  mixed.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2, FE_Q<2>(1), 1));
  for (const DoFHandler<2> *other : std::vector<const DoFHandler<2> *>{&larger.dofs, &mixed})
  {
    AffineConstraints<double> constraints;
    DoFTools::make_zero_boundary_constraints(*other, 0, constraints);
    constraints.close();
    Dynamics<2> dynamics;
    auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
    EXPECT_THROW(body.restrain(constraints), DynamicsExceptions::ExcNoSuchDoF);
  }
}

TEST(DynamicsMisuse, contact_that_there_is_not)
{
  const Square square, other(1.05);
  ContactParameters off;
  off.enabled = false;
  Dynamics<2> without, disabled;
  for (Dynamics<2> *dynamics : {&without, &disabled})
  {
    dynamics->add_body(square.dofs, square.mapping, square.material)
        .set_velocity(square.velocity(0.2));
    dynamics->add_body(other.dofs, other.mapping, other.material);
  }
  disabled.enable_contact(off);
  EXPECT_THROW(disabled.enable_contact({}), DynamicsExceptions::ExcContactTwice);
  EXPECT_THROW(without.contact_pairs(), DynamicsExceptions::ExcNoContact);
  for (Dynamics<2> *dynamics : {&without, &disabled})
  {
    dynamics->advance_to(1);
    EXPECT_THROW(dynamics->contact_pairs(), DynamicsExceptions::ExcNoContact);
    EXPECT_EQ(dynamics->contact_statistics().collisions, 0u);
    EXPECT_TRUE(dynamics->initial_overlap().penetrations.empty());
  }
  EXPECT_TRUE(displacement_of(without.bodies()[0], square) ==
              displacement_of(disabled.bodies()[0], square));

  Dynamics<2> not_yet;
  not_yet.add_body(square.dofs, square.mapping, square.material);
  not_yet.enable_contact({});
  EXPECT_THROW(not_yet.contact_pairs(), DynamicsExceptions::ExcNoContact);
  not_yet.start();
  EXPECT_EQ(not_yet.contact_pairs().names().size(), 1u);
}

TEST(DynamicsMisuse, an_obstacle_without_a_shape)
{
  const Square square;
  Dynamics<2> dynamics;
  dynamics.add_body(square.dofs, square.mapping, square.material);
  EXPECT_THROW(dynamics.enable_contact({}, {{"wall", nullptr, {}, {}}}),
               ObstacleExceptions::ExcNoShape);
}

// What the run asks a user for must not go on with the run.
TEST(DynamicsMisuse, calls_from_within)
{
  struct Calling : HalfSpace<2>
  {
    Calling() : HalfSpace<2>(Point<2>(1.2, 0), Point<2>(-1, 0)) {}
    double
    distance(const Point<2> &point) const override
    {
      if (call)
        call();
      return HalfSpace<2>::distance(point);
    }
    std::function<void()> call;
  };
  const Square square;
  using Call = std::function<void(Dynamics<2> &)>;
  for (const Call &call : {Call([](Dynamics<2> &dynamics) { dynamics.advance_to(5); }),
                           Call([](Dynamics<2> &dynamics) { dynamics.energy(); })})
  {
    Dynamics<2> prescribed, shaped;
    auto &held = prescribed.add_body(square.dofs, square.mapping, square.material);
    held.restrain({0});
    prescribed.stepper().prescribe(held.body().boundary_nodes({0}), {Point<2>::unit_vector(0)},
                                   [&](unsigned int, const double time)
                                   {
                                     if (time > 0.5)
                                       call(prescribed);
                                     return Tensor<1, 2>();
                                   });
    prescribed.advance_to(0.1);
    EXPECT_THROW(prescribed.advance_to(1), StepperExceptions::ExcAtWork);

    const auto shape = std::make_shared<Calling>();
    shaped.add_body(square.dofs, square.mapping, square.material)
        .set_velocity(square.velocity(0.2));
    shaped.enable_contact({}, {{"wall", shape, {}, {}}});
    shaped.advance_to(0.1);
    shape->call = [&] { call(shaped); };
    EXPECT_THROW(shaped.advance_to(2), StepperExceptions::ExcAtWork);
  }

  // when the first contacts are looked for
  Dynamics<2> starting;
  const auto shape = std::make_shared<Calling>();
  shape->call = [&] { starting.advance_to(1); };
  starting.add_body(square.dofs, square.mapping, square.material);
  starting.enable_contact({}, {{"wall", shape, {}, {}}});
  EXPECT_THROW(starting.start(), DynamicsExceptions::ExcNotReady);
  shape->call = nullptr;
  EXPECT_THROW(starting.advance_to(1), DynamicsExceptions::ExcNotReady);
}

// By a hundredth of a cell to the whole, whatever the unit of length: with impulses and layers.
TEST(DynamicsMisuse, bodies_that_overlap_at_the_start)
{
  for (const double unit : {1e-6, 1., 1e6})
    for (const double overlap : {-0.01, 0.0025, 0.05, 0.1, 0.25, 0.3, 0.5, 0.9, 1.})
      for (const Response response : {Response::records, Response::layers})
      {
        SCOPED_TRACE(std::to_string(overlap) + " of " + std::to_string(unit));
        const bool coincide = overlap == 1.;
        if (coincide && response == Response::layers)
          continue; // touch, which is another mistake for these
        const Square left(0, unit), right((1 - overlap) * unit, unit, coincide ? 0 : 0.1 * unit);
        ContactParameters parameters;
        parameters.response = response;
        parameters.layers.thickness = 1e-3 * unit;
        const auto make = [&]
        {
          auto dynamics = std::make_unique<Dynamics<2>>();
          dynamics->add_body(left.dofs, left.mapping, left.material, "left");
          dynamics->add_body(right.dofs, right.mapping, right.material, "right");
          dynamics->enable_contact(parameters);
          return dynamics;
        };
        const auto dynamics = make();
        if (overlap < 0)
        {
          dynamics->advance_to(0.1 * unit);
          continue;
        }
        if (response == Response::layers)
        {
          try
          {
            dynamics->start();
            ADD_FAILURE();
          }
          catch (const ContactExceptions::ExcOverlap &)
          {
          }
          catch (const LayerExceptions::ExcTouching &) // a corner is on an edge
          {
            EXPECT_EQ(std::fmod(overlap, 0.25), 0.);
          }
          continue;
        }
        EXPECT_THROW(dynamics->start(), ContactExceptions::ExcOverlap);
        EXPECT_THROW(dynamics->advance_to(unit), DynamicsExceptions::ExcNotReady);
        const auto found = dynamics->initial_overlap();
        ASSERT_FALSE(found.penetrations.empty());
        const std::string text = found.text(found.penetrations.front());
        EXPECT_NE(text.find("body 'left'"), std::string::npos) << text;
        EXPECT_NE(text.find("body 'right'"), std::string::npos) << text;
        if (overlap <= 0.1) // the corners of the other one are further from its other sides
        {
          EXPECT_NEAR(found.penetrations.front().depth, overlap * unit, 1e-9 * unit) << text;
        }
        parameters.initial_overlap = OverlapRule::ignore;
        make()->start();
        parameters.initial_overlap = OverlapRule::refuse;
        parameters.exclude = {{"left", "right"}};
        make()->start();
      }
}

// Nearer than where layers begin: by any amount more than rounding.
TEST(DynamicsMisuse, bodies_nearer_than_their_layers)
{
  for (const double unit : {1e-6, 1., 1e6})
    for (const double share : {0.01, 0.5, 0.999, 1.001})
    {
      ContactParameters parameters;
      parameters.response = Response::layers;
      parameters.layers.thickness = 0.02 * unit;
      const Square left(0, unit), right((1 + share * 0.04) * unit, unit);
      for (const bool is_allowed : {false, true})
      {
        parameters.initial_overlap = is_allowed ? OverlapRule::ignore : OverlapRule::refuse;
        Dynamics<2> dynamics;
        dynamics.add_body(left.dofs, left.mapping, left.material);
        dynamics.add_body(right.dofs, right.mapping, right.material);
        dynamics.enable_contact(parameters);
        if (share < 1 && !is_allowed)
        {
          EXPECT_THROW(dynamics.start(), LayerExceptions::ExcTooNear);
        }
        else
        {
          dynamics.start();
        }
      }
    }
}

// There is one warning when a square has turned by more than 0.1, or is strained by more than 0.2,
// whatever its units; none with another law or without stresses.
TEST(DynamicsMisuse, linear_materials_that_turn)
{
  const auto linear = std::make_shared<LinearElastic<2>>(1., 1., 0.3);
  const auto stiff = std::make_shared<LinearElastic<2>>(1e-9, 2e11, 0.3);
  const auto neo_hookean = std::make_shared<NeoHookean<2>>(1., 1., 0.3);
  const auto warnings = [](const std::shared_ptr<const Material<2>> &material, const double angle,
                           const double stretch, const Dynamics<2>::Strain strain)
  {
    const Square square;
    Dynamics<2> dynamics({}, strain);
    auto &body = dynamics.add_body(square.dofs, square.mapping, material, "plate");
    // much shorter than waves take through the square
    const double time = 1e-3 / material->wave_speed();
    Vector<double> velocity(square.dofs.n_dofs());
    for (const auto &cell : square.dofs.active_cell_iterators())
      for (const unsigned int v : cell->vertex_indices())
      {
        const Point<2> &x = cell->vertex(v);
        velocity(cell->vertex_dof_index(v, 0)) = (3 - angle * x[1]) / time;
        velocity(cell->vertex_dof_index(v, 1)) = (angle * x[0] + stretch * x[1]) / time;
      }
    body.set_velocity(velocity);
    std::vector<std::string> texts;
    dynamics.on_warning([&](const std::string &text) { texts.push_back(text); });
    dynamics.advance_to(time);
    const unsigned int n = texts.size();
    if (n > 0) // for a while, with looks that find the same
      for (unsigned int i = 1; i <= 3; ++i)
        dynamics.advance_to(i / material->wave_speed());
    EXPECT_EQ(texts.size(), n);
    return texts;
  };
  const auto on = Dynamics<2>::Strain::on;
  for (const auto &material : {linear, stiff})
  {
    const auto turned = warnings(material, 0.12, 0, on), strained = warnings(material, 0, 0.24, on);
    ASSERT_EQ(turned.size(), 1u);
    ASSERT_EQ(strained.size(), 1u);
    EXPECT_NE(turned[0].find("of body 'plate' at ("), std::string::npos) << turned[0];
    EXPECT_NE(turned[0].find("has turned by 0.12"), std::string::npos) << turned[0];
    EXPECT_NE(strained[0].find("is strained by 0.24"), std::string::npos) << strained[0];
    EXPECT_TRUE(warnings(material, 0.08, 0, on).empty());
    EXPECT_TRUE(warnings(material, 0, 0.16, on).empty());
    EXPECT_TRUE(warnings(material, 0.12, 0, Dynamics<2>::Strain::off).empty());
  }
  EXPECT_TRUE(warnings(neo_hookean, 0.12, 0, on).empty());
}

// A run that gains energy is stopped, if that is wanted.
TEST(DynamicsMisuse, runs_that_gain_energy)
{
  const Square square;
  Dynamics<2> dynamics;
  EXPECT_THROW(dynamics.stop_at_energy_error(0), DynamicsExceptions::ExcEnergyLimit);
  dynamics.stop_at_energy_error(0.1);
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material);
  body.set_velocity(square.velocity());
  dynamics.advance_to(1.);
  dynamics.nodes().set_velocity(5, Tensor<1, 2>({0.5, 0.}));
  EXPECT_THROW(dynamics.advance_to(1.1), DynamicsExceptions::ExcEnergyError);
}

// What becomes infinite is reported, with the body.
TEST(DynamicsMisuse, runs_that_blow_up)
{
  const Square square;
  Dynamics<2> dynamics;
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material, "plate");
  dynamics.start();
  dynamics.nodes().set_velocity(5, Tensor<1, 2>({1e200, 1e200}));
  try
  {
    dynamics.advance_to(1.);
    FAIL();
  }
  catch (const DynamicsExceptions::ExcNotFinite &exception)
  {
    EXPECT_NE(std::string(exception.what()).find("plate"), std::string::npos);
  }
  EXPECT_EQ(&body, &dynamics.bodies()[0]);
}
