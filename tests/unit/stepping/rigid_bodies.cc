// Rigid bodies in the stepper: nodes that fly straight, and kicks that bodies take from them.

#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/potentials/loads/rigid_flight.h>
#include <kickdrift/potentials/springs.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

using namespace dealii;
using namespace KickDrift;

namespace
{
constexpr double step = 0.02; ///< of the body's clock

/// A box of 1 x 0.6 x 0.4, rigid, with its corners as nodes, and other nodes beside it.
template <int dim>
struct Scene
{
  explicit Scene(const unsigned int n_others = 0,
                 const StepperParameters &parameters = StepperParameters())
      : stepper(nodes, parameters)
  {
    std::vector<Spring> edges;
    const double sides[] = {1, 0.6, 0.4};
    for (unsigned int corner = 0; corner < (1u << dim); ++corner)
    {
      Point<dim> x;
      for (unsigned int d = 0; d < dim; ++d)
      {
        x[d] = (corner >> d & 1) * sides[d];
        if ((corner >> d & 1) == 0)
          edges.push_back({{{corner, corner | 1u << d}}, 100, sides[d]});
      }
      corners.push_back(nodes.add(x, 0.25));
    }
    for (unsigned int i = 0; i < n_others; ++i)
      nodes.add(dim == 2 ? Point<dim>(1.5, 0.6 + i) : Point<dim>() + Tensor<1, dim>(), 0.3);
    mass.mass = 0.25 * corners.size();
    mass.centre = dim == 2 ? Point<3>(0.5, 0.3, 0) : Point<3>(0.5, 0.3, 0.2);
    for (unsigned int d = 0; d < 3; ++d)
      for (unsigned int e = 0; e < dim; ++e)
        if (e != d)
          mass.inertia[d][d] += mass.mass * sides[e] * sides[e] / 12;
    nodes.rigid_bodies.add(nodes, "box", corners, mass);
    const unsigned int first = stepper.add(
        std::make_shared<RigidFlight<dim>>(std::make_shared<Springs<dim>>(edges), 2 * step));
    std::vector<unsigned int> ids;
    for (unsigned int k = 0; k < edges.size(); ++k)
      ids.push_back(first + k);
    stepper.add_rigid_body(0, ids);
  }

  /// Velocities of a rigid motion with angular velocity @p spin about the centre.
  void
  set_spin(const Tensor<1, 3> &spin, const Tensor<1, dim> &velocity = Tensor<1, dim>())
  {
    for (const unsigned int node : corners)
    {
      const Tensor<1, 3> arm = in_space<dim>(nodes.reference(node)) - Tensor<1, 3>(mass.centre);
      nodes.set_velocity(node, velocity + from_space<dim>(cross_product_3d(spin, arm)));
    }
  }

  NodeTable<dim> nodes;
  Stepper<dim> stepper;
  std::vector<unsigned int> corners;
  RigidMass mass;
};

Tensor<1, 3>
vector(const double x, const double y, const double z)
{
  Tensor<1, 3> result;
  result[0] = x;
  result[1] = y;
  result[2] = z;
  return result;
}

template <int dim>
double
distance(const NodeTable<dim> &nodes, const unsigned int a, const unsigned int b)
{
  return nodes.position(a).distance(nodes.position(b));
}
} // namespace

