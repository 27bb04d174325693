// Newton's method for the impulses of contacts, against all combinations of open and closed ones,
// and with more contacts than what they move can tell apart.

#include <kickdrift/contact/response/impulse_newton.h>

#include <deal.II/base/tensor.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace KickDrift;

namespace
{
constexpr double tolerance = 1e-9;

/// Contacts at random places of nodes, or of rigid bodies, with random normals; each with two of
/// them, or with one if there are no more. Some give back at least an impulse.
template <int spacedim>
class Random
{
public:
  using Newton = ImpulseNewton<spacedim>;
  using Frame = typename Newton::Frame;
  using Vector = dealii::Tensor<1, spacedim>;

  Random(const unsigned int seed, const unsigned int n_contacts, const unsigned int n_moving,
         const bool is_rigid, const double friction)
      : n_components(is_rigid ? Newton::max_components : spacedim), random(seed)
  {
    // In the dual of all cones: there are impulses (Acary et al. 2011).
    std::vector<double> allowed;
    for (unsigned int i = 0; i < n_moving; ++i)
    {
      const double inverse_mass = std::exp2(number());
      typename Newton::Mass mass{};
      for (unsigned int k = 0; k < n_components; ++k)
      {
        velocities.push_back(number());
        allowed.push_back(0.5 * number());
        inverse_masses.push_back(k < spacedim ? inverse_mass : 2 * std::exp2(0.5 * number()));
        mass[k][k] = 1 / inverse_masses.back();
      }
      newton.add_moving(n_components, mass);
    }
    for (unsigned int c = 0; c < n_contacts; ++c)
    {
      typename Newton::Contact contact{};
      contact.friction = friction;
      const auto frame = random_frame();
      std::vector<typename Newton::Link> links;
      for (unsigned int side = 0; side < std::min(2u, n_moving); ++side)
      {
        typename Newton::Link link{(c + side) % n_moving, {}, {}};
        Vector arm;
        for (unsigned int d = 0; d < spacedim; ++d)
          arm[d] = number();
        for (unsigned int k = 0; k < n_components; ++k)
          for (unsigned int d = 0; d < spacedim; ++d)
          {
            const double of_component = k < spacedim ? frame[d][k] : turning(arm, frame[d], k);
            link.rate_of[k][d] = (side == 0 ? 1 : -0.7) * of_component;
            link.change_by[k][d] =
                inverse_masses[link.moving * n_components + k] * link.rate_of[k][d];
          }
        links.push_back(link);
      }
      for (const auto &link : links)
        for (unsigned int k = 0; k < n_components; ++k)
          for (unsigned int d = 0; d < spacedim; ++d)
            (d == 0 ? contact.inverse_mass : contact.tangential_inverse_mass) +=
                link.rate_of[k][d] * link.change_by[k][d];
      of_contact.push_back(links);
      const Frame is_allowed = rate(c, allowed);
      double slip = 0;
      for (unsigned int d = 1; d < spacedim; ++d)
        slip += is_allowed[d] * is_allowed[d];
      contact.wanted = is_allowed[0] - friction * std::sqrt(slip) - (c % 2 == 0 ? 0 : 0.2);
      contact.rate = rate(c, velocities);
      contact.least = c % 3 == 0 ? std::max(0., number()) : 0.;
      contacts.push_back(contact);
      newton.add(contact);
      for (const double share : {0.3, 0.7}) // as nodes of one body have
        for (auto link : links)
        {
          for (unsigned int k = 0; k < n_components; ++k)
            for (unsigned int d = 0; d < spacedim; ++d)
            {
              link.rate_of[k][d] *= share;
              link.change_by[k][d] *= share;
            }
          newton.add(link);
        }
    }
  }

  double
  number()
  {
    return std::uniform_real_distribution<double>(-1, 1)(random);
  }

  /// A normal and what is across it.
  std::array<Vector, spacedim>
  random_frame()
  {
    std::array<Vector, spacedim> frame;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      for (unsigned int k = 0; k < spacedim; ++k)
        frame[d][k] = number();
      for (unsigned int e = 0; e < d; ++e)
        frame[d] -= (frame[d] * frame[e]) * frame[e];
      frame[d] /= frame[d].norm();
    }
    return frame;
  }

  /// What a component of the angular velocity gives.
  static double
  turning(const Vector &arm, const Vector &direction, const unsigned int component)
  {
    if constexpr (spacedim == 2)
      return (void)component, arm[0] * direction[1] - arm[1] * direction[0];
    else
      return dealii::cross_product_3d(arm, direction)[component - spacedim];
  }

  /// With the impulses that have been found.
  std::vector<double>
  velocities_after() const
  {
    std::vector<double> result = velocities;
    for (unsigned int c = 0; c < contacts.size(); ++c)
      for (const auto &link : of_contact[c])
        for (unsigned int k = 0; k < n_components; ++k)
          for (unsigned int d = 0; d < spacedim; ++d)
            result[link.moving * n_components + k] +=
                link.change_by[k][d] * newton.contacts()[c].impulse[d];
    return result;
  }

  Frame
  rate(const unsigned int c, const std::vector<double> &velocity) const
  {
    Frame result{};
    for (const auto &link : of_contact[c])
      for (unsigned int k = 0; k < n_components; ++k)
        for (unsigned int d = 0; d < spacedim; ++d)
          result[d] += link.rate_of[k][d] * velocity[link.moving * n_components + k];
    return result;
  }

