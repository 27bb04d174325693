// What kicks see of nodes that they share with finer classes.

#include <kickdrift/stepping/boundaries/class_boundaries.h>

#include <deal.II/base/numbers.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include "chain.h"

#include <random>

using namespace KickDrift;
using namespace KickDriftTests;
using dealii::Point;
using dealii::Tensor;

namespace
{
constexpr double pi = dealii::numbers::PI;

/// Links of a bar along x with density, stiffness and section 1.
struct Bar
{
  Bar(const std::vector<double> &lengths, StepperParameters parameters,
      const ClassBoundary class_boundary, const std::function<double(double)> &displacement)
      : links(std::make_shared<LinearNetwork<2>>())
  {
    std::vector<double> mass(lengths.size() + 1, 0.);
    double x = 0;
    for (unsigned int i = 0; i < lengths.size(); ++i)
    {
      const double half = 0.5 * lengths[i];
      mass[i] += half;
      mass[i + 1] += half;
      links->add(i, i + 1, 1 / lengths[i], half, half);
    }
    for (unsigned int i = 0; i < mass.size(); ++i)
    {
      nodes.add(Point<2>(x, 0), mass[i]);
      nodes.set_displacement(i, Point<2>(displacement(x), 0));
      x += i < lengths.size() ? lengths[i] : 0;
    }
    parameters.class_boundary = class_boundary;
    stepper = std::make_unique<Stepper<2>>(nodes, parameters);
    stepper->add(links);
  }

  /// An end of intervals of all classes, at @p time or behind it.
  double
  common_instant(const double time) const
  {
    const TimeLevels &levels = stepper->levels();
    return levels.next_common_instant(levels.classes().n_classes - 1, time * (1 - 1e-12));
  }

  /// Tension in a link.
  double
  tension(const NodeTable<2> &state, const unsigned int link) const
  {
    return links->links[link].stiffness *
           (state.displacement(link + 1) - state.displacement(link))[0];
  }

  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  std::unique_ptr<Stepper<2>> stepper;
};

/// A force on a node, on the clock of a link.
class EndLoad final : public LinearNetwork<2>
{
public:
  EndLoad(const unsigned int node, const double value) : node(node), value(value) {}
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int>
  support(unsigned int) const override
  {
    return {node};
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &stiffness) const override
  {
    stiffness.clear();
  }
  void
  own_masses(unsigned int, std::vector<double> &masses) const override
  {
    masses.clear();
  }
  void
  assign_clocks(const std::vector<unsigned int> &clocks, unsigned int) override
  {
    clock = clocks[0];
  }
  void
  change_clock(unsigned int, const unsigned int to) override
  {
    clock = to;
  }
  void
  kick(NodeTable<2> &nodes, const unsigned int of_clock, const double time,
       const double step) const override
  {
    if (of_clock != clock)
      return;
    nodes[node].drift(time);
    nodes[node].velocity[0] += step * nodes[node].inverse_mass * value;
  }
  void
  force(const NodeTable<2> &, unsigned int, double, std::vector<Vector> &force) const override
  {
    force = {Point<2>(value, 0)};
  }
  void
  add_energy(const NodeTable<2> &, EnergyBalance &) const override
  {
  }

private:
  unsigned int node, clock = 0;
  double value;
};

/// Lengths of cells that become longer by @p factor from group to group.
std::vector<double>
groups(const unsigned int n_groups, const unsigned int n_of_group, const double factor)
{
  std::vector<double> result;
  for (unsigned int g = 0; g < n_groups; ++g)
    result.insert(result.end(), n_of_group, std::pow(factor, g));
  return result;
}
} // namespace

