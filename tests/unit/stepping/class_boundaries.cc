// What kicks see of nodes that they share with finer classes.

#include <kickdrift/stepping/boundaries/class_boundaries.h>

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
/// Kicks of three nodes each, with a link between every two of them.
class Triangles final : public LinearNetwork<2>
{
public:
  unsigned int
  n_kicks() const override
  {
    return links.size() / 3;
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {links[3 * k].i, links[3 * k + 1].i, links[3 * k + 2].i};
  }
  void
  nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const override
  {
    stiffness.resize(3);
    for (const unsigned int i : {0, 1, 2})
      stiffness[i] = links[3 * k + i].stiffness + links[3 * k + (i + 2) % 3].stiffness;
  }
  void
  own_masses(const unsigned int k, std::vector<double> &masses) const override
  {
    masses.resize(3);
    for (const unsigned int i : {0, 1, 2})
      masses[i] = links[3 * k + i].masses[0] + links[3 * k + (i + 2) % 3].masses[1];
  }
  void
  kick(NodeTable<2> &nodes, const unsigned int clock, const double time,
       const double step) const override
  {
    for (const unsigned int k : kicks_of_clock[clock])
      for (const unsigned int i : {0, 1, 2})
        kick_one(nodes, 3 * k + i, time, step);
  }
  void
  force(const NodeTable<2> &nodes, const unsigned int k, const double time,
        std::vector<Vector> &force) const override
  {
    force.assign(3, Vector());
    std::vector<Vector> of_link;
    for (const unsigned int i : {0, 1, 2})
    {
      LinearNetwork<2>::force(nodes, 3 * k + i, time, of_link);
      force[i] += of_link[0];
      force[(i + 1) % 3] += of_link[1];
    }
  }
};

} // namespace

