// Contact by impulses with a memory (Response::records): what its books say, against the energy
// that a leapfrog keeps, and against that of rigid bodies; and no bit depends on its lists.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace dealii;
using namespace KickDrift;

namespace
{
/// Half spaces around a square room of this half width.
std::vector<Obstacle<2>>
walls(const double half_width)
{
  std::vector<Obstacle<2>> result;
  for (const Tensor<1, 2> &inwards :
       {Tensor<1, 2>({1, 0}), Tensor<1, 2>({-1, 0}), Tensor<1, 2>({0, 1}), Tensor<1, 2>({0, -1})})
  {
    Obstacle<2> wall;
    wall.name = "wall " + std::to_string(result.size() + 1);
    wall.shape = std::make_shared<HalfSpace<2>>(Point<2>(-half_width * inwards), inwards);
    result.push_back(wall);
  }
  return result;
}

/// A linear elastic disc in a room, with one step for all.
struct DiscInRoom
{
  explicit DiscInRoom(const double restitution) : dofs(triangulation)
  {
    GridGenerator::hyper_ball(triangulation, Point<2>(), 0.5);
    triangulation.refine_global(1);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    StepperParameters stepping;
    stepping.clocks = Clocks::one;
    dynamics = std::make_unique<Dynamics<2>>(stepping);
    dynamics->add_body(dofs, mapping, std::make_shared<LinearElastic<2>>(1., 100., 0.3), "disc");
    for (unsigned int node = 0; node < dynamics->nodes().size(); ++node)
      dynamics->nodes().set_velocity(node, Tensor<1, 2>({0.4, 0.3}));
    ContactParameters contact;
    contact.response = Response::records;
    contact.restitution = restitution;
    dynamics->enable_contact(contact, walls(0.6));
    dynamics->start();
  }

  std::vector<Tensor<1, 2>>
  velocities() const
  {
    std::vector<Tensor<1, 2>> result;
    for (unsigned int node = 0; node < dynamics->nodes().size(); ++node)
      result.push_back(dynamics->nodes().velocity(node));
    return result;
  }

  /// Sum of m v- . v+ / 2, strain energy, what contact keeps and what it has lost, at the next
  /// kicks. Without impulses a leapfrog keeps it exactly; an impulse p adds p . (v- + v+) / 2, of
  /// which p . v+ / 2 is seen at the kicks after it only, and is added here.
  double
  energy_of_next_kicks()
  {
    const auto before = velocities();
    const auto impulses = dynamics->contact()->statistics().impulse;
    dynamics->advance_to(dynamics->stepper().next_time());
    const auto after = velocities();
    const auto &impulses_after = dynamics->contact()->statistics().impulse;
    const EnergyBalance balance = dynamics->energy();
    double sum = balance.strain + balance.contact_energy + balance.restitution_loss;
    for (unsigned int node = 0; node < before.size(); ++node)
      sum += 0.5 * (dynamics->nodes().mass(node) * (before[node] * after[node]) +
                    (impulses_after[node] - impulses[node]) * after[node]);
    return sum;
  }

  Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  DoFHandler<2> dofs;
  std::unique_ptr<Dynamics<2>> dynamics;
};

/// Many bounces; returns the loss.
double
check_energy(const double restitution)
{
  DiscInRoom room(restitution);
  const double first = room.energy_of_next_kicks();
  double kept = 0, lost = 0, largest_kept = 0;
  unsigned int n_openings = 0, n_compared = 0;
  while (room.dynamics->time() < 60)
  {
    const double energy = room.energy_of_next_kicks();
    const EnergyBalance balance = room.dynamics->energy();
    const bool opens = balance.contact_energy < kept || balance.restitution_loss > lost;
    kept = balance.contact_energy;
    lost = balance.restitution_loss;
    largest_kept = std::max(largest_kept, kept);
    n_openings += opens;
    ++n_compared;
    EXPECT_NEAR(energy, first, 1e-10 * first) << "at " << room.dynamics->time();
  }
  EXPECT_GT(n_openings, 20u);
  EXPECT_GT(n_compared, 1000u);
  EXPECT_GT(largest_kept, 0.01 * first);
  EXPECT_EQ(room.dynamics->contact()->statistics().unsolved, 0u);
  return lost / first;
}
} // namespace

TEST(ImpulseContact, LinearBodiesKeepTheirEnergy)
{
  EXPECT_NEAR(check_energy(1), 0, 1e-10);
}

