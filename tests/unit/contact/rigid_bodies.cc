// Rigid bodies in contact: effective inverse masses, impacts in closed form, and rest.

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/loads/rigid_flight.h>
#include <kickdrift/potentials/springs.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

using namespace dealii;
using namespace KickDrift;

namespace
{
constexpr double step = 1e-3; ///< of the bodies' clocks

/// Rigid rectangles in the plane, with their corners as nodes.
struct Rectangles
{
  explicit Rectangles(const ContactParameters &contact) : stepper(nodes, {}), parameters(contact) {}

  /// Turned by @p angle; returns the first of its nodes.
  unsigned int
  add(const Point<2> &centre, const double width, const double height, const double mass,
      const double angle = 0)
  {
    const unsigned int body = surface.body_names.size(), first = nodes.size();
    const Rotation turn = Rotation::about(axis(angle));
    const double x[] = {-0.5, 0.5, 0.5, -0.5}, y[] = {-0.5, -0.5, 0.5, 0.5};
    std::vector<Spring> edges;
    std::vector<unsigned int> own;
    for (unsigned int i = 0; i < 4; ++i)
    {
      const Tensor<1, 2> arm({x[i] * width, y[i] * height});
      nodes.add(centre + from_space<2>(turn(in_space<2>(arm))), mass / 4);
      own.push_back(first + i);
      edges.push_back({{{first + i, first + (i + 1) % 4}}, 100, i % 2 ? height : width});
      surface.faces.push_back({{{first + i, first + (i + 1) % 4}}, 2, body, 0});
      surface.contactors.emplace_back(first + i, body, std::min(width, height));
    }
    surface.body_names.push_back("body " + std::to_string(body));
    RigidMass rigid;
    rigid.mass = mass;
    rigid.centre = Point<3>(centre[0], centre[1], 0);
    rigid.inertia[2][2] = mass * (width * width + height * height) / 12;
    nodes.rigid_bodies.add(nodes, surface.body_names.back(), own, rigid);
    const unsigned int id = stepper.add(
        std::make_shared<RigidFlight<2>>(std::make_shared<Springs<2>>(edges), 2 * step));
    stepper.add_rigid_body(body, {id, id + 1, id + 2, id + 3});
    first_ids.push_back(id);
    return first;
  }

  /// Acceleration of all bodies.
  void
  add_gravity(const Tensor<1, 2> &g)
  {
    for (unsigned int body = 0; body < first_ids.size(); ++body)
    {
      const auto &own = nodes.rigid_bodies.nodes_of(body);
      const std::vector<Tensor<1, 2>> forces(own.size(), nodes.mass(own[0]) * g);
      auto load = std::make_shared<ConstantLoads<2>>("gravity", own.size(), own, forces);
      load->begin(nodes);
      stepper.add_on_clock_of(load, {first_ids[body]});
    }
  }

  void
  set_velocity(const unsigned int first, const Tensor<1, 2> &velocity)
  {
    for (unsigned int i = 0; i < 4; ++i)
      nodes.set_velocity(first + i, velocity);
  }

  void
  start(const std::vector<Obstacle<2>> &obstacles = {})
  {
    contact = make_contact_method<2>(nodes, stepper, surface, parameters, obstacles, nullptr);
    stepper.start();
    contact->start();
  }

  double
  energy() const
  {
    EnergyBalance balance = stepper.energy(stepper.snapshot(stepper.time()));
    contact->add_energy(balance);
    return balance.total();
  }

  MotionSums<2>
  sums() const
  {
    const auto now = stepper.snapshot(stepper.time());
    return motion_sums(now, 0, now.size());
  }

  static Tensor<1, 3>
  axis(const double angle)
  {
    Tensor<1, 3> result;
    result[2] = angle;
    return result;
  }