// Beside finer classes (I + c/m K) x^ = x for the nodes of both, with the stiffness K of the class;
// solved by elimination here.
TEST(ClassBoundaries, PositionsSolveTheEnvelope)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&] { return Point<2>(number(random), number(random)); };
  unsigned int n_shifted = 0;
  for (unsigned int run = 0; run < 50; ++run)
  {
    // nodes on a line, links to near ones
    constexpr unsigned int n_nodes = 20;
    NodeTable<2> nodes;
    auto links = std::make_shared<LinearNetwork<2>>();
    std::vector<double> mass(n_nodes, 0.);
    for (unsigned int i = 0; i < n_nodes; ++i)
      for (unsigned int j = i + 1; j < std::min(i + 4, n_nodes); ++j)
      {
        const double own = std::exp2(number(random));
        links->add(i, j, std::exp2(0.5 * i + number(random)), own, own);
        mass[i] += own;
        mass[j] += own;
      }
    for (unsigned int i = 0; i < n_nodes; ++i)
    {
      nodes.add(Point<2>(i, 0), mass[i]);
      nodes.set_displacement(i, vector());
      nodes.set_velocity(i, vector());
    }
    const Point<2> held = vector();
    for (unsigned int i = 0; i < n_nodes; i += 3)
      nodes.restraints.add(i, held);
    StepperParameters p = parameters(Clocks::nested, 0.9);
    p.class_boundary = ClassBoundary::filtered;
    Stepper<2> stepper(nodes, p);
    stepper.add(links);
    stepper.start();
    const TimeLevels &levels = stepper.levels();
    const auto class_of = [&](const unsigned int link) { return levels.clock_of_kick(link); };
    KickFamilies<2> families;
    families.add({links, KickRole::own_clock, 0, {}, {}, 0, 0.});
    ClassBoundaries<2> boundaries(families);
    const double time = 0.1;
    NodeTable<2> before = nodes;
    for (unsigned int i = 0; i < n_nodes; ++i)
      before[i].drift(time);
    for (unsigned int c = 0; c < levels.classes().n_classes; ++c)
    {
      std::vector<unsigned int> finest(n_nodes, c);
      std::vector<char> is_of_class(n_nodes, 0);
      for (unsigned int link = 0; link < links->n_kicks(); ++link)
        for (const unsigned int node : links->support(link))
        {
          finest[node] = std::min(finest[node], class_of(link));
          is_of_class[node] = is_of_class[node] || class_of(link) == c;
        }
      // x^ - P c/m f(x^) = x by component
      dealii::FullMatrix<double> matrix(2 * n_nodes, 2 * n_nodes);
      dealii::Vector<double> x(2 * n_nodes), solution(2 * n_nodes);
      for (unsigned int i = 0; i < n_nodes; ++i)
        for (unsigned int d = 0; d < 2; ++d)
        {
          matrix(2 * i + d, 2 * i + d) = 1;
          x(2 * i + d) = before.displacement(i)[d];
        }
      for (unsigned int link = 0; link < links->n_kicks(); ++link)
        for (const unsigned int side : {0u, 1u})
        {
          const unsigned int node = links->support(link)[side];
          const unsigned int other = links->support(link)[1 - side];
          if (class_of(link) != c || finest[node] == c)
            continue;
          const double H = levels.classes().step(c), H0 = levels.classes().step(finest[node]);
          const double factor =
              (H * H / 12 + H0 * H0 / 6) / mass[node] * links->links[link].stiffness;
          for (unsigned int d = 0; d < 2; ++d)
          {
            Point<2> unit;
            unit[d] = 1;
            const auto free = before.restraints.project(node, unit);
            for (unsigned int e = 0; e < 2; ++e)
            {
              matrix(2 * node + e, 2 * node + d) += factor * free[e];
              matrix(2 * node + e, 2 * other + d) -= factor * free[e];
            }
          }
        }
      matrix.gauss_jordan();
      matrix.vmult(solution, x);

      NodeTable<2> shifted = nodes;
      boundaries.shift(shifted, levels, c, time);
      double size = 0, error = 0;
      for (unsigned int i = 0; i < n_nodes; ++i)
      {
        EXPECT_EQ(shifted[i].inverse_mass, before[i].inverse_mass);
        EXPECT_EQ(shifted.velocity(i), before.velocity(i));
        const Point<2> exact(solution(2 * i), solution(2 * i + 1));
        size = std::max(size, (exact - before.displacement(i)).norm());
        if (!is_of_class[i] || finest[i] == c)
          EXPECT_LT((exact - before.displacement(i)).norm(), 1e-12);
        else
        {
          error = std::max(error, (shifted.displacement(i) - exact).norm());
          ++n_shifted;
        }
      }
      EXPECT_LE(error, 0.1 * size) << run << " " << c; // two sweeps
      boundaries.restore(shifted, c);
      for (unsigned int i = 0; i < n_nodes; ++i)
        if (shifted[i].time == time)
          EXPECT_EQ(shifted.displacement(i), before.displacement(i));
        else
          EXPECT_EQ(shifted.displacement(i), nodes.displacement(i));
    }
  }
  EXPECT_GT(n_shifted, 100u);
}