TEST(RigidBodies, FlyAsTheyShould)
{
  Scene<3> scene;
  scene.set_spin(vector(1, 5, 0.5), vector(0.3, -0.2, 0.1));
  scene.stepper.start();
  const auto before = scene.stepper.snapshot(0);
  const auto sums = motion_sums(before, 0, before.size());
  RigidMotion alone = before.rigid_bodies.motion(0);
  EXPECT_NEAR(scene.stepper.energy(before).kinetic, sums.kinetic, 1e-15);
  for (const double time : {0.37, 1., 5.})
  {
    scene.stepper.advance_to(time);
    const auto after = scene.stepper.snapshot(time);
    RigidMotion exact = alone;
    for (double t = 0; t < time - 1e-9; t += 0.01)
      exact.advance(std::min(0.01, time - t));
    for (unsigned int i = 0; i < 8; ++i)
    {
      const Tensor<1, 3> arm = Tensor<1, 3>(scene.nodes.reference(i)) - scene.mass.centre;
      EXPECT_LT((after.displacement(i) - exact.displacement(arm)).norm(), 1e-7);
      EXPECT_NEAR(distance(after, i, 7 - i), distance(before, i, 7 - i), 1e-14);
    }
    const auto now = motion_sums(after, 0, after.size());
    EXPECT_EQ((now.momentum - sums.momentum).norm(), 0);
    EXPECT_LT((now.angular_momentum - sums.angular_momentum).norm(), 1e-14 * (1 + time));
    EXPECT_NEAR(now.kinetic, sums.kinetic, 1e-14 * sums.kinetic);
  }
  // the nodes themselves, which no snapshot has put in place, have not crept
  const TimeLevels &levels = scene.stepper.levels();
  const double end = levels.clocks()[levels.clock_of_kick(0)].time();
  EXPECT_GT(end, 5);
  for (unsigned int i = 0; i < 8; ++i)
    EXPECT_NEAR(scene.nodes.position_at(i, end).distance(scene.nodes.position_at(7 - i, end)),
                distance(before, i, 7 - i), 1e-13);
  // between the ends of its steps nodes are off by no more than w^2 r h^2 / 8
  const double largest = 5.2 * 5.2 * 0.62 * step * step / 8;
  scene.stepper.advance_to(5.005);
  for (unsigned int i = 0; i < 8; ++i)
    EXPECT_NEAR(scene.nodes.position_at(i, 5.005).distance(scene.nodes.position_at(7 - i, 5.005)),
                distance(before, i, 7 - i), 2 * largest);
}

TEST(RigidBodies, TakeImpulsesAtTheirNodes)
{
  Scene<2> scene;
  scene.stepper.start();
  scene.stepper.advance_to(1);
  Tensor<1, 2> impulse;
  impulse[1] = 0.7;
  scene.nodes.drift(1, 1.);
  const Tensor<1, 2> change = scene.nodes.velocity_change(1, impulse);
  scene.nodes.apply_impulse(1, impulse); // lower right corner
  const RigidMotion &motion = scene.nodes.rigid_bodies.motion(0);
  EXPECT_NEAR(motion.velocity()[1], 0.7 / scene.mass.mass, 1e-15);
  EXPECT_NEAR(motion.angular_velocity()[2], 0.7 * 0.5 / scene.mass.inertia[2][2], 1e-14);
  EXPECT_LT((scene.nodes.momentary_velocity(1) - change).norm(), 1e-14);
  // the others have changed their course, too
  scene.stepper.advance_to(1.5);
  const auto after = scene.stepper.snapshot(1.5);
  EXPECT_NEAR(after.displacement(0)[1] + after.displacement(3)[1], 2 * 0.5 * 0.7 / scene.mass.mass,
              1e-13);
  EXPECT_NEAR(distance(after, 0, 3), distance(scene.stepper.snapshot(1.5), 1, 2), 1e-14);
}

/// A spring between a corner and another node, on a clock of its own.
TEST(RigidBodies, KicksOfOthersKeepMomentaAndEnergy)
{
  StepperParameters parameters;
  parameters.time_step_ratio = 0.1;
  Scene<2> scene(1, parameters);
  scene.set_spin(vector(0, 0, 0.8));
  Tensor<1, 2> velocity;
  velocity[0] = 0.4;
  scene.nodes.set_velocity(4, velocity);
  scene.stepper.add(std::make_shared<Springs<2>>(std::vector<Spring>{{{{3, 4}}, 2000, 0.49}}));
  scene.stepper.start();
  ASSERT_NE(scene.stepper.levels().step(scene.stepper.levels().n_kicks() - 1),
            scene.stepper.levels().step(0));
  const auto before = scene.stepper.snapshot(0);
  const auto sums = motion_sums(before, 0, 5);
  const double energy = scene.stepper.energy(before).total();
  double worst = 0;
  for (double time = 0.1; time < 20; time += 0.1)
  {
    scene.stepper.advance_to(time);
    const auto after = scene.stepper.snapshot(time);
    const auto now = motion_sums(after, 0, 5);
    EXPECT_LT((now.momentum - sums.momentum).norm(), 1e-13);
    EXPECT_NEAR(now.angular_momentum[2], sums.angular_momentum[2], 1e-13);
    worst = std::max(worst, std::abs(scene.stepper.energy(after).total() / energy - 1));
    EXPECT_NEAR(distance(after, 0, 3), std::sqrt(1.36), 1e-13);
  }
  EXPECT_LT(worst, 0.02);
}

