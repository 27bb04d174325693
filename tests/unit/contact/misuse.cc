// Misuse of contact is refused by an exception with a name.

#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/contact/reference/reference_contact.h>

#include "unit/stepping/linear_network.h"

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
/// Two masses on a spring above a fixed face.
struct Scene
{
  Scene() : stepper(nodes, StepperParameters())
  {
    nodes.add(Point<2>(0, 1), 1.);
    nodes.add(Point<2>(0, 2), 1.);
    for (const double x : {5., -5.})
    {
      const unsigned int fixed = nodes.add(Point<2>(x, 0), 1.);
      nodes.restraints.add(fixed, Tensor<1, 2>({1, 0}));
      nodes.restraints.add(fixed, Tensor<1, 2>({0, 1}));
    }
    nodes.set_velocity(0, Tensor<1, 2>({0, -1}));
    auto springs = std::make_shared<KickDriftTests::LinearNetwork<2>>();
    springs->add(0, 1, 1., 1., 1.);
    stepper.add(springs);
    surface.body_names = {"spring", "plane"};
    surface.contactors = {{0, 0, 0.5}};
    surface.faces.push_back({{{2, 3}}, 2, 1, 0});
  }

  std::unique_ptr<ContactMethod<2>>
  make_contact(const ContactParameters &parameters)
  {
    return make_contact_method<2>(nodes, stepper, surface, parameters, {}, nullptr);
  }

  NodeTable<2> nodes;
  Stepper<2> stepper;
  Surface<2> surface;
};

constexpr Response responses[] = {Response::reflect, Response::records};

ContactParameters
with(const Response response)
{
  ContactParameters parameters;
  parameters.response = response;
  return parameters;
}

/// What contact says of a parameter, with each response.
template <typename Change>
std::vector<std::string>
refusals(const Change &change)
{
  std::vector<std::string> result;
  for (const Response response : responses)
  {
    Scene scene;
    ContactParameters parameters = with(response);
    change(parameters);
    try
    {
      scene.make_contact(parameters);
    }
    catch (const ContactExceptions::ExcParameter &exception)
    {
      result.push_back(exception.what());
    }
  }
  return result;
}

/// Do all of them refuse it?
template <typename Change>
bool
is_refused(const Change &change)
{
  return refusals(change).size() == std::size(responses);
}
} // namespace

TEST(ContactMisuse, start_is_forgotten)
{
  for (const Response response : responses)
  {
    Scene scene;
    const auto contact = scene.make_contact(with(response));
    scene.stepper.start();
    EXPECT_THROW(scene.stepper.advance_to(1.), ContactExceptions::ExcNotStarted);
  }
}

TEST(ContactMisuse, starts_before_the_stepper_or_twice)
{
  for (const Response response : responses)
  {
    Scene scene;
    const auto contact = scene.make_contact(with(response));
    EXPECT_THROW(contact->start(), ContactExceptions::ExcStepperNotStarted);
    scene.stepper.start();
    contact->start();
    EXPECT_THROW(contact->start(), ContactExceptions::ExcStartedTwice);
    scene.stepper.advance_to(4.); // the face is at a distance of 1, the mass at a speed of 1
    EXPECT_GT(contact->statistics().collisions, 0u);
  }
}

TEST(ContactMisuse, contact_is_destroyed_before_the_run_ends)
{
  for (const Response response : responses)
  {
    Scene scene;
    auto contact = scene.make_contact(with(response));
    scene.stepper.start();
    contact->start();
    scene.stepper.advance_to(0.5);
    contact.reset();
    EXPECT_THROW(scene.stepper.advance_to(1.), StepperExceptions::ExcDestroyed);
  }
}

TEST(ContactMisuse, surface_is_empty)
{
  for (const Response response : responses)
  {
    Scene scene;
    scene.surface.faces.clear();
    scene.surface.contactors.clear();
    EXPECT_THROW(scene.make_contact(with(response)), ContactExceptions::ExcEmptySurface);
  }
}

TEST(ContactMisuse, obstacles_without_a_shape)
{
  const std::vector<Obstacle<2>> obstacles = {
      {"floor", std::make_shared<HalfSpace<2>>(Point<2>(0, -9), Point<2>(0, 1)), {}, {}},
      {"wall", nullptr, {}, {}}};
  const std::function<void(Scene &)> users[] = {
      [&](Scene &scene)
      {
        ReferenceContact<2>(scene.nodes, scene.stepper, scene.surface, with(Response::reflect),
                            obstacles);
      },
      [&](Scene &scene)
      {
        ImpulseContact<2>(scene.nodes, scene.stepper, scene.surface, with(Response::records),
                          obstacles);
      },
      [&](Scene &scene) {
        LayerContact<2>(scene.nodes, scene.stepper, scene.surface, with(Response::layers),
                        obstacles);
      },
      [&](Scene &scene)
      {
        IntersectionCheck<2>(scene.nodes, scene.stepper, scene.surface, ContactParameters(),
                             obstacles);
      },
      [](Scene &) { Outside<2>(nullptr); }};
  for (const auto &use : users)
  {
    Scene scene;
    EXPECT_THROW(use(scene), ObstacleExceptions::ExcNoShape);
  }
}

TEST(ContactMisuse, parameters_out_of_range)
{
  EXPECT_TRUE(refusals([](ContactParameters &) {}).empty());
  const auto texts = refusals([](ContactParameters &p) { p.restitution = -3; });
  EXPECT_EQ(texts.size(), std::size(responses));
  for (const std::string &text : texts)
    EXPECT_NE(text.find("ContactParameters::restitution is -3; allowed: from 0 to 1"),
              std::string::npos)
        << text;
  EXPECT_TRUE(is_refused([](ContactParameters &p) { p.restitution = 1.01; }));
  EXPECT_TRUE(is_refused([](ContactParameters &p) { p.friction = -0.1; }));
  EXPECT_TRUE(is_refused([](ContactParameters &p)
                         { p.friction = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(is_refused(
      [](ContactParameters &p) {
        p.restitution_of_pairs = {{"spring", "plane", 2.}};
      }));
  EXPECT_TRUE(is_refused(
      [](ContactParameters &p) {
        p.friction_of_pairs = {{"spring", "plane", -1.}};
      }));
  EXPECT_TRUE(is_refused([](ContactParameters &p) { p.step_factor = 0; }));
  EXPECT_TRUE(is_refused([](ContactParameters &p)
                         { p.maximum_step = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(is_refused([](ContactParameters &p) { p.feature_angle = 200; }));
}
