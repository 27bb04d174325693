// How long kicks wait for coarser classes.

#include <kickdrift/stepping/clocks/patience.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/clocks/time_levels.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace KickDrift;

TEST(Patience, FinerAtOnceCoarserLater)
{
  Patience patience({10., 0.});
  EXPECT_EQ(patience.follow(1, 3, 4, 0.), 4u); // has none
  EXPECT_EQ(patience.follow(0, 3, 2, 0.), 2u);
  EXPECT_FALSE(patience.is_waiting());
  EXPECT_EQ(patience.follow(0, 2, 3, 1.), 2u);
  EXPECT_TRUE(patience.is_waiting());
  EXPECT_EQ(patience.follow(0, 2, 3, 10.9), 2u);
  EXPECT_EQ(patience.follow(0, 2, 2, 10.95), 2u); // a break
  EXPECT_FALSE(patience.is_waiting());
  EXPECT_EQ(patience.follow(0, 2, 3, 11.), 2u);
  EXPECT_EQ(patience.follow(0, 2, 3, 20.9), 2u);
  EXPECT_EQ(patience.follow(0, 2, 3, 21.), 3u);
  EXPECT_EQ(patience.follow(0, 2, 3, 21.5), 3u); // others have kept it
  patience.leave(0);
  EXPECT_FALSE(patience.is_waiting());
  // it has to come back, and waits twice as long from then on
  EXPECT_EQ(patience.follow(0, 3, 2, 22.), 2u);
  EXPECT_EQ(patience.follow(0, 2, 3, 30.), 2u);
  EXPECT_EQ(patience.follow(0, 2, 3, 49.9), 2u);
  EXPECT_EQ(patience.follow(0, 2, 3, 50.), 3u);
}

// A class that a vibration asks for again and again is left as often as the logarithm of time says.
TEST(Patience, ChangesBecomeRare)
{
  Patience patience({0.4});
  unsigned int own = 1, n_changes = 0;
  for (unsigned int i = 0; i < 1000000; ++i)
  {
    const double time = 0.01 * i;
    const unsigned int wanted = std::sin(time) > -0.99 ? 2 : 1;
    const unsigned int next = patience.follow(0, own, wanted, time);
    EXPECT_LE(next, wanted);
    n_changes += next != own;
    if (next > own)
      patience.leave(0);
    own = next;
  }
  EXPECT_GT(n_changes, 3u);
  EXPECT_LE(n_changes, 2 * 5u); // its patience is longer than a period after four times
}

TEST(Patience, Checkpoint)
{
  const auto make = [] { return Patience({10., 0., 5.}); };
  Patience patience = make();
  patience.follow(0, 2, 3, 0.);
  patience.follow(0, 2, 3, 10.);
  patience.leave(0);
  patience.follow(0, 3, 2, 11.);
  patience.follow(2, 1, 4, 12.);
  Archive archive;
  archive(patience);
  Patience same = make();
  Archive reading(archive.bytes());
  reading(same);
  for (const double time : {13., 16.9, 17., 40.})
    for (const unsigned int kick : {0u, 2u})
    {
      EXPECT_EQ(same.follow(kick, 1, 2, time), patience.follow(kick, 1, 2, time)) << time;
      EXPECT_EQ(same.is_waiting(), patience.is_waiting()) << time;
    }
  Patience other({10.});
  Archive wrong(archive.bytes());
  EXPECT_ANY_THROW(wrong(other));
}

// They come to a coarser class together, once the last one has waited long enough: all of a
// synchronous run, and those that are united.
TEST(Patience, KicksThatShareAClass)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    StepperParameters parameters;
    parameters.clocks = clocks;
    TimeLevels levels(parameters);
    for (unsigned int i = 0; i < 3; ++i)
      levels.add(8.);
    if (clocks == Clocks::nested)
      levels.unite({0, 1, 2});
    TimeLevels::Neighbourhood neighbourhood;
    neighbourhood.is_constant = false;
    levels.start(neighbourhood);
    levels.clocks().start();
    levels.be_patient({10., 17., 0.});
    const unsigned int natural = levels.classes().of_kick[0];
    const auto follow = [&](const std::vector<double> &steps, const double now)
    {
      levels.follow(steps, neighbourhood, now);
      for (const unsigned int step_class : levels.classes().of_kick)
        EXPECT_EQ(step_class, levels.classes().of_kick[0]);
      return natural - levels.classes().of_kick[0];
    };
    EXPECT_EQ(follow({8., 4., 8.}, 0.), 1u);
    for (double now = 1; now < 20; now += 0.5)
      EXPECT_EQ(follow({9.7, now < 3 ? 4. : 9.7, 9.7}, now), 1u) << now;
    EXPECT_EQ(follow({9.7, 9.7, 9.7}, 20.), 0u);
    EXPECT_EQ(follow({8., 4., 8.}, 21.), 1u);
    EXPECT_EQ(follow({9.7, 9.7, 9.7}, 22.), 1u);
    EXPECT_EQ(follow({9.7, 9.7, 9.7}, 55.9), 1u);
    EXPECT_EQ(follow({9.7, 9.7, 9.7}, 56.), 0u); // twice as patient
  }
}