TEST(ImpulseContact, WhatIsLostIsInTheBooks)
{
  EXPECT_GT(check_energy(0.5), 0.1);
  EXPECT_GT(check_energy(0), 0.2);
}

// Rigid bars, thrown at each other and at walls, with all kinds of friction and restitution.
TEST(ImpulseContact, RigidBodiesNeverGainEnergy)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto number = [&](const double low, const double high)
  { return low + (high - low) * uniform(random); };
  unsigned int n_collisions = 0;
  for (unsigned int run = 0; run < 40; ++run)
  {
    Dynamics<2> dynamics;
    dynamics.on_warning({});
    std::vector<std::unique_ptr<Triangulation<2>>> meshes;
    std::vector<std::unique_ptr<DoFHandler<2>>> dofs;
    const MappingQ1<2> mapping;
    std::vector<unsigned int> bodies;
    for (unsigned int b = 0; b < 2; ++b)
    {
      meshes.push_back(std::make_unique<Triangulation<2>>());
      const double half_length = number(0.1, 0.3), half_height = number(0.02, 0.1);
      const Point<2> centre(0, b == 0 ? 0.3 : -0.3);
      GridGenerator::hyper_rectangle(*meshes.back(), Point<2>(-half_length, -half_height),
                                     Point<2>(half_length, half_height));
      GridTools::rotate(number(0, 3), *meshes.back());
      GridTools::shift(centre, *meshes.back());
      dofs.push_back(std::make_unique<DoFHandler<2>>(*meshes.back()));
      dofs.back()->distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
      auto body = std::make_unique<Body<2>>(*dofs.back(), mapping, "bar " + std::to_string(b),
                                            std::make_shared<NeoHookean<2>>(1., 1., 0.3));
      RigidParameters rigid;
      rigid.critical_step = number(0.002, 0.02);
      const unsigned int first_node = dynamics.nodes().size();
      const auto &added = dynamics.add_rigid_body(std::move(body), rigid);
      bodies.push_back(*added.rigid());
      const double spin = number(-5, 5);
      const Tensor<1, 2> velocity({number(-1, 1), b == 0 ? -1. : 1.});
      for (unsigned int node = first_node; node < dynamics.nodes().size(); ++node)
      {
        const auto arm = dynamics.nodes().reference(node) - centre;
        dynamics.nodes().set_velocity(node, velocity + spin * Tensor<1, 2>({-arm[1], arm[0]}));
      }
    }
    ContactParameters contact;
    contact.response = Response::records;
    contact.restitution = run % 4 == 0 ? 1 : number(0, 1);
    contact.friction = run % 3 == 0 ? 0 : number(0, 1.5);
    dynamics.enable_contact(contact, walls(0.7));
    dynamics.start();
    const auto energy = [&]
    {
      double sum = 0;
      for (const unsigned int body : bodies)
        sum += dynamics.nodes().rigid_bodies.motion(body).energy();
      return sum + dynamics.energy().contact_energy;
    };
    const double first = energy();
    double last = first;
    while (dynamics.time() < 2)
    {
      dynamics.advance_to(dynamics.stepper().next_time());
      EXPECT_LE(energy(), last + 1e-12 * first) << "run " << run << " at " << dynamics.time();
      last = std::min(last, energy());
    }
    n_collisions += dynamics.contact()->statistics().collisions;
  }
  EXPECT_GT(n_collisions, 200u);
}

