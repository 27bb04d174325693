// The rule that keeps neighbours from resonating, against its definition, pair by pair.

#include <kickdrift/stepping/clocks/stability_rule.h>

#include <deal.II/base/numbers.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace KickDrift;

namespace
{
struct Graph
{
  std::vector<std::vector<unsigned int>> nodes_of_kick;
  std::vector<double> critical_steps;
  unsigned int n_nodes;

  /// Kicks within the reach of the rule, by looking at all pairs.
  std::set<unsigned int>
  reached_by(const unsigned int kick) const
  {
    return next_to(next_to({kick}));
  }

  std::set<unsigned int>
  next_to(const std::set<unsigned int> &kicks) const
  {
    std::set<unsigned int> result;
    for (const unsigned int a : kicks)
      for (unsigned int b = 0; b < nodes_of_kick.size(); ++b)
        if (std::isfinite(critical_steps[b]))
          for (const unsigned int node : nodes_of_kick[a])
            if (std::count(nodes_of_kick[b].begin(), nodes_of_kick[b].end(), node) > 0)
              result.insert(b);
    return result;
  }
};

/// Kicks of two to four nodes that are near each other, with steps over several decades.
Graph
random_graph(std::mt19937 &random)
{
  const auto number = [&](const unsigned int below) { return random() % below; };
  Graph graph;
  graph.n_nodes = 30;
  for (unsigned int k = 0; k < 40; ++k)
  {
    std::vector<unsigned int> nodes;
    const unsigned int first = number(graph.n_nodes - 6);
    while (nodes.size() < 2 + k % 3)
      if (const unsigned int node = first + number(6);
          std::count(nodes.begin(), nodes.end(), node) == 0)
        nodes.push_back(node);
    graph.nodes_of_kick.push_back(nodes);
    graph.critical_steps.push_back(k % 13 == 12 ? INFINITY
                                                : std::exp2(8. * random() / random.max()));
  }
  return graph;
}

bool
may_be_neighbours(const StepClasses &classes, const Graph &graph, const unsigned int a,
                  const unsigned int b)
{
  const double long_step = classes.step(classes.of_kick[a]);
  const double step = classes.step(classes.of_kick[b]);
  const double frequency = 2 / step * std::asin(step / graph.critical_steps[b]);
  return classes.of_kick[a] <= classes.of_kick[b] ||
         long_step * frequency <= 0.999 * dealii::numbers::PI;
}
} // namespace

TEST(StabilityRule, holds_for_all_pairs_and_no_step_is_shorter_than_need_be)
{
  std::mt19937 random(3);
  unsigned int n_lowered = 0;
  for (unsigned int run = 0; run < 200; ++run)
  {
    const Graph graph = random_graph(random);
    const double beta = run % 2 == 0 ? 0.5 : 0.9;
    // those of one stratum that share a node are to be so, too
    const bool is_one_apart = run >= 100;
    std::vector<unsigned int> one_apart;
    for (unsigned int k = 0; is_one_apart && k < graph.critical_steps.size(); ++k)
      one_apart.push_back(run % 3 == 0 ? random() % 2 : 0);
    const auto are_alike = [&](const unsigned int a, const unsigned int b)
    { return is_one_apart && one_apart[a] == one_apart[b]; };
    std::vector<double> steps;
    for (const double step : graph.critical_steps)
      steps.push_back(beta * step);
    StepClasses classes = nested_classes(steps);
    const auto by_own_step = classes.of_kick;
    const auto report = apply_stability_rule(
        classes, graph.critical_steps, CompressedRows<unsigned int>::from_rows(graph.nodes_of_kick),
        graph.n_nodes, one_apart, 1);
    n_lowered += report.n_lowered;
    double margin = INFINITY;
    for (unsigned int a = 0; a < steps.size(); ++a)
    {
      EXPECT_LE(classes.of_kick[a], by_own_step[a]);
      if (!std::isfinite(steps[a]))
      {
        EXPECT_EQ(classes.of_kick[a], by_own_step[a]);
        continue;
      }
      bool could_be_longer = classes.of_kick[a] < by_own_step[a];
      for (const unsigned int b : graph.next_to({a}))
        if (are_alike(a, b))
        {
          EXPECT_LE(classes.of_kick[a], classes.of_kick[b] + 1) << a << " " << b;
          could_be_longer = could_be_longer && (b == a || classes.of_kick[a] <= classes.of_kick[b]);
        }
      for (const unsigned int b : graph.reached_by(a))
      {
        EXPECT_TRUE(may_be_neighbours(classes, graph, a, b)) << a << " " << b;
        const double step = classes.step(classes.of_kick[b]);
        margin =
            std::min(margin, dealii::numbers::PI - classes.step(classes.of_kick[a]) * 2 / step *
                                                       std::asin(step / graph.critical_steps[b]));
      }
      ++classes.of_kick[a];
      for (const unsigned int b : graph.reached_by(a))
        could_be_longer = could_be_longer && (b == a || may_be_neighbours(classes, graph, a, b));
      --classes.of_kick[a];
      EXPECT_FALSE(could_be_longer) << a;
    }
    EXPECT_NEAR(report.margin, margin, 1e-12);
  }
  EXPECT_GT(n_lowered, 300u);
}

