// Bodies go to finer and coarser meshes while they move.

#include "test_bar.h"

#include <kickdrift/deal_ii/mesh_transfer.h>
#include <kickdrift/deal_ii/ties.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// A block of 2 x 1 (x 1) in the middle of space, whose mesh may change.
template <int dim>
struct Block
{
  using SetUp = std::function<void(Dynamics<dim> &, DynamicBody<dim> &)>;

  Block(const unsigned int n, std::shared_ptr<const Material<dim>> material, SetUp set_up = {})
      : material(std::move(material)), set_up(std::move(set_up)), dofs(mesh)
  {
    Point<dim> lower, upper;
    std::vector<unsigned int> cells(dim, n);
    cells[0] = 2 * n;
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = d == 0 ? 2 : 1;
    GridGenerator::subdivided_hyper_rectangle(mesh, cells, lower, upper, true);
    make();
  }

  void
  make()
  {
    dofs.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
    auto made = std::make_unique<Dynamics<dim>>();
    body = &made->add_body(dofs, mapping, material, "block");
    if (set_up)
      set_up(*made, *body);
    dynamics = std::move(made);
  }

  void
  set_velocity(const std::string &expressions)
  {
    Vector<double> velocity(dofs.n_dofs());
    VectorTools::interpolate(mapping, dofs, *function<dim>(expressions), velocity);
    body->set_velocity(velocity);
  }

  /// Refine, or coarsen, the cells that are chosen.
  TransferReport
  change(const std::function<bool(const Point<dim> &)> &is_chosen, const bool coarsen = false)
  {
    const MeshTransfer<dim> transfer(*dynamics);
    for (const auto &cell : mesh.active_cell_iterators())
      if (is_chosen(cell->center()))
      {
        if (coarsen)
          cell->set_coarsen_flag();
        else
          cell->set_refine_flag();
      }
    mesh.execute_coarsening_and_refinement();
    make();
    return transfer.to(*dynamics);
  }

  /// Linear momentum, then the angular one about the origin.
  std::vector<double>
  momenta() const
  {
    std::vector<double> result(dim == 2 ? 3 : 6);
    const auto &nodes = dynamics->state();
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const auto p = nodes.mass(node) * nodes.velocity(node);
      const auto x = nodes.position(node);
      for (unsigned int d = 0; d < dim; ++d)
        result[d] += p[d];
      for (unsigned int c = dim; c < result.size(); ++c)
      {
        const unsigned int axis = dim == 2 ? 2 : c - dim, i = (axis + 1) % 3, j = (axis + 2) % 3;
        result[c] += x[i] * p[j] - x[j] * p[i];
      }
    }
    return result;
  }

  const std::shared_ptr<const Material<dim>> material;
  const SetUp set_up;
  Triangulation<dim> mesh;
  const MappingQ1<dim> mapping;
  DoFHandler<dim> dofs;
  DynamicBody<dim> *body = nullptr;
  std::unique_ptr<Dynamics<dim>> dynamics;
};

const auto everywhere = [](const auto &) { return true; };

template <int dim>
void
expect_near(const std::vector<double> &seen, const std::vector<double> &expected,
            const double tolerance)
{
  for (unsigned int c = 0; c < seen.size(); ++c)
    EXPECT_NEAR(seen[c], expected[c], tolerance) << c;
}

template <int dim>
void
check_momenta(const std::string &velocity)
{
  Block<dim> block(3, std::make_shared<NeoHookean<dim>>(1.5, 1., 0.3));
  block.set_velocity(velocity);
  block.dynamics->advance_to(0.7);
  const auto at_start = block.momenta();
  const double energy = block.dynamics->energy().total();
  const auto right = [](const Point<dim> &x) { return x[0] > 1.2; };
  for (const bool coarsen : {false, false, true})
  {
    block.change(right, coarsen);
    EXPECT_NEAR(block.dynamics->time(), 0.7, 0);
    expect_near<dim>(block.momenta(), at_start, 1e-14);
    block.dynamics->start();
    EXPECT_NEAR(block.dynamics->energy().total(), energy, 1e-15);
  }
  EXPECT_GT(block.mesh.n_levels(), 1u);
  EXPECT_NE(block.dynamics->energy().transfer_loss, 0);
  block.dynamics->advance_to(3);
  auto at_end = block.momenta();
  for (unsigned int d = dim; d < at_end.size(); ++d) // as exact as nested clocks keep it
    EXPECT_NEAR(at_end[d], at_start[d], 1e-4 * std::abs(at_start.back()));
  at_end.resize(dim);
  expect_near<dim>(at_end, at_start, 1e-13);
  EXPECT_NEAR(block.dynamics->energy().total(), energy, 0.01 * energy);
}
} // namespace

