#include <kickdrift/contact/reference/coupled_response.h>

#include <deal.II/lac/full_matrix.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace KickDrift;
using dealii::FullMatrix;
using dealii::Point;
using dealii::Tensor;

namespace
{
/// Random contacts over a few nodes that they share, many of them redundant if there are more
/// contacts than velocities.
template <int dim>
class RandomSystem
{
public:
  using Vector = Tensor<1, dim>;

  explicit RandomSystem(const unsigned int seed) : random(seed) {}

  void
  make(const unsigned int n_nodes, const unsigned int n_contacts, const double share_restrained)
  {
    for (unsigned int node = 0; node < n_nodes; ++node)
    {
      table.add(Point<dim>(vector()), 0.1 + std::abs(uniform(random)));
      if (std::abs(uniform(random)) < share_restrained)
        table.restraints.add(node, vector());
      table.set_velocity(node, table.restraints.project(node, vector()));
    }
    std::vector<unsigned int> all(n_nodes);
    std::iota(all.begin(), all.end(), 0);
    for (unsigned int c = 0; c < n_contacts; ++c)
    {
      std::shuffle(all.begin(), all.end(), random);
      ContactStencil<dim> stencil;
      stencil.normal = vector();
      stencil.normal /= stencil.normal.norm();
      const double weight = 0.5 + 0.4 * uniform(random);
      stencil.add(all[0], 1);
      stencil.add(all[1], -weight);
      stencil.add(all[2], weight - 1);
      stencils.push_back(stencil);
    }
  }

  /// The same constraint again, seen from the other side: its multiple changes nothing.
  void
  repeat(const unsigned int contact)
  {
    ContactStencil<dim> stencil = stencils[contact];
    stencil.normal *= -1;
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      stencil.coefficients[i] *= -1;
    stencils.push_back(stencil);
  }

  /// A = G^T W G, densely, column by column: what unit impulses do to the rates.
  FullMatrix<double>
  dense() const
  {
    const unsigned int n = stencils.size();
    FullMatrix<double> A(n, n);
    for (unsigned int j = 0; j < n; ++j)
    {
      NodeTable<dim> pushed = table;
      for (unsigned int node = 0; node < table.size(); ++node)
        pushed.set_velocity(node, Vector());
      stencils[j].apply(pushed, 1.);
      for (unsigned int i = 0; i < n; ++i)
        A(i, j) = rate(stencils[i], pushed);
    }
    return A;
  }

  static double
  rate(const ContactStencil<dim> &stencil, const NodeTable<dim> &nodes)
  {
    return stencil.normal *
           stencil.relative_velocity([&](const unsigned int node) { return nodes.velocity(node); });
  }

  std::vector<double>
  rates() const
  {
    std::vector<double> result;
    for (const auto &stencil : stencils)
      result.push_back(rate(stencil, table));
    return result;
  }

  double
  energy() const
  {
    double e = 0;
    for (unsigned int i = 0; i < table.size(); ++i)
      e += 0.5 * table.mass(i) * table.velocity(i).norm_square();
    return e;
  }

  Vector
  momentum() const
  {
    Vector p;
    for (unsigned int i = 0; i < table.size(); ++i)
      p += table.mass(i) * table.velocity(i);
    return p;
  }

  NodeTable<dim> table;
  std::vector<ContactStencil<dim>> stencils;

private:
  Vector
  vector()
  {
    Vector v;
    for (unsigned int d = 0; d < dim; ++d)
      v[d] = uniform(random);
    return v;
  }

  std::mt19937 random;
  std::uniform_real_distribution<double> uniform{-1, 1};
};

double
largest(const std::vector<double> &values)
{
  double result = 0;
  for (const double value : values)
    result = std::max(result, std::abs(value));
  return result;
}

/// The optimality conditions leave only one set of velocities. Returns how many contacts bear.
template <int dim>
unsigned int
check(const RandomSystem<dim> &contacts)
{
  CoupledResponse<dim> system;
  system.assemble(contacts.table, contacts.stencils);
  const auto A = contacts.dense();
  const auto r = contacts.rates();
  const unsigned int n = r.size();
  const auto multipliers = system.solve(r);
  const double scale = largest(r), impulse = largest(multipliers);

  const auto product = system.apply(multipliers);
  unsigned int n_active = 0;
  for (unsigned int i = 0; i < n; ++i)
  {
    double after = r[i];
    for (unsigned int j = 0; j < n; ++j)
      after += A(i, j) * multipliers[j];
    EXPECT_NEAR(after, r[i] + product[i], 1e-12 * (1 + impulse));
    EXPECT_GT(after, -1e-8 * scale);
    EXPECT_GE(multipliers[i], 0);
    if (multipliers[i] > 1e-8 * impulse)
    {
      EXPECT_NEAR(after, 0, 1e-8 * scale);
      ++n_active;
    }
  }
  return n_active;
}
} // namespace

