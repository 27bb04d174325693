// Contacts as constraints on the velocities until the next kick.

#include <kickdrift/contact/response/contact_constraints.h>

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace KickDrift;
using dealii::FullMatrix;
using dealii::Tensor;

namespace
{
/// Some nodes that move at random and contacts between a node and others, some of them restrained.
template <int dim>
class RandomContacts
{
public:
  using Vector = Tensor<1, dim>;

  double
  between(const double low, const double high)
  {
    return low + (high - low) * uniform(random);
  }

  Vector
  vector()
  {
    Vector v;
    for (unsigned int d = 0; d < dim; ++d)
      v[d] = between(-1, 1);
    return v;
  }

  void
  make(const unsigned int n_nodes, const unsigned int n_contacts, const bool restrains)
  {
    table = NodeTable<dim>();
    for (unsigned int node = 0; node < n_nodes; ++node)
    {
      table.add(dealii::Point<dim>(vector()), between(0.5, 2));
      if (restrains && node % 3 == 0)
        table.restraints.add(node, vector());
      table.set_velocity(node, table.restraints.project(node, vector()));
    }
    memories.assign(n_contacts, ContactHistory());
    for (ContactHistory &memory : memories)
      memory.since = 0;
    pair = ContactPair<dim>();
    solver = std::make_unique<ContactConstraints<dim>>(
        table, typename ContactConstraints<dim>::Accuracy{1e-12, 100000});
    for (unsigned int i = 0; i < n_contacts; ++i)
    {
      ContactPoint<dim> point;
      point.sees = point.touches = true;
      point.depth = between(-0.1, 0.1);
      point.size = between(0.5, 2);
      point.stencil.normal = vector();
      point.stencil.normal /= point.stencil.normal.norm();
      const unsigned int first = i % n_nodes;
      point.stencil.add(first, 1);
      point.stencil.add((first + 1) % n_nodes, -0.3);
      point.stencil.add((first + 2) % n_nodes, -0.7);
      ContactConstraint<dim> contact{&memories[i], &pair, point, point.stencil};
      contact.period = 0.7;
      solver->add(std::move(contact));
    }
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
  rate(const ContactConstraint<dim> &contact) const
  {
    return contact.stencil.relative_velocity([&](const unsigned int node)
                                             { return table.velocity(node); });
  }

  NodeTable<dim> table;
  std::vector<ContactHistory> memories;
  ContactPair<dim> pair;
  std::unique_ptr<ContactConstraints<dim>> solver;

private:
  std::mt19937 random{17};
  std::uniform_real_distribution<double> uniform{0, 1};
};

/// The impulses that bring all rates to what is wanted, found by trying which contacts are active.
template <int dim>
std::vector<double>
impulses_by_trying(const RandomContacts<dim> &contacts)
{
  const auto &all = contacts.solver->contacts;
  const unsigned int n = all.size();
  FullMatrix<double> matrix(n, n);
  std::vector<double> rhs(n);
  for (unsigned int j = 0; j < n; ++j)
  {
    NodeTable<dim> copy = contacts.table;
    for (unsigned int node = 0; node < copy.size(); ++node)
      copy.set_velocity(node, Tensor<1, dim>());
    all[j].stencil.apply(copy, 1);
    for (unsigned int i = 0; i < n; ++i)
      matrix(i, j) =
          all[i].stencil.normal *
          all[i].stencil.difference([&](const unsigned int node) { return copy.velocity(node); });
    rhs[j] = all[j].wanted - all[j].stencil.normal * contacts.rate(all[j]);
  }
  for (unsigned int active = 0; active < 1u << n; ++active)
  {
    FullMatrix<double> system(n, n);
    dealii::Vector<double> right(n), p(n);
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        system(i, j) = (active >> i & 1) && (active >> j & 1) ? matrix(i, j) : i == j;
    for (unsigned int i = 0; i < n; ++i)
      right(i) = active >> i & 1 ? rhs[i] : 0;
    system.gauss_jordan();
    system.vmult(p, right);
    bool fits = true;
    for (unsigned int i = 0; i < n; ++i)
    {
      double slack = -rhs[i];
      for (unsigned int j = 0; j < n; ++j)
        slack += matrix(i, j) * p(j);
      fits = fits && p(i) >= -1e-12 && slack >= -1e-12;
    }
    if (fits)
      return {p.begin(), p.end()};
  }
  return {};
}

template <int dim>
void
check_against_trying(const bool restrains)
{
  RandomContacts<dim> contacts;
  unsigned int n_active = 0, n_open = 0;
  for (unsigned int run = 0; run < 200; ++run)
  {
    contacts.make(6, 4, restrains);
    const auto expected = impulses_by_trying(contacts);
    ASSERT_EQ(expected.size(), 4u);
    contacts.solver->solve(0, 1);
    for (unsigned int i = 0; i < expected.size(); ++i)
    {
      ASSERT_NEAR(contacts.solver->contacts[i].impulse.normal, expected[i], 1e-8);
      (expected[i] > 0 ? n_active : n_open)++;
    }
  }
  EXPECT_GT(n_active, 100u);
  EXPECT_GT(n_open, 100u);
}

/// Coulomb's law for the velocities after the impulses, and no energy is lost from the books.
template <int dim>
void
check_friction_and_energy()
{
  RandomContacts<dim> contacts;
  unsigned int n_stick = 0, n_slip = 0;
  for (unsigned int run = 0; run < 300; ++run)
  {
    contacts.make(9, 3, false);
    contacts.pair.friction = contacts.between(0, 1.5);
    contacts.pair.restitution = run % 2 == 0 ? 1 : contacts.between(0, 1);
    const double before = contacts.energy();
    contacts.solver->solve(0, 1);
    double booked = 0;
    for (unsigned int i = 0; i < 3; ++i)
    {
      const auto &contact = contacts.solver->contacts[i];
      const auto &impulse = contact.impulse;
      ASSERT_EQ(impulse.energy_change, contacts.memories[i].energy);
      booked += impulse.energy_change + impulse.restitution_loss + impulse.friction_loss;
      ASSERT_GE(impulse.normal, 0);
      ASSERT_NEAR(impulse.tangential * contact.stencil.normal, 0, 1e-10);
      const auto rate = contacts.rate(contact);
      const double normal = rate * contact.stencil.normal;
      ASSERT_GE(normal, contact.wanted - 1e-9);
      ASSERT_GE(impulse.restitution_loss, 0);
      if (impulse.normal == 0)
        continue;
      ASSERT_NEAR(normal, contact.wanted, 1e-9);
      const auto slip = rate - normal * contact.stencil.normal;
      const double bound = contacts.pair.friction * impulse.normal;
      ASSERT_LE(impulse.tangential.norm(), bound + 1e-9);
      if (impulse.sticks)
      {
        ASSERT_NEAR(slip.norm(), 0, 1e-8);
        ++n_stick;
      }
      else
      {
        ASSERT_NEAR((slip.norm() * impulse.tangential + bound * slip).norm(), 0, 1e-8);
        ++n_slip;
      }
    }
    ASSERT_NEAR(before - contacts.energy(), booked, 1e-10);
  }
  EXPECT_GT(n_stick, 50u);
  EXPECT_GT(n_slip, 50u);
}

/// With kicks at the instant: leapfrog's energy at equal times, of velocities with half of them,
/// loses what is booked, also while contacts open.
template <int dim>
void
check_books_with_kicks()
{
  RandomContacts<dim> contacts;
  unsigned int n_opened = 0;
  for (unsigned int run = 0; run < 300; ++run)
  {
    contacts.make(9, 3, run % 3 == 0);
    contacts.pair.friction = run % 2 == 0 ? 0 : contacts.between(0, 1.5);
    contacts.pair.restitution = contacts.between(0, 1);
    for (unsigned int instant = 0; instant < 3; ++instant)
    {
      std::vector<Tensor<1, dim>> kicks;
      for (unsigned int node = 0; node < contacts.table.size(); ++node)
        kicks.push_back(contacts.table.restraints.project(node, 0.3 * contacts.vector()));
      const auto energy = [&]()
      {
        double e = 0;
        for (unsigned int i = 0; i < contacts.table.size(); ++i)
          e += 0.5 * contacts.table.mass(i) *
               (contacts.table.velocity(i) - 0.5 * kicks[i]).norm_square();
        return e;
      };
      for (auto &contact : contacts.solver->contacts)
      {
        contact.kicks =
            contact.stencil.difference([&](const unsigned int node) { return kicks[node]; });
        contact.impulse = {};
      }
      std::vector<double> kept;
      for (const ContactHistory &memory : contacts.memories)
        kept.push_back(memory.energy);
      const double before = energy();
      contacts.solver->solve(1e6 * instant, 1);
      double booked = 0;
      for (unsigned int i = 0; i < 3; ++i)
      {
        const auto &impulse = contacts.solver->contacts[i].impulse;
        booked += impulse.energy_change + impulse.restitution_loss + impulse.friction_loss;
        ASSERT_NEAR(contacts.memories[i].energy - kept[i], impulse.energy_change, 1e-12);
        n_opened += kept[i] > 0 && contacts.memories[i].energy < 0.01 * kept[i];
      }
      ASSERT_NEAR(before - energy(), booked, 1e-9);
    }
  }
  EXPECT_GT(n_opened, 50u);
}

/// A mass above a plane that looks up, of the mass @p mass, and its contact.
struct Mass
{
  explicit Mass(const double mass, const double restitution = 1) : solver(table)
  {
    table.add(dealii::Point<2>(), mass);
    pair.restitution = restitution;
  }

