// Impulses of contacts between free nodes, restrained ones and those of rigid bodies.

#include <kickdrift/contact/response/impulse_solver.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;
using Vector = dealii::Tensor<1, 3>;

namespace
{
class Mixed : public testing::Test
{
protected:
  double
  number(const double low, const double high)
  {
    return low + (high - low) * uniform(random);
  }

  Vector
  vector()
  {
    return Vector({number(-1, 1), number(-1, 1), number(-1, 1)});
  }

  /// Free and restrained nodes, and rigid tetrahedra among them.
  void
  make_nodes()
  {
    table = NodeTable<3>();
    for (unsigned int node = 0; node < n_nodes; ++node)
      table.add(dealii::Point<3>(vector()), number(0.5, 2));
    for (const unsigned int first : {3, 10})
    {
      RigidMass mass;
      mass.mass = number(1, 4);
      mass.centre = dealii::Point<3>(vector());
      for (unsigned int d = 0; d < 3; ++d)
        mass.inertia[d][d] = mass.mass * number(0.1, 0.15);
      table.rigid_bodies.add(table, "tetrahedron", {first, first + 1, first + 2, first + 3}, mass);
    }
    for (unsigned int node = 0; node < n_nodes; ++node)
    {
      if (table.is_rigid(node))
        continue;
      if (node % 4 == 0)
        table.restraints.add(node, vector());
      table.set_velocity(node, table.restraints.project(node, vector()));
    }
  }

  ContactStencil<3>
  stencil()
  {
    ContactStencil<3> result;
    std::vector<unsigned int> nodes(n_nodes);
    for (unsigned int node = 0; node < n_nodes; ++node)
      nodes[node] = node;
    std::shuffle(nodes.begin(), nodes.end(), random);
    result.add(nodes[0], 1);
    for (unsigned int i = 1; i < 4; ++i)
      result.add(nodes[i], number(-0.5, -0.2));
    result.normal = vector();
    result.normal /= result.normal.norm();
    result.target_velocity = 0.1 * vector();
    return result;
  }

  static constexpr unsigned int n_nodes = 16;
  NodeTable<3> table;
  std::mt19937 random{3};
  std::uniform_real_distribution<double> uniform{0, 1};
};
} // namespace

/// The laws of contact hold for the velocities that the table has once it got the impulses.
TEST_F(Mixed, impulses_obey_the_laws_of_contact)
{
  unsigned int n_open = 0, n_stick = 0, n_slip = 0, n_at_least = 0, n_unsolved = 0;
  for (unsigned int run = 0; run < 200; ++run)
  {
    make_nodes();
    ImpulseSolver<3> solver(table, {1e-10, 1000});
    solver.add(stencil(), {1, 1, 0});
    solver.clear(); // what was there before does not matter
    const double friction = run % 3 == 0 ? 0 : number(0, 1); // more may jam
    std::vector<ContactStencil<3>> stencils;
    std::vector<double> wanted, least;
    double largest_rate = 0;
    for (unsigned int c = 0; c < 5; ++c)
    {
      stencils.push_back(stencil());
      wanted.push_back(number(-0.2, 0.2));
      const auto inverse_mass = stencils[c].inverse_mass_tensor(table);
      solver.add(stencils[c], {stencils[c].inverse_mass(table), trace(inverse_mass), friction});
      solver.set_wanted(c, wanted[c]);
      largest_rate =
          std::max(largest_rate, wanted[c] - stencils[c].normal * solver.relative_velocity(c));
      least.push_back(run % 2 == 0 || c == 2 ? 0 : number(0, 0.3));
      if (least[c] > 0)
        solver.set_least(c, least[c]);
      if (c % 2 == 0)
        solver.set_start(c, 0.1, Vector());
    }
    n_unsolved += solver.find_impulses();
    for (unsigned int c = 0; c < stencils.size(); ++c)
      stencils[c].apply(table, solver.normal_impulse(c), solver.tangential_impulse(c));
    for (unsigned int c = 0; c < stencils.size(); ++c)
    {
      const Vector rate = stencils[c].relative_velocity([&](const unsigned int node)
                                                        { return table.momentary_velocity(node); });
      ASSERT_LT((rate - solver.relative_velocity(c)).norm(), 1e-12);
      const double p = solver.normal_impulse(c), normal = rate * stencils[c].normal;
      const Vector t = solver.tangential_impulse(c), slip = rate - normal * stencils[c].normal;
      ASSERT_GE(p, least[c]);
      n_at_least += least[c] > 0 && p == least[c];
      ASSERT_GE(normal, wanted[c] - 1e-7);
      ASSERT_NEAR((p - least[c]) * (normal - wanted[c]), 0, 1e-7) << "what bears does not open";
      ASSERT_NEAR(t * stencils[c].normal, 0, 1e-12);
      ASSERT_LE(t.norm(), friction * p + 1e-12);
      if (p == 0)
        ++n_open;
      else if (solver.sticks(c))
      {
        ASSERT_LT(slip.norm(), 1e-6);
        ++n_stick;
      }
      else if (friction > 0)
      {
        ASSERT_NEAR((slip.norm() * t + friction * p * slip).norm(), 0, 1e-6);
        ++n_slip;
      }
    }
    unsigned int n_moving = 0, n_free = 0;
    solver.for_each_moving(
        [&](const unsigned int node)
        {
          ++n_moving;
          n_free += !table.is_rigid(node);
        });
    ASSERT_LE(n_moving, n_free + 2) << "a rigid body once";
  }
  EXPECT_EQ(n_unsolved, 0u);
  EXPECT_GT(n_open, 50u);
  EXPECT_GT(n_stick, 30u);
  EXPECT_GT(n_slip, 50u);
  EXPECT_GT(n_at_least, 50u);
}

