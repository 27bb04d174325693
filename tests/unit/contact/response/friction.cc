#include <kickdrift/contact/response/collision_response.h>

#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <random>

using namespace KickDrift;
using dealii::SymmetricTensor;
using dealii::Tensor;

namespace
{
/// A node against a face in random motion; any node, on either side, may be restrained.
template <int dim>
class RandomContact
{
public:
  using Vector = Tensor<1, dim>;

  void
  make(const bool restrain)
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
    dealii::Point<dim> closest;
    for (unsigned int i = 0; i < n_target; ++i)
    {
      const dealii::Point<dim> corner(vector());
      closest += weights[i] / sum * corner;
      table.add(corner, positive());
    }
    stencil.add(table.add(closest, positive()), 1); // the gap is zero
    for (unsigned int i = 0; i < n_target; ++i)
      stencil.add(i, -weights[i] / sum);
    for (unsigned int i = 0; i < table.size(); ++i)
    {
      // none, one, some or all directions; the same ones on several nodes make C singular
      const unsigned int n_directions = restrain ? random() % (dim + 2) : 0;
      for (unsigned int k = 0; k < n_directions; ++k)
        table.restraints.add(i, random() % 2 ? Vector(common) : vector());
      table.set_velocity(i, table.restraints.project(i, vector()));
    }
    if (random() % 4 == 0)
      common = vector();
    if (rate() * stencil.normal > 0)
      stencil.normal *= -1;
  }

  Vector
  rate() const
  {
    return stencil.difference([&](const unsigned int node) { return table.velocity(node); });
  }

  FrictionalContact<dim>
  contact(const double friction) const
  {
    return {stencil.inverse_mass_tensor(table), stencil.normal, rate(), friction};
  }

  bool
  is_held() const
  {
    return stencil.inverse_mass(table) < 1e-8;
  }

  double
  energy() const
  {
    double e = 0;
    for (unsigned int i = 0; i < table.size(); ++i)
      e += 0.5 * table.mass(i) * table.velocity(i).norm_square();
    return e;
  }

  /// Linear momentum, and the components of sum m (x v^T - v x^T).
  std::vector<double>
  momenta() const
  {
    Vector linear;
    Tensor<2, dim> angular;
    for (unsigned int i = 0; i < table.size(); ++i)
    {
      const Vector p = table.mass(i) * table.velocity(i);
      linear += p;
      angular += outer_product(Vector(table.position(i)), p);
    }
    std::vector<double> result;
    for (unsigned int d = 0; d < dim; ++d)
      result.push_back(linear[d]);
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int k = 0; k < d; ++k)
        result.push_back(angular[d][k] - angular[k][d]);
    return result;
  }

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

  double
  between(const double low, const double high)
  {
    return low + (high - low) * 0.5 * (1 + uniform(random));
  }

  NodeTable<dim> table;
  ContactStencil<dim> stencil;

private:
  std::mt19937 random{17};
  std::uniform_real_distribution<double> uniform{-1, 1};
  Vector common = Vector(dealii::Point<dim>::unit_vector(0));
};

template <int dim>
Tensor<1, dim>
whole(const FrictionalImpulse<dim> &impulse, const FrictionalContact<dim> &contact)
{
  return impulse.normal * contact.normal + impulse.tangential;
}

/// Coulomb's law for an impulse: |tangential| <= mu * normal.
template <int dim>
double
excess_over_bound(const FrictionalImpulse<dim> &impulse, const FrictionalContact<dim> &contact)
{
  EXPECT_NEAR(impulse.tangential * contact.normal, 0, 1e-10 * (1 + impulse.normal));
  return impulse.tangential.norm() - contact.friction * impulse.normal;
}

template <int dim>
void
check_law(const bool restrain)
{
  RandomContact<dim> random;
  unsigned int n_stick = 0, n_slip = 0;
  for (unsigned int run = 0; run < 10000; ++run)
  {
    random.make(restrain);
    const double e = run % 5 == 0 ? run / 5 % 2 : random.between(0, 1);
    const double mu = random.between(0, 2);
    const auto contact = random.contact(mu);
    if (random.is_held())
      continue;
    const auto result = frictional_impulse(contact, e);
    const double energy = random.energy();
    const auto momenta = random.momenta();
    random.stencil.apply(random.table, result.normal, result.tangential);

    const double size = 1 + whole(result, contact).norm();
    const double rate = contact.rate * contact.normal;
    ASSERT_NEAR(random.rate() * contact.normal, -e * rate, 1e-10 * size);
    ASSERT_LE(excess_over_bound(result, contact), 1e-10 * size);
    const double restitution_loss =
        (1 - e * e) * rate * rate / (2 * random.stencil.inverse_mass(random.table));
    ASSERT_GE(result.friction_loss, -1e-12);
    ASSERT_NEAR(random.energy() - energy, -restitution_loss - result.friction_loss, 1e-9 * size);
    ++(result.sticks ? n_stick : n_slip);
    if (!restrain)
    {
      for (unsigned int i = 0; i < momenta.size(); ++i)
        ASSERT_NEAR(random.momenta()[i], momenta[i], 1e-12 * size);
    }
  }
  EXPECT_GT(n_stick, 1000u);
  EXPECT_GT(n_slip, 1000u);
}