// A bar that hangs at its finest end in equilibrium: the same tension everywhere, at any instant.
TEST(ClassBoundaries, TensionOfABarAtRest)
{
  for (const double ratio : {0.5, 0.9})
    for (const double factor : {2., 1.5})
    {
      double worst[2], worst_mean[2];
      for (const auto boundary : {ClassBoundary::plain, ClassBoundary::filtered})
      {
        const auto lengths = groups(4, 3, factor);
        Bar bar(lengths, parameters(Clocks::nested, ratio), boundary,
                [](const double x) { return 0.01 * x; });
        bar.nodes.restraints.add(0, Point<2>(1, 0));
        bar.stepper->add_on_clock_of(std::make_shared<EndLoad>(lengths.size(), 0.01),
                                     {static_cast<unsigned int>(lengths.size()) - 1});
        bar.stepper->start();
        double time = 0;
        std::mt19937 random(3);
        std::uniform_real_distribution<double> interval(0, 10);
        std::vector<double> sum(lengths.size(), 0.);
        constexpr unsigned int n = 400;
        double &at_worst = worst[boundary == ClassBoundary::filtered];
        at_worst = 0;
        for (unsigned int i = 0; i < n; ++i)
        {
          time = i % 2 == 0 ? time + interval(random) : bar.common_instant(time);
          bar.stepper->advance_to(time);
          const auto state = bar.stepper->snapshot(time);
          for (unsigned int link = 0; link < lengths.size(); ++link)
          {
            const double error = bar.tension(state, link) / 0.01 - 1;
            sum[link] += error / n;
            at_worst = std::max(at_worst, std::abs(error));
          }
        }
        double &mean = worst_mean[boundary == ClassBoundary::filtered];
        mean = 0;
        for (const double error : sum)
          mean = std::max(mean, std::abs(error));
      }
      EXPECT_LT(worst[1], 1e-10);
      EXPECT_LT(worst_mean[1], 1e-12);
      EXPECT_GT(worst_mean[0], 5e-3);
    }
}

namespace
{
struct Errors
{
  double u, v;
};

/// Errors of a standing wave after about two periods, in the root mean square over the mass.
Errors
errors_of_wave(const std::vector<double> &lengths, const StepperParameters &parameters,
               const ClassBoundary boundary)
{
  double length = 0;
  for (const double one : lengths)
    length += one;
  Bar bar(lengths, parameters, boundary,
          [length](const double x) { return std::cos(pi * x / length); });
  bar.stepper->start();
  const double time = bar.common_instant(4.3 * length);
  bar.stepper->advance_to(time);
  const auto state = bar.stepper->snapshot(time);
  Errors errors{0, 0};
  const double omega = pi / length;
  for (unsigned int i = 0; i < state.size(); ++i)
  {
    const double shape = std::cos(pi * state.reference(i)[0] / length);
    const double u = state.displacement(i)[0] - shape * std::cos(omega * time);
    const double v = state.velocity(i)[0] / omega + shape * std::sin(omega * time);
    errors.u += state.mass(i) / length * u * u;
    errors.v += state.mass(i) / length * v * v;
  }
  return {std::sqrt(errors.u), std::sqrt(errors.v)};
}
} // namespace

