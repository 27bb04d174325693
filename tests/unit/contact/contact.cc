#include <kickdrift/contact/contact_method.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/springs.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
/**
 * Two masses on a spring above a fixed plane under gravity (Vouga et al., section 8.1), everything
 * turned by @p angle and moved by @p shift.
 */
struct Bouncer
{
  Bouncer(const ContactParameters &contact_parameters, const double beta = 0.02,
          const double angle = 0, const Point<2> &shift = Point<2>(),
          const unsigned int body_of_spring = 0, const double length = 0.5)
      : up({-std::sin(angle), std::cos(angle)}), stepper(nodes, stepping(beta))
  {
    const Tensor<1, 2> along({std::cos(angle), std::sin(angle)});
    const auto at = [&](const double x, const double y)
    { return Point<2>(shift + x * along + y * up); };
    nodes.add(at(0.2, 1), 1.);
    nodes.add(at(0.2, 2), 1.);
    for (const double x : {5., -5.})
    {
      const unsigned int fixed = nodes.add(at(x, 0), 1.);
      nodes.restraints.add(fixed, up);
      nodes.restraints.add(fixed, along);
    }
    // linear in the displacements: the masses may pass each other
    springs = std::make_shared<KickDriftTests::LinearNetwork<2>>();
    springs->add(0, 1, 1., 1., 1.);
    stepper.add(springs);
    gravity = std::make_shared<ConstantLoads<2>>("gravity", 2, std::vector<unsigned int>{0, 1},
                                                 std::vector<Tensor<1, 2>>{-up, -up});
    stepper.add_on_clock_of(gravity, {0});
    Surface<2> surface;
    surface.body_names = {"spring", "plane"};
    surface.contactors = {{0, body_of_spring, length}, {1, body_of_spring, length}};
    surface.faces.push_back({{{2, 3}}, 2, 1, 0});
    contact = make_contact_method<2>(nodes, stepper, surface, contact_parameters, {}, nullptr);
    gravity->begin(nodes);
    stepper.start();
    contact->start();
  }

  static StepperParameters
  stepping(const double beta)
  {
    StepperParameters p;
    p.time_step_ratio = beta;
    return p;
  }

  double
  total_energy(const double time) const
  {
    auto balance = stepper.energy(stepper.snapshot(time));
    contact->add_energy(balance);
    return balance.total();
  }

  NodeTable<2> nodes;
  Tensor<1, 2> up;
  Stepper<2> stepper;
  std::shared_ptr<KickDriftTests::LinearNetwork<2>> springs;
  std::shared_ptr<ConstantLoads<2>> gravity;
  std::unique_ptr<ContactMethod<2>> contact;
};

constexpr Response both_responses[] = {Response::reflect, Response::records};

ContactParameters
with(const Response response, const double restitution = 1)
{
  ContactParameters p;
  p.response = response;
  p.restitution = restitution;
  p.maximum_step = 0.02;
  return p;
}
} // namespace

TEST(Contact, a_spring_bounces_on_a_plane_without_losing_energy)
{
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    Bouncer bouncer(with(response));
    const double scale = 3; // potential energy above the plane
    const double first = bouncer.total_energy(0);
    double lowest = 1, highest = 0;
    for (unsigned int i = 1; i <= 1000; ++i)
    {
      bouncer.stepper.advance_to(0.1 * i);
      EXPECT_NEAR(bouncer.total_energy(0.1 * i), first, 0.01 * scale);
      const double height = bouncer.up * (bouncer.nodes.position(0) - Point<2>());
      lowest = std::min(lowest, height);
      highest = std::max(highest, height);
    }
    EXPECT_GT(bouncer.contact->statistics().collisions, 20u);
    EXPECT_GT(lowest, -0.15);
    EXPECT_GT(highest, 0.5);
    EXPECT_EQ(bouncer.nodes.velocity(2).norm(), 0);
  }
}

TEST(Contact, the_frame_does_not_matter)
{
  Bouncer here(with(Response::records));
  Bouncer there(with(Response::records), 0.02, 0.7, Point<2>(1000, -300));
  // forces on a mass that has just stopped must not add up to zero: rounding would decide
  for (Bouncer *bouncer : {&here, &there})
    bouncer->nodes.set_velocity(1, 0.3 * bouncer->up);
  here.stepper.advance_to(10);
  there.stepper.advance_to(10);
  EXPECT_NEAR(here.contact->statistics().contact_energy, there.contact->statistics().contact_energy,
              1e-8);
  for (unsigned int i = 0; i < 2; ++i)
    EXPECT_NEAR(here.up * here.nodes.displacement(i), there.up * there.nodes.displacement(i), 1e-8);
}