TEST(RigidBodies, GoOnFromACheckpoint)
{
  const auto make = []
  {
    auto scene = std::make_unique<Scene<3>>();
    scene->set_spin(vector(1, 5, 0.5));
    scene->stepper.start();
    return scene;
  };
  auto first = make(), second = make();
  first->stepper.advance_to(1.234);
  Archive writer;
  writer(first->nodes, first->stepper);
  Archive reader(writer.bytes());
  reader(second->nodes, second->stepper);
  first->stepper.advance_to(3);
  second->stepper.advance_to(3);
  const auto a = first->stepper.snapshot(3), b = second->stepper.snapshot(3);
  for (unsigned int node = 0; node < 8; ++node)
  {
    EXPECT_EQ(a.displacement(node), b.displacement(node));
    EXPECT_EQ(a.velocity(node), b.velocity(node));
  }
}

/// A turned and shifted start is taken over.
TEST(RigidBodies, TakeOverTheirStart)
{
  Scene<3> scene;
  const Rotation turn = Rotation::about(vector(0.3, -2, 0.5));
  const Tensor<1, 3> shift = vector(1, 2, 3), spin = vector(0.5, 0.1, -0.7);
  for (const unsigned int node : scene.corners)
  {
    const Tensor<1, 3> arm = Tensor<1, 3>(scene.nodes.reference(node)) - scene.mass.centre;
    scene.nodes.set_displacement(node, shift + turn.change(arm));
    scene.nodes.set_velocity(node, shift + cross_product_3d(spin, turn(arm)));
  }
  scene.stepper.start();
  const RigidMotion &motion = scene.nodes.rigid_bodies.motion(0);
  EXPECT_LT((motion.rotation.matrix() - turn.matrix()).norm(), 1e-14);
  EXPECT_LT((motion.centre_displacement - shift).norm(), 1e-14);
  EXPECT_LT((motion.angular_velocity() - spin).norm(), 1e-14);
  EXPECT_LT((motion.velocity() - shift).norm(), 1e-14);
}

TEST(RigidBodies, RefuseWhatTheyCannotDo)
{
  {
    Scene<2> scene;
    Tensor<1, 2> stretch;
    stretch[0] = 1e-3;
    scene.nodes.set_displacement(1, stretch);
    EXPECT_THROW(scene.stepper.start(), RigidBodies<2>::ExcNotRigid);
  }
  {
    Scene<2> scene;
    Tensor<1, 2> velocity;
    velocity[0] = 1;
    scene.nodes.set_velocity(1, velocity);
    EXPECT_THROW(scene.stepper.start(), RigidBodies<2>::ExcNotRigid);
  }
  {
    Scene<2> scene;
    scene.nodes.restraints.add(2, Point<2>(1, 0));
    EXPECT_THROW(scene.stepper.start(), RigidBodies<2>::ExcRestrained);
    const unsigned int free = scene.nodes.size();
    scene.nodes.add(Point<2>(5, 5), 1);
    EXPECT_THROW(scene.nodes.rigid_bodies.add(scene.nodes, "other", {free, 2}, scene.mass),
                 RigidBodies<2>::ExcNode);
    EXPECT_FALSE(scene.nodes.is_rigid(free));
    EXPECT_THROW(scene.nodes.rigid_bodies.add(scene.nodes, "other", {}, scene.mass),
                 RigidBodies<2>::ExcNoNodes);
  }
  {
    Scene<2> scene;
    scene.set_spin(vector(0, 0, 1.2 / step)); // the first interval is half a step
    EXPECT_THROW(scene.stepper.start(), RigidBodies<2>::ExcSpin);
  }
  {
    Scene<2> scene;
    scene.stepper.add_damping(std::make_shared<Damping<2>>(
        std::vector<unsigned int>{scene.corners[0]}, [](double) { return 1.; }));
    EXPECT_THROW(scene.stepper.start(), StepperExceptions::ExcRigidDamping);
  }
  {
    StepperParameters parameters;
    parameters.clocks = Clocks::per_cell;
    EXPECT_THROW(Scene<2>(0, parameters), StepperExceptions::ExcRigidClocks);
  }
  {
    NodeTable<2> nodes;
    nodes.add(Point<2>(0, 0), 1);
    nodes.add(Point<2>(1, 0), 1);
    RigidMass mass;
    mass.mass = 2;
    mass.centre = Point<3>(0.5, 0, 0);
    mass.inertia[2][2] = 0.5;
    nodes.rigid_bodies.add(nodes, "rod", {0, 1}, mass);
    Stepper<2> stepper(nodes, StepperParameters());
    stepper.add(std::make_shared<Springs<2>>(std::vector<Spring>{{{{0, 1}}, 1, 1}}));
    EXPECT_THROW(stepper.start(), StepperExceptions::ExcRigidWithoutKicks);
  }
}