TEST(StabilityRule, counts_two_layers_of_neighbours)
{
  const std::vector<double> critical_steps = {1, 2, 4, 8, 16};
  const auto rows =
      CompressedRows<unsigned int>::from_rows({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
  StepClasses classes = nested_classes({0.5, 1, 2, 4, 8});
  const auto report = apply_stability_rule(classes, critical_steps, rows, 6);
  // the second neighbour of the first kick comes with four times its step: too long by the rule
  EXPECT_EQ(classes.of_kick, (std::vector<unsigned int>{0, 1, 1, 2, 3}));
  EXPECT_EQ(report.n_lowered, 3u);
}

TEST(StabilityRule, tells_the_longest_step_beside_a_kick)
{
  const double pi = dealii::numbers::PI;
  EXPECT_NEAR(longest_step_beside(1e-6, 1.), 0.999 * pi / 2, 1e-9); // vibrates with omega = 2/h_c
  EXPECT_NEAR(longest_step_beside(0.5, 1.), 0.999 * pi * 0.25 / (pi / 6), 1e-12);
  EXPECT_NEAR(longest_step_beside(1., 1.), 0.999, 1e-12); // two steps per period
  EXPECT_EQ(longest_step_beside(1., INFINITY), INFINITY);
}

namespace
{
/// Kicks and sweeps per time with filtered class boundaries, and is the rule obeyed?
double
cost_with_sweeps(const StepClasses &classes, const Graph &graph, const unsigned int n_sweeps)
{
  double cost = 0;
  for (unsigned int a = 0; a < classes.of_kick.size(); ++a)
  {
    bool is_beside_finer = false;
    for (const unsigned int b : graph.next_to({a}))
      is_beside_finer = is_beside_finer || classes.of_kick[b] < classes.of_kick[a];
    cost += (is_beside_finer ? 1 + n_sweeps : 1) / classes.step(classes.of_kick[a]);
  }
  return cost;
}
} // namespace

// Patches of slow kicks among faster ones, where sweeps cost more than shorter steps.
TEST(StabilityRule, lowers_islands_where_that_is_cheaper)
{
  std::mt19937 random(4);
  unsigned int n_lowered = 0, n_cheaper = 0;
  for (unsigned int run = 0; run < 100; ++run)
  {
    const Graph graph = random_graph(random);
    std::vector<double> steps;
    for (const double step : graph.critical_steps)
      steps.push_back(0.5 * step);
    const auto rows = CompressedRows<unsigned int>::from_rows(graph.nodes_of_kick);
    const std::vector<unsigned int> strata(steps.size(), 0);
    StepClasses stay = nested_classes(steps), lowered = stay;
    apply_stability_rule(stay, graph.critical_steps, rows, graph.n_nodes, strata, 1);
    apply_stability_rule(lowered, graph.critical_steps, rows, graph.n_nodes, strata, 2);
    for (unsigned int a = 0; a < steps.size(); ++a)
    {
      EXPECT_LE(lowered.of_kick[a], stay.of_kick[a]);
      n_lowered += lowered.of_kick[a] < stay.of_kick[a];
      if (!std::isfinite(steps[a]))
        continue;
      for (const unsigned int b : graph.next_to({a}))
      {
        EXPECT_LE(lowered.of_kick[a], lowered.of_kick[b] + 1);
      }
      for (const unsigned int b : graph.reached_by(a))
        EXPECT_TRUE(may_be_neighbours(lowered, graph, a, b)) << a << " " << b;
    }
    const double cost = cost_with_sweeps(lowered, graph, 2);
    EXPECT_LE(cost, cost_with_sweeps(stay, graph, 2));
    EXPECT_NEAR(evaluations_per_time(lowered, graph.critical_steps, rows, graph.n_nodes, strata, 2),
                cost, 1e-12 * cost);

    // of several bases the one that costs least then
    const auto cost_of = [&](StepClasses classes)
    {
      apply_stability_rule(classes, graph.critical_steps, rows, graph.n_nodes, strata, 2);
      return cost_with_sweeps(classes, graph, 2);
    };
    const StepClasses cheapest = cheapest_nested_classes(steps, 3, cost_of);
    const double smallest = *std::min_element(steps.begin(), steps.end());
    EXPECT_LE(8 * cheapest.base, smallest * (1 + 1e-12));
    EXPECT_GT(8 * cheapest.base, 0.5 * smallest);
    for (unsigned int a = 0; a < steps.size(); ++a)
      EXPECT_EQ(cheapest.of_kick[a], coarsest_class_below(steps[a], cheapest));
    EXPECT_LE(0.97 * cost_of(cheapest), cost * (1 + 1e-12));
    n_cheaper += cost_of(cheapest) < cost;
  }
  EXPECT_GT(n_lowered, 100u);
  EXPECT_GT(n_cheaper, 10u);

  // a row of five slow kicks: three of them inside pay for two beside the fast ones, one does not
  for (const unsigned int n_slow : {1u, 2u, 3u, 4u, 5u})
  {
    std::vector<double> critical_steps(n_slow + 2, 2.1);
    critical_steps.front() = critical_steps.back() = 1;
    std::vector<std::vector<unsigned int>> nodes_of_kick;
    for (unsigned int k = 0; k < critical_steps.size(); ++k)
      nodes_of_kick.push_back({k, k + 1});
    std::vector<double> steps;
    for (const double step : critical_steps)
      steps.push_back(0.5 * step);
    StepClasses classes = nested_classes(steps);
    apply_stability_rule(classes, critical_steps,
                         CompressedRows<unsigned int>::from_rows(nodes_of_kick), n_slow + 3,
                         std::vector<unsigned int>(critical_steps.size(), 0), 2);
    EXPECT_EQ(classes.of_kick[1], n_slow < 4 ? classes.of_kick[0] : classes.of_kick[0] + 1)
        << n_slow;
  }
}

// Steps of 1 and 1.3 in turn: the fewest kicks are those of a base of 0.65, with a boundary at
// every node. One step for all costs less.
TEST(StabilityRule, one_class_where_all_would_be_boundaries)
{
  std::vector<double> critical_steps, steps;
  std::vector<std::vector<unsigned int>> nodes_of_kick;
  for (unsigned int k = 0; k < 60; ++k)
  {
    critical_steps.push_back(k % 6 == 0 ? 2 : 2.6);
    steps.push_back(0.5 * critical_steps.back());
    nodes_of_kick.push_back({k, k + 1});
  }
  const auto rows = CompressedRows<unsigned int>::from_rows(nodes_of_kick);
  const std::vector<unsigned int> strata(steps.size(), 0);
  const auto n_used = [](const StepClasses &classes)
  { return std::set<unsigned int>(classes.of_kick.begin(), classes.of_kick.end()).size(); };
  const auto cost = [&](StepClasses classes)
  {
    apply_stability_rule(classes, critical_steps, rows, 61, strata, 2);
    return evaluations_per_time(classes, critical_steps, rows, 61, strata, 2);
  };
  EXPECT_EQ(n_used(nested_classes(steps)), 2u);
  const StepClasses cheapest = cheapest_nested_classes(steps, 0, cost);
  EXPECT_EQ(n_used(cheapest), 1u);
  EXPECT_NEAR(cost(cheapest), 60, 1e-9);
  EXPECT_GT(cost(nested_classes(steps)), 60);
}