TEST(Contact, restitution_loses_the_energy_that_is_booked)
{
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    Bouncer bouncer(with(response, 0.5));
    const double first = bouncer.total_energy(0);
    bouncer.stepper.advance_to(10);
    EXPECT_NEAR(bouncer.total_energy(10), first, 0.03);
    // with records the lower mass rests, and keeps what the impact has taken until it is pulled off
    const auto &statistics = bouncer.contact->statistics();
    EXPECT_GT(statistics.restitution_loss + statistics.contact_energy, 0.5);
  }
}

TEST(Contact, impulses_are_the_change_of_momentum)
{
  for (const double restitution : {1., 0.})
  {
    SCOPED_TRACE(restitution);
    Bouncer bouncer(with(Response::records, restitution));
    unsigned int n_pending = 0;
    for (unsigned int step = 1; step <= 800; ++step)
    {
      const double time = 0.025 * step;
      bouncer.stepper.advance_to(time);
      const auto nodes = bouncer.stepper.snapshot(time);
      const auto impulses = bouncer.contact->synchronised_statistics().impulse;
      Tensor<1, 2> momentum, impulse;
      for (const unsigned int i : {0u, 1u})
      {
        momentum += nodes.mass(i) * nodes.velocity(i);
        impulse += impulses[i];
      }
      const Tensor<1, 2> weight = -2 * bouncer.up;
      EXPECT_NEAR((momentum - time * weight - impulse).norm(), 0, 1e-11);
      EXPECT_NEAR((impulses[2] + impulses[3] + impulse).norm(), 0, 1e-11);
      EXPECT_NEAR((bouncer.contact->synchronised_pairs()(0, 1).impulse - impulse).norm(), 0, 1e-11);
      n_pending += (bouncer.contact->pairs()(0, 1).impulse - impulse).norm() > 1e-6;
    }
    EXPECT_GT(n_pending, 0u);
  }
}

TEST(Contact, a_body_touches_itself_unless_that_is_excluded)
{
  const auto lowest = [](const ContactParameters &parameters)
  {
    Bouncer bouncer(parameters, 0.02, 0, Point<2>(), 1); // spring and plane are one body
    double height = 1;
    for (unsigned int i = 1; i <= 60; ++i)
    {
      bouncer.stepper.advance_to(0.05 * i);
      height = std::min(height, bouncer.nodes.position(0)[1]);
    }
    return height;
  };
  ContactParameters parameters = with(Response::records);
  EXPECT_GT(lowest(parameters), -0.15);
  parameters.exclude = {{"", ""}};
  EXPECT_LT(lowest(parameters), -1);
}

TEST(Contact, friction_stops_the_mass_that_slides_and_is_booked)
{
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    ContactParameters parameters = with(response, 0);
    parameters.friction = 2;
    parameters.friction_of_pairs = {{"plane", "spring", 0.3}};
    Bouncer bouncer(parameters);
    bouncer.nodes.set_velocity(0, Tensor<1, 2>({0.4, 0}));
    const double first = bouncer.total_energy(0);
    bouncer.stepper.advance_to(30);
    const auto statistics = bouncer.contact->synchronised_statistics();
    auto balance = bouncer.stepper.energy(bouncer.stepper.snapshot(30));
    bouncer.contact->add_energy(balance);
    EXPECT_NEAR(balance.total(), first, 0.03);

    const auto nodes = bouncer.stepper.snapshot(30);
    Tensor<1, 2> change({-0.4, 60}), impulse; // of momentum, less what gravity gives
    for (const unsigned int i : {0u, 1u})
    {
      change += nodes.mass(i) * nodes.velocity(i);
      impulse += statistics.impulse[i];
    }
    EXPECT_NEAR((change - impulse).norm(), 0, 1e-11);
    const auto support = statistics.impulse[2] + statistics.impulse[3];
    EXPECT_NEAR((support + impulse).norm(), 0, 1e-11);
    EXPECT_LE(std::abs(impulse[0]), 0.3 * impulse[1]);
    EXPECT_LT(impulse[0], -0.1);
    // at rest: all of the kinetic energy along the plane is lost
    EXPECT_NEAR(nodes.velocity(0)[0], 0, 1e-3);
    EXPECT_NEAR(statistics.friction_loss, 0.5 * 0.4 * 0.4, 2e-3);
  }
}

TEST(Contact, coefficients_of_pairs_need_known_bodies)
{
  for (const Response response : both_responses)
  {
    ContactParameters parameters = with(response);
    parameters.friction_of_pairs = {{"spring", "nobody", 0.3}};
    EXPECT_THROW(Bouncer{parameters}, std::exception);
    parameters.friction_of_pairs.clear();
    parameters.restitution_of_pairs = {{"nobody", "plane", 0.3}};
    EXPECT_THROW(Bouncer{parameters}, std::exception);
  }
}

