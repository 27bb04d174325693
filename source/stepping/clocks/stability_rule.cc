#include <kickdrift/stepping/clocks/stability_rule.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using Rows = CompressedRows<unsigned int>;

constexpr double pi = dealii::numbers::PI;

/// Frequency of a kick alone as leapfrog sees it [1/time].
double
frequency(const double step, const double critical_step)
{
  return 2 / step * std::asin(std::min(1., step / critical_step));
}

/// Rows and columns exchanged: the kicks of nodes.
Rows
transposed(const Rows &nodes_of_kick, const unsigned int n_nodes,
           const std::vector<double> &critical_steps)
{
  std::vector<unsigned int> counts(n_nodes, 0);
  for (unsigned int kick = 0; kick < nodes_of_kick.n_rows(); ++kick)
    if (std::isfinite(critical_steps[kick]))
      for (const unsigned int node : nodes_of_kick.row(kick))
        ++counts[node];
  Rows result = Rows::from_counts(counts);
  for (unsigned int kick = nodes_of_kick.n_rows(); kick-- > 0;)
    if (std::isfinite(critical_steps[kick]))
      for (const unsigned int node : nodes_of_kick.row(kick))
        result.row(node)[--counts[node]] = kick;
  return result;
}

/**
 * From the finest class to the coarsest: kicks whose class is settled tell those within reach which
 * class they must not exceed. What is told in the turn of a class concerns kicks that are not
 * settled yet, so every kick gets the coarsest class possible, and each is visited a few times.
 */
class Sweep
{
public:
  Sweep(StepClasses &classes, const std::vector<double> &critical_steps, const Rows &nodes_of_kick,
        const Rows &kicks_of_node, const std::vector<unsigned int> &strata)
      : classes(classes),
        strata(strata),
        critical_steps(critical_steps),
        nodes_of_kick(nodes_of_kick),
        kicks_of_node(kicks_of_node),
        settled(nodes_of_kick.n_rows(), 0),
        speakers(classes.n_classes),
        speaking(kicks_of_node.n_rows(), classes.n_classes),
        told(kicks_of_node.n_rows(), classes.n_classes),
        beside(strata.empty() ? 0 : 1 + *std::max_element(strata.begin(), strata.end()),
               std::vector<unsigned int>(kicks_of_node.n_rows(), classes.n_classes))
  {
  }

  void
  run()
  {
    std::vector<std::vector<unsigned int>> by_class(classes.n_classes);
    for (unsigned int kick = 0; kick < settled.size(); ++kick)
      if (std::isfinite(critical_steps[kick]))
        by_class[classes.of_kick[kick]].push_back(kick);
    std::vector<unsigned int> finer; // kicks of the class before
    for (unsigned int c = 0; c + 1 < classes.n_classes; ++c)
    {
      settled_now.clear();
      for (const unsigned int kick : by_class[c])
        if (!settled[kick])
          settle(kick, c);
      for (const unsigned int kick : finer)
        for (const unsigned int node : nodes_of_kick.row(kick))
          if (is_first(beside[strata[kick]], node, c))
            for (const unsigned int neighbour : kicks_of_node.row(node))
              if (!settled[neighbour] && strata[neighbour] == strata[kick])
                settle(neighbour, c);
      // what is settled now may have a say in this turn, too
      for (std::size_t i = 0; i < speakers[c].size(); ++i)
        limit_neighbours(speakers[c][i], c);
      finer.swap(settled_now);
    }
  }

private:
  void
  settle(const unsigned int kick, const unsigned int step_class)
  {
    settled[kick] = 1;
    if (!strata.empty())
      settled_now.push_back(kick);
    classes.of_kick[kick] = step_class;
    const double longest = longest_step_beside(classes.step(step_class), critical_steps[kick]);
    unsigned int limit = step_class;
    while (limit + 1 < classes.n_classes && classes.step(limit + 1) <= longest)
      ++limit;
    if (limit + 1 < classes.n_classes)
      speakers[limit].push_back(kick);
  }

  /// Kicks that share a node with @p kick, or with one that does, get class @p step_class if they
  /// have none yet.
  void
  limit_neighbours(const unsigned int kick, const unsigned int step_class)
  {
    for (const unsigned int node : nodes_of_kick.row(kick))
      if (is_first(speaking, node, step_class))
        for (const unsigned int neighbour : kicks_of_node.row(node))
          for (const unsigned int its_node : nodes_of_kick.row(neighbour))
            if (is_first(told, its_node, step_class))
              for (const unsigned int reached : kicks_of_node.row(its_node))
                if (!settled[reached])
                  settle(reached, step_class);
  }

  /// Is this the first visit to a node in the turn of a class?
  static bool
  is_first(std::vector<unsigned int> &turns, const unsigned int node, const unsigned int step_class)
  {
    if (turns[node] == step_class)
      return false;
    turns[node] = step_class;
    return true;
  }