TEST(MeshTransfer, MomentaStayWhereMeshesChange)
{
  check_momenta<2>("0.1*y-0.02*x*x+0.05; 0.1*x+0.03*x*y");
  check_momenta<3>("0.1*y-0.02*x*x+0.05*z; 0.1*x+0.03*x*y; 0.02-0.04*y*z*x");
}

// (k h)^2/8 of a wave's kinetic energy, for a wave along one axis of a mesh that is halved.
TEST(MeshTransfer, EnergyIsLostAsTheSquareOfTheCells)
{
  const double wave_number = numbers::PI; // v = 0.1 cos(pi x), free at both ends
  for (const unsigned int n : {4, 8, 16})
  {
    Block<2> block(n, std::make_shared<LinearElastic<2>>(1., 1., 0.));
    block.set_velocity("0.1*cos(pi*x); 0");
    block.dynamics->start();
    const auto before = block.dynamics->energy();
    block.change(everywhere);
    block.dynamics->start();
    const auto after = block.dynamics->energy();
    const double expected = std::pow(wave_number / n, 2) / 8;
    EXPECT_NEAR(after.transfer_loss / before.kinetic, expected, 0.1 * expected);
    EXPECT_NEAR(after.total(), before.total(), 1e-15);
  }
}

TEST(MeshTransfer, MeshesThatDoNotChangeLoseNothing)
{
  Block<3> block(2, std::make_shared<NeoHookean<3>>(1., 1., 0.3));
  block.set_velocity("0.1*y; -0.1*x; 0.05*x*y");
  block.dynamics->advance_to(0.5);
  const auto before = block.dynamics->state();
  const auto report = block.change([](const auto &) { return false; });
  const auto &after = block.dynamics->state();
  for (unsigned int node = 0; node < after.size(); ++node)
  {
    EXPECT_EQ(after.displacement(node), before.displacement(node));
    EXPECT_LT((after.velocity(node) - before.velocity(node)).norm(), 1e-15);
  }
  EXPECT_LT(report.largest_correction, 1e-15);
  block.dynamics->start();
  EXPECT_LT(std::abs(block.dynamics->energy().transfer_loss), 1e-16);
}

// A block that hits a wall: it is refined where it touches, while it does.
TEST(MeshTransfer, InTheMiddleOfAContact)
{
  const auto set_up = [](Dynamics<2> &dynamics, DynamicBody<2> &)
  {
    ContactParameters contact;
    contact.friction = 0.2;
    dynamics.enable_contact(
        contact,
        {{"wall", std::make_shared<HalfSpace<2>>(Point<2>(-0.01, 0), Point<2>(1, 0)), {}}});
  };
  std::vector<double> rebound;
  for (const bool changes : {false, true})
  {
    Block<2> block(4, std::make_shared<NeoHookean<2>>(1., 1., 0.3), set_up);
    block.set_velocity("-0.05; 0.01");
    block.dynamics->advance_to(2);
    const double energy = block.dynamics->energy().total();
    EXPECT_LT(block.momenta()[0], 0.07) << "it touches";
    if (changes)
    {
      const auto before = block.momenta();
      const double kept = block.dynamics->energy().contact_energy;
      EXPECT_GT(kept, 0.01 * energy);
      block.change([](const Point<2> &x) { return x[0] < 0.5; });
      expect_near<2>(block.momenta(), before, 1e-15);
      block.dynamics->start();
      EXPECT_NEAR(block.dynamics->energy().total(), energy, 1e-15);
      EXPECT_LT(std::abs(block.dynamics->energy().transfer_loss), 0.003 * energy);
      EXPECT_EQ(block.dynamics->energy().contact_energy, kept) << "contacts give it back";
      EXPECT_GT(block.dynamics->energy().friction_loss, 0) << "what was lost before stays lost";
    }
    block.dynamics->advance_to(8);
    rebound.push_back(block.momenta()[0]);
    EXPECT_NEAR(block.dynamics->energy().total(), energy, 0.02 * energy);
    Vector<double> impulse(block.dofs.n_dofs());
    block.body->get_contact_impulse(impulse); // has the length of the new mesh
  }
  EXPECT_GT(rebound[0], 0.05);
  EXPECT_NEAR(rebound[1], rebound[0], 0.05 * rebound[0]);
}

