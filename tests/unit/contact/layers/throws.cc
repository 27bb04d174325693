// Bodies of springs thrown at each other, blocks, plates and sharp corners: nothing passes through
// anything, as exact times of impact say; momentum, energy, restarts and threads.

#include "../spring_boxes.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/intersection_check.h>

#include <deal.II/base/numbers.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace KickDriftTests;

namespace
{
ContactParameters
layers(const double thickness = 0)
{
  ContactParameters parameters;
  parameters.response = Response::layers;
  parameters.layers.thickness = thickness;
  return parameters;
}

/// A random rotation, from a quaternion.
dealii::Tensor<2, 3>
random_rotation(std::mt19937 &random)
{
  std::normal_distribution<double> normal;
  double q[4], square = 0;
  for (double &c : q)
  {
    c = normal(random);
    square += c * c;
  }
  for (double &c : q)
    c /= std::sqrt(square);
  const auto [w, x, y, z] = q;
  dealii::Tensor<2, 3> R;
  R[0] = Point<3>(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y));
  R[1] = Point<3>(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x));
  R[2] = Point<3>(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y));
  return R;
}

/// A block, a plate, or a wedge that ends in a sharp edge or a tip, turned at random around
/// @p centre.
SpringBoxes::Body
random_body(std::mt19937 &random, const Vector &centre, const Vector &velocity)
{
  std::uniform_real_distribution<double> uniform(0, 1);
  const unsigned int kind = random() % 4;
  SpringBoxes::Body body;
  body.velocity = velocity;
  Vector size = Point<3>(1, 1, 1);
  if (kind == 0)
    body.cells = {{2, 1, 1}};
  if (kind == 1)
  {
    body.cells = {{3, 3, 1}};
    size[2] = 0.15;
  }
  const double narrow = kind == 2 ? 0.05 : 1, tip = kind == 3 ? 0.05 : 1;
  const dealii::Tensor<2, 3> R = random_rotation(random);
  body.map = [=](const Point<3> &p)
  {
    Vector x;
    for (unsigned int d = 0; d < 3; ++d)
      x[d] = (p[d] - 0.5) * size[d];
    // narrower towards one side
    x[1] *= 1 + (narrow * tip - 1) * p[0];
    x[2] *= 1 + (tip - 1) * p[0];
    return Point<3>(centre + R * x);
  };
  return body;
}

/// What a run of random bodies has come to.
struct Outcome
{
  unsigned int n_intersections = 0;
  bool was_too_deep = false;
  double factor = 0, closest = 1;
  std::uint64_t kicks = 0;
  std::string text;
};

/// Two or three bodies at up to @p largest_factor times the speed that their first layers stop.
Outcome
throw_bodies(const unsigned int seed, const double largest_factor)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Outcome outcome;
  outcome.factor = 1 + (largest_factor - 1) * std::pow(uniform(random), 2);
  const unsigned int n = 2 + random() % 2;
  SpringBoxes boxes;
  std::vector<Vector> directions;
  for (unsigned int b = 0; b < n; ++b)
  {
    // circumscribed spheres do not meet at the start
    const Vector centre = b == 0   ? Point<3>(0, 0, 0)
                          : b == 1 ? Point<3>(2.2, 0, 0)
                                   : Point<3>(0.9, 2.2, 0.3);
    Vector aim;
    for (unsigned int d = 0; d < 3; ++d)
      aim[d] = 0.6 * (uniform(random) - 0.5);
    const Vector towards = (b == 0 ? Vector(Point<3>(1.1, 0.4, 0.1)) : -1 * (centre - aim));
    directions.push_back(towards / towards.norm());
    boxes.add(random_body(random, centre, Vector()));
  }
  // the thickness as it is chosen, and the speed that goes with it
  const auto speed_of_layers = [&]
  {
    SpringBoxes trial;
    trial.nodes = boxes.nodes;
    trial.springs = boxes.springs;
    trial.end_masses = boxes.end_masses;
    trial.surface = boxes.surface;
    trial.start(layers());
    return trial.layers->stopped_speeds().second;
  }();
  for (unsigned int i = 0; i < boxes.nodes.size(); ++i)
    for (const Contactor &contactor : boxes.surface.contactors)
      if (contactor.nodes[0] == i)
        boxes.nodes.set_velocity(i, 0.5 * outcome.factor * speed_of_layers *
                                        directions[contactor.body]);
  boxes.start(layers());
  IntersectionCheck<3> check(boxes.nodes, *boxes.stepper, boxes.surface, layers(), {});
  try
  {
    check.advance_to(2.5 / (outcome.factor * speed_of_layers));
  }
  catch (const LayerExceptions::ExcTooDeep &)
  {
    outcome.was_too_deep = true;
  }
  outcome.n_intersections = check.found().size();
  outcome.closest = boxes.layers->layer_statistics().closest;
  outcome.kicks = boxes.layers->statistics().collisions;
  if (outcome.n_intersections > 0)
    outcome.text = check.text(check.found()[0]);
  return outcome;
}