  /// The laws of contact hold for the velocities that impulses lead to.
  void
  check_laws() const
  {
    const auto after = velocities_after();
    for (unsigned int c = 0; c < contacts.size(); ++c)
    {
      const Frame u = rate(c, after), &p = newton.contacts()[c].impulse;
      const double gap_rate = u[0] - contacts[c].wanted;
      EXPECT_GE(p[0], contacts[c].least);
      EXPECT_GE(gap_rate, -2 * tolerance);
      EXPECT_NEAR((p[0] - contacts[c].least) * gap_rate, 0, 1e-8 * (1 + p[0]));
      double size = 0, slip = 0, work = 0;
      for (unsigned int d = 1; d < spacedim; ++d)
      {
        size += p[d] * p[d];
        slip += u[d] * u[d];
        work += p[d] * u[d];
      }
      size = std::sqrt(size);
      slip = std::sqrt(slip);
      const double bound = contacts[c].friction * p[0];
      EXPECT_LE(size, bound + 1e-9);
      if (bound > 0)
      {
        EXPECT_NEAR(work, -bound * slip,
                    1e-8 * (1 + p[0])); // against the slip, all of it if there is one
      }
    }
  }

  /// What normal impulses do to normal rates, and by how much these are above what is wanted with
  /// the least impulses.
  std::pair<dealii::FullMatrix<double>, std::vector<double>>
  gap_equations() const
  {
    const unsigned int n = contacts.size();
    std::pair<dealii::FullMatrix<double>, std::vector<double>> result{
        dealii::FullMatrix<double>(n, n), {}};
    for (unsigned int c = 0; c < n; ++c)
    {
      result.second.push_back(rate(c, velocities)[0] - contacts[c].wanted);
      for (unsigned int other = 0; other < n; ++other)
        for (const auto &link : of_contact[c])
          for (const auto &there : of_contact[other])
            for (unsigned int k = 0; link.moving == there.moving && k < n_components; ++k)
              result.first(c, other) += link.rate_of[k][0] * there.change_by[k][0];
      for (unsigned int other = 0; other < n; ++other)
        result.second.back() += result.first(c, other) * contacts[other].least;
    }
    return result;
  }

  double
  least(const unsigned int c) const
  {
    return contacts[c].least;
  }

  Newton newton;
  std::vector<double> velocities;

private:
  const unsigned int n_components;
  std::mt19937 random;
  std::vector<double> inverse_masses;
  std::vector<typename Newton::Contact> contacts;
  std::vector<std::vector<typename Newton::Link>> of_contact;
};

} // namespace

// Without friction the right combination of open and closed contacts can be found by trying all.
TEST(ImpulseNewton, finds_what_is_open)
{
  unsigned int n_solved = 0;
  constexpr unsigned int n_runs = 300, n = 5;
  for (unsigned int run = 0; run < n_runs; ++run)
  {
    Random<3> problem(run, n, 4, false, 0);
    n_solved += problem.newton.solve(tolerance);
    const auto [W, rates] = problem.gap_equations();
    std::vector<double> right(n, -1.);
    for (unsigned int closed = 0; closed < 1u << n; ++closed)
    {
      std::vector<unsigned int> rows;
      for (unsigned int c = 0; c < n; ++c)
        if (closed >> c & 1)
          rows.push_back(c);
      std::vector<double> impulse(n, 0.);
      if (!rows.empty())
      {
        dealii::FullMatrix<double> matrix(rows.size(), rows.size());
        dealii::Vector<double> b(rows.size()), p(rows.size());
        for (unsigned int i = 0; i < rows.size(); ++i)
        {
          b(i) = -rates[rows[i]];
          for (unsigned int j = 0; j < rows.size(); ++j)
            matrix(i, j) = W(rows[i], rows[j]);
        }
        matrix.gauss_jordan();
        matrix.vmult(p, b);
        for (unsigned int i = 0; i < rows.size(); ++i)
          impulse[rows[i]] = p(i);
      }
      bool is_right = true;
      for (unsigned int c = 0; c < n; ++c)
      {
        double gap_rate = rates[c];
        for (unsigned int d = 0; d < n; ++d)
          gap_rate += W(c, d) * impulse[d];
        is_right = is_right && impulse[c] >= 0 && gap_rate > -1e-12;
      }
      if (is_right)
        right = impulse;
    }
    for (unsigned int c = 0; c < n; ++c)
      EXPECT_NEAR(problem.newton.contacts()[c].impulse[0], problem.least(c) + right[c], 1e-7)
          << run << " " << c;
  }
  EXPECT_EQ(n_solved, n_runs);
}

// Friction of free nodes, and of bodies with more contacts than degrees of freedom.
TEST(ImpulseNewton, obeys_the_laws_of_contact)
{
  constexpr unsigned int n_runs = 200;
  std::array<unsigned int, 5> n_solved{};
  for (unsigned int run = 0; run < n_runs; ++run)
  {
    Random<2> plane(run, 4, 5, false, 0.4), plane_body(run, 8, 1, true, 0.4);
    Random<3> nodes(run, 6, 8, false, 0.4), body(run, 20, 1, true, 0.),
        bodies(run, 12, 3, true, 0.3);
    const auto check = [&](auto &problem, const unsigned int kind)
    {
      if (!problem.newton.solve(tolerance))
        return;
      ++n_solved[kind];
      problem.check_laws();
    };
    check(plane, 0);
    check(plane_body, 1);
    check(nodes, 2);
    check(body, 3);
    check(bodies, 4);
  }
  for (const unsigned int n : n_solved)
    EXPECT_EQ(n, n_runs);
}
