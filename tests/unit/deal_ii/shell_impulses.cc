// Shells in contact by impulses: thickness, both sides, closed forms of impacts, self-contact.

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include "shell_scenes.h"

#include <deal.II/grid/grid_tools.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

using namespace ShellScenes;

namespace
{
constexpr double thickness = 0.05; // of section

constexpr double accuracy = 1e-2; ///< share of speeds and thicknesses

ContactParameters
impulses(const double restitution = 1)
{
  ContactParameters parameters;
  parameters.response = Response::records;
  parameters.restitution = restitution;
  return parameters;
}

std::vector<Obstacle<3>>
half_space(const double side)
{
  return {{"ground", std::make_shared<HalfSpace<3>>(Point<3>(), vector(0, 0, side)), {}}};
}

/// Contact of what has been added, as if triangles of some bodies went round backwards.
std::unique_ptr<ImpulseContact<3>>
flipped_contact(Dynamics<3> &dynamics, const std::vector<bool> &flips)
{
  Surface<3> surface = dynamics.surface();
  for (SurfaceFace<3> &face : surface.faces)
    if (flips[face.body])
      std::swap(face.nodes[1], face.nodes[2]);
  auto contact = std::make_unique<ImpulseContact<3>>(dynamics.nodes(), dynamics.stepper(), surface,
                                                     impulses(), std::vector<Obstacle<3>>());
  dynamics.start();
  contact->start();
  return contact;
}

/// Two plates that hit each other off the middle.
struct Impact
{
  Impact(const bool flip_lower, const bool flip_upper)
  {
    auto &first = dynamics.add_shell(lower.shell("lower"));
    auto &second = dynamics.add_shell(upper.shell("upper"));
    throw_body(dynamics, first.body(), vector(0.01, 0, 0.03));
    throw_body(dynamics, second.body(), vector(0, 0, -0.05));
    contact = flipped_contact(dynamics, {flip_lower, flip_upper});
  }

  double
  energy() const
  {
    EnergyBalance balance = dynamics.energy();
    contact->add_energy(balance);
    return balance.total();
  }

  Plate lower = level(0),
        upper{Point<3>(0.4, 0.3, 0.2), vector(0.6, 0.2, 0.03), vector(-0.2, 0.6, 0.01)};
  Dynamics<3> dynamics{plain_boundaries()};
  std::unique_ptr<ImpulseContact<3>> contact;
};
} // namespace

TEST(ShellImpulses, thickness_is_seen_in_the_gap)
{
  const ShellSection thin{1., 0.3, 2., 0.03};
  for (const bool flip : {false, true})
    for (const double depth : {1e-3, -1e-3})
    {
      const Plate lower = level(0.5 * thickness - depth),
                  upper = level(thickness + 0.015 - 2 * depth, flip, 0.8);
      const Cube cube(Point<3>(0.2, 0.2, thickness + 0.03 - 3 * depth), 0.3);
      Dynamics<3> dynamics;
      dynamics.add_shell(lower.shell("lower"));
      dynamics.add_shell(upper.shell("upper", thin));
      dynamics.add_body(cube.dofs, cube.mapping, std::make_shared<NeoHookean<3>>());
      ContactParameters parameters = impulses();
      parameters.initial_overlap = OverlapRule::ignore;
      dynamics.enable_contact(parameters, half_space(1));
      dynamics.start();
      const auto found = dynamics.contact()->penetrations();
      if (depth < 0)
      {
        EXPECT_TRUE(found.empty());
        continue;
      }
      const auto n_of = [&](const unsigned int body)
      {
        return std::count_if(found.begin(), found.end(),
                             [&](const auto &one) { return one.body == body; });
      };
      EXPECT_GE(n_of(0), n_nodes_of_plate);
      EXPECT_GE(n_of(1), n_nodes_of_plate);
      EXPECT_GE(n_of(2), 4); // the cube
      for (const auto &one : found)
        EXPECT_NEAR(one.depth, depth, 1e-12);
    }
}