void
throw_many(const unsigned int n, const unsigned int first_seed)
{
  unsigned int n_too_deep = 0, n_met = 0;
  double closest = 1;
  for (unsigned int i = 0; i < n; ++i)
  {
    const Outcome outcome = throw_bodies(first_seed + i, 100);
    EXPECT_EQ(outcome.n_intersections, 0u)
        << "seed " << first_seed + i << ", " << outcome.factor << " v_1: " << outcome.text;
    n_too_deep += outcome.was_too_deep;
    n_met += outcome.kicks > 0;
    closest = std::min(closest, outcome.closest);
  }
  std::cout << n << " throws, " << n_met << " met, " << n_too_deep
            << " stopped since they needed more layers, closest " << closest << " of 2 eta\n";
  EXPECT_GT(n_met, n / 2);
  EXPECT_LE(n_too_deep, n / 20);
}

/// Two blocks, one of them turned, fly at each other.
void
add_two_blocks(SpringBoxes &boxes, const double speed)
{
  std::mt19937 random(7);
  SpringBoxes::Body left, right;
  left.cells = {{2, 2, 2}};
  left.map = SpringBoxes::box(Point<3>(-1.1, 0, 0), Point<3>(-0.1, 1, 1));
  left.velocity = Point<3>(0.5 * speed, 0.1 * speed, 0);
  right = left;
  right.velocity = Point<3>(-0.5 * speed, 0, 0);
  const dealii::Tensor<2, 3> R = random_rotation(random);
  right.map = [=](const Point<3> &p)
  { return Point<3>(Point<3>(0.9, 0.4, 0.6) + R * (p - Point<3>(0.5, 0.5, 0.5))); };
  boxes.add(left);
  boxes.add(right);
}

struct Totals
{
  Vector momentum, angular_momentum;
  double energy;
};

Totals
totals(const SpringBoxes &boxes)
{
  const NodeTable<3> now = boxes.stepper->snapshot(boxes.stepper->time());
  Totals result;
  for (unsigned int i = 0; i < now.size(); ++i)
  {
    result.momentum += now.mass(i) * now.velocity(i);
    result.angular_momentum +=
        now.mass(i) * cross_product_3d(Vector(now.position(i)), now.velocity(i));
  }
  EnergyBalance balance = boxes.stepper->energy(now);
  boxes.layers->add_energy(balance);
  result.energy = balance.total();
  return result;
}
} // namespace

TEST(LayerThrows, NothingPasses)
{
  throw_many(20, 1);
}

TEST(LayerThrows, SlowNothingPassesInThousands)
{
  // how many, and the first of them
  const char *const n = std::getenv("KICKDRIFT_THROWS");
  const char *const first = std::getenv("KICKDRIFT_FIRST_THROW");
  throw_many(n ? std::atoi(n) : 1000, first ? std::atoi(first) : 1000);
}

TEST(LayerThrows, MomentaToRoundOffAndEnergy)
{
  SpringBoxes boxes;
  const double speed = 3;
  add_two_blocks(boxes, speed);
  StepperParameters
      plain; // filtered boundaries keep angular momentum to the tolerance of their sweeps
  plain.class_boundary = ClassBoundary::plain;
  boxes.start(layers(0.04), Vector(), {}, plain);
  const Totals before = totals(boxes);
  IntersectionCheck<3> check(boxes.nodes, *boxes.stepper, boxes.surface, layers(0.04), {});
  double worst = 0;
  for (double time = 0; time < 0.6; time += 0.005)
  {
    check.advance_to(time);
    const Totals now = totals(boxes);
    EXPECT_LT((now.momentum - before.momentum).norm(), 1e-13);
    EXPECT_LT((now.angular_momentum - before.angular_momentum).norm(), 1e-13);
    worst = std::max(worst, std::abs(now.energy / before.energy - 1));
  }
  EXPECT_TRUE(check.found().empty());
  EXPECT_GT(boxes.layers->statistics().collisions, 500u);
  EXPECT_LT(worst, 0.01);
  std::cout << "energy error " << worst << ", " << boxes.layers->statistics().collisions
            << " kicks in " << boxes.layers->layer_statistics().contacts << " contacts, "
            << boxes.layers->statistics().tests << " tests, closest "
            << boxes.layers->layer_statistics().closest << ", speeds stopped "
            << boxes.layers->stopped_speeds().first << " to "
            << boxes.layers->stopped_speeds().second << "\n";
  // the books: impulses on nodes sum to zero, those of the pair are what the bodies got
  const auto &stats = boxes.layers->statistics();
  Vector sum, of_first;
  for (unsigned int i = 0; i < boxes.nodes.size(); ++i)
  {
    sum += stats.impulse[i];
    if (i < boxes.nodes.size() / 2)
      of_first += stats.impulse[i];
  }
  EXPECT_LT(sum.norm(), 1e-13);
  EXPECT_LT((of_first - boxes.layers->pairs()(0, 1).impulse).norm(), 1e-13);
}