  NodeTable<2> nodes;
  Stepper<2> stepper;
  ContactParameters parameters;
  Surface<2> surface;
  std::vector<unsigned int> first_ids;
  std::unique_ptr<ContactMethod<2>> contact;
};

ContactParameters
with(const Response response, const double restitution = 1, const double friction = 0)
{
  ContactParameters p;
  p.response = response;
  p.restitution = restitution;
  p.friction = friction;
  return p;
}

Obstacle<2>
floor_with_slope(const double angle)
{
  return {
      "floor",
      std::make_shared<HalfSpace<2>>(Point<2>(), Tensor<1, 2>({-std::sin(angle), std::cos(angle)})),
      {}};
}

template <int dim>
Tensor<1, dim>
random_vector(std::mt19937 &generator)
{
  std::uniform_real_distribution<double> number(-1, 1);
  Tensor<1, dim> result;
  for (unsigned int d = 0; d < dim; ++d)
    result[d] = number(generator);
  return result;
}

/// C is what impulses do, with a free node and nodes of two rigid bodies in one contact.
template <int dim>
void
check_inverse_mass()
{
  std::mt19937 generator(7);
  NodeTable<dim> nodes;
  for (unsigned int body = 0; body < 2; ++body)
  {
    std::vector<unsigned int> own;
    for (unsigned int i = 0; i < 5; ++i)
      own.push_back(nodes.add(Point<dim>(random_vector<dim>(generator)), 0.3));
    RigidMass mass;
    mass.mass = 1.5 + body;
    for (unsigned int d = 0; d < 3; ++d)
      mass.inertia[d][d] = 0.4 + 0.1 * d;
    mass.inertia[0][1] = 0.1;
    nodes.rigid_bodies.add(nodes, "body", own, mass);
  }
  nodes.add(Point<dim>(random_vector<dim>(generator)), 0.3);
  nodes.rigid_bodies.start(nodes);

  ContactStencil<dim> stencil;
  stencil.add(10, 1.);
  stencil.add(1, -0.3);
  stencil.add(7, -0.5);
  stencil.add(3, -0.2);
  stencil.normal = random_vector<dim>(generator);
  stencil.normal /= stencil.normal.norm();
  const auto C = stencil.inverse_mass_tensor(nodes);
  EXPECT_NEAR(stencil.inverse_mass(nodes), stencil.normal * (C * stencil.normal), 1e-14);
  const auto velocity = [&](const unsigned int node) { return nodes.momentary_velocity(node); };
  for (unsigned int d = 0; d < dim; ++d)
  {
    Tensor<1, dim> impulse;
    impulse[d] = 1;
    const Tensor<1, dim> before = stencil.relative_velocity(velocity);
    stencil.apply(nodes, 0, impulse);
    const Tensor<1, dim> change = stencil.relative_velocity(velocity) - before;
    EXPECT_LT((change - C * impulse).norm(), 1e-14);
    EXPECT_GT(change.norm(), 0.1);
  }
}
} // namespace

TEST(RigidContact, InverseMassIsWhatImpulsesDo)
{
  check_inverse_mass<2>();
  check_inverse_mass<3>();
}

/// A square falls on its corner onto the end of a rod at rest:
/// p = (1 + e) v / (1/m + 1/M + d^2/J).
TEST(RigidContact, RodHitAtItsEnd)
{
  const double v = 1, m = 0.5, M = 2, d = 0.9;
  for (const double e : {1., 0.5})
  {
    SCOPED_TRACE(e);
    Rectangles scene(with(Response::records, e));
    scene.add(Point<2>(0, 0), 2, 0.1, M);
    const unsigned int square =
        scene.add(Point<2>(d, 0.05 + 0.1 + 0.2 * std::sqrt(0.5)), 0.2, 0.2, m, numbers::PI / 4);
    scene.set_velocity(square, Tensor<1, 2>({0, -v}));
    scene.start();
    const auto before = scene.sums();
    const double energy = scene.energy();
    scene.stepper.advance_to(0.2);
    const auto after = scene.sums();
    const double J = M * (4 + 0.01) / 12, a = 1 / m + 1 / M + d * d / J;
    const double p = (1 + e) * v / a;
    const auto &rod = scene.nodes.rigid_bodies.motion(0);
    const auto &other = scene.nodes.rigid_bodies.motion(1);
    EXPECT_NEAR(rod.velocity()[1], -p / M, 1e-3 * p);
    EXPECT_NEAR(rod.angular_velocity()[2], -p * d / J, 2e-3 * p);
    EXPECT_NEAR(other.velocity()[1], -v + p / m, 2e-3 * p);
    EXPECT_LT((after.momentum - before.momentum).norm(), 1e-14);
    EXPECT_LT((after.angular_momentum - before.angular_momentum).norm(), 1e-5);
    EXPECT_NEAR(after.kinetic, before.kinetic - (1 - e * e) * v * v / (2 * a), 1e-3);
    EXPECT_NEAR(scene.energy(), energy, 1e-3);
  }
}

