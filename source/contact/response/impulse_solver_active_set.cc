// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
/// What impulses along the normals add to gap rates, by contact of the island [1/mass].
template <int spacedim>
void
ImpulseSolver<spacedim>::find_mobility(Island &island)
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
  std::size_t n_pairs = 0;
  for (unsigned int m = 0; m < cliques.n_rows(); ++m)
    n_pairs += cliques.row(m).size() * cliques.row(m).size();
  CompressedRows<LinearComplementarity::Entry> mobility;
  mobility.reserve(n, std::min<std::size_t>(n_pairs, static_cast<std::size_t>(n) * n));
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
  island.bearing.set_matrix(std::move(mobility), std::move(cliques));
  island.has_mobility = true;
}

template <int spacedim>
bool
ImpulseSolver<spacedim>::solve_by_active_set(Island &island, const double tolerance)
{
  const unsigned int n = island.contacts.size();
  if (!island.has_mobility)
    find_mobility(island);
  std::vector<double> missing(n), impulse(n); // rates that are, without impulses
  for (unsigned int i = 0; i < n; ++i)
  {
    const Entry &contact = contacts[island.contacts[i]];
    impulse[i] = contact.impulse - contact.least;
    missing[i] = contact.wanted - contact.normal * relative_velocity(contact);
  }
  island.bearing.add_product(impulse, missing);
  if (!island.bearing.solve(missing, tolerance, impulse))
    return false; // sweeps go on from where they were
  bool is_solved = true;
  for (unsigned int i = 0; i < n; ++i)
  {
    Entry &contact = contacts[island.contacts[i]];
    impulse[i] += contact.least;
    Vector tangential = contact.tangential;
    limit(impulse[i], contact.friction, tangential);
    const double change =
        contact.tangential_inverse_mass * (tangential - contact.tangential).norm();
    // below that slips are not known, and gaps are to be as they were solved for
    const bool is_within = change <= island.slip_tolerance && impulse[i] > 0;
    is_solved = is_solved && (change == 0 || is_within);
    change_impulse(contact, impulse[i], is_within ? contact.tangential : tangential);
  }
  return is_solved;
}

template bool ImpulseSolver<2>::solve_by_active_set(Island &, double);
template bool ImpulseSolver<3>::solve_by_active_set(Island &, double);
} // namespace KickDrift