namespace
{
/// Two bars of one cross-section meet face to face, with meshes that do not match, and one drifts
/// sideways: a part of its rim is then beyond the other's. Contact is that of the fronts, and what
/// they keep acts along the bars.
void
check_flush_bars(const double drift)
{
  SCOPED_TRACE(drift);
  Dynamics<3> dynamics;
  dynamics.on_warning({});
  std::vector<std::unique_ptr<Triangulation<3>>> meshes;
  std::vector<std::unique_ptr<DoFHandler<3>>> dofs;
  const MappingQ1<3> mapping;
  for (unsigned int b = 0; b < 2; ++b)
  {
    meshes.push_back(std::make_unique<Triangulation<3>>());
    const unsigned int n = 3 + b;
    GridGenerator::subdivided_hyper_rectangle(*meshes.back(), {2 * n, n, n},
                                              Point<3>(b == 0 ? -2 : 0, 0, 0),
                                              Point<3>(b == 0 ? 0 : 2, 1, 1));
    dofs.push_back(std::make_unique<DoFHandler<3>>(*meshes.back()));
    dofs.back()->distribute_dofs(FESystem<3>(FE_Q<3>(1), 3));
    const unsigned int first_node = dynamics.nodes().size();
    dynamics.add_body(*dofs.back(), mapping, std::make_shared<LinearElastic<3>>(1., 1., 0.),
                      "bar " + std::to_string(b));
    for (unsigned int node = first_node; node < dynamics.nodes().size(); ++node)
      dynamics.nodes().set_velocity(
          node, Tensor<1, 3>({b == 0 ? 0.1 : -0.1, b * drift, 0.7 * b * drift}));
  }
  ContactParameters contact;
  contact.response = Response::records;
  contact.restitution = 1;
  dynamics.enable_contact(contact);
  dynamics.start();
  // until the waves come back; then the fronts, which are not quite plane any more, part
  while (dynamics.time() < 3.7)
  {
    dynamics.advance_to(dynamics.stepper().next_time());
    for (unsigned int node = 0; node < dynamics.nodes().size(); ++node)
      for (unsigned int d = 1; d < 3; ++d)
        ASSERT_LT(std::abs(dynamics.nodes().velocity(node)[d]), 1e-6 + 2 * drift)
            << node << " at " << dynamics.time();
  }
}
} // namespace

TEST(ImpulseContact, FlushRimsBelongToTheFronts)
{
  for (const double drift : {0., 1e-10, 1e-9, 1e-8})
    check_flush_bars(drift);
}

namespace
{
/// Two blocks, thrown at each other along a floor with friction. Returns where
/// all nodes are.
std::vector<Point<3>>
blocks_on_a_floor(const double room_in_lists, const double fall)
{
  StepperParameters stepping; // instants at which one cell alone is kicked
  stepping.clocks = Clocks::per_cell;
  Dynamics<3> dynamics(stepping);
  dynamics.on_warning({});
  const MappingQ1<3> mapping;
  Triangulation<3> meshes[2];
  std::vector<std::unique_ptr<DoFHandler<3>>> dofs;
  for (unsigned int b = 0; b < 2; ++b)
  {
    const unsigned int n = b == 0 ? 1 : 2;
    GridGenerator::subdivided_hyper_rectangle(meshes[b], {n, n, n}, Point<3>(0.6 * b, 0, 0.02),
                                              Point<3>(0.6 * b + 0.5, 1, 0.8));
    GridTools::distort_random(0.1, meshes[b], true, 7);
    dofs.push_back(std::make_unique<DoFHandler<3>>(meshes[b]));
    dofs.back()->distribute_dofs(FESystem<3>(FE_Q<3>(1), 3));
    const unsigned int first_node = dynamics.nodes().size();
    dynamics.add_body(*dofs.back(), mapping, std::make_shared<NeoHookean<3>>(1., 20., 0.3),
                      "block " + std::to_string(b));
    for (unsigned int node = first_node; node < dynamics.nodes().size(); ++node)
    {
      const Point<3> x = dynamics.nodes().reference(node);
      dynamics.nodes().set_velocity(
          node, b == 0 ? Tensor<1, 3>({0.5, 0.2 * (x[2] - 0.41), -fall - 0.2 * x[1]})
                       : Tensor<1, 3>({-0.2, 0, -fall}));
    }
  }
  Obstacle<3> floor;
  floor.name = "floor";
  floor.shape = std::make_shared<HalfSpace<3>>(Point<3>(), Tensor<1, 3>({0, 0, 1}));
  ContactParameters contact;
  contact.response = Response::records;
  contact.restitution = 0;
  contact.friction = 0.3;
  contact.room_in_lists = room_in_lists;
  dynamics.enable_contact(contact, {floor});
  dynamics.start();
  dynamics.advance_to(2);
  EXPECT_GT(dynamics.contact()->statistics().collisions, 100u);
  std::vector<Point<3>> result;
  for (unsigned int node = 0; node < dynamics.nodes().size(); ++node)
    result.push_back(dynamics.state().position(node));
  return result;
}
} // namespace

TEST(ImpulseContact, NoBitDependsOnLists)
{
  for (const double fall : {0.02, 0.1, 0.4})
  {
    const auto usual = blocks_on_a_floor(1, fall);
    for (const double room : {0.1, 0.3, 1.5, 3.})
      EXPECT_EQ(blocks_on_a_floor(room, fall), usual) << room;
  }
}
