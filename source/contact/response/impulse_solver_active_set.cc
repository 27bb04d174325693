// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/cholesky.h>
#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
namespace
{
constexpr double expected_iterations = 6;
constexpr unsigned int most_iterations = 40;
// how often all that are wrong may change at once without fewer of them
constexpr unsigned int patience = 5;
// contacts that depend on each other share what they bear by this
constexpr double proximal_share = 1e-7;
} // namespace

template <int spacedim>
bool
ImpulseSolver<spacedim>::active_set_is_cheaper(const Island &island, const double n_sweeps) const
{
  const double n = island.contacts.size();
  const double of_sweep = (island.has_rigid ? 100. : 20.) * island.n_links;
  const double of_iteration = n * n * n / 6 + 4 * n * n;
  return expected_iterations * of_iteration < n_sweeps * of_sweep;
}

template <int spacedim>
void
ImpulseSolver<spacedim>::find_mobility(const Island &island, std::vector<double> &matrix) const
{
  struct Share
  {
    unsigned int contact; ///< of the island
    double coefficient;
    Vector velocity, normal;
    dealii::Tensor<1, 3> angular, arm;
  };
  const unsigned int n = island.contacts.size();
  std::vector<std::vector<Share>> of_moving(moving.size());
  for (unsigned int i = 0; i < n; ++i)
  {
    const Entry &contact = contacts[island.contacts[i]];
    for (unsigned int l = contact.first_link; l < contact.first_link + contact.n_links; ++l)
    {
      const Link &link = links[l];
      const Moving &one = moving[link.moving];
      Share share{i, link.coefficient, {}, contact.normal, {}, {}};
      share.velocity = one.is_restrained
                           ? nodes.velocity_change(one.node, link.coefficient * contact.normal)
                           : link.mobility * contact.normal;
      if (one.body)
      {
        share.arm = arms[l];
        share.angular = one.body->angular_change(dealii::cross_product_3d(
            arms[l], in_space<spacedim>(link.coefficient * contact.normal)));
      }
      of_moving[link.moving].push_back(share);
    }
  }
  matrix.assign(std::size_t(n) * n, 0.);
  for (const unsigned int m : island.moving)
    for (const Share &a : of_moving[m])
      for (const Share &b : of_moving[m])
      {
        Vector change = b.velocity;
        if (moving[m].body)
          change += from_space<spacedim>(dealii::cross_product_3d(b.angular, a.arm));
        matrix[std::size_t(a.contact) * n + b.contact] += a.coefficient * (a.normal * change);
      }
}

template <int spacedim>
bool
ImpulseSolver<spacedim>::solve_by_active_set(const Island &island, const double tolerance)
{
  const unsigned int n = island.contacts.size();
  std::vector<double> matrix;
  find_mobility(island, matrix);
  std::vector<double> impulse(n), missing(n); // of rates, without impulses
  std::vector<char> is_active(n);
  for (unsigned int i = 0; i < n; ++i)
  {
    const Entry &contact = contacts[island.contacts[i]];
    impulse[i] = contact.impulse;
    const double rate = contact.normal * relative_velocity(contact);
    missing[i] = contact.wanted - rate;
    is_active[i] = impulse[i] + missing[i] / matrix[std::size_t(i) * n + i] > 0;
  }
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int j = 0; j < n; ++j)
      missing[i] += matrix[std::size_t(i) * n + j] * impulse[j];
  const std::vector<double> before = impulse;

  unsigned int fewest = n + 1, left = patience;
  std::vector<unsigned int> active, wrong;
  std::vector<double> reduced, solution;
  for (unsigned int iteration = 0; iteration < most_iterations; ++iteration)
  {
    active.clear();
    for (unsigned int i = 0; i < n; ++i)
      if (is_active[i])
        active.push_back(i);
    const unsigned int m = active.size();
    reduced.resize(std::size_t(m) * m);
    solution.resize(m);
    for (unsigned int a = 0; a < m; ++a)
    {
      const double *const row = &matrix[std::size_t(active[a]) * n];
      for (unsigned int b = 0; b < m; ++b)
        reduced[std::size_t(a) * m + b] = row[active[b]];
      const double weight = proximal_share * row[active[a]];
      reduced[std::size_t(a) * m + a] += weight;
      solution[a] = missing[active[a]] + weight * before[active[a]];
    }
    solve_by_cholesky(reduced, solution);
    std::fill(impulse.begin(), impulse.end(), 0.);
    for (unsigned int a = 0; a < m; ++a)
      impulse[active[a]] = solution[a];
    wrong.clear();
    for (unsigned int i = 0; i < n; ++i)
    {
      if (is_active[i])
      {
        if (impulse[i] < 0)
          wrong.push_back(i);
        continue;
      }
      double rate = -missing[i];
      for (unsigned int a = 0; a < m; ++a)
        rate += matrix[std::size_t(i) * n + active[a]] * solution[a];
      if (rate < -0.5 * tolerance)
        wrong.push_back(i);
    }
    if (wrong.empty())
      break;
    if (wrong.size() < fewest)
    {
      fewest = wrong.size();
      left = patience;
    }
    else if (left > 0)
      --left;
    else // one by one, which cannot go round in circles for ever
      wrong.assign(1, wrong.back());
    for (const unsigned int i : wrong)
      is_active[i] = !is_active[i];
  }
  if (!wrong.empty() ||
      !std::all_of(impulse.begin(), impulse.end(), [](const double p) { return std::isfinite(p); }))
    return false; // sweeps go on from where they were
  for (unsigned int i = 0; i < n; ++i)
    change_impulse(contacts[island.contacts[i]], std::max(0., impulse[i]), Vector());
  return true;
}

template bool ImpulseSolver<2>::active_set_is_cheaper(const Island &, double) const;
template bool ImpulseSolver<2>::solve_by_active_set(const Island &, double);
template bool ImpulseSolver<3>::active_set_is_cheaper(const Island &, double) const;
template bool ImpulseSolver<3>::solve_by_active_set(const Island &, double);
} // namespace KickDrift