TEST(LayerThrows, RestartsAndThreadsGiveTheSameBits)
{
  const auto run =
      [](const unsigned int threads, const bool is_interrupted, const double restitution)
  {
    const auto make = [&](SpringBoxes &boxes)
    {
      add_two_blocks(boxes, 3);
      StepperParameters stepping;
      stepping.threads = threads;
      ContactParameters parameters = layers(0.04);
      parameters.restitution = restitution;
      boxes.start(parameters, Vector(), {}, stepping);
    };
    const auto transfer = [](SpringBoxes &boxes, Archive &archive)
    { archive(boxes.nodes, *boxes.stepper, *boxes.layers); };
    SpringBoxes boxes, resumed;
    make(boxes);
    boxes.stepper->advance_to(0.15);
    SpringBoxes *last = &boxes;
    if (is_interrupted)
    {
      Archive archive;
      transfer(boxes, archive);
      make(resumed);
      Archive reader(archive.bytes());
      transfer(resumed, reader);
      EXPECT_TRUE(reader.is_at_end());
      last = &resumed;
    }
    last->stepper->advance_to(0.4);
    EXPECT_GT(last->layers->statistics().collisions, 500u);
    Archive result;
    transfer(*last, result);
    std::vector<double> numbers = {last->layers->statistics().restitution_loss};
    for (unsigned int i = 0; i < last->nodes.size(); ++i)
      for (unsigned int d = 0; d < 3; ++d)
      {
        numbers.push_back(last->nodes.displacement(i)[d]);
        numbers.push_back(last->nodes.velocity(i)[d]);
        numbers.push_back(last->layers->statistics().impulse[i][d]);
      }
    return numbers;
  };
  for (const double restitution : {1., 0.7})
  {
    const auto whole = run(1, false, restitution);
    EXPECT_EQ(run(1, true, restitution), whole);
    EXPECT_EQ(run(2, false, restitution), whole);
    EXPECT_EQ(run(3, true, restitution), whole);
  }
}

TEST(LayerThrows, PairsThatStartTooNear)
{
  SpringBoxes boxes;
  SpringBoxes::Body body;
  body.map = SpringBoxes::box(Point<3>(0, 0, 0), Point<3>(1, 1, 1));
  boxes.add(body);
  body.map = SpringBoxes::box(Point<3>(1.1, 0.2, 0.2), Point<3>(2.1, 1.2, 1.2));
  boxes.add(body);
  boxes.start(layers(0.1)); // begin at a distance of 0.2
  ASSERT_FALSE(boxes.layers->near_pairs().empty());
  EXPECT_NEAR(boxes.layers->near_pairs()[0].distance, 0.1, 1e-12);
  EXPECT_THROW(boxes.layers->check_distances(), LayerExceptions::ExcTooNear);
  // their layers are thinner, so nothing moves
  EXPECT_EQ(totals(boxes).energy, 0);
  boxes.stepper->advance_to(1);
  EXPECT_EQ(boxes.layers->statistics().collisions, 0u);
  EXPECT_EQ(totals(boxes).energy, 0);
  for (const LayerPair &pair : boxes.layers->listed_pairs())
    EXPECT_LE(pair.thickness, 0.2);

  // of one body: a thin plate
  SpringBoxes plate;
  body.cells = {{2, 2, 1}};
  body.map = SpringBoxes::box(Point<3>(0, 0, 0), Point<3>(1, 1, 0.1));
  plate.add(body);
  plate.start(layers(0.1));
  EXPECT_NO_THROW(plate.layers->check_distances());
  EXPECT_FALSE(plate.layers->near_pairs().empty());
  EXPECT_EQ(totals(plate).energy, 0);

  // that touch: no layer can begin there
  SpringBoxes touching;
  body.cells = {{1, 1, 1}};
  body.map = SpringBoxes::box(Point<3>(0, 0, 0), Point<3>(1, 1, 1));
  touching.add(body);
  body.map = SpringBoxes::box(Point<3>(1, 0, 0), Point<3>(2, 1, 1));
  touching.add(body);
  EXPECT_THROW(touching.start(layers(0.1)), LayerExceptions::ExcTouching);
}

TEST(LayerThrows, ExclusionsAndMisuse)
{
  SpringBoxes boxes;
  add_two_blocks(boxes, 3);
  ContactParameters parameters = layers(0.04);
  parameters.exclude = {{"body0", "body1"}};
  boxes.start(parameters);
  boxes.stepper->advance_to(0.6);
  EXPECT_EQ(boxes.layers->statistics().collisions, 0u);
  // they pass through each other, which the check finds if it is not told
  SpringBoxes again;
  add_two_blocks(again, 3);
  again.start(parameters);
  IntersectionCheck<3> check(again.nodes, *again.stepper, again.surface, layers(0.04), {});
  check.advance_to(0.6);
  EXPECT_GT(check.found().size(), 5u);

  SpringBoxes wrong;
  add_two_blocks(wrong, 0.5);
  parameters = layers(0.04);
  parameters.solver = ContactSolver::coupled;
  EXPECT_THROW(wrong.start(parameters), LayerExceptions::ExcNotWithLayers);
  parameters = layers(-1);
  SpringBoxes negative;
  add_two_blocks(negative, 0.5);
  EXPECT_THROW(negative.start(parameters), ContactExceptions::ExcParameter);
}
