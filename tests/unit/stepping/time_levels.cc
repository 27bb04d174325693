// Classes of kicks, their changes, and the times at which intervals end.

#include <kickdrift/stepping/clocks/stepper_exceptions.h>

#include "chain.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace KickDriftTests;

namespace
{
/// Kicks with these critical steps.
TimeLevels
levels_of(const StepperParameters &parameters, const std::vector<double> &critical_steps)
{
  TimeLevels levels(parameters);
  for (const double step : critical_steps)
    levels.add(step);
  levels.start({});
  levels.clocks().start();
  return levels;
}

/// Tells nobody.
void
ignore(unsigned int, unsigned int, unsigned int)
{
}
} // namespace

TEST(TimeLevels, puts_every_kick_into_the_coarsest_class_that_its_step_allows)
{
  const TimeLevels levels = levels_of(parameters(Clocks::nested, 0.5), {2, 4.1, 17, 2.2, INFINITY});
  EXPECT_EQ(levels.classes().of_kick, (std::vector<unsigned int>{0, 1, 3, 0, 3}));
  EXPECT_EQ(levels.n_kicks(), 5u);
  EXPECT_EQ(levels.natural_step(2), 8);
  EXPECT_EQ(levels.step(2), 8);
  EXPECT_EQ(levels.critical_step(1), 4.1);
  EXPECT_EQ(levels.smallest_critical_step(), 2);
  EXPECT_EQ(levels.clocks().n_kicks(0), 2u);
  EXPECT_EQ(levels.clocks().n_kicks(2), 0u);
}

TEST(TimeLevels, gives_every_kick_its_own_step_if_there_are_no_classes)
{
  const TimeLevels levels = levels_of(parameters(Clocks::per_cell, 0.5), {2, 3, INFINITY});
  EXPECT_FALSE(levels.has_classes());
  EXPECT_EQ(levels.step(0), 1);
  EXPECT_EQ(levels.step(1), 1.5);
  EXPECT_EQ(levels.step(2), 1.5); // no limit: as the longest
  EXPECT_EQ(levels.clock_of_kick(1), 1u);
}

TEST(TimeLevels, knows_when_intervals_end)
{
  const TimeLevels centred = levels_of(parameters(Clocks::nested, 0.5), {2, 8});
  EXPECT_EQ(centred.next_common_instant(0, 0.), 1);
  EXPECT_EQ(centred.next_common_instant(0, 0.99), 1);
  EXPECT_EQ(centred.next_common_instant(2, 1.), 4);
  EXPECT_EQ(centred.next_common_instant(2, 4.), 8);
  EXPECT_EQ(centred.covered_until(1), 0); // its first kick comes at 2, for the interval up to 4
  const TimeLevels start = levels_of(parameters(Clocks::nested, 0.5, Phase::start), {2, 8});
  EXPECT_EQ(start.next_common_instant(0, 0.), 0.5);
  EXPECT_EQ(start.next_common_instant(2, 0.), 2);
  EXPECT_EQ(start.next_common_instant(2, 2.), 6);
}

// A slow body in contact with a fast one asks for times that the ticks of the fast one do not
// reach.
TEST(TimeLevels, knows_no_end_of_intervals_that_it_cannot_count)
{
  for (const Phase phase : {Phase::centred, Phase::start})
  {
    const TimeLevels levels = levels_of(parameters(Clocks::nested, 0.5, phase), {2e-20, 1e30});
    for (const unsigned int step_class : {0u, levels.classes().n_classes - 1})
    {
      EXPECT_GT(levels.next_common_instant(step_class, 1e-6), 1e-6);
      EXPECT_LE(levels.next_common_instant(step_class, 1e-6),
                1e-6 + 1.1 * levels.classes().step(step_class));
      for (const double time : {1e-1, 1e30, double(INFINITY)})
      {
        EXPECT_EQ(levels.next_common_instant(step_class, time), TournamentTree::never);
        EXPECT_EQ(levels.next_kick(step_class, time), TournamentTree::never);
      }
    }
  }
}

TEST(TimeLevels, counts_kicks_per_time)
{
  const auto [ours, synchronous] = levels_of(parameters(Clocks::nested), {2, 8}).kick_rates();
  EXPECT_EQ(ours, 1 + 0.25);
  EXPECT_EQ(synchronous, 2);
}