// All its nodes hit at once, so it does not even deform.
TEST(ShellImpulses, a_plate_falls_flat_on_the_ground)
{
  const double speed = 0.02;
  for (const double e : {1., 0.5, 0.})
    for (const bool flip : {false, true})
      for (const double side : {1., -1.})
      {
        const Plate plate = level(side * 0.3, flip);
        Dynamics<3> dynamics;
        auto &shell = dynamics.add_shell(plate.shell("plate"));
        throw_body(dynamics, shell.body(), vector(0, 0, -side * speed));
        dynamics.enable_contact(impulses(e), half_space(side));
        dynamics.advance_to(40);
        const auto &nodes = dynamics.state();
        for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
        {
          EXPECT_NEAR(side * nodes.velocity(n)[2], e * speed, accuracy * speed);
          EXPECT_NEAR(nodes.velocity(n)[0], 0, 0.1 * accuracy * speed);
          if (e == 0)
          {
            EXPECT_NEAR(side * nodes.position(n)[2], 0.5 * thickness, accuracy * thickness);
          }
        }
        // area 1, density 2
        EXPECT_NEAR(side * momentum_of(nodes)[2], 2 * thickness * e * speed,
                    2 * thickness * accuracy * speed);
        const double energy = 0.5 * 2 * thickness * speed * speed;
        // records let nodes rest between kicks that are theirs, so that it vibrates a little
        EXPECT_NEAR(dynamics.energy().kinetic, e * e * energy, 1e-4 * energy);
        EXPECT_NEAR(dynamics.energy().total(), energy, 1e-6 * energy);
      }
}

// What starts nearer to the ground than it is thick is pushed no deeper, and not thrown out.
TEST(ShellImpulses, a_plate_that_starts_too_near_goes_no_deeper)
{
  for (const double depth : {1e-9, 1e-3, 0.4 * thickness})
  {
    const double start = 0.5 * thickness - depth;
    const Plate plate = level(start);
    Dynamics<3> dynamics;
    auto &shell = dynamics.add_shell(plate.shell("plate"));
    throw_body(dynamics, shell.body(), vector(0, 0, -0.02));
    ContactParameters parameters = impulses(0);
    parameters.initial_overlap = OverlapRule::ignore;
    dynamics.enable_contact(parameters, half_space(1));
    for (unsigned int i = 1; i <= 10; ++i)
    {
      dynamics.advance_to(i);
      for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
      {
        EXPECT_NEAR(dynamics.state().position(n)[2], start, 1e-6 * thickness);
      }
    }
  }
}

// Where two plates that touch turn together, their middles go past each other, but nothing slips.
TEST(ShellImpulses, plates_that_turn_together_do_not_slip)
{
  const double rate = 0.05, speed = 1e-3, mass = 2 * thickness;
  const Plate lower = level(0), upper = level(thickness + 1e-4);
  Dynamics<3> dynamics(plain_boundaries());
  const unsigned int first_of_lower = dynamics.add_shell(lower.shell("lower")).body().first_node(),
                     first_of_upper = dynamics.add_shell(upper.shell("upper")).body().first_node();
  NodeTable<3> &nodes = dynamics.nodes();
  const Point<3> centre(0.5, 0.5, 0.5 * thickness);
  for (const auto &[first, approach] : {std::pair{first_of_lower, speed}, {first_of_upper, -speed}})
    for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
    {
      const Tensor<1, 3> arm = nodes.reference(first + n) - centre;
      nodes.set_velocity(first + n, vector(rate * arm[2], 0, -rate * arm[0] + approach));
    }
  ContactParameters parameters = impulses(0);
  parameters.friction = 1;
  dynamics.enable_contact(parameters);
  dynamics.start();
  const auto momentum = [&]
  {
    Tensor<1, 3> sum;
    for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
      sum += nodes.mass(first_of_upper + n) * dynamics.state().velocity(first_of_upper + n);
    return sum;
  };
  const Tensor<1, 3> before = momentum();
  dynamics.advance_to(0.5);
  const Tensor<1, 3> change = momentum() - before;
  EXPECT_NEAR(change[2], mass * speed, 0.1 * mass * speed);
  EXPECT_NEAR(change[0], 0, 0.05 * mass * speed); // friction could give all of it
}