// Beside finer classes (I + c/m K) x^ = x for the nodes of both, with the stiffness K of the class;
// solved by elimination here.
TEST(ClassBoundaries, PositionsSolveTheEnvelope)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto vector = [&] { return Point<2>(number(random), number(random)); };
  unsigned int n_shifted = 0, n_uncoupled = 0;
  double sum = 0, accelerated_sum = 0;
  for (unsigned int run = 0; run < 50; ++run)
  {
    // a grid of triangles that are lighter to the right, with stiff links along columns: these
    // couple what is shifted where classes meet, in every other run
    const double along_columns = run % 2 == 0 ? 40 : 0;
    constexpr unsigned int n_rows = 5, n_nodes = 8 * n_rows;
    NodeTable<2> nodes;
    auto triangles = std::make_shared<Triangles>();
    std::vector<double> mass(n_nodes, 0.);
    for (unsigned int i = 0; i + n_rows < n_nodes; ++i)
      if (i % n_rows + 1 < n_rows)
        for (const unsigned int third : {i + 1, i + n_rows})
        {
          const unsigned int opposite = i + n_rows + 1;
          const double own = std::exp2(number(random) - 1. * (i / n_rows));
          for (const auto &[j, k] :
               {std::pair(i, opposite), std::pair(opposite, third), std::pair(third, i)})
          {
            const bool is_along_column = std::max(j, k) - std::min(j, k) == 1;
            triangles->add(j, k, (is_along_column ? along_columns : 1) * std::exp2(number(random)),
                           0.5 * own, 0.5 * own);
          }
          for (const unsigned int node : {i, third, opposite})
            mass[node] += own;
        }
    for (unsigned int i = 0; i < n_nodes; ++i)
    {
      nodes.add(Point<2>(i / n_rows, i % n_rows), mass[i]);
      nodes.set_displacement(i, vector());
      nodes.set_velocity(i, vector());
    }
    const Point<2> held = vector();
    for (unsigned int i = 0; i < n_nodes; i += 3)
      nodes.restraints.add(i, held);
    StepperParameters p = parameters(Clocks::nested, 0.9);
    p.class_boundary = ClassBoundary::filtered;
    Stepper<2> stepper(nodes, p);
    stepper.add(triangles);
    stepper.start();
    const TimeLevels &levels = stepper.levels();
    const auto class_of = [&](const unsigned int k) { return levels.clock_of_kick(k); };
    KickFamilies<2> families;
    families.add({triangles, KickRole::own_clock, 0, {}, {}, 0, 0.});
    ClassBoundaries<2> boundaries(families), accelerated(families);
    {
      NodeTable<2> at_start = nodes;
      accelerated.choose_sweeps(at_start, levels);
      EXPECT_TRUE(same_bits(at_start, nodes));
    }
    const double time = 0.1;
    NodeTable<2> before = nodes;
    for (unsigned int i = 0; i < n_nodes; ++i)
      before[i].drift(time);
    for (unsigned int c = 0; c < levels.classes().n_classes; ++c)
    {
      std::vector<unsigned int> finest(n_nodes, c);
      std::vector<char> is_of_class(n_nodes, 0);
      for (unsigned int k = 0; k < triangles->n_kicks(); ++k)
        for (const unsigned int node : triangles->support(k))
        {
          finest[node] = std::min(finest[node], class_of(k));
          is_of_class[node] = is_of_class[node] || class_of(k) == c;
        }
      // x^ - P c/m f(x^) = x by component
      bool are_coupled = false; // otherwise a sweep is exact
      dealii::FullMatrix<double> matrix(2 * n_nodes, 2 * n_nodes);
      dealii::Vector<double> x(2 * n_nodes), solution(2 * n_nodes);
      for (unsigned int i = 0; i < n_nodes; ++i)
        for (unsigned int d = 0; d < 2; ++d)
        {
          matrix(2 * i + d, 2 * i + d) = 1;
          x(2 * i + d) = before.displacement(i)[d];
        }
      for (unsigned int link = 0; link < triangles->links.size(); ++link)
        for (const bool swapped : {false, true})
        {
          const auto &[i, j, stiffness, masses] = triangles->links[link];
          const unsigned int node = swapped ? j : i, other = swapped ? i : j;
          if (class_of(link / 3) != c || finest[node] == c)
            continue;
          are_coupled = are_coupled || (finest[other] < c && stiffness > 0);
          const double H = levels.classes().step(c), H0 = levels.classes().step(finest[node]);
          const double factor = (H * H / 12 + H0 * H0 / 6) / mass[node] * stiffness;
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
      EXPECT_LE(error, 0.01 * size) << run << " " << c; // two sweeps that are not accelerated
      NodeTable<2> closer = nodes;
      accelerated.shift(closer, levels, c, time);
      double closer_error = 0;
      for (unsigned int i = 0; i < n_nodes; ++i)
        if (is_of_class[i] && finest[i] < c)
        {
          const Point<2> exact(solution(2 * i), solution(2 * i + 1));
          closer_error = std::max(closer_error, (closer.displacement(i) - exact).norm());
        }
      EXPECT_LE(closer_error, (are_coupled ? 0.005 : 1e-12) * size) << run << " " << c;
      n_uncoupled += size > 0 && !are_coupled;
      if (size > 0)
      {
        sum += error / size;
        accelerated_sum += closer_error / size;
      }
      boundaries.restore(shifted, c);
      for (unsigned int i = 0; i < n_nodes; ++i)
        if (shifted[i].time == time)
          EXPECT_EQ(shifted.displacement(i), before.displacement(i));
        else
          EXPECT_EQ(shifted.displacement(i), nodes.displacement(i));
    }
  }
  EXPECT_GT(n_shifted, 100u);
  EXPECT_GT(n_uncoupled, 5u);
  EXPECT_LT(accelerated_sum, 0.8 * sum); // half of it in the worst case
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
  const Chain twin(parameters(Clocks::nested, 0.5), 200, 1000); // a family is in one run only
  chain.stepper.start();
  const TimeLevels &levels = chain.stepper.levels();
  KickFamilies<2> families;
  families.add({twin.links, KickRole::own_clock, 0, {}, {}, 0, 0.});
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