TEST(Contact, coefficients_of_pairs_are_read)
{
  const auto parse = [](const std::string &name, const std::string &value)
  {
    dealii::ParameterHandler prm;
    ContactParameters::declare_parameters(prm);
    prm.enter_subsection("Contact");
    prm.set(name, value);
    prm.leave_subsection();
    ContactParameters parameters;
    parameters.parse_parameters(prm);
    return parameters;
  };
  const auto pairs = parse("Friction of pairs", "left:right=0.3, block : floor = 1.5");
  ASSERT_EQ(pairs.friction_of_pairs.size(), 2u);
  EXPECT_EQ(pairs.friction_of_pairs[1].first, "block");
  EXPECT_EQ(pairs.friction_of_pairs[1].second, "floor");
  EXPECT_EQ(pairs.friction_of_pairs[1].value, 1.5);
  EXPECT_EQ(parse("Restitution of pairs", "a:a=1").restitution_of_pairs.at(0).value, 1);
  for (const char *bad : {"a:b", "a=0.1", "a:b:c=1", "a:=1", "a:b=x", "a:b=-1", "a:b=1, b:a=2"})
    EXPECT_THROW(parse("Friction of pairs", bad), std::exception) << bad;
  EXPECT_THROW(parse("Restitution of pairs", "a:b=1.5"), std::exception);
  EXPECT_THROW(parse("Friction", "-0.1"), std::exception);
}

TEST(Contact, who_sleeps_is_woken_when_speeds_grow)
{
  // the plane is out of sight at the start, and nothing moves yet
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    Bouncer bouncer(with(response), 0.02, 0, Point<2>(), 0, 0.05);
    bouncer.stepper.advance_to(1.6);
    EXPECT_GE(bouncer.contact->statistics().collisions, 1u);
    EXPECT_GT(bouncer.nodes.position(0)[1], -0.1);
  }
}

TEST(Contact, what_is_excluded_is_not_tested)
{
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    ContactParameters excluding = with(response);
    excluding.exclude = {{"spring", "plane"}};
    Bouncer bouncer(excluding);
    bouncer.stepper.advance_to(3);
    EXPECT_EQ(bouncer.contact->statistics().collisions, 0u);
    EXPECT_LT(bouncer.up * (bouncer.nodes.position(0) - Point<2>()), -1);
    excluding.exclude = {{"spring", "nobody"}};
    EXPECT_THROW(Bouncer{excluding}, std::exception);
  }
}

// A cloud of flying springs against a plane.
TEST(Contact, nothing_is_missed_by_boxes_that_are_too_small)
{
  for (const Response response : both_responses)
  {
    SCOPED_TRACE(static_cast<int>(response));
    NodeTable<2> nodes;
    std::vector<unsigned int> ends;
    std::vector<Spring> springs;
    for (unsigned int i = 0; i < 40; ++i)
    {
      const unsigned int a = nodes.add(Point<2>(0.2 * i, 1 + 0.01 * i), 1.);
      const unsigned int b = nodes.add(Point<2>(0.2 * i + 0.1, 1 + 0.01 * i), 1.);
      nodes.set_velocity(a, Tensor<1, 2>({0.3 * std::sin(i), -1. - 0.1 * std::cos(5. * i)}));
      nodes.set_velocity(b, Tensor<1, 2>({0.3 * std::sin(i), -1. + 0.1 * std::cos(5. * i)}));
      springs.push_back({{{a, b}}, 100., 0.1});
      ends.push_back(a);
      ends.push_back(b);
    }
    Surface<2> surface;
    surface.body_names = {"springs", "plane"};
    for (int x = 10; x >= -3; --x)
    {
      const unsigned int node = nodes.add(Point<2>(x, 0), 1.);
      for (unsigned int d = 0; d < 2; ++d)
        nodes.restraints.add(node, dealii::Point<2>::unit_vector(d));
      if (x < 10)
        surface.faces.push_back({{{node - 1, node}}, 2, 1, 0});
    }
    for (const unsigned int node : ends)
      surface.contactors.push_back({node, 0, 0.1});
    Stepper<2> stepper(nodes, Bouncer::stepping(0.5));
    stepper.add(std::make_shared<Springs<2>>(springs));
    const auto contact =
        make_contact_method<2>(nodes, stepper, surface, with(response), {}, nullptr);
    stepper.start();
    contact->start();
    stepper.advance_to(4);
    const auto result = stepper.snapshot(4);
    for (const unsigned int node : ends)
      EXPECT_GT(result.position(node)[1], -0.01) << node;
    EXPECT_GE(contact->statistics().collisions, ends.size());
  }
}