TEST(TimeLevels, changes_classes_only_where_both_intervals_end)
{
  TimeLevels levels = levels_of(parameters(Clocks::nested, 0.5), {2, 8});
  levels.promote(1, 0, 6., 1.);
  EXPECT_EQ(levels.n_promoted(), 1u);
  EXPECT_EQ(levels.clock_of_kick(1), 2u);
  EXPECT_EQ(levels.next_change(), 1);
  std::vector<unsigned int> change;
  const auto note = [&](const unsigned int kick, const unsigned int from, const unsigned int to) {
    change = {kick, from, to};
  };
  for (const double time : {1., 2., 3.})
  {
    levels.change_classes(time, note);
    EXPECT_TRUE(change.empty());
    EXPECT_EQ(levels.next_change(), time + 1);
  }
  levels.change_classes(4., note);
  EXPECT_EQ(change, (std::vector<unsigned int>{1, 2, 0}));
  EXPECT_EQ(levels.step(1), 1);
  EXPECT_EQ(levels.promoted_to(0), std::vector<unsigned int>{1});
  EXPECT_EQ(levels.clocks().n_kicks(2), 0u);
  EXPECT_EQ(levels.n_class_changes(), 1u);
  levels.change_classes(8., note); // expired
  EXPECT_EQ(levels.clock_of_kick(1), 2u);
  EXPECT_EQ(levels.n_promoted(), 0u);
  EXPECT_EQ(levels.next_change(), TournamentTree::never);
}

TEST(TimeLevels, united_kicks_share_the_finest_class_at_the_start_and_later)
{
  TimeLevels levels(parameters(Clocks::nested, 0.5));
  for (const double step : {2., 8., 4.1, 8.})
    levels.add(step);
  levels.unite({1, 2});
  levels.start({});
  levels.clocks().start();
  EXPECT_EQ(levels.classes().of_kick, (std::vector<unsigned int>{0, 1, 1, 2}));
  levels.promote(2, 0, 100., 0.);
  levels.change_classes(0., ignore);
  EXPECT_EQ(levels.clock_of_kick(1), 0u);
  EXPECT_EQ(levels.clock_of_kick(2), 0u);
  EXPECT_EQ(levels.clock_of_kick(3), 2u);
  levels.follow({2., 8., 2.1, 8.}, {}, 0.);
  EXPECT_EQ(levels.classes().of_kick, (std::vector<unsigned int>{0, 0, 0, 2}));
}

// One of them must be finer, for the sake of a neighbour: then both are.
TEST(TimeLevels, united_kicks_are_lowered_together_by_the_stability_rule)
{
  const auto classes = [](const bool united)
  {
    TimeLevels levels(parameters(Clocks::nested, 0.9));
    for (const double step : {1., 8.1, 8.1})
      levels.add(step);
    if (united)
      levels.unite({1, 2});
    TimeLevels::Neighbourhood neighbourhood; // 0 beside 1, 2 alone
    neighbourhood.nodes_of_kick = CompressedRows<unsigned int>::from_rows({{0, 1}, {1, 2}, {3, 4}});
    neighbourhood.n_nodes = 5;
    levels.start(neighbourhood);
    return levels.classes().of_kick;
  };
  const auto apart = classes(false), together = classes(true);
  ASSERT_LT(apart[1], apart[2]);
  EXPECT_EQ(together[1], apart[1]);
  EXPECT_EQ(together[2], apart[1]);
}

TEST(TimeLevels, comes_back_from_a_checkpoint)
{
  TimeLevels levels = levels_of(parameters(Clocks::nested, 0.5), {2, 8, 8});
  levels.promote(1, 0, 100., 0.);
  levels.change_classes(0., ignore);
  levels.clocks().advance(0);
  Archive written;
  levels.serialize(written, ignore);
  TimeLevels again = levels_of(parameters(Clocks::nested, 0.5), {2, 8, 8});
  Archive read(written.bytes());
  unsigned int n_changes = 0;
  again.serialize(read, [&](unsigned int, unsigned int, unsigned int) { ++n_changes; });
  EXPECT_EQ(n_changes, 1u);
  EXPECT_EQ(again.clock_of_kick(1), 0u);
  EXPECT_EQ(again.promoted_to(0), std::vector<unsigned int>{1});
  EXPECT_EQ(again.clocks().next_time(), levels.clocks().next_time());
  EXPECT_EQ(again.n_class_changes(), 1u);
  TimeLevels others = levels_of(parameters(Clocks::nested, 0.5), {2, 2, 8}); // not promoted there
  Archive for_others(written.bytes());
  EXPECT_THROW(others.serialize(for_others, ignore), std::exception);
}

TEST(TimeLevels, refuses_parameters_out_of_range)
{
  using Exception = StepperExceptions::ExcParameter;
  for (const double ratio : {0., -0.5, 3., double(NAN)})
    EXPECT_THROW(TimeLevels(parameters(Clocks::nested, ratio)), Exception) << ratio;
  StepperParameters p;
  for (const double step : {-1., double(NAN), double(INFINITY)})
  {
    p.clocks = Clocks::one;
    p.time_step = step;
    EXPECT_THROW(TimeLevels{p}, Exception) << step;
  }
  p.clocks = Clocks::nested;
  p.time_step = 1;
  EXPECT_THROW(TimeLevels{p}, Exception);
  p = parameters(Clocks::per_cell);
  p.threads = 2;
  EXPECT_THROW(TimeLevels{p}, Exception);
  p = parameters(Clocks::one);
  p.threads = 0;
  EXPECT_THROW(TimeLevels{p}, Exception);
}

