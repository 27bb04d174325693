#include <kickdrift/contact/response/collision_response.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;
using dealii::FullMatrix;
using dealii::Tensor;

namespace
{
template <int dim>
class RandomContacts
{
public:
  using Vector = Tensor<1, dim>;

  Vector
  vector()
  {
    Vector v;
    for (unsigned int d = 0; d < dim; ++d)
      v[d] = uniform(random);
    return v;
  }

  double
  positive()
  {
    return 0.1 + std::abs(uniform(random));
  }

  /// A node against a face, n_restrained of its nodes restrained in random directions.
  void
  make(const unsigned int n_restrained)
  {
    table = NodeTable<dim>();
    stencil = ContactStencil<dim>();
    stencil.normal = vector();
    stencil.normal /= stencil.normal.norm();
    const unsigned int n_target = ContactStencil<dim>::max_nodes - 1;
    std::vector<double> weights(n_target);
    double sum = 0;
    for (double &w : weights)
      sum += w = positive();
    for (unsigned int i = 0; i <= n_target; ++i)
    {
      const unsigned int node = table.add(dealii::Point<dim>(vector()), positive());
      stencil.add(node, i == 0 ? 1 : -weights[i - 1] / sum);
      if (i < n_restrained)
        for (unsigned int k = 0; k <= random() % (dim - 1); ++k)
          table.restraints.add(node, vector());
      table.set_velocity(node, table.restraints.project(node, vector()));
    }
  }

  double
  rate() const
  {
    return stencil.normal *
           stencil.difference([&](const unsigned int node) { return table.velocity(node); });
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
  ContactStencil<dim> stencil;

private:
  std::mt19937 random{42};
  std::uniform_real_distribution<double> uniform{-1, 1};
};

template <int dim>
void
check_conservation(const double e)
{
  RandomContacts<dim> contacts;
  for (unsigned int run = 0; run < 500; ++run)
  {
    contacts.make(0);
    const double before = contacts.rate();
    const double energy = contacts.energy();
    const auto momentum = contacts.momentum();
    const double a = contacts.stencil.inverse_mass(contacts.table);
    contacts.stencil.apply(contacts.table, reflecting_impulse(before, a, e));
    EXPECT_NEAR(contacts.rate(), -e * before, 1e-13);
    EXPECT_NEAR((contacts.momentum() - momentum).norm(), 0, 1e-13);
    EXPECT_NEAR(energy - contacts.energy(), (1 - e * e) * before * before / (2 * a), 1e-13);
  }
}

/**
 * The block system of Wolff & Bucher (section 6.3): velocities after the collision minimise nothing
 * but satisfy M dv = grad g p + G r, grad g . v = -e grad g . v0, G^T dv = 0. Solved densely.
 */
template <int dim>
void
check_against_block_system(const double e)
{
  RandomContacts<dim> contacts;
  for (unsigned int run = 0; run < 300; ++run)
  {
    contacts.make(2);
    const auto &stencil = contacts.stencil;
    auto &table = contacts.table;
    std::vector<std::pair<unsigned int, Tensor<1, dim>>> restraints;
    for (unsigned int i = 0; i < table.size(); ++i)
    {
      // columns of I - P span the restrained directions
      for (unsigned int d = 0; d < dim; ++d)
      {
        Tensor<1, dim> unit;
        unit[d] = 1;
        const auto g = unit - table.restraints.project(i, unit);
        if (table.restraints.is_restrained(i) && g.norm() > 0.3 &&
            restraints.size() < table.size() * dim)
        {
          auto rest = g;
          for (const auto &[node, other] : restraints)
            if (node == i)
              rest -= (other * g) / other.norm_square() * other;
          if (rest.norm() > 1e-6)
            restraints.emplace_back(i, rest);
        }
      }
    }
    unsigned int n_directions = 0;
    for (unsigned int i = 0; i < table.size(); ++i)
      n_directions += table.restraints.n_directions(i);
    ASSERT_EQ(restraints.size(), n_directions);

    const unsigned int n = table.size() * dim, m = restraints.size();
    FullMatrix<double> block(n + 1 + m, n + 1 + m);
    dealii::Vector<double> rhs(n + 1 + m), solution(n + 1 + m);
    for (unsigned int i = 0; i < table.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
      {
        block(i * dim + d, i * dim + d) = table.mass(i);
        const double g = stencil.coefficients[i] * stencil.normal[d];
        block(n, i * dim + d) = g;
        block(i * dim + d, n) = -g;
      }
    for (unsigned int k = 0; k < m; ++k)
      for (unsigned int d = 0; d < dim; ++d)
      {
        block(n + 1 + k, restraints[k].first * dim + d) = restraints[k].second[d];
        block(restraints[k].first * dim + d, n + 1 + k) = -restraints[k].second[d];
      }
    rhs(n) = -(1 + e) * contacts.rate();
    block.gauss_jordan();
    block.vmult(solution, rhs);

    std::vector<Tensor<1, dim>> before;
    for (unsigned int i = 0; i < table.size(); ++i)
      before.push_back(table.velocity(i));
    stencil.apply(table, reflecting_impulse(contacts.rate(), stencil.inverse_mass(table), e));
    for (unsigned int i = 0; i < table.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
        EXPECT_NEAR(table.velocity(i)[d], before[i][d] + solution(i * dim + d), 1e-10);
  }
}
} // namespace

TEST(CollisionResponse, conserves_2d)
{
  check_conservation<2>(1);
}
TEST(CollisionResponse, conserves_3d)
{
  check_conservation<3>(1);
}
TEST(CollisionResponse, restitution_loses_what_it_says)
{
  check_conservation<3>(0.6);
}
TEST(CollisionResponse, equals_the_block_formula_2d)
{
  check_against_block_system<2>(1);
}
TEST(CollisionResponse, equals_the_block_formula_3d)
{
  check_against_block_system<3>(0.5);
}

TEST(CollisionResponse, reaction_of_restraints_is_the_missing_momentum)
{
  RandomContacts<3> contacts;
  for (unsigned int run = 0; run < 100; ++run)
  {
    contacts.make(2);
    const auto before = contacts.momentum();
    contacts.stencil.apply(contacts.table, 0.7);
    Tensor<1, 3> reaction;
    for (unsigned int i = 0; i < contacts.table.size(); ++i)
      reaction += contacts.table.restraints.reaction(i);
    EXPECT_NEAR((contacts.momentum() - before - reaction).norm(), 0, 1e-13);
    EXPECT_GT(reaction.norm(), 0);
  }
}