TEST(MeshTransfer, PointsKeepTheirHistory)
{
  Block<2> block(2, std::make_shared<J2Plasticity<2>>(1., 1., 0.3, 0.01, 0.1));
  block.set_velocity("0.1*x*x; -0.02*y");
  block.dynamics->advance_to(1.5);
  const auto strain = block.body->output("equivalent_plastic_strain");
  std::map<CellId, double> before;
  for (const auto &cell : block.mesh.active_cell_iterators())
    before[cell->id()] = strain[cell->active_cell_index()];
  const double dissipated = block.dynamics->energy().plastic_work;
  EXPECT_GT(dissipated, 0);
  block.change(everywhere);
  const auto after = block.body->output("equivalent_plastic_strain");
  std::map<CellId, double> mean;
  for (const auto &cell : block.mesh.active_cell_iterators())
    mean[cell->parent()->id()] += after[cell->active_cell_index()] / 4;
  for (const auto &[id, value] : before)
    EXPECT_NEAR(mean.at(id), value, 0.1 * value);
  block.dynamics->start();
  EXPECT_NEAR(block.dynamics->energy().plastic_work, dissipated, 0.02 * dissipated);
  block.dynamics->advance_to(3);
  EXPECT_GT(block.dynamics->energy().plastic_work, dissipated);
  const auto later = block.body->output("equivalent_plastic_strain");
  for (unsigned int cell = 0; cell < later.size(); ++cell)
    EXPECT_GE(later[cell], after[cell] * (1 - 1e-12)) << "nothing heals";
}

// A bar that is taken along by one end in uniform motion goes on like that; one that is shaken may
// change its mesh at any time.
TEST(MeshTransfer, SupportsMove)
{
  for (const std::string motion : {"0.1*t; 0", "0.02*sin(3*t); 0.01*t*t"})
    for (const bool is_refined : {false, true})
    {
      const auto set_up = [&](Dynamics<2> &, DynamicBody<2> &body)
      { body.move({0}, function<2>(motion)); };
      Block<2> block(2, std::make_shared<LinearElastic<2>>(1., 1., 0.3), set_up);
      if (motion[0] == '0' && motion[3] == '*')
        block.set_velocity("0.1; 0");
      block.dynamics->advance_to(0.777);
      const auto before = block.momenta();
      const auto energy = block.dynamics->energy();
      block.change([&](const Point<2> &x) { return is_refined && x[0] < 0.7; });
      block.dynamics->start();
      const auto after = block.momenta();
      if (motion == "0.1*t; 0")
      {
        expect_near<2>(after, before, 1e-14);
        EXPECT_NEAR(block.dynamics->energy().transfer_loss, 0, 1e-14);
      }
      EXPECT_NEAR(block.dynamics->energy().total(), energy.total(), 1e-14);
      block.dynamics->advance_to(2);
      const auto &nodes = block.dynamics->state();
      for (const unsigned int node : block.body->body().boundary_nodes({0}))
        EXPECT_LT((nodes.displacement(node) - (motion == "0.1*t; 0"
                                                   ? Tensor<1, 2>({0.2, 0})
                                                   : Tensor<1, 2>({0.02 * std::sin(6.), 0.04})))
                      .norm(),
                  2e-3);
    }
}

