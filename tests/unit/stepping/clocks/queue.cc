#include <kickdrift/stepping/clocks/step_classes.h>
#include <kickdrift/stepping/clocks/tournament_tree.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

using namespace KickDrift;

TEST(TournamentTree, agrees_with_an_ordered_set)
{
  std::mt19937 random(42);
  for (const unsigned int n : {1u, 2u, 3u, 7u, 8u, 100u})
  {
    SCOPED_TRACE(n);
    TournamentTree tree(n);
    std::set<std::pair<double, unsigned int>> reference;
    std::vector<double> times(n, TournamentTree::never);
    for (unsigned int i = 0; i < n; ++i)
      reference.emplace(times[i], i);
    unsigned int n_ties = 0;
    std::vector<unsigned int> ties, expected;
    for (unsigned int change = 0; change < 2000; ++change)
    {
      const unsigned int slot = random() % n;
      // few different times, so that ties occur
      const double time = random() % 10 == 0 ? TournamentTree::never : random() % 50;
      reference.erase({times[slot], slot});
      times[slot] = time;
      reference.emplace(time, slot);
      tree.set(slot, time);
      const auto first = reference.begin();
      n_ties += reference.size() > 1 && std::next(first)->first == first->first;
      ASSERT_EQ(tree.time(), first->first);
      ASSERT_EQ(tree.slot(), first->second);
      ASSERT_EQ(tree.time(slot), time);
      if (first->first == TournamentTree::never)
        continue;
      expected.clear();
      for (auto entry = first; entry != reference.end() && entry->first == first->first; ++entry)
        expected.push_back(entry->second);
      ties.clear();
      tree.earliest(ties);
      ASSERT_EQ(ties, expected);
    }
    if (n > 1)
    {
      EXPECT_GT(n_ties, 10u);
    }
  }
}

TEST(TournamentTree, takes_several_times_at_once)
{
  std::mt19937 random(7);
  for (const unsigned int n : {1u, 2u, 3u, 7u, 8u, 100u})
  {
    TournamentTree tree(n), reference(n);
    std::vector<unsigned int> slots, earliest, expected;
    std::vector<double> times;
    for (unsigned int change = 0; change < 300; ++change)
    {
      slots.clear();
      times.clear();
      for (unsigned int slot = 0; slot < n; ++slot)
        if (random() % 4 == 0)
        {
          slots.push_back(slot);
          times.push_back(random() % 5 == 0 ? TournamentTree::never : random() % 20);
          reference.set(slot, times.back());
        }
      tree.set_many(slots, times);
      EXPECT_EQ(tree.time(), reference.time());
      EXPECT_EQ(tree.slot(), reference.slot());
      for (unsigned int slot = 0; slot < n; ++slot)
        EXPECT_EQ(tree.time(slot), reference.time(slot));
      earliest.clear();
      expected.clear();
      tree.earliest(earliest);
      reference.earliest(expected);
      EXPECT_EQ(earliest, expected);
    }
  }
}

TEST(StepClasses, no_unit_steps_further_than_it_may_and_none_needlessly_short)
{
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-3, 3);
  for (unsigned int run = 0; run < 50; ++run)
  {
    std::vector<double> steps(1 + random() % 300);
    for (double &step : steps)
      step = std::exp(exponent(random));
    const double smallest = *std::min_element(steps.begin(), steps.end());
    const StepClasses classes = nested_classes(steps);
    EXPECT_LE(classes.base, smallest);
    EXPECT_GT(classes.base, 0.5 * smallest);
    double rate = 0, rate_at_smallest = 0;
    for (unsigned int i = 0; i < steps.size(); ++i)
    {
      const double step = classes.step(classes.of_kick[i]);
      EXPECT_LE(step, steps[i] * (1 + 1e-11));
      EXPECT_GT(2 * step, steps[i]);
      EXPECT_LT(classes.of_kick[i], classes.n_classes);
      rate += 1 / step;
      rate_at_smallest +=
          1 / (smallest * std::exp2(std::floor(std::log2(steps[i] / smallest * (1 + 1e-12)))));
    }
    EXPECT_LE(rate, rate_at_smallest * (1 + 1e-9));
  }
}

TEST(StepClasses, the_base_is_lowered_where_that_saves_kicks)
{
  // nearly all cells just below 32 times the smallest step: a slightly smaller base doubles theirs
  std::vector<double> steps(1000, 31.);
  steps[0] = 1;
  const StepClasses classes = nested_classes(steps);
  EXPECT_NEAR(classes.step(classes.of_kick[1]), 31, 0.31);
}

TEST(StepClasses, units_without_a_limit_join_the_coarsest_class)
{
  const double infinity = std::numeric_limits<double>::infinity();
  const StepClasses classes = nested_classes({1., infinity, 5.});
  EXPECT_EQ(classes.of_kick[1], classes.of_kick[2]);
  EXPECT_THROW(nested_classes({infinity}), std::exception);
}