// At the ratio 0.9 errors of space and time cancel in part, so an order says less than the error
// with one clock, which is second order.
TEST(ClassBoundaries, SecondOrderInTheMesh)
{
  for (const double ratio : {0.5, 0.75, 0.9})
  {
    std::vector<Errors> plain, filtered;
    for (unsigned int n = 8; n <= 128; n *= 2)
    {
      std::vector<double> lengths(n, 1. / n);
      lengths.insert(lengths.end(), 2 * n, 0.5 / n);
      const auto nested = parameters(Clocks::nested, ratio), one = parameters(Clocks::one, ratio);
      const Errors of_one = errors_of_wave(lengths, one, ClassBoundary::plain);
      plain.push_back(errors_of_wave(lengths, nested, ClassBoundary::plain));
      filtered.push_back(errors_of_wave(lengths, nested, ClassBoundary::filtered));
      EXPECT_LT(filtered.back().u, 1.25 * of_one.u) << ratio << " " << n;
      EXPECT_LT(filtered.back().v, 4 * of_one.v) << ratio << " " << n;
    }
    const auto order = [](const std::vector<Errors> &errors, double Errors::*of)
    { return std::log2(errors[errors.size() - 2].*of / errors.back().*of); };
    EXPECT_LT(order(plain, &Errors::u), 1.1);
    EXPECT_GT(order(filtered, &Errors::u), 1.85);
    EXPECT_GT(order(filtered, &Errors::v), 1.4);
  }
}

// The longer steps are, the more sweeps; what they cost is told before.
TEST(ClassBoundaries, SweepsAreChosenAndForeseen)
{
  unsigned int before = 0;
  for (const double ratio : {0.1, 0.5, 0.9})
  {
    StepperParameters p = parameters(Clocks::nested, ratio);
    p.class_boundary = ClassBoundary::filtered;
    Chain chain(p, 200, 1000);
    chain.stepper.start();
    const unsigned int n_sweeps = chain.stepper.n_sweeps();
    const double rate = chain.stepper.sweep_rate();
    EXPECT_GE(n_sweeps, before);
    before = n_sweeps;
    const double time = 50;
    chain.stepper.advance_to(time);
    const auto statistics = chain.stepper.kick_statistics();
    ASSERT_EQ(statistics.back().name, "class boundaries");
    EXPECT_GT(rate, 0);
    EXPECT_NEAR(statistics.back().count, rate * time, 0.02 * rate * time);
    EXPECT_EQ(statistics.back().count % n_sweeps, 0u);
  }
  Chain chain(plain(parameters(Clocks::nested)));
  chain.stepper.start();
  EXPECT_EQ(chain.stepper.n_sweeps(), 0u);
  EXPECT_EQ(chain.stepper.sweep_rate(), 0);
  EXPECT_EQ(chain.stepper.kick_statistics().size(), 1u);
}