// Equal plates, node on node: what bodies do that collide.
TEST(ShellImpulses, plates_meet_flat)
{
  const double speed = 0.02;
  for (const double e : {1., 0.5, 0.})
    for (const bool flip : {false, true})
    {
      const Plate lower = level(0), upper = level(0.3, flip);
      Dynamics<3> dynamics;
      auto &first = dynamics.add_shell(lower.shell("lower"));
      auto &second = dynamics.add_shell(upper.shell("upper"));
      throw_body(dynamics, second.body(), vector(0, 0, -speed));
      dynamics.enable_contact(impulses(e));
      dynamics.advance_to(40);
      const auto &nodes = dynamics.state();
      const auto &a = first.body(), &b = second.body();
      for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
      {
        EXPECT_NEAR(nodes.velocity(a.first_node() + n)[2], -0.5 * (1 + e) * speed,
                    accuracy * speed);
        EXPECT_NEAR(nodes.velocity(b.first_node() + n)[2], -0.5 * (1 - e) * speed,
                    accuracy * speed);
        const double gap = nodes.position(b.first_node() + n)[2] -
                           nodes.position(a.first_node() + n)[2] - thickness;
        if (e == 0)
        {
          EXPECT_NEAR(gap, 0, accuracy * thickness);
        }
        else if (e > 0)
        {
          EXPECT_GT(gap, 0);
        }
      }
    }
}

TEST(ShellImpulses, plates_keep_momentum_and_energy)
{
  Impact impact(false, false);
  Dynamics<3> &dynamics = impact.dynamics;
  const auto momentum = momentum_of(dynamics.state()), spin = spin_of(dynamics.state());
  const double energy = impact.energy();
  IntersectionCheck<3> check(dynamics.nodes(), dynamics.stepper(), dynamics.surface(), impulses(),
                             {});
  for (unsigned int i = 1; i <= 20; ++i)
  {
    check.advance_to(i);
    const auto &nodes = dynamics.state();
    EXPECT_LT((momentum_of(nodes) - momentum).norm(), 1e-16);
    EXPECT_NEAR(impact.energy(), energy, 5e-3 * energy);
  }
  // in between, what a contact has pending belongs to where it was
  EXPECT_LT((spin_of(dynamics.state()) - spin).norm(), 1e-16);
  EXPECT_TRUE(check.found().empty());
  EXPECT_GT(impact.contact->statistics().collisions, 3u);
  EXPECT_LT(dynamics.state().velocity(0)[2], 0.03); // they have turned each other round
}

TEST(ShellImpulses, do_not_care_which_way_triangles_go_round)
{
  Impact plain(false, false);
  plain.dynamics.advance_to(15);
  const auto &nodes = plain.dynamics.state();
  for (const auto &[lower, upper] : {std::pair{true, false}, {false, true}, {true, true}})
  {
    Impact flipped(lower, upper);
    flipped.dynamics.advance_to(15);
    const auto &others = flipped.dynamics.state();
    for (unsigned int n = 0; n < nodes.size(); ++n)
      EXPECT_LT((nodes.velocity(n) - others.velocity(n)).norm(), 1e-10);
  }
}

TEST(ShellImpulses, a_cube_is_thrown_back_by_a_clamped_plate_from_either_side)
{
  std::vector<double> speeds;
  for (const double side : {1., -1.})
  {
    const Plate plate = level(0);
    Cube cube(Point<3>(0.35, 0.25, side > 0 ? 0.12 : -0.42), 0.3);
    // a little oblique: of corners that come at one time rounding says which is the first
    GridTools::transform([&](const Point<3> &x)
                         { return x + vector(0, 0, side * (0.05 * x[0] + 0.03 * x[1])); },
                         cube.mesh);
    Dynamics<3> dynamics;
    auto &body =
        dynamics.add_body(cube.dofs, cube.mapping, std::make_shared<StVenantKirchhoff<3>>(5.));
    auto &shell = dynamics.add_shell(plate.shell("plate"));
    shell.restrain({0});
    for (unsigned int n = 0; n < body.body().n_nodes(); ++n)
      dynamics.nodes().set_velocity(body.body().first_node() + n, vector(0, 0, -0.05 * side));
    dynamics.enable_contact(impulses());
    dynamics.start();
    const double energy = dynamics.energy().total();
    const auto speed = [&]()
    {
      double sum = 0;
      for (unsigned int n = 0; n < 8; ++n)
        sum -= side * dynamics.state().velocity(body.body().first_node() + n)[2];
      return sum / 8;
    };
    // the first corners have hit; later ones graze the plate, and rounding decides whether they
    // do
    dynamics.advance_to(4);
    EXPECT_LT(speed(), 0.03);
    speeds.push_back(speed());
    dynamics.advance_to(15);
    EXPECT_NEAR(dynamics.energy().total(), energy, 2e-2 * energy);
    EXPECT_LT(speed(), -0.03);
  }
  EXPECT_NEAR(speeds[0], speeds[1], 1e-12);
}

