// Potentials of penalty layers: derivatives, thicknesses, steps that halve, speeds that are
// stopped.

#include <kickdrift/contact/layers/layer_clock.h>
#include <kickdrift/contact/layers/layer_profile.h>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace KickDrift;

namespace
{
constexpr LayerShape shapes[] = {LayerShape::cubic, LayerShape::quadratic};
}

TEST(LayerProfile, ForcesAndCurvaturesAreDerivatives)
{
  for (const LayerShape shape : shapes)
  {
    const LayerProfile profile(shape, 12);
    for (unsigned int level = 0; level < 12; ++level)
      for (const double share : {0.1, 0.37, 0.62, 0.93})
      {
        // not within a difference of the kinks of quadratic layers
        const double x = share * profile.thickness(level), h = 1e-5 * profile.thickness(level);
        EXPECT_NEAR(profile.force(level, x),
                    (profile.energy(level, x - h) - profile.energy(level, x + h)) / (2 * h),
                    1e-9 * (profile.force(level, 0.) + 1));
        EXPECT_NEAR(profile.curvature(level, x),
                    (profile.force(level, x - h) - profile.force(level, x + h)) / (2 * h),
                    1e-9 * (profile.curvature(level, 0.) + 1));
      }
  }
}

TEST(LayerProfile, TotalsAreSumsOfLayers)
{
  for (const LayerShape shape : shapes)
  {
    const LayerProfile profile(shape, 20);
    for (const double x : {0.9, 0.4, 0.11, 0.03})
    {
      double energy = 0, curvature = 0;
      for (unsigned int l = 1; l < 40; ++l)
      {
        const double thickness = shape == LayerShape::cubic ? std::pow(2, -0.5 * (l - 1)) : 1. / l;
        const double k = shape == LayerShape::cubic ? std::pow(4, l - 1.) : std::pow(l, 3.);
        const double u = thickness - x;
        if (u <= 0)
          continue;
        energy += shape == LayerShape::cubic ? k / thickness * u * u * u : k * u * u;
        curvature += shape == LayerShape::cubic ? 6 * k / thickness * u : 2 * k;
      }
      EXPECT_NEAR(profile.energy(x), energy, 1e-12 * energy);
      EXPECT_NEAR(profile.curvature(x), curvature, 1e-12 * curvature);
    }
    EXPECT_EQ(profile.energy(1.), 0);
    EXPECT_EQ(profile.energy(0, 0.), 1) << "the first layer takes k (2 eta)^2";
  }
}

TEST(LayerProfile, CubicLayersAreSmoothWhereTheyBegin)
{
  const LayerProfile cubic(LayerShape::cubic, 8), quadratic(LayerShape::quadratic, 8);
  for (unsigned int level = 0; level < 8; ++level)
  {
    const double x = cubic.thickness(level);
    EXPECT_LT(cubic.curvature(level, (1 - 1e-9) * x), 1e-7 * cubic.curvature(level, 0.));
    EXPECT_EQ(cubic.energy(level, x), 0);
  }
  EXPECT_EQ(quadratic.curvature(0, 1 - 1e-9), 2) << "a jump";
}

TEST(LayerProfile, StepsOfCubicLayersHalveExactly)
{
  const LayerProfile profile(LayerShape::cubic, 20);
  const double k = 137., a = 0.71, ratio = 0.125;
  const double first = profile.step_for_stiffness(ratio, k, a);
  for (unsigned int level = 0; level < 20; ++level)
    EXPECT_EQ(profile.step_for_stiffness(ratio, std::ldexp(k, 2 * level), a),
              std::ldexp(first, -static_cast<int>(level)));
  EXPECT_DOUBLE_EQ(profile.stiffness_for_step(ratio, first, a), k);
  // and are the share of the critical step: omega^2 = 6 k a where the layer is stiffest
  EXPECT_NEAR(first * std::sqrt(profile.curvature(0, 0.) * k * a) / 2, ratio, 1e-14);
}

TEST(LayerProfile, StepsOfQuadraticLayersAreRoundedDownToLevels)
{
  // layer l needs l^(-3/2) of the first one's step
  const LayerProfile profile(LayerShape::quadratic, 14);
  for (unsigned int l = 1; l < 300; ++l)
  {
    // the layer alone is what is felt between its end and that of the next one
    const double x = 1 / (l + 0.5);
    std::set<unsigned int> levels;
    double before = 0;
    for (unsigned int level = 0; level < 14; ++level)
    {
      const double jump = profile.curvature(level, x) - profile.curvature(level, 1 / (l - 0.5));
      if (jump > 0.5)
      {
        levels.insert(level);
        before = jump;
      }
    }
    ASSERT_EQ(levels.size(), 1u) << l;
    EXPECT_NEAR(before, 2. * l * l * l, 1e-8 * before);
    const double step = std::ldexp(1., -static_cast<int>(*levels.begin()));
    EXPECT_LE(step, std::pow(l, -1.5) * (1 + 1e-12));
    EXPECT_GT(2 * step, std::pow(l, -1.5) * (1 - 1e-12));
  }
}

TEST(LayerProfile, StoppedSpeedHasTheEnergyOfTheFirstLayer)
{
  const LayerProfile profile(LayerShape::cubic, 20);
  const double eta = 0.02, a = 3., H = 0.01, ratio = 0.125;
  const double k = profile.stiffness_for_step(ratio, H, a);
  const double speed = stopped_speed(eta, k, a);
  EXPECT_NEAR(0.5 * speed * speed / a, k * 4 * eta * eta * profile.energy(0, 0.), 1e-15);
  EXPECT_NEAR(speed, 2.31 * ratio * eta / H, 1e-3 * speed) << "whatever the masses are";
}

TEST(LayerClock, EveryTickBelongsToOneClassAndKicksEndIntervalsOfTheNext)
{
  const LayerClock clock{0.25};
  for (std::int64_t tick = 0; tick < 200; ++tick)
  {
    for (unsigned int c = 0; c < 5; ++c)
    {
      // by counting
      std::int64_t next = tick + 1;
      while (next % (2 << c) != (1 << c))
        ++next;
      EXPECT_EQ(LayerClock::next_of_class(tick, c), next);
      EXPECT_EQ(LayerClock::class_at(next), c);
      // intervals of class c end at multiples of its step, where kicks of class c + 1 come
      EXPECT_EQ(LayerClock::covered_until(next, c), next + (1 << c));
      EXPECT_EQ(LayerClock::covered_until(next, c) % (2 << c), 0);
      EXPECT_EQ(LayerClock::covered_until(next - 1, c), next - (1 << c));
    }
    for (unsigned int top = 0; top < 5; ++top)
      for (unsigned int finest = 0; finest <= top; ++finest)
      {
        std::int64_t next = LayerClock::next_of_class(tick, top);
        for (unsigned int c = finest; c < top; ++c)
          next = std::min(next, LayerClock::next_of_class(tick, c));
        EXPECT_EQ(LayerClock::next_of_classes(tick, finest, top), next);
      }
    EXPECT_EQ(clock.tick_at(0.25 * tick), tick);
    EXPECT_EQ(clock.tick_at(0.25 * tick + 0.1), tick);
  }
  EXPECT_EQ(clock.step(3), 4.);
}