  StepClasses &classes;
  const std::vector<unsigned int> &strata; ///< by kick; empty: neighbours may be far apart
  const std::vector<double> &critical_steps;
  const Rows &nodes_of_kick, &kicks_of_node;
  std::vector<char> settled;                       ///< by kick
  std::vector<std::vector<unsigned int>> speakers; ///< by class, kicks that set this as limit
  std::vector<unsigned int> settled_now;           ///< kicks, in the turn of a class
  /// By node, the last class in whose turn it belonged to a speaker, or its kicks were told.
  std::vector<unsigned int> speaking, told;
  /// By stratum and node, the last class in whose turn it belonged to a kick of the class before.
  std::vector<std::vector<unsigned int>> beside;
};

/**
 * Where class boundaries are filtered a kick beside finer ones is evaluated in each of s sweeps,
 * too: 1 + s times in a step, and in the next finer class twice, if it is not beside finer ones
 * there. So in that class come
 * - kicks of whose neighbours none would be beside finer ones for that reason alone,
 * - and then patches of kicks of one class with only finer ones around them, if of their n kicks b
 *   are beside these, and 2 n < (1 + s) b + n - b.
 *
 * What is lowered is a slower neighbour for all others, so the rule still holds.
 */
class Islands
{
public:
  Islands(StepClasses &classes, const Rows &nodes_of_kick, const Rows &kicks_of_node,
          const std::vector<unsigned int> &strata, const unsigned int n_sweeps)
      : classes(classes),
        nodes_of_kick(nodes_of_kick),
        kicks_of_node(kicks_of_node),
        strata(strata),
        n_sweeps(n_sweeps),
        visited(nodes_of_kick.n_rows(), classes.n_classes),
        is_beside(nodes_of_kick.n_rows())
  {
  }

  /// From the coarsest class on: what is lowered joins the kicks of the next.
  void
  lower(const std::vector<double> &critical_steps)
  {
    if (n_sweeps < 2)
      return;
    std::vector<std::vector<unsigned int>> by_class(classes.n_classes);
    for (unsigned int kick = 0; kick < nodes_of_kick.n_rows(); ++kick)
      if (std::isfinite(critical_steps[kick]))
        by_class[classes.of_kick[kick]].push_back(kick);
    std::vector<unsigned int> lowered;
    for (unsigned int c = classes.n_classes - 1; c > 0; --c)
    {
      for (const unsigned int kick : by_class[c])
        is_beside[kick] = any_neighbour(kick, [&](const unsigned int other)
                                        { return classes.of_kick[other] < c; });
      lowered.clear();
      for (const unsigned int kick : by_class[c])
        if (is_beside[kick] &&
            !any_neighbour(kick,
                           [&](const unsigned int other)
                           {
                             const unsigned int its_class = classes.of_kick[other];
                             return its_class > c || (its_class == c && !is_beside[other]);
                           }))
          lowered.push_back(kick);
      const auto put_down = [&](const std::vector<unsigned int> &kicks)
      {
        for (const unsigned int kick : kicks)
          classes.of_kick[kick] = c - 1;
        by_class[c - 1].insert(by_class[c - 1].end(), kicks.begin(), kicks.end());
      };
      put_down(lowered);
      for (const unsigned int kick : by_class[c])
        if (classes.of_kick[kick] == c && visited[kick] != c && patch_pays(kick, c))
          put_down(patch);
    }
  }

private:
  /// Is there another kick of the stratum on a node of this one for which @p f (other) is true?
  template <typename Predicate>
  bool
  any_neighbour(const unsigned int kick, const Predicate &f) const
  {
    for (const unsigned int node : nodes_of_kick.row(kick))
      for (const unsigned int other : kicks_of_node.row(node))
        if (strata[other] == strata[kick] && f(other))
          return true;
    return false;
  }

  /// Find the patch of a kick. Does it pay to lower it?
  bool
  patch_pays(const unsigned int first, const unsigned int step_class)
  {
    patch = {first};
    visited[first] = step_class;
    std::size_t n_beside = 0;
    bool is_island = true;
    for (std::size_t i = 0; i < patch.size(); ++i)
    {
      n_beside += is_beside[patch[i]];
      any_neighbour(patch[i],
                    [&](const unsigned int other)
                    {
                      is_island = is_island && classes.of_kick[other] <= step_class;
                      if (classes.of_kick[other] == step_class && visited[other] != step_class)
                      {
                        visited[other] = step_class;
                        patch.push_back(other);
                      }
                      return false;
                    });
    }
    return is_island && n_sweeps * n_beside > patch.size();
  }

