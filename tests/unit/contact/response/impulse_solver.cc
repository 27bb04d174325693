// Sweeps over impulses between free nodes, restrained ones and those of rigid bodies.

#include <kickdrift/contact/response/impulse_sweeps.h>

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
  unsigned int n_open = 0, n_stick = 0, n_slip = 0;
  for (unsigned int run = 0; run < 200; ++run)
  {
    make_nodes();
    ImpulseSweeps<3> sweeps(table, {1e-10, 1000});
    sweeps.add(stencil(), {1, 1, 0});
    sweeps.clear(); // what was there before does not matter
    const double friction = run % 3 == 0 ? 0 : number(0, 1); // more may jam
    std::vector<ContactStencil<3>> stencils;
    std::vector<double> wanted;
    double largest_rate = 0;
    for (unsigned int c = 0; c < 5; ++c)
    {
      stencils.push_back(stencil());
      wanted.push_back(number(-0.2, 0.2));
      const auto inverse_mass = stencils[c].inverse_mass_tensor(table);
      sweeps.add(stencils[c], {stencils[c].inverse_mass(table), trace(inverse_mass), friction});
      sweeps.set_wanted(c, wanted[c]);
      largest_rate =
          std::max(largest_rate, wanted[c] - stencils[c].normal * sweeps.relative_velocity(c));
      if (c % 2 == 0)
        sweeps.start_with(c, 0.1, Vector());
    }
    sweeps.find_impulses(largest_rate);
    for (unsigned int c = 0; c < stencils.size(); ++c)
      stencils[c].apply(table, sweeps.normal_impulse(c), sweeps.tangential_impulse(c));
    for (unsigned int c = 0; c < stencils.size(); ++c)
    {
      const Vector rate = stencils[c].relative_velocity([&](const unsigned int node)
                                                        { return table.momentary_velocity(node); });
      ASSERT_LT((rate - sweeps.relative_velocity(c)).norm(), 1e-12);
      const double p = sweeps.normal_impulse(c), normal = rate * stencils[c].normal;
      const Vector t = sweeps.tangential_impulse(c), slip = rate - normal * stencils[c].normal;
      ASSERT_GE(p, 0);
      ASSERT_GE(normal, wanted[c] - 1e-7);
      ASSERT_NEAR(p * (normal - wanted[c]), 0, 1e-7) << "what bears does not open";
      ASSERT_NEAR(t * stencils[c].normal, 0, 1e-12);
      ASSERT_LE(t.norm(), friction * p + 1e-12);
      if (p == 0)
        ++n_open;
      else if (sweeps.sticks(c))
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
    sweeps.for_each_moving(
        [&](const unsigned int node)
        {
          ++n_moving;
          n_free += !table.is_rigid(node);
        });
    ASSERT_LE(n_moving, n_free + 2) << "a rigid body once";
  }
  EXPECT_GT(n_open, 50u);
  EXPECT_GT(n_stick, 30u);
  EXPECT_GT(n_slip, 50u);
}