TEST(CoupledResponse, lets_nothing_approach)
{
  unsigned int n_active = 0;
  for (unsigned int seed = 0; seed < 100; ++seed)
  {
    SCOPED_TRACE(seed);
    RandomSystem<2> plane(seed);
    plane.make(8, 3 + seed % 9, 0.2);
    check(plane);
    RandomSystem<3> space(seed);
    space.make(10, 3 + seed % 17, 0.3);
    n_active += check(space);
  }
  EXPECT_GT(n_active, 400u);
}

TEST(CoupledResponse, redundant_constraints_change_no_velocity)
{
  for (unsigned int seed = 0; seed < 50; ++seed)
  {
    SCOPED_TRACE(seed);
    RandomSystem<3> once(seed);
    once.make(9, 8, 0.2);
    RandomSystem<3> twice = once;
    for (unsigned int c = 0; c < 8; c += 1 + seed % 2)
      twice.repeat(c);
    check(twice);
    CoupledResponse<3> first, second;
    first.assemble(once.table, once.stencils);
    second.assemble(twice.table, twice.stencils);
    const auto p = first.solve(once.rates()), q = second.solve(twice.rates());
    for (unsigned int i = 0; i < 8; ++i)
      once.stencils[i].apply(once.table, p[i]);
    for (unsigned int i = 0; i < twice.stencils.size(); ++i)
      twice.stencils[i].apply(twice.table, q[i]);
    for (unsigned int node = 0; node < 9; ++node)
      EXPECT_NEAR((once.table.velocity(node) - twice.table.velocity(node)).norm(), 0, 1e-7);
  }
}

TEST(CoupledResponse, twice_the_impulses_conserve_energy_and_momentum)
{
  for (unsigned int seed = 0; seed < 50; ++seed)
  {
    SCOPED_TRACE(seed);
    RandomSystem<3> contacts(seed);
    contacts.make(9, 12, 0);
    const double energy = contacts.energy();
    const auto momentum = contacts.momentum();
    CoupledResponse<3> system;
    system.assemble(contacts.table, contacts.stencils);
    const auto multipliers = system.solve(contacts.rates());
    for (unsigned int i = 0; i < contacts.stencils.size(); ++i)
      contacts.stencils[i].apply(contacts.table, 2 * multipliers[i]);
    EXPECT_NEAR((contacts.momentum() - momentum).norm(), 0, 1e-12);
    EXPECT_NEAR(contacts.energy(), energy, 1e-8 * energy);
  }
}

TEST(CoupledResponse, a_chain_of_equal_balls_stops_as_one)
{
  // the first of three balls in touch has velocity one: all get a third
  NodeTable<2> table;
  std::vector<ContactStencil<2>> stencils;
  for (unsigned int i = 0; i < 3; ++i)
    table.add(Point<2>(i, 0), 2.);
  table.set_velocity(0, Tensor<1, 2>({1, 0}));
  for (unsigned int i = 0; i < 2; ++i)
  {
    ContactStencil<2> stencil;
    stencil.normal = Tensor<1, 2>({1, 0}); // of the left one, towards the right one
    stencil.add(i + 1, 1);
    stencil.add(i, -1);
    stencils.push_back(stencil);
  }
  CoupledResponse<2> system;
  system.assemble(table, stencils);
  const auto multipliers = system.solve({-1, 0});
  EXPECT_NEAR(multipliers[0], 4. / 3, 1e-9);
  EXPECT_NEAR(multipliers[1], 2. / 3, 1e-9);
}

TEST(CoupledResponse, large_groups_need_no_dense_matrix)
{
  // a long row of nodes, each against its neighbours in both directions
  RandomSystem<2> contacts(7);
  contacts.make(120, 0, 0.);
  std::vector<ContactStencil<2>> &stencils = contacts.stencils;
  for (unsigned int i = 0; i + 1 < 120; ++i)
    for (const double sign : {1., -1.})
    {
      ContactStencil<2> stencil;
      stencil.normal = Tensor<1, 2>({sign, 0.});
      stencil.add(i + 1, sign > 0 ? 1 : -1);
      stencil.add(i, sign > 0 ? -1 : 1);
      stencils.push_back(stencil);
    }
  check(contacts);
}