/// Changes of velocity that bring the whole relative velocity to zero: M dv = B^T p + G r,
/// B dv = -rate, G^T dv = 0 with B = (c_1 I, c_2 I, ...), by a dense pseudo-inverse.
template <int dim>
dealii::Vector<double>
dense_stick(const RandomContact<dim> &random)
{
  const auto &table = random.table;
  const auto &stencil = random.stencil;
  const unsigned int n = table.size() * dim;
  dealii::LAPACKFullMatrix<double> system(2 * n + dim, 2 * n + dim);
  dealii::Vector<double> rhs(2 * n + dim), solution(2 * n + dim);
  for (unsigned int k = 0; k < stencil.n_nodes; ++k)
    for (unsigned int d = 0; d < dim; ++d)
    {
      const unsigned int i = stencil.nodes[k], row = i * dim + d;
      system(row, row) = table.mass(i);
      system(row, n + d) = -stencil.coefficients[k];
      system(n + d, row) = stencil.coefficients[k];
      // I - P spans the restrained directions
      const Tensor<1, dim> unit = dealii::Point<dim>::unit_vector(d);
      const auto held = unit - table.restraints.project(i, unit);
      for (unsigned int j = 0; j < dim; ++j)
      {
        system(row, n + dim + i * dim + j) = held[j];
        system(n + dim + i * dim + j, row) = held[j];
      }
    }
  for (unsigned int d = 0; d < dim; ++d)
    rhs(n + d) = -random.rate()[d];
  system.compute_inverse_svd(1e-9);
  system.vmult(solution, rhs);
  return solution;
}

template <int dim>
void
check_stick()
{
  RandomContact<dim> random;
  unsigned int n_stick = 0;
  for (unsigned int run = 0; run < 500; ++run)
  {
    random.make(run % 4 > 0);
    if (random.is_held())
      continue;
    const auto result = frictional_impulse(random.contact(10), 0);
    if (!result.sticks)
      continue;
    ++n_stick;
    const auto solution = dense_stick(random);
    std::vector<Tensor<1, dim>> before;
    for (unsigned int i = 0; i < random.table.size(); ++i)
      before.push_back(random.table.velocity(i));
    random.stencil.apply(random.table, result.normal, result.tangential);
    for (unsigned int i = 0; i < random.table.size(); ++i)
      for (unsigned int d = 0; d < dim; ++d)
        ASSERT_NEAR(random.table.velocity(i)[d], before[i][d] + solution(i * dim + d), 1e-7)
            << "run " << run;
  }
  EXPECT_GT(n_stick, 250u);
}

template <int dim>
void
check_without_friction()
{
  RandomContact<dim> random;
  for (unsigned int run = 0; run < 1000; ++run)
  {
    random.make(run % 2);
    if (random.is_held())
      continue;
    const double e = random.between(0, 1);
    const auto contact = random.contact(0);
    const double rate =
        random.stencil.normal *
        random.stencil.difference([&](const unsigned int i) { return random.table.velocity(i); });
    const double expected = reflecting_impulse(rate, random.stencil.inverse_mass(random.table), e);
    const auto result = frictional_impulse(contact, e);
    EXPECT_NEAR((whole(result, contact) - expected * contact.normal).norm(), 0,
                1e-11 * (1 + expected));
    EXPECT_EQ(result.friction_loss, 0);
  }
}
} // namespace

TEST(Friction, free_nodes_obey_the_law_2d)
{
  check_law<2>(false);
}
TEST(Friction, free_nodes_obey_the_law_3d)
{
  check_law<3>(false);
}
TEST(Friction, restrained_nodes_obey_the_law_2d)
{
  check_law<2>(true);
}
TEST(Friction, restrained_nodes_obey_the_law_3d)
{
  check_law<3>(true);
}
TEST(Friction, stick_equals_a_dense_solve_2d)
{
  check_stick<2>();
}
TEST(Friction, stick_equals_a_dense_solve_3d)
{
  check_stick<3>();
}
TEST(Friction, none_is_the_plain_reflection_2d)
{
  check_without_friction<2>();
}
TEST(Friction, none_is_the_plain_reflection_3d)
{
  check_without_friction<3>();
}