TEST(TimeLevels, needs_a_kick_that_limits_the_step)
{
  for (const auto &steps :
       {std::vector<double>{}, {INFINITY}, std::vector<double>{1, 0}, std::vector<double>{1, NAN}})
    EXPECT_THROW(levels_of(parameters(Clocks::nested), steps), std::exception);
}

TEST(Promotions, promotions_are_granted_between_intervals_and_expire)
{
  for (const Phase phase : {Phase::centred, Phase::start})
  {
    SCOPED_TRACE(static_cast<int>(phase));
    Chain chain(parameters(Clocks::nested, 0.5, phase), 20, 3000, true);
    Chain plain(parameters(Clocks::nested, 0.5, phase), 20, 3000, true);
    chain.stepper.start();
    plain.stepper.start();
    auto &stepper = chain.stepper;
    const unsigned int id = 0; // the softest link: coarsest class
    const unsigned int natural =
        stepper.levels().natural_step(id) / stepper.levels().classes().base + 0.5;
    ASSERT_GE(natural, 16u);
    double first = 0, worst = 0, worst_plain = 0;
    bool was_promoted = false;
    for (unsigned int i = 0; i <= 3000; ++i)
    {
      const double time = 0.05 * i;
      stepper.advance_to(time);
      plain.stepper.advance_to(time);
      if (i % 200 < 50)
        for (const unsigned int u : {0u, 1u, 2u})
          stepper.promote(u, i % 3 == 0 ? 1 : 2, time + 0.1);
      was_promoted |= stepper.levels().clock_of_kick(id) <= 2;
      const double energy = stepper.energy(stepper.snapshot(time)).total();
      const double energy_plain = plain.stepper.energy(plain.stepper.snapshot(time)).total();
      if (i == 0)
        first = energy;
      worst = std::max(worst, std::abs(energy / first - 1));
      worst_plain = std::max(worst_plain, std::abs(energy_plain / first - 1));
    }
    EXPECT_TRUE(was_promoted);
    EXPECT_GT(stepper.kick_statistics()[0].count, plain.stepper.kick_statistics()[0].count);
    // symplectic Euler's energy jumps by O(h) when a step changes; leapfrog's does not
    if (phase == Phase::centred)
    {
      EXPECT_LT(worst, 2 * worst_plain + 1e-3);
    }
    // all in their natural classes again after a while
    stepper.advance_to(200);
    EXPECT_EQ(stepper.levels().n_promoted(), 0u);
    for (unsigned int u = 0; u < stepper.levels().n_kicks(); ++u)
      EXPECT_EQ(stepper.levels().clock_of_kick(u), stepper.levels().classes().of_kick[u]);
  }
}

TEST(Promotions, a_promotion_is_not_shortened_by_a_finer_one)
{
  Chain chain(parameters(Clocks::nested), 20, 3000);
  chain.stepper.start();
  auto &stepper = chain.stepper;
  const unsigned int natural = stepper.levels().classes().of_kick[0];
  ASSERT_GE(natural, 3u);
  EXPECT_EQ(stepper.levels().n_class_changes(), 0u);
  const double interval = stepper.levels().classes().step(natural);
  stepper.promote(0, 2, 10 * interval);
  stepper.promote(0, 1, 2 * interval);
  stepper.promote(0, 1, 3 * interval);
  stepper.advance_to(2.9 * interval);
  EXPECT_EQ(stepper.levels().clock_of_kick(0), 1u);
  EXPECT_EQ(stepper.levels().n_class_changes(), 1u);
  stepper.advance_to(8 * interval);
  EXPECT_EQ(stepper.levels().clock_of_kick(0), 2u);
  EXPECT_EQ(stepper.levels().n_class_changes(), 2u);
  stepper.advance_to(13 * interval);
  EXPECT_EQ(stepper.levels().clock_of_kick(0), natural);
  EXPECT_EQ(stepper.levels().n_class_changes(), 3u);
}

TEST(Promotions, it_does_not_matter_who_asks_first)
{
  struct Request
  {
    unsigned int step_class;
    double until;
  };
  std::vector<Request> requests = {{3, 9.}, {1, 4.}, {2, 6.}, {1, 3.}, {2, 8.}};
  const double now = 1;
  std::vector<unsigned int> order = {0, 1, 2, 3, 4};
  std::vector<unsigned int> expected;
  do
  {
    Promotion promotion;
    for (const unsigned int i : order)
      promotion.add(requests[i].step_class, requests[i].until, now);
    std::vector<unsigned int> classes;
    for (double time = now; time < 10; time += 0.25)
      classes.push_back(promotion.class_at(time, 5));
    if (expected.empty())
      expected = classes;
    EXPECT_EQ(classes, expected);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(expected.front(), 1u);
  EXPECT_EQ(expected.back(), 5u);
}