// As with plain boundaries: no force acts from outside, and no energy comes or goes in the long
// run.
TEST(ClassBoundaries, MomentaAndEnergyAreKept)
{
  for (const double ratio : {0.5, 0.9})
  {
    auto p = parameters(Clocks::nested, ratio);
    p.class_boundary = ClassBoundary::filtered;
    Chain chain(p, 30, 100);
    Tensor<1, 2> momentum;
    for (unsigned int i = 0; i < chain.nodes.size(); ++i)
      momentum += chain.nodes.mass(i) * chain.nodes.velocity(i);
    chain.stepper.start();
    const TimeLevels &levels = chain.stepper.levels();
    double lowest[2], largest[2];
    double time = 0;
    for (unsigned int part = 0; part < 2; ++part)
    {
      lowest[part] = 1e9;
      largest[part] = 0;
      for (unsigned int i = 0; i < 5000; ++i)
      {
        time = levels.next_common_instant(levels.classes().n_classes - 1, time * (1 + 1e-12));
        chain.stepper.advance_to(time);
        const auto state = chain.stepper.snapshot(time);
        const double energy = chain.stepper.energy(state).total();
        lowest[part] = std::min(lowest[part], energy);
        largest[part] = std::max(largest[part], energy);
      }
    }
    Tensor<1, 2> now;
    const auto state = chain.stepper.snapshot(time);
    for (unsigned int i = 0; i < state.size(); ++i)
      now += state.mass(i) * state.velocity(i);
    EXPECT_LT((now - momentum).norm(), 1e-12);
    EXPECT_NEAR(lowest[1], lowest[0], 0.1 * (largest[0] - lowest[0]));
    EXPECT_NEAR(largest[1], largest[0], 0.1 * (largest[0] - lowest[0]));
  }
}

// Where kicks change their classes all is found as if it were found anew.
TEST(SharedNodes, FollowChangesOfClasses)
{
  std::mt19937 random(11);
  Chain chain(parameters(Clocks::nested, 0.5), 200, 1000);
  chain.stepper.start();
  const TimeLevels &levels = chain.stepper.levels();
  KickFamilies<2> families;
  families.add({chain.links, KickRole::own_clock, 0, {}, {}, 0, 0.});
  families.assign_clocks(levels, chain.nodes);
  SharedNodes<2> followed(families);
  followed.find(levels, chain.nodes.size());

  const auto clocks = [&]
  {
    std::vector<unsigned int> result;
    for (unsigned int id = 0; id < levels.n_kicks(); ++id)
      result.push_back(levels.clock_of_kick(id));
    return result;
  };
  unsigned int n_changes = 0;
  for (unsigned int run = 0; run < 100; ++run)
  {
    const auto old = clocks();
    const unsigned int id =
        std::uniform_int_distribution<unsigned int>(0, levels.n_kicks() - 1)(random);
    const double time =
        chain.stepper.time() + 3 * levels.classes().step(levels.classes().n_classes - 1);
    chain.stepper.promote(id, levels.classes().n_classes / 2, time);
    chain.stepper.advance_to(chain.stepper.time() +
                             0.4 * levels.classes().step(levels.classes().n_classes - 1));
    const auto now = clocks();
    for (unsigned int k = 0; k < now.size(); ++k)
      if (now[k] != old[k])
      {
        followed.changed(k);
        ++n_changes;
      }
    std::vector<unsigned int> versions_before;
    for (unsigned int c = 0; c < levels.classes().n_classes; ++c)
      versions_before.push_back(followed.version(c));
    SharedNodes<2> before_update = followed;
    followed.update(levels);
    SharedNodes<2> anew(families);
    anew.find(levels, chain.nodes.size());
    for (unsigned int node = 0; node < chain.nodes.size(); ++node)
    {
      EXPECT_EQ(followed.is_shared(node), anew.is_shared(node));
      EXPECT_EQ(followed.finest(0, node), anew.finest(0, node));
    }
    const auto numbers = [](const std::vector<KickOfFamily> &kicks)
    {
      std::vector<unsigned int> result;
      for (const KickOfFamily &kick : kicks)
        result.push_back(kick.kick);
      return result;
    };
    for (unsigned int c = 0; c < levels.classes().n_classes; ++c)
    {
      EXPECT_EQ(numbers(followed.kicks(c)), numbers(anew.kicks(c)));
      if (numbers(followed.kicks(c)) != numbers(before_update.kicks(c)))
      {
        EXPECT_NE(followed.version(c), versions_before[c]);
      }
    }
  }
  EXPECT_GT(n_changes, 50u);
}
