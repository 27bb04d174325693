// One mass against a wall: rebound at speeds far beyond that of the first layer, restitution,
// friction, walls that move, and a spring that bounces and rests.

#include "layer_runs.h"

#include <kickdrift/base/archive.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace KickDriftTests;

namespace
{
constexpr double eta = 0.01;
constexpr double ratio = 0.075; // twice that at obstacles

struct Rebound
{
  double speed, closest;
  unsigned int deepest;
  std::uint64_t kicks;
  bool has_entered;
  Tensor<1, 2> velocity;
  double loss, friction_loss, error;
};

/// Fly into the wall at @p phase of a step until the mass is out of reach again.
Rebound
rebound(const ContactParameters &parameters, const double speed, const double phase,
        const double sideways = 0)
{
  Tensor<1, 2> velocity;
  velocity[0] = sideways;
  velocity[1] = -speed;
  const double H = MassOnWall(parameters, 1., velocity).step_before_start();
  MassOnWall wall(parameters, 2.5 * eta + phase * speed * H, velocity);
  wall.start();
  const double before = wall.energy().total();
  double time = 0;
  for (unsigned int i = 0; i < 200000; ++i)
  {
    time += wall.step();
    wall.check->advance_to(time);
    if (wall.nodes.position_at(0, time)[1] > 2 * eta && wall.nodes.velocity(0)[1] >= 0)
      break;
  }
  const auto &stats = wall.contact->statistics();
  const auto &layer_stats = wall.contact->layer_statistics();
  return {
      wall.nodes.velocity(0)[1], layer_stats.closest,          layer_stats.deepest,
      stats.collisions,          !wall.check->found().empty(), wall.nodes.velocity(0),
      stats.restitution_loss,    stats.friction_loss,          wall.energy().total() / before - 1};
}
} // namespace

TEST(LayerBounces, NothingPassesWhateverTheSpeed)
{
  const ContactParameters parameters = layers(eta, ratio);
  const double v1 = MassOnWall::stopped(parameters);
  struct Row
  {
    double factor, error;
  };
  for (const Row row : {Row{0.5, 1e-3}, {1, 1e-3}, {2, 2e-2}, {10, 5e-2}, {30, 5e-2}, {100, 5e-2}})
  {
    double closest = 1, error = 0;
    unsigned int deepest = 0;
    std::uint64_t kicks = 0;
    for (unsigned int i = 0; i < 10; ++i)
    {
      const Rebound found = rebound(parameters, row.factor * v1, 0.1 * i);
      EXPECT_FALSE(found.has_entered);
      closest = std::min(closest, found.closest);
      deepest = std::max(deepest, found.deepest);
      kicks = std::max(kicks, found.kicks);
      error = std::max(error, std::abs(found.speed / (row.factor * v1) - 1));
      EXPECT_NEAR(found.velocity[0], 0., 1e-14);
    }
    EXPECT_GT(closest, 0);
    EXPECT_LE(error, row.error) << row.factor;
    EXPECT_LE(kicks, 100u) << "the price of a fast impact does not rise";
    // deeper by two levels where the speed doubles
    EXPECT_NEAR(deepest, 2 + 2 * std::log2(row.factor), 2.5);
    std::cout << "speed " << row.factor << " v_1: closest " << closest << " of 2 eta, level "
              << deepest << ", kicks " << kicks << ", error " << error << "\n";
  }
}

