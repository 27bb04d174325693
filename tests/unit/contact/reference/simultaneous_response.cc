#include <kickdrift/contact/reference/reference_contact.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
/**
 * Two vertical pairs of masses on springs fly at each other: faces that match, so that both
 * directions of node against face say the same twice.
 */
struct TwoFaces
{
  explicit TwoFaces(const ContactParameters &parameters, const double sliding = 0)
      : stepper(nodes, stepping())
  {
    for (const double side : {-1., 1.})
      for (const double y : {0., 1.})
      {
        // sliding faces are opposite each other when they meet
        const double early = 0.1 / speed;
        const unsigned int node =
            nodes.add(Point<2>(0.1 * side, 3 * y + sliding * side * early), mass);
        nodes.set_velocity(node, Tensor<1, 2>({-speed * side, -sliding * side}));
      }
    auto springs = std::make_shared<KickDriftTests::LinearNetwork<2>>();
    springs->add(0, 1, 1., mass, mass);
    springs->add(2, 3, 1., mass, mass);
    stepper.add(springs);
    Surface<2> surface;
    surface.body_names = {"left", "right"};
    surface.contactors = {{0, 0, 0.5}, {1, 0, 0.5}, {2, 1, 0.5}, {3, 1, 0.5}};
    surface.faces.push_back({{{0, 1}}, 2, 0, 0});
    surface.faces.push_back({{{3, 2}}, 2, 1, 0});
    contact = std::make_unique<ReferenceContact<2>>(nodes, stepper, surface, parameters);
    stepper.start();
    contact->start();
  }

  static StepperParameters
  stepping()
  {
    StepperParameters p;
    p.clocks = Clocks::one;
    p.time_step_ratio = 0.1;
    return p;
  }

  double
  kinetic() const
  {
    double energy = 0;
    for (unsigned int i = 0; i < 4; ++i)
      energy += 0.5 * mass * nodes.velocity(i).norm_square();
    return energy;
  }

  Tensor<1, 2>
  mean(const unsigned int first) const
  {
    return 0.5 * (nodes.velocity(first) + nodes.velocity(first + 1));
  }

  static constexpr double mass = 2, speed = 0.3;
  NodeTable<2> nodes;
  Stepper<2> stepper;
  std::unique_ptr<ReferenceContact<2>> contact;
};

std::vector<ContactParameters>
all_ways()
{
  std::vector<ContactParameters> ways;
  for (const auto solver : {ContactSolver::sequential, ContactSolver::coupled})
    for (const bool projection : {false, true})
    {
      ContactParameters p;
      p.schedule = Schedule::synchronous;
      p.response = Response::reflect;
      p.solver = solver;
      p.projection = projection;
      ways.push_back(p);
    }
  return ways;
}
} // namespace

TEST(SimultaneousResponse, faces_bounce_as_wholes)
{
  for (auto p : all_ways())
    for (const double e : {1., 0.5})
    {
      if (p.projection && e < 1)
        continue; // refused
      SCOPED_TRACE(std::to_string(int(p.solver)) + std::to_string(int(p.projection)) + " e " +
                   std::to_string(e));
      p.restitution = e;
      TwoFaces faces(p);
      const double before = faces.kinetic();
      faces.stepper.advance_to(1);
      EXPECT_NEAR(faces.mean(0)[0], -e * TwoFaces::speed, 1e-8);
      EXPECT_NEAR(faces.mean(2)[0], e * TwoFaces::speed, 1e-8);
      const auto &stats = faces.contact->statistics();
      EXPECT_GT(stats.max_penetration, 0);
      EXPECT_NEAR(faces.kinetic() + stats.restitution_loss, before, 1e-8);
      const bool has_systems = p.projection || p.solver == ContactSolver::coupled;
      EXPECT_EQ(stats.coupled.largest, has_systems ? 4u : 0u);
      EXPECT_NEAR(stats.projection_work, 0,
                  1e-12); // nothing but the faces' springs, which are not stretched
    }
}

TEST(SimultaneousResponse, projection_removes_what_has_penetrated)
{
  for (auto p : all_ways())
  {
    SCOPED_TRACE(std::to_string(int(p.solver)) + std::to_string(int(p.projection)));
    TwoFaces faces(p);
    double gap = 1;
    for (unsigned int i = 1; faces.contact->statistics().collisions == 0; ++i)
    {
      ASSERT_LT(i, 10000u);
      const double time = 1e-3 * i;
      faces.stepper.advance_to(time);
      const auto now = faces.stepper.snapshot(time);
      gap = now.position(2)[0] - now.position(0)[0];
      EXPECT_NEAR(now.position(2)[0] + now.position(0)[0], 0, 1e-12);
    }
    if (p.projection)
      EXPECT_GE(gap, -1e-9);
    else
      EXPECT_LT(gap, -1e-4);
  }
}

TEST(SimultaneousResponse, friction_keeps_coulombs_law)
{
  constexpr double mu = 0.2, sliding = 0.2;
  for (auto p : all_ways())
  {
    SCOPED_TRACE(std::to_string(int(p.solver)) + std::to_string(int(p.projection)));
    p.friction = mu;
    TwoFaces faces(p, sliding);
    const double before = faces.kinetic();
    faces.stepper.advance_to(1);
    const auto &stats = faces.contact->statistics();
    EXPECT_GT(stats.collisions, 0u);
    const Tensor<1, 2> left = faces.mean(0), right = faces.mean(2);
    EXPECT_NEAR((left + right).norm(), 0, 1e-12);
    // it slips all the time: what friction takes along is mu times what turns the normal velocity
    EXPECT_NEAR(left[0], -TwoFaces::speed, 1e-3);
    EXPECT_NEAR(sliding - left[1], mu * (TwoFaces::speed - left[0]), 1e-9);
    EXPECT_NEAR(faces.stepper.energy(faces.stepper.snapshot(1)).total() + stats.friction_loss,
                before, 1e-3 * before);
  }
}

TEST(SimultaneousResponse, they_need_one_step_for_all)
{
  for (auto p : all_ways())
  {
    p.schedule = Schedule::adaptive;
    const bool is_plain = p.solver == ContactSolver::sequential && !p.projection;
    if (!is_plain)
    {
      EXPECT_THROW(TwoFaces faces(p), dealii::ExceptionBase);
    }
  }
}