  StepClasses &classes;
  const Rows &nodes_of_kick, &kicks_of_node;
  const std::vector<unsigned int> &strata;
  const unsigned int n_sweeps;
  std::vector<unsigned int> visited; ///< by kick, the class of the patch that it was visited in
  std::vector<char> is_beside;       ///< by kick, finer ones
  std::vector<unsigned int> patch;   ///< kicks
};

double
kicks_per_time(const StepClasses &classes)
{
  double rate = 0;
  for (const unsigned int step_class : classes.of_kick)
    rate += 1 / classes.step(step_class);
  return rate;
}

/// The largest frequency within reach of every kick, and the kick that has it.
void
find_smallest_margin(const StepClasses &classes, const std::vector<double> &critical_steps,
                     const Rows &nodes_of_kick, const Rows &kicks_of_node,
                     StabilityRuleReport &report)
{
  const unsigned int n_kicks = nodes_of_kick.n_rows();
  std::vector<std::pair<double, unsigned int>> of_kick(n_kicks), of_node(kicks_of_node.n_rows());
  for (unsigned int kick = 0; kick < n_kicks; ++kick)
    of_kick[kick] = {frequency(classes.step(classes.of_kick[kick]), critical_steps[kick]), kick};
  for (unsigned int ring = 0; ring < 2; ++ring)
  {
    for (unsigned int node = 0; node < of_node.size(); ++node)
      for (const unsigned int kick : kicks_of_node.row(node))
        of_node[node] = std::max(of_node[node], of_kick[kick]);
    for (unsigned int kick = 0; kick < n_kicks; ++kick)
      if (std::isfinite(critical_steps[kick]))
        for (const unsigned int node : nodes_of_kick.row(kick))
          of_kick[kick] = std::max(of_kick[kick], of_node[node]);
  }
  for (unsigned int kick = 0; kick < n_kicks; ++kick)
  {
    const double margin = pi - classes.step(classes.of_kick[kick]) * of_kick[kick].first;
    if (std::isfinite(critical_steps[kick]) && margin < report.margin)
    {
      report.margin = margin;
      report.long_kick = kick;
      report.short_kick = of_kick[kick].second;
    }
  }
}
} // namespace

double
evaluations_per_time(const StepClasses &classes, const std::vector<double> &critical_steps,
                     const Rows &nodes_of_kick, const unsigned int n_nodes,
                     const std::vector<unsigned int> &strata, const unsigned int n_sweeps)
{
  if (strata.empty())
    return kicks_per_time(classes);
  const unsigned int n_kicks = nodes_of_kick.n_rows();
  std::vector<std::vector<unsigned int>> finest(
      1 + *std::max_element(strata.begin(), strata.end()),
      std::vector<unsigned int>(n_nodes, classes.n_classes)); // by stratum and node
  for (unsigned int kick = 0; kick < n_kicks; ++kick)
    if (std::isfinite(critical_steps[kick]))
      for (const unsigned int node : nodes_of_kick.row(kick))
      {
        unsigned int &of_node = finest[strata[kick]][node];
        of_node = std::min(of_node, classes.of_kick[kick]);
      }
  double rate = 0;
  for (unsigned int kick = 0; kick < n_kicks; ++kick)
  {
    const unsigned int own = classes.of_kick[kick];
    const auto nodes = nodes_of_kick.row(kick);
    const bool sweeps =
        std::any_of(nodes.begin(), nodes.end(),
                    [&](const unsigned int node) { return finest[strata[kick]][node] < own; });
    rate += (sweeps ? 1 + n_sweeps : 1) / classes.step(own);
  }
  return rate;
}

double
longest_step_beside(const double step, const double critical_step)
{
  constexpr double margin = 0.999;
  return std::isfinite(critical_step) ? margin * pi / frequency(step, critical_step)
                                      : std::numeric_limits<double>::infinity();
}

StabilityRuleReport
apply_stability_rule(StepClasses &classes, const std::vector<double> &critical_steps,
                     const CompressedRows<unsigned int> &nodes_of_kick, const unsigned int n_nodes,
                     const std::vector<unsigned int> &strata, const unsigned int n_sweeps)
{
  const Rows kicks_of_node = transposed(nodes_of_kick, n_nodes, critical_steps);
  const std::vector<unsigned int> by_own_step = classes.of_kick;
  const double rate = kicks_per_time(classes);
  Sweep(classes, critical_steps, nodes_of_kick, kicks_of_node, strata).run();
  if (!strata.empty())
    Islands(classes, nodes_of_kick, kicks_of_node, strata, n_sweeps).lower(critical_steps);
  StabilityRuleReport report;
  for (unsigned int kick = 0; kick < by_own_step.size(); ++kick)
    report.n_lowered += classes.of_kick[kick] < by_own_step[kick];
  report.added = kicks_per_time(classes) / rate - 1;
  find_smallest_margin(classes, critical_steps, nodes_of_kick, kicks_of_node, report);
  return report;
}
} // namespace KickDrift