// Two blocks that are tied, of which the one that follows is refined, in translation.
TEST(MeshTransfer, TiedBodiesKeepTheirMomentaTogether)
{
  Triangulation<2> left, right;
  GridGenerator::subdivided_hyper_rectangle(left, {2, 2}, Point<2>(), Point<2>(1, 1), true);
  GridGenerator::subdivided_hyper_rectangle(right, {2, 4}, Point<2>(1, 0), Point<2>(2, 1), true);
  const MappingQ1<2> mapping;
  DoFHandler<2> left_dofs(left), right_dofs(right);
  const auto material = std::make_shared<LinearElastic<2>>(1., 1., 0.3);
  std::unique_ptr<Dynamics<2>> dynamics;
  const auto set_up = [&]
  {
    auto made = std::make_unique<Dynamics<2>>();
    left_dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    right_dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    auto master = std::make_unique<Body<2>>(left_dofs, mapping, "left", material);
    auto follower = std::make_unique<Body<2>>(right_dofs, mapping, "right", material);
    tie(Tie<TiedBoundary<2>>{{{follower.get(), {0}}}, {{master.get(), {1}}}});
    made->add_body(std::move(master));
    made->add_body(std::move(follower));
    dynamics = std::move(made);
  };
  set_up();
  for (unsigned int node = 0; node < dynamics->nodes().size(); ++node)
    dynamics->nodes().set_velocity(node, Tensor<1, 2>({0.1, -0.2}));
  dynamics->advance_to(0.3);
  const MeshTransfer<2> transfer(*dynamics);
  right.refine_global(1);
  set_up();
  transfer.to(*dynamics);
  dynamics->start();
  const auto &nodes = dynamics->state();
  for (unsigned int node = 0; node < nodes.size(); ++node)
    EXPECT_LT((nodes.velocity(node) - Tensor<1, 2>({0.1, -0.2})).norm(), 1e-14);
}

// A disc that has turned by a right angle is refined; the manifold puts vertices beside old cells.
TEST(MeshTransfer, CurvedBoundariesTurnWithoutStress)
{
  Triangulation<2> disc;
  GridGenerator::hyper_ball(disc);
  disc.refine_global(1);
  const MappingQ1<2> mapping;
  DoFHandler<2> dofs(disc);
  const auto turn = function<2>("-x-y; x-y"); // by a right angle
  for (const bool is_rigid : {false, true})
  {
    std::unique_ptr<Dynamics<2>> dynamics;
    DynamicBody<2> *body = nullptr;
    const auto set_up = [&]
    {
      dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
      auto made = std::make_unique<Dynamics<2>>();
      auto own = std::make_unique<Body<2>>(dofs, mapping, "disc",
                                           std::make_shared<NeoHookean<2>>(1., 1., 0.3));
      RigidParameters parameters;
      parameters.critical_step = 0.1;
      body = is_rigid ? &made->add_rigid_body(std::move(own), parameters)
                      : &made->add_body(std::move(own));
      dynamics = std::move(made);
    };
    set_up();
    Vector<double> u(dofs.n_dofs());
    VectorTools::interpolate(mapping, dofs, *turn, u);
    body->set_displacement(u);
    dynamics->start();
    const MeshTransfer<2> transfer(*dynamics);
    disc.refine_global(1);
    set_up();
    transfer.to(*dynamics);
    dynamics->start();
    for (const auto &stress : body->stress())
      EXPECT_LT(stress.norm(), 1e-12);
    EXPECT_LT(dynamics->energy().strain, 1e-14);
  }
}

// A ball is pressed into a block, which gets coarser below it.
TEST(MeshTransfer, CoarserSurfacesAreParted)
{
  const auto set_up = [](Dynamics<2> &dynamics, DynamicBody<2> &body)
  {
    body.restrain({2});
    dynamics.enable_contact(
        ContactParameters(),
        {{"ball", std::make_shared<Ball<2>>(Point<2>(1, 1.5), 0.5), [](const double t) {
            return Tensor<1, 2>({0, -0.02 * t});
          }}});
  };
  Block<2> block(4, std::make_shared<NeoHookean<2>>(1., 1., 0.3), set_up);
  block.dynamics->start();
  block.change(everywhere);
  for (const double time : {1., 2., 4.})
  {
    block.dynamics->advance_to(time);
    block.change(everywhere, time == 1);
    block.dynamics->start();
  }
  block.dynamics->advance_to(6);
  EXPECT_LT(block.dynamics->contact_statistics().max_penetration, 0.02);
  EXPECT_GT(block.dynamics->contact_statistics().collisions, 10u);
}