/// Contacts that share nothing that moves are solved by themselves: each gets the impulse that it
/// would get alone, bit by bit.
TEST_F(Mixed, islands_do_not_know_each_other)
{
  for (unsigned int run = 0; run < 20; ++run)
  {
    make_nodes();
    const auto on_nodes = [&](const unsigned int first, const unsigned int second)
    {
      ContactStencil<3> result;
      result.add(first, 1);
      result.add(second, -1);
      result.normal = vector();
      result.normal /= result.normal.norm();
      return result;
    };
    // a chain of nodes, and two contacts of a rigid body with another node
    std::vector<ContactStencil<3>> stencils{on_nodes(1, 2), on_nodes(3, 7), on_nodes(2, 9),
                                            on_nodes(7, 5)};
    const auto solve = [&](const std::vector<unsigned int> &numbers)
    {
      ImpulseSolver<3> solver(table, {1e-10, 1000});
      for (unsigned int i = 0; i < numbers.size(); ++i)
      {
        const auto &stencil = stencils[numbers[i]];
        solver.add(stencil,
                   {stencil.inverse_mass(table), trace(stencil.inverse_mass_tensor(table)), 0.3});
        solver.set_wanted(i, 1);
      }
      solver.find_impulses();
      std::vector<double> result;
      for (unsigned int i = 0; i < numbers.size(); ++i)
        result.push_back(solver.normal_impulse(i));
      return result;
    };
    const auto all = solve({0, 1, 2, 3});
    EXPECT_EQ(solve({0, 2}), std::vector<double>({all[0], all[2]}));
    EXPECT_EQ(solve({1, 3}), std::vector<double>({all[1], all[3]}));
  }
}

/// A rigid body on many contacts with a floor, pushed and turned: sweeps alone would need
/// thousands.
TEST_F(Mixed, many_contacts_of_a_rigid_body)
{
  for (unsigned int run = 0; run < 20; ++run)
  {
    table = NodeTable<3>();
    std::vector<unsigned int> of_body;
    constexpr unsigned int n = 8;
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
      {
        of_body.push_back(table.size());
        table.add(dealii::Point<3>(i, j, 0), 1);
      }
    const unsigned int floor = table.size();
    table.add(dealii::Point<3>(), 1);
    for (unsigned int d = 0; d < 3; ++d)
    {
      Vector direction;
      direction[d] = 1;
      table.restraints.add(floor, direction);
    }
    RigidMass mass;
    mass.mass = 1;
    mass.centre = dealii::Point<3>(0.5 * (n - 1), 0.5 * (n - 1), number(0, 3));
    for (unsigned int d = 0; d < 3; ++d)
      mass.inertia[d][d] = number(9, 12);
    table.rigid_bodies.add(table, "plate", of_body, mass);
    Vector push = 0.3 * vector();
    push[2] = number(-1, -0.5);
    table.apply_impulse(of_body[n / 2 * n + n / 2], push);

    ImpulseSolver<3> solver(table, {1e-6, 100});
    std::vector<ContactStencil<3>> stencils;
    for (const unsigned int node : of_body)
    {
      ContactStencil<3> stencil;
      stencil.add(node, 1);
      stencil.add(floor, -1);
      stencil.normal[2] = 1;
      const double friction = run % 2 == 0 ? 0.8 : 0;
      // closely, and then without friction by a search for those that bear
      const double tolerance = run % 4 < 2 ? 0 : 1e-10;
      solver.add(stencil, {stencil.inverse_mass(table), trace(stencil.inverse_mass_tensor(table)),
                           friction, tolerance});
      stencils.push_back(stencil);
    }
    // as much as two corners are given back, whatever is needed
    const double given = run >= 10 ? 0.05 : 0;
    for (const unsigned int corner : {0u, n - 1})
      if (given > 0)
        solver.set_least(corner, given);
    EXPECT_EQ(solver.find_impulses(), 0u) << run;
    double sum = 0;
    for (unsigned int c = 0; c < stencils.size(); ++c)
    {
      const Vector rate = solver.relative_velocity(c);
      EXPECT_GE(rate[2], -1e-8);
      const double least = c == 0 || c == n - 1 ? given : 0;
      const double friction = run % 2 == 0 ? 0.8 : 0;
      EXPECT_GE(solver.normal_impulse(c), least);
      EXPECT_NEAR(rate[2] * (solver.normal_impulse(c) - least), 0, 1e-8);
      EXPECT_LE(solver.tangential_impulse(c).norm(), friction * solver.normal_impulse(c) + 1e-12);
      if (solver.normal_impulse(c) > 0 && !solver.sticks(c) && friction > 0)
      {
        EXPECT_NEAR(solver.tangential_impulse(c).norm(), friction * solver.normal_impulse(c), 1e-8);
      }
      sum += solver.normal_impulse(c);
    }
    EXPECT_GT(sum, 0.4);
  }
}
