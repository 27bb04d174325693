#include <kickdrift/nodes/node_table.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;
using dealii::Tensor;

namespace
{
std::mt19937 engine(42);

template <int dim>
Tensor<1, dim>
random_vector()
{
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor<1, dim> v;
  for (unsigned int d = 0; d < dim; ++d)
    v[d] = uniform(engine);
  return v;
}

/// P = I - G (G^T G)^-1 G^T by dense algebra.
template <int dim>
Tensor<1, dim>
dense_projection(const std::vector<Tensor<1, dim>> &directions, const Tensor<1, dim> &v)
{
  const unsigned int m = directions.size();
  dealii::FullMatrix<double> gram(m, m);
  dealii::Vector<double> rhs(m), factors(m);
  for (unsigned int i = 0; i < m; ++i)
  {
    rhs(i) = directions[i] * v;
    for (unsigned int j = 0; j < m; ++j)
      gram(i, j) = directions[i] * directions[j];
  }
  gram.gauss_jordan();
  gram.vmult(factors, rhs);
  Tensor<1, dim> result = v;
  for (unsigned int i = 0; i < m; ++i)
    result -= factors(i) * directions[i];
  return result;
}

template <int dim>
void
check_projector()
{
  for (unsigned int run = 0; run < 200; ++run)
    for (unsigned int m = 1; m <= dim; ++m)
    {
      Restraints<dim> restraints;
      std::vector<Tensor<1, dim>> directions;
      for (unsigned int i = 0; i < m; ++i)
      {
        directions.push_back(random_vector<dim>());
        restraints.add(5, 100 * directions.back());
      }
      restraints.add(5, directions[0]); // a second time changes nothing
      ASSERT_EQ(restraints.n_directions(5), m);
      const auto v = random_vector<dim>();
      if (m < dim)
        EXPECT_NEAR((restraints.project(5, v) - dense_projection<dim>(directions, v)).norm(), 0,
                    1e-9);
      else
        EXPECT_EQ(restraints.project(5, v).norm(), 0);
      EXPECT_EQ(restraints.project(4, v), v); // another node is free
    }
}
} // namespace

TEST(Restraints, projector_2d)
{
  check_projector<2>();
}
TEST(Restraints, projector_3d)
{
  check_projector<3>();
}

TEST(Restraints, directions_that_are_zero_or_not_finite_are_refused)
{
  Restraints<3> restraints;
  for (const double x : {0., double(NAN), double(INFINITY)})
    EXPECT_THROW(restraints.add(0, Tensor<1, 3>({x, 0., 0.})), Restraints<3>::ExcDirection) << x;
  EXPECT_FALSE(restraints.is_restrained(0));
}

TEST(Restraints, enforcing_equals_kicking_with_the_effective_inverse_mass)
{
  for (unsigned int run = 0; run < 100; ++run)
  {
    NodeTable<3> a;
    a.add(dealii::Point<3>(), 0.3);
    a.restraints.add(0, random_vector<3>());
    if (run % 2)
      a.restraints.add(0, random_vector<3>());
    a.set_velocity(0, a.restraints.project(0, random_vector<3>()));
    NodeTable<3> b = a;
    const auto impulse = random_vector<3>();
    a.apply_impulse(0, impulse);
    b.set_velocity(0, b.velocity(0) + impulse / 0.3);
    b.enforce_restraint(0);
    EXPECT_NEAR((a.velocity(0) - b.velocity(0)).norm(), 0, 1e-13);
    EXPECT_NEAR((a.restraints.reaction(0) - b.restraints.reaction(0)).norm(), 0, 1e-13);
  }
}

TEST(Restraints, work_of_a_moving_support_is_the_energy_it_gives)
{
  // A support accelerates a mass, the mass is kicked meanwhile; energy = work of support + of
  // kicks.
  NodeTable<3> table;
  table.add(dealii::Point<3>(), 2.);
  const auto direction = random_vector<3>();
  table.restraints.add(0, direction);
  const std::vector<Tensor<1, 3>> directions(1, direction);
  double work_of_kicks = 0;
  for (unsigned int step = 0; step < 20; ++step)
  {
    table.set_velocity(0, table.restraints.set_support_velocity(0, directions, random_vector<3>(),
                                                                table.velocity(0), table.mass(0)));
    const auto before = table.velocity(0);
    const auto impulse = random_vector<3>();
    table.apply_impulse(0, impulse);
    work_of_kicks += 0.5 * impulse * (before + table.velocity(0));
  }
  EXPECT_NEAR(table.velocity(0).norm_square(), work_of_kicks + table.restraints.prescribed_work(),
              1e-12);
  EXPECT_GT(std::abs(table.restraints.prescribed_work()), 0.01);
}

TEST(Restraints, a_support_moves_along_its_own_directions_only)
{
  // three skew directions of three restraints: each component is what its own restraint asks for
  for (unsigned int run = 0; run < 100; ++run)
    for (unsigned int m = 1; m <= 3; ++m)
    {
      NodeTable<3> table;
      table.add(dealii::Point<3>(), 0.7);
      std::vector<Tensor<1, 3>> directions;
      for (unsigned int i = 0; i < m; ++i)
      {
        directions.push_back(random_vector<3>());
        table.restraints.add(0, directions.back());
      }
      table.set_velocity(0, random_vector<3>());
      table.enforce_restraint(0);
      const auto free_part = table.velocity(0);
      std::vector<double> demanded(m, 0.); // the last one stays fixed
      for (unsigned int turn = 0; turn < 2; ++turn)
        for (unsigned int i = 0; i + 1 < m; ++i)
        {
          const auto support = random_vector<3>();
          demanded[i] = directions[i] * support;
          table.set_velocity(0, table.restraints.set_support_velocity(
                                    0, {directions[i]}, support, table.velocity(0), table.mass(0)));
        }
      for (unsigned int i = 0; i < m; ++i)
        EXPECT_NEAR(directions[i] * table.velocity(0), demanded[i], 1e-9);
      EXPECT_NEAR((table.restraints.project(0, table.velocity(0)) - free_part).norm(), 0, 1e-9);
    }
}

TEST(Restraints, a_motion_needs_a_restrained_direction)
{
  Restraints<3> restraints;
  const Tensor<1, 3> x({1, 0, 0}), y({0, 1, 0});
  restraints.add(0, x);
  EXPECT_THROW(restraints.set_support_velocity(0, {y}, y, {}, 1.), Restraints<3>::ExcNotRestrained);
  EXPECT_THROW(restraints.set_support_velocity(1, {x}, x, {}, 1.), Restraints<3>::ExcNotRestrained);
  EXPECT_FALSE(restraints.is_restrained_along(0, x + y));
  EXPECT_TRUE(restraints.is_restrained_along(0, -3 * x));
}

TEST(Restraints, the_motion_at_the_start_is_no_work)
{
  NodeTable<2> table;
  table.add(dealii::Point<2>(), 2.);
  const Tensor<1, 2> x({1, 0}), w({3, 5});
  table.restraints.add(0, x);
  table.set_velocity(
      0, table.restraints.set_initial_support_velocity(0, {x}, w, Tensor<1, 2>({7, 11})));
  EXPECT_EQ(table.velocity(0), (Tensor<1, 2>({3, 11})));
  EXPECT_EQ(table.restraints.prescribed_work(), 0);
  EXPECT_EQ(table.restraints.reaction(0).norm(), 0);
  // it lasts
  table.enforce_restraint(0);
  EXPECT_EQ(table.velocity(0), (Tensor<1, 2>({3, 11})));
}