  /// The kicks of an instant add @p kick to the velocity, then the contact is answered, and the
  /// mass moves on for a period.
  void
  step(const double kick, const double period = 0.1)
  {
    table.set_velocity(0, table.velocity(0) + Tensor<1, 2>({0, kick}));
    ContactPoint<2> point;
    point.sees = true;
    point.depth = -height;
    point.distance = std::abs(height);
    point.touches = height <= 0;
    point.stencil.normal[1] = 1;
    point.stencil.add(0, 1);
    if (time - memory.last_answer > 3.5 * period && memory.energy <= 0)
      memory.since = time;
    ContactConstraint<2> contact{&memory, &pair, point, point.stencil};
    contact.kicks[1] = kick;
    contact.period = period;
    solver.add(std::move(contact));
    solver.solve(time, 0.5);
    if (!solver.contacts.empty() && solver.contacts[0].impulse.normal > 0)
    {
      impulse = solver.contacts[0].impulse.normal;
      memory.last_answer = time;
      loss += solver.contacts[0].impulse.restitution_loss;
    }
    else
      impulse = 0;
    solver.contacts.clear();
    height += period * table.velocity(0)[1];
    time += period;
  }

  double
  velocity() const
  {
    return table.velocity(0)[1];
  }

  NodeTable<2> table;
  ContactPair<2> pair;
  ContactHistory memory;
  ContactConstraints<2> solver;
  double height = 0, time = 0, impulse = 0, loss = 0;
};
} // namespace

/// A mass rests below the plane, is pressed, and pushed out; m/2 = 1.
TEST(ContactConstraints, what_pushing_out_gives_comes_off_losses)
{
  for (const double restitution : {0., 0.5, 1.})
  {
    Mass mass(2, restitution);
    mass.height = -0.01;
    constexpr double kick = -0.05;
    mass.step(kick);
    const double before = kick / 2, after = mass.velocity() - kick / 2;
    const double given = after * after - before * before;
    EXPECT_GT(given, 1e-4);
    const double share = 1 - restitution * restitution;
    EXPECT_NEAR(mass.loss, -share * given, 1e-14);
    EXPECT_NEAR(mass.memory.energy, -(1 - share) * given, 1e-14);
  }
}

TEST(ContactConstraints, equal_those_found_by_trying_2d)
{
  check_against_trying<2>(false);
}
TEST(ContactConstraints, equal_those_found_by_trying_3d)
{
  check_against_trying<3>(false);
}
TEST(ContactConstraints, of_restrained_nodes_equal_those_found_by_trying)
{
  check_against_trying<3>(true);
}

TEST(ContactConstraints, friction_obeys_the_law_and_all_energy_is_booked_2d)
{
  check_friction_and_energy<2>();
}
TEST(ContactConstraints, friction_obeys_the_law_and_all_energy_is_booked_3d)
{
  check_friction_and_energy<3>();
}

TEST(ContactConstraints, kicks_and_openings_are_in_the_books_2d)
{
  check_books_with_kicks<2>();
}
TEST(ContactConstraints, kicks_and_openings_are_in_the_books_3d)
{
  check_books_with_kicks<3>();
}

TEST(ContactConstraints, what_rests_does_not_move_and_bears_its_weight)
{
  for (const double restitution : {1., 0.5, 0.})
  {
    Mass mass(3, restitution);
    for (unsigned int i = 0; i < 1000; ++i)
    {
      mass.step(-0.01);
      if (i > 100)
      {
        ASSERT_NEAR(mass.velocity(), 0, 1e-12);
        ASSERT_NEAR(mass.impulse, 3 * 0.01, 1e-12);
      }
    }
    EXPECT_NEAR(mass.height, 0, 1.1e-5);
  }
}

TEST(ContactConstraints, impacts_rebound_with_the_coefficient_of_restitution)
{
  for (const double restitution : {1., 0.6, 0.})
  {
    Mass mass(3, restitution);
    mass.height = 1.23;
    mass.table.set_velocity(0, Tensor<1, 2>({0, -2}));
    for (unsigned int i = 0; i < 30; ++i)
      mass.step(0);
    EXPECT_NEAR(mass.velocity(), restitution * 2, 1e-4);
    EXPECT_NEAR(mass.loss, (1 - restitution * restitution) * 6, 1e-3);
    EXPECT_NEAR(mass.memory.energy, 0, 1e-12);
  }
}

TEST(ContactConstraints, what_is_kept_is_given_back_in_equal_parts)
{
  Mass mass(3);
  mass.height = 0.05;
  mass.table.set_velocity(0, Tensor<1, 2>({0, -2}));
  std::vector<double> kept;
  for (unsigned int i = 0; i < 40; ++i)
  {
    mass.step(0);
    kept.push_back(mass.memory.energy);
  }
  const double all = *std::max_element(kept.begin(), kept.end());
  EXPECT_NEAR(all, 0.5 * 3 * 2 * 2, 0.4); // what closing the gap takes is left to it
  unsigned int n_parts = 0;
  for (unsigned int i = 1; i < kept.size(); ++i)
    if (kept[i] < kept[i - 1])
    {
      ++n_parts;
      EXPECT_NEAR(kept[i - 1] - kept[i], 0.1 * all, 1e-9);
    }
  EXPECT_EQ(n_parts, 10u); // five cells with half the critical step
  EXPECT_NEAR(kept.back(), 0, 1e-12);
}

TEST(ContactConstraints, a_penetration_is_removed_but_throws_nothing_out)
{
  Mass free(3);
  free.height = -0.5;
  free.step(0);
  EXPECT_EQ(free.velocity(), 0);

  Mass pressed(3);
  pressed.height = -0.5;
  for (unsigned int i = 0; i < 1000; ++i)
  {
    pressed.step(-0.02);
    ASSERT_LE(std::abs(pressed.velocity()), 0.02 + 1e-12);
  }
  EXPECT_NEAR(pressed.height, 0, 2e-3);
}