/// Two contacts on one body at one instant.
TEST(RigidContact, LiesFlatAndBouncesFlat)
{
  for (const double e : {0., 0.8})
  {
    SCOPED_TRACE(e);
    Rectangles scene(with(Response::records, e));
    scene.add(Point<2>(0, 0.25 + 0.1), 1, 0.5, 3);
    scene.add_gravity(Tensor<1, 2>({0, -10}));
    scene.start({floor_with_slope(0)});
    const double impact = std::sqrt(2 * 0.1 / 10), top = 0.1 * e * e;
    scene.stepper.advance_to(impact + e * impact + 1e-9);
    const auto &body = scene.nodes.rigid_bodies.motion(0);
    EXPECT_NEAR(body.centre_displacement[1] + 0.1, top, 2e-3);
    EXPECT_LT(std::abs(body.angular_velocity()[2]), 2e-7);
    scene.stepper.advance_to(3);
    EXPECT_NEAR(body.centre_displacement[1] + 0.1, 0, 1e-5);
    EXPECT_LT(std::abs(body.centre_displacement[0]), 1e-12);
  }
}

TEST(RigidContact, SticksAndSlidesOnASlope)
{
  const double angle = 0.5, g = 10, end = 1;
  for (const double friction : {0.2, 0.7})
    for (const double size : {1., 0.1})
    {
      SCOPED_TRACE(::testing::Message() << friction << " " << size);
      Rectangles scene(with(Response::records, 0, friction));
      const Tensor<1, 2> normal({-std::sin(angle), std::cos(angle)});
      scene.add(Point<2>(0.2 * size * normal), size, 0.4 * size, 3, angle);
      scene.add_gravity(Tensor<1, 2>({0, -g}));
      scene.start({floor_with_slope(angle)});
      scene.stepper.advance_to(0.1);
      const double soon = scene.nodes.rigid_bodies.motion(0).centre_displacement.norm();
      scene.stepper.advance_to(end);
      const double a = std::max(0., g * (std::sin(angle) - friction * std::cos(angle)));
      const auto &body = scene.nodes.rigid_bodies.motion(0);
      EXPECT_NEAR(body.centre_displacement.norm(), 0.5 * a * end * end, 5e-3 * a + 2e-5);
      if (friction > std::tan(angle))
      {
        EXPECT_NEAR(body.centre_displacement.norm(), soon, 2e-9); // no creep
      }
      EXPECT_LT(std::abs(body.angular_velocity()[2]), 1e-3);
    }
}

TEST(RigidContact, LayersKeepMomentaAndEnergy)
{
  ContactParameters parameters = with(Response::layers);
  Rectangles scene(parameters);
  scene.add(Point<2>(0, 0), 1, 0.5, 3);
  const unsigned int other = scene.add(Point<2>(0.3, 1), 0.6, 0.6, 1, 0.3);
  scene.set_velocity(other, Tensor<1, 2>({0.1, -1}));
  scene.start();
  const auto before = scene.sums();
  const double energy = scene.energy();
  for (unsigned int i = 1; i <= 20; ++i)
  {
    scene.stepper.advance_to(0.1 * i);
    const auto now = scene.sums();
    EXPECT_LT((now.momentum - before.momentum).norm(), 1e-12);
    EXPECT_LT((now.angular_momentum - before.angular_momentum).norm(), 1e-10);
    EXPECT_NEAR(scene.energy(), energy, 0.02 * energy);
  }
  // they have met, and turned
  EXPECT_GT(std::abs(scene.nodes.rigid_bodies.motion(0).angular_velocity()[2]), 0.1);
}

TEST(RigidContact, OtherAnswersAreRefused)
{
  const auto refuse = [](const ContactParameters &parameters)
  {
    Rectangles scene(parameters);
    scene.add(Point<2>(0, 0), 1, 0.5, 3);
    EXPECT_THROW(scene.start(), ContactExceptions::ExcNoReference);
  };
  ContactParameters parameters = with(Response::reflect);
  refuse(parameters);
  parameters.schedule = Schedule::synchronous;
  parameters.solver = ContactSolver::coupled;
  refuse(parameters);
  parameters.solver = ContactSolver::sequential;
  parameters.projection = true;
  refuse(parameters);
}
