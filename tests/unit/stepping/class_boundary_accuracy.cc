// Bars whose links have several step classes: at rest, and with a standing wave.

#include <deal.II/base/numbers.h>

#include <gtest/gtest.h>

#include "chain.h"

#include <random>
#include <utility>

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

namespace
{
/**
 * The local time stepping of linear waves by Diaz & Grote (2009), with many levels as Rietmann et
 * al. (2017): second order, not symplectic. A node belongs to the finest class of its links; what
 * coarser nodes do to it stays as it is within a step of theirs.
 */
class LeapfrogLocalTimeStepping
{
public:
  explicit LeapfrogLocalTimeStepping(const Bar &bar) : links(bar.links->links)
  {
    const TimeLevels &levels = bar.stepper->levels();
    top = levels.classes().n_classes - 1;
    step = levels.classes().step(top);
    level.assign(bar.nodes.size(), top);
    for (unsigned int i = 0; i < bar.nodes.size(); ++i)
    {
      u.push_back(bar.nodes.displacement(i)[0]);
      mass.push_back(bar.nodes.mass(i));
    }
    for (unsigned int k = 0; k < links.size(); ++k)
      for (const unsigned int node : {links[k].i, links[k].j})
        level[node] = std::min(level[node], levels.clock_of_kick(k));
  }

  /// Displacements at @p time, if the bar was at rest at zero.
  const std::vector<double> &
  advance_to(const double time)
  {
    std::vector<double> before = u;
    const unsigned int n_steps = std::lround(time / step);
    u = from_rest(u, top, std::vector<double>(u.size(), 0.), step);
    for (unsigned int n = 1; n < n_steps; ++n)
    {
      const std::vector<double> next = mirrored(from_rest(u, top, {}, step), before);
      before = std::exchange(u, next);
    }
    return u;
  }

private:
  static std::vector<double>
  mirrored(std::vector<double> at, const std::vector<double> &other)
  {
    for (unsigned int i = 0; i < at.size(); ++i)
      at[i] = 2 * at[i] - other[i];
    return at;
  }

  /// Of the displacements of nodes of one level alone.
  void
  add_acceleration(const std::vector<double> &x, const unsigned int of_level,
                   std::vector<double> &acceleration) const
  {
    acceleration.resize(x.size(), 0.);
    for (const auto &link : links)
    {
      const double xi = level[link.i] == of_level ? x[link.i] : 0.;
      const double xj = level[link.j] == of_level ? x[link.j] : 0.;
      acceleration[link.i] += link.stiffness * (xj - xi) / mass[link.i];
      acceleration[link.j] -= link.stiffness * (xj - xi) / mass[link.j];
    }
  }

  /// After @p dt from rest at @p x, with the @p acceleration by coarser nodes: an even function of
  /// time, so the second of two shorter steps mirrors.
  std::vector<double>
  from_rest(const std::vector<double> &x, const unsigned int of_level,
            std::vector<double> acceleration, const double dt) const
  {
    add_acceleration(x, of_level, acceleration);
    if (of_level > 0)
      return mirrored(from_rest(from_rest(x, of_level - 1, acceleration, dt / 2), of_level - 1,
                                acceleration, dt / 2),
                      x);
    std::vector<double> result = x;
    for (unsigned int i = 0; i < x.size(); ++i)
      result[i] += 0.5 * dt * dt * acceleration[i];
    return result;
  }

  const std::vector<LinearNetwork<2>::Link> &links;
  std::vector<double> u, mass;
  std::vector<unsigned int> level; // of nodes
  unsigned int top;
  double step;
};

/// Displacements of a standing wave at @p time.
std::vector<double>
standing_wave(Bar &bar, const double time)
{
  bar.stepper->advance_to(time);
  const auto state = bar.stepper->snapshot(time);
  std::vector<double> u;
  for (unsigned int i = 0; i < state.size(); ++i)
    u.push_back(state.displacement(i)[0]);
  return u;
}
} // namespace

// Hardly less exact in time than the best local time stepping of linear waves, on the same mesh
// with the same classes.
TEST(ClassBoundaries, BesideLeapfrogLocalTimeStepping)
{
  for (const bool graded : {false, true})
    for (const double ratio : {0.5, 0.75})
      for (const unsigned int n : {16, 32, 64, 128})
      {
        std::vector<double> lengths;
        for (unsigned int i = 0; i < n; ++i)
        {
          const auto place = [&](const double xi) { return 0.15 * xi + 0.85 * xi * xi * xi; };
          lengths.push_back(graded ? place((i + 1.) / n) - place(double(i) / n)
                                   : (i < 2 * n / 3 ? 0.75 : 1.5) / n);
        }
        double length = 0;
        for (const double one : lengths)
          length += one;
        const auto shape = [length](const double x) { return std::cos(pi * x / length); };
        Bar plain(lengths, parameters(Clocks::nested, ratio), ClassBoundary::plain, shape);
        Bar filtered(lengths, parameters(Clocks::nested, ratio), ClassBoundary::filtered, shape);
        Bar one(lengths, parameters(Clocks::one, ratio), ClassBoundary::plain, shape);
        Bar exact(lengths, parameters(Clocks::one, ratio / 32), ClassBoundary::plain, shape);
        for (Bar *bar : {&plain, &filtered, &one, &exact})
          bar->stepper->start();
        LeapfrogLocalTimeStepping rival(filtered);
        const double time = filtered.common_instant(0.7 * length);
        const std::vector<double> right = standing_wave(exact, time);
        const auto error = [&](const std::vector<double> &u)
        {
          double sum = 0;
          for (unsigned int i = 0; i < u.size(); ++i)
            sum += exact.nodes.mass(i) / length * (u[i] - right[i]) * (u[i] - right[i]);
          return std::sqrt(sum);
        };
        const double of_filtered = error(standing_wave(filtered, time));
        const double of_rival = error(rival.advance_to(time));
        EXPECT_LT(of_filtered, 1.75 * of_rival) << graded << " " << ratio << " " << n;
        EXPECT_GT(error(standing_wave(plain, time)), 4 * of_rival);
        EXPECT_GT(of_rival, error(standing_wave(one, time)));
      }
}