// Loads, damping and observers know the time: the momentum is t^2/2, however often meshes change.
TEST(MeshTransfer, TimeGoesOn)
{
  std::vector<double> looks;
  const auto set_up = [&](Dynamics<2> &dynamics, DynamicBody<2> &body)
  {
    body.load({BodyLoad<2>::Type::body_force, function<2>("0; t")});
    body.load({BodyLoad<2>::Type::traction, function<2>("0.1; 0"), false,
               [](const double t) { return t; }},
              {0});
    dynamics.call_every(0.25, [&](const double time) { looks.push_back(time); });
  };
  Block<2> block(2, std::make_shared<LinearElastic<2>>(1., 1., 0.3), set_up);
  for (const double time : {0.5, 1., 1.1})
  {
    block.dynamics->advance_to(time);
    EXPECT_EQ(block.dynamics->time(), time);
    EXPECT_NEAR(block.momenta()[1], 2 * 0.5 * time * time, 0.01);
    EXPECT_NEAR(block.momenta()[0], 0.1 * 0.5 * time * time, 0.001);
    const auto energy = block.dynamics->energy();
    block.change([&](const Point<2> &x) { return x[0] < time && time < 1; });
    block.dynamics->start();
    EXPECT_NEAR(block.dynamics->energy().external_work, energy.external_work, 1e-14);
    const std::string state = block.dynamics->save();
    block.dynamics->load(state);
    EXPECT_EQ(block.dynamics->time(), time);
  }
  EXPECT_EQ(looks, std::vector<double>({0, 0.25, 0.5, 0.75, 1}));
}

TEST(StartTime, IsWhatFunctionsKnow)
{
  for (const double begin : {0., 3., -2.})
  {
    TestBar<2> bar;
    bar.dynamics.set_start_time(begin);
    bar.body->load({BodyLoad<2>::Type::body_force, function<2>("0; t-" + std::to_string(begin))});
    bar.body->damp([=](const double t) { return t < begin + 1 ? 0. : 2.; });
    std::vector<double> looks;
    bar.dynamics.call_every(0.5, [&](const double time) { looks.push_back(time); });
    EXPECT_EQ(bar.dynamics.time(), begin);
    bar.dynamics.advance_to(begin + 1);
    EXPECT_EQ(bar.dynamics.time(), begin + 1);
    EXPECT_NEAR(bar.momentum()[1], 0.5 * 10, 0.2);
    if (begin >= 0)
    {
      EXPECT_EQ(looks, std::vector<double>({begin, begin + 0.5, begin + 1}));
    }
    EXPECT_ANY_THROW(bar.dynamics.advance_to(begin + 0.5));
    // v' = t - 2 v from 1/2 at 1
    bar.dynamics.advance_to(begin + 2);
    EXPECT_NEAR(bar.momentum()[1] / TestBar<2>::mass, 0.5 * (0.75 + 0.25 * std::exp(-2.)), 0.01);
    EXPECT_THROW(bar.dynamics.set_start_time(0), DynamicsExceptions::ExcTooLate);
  }
  TestBar<2> bar;
  EXPECT_THROW(bar.dynamics.set_start_time(NAN), DynamicsExceptions::ExcStartTime);
}

TEST(MeshTransfer, MistakesHaveNames)
{
  Block<2> block(2, std::make_shared<LinearElastic<2>>(1., 1., 0.3));
  block.dynamics->start();
  const MeshTransfer<2> transfer(*block.dynamics);
  EXPECT_THROW(transfer.to(*block.dynamics), DynamicsExceptions::ExcTooLate);
  TestBar<2> other;
  EXPECT_THROW(transfer.to(other.dynamics), DynamicsExceptions::ExcNoBodyToTransfer);
  Triangulation<2> foreign;
  GridGenerator::subdivided_hyper_cube(foreign, 7);
  DoFHandler<2> dofs(foreign);
  dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  Dynamics<2> dynamics;
  dynamics.add_body(dofs, block.mapping, block.material, "block");
  EXPECT_THROW(transfer.to(dynamics), DynamicsExceptions::ExcOtherMesh);

  Block<2> unready(2, std::make_shared<LinearElastic<2>>(1., 1., 0.3));
  EXPECT_THROW(MeshTransfer<2>{*unready.dynamics}, DynamicsExceptions::ExcNotReady);
  unready.dynamics->start();
  const MeshTransfer<2> other_way(*unready.dynamics);
  unready.mesh.begin_active()->set_refine_flag(RefinementCase<2>::cut_x);
  unready.mesh.execute_coarsening_and_refinement();
  EXPECT_ANY_THROW(unready.make(); other_way.to(*unready.dynamics)); // by Body or by the transfer

  Dynamics<2> twins;
  twins.add_body(block.dofs, block.mapping, block.material, "block");
  twins.add_body(block.dofs, block.mapping, block.material, "block");
  EXPECT_THROW(transfer.to(twins), DynamicsExceptions::ExcEqualNames);
  twins.start();
  EXPECT_THROW(MeshTransfer<2>{twins}, DynamicsExceptions::ExcEqualNames);
}