TEST(LayerBounces, SpeedsBeyondTheDepthAreAnErrorNotAPassage)
{
  ContactParameters parameters = layers(eta, ratio);
  parameters.layers.depth = 4;
  const double v1 = MassOnWall::stopped(parameters);
  try
  {
    const Rebound found = rebound(parameters, 100 * v1, 0.3);
    ADD_FAILURE() << "rebound with " << found.speed;
  }
  catch (const LayerExceptions::ExcTooDeep &exception)
  {
    const std::string message = exception.what();
    for (const char *part : {"'mass'", "'wall'", "time", "Contact/Layers/Depth"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(LayerBounces, Restitution)
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  ContactParameters parameters = layers(eta, ratio);
  const double v1 = MassOnWall::stopped(parameters);
  for (const double e : {1., 0.9, 0.8, 0.5, 0.2, 0.})
  {
    parameters.restitution = e;
    const unsigned int n = 100;
    double mean = 0, square = 0, missing = 0;
    for (unsigned int i = 0; i < n; ++i)
    {
      const double speed = (0.1 + 0.9 * uniform(random)) * v1;
      const Rebound found = rebound(parameters, speed, uniform(random));
      mean += found.speed / speed / n;
      square += std::pow(found.speed / speed - e, 2) / n;
      missing += (1 - std::pow(found.speed / speed, 2) - 2 * found.loss / (speed * speed)) / n;
      EXPECT_NEAR(found.loss, 0.5 * (speed * speed - found.speed * found.speed),
                  0.03 * 0.5 * speed * speed)
          << "what is lost is booked";
    }
    EXPECT_NEAR(mean, e, e > 0 ? 0.01 : 0.06);
    EXPECT_LT(std::sqrt(square), 0.07);
    std::cout << "e = " << e << ": mean " << mean << ", rms error " << std::sqrt(square)
              << ", lost and not booked " << missing << " of the energy\n";
  }
}

TEST(LayerBounces, FrictionIsCoulombsAndNeverTurnsRound)
{
  ContactParameters parameters = layers(eta, ratio);
  parameters.friction = 0.3;
  const double v1 = MassOnWall::stopped(parameters), speed = 0.5 * v1;
  for (const double sideways : {10 * v1, -10 * v1, 0.1 * v1})
  {
    const Rebound found = rebound(parameters, speed, 0.4, sideways);
    // mu times the normal impulse, or all
    const double slowed =
        std::copysign(std::max(0., std::abs(sideways) - 0.3 * (speed + found.speed)), sideways);
    EXPECT_NEAR(found.velocity[0], slowed, 1e-12 * v1);
    EXPECT_NEAR(found.friction_loss, 0.5 * (sideways * sideways - slowed * slowed), 1e-10);
    EXPECT_NEAR(found.error, 0, 1e-3);
  }
}

TEST(LayerBounces, WorkOfAWallThatMoves)
{
  // a wall that comes with w turns -v into v + 2 w
  const ContactParameters parameters = layers(eta, ratio);
  const double v1 = MassOnWall::stopped(parameters), v = 0.4 * v1, w = 0.3 * v1;
  Tensor<1, 2> velocity;
  velocity[1] = -v;
  const double distance = 4 * eta;
  MassOnWall wall(parameters, distance, velocity,
                  [=](const double t)
                  {
                    Tensor<1, 2> u;
                    u[1] = w * t;
                    return u;
                  });
  wall.start();
  const double before = wall.energy().total();
  double worst = 0;
  for (double time = 0; time < 4 * distance / v; time += wall.step())
  {
    wall.check->advance_to(time);
    worst = std::max(worst, std::abs(wall.energy().total() - before));
  }
  EXPECT_TRUE(wall.check->found().empty());
  EXPECT_NEAR(wall.nodes.velocity(0)[1], v + 2 * w, 2e-3 * v1);
  EXPECT_NEAR(wall.energy().prescribed_work, 0.5 * (std::pow(v + 2 * w, 2) - v * v),
              2e-3 * v1 * v1);
  EXPECT_LT(worst, 0.02 * 0.5 * std::pow(v + w, 2)) << "also during the impact";
  EXPECT_LT(std::abs(wall.energy().total() / before - 1), 2e-3);
}

TEST(LayerBounces, WorkOfAWallThatAcceleratesWithinAStep)
{
  // it shakes as fast as the clock of the layers can follow: the work up to any time is that of
  // the intervals up to it, not of some other ones
  const ContactParameters parameters = layers(eta, ratio);
  const double v1 = MassOnWall::stopped(parameters), v = 0.3 * v1;
  Tensor<1, 2> velocity;
  velocity[1] = -v;
  const double H = MassOnWall(parameters, 1., velocity).step_before_start();
  const double omega = 0.5 / H, amplitude = 0.3 * v1 / omega;
  MassOnWall wall(parameters, 2.1 * eta, velocity,
                  [=](const double t)
                  {
                    Tensor<1, 2> u;
                    u[1] = amplitude * (1 - std::cos(omega * t));
                    return u;
                  });
  wall.start();
  const double before = wall.energy().total();
  double worst = 0, work = 0;
  for (double time = 0; time < 12 * eta / v; time += 0.0737 * wall.step())
  {
    wall.check->advance_to(time);
    const EnergyBalance balance = wall.energy();
    worst = std::max(worst, std::abs(balance.total() - before));
    work = std::max(work, std::abs(balance.prescribed_work));
  }
  std::cout << "work up to " << work / before << ", error up to " << worst / before << "\n";
  EXPECT_TRUE(wall.check->found().empty());
  EXPECT_GT(work, 0.5 * before);
  EXPECT_LT(worst, 0.02 * work);
}

TEST(LayerBounces, BooksOfPairsAreThoseOfNodesAtAllTimes)
{
  // also before the first kick within a layer, and with restitution
  ContactParameters parameters = layers(eta, ratio);
  parameters.restitution = 0.5;
  const double v1 = MassOnWall::stopped(parameters), v = 0.8 * v1;
  Tensor<1, 2> velocity;
  velocity[1] = -v;
  MassOnWall wall(parameters, 2.2 * eta, velocity);
  wall.start();
  double worst = 0;
  for (double time = 0; time < 12 * eta / v; time += 0.037 * wall.step())
  {
    wall.stepper->advance_to(time);
    const Tensor<1, 2> given = wall.contact->synchronised_statistics().impulse[0];
    EXPECT_NEAR((wall.contact->synchronised_pairs()(0, 1).impulse - given).norm(), 0, 1e-14 * v1);
    EXPECT_NEAR(wall.stepper->snapshot(time).velocity(0)[1], given[1] - v, 1e-13 * v1);
    worst = std::max(worst, std::abs(wall.energy().total() / (0.5 * v * v) - 1));
  }
  EXPECT_NEAR(wall.nodes.velocity(0)[1], 0.5 * v, 0.02 * v);
  EXPECT_LT(worst, 0.03) << "losses are booked when they happen";
  std::cout << "error of the balance up to " << worst << "\n";
}

TEST(LayerBounces, EnergyOfLayersIsInTheBalanceAtAllTimes)
{
  const ContactParameters parameters = layers(eta, ratio);
  const double v1 = MassOnWall::stopped(parameters), v = 0.8 * v1;
  Tensor<1, 2> velocity;
  velocity[1] = -v;
  MassOnWall wall(parameters, 2.2 * eta, velocity);
  wall.start();
  double worst = 0, largest = 0;
  for (double time = 0; time < 6 * eta / v; time += 0.037 * wall.step())
  {
    wall.stepper->advance_to(time);
    const EnergyBalance balance = wall.energy();
    largest = std::max(largest, balance.layer_energy);
    worst = std::max(worst, std::abs(balance.total() / (0.5 * v * v) - 1));
  }
  EXPECT_GT(largest, 0.95 * 0.5 * v * v) << "the mass has come to rest";
  EXPECT_LT(worst, 0.02);
}
