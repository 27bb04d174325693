// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
namespace
{
constexpr unsigned int most_iterations = 40;
// how often all that are wrong may change at once without fewer of them
constexpr unsigned int patience = 5;
// contacts that depend on each other share what they bear by this
constexpr double proximal_share = 1e-7;
} // namespace

/// What impulses along the normals add to gap rates, by contact of the island [1/mass]; sets the
/// pattern of the same.
template <int spacedim>
void
ImpulseSolver<spacedim>::find_mobility(const Island &island)
{
  struct Share
  {
    unsigned int contact; ///< of the island
    Vector velocity;
    dealii::Tensor<1, 3> angular;
  };
  const unsigned int n = island.contacts.size();
  place_in_island.resize(moving.size());
  for (unsigned int m = 0; m < island.moving.size(); ++m)
    place_in_island[island.moving[m]] = m;
  std::vector<unsigned int> counts(island.moving.size(), 0);
  for (const unsigned int c : island.contacts)
    for (unsigned int l = 0; l < contacts[c].n_links; ++l)
      ++counts[place_in_island[links[contacts[c].first_link + l].moving]];
  auto shares = CompressedRows<Share>::from_counts(counts);
  auto cliques = CompressedRows<unsigned int>::from_counts(counts);
  for (unsigned int i = n; i-- > 0;)
  {
    const Entry &contact = contacts[island.contacts[i]];
    for (unsigned int l = contact.first_link; l < contact.first_link + contact.n_links; ++l)
    {
      const Link &link = links[l];
      const Moving &one = moving[link.moving];
      const unsigned int m = place_in_island[link.moving];
      Share &share = shares.row(m)[--counts[m]];
      share.contact = cliques.row(m)[counts[m]] = i;
      share.velocity = one.is_restrained
                           ? nodes.velocity_change(one.node, link.coefficient * contact.normal)
                           : link.mobility * contact.normal;
      if (one.body)
        share.angular = one.body->angular_change(dealii::cross_product_3d(
            arms[l], in_space<spacedim>(link.coefficient * contact.normal)));
    }
  }
  mobility.clear();
  std::vector<double> row(n, 0.);
  std::vector<char> is_listed(n, 0);
  std::vector<unsigned int> listed;
  for (unsigned int i = 0; i < n; ++i)
  {
    const Entry &contact = contacts[island.contacts[i]];
    listed.clear();
    for (unsigned int l = contact.first_link; l < contact.first_link + contact.n_links; ++l)
      for (const Share &other : shares.row(place_in_island[links[l].moving]))
      {
        Vector change = other.velocity;
        if (moving[links[l].moving].body)
          change += from_space<spacedim>(dealii::cross_product_3d(other.angular, arms[l]));
        if (!is_listed[other.contact])
          listed.push_back(other.contact);
        is_listed[other.contact] = 1;
        row[other.contact] += links[l].coefficient * (contact.normal * change);
      }
    for (const unsigned int j : listed)
    {
      mobility.push_back({j, row[j]});
      row[j] = 0;
      is_listed[j] = 0;
    }
    mobility.finish_row();
  }
  of_active.set_pattern(n, std::move(cliques));
}

template <int spacedim>
bool
ImpulseSolver<spacedim>::solve_by_active_set(const Island &island, const double tolerance)
{
  const unsigned int n = island.contacts.size();
  find_mobility(island);
  std::vector<double> impulse(n), missing(n), diagonal(n, 0.); // missing rates, without impulses
  std::vector<char> is_active(n);
  for (unsigned int i = 0; i < n; ++i)
  {
    const Entry &contact = contacts[island.contacts[i]];
    for (const auto &[j, entry] : mobility.row(i))
      if (j == i)
        diagonal[i] = entry;
    impulse[i] = contact.impulse;
    const double rate = contact.normal * relative_velocity(contact);
    missing[i] = contact.wanted - rate;
    is_active[i] = impulse[i] + missing[i] / diagonal[i] > 0;
  }
  for (unsigned int i = 0; i < n; ++i)
    for (const auto &[j, entry] : mobility.row(i))
      missing[i] += entry * impulse[j];
  const std::vector<double> before = impulse;

  unsigned int fewest = n + 1, left = patience;
  std::vector<unsigned int> wrong;
  for (unsigned int iteration = 0; iteration < most_iterations; ++iteration)
  {
    of_active.begin(is_active);
    for (unsigned int i = 0; i < n; ++i)
    {
      if (!is_active[i])
      {
        impulse[i] = 0;
        continue;
      }
      for (const auto &[j, entry] : mobility.row(i))
        if (j <= i && is_active[j])
          of_active.add(i, j, entry);
      const double weight = proximal_share * diagonal[i];
      of_active.add(i, i, weight);
      impulse[i] = missing[i] + weight * before[i];
    }
    of_active.factorise();
    of_active.solve(impulse);
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
      for (const auto &[j, entry] : mobility.row(i))
        rate += entry * impulse[j];
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

template bool ImpulseSolver<2>::solve_by_active_set(const Island &, double);
template bool ImpulseSolver<3>::solve_by_active_set(const Island &, double);
} // namespace KickDrift