// It goes by more than its thickness between two kicks.
TEST(ShellImpulses, fast_plates_do_not_pass_each_other)
{
  const ShellSection thin{1., 0.3, 2., 1e-4};
  const Plate lower = level(0),
              upper(Point<3>(0.4, 0.3, 0.2), vector(0.6, 0.2, 0), vector(-0.2, 0.6, 0));
  Dynamics<3> dynamics;
  auto &first = dynamics.add_shell(lower.shell("lower", thin));
  auto &second = dynamics.add_shell(upper.shell("upper", thin));
  throw_body(dynamics, second.body(), vector(0, 0, -0.1));
  dynamics.enable_contact(impulses());
  dynamics.advance_to(6);
  const auto mean = [&](const Shell &shell)
  {
    double sum = 0;
    for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
      sum += dynamics.state().position(shell.first_node() + n)[2] / n_nodes_of_plate;
    return sum;
  };
  EXPECT_GT(mean(second.body()), mean(first.body()));
  EXPECT_GT(dynamics.contact_statistics().collisions, 3u);
}

TEST(ShellImpulses, are_for_records_alone)
{
  const Plate plate = level(1);
  Dynamics<3> dynamics;
  dynamics.add_shell(plate.shell("plate"));
  ContactParameters parameters;
  parameters.response = Response::reflect;
  dynamics.enable_contact(parameters, half_space(1));
  EXPECT_THROW(dynamics.start(), ContactExceptions::ExcNoReference);
}

// A strip that is folded twice; its upper leaf claps down on the lower one.
TEST(ShellImpulses, a_shell_touches_itself)
{
  constexpr unsigned int n = 10;
  const auto place = [](const Point<3> &p)
  {
    return p[1] < 0.41   ? Point<3>(p[0], p[1], 0)
           : p[1] < 0.59 ? Point<3>(p[0], 0.4, p[1] - 0.4)
                         : Point<3>(p[0], 1 - p[1], 0.2);
  };
  std::vector<Tensor<1, 3>> velocities;
  for (const bool flip : {false, true})
  {
    Plate strip(Point<3>(), vector(1, 0, 0), vector(0, 1, 0), false, n);
    GridTools::transform(place, strip.mesh);
    Dynamics<3> dynamics(plain_boundaries());
    dynamics.add_shell(strip.shell("strip"));
    NodeTable<3> &nodes = dynamics.nodes();
    double fastest = 0;
    std::vector<std::pair<unsigned int, unsigned int>> leaves; // upper and lower nodes
    for (unsigned int a = 0; a < nodes.size(); ++a)
      if (nodes.reference(a)[2] > 0.19 && nodes.reference(a)[1] < 0.39)
      {
        nodes.set_velocity(a, vector(0, 0, -0.5 * (0.4 - nodes.reference(a)[1])));
        fastest = std::max(fastest, nodes.velocity(a).norm());
        for (unsigned int b = 0; b < nodes.size(); ++b)
          if ((nodes.reference(a) - nodes.reference(b) - vector(0, 0, 0.2)).norm() < 1e-9)
            leaves.emplace_back(a, b);
      }
    ASSERT_EQ(leaves.size(), 4 * (n + 1));
    const auto momentum = momentum_of(nodes), spin = spin_of(nodes);
    const auto contact = flipped_contact(dynamics, {flip});
    EXPECT_TRUE(contact->penetrations().empty());
    const double energy = dynamics.energy().total();
    double least = 1;
    for (unsigned int k = 1; k <= 20; ++k)
    {
      dynamics.advance_to(0.1 * k);
      for (const auto &[a, b] : leaves)
        least = std::min(least, dynamics.state().position(a)[2] - dynamics.state().position(b)[2]);
    }
    EXPECT_GT(contact->statistics().collisions, 20u);
    EXPECT_GT(least, 0.8 * thickness);
    EXPECT_LT(least, 1.1 * thickness);
    EnergyBalance balance = dynamics.energy();
    contact->add_energy(balance);
    EXPECT_NEAR(balance.total(), energy, 5e-3 * energy);
    EXPECT_LT((momentum_of(dynamics.state()) - momentum).norm(), 1e-15);
    EXPECT_LT((spin_of(dynamics.state()) - spin).norm(), 1e-15);
    for (unsigned int k = 0; k < nodes.size() && flip; ++k)
      EXPECT_LT((dynamics.state().velocity(k) - velocities[k]).norm(), 2e-3 * fastest);
    for (unsigned int k = 0; k < nodes.size(); ++k)
      velocities.push_back(dynamics.state().velocity(k));
  }
}
