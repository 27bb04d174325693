// Contacts that move something in common, and what they have to do.

#include <kickdrift/contact/response/impulse_solver.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace KickDrift
{
namespace
{
constexpr unsigned int nowhere = -1;
// Of rates, as a share of the velocities that they are made of.
constexpr double rounding_share = 16 * std::numeric_limits<double>::epsilon();
} // namespace

template <int spacedim>
void
ImpulseSolver<spacedim>::find_islands()
{
  std::vector<unsigned int> parent(moving.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](unsigned int one)
  {
    while (parent[one] != one)
      one = parent[one] = parent[parent[one]];
    return one;
  };
  for (const Entry &contact : contacts)
    for (unsigned int l = 1; l < contact.n_links; ++l)
      parent[root(links[contact.first_link + l].moving)] = root(links[contact.first_link].moving);

  n_islands = 0;
  std::vector<unsigned int> island_of(moving.size(), nowhere);
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    const Entry &contact = contacts[c];
    unsigned int &island = island_of[root(links[contact.first_link].moving)];
    if (island == nowhere)
    {
      island = n_islands++;
      islands.resize(std::max<std::size_t>(islands.size(), n_islands));
      islands[island].contacts.clear();
      islands[island].moving.clear();
      islands[island].n_links = 0;
      islands[island].has_rigid = islands[island].has_friction = false;
      islands[island].has_mobility = false;
    }
    Island &of_contact = islands[island];
    of_contact.contacts.push_back(c);
    of_contact.n_links += contact.n_links;
    of_contact.has_friction = of_contact.has_friction || contact.friction > 0;
    for (unsigned int l = 0; l < contact.n_links; ++l)
      of_contact.has_rigid =
          of_contact.has_rigid || moving[links[contact.first_link + l].moving].body;
  }
  for (unsigned int one = 0; one < moving.size(); ++one)
    if (island_of[root(one)] != nowhere)
      islands[island_of[root(one)]].moving.push_back(one);
  has_islands = true;
}

template <int spacedim>
void
ImpulseSolver<spacedim>::measure_islands()
{
  for (unsigned int i = 0; i < n_islands; ++i)
  {
    Island &island = islands[i];
    island.largest_rate = island.rounding = island.tolerance = island.slip_tolerance = 0;
    for (const unsigned int c : island.contacts)
    {
      const Entry &contact = contacts[c];
      island.rounding = std::max(island.rounding, rounding_share * contact.target_velocity.norm());
      if (contact.tolerance > 0 && !(island.tolerance > 0 && island.tolerance < contact.tolerance))
      {
        island.tolerance = contact.tolerance;
        island.slip_tolerance = contact.slip_tolerance;
      }
      island.largest_rate = std::max(island.largest_rate,
                                     contact.wanted - contact.normal * relative_velocity(contact));
      if (contact.least > 0 && contact.friction > 0)
      {
        const Vector velocity = relative_velocity(contact);
        island.largest_rate = std::max(
            island.largest_rate, (velocity - (contact.normal * velocity) * contact.normal).norm());
      }
      for (unsigned int l = contact.first_link; l < contact.first_link + contact.n_links; ++l)
      {
        const unsigned int one = links[l].moving;
        const double turning =
            moving[one].body ? angular_velocities[one].norm() * arms[l].norm() : 0.;
        island.rounding =
            std::max(island.rounding, rounding_share * std::abs(links[l].coefficient) *
                                          (velocities[one].norm() + turning));
      }
    }
  }
}

template void ImpulseSolver<2>::find_islands();
template void ImpulseSolver<2>::measure_islands();
template void ImpulseSolver<3>::find_islands();
template void ImpulseSolver<3>::measure_islands();
} // namespace KickDrift
