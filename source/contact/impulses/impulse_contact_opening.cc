// SPDX-License-Identifier: LGPL-2.1-or-later
// Contacts that open, and what they give back.

#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace KickDrift
{
namespace
{
// how often a scale of what is given back is tried
constexpr unsigned int most_scales = 8;
// of the energies that are exchanged
constexpr double energy_rounding = 1e-13;
// of what is given back: what has to be, and no more than this
constexpr double enough = 0.999, more = 1e-9;
} // namespace

template <int spacedim>
std::vector<unsigned int>
ImpulseContact<spacedim>::find_opening()
{
  mark_hit();
  const auto may_open = [](const Contact &contact)
  {
    return contact.is_hit ||
           (!contact.is_new && !contact.is_under_way && (contact.is_closed || contact.is_leaving) &&
            contact.inverse_mass > 0);
  };
  const auto leaves = [this](const Contact &contact)
  {
    // nothing is compressed between the middle of a shell and an obstacle or another shell, so
    // that no wave opens them
    const bool bears_nothing =
        contact.impulse == 0 &&
        (contact.end_gap > 10 * in_flight->rounding || is_between_middles(contact));
    return contact.is_leaving || bears_nothing;
  };
  // Nothing is compressed between two that are rigid: they open at the end of the compression,
  // which is now if they have just arrived. All of their contacts do, since these share what they
  // bear, and what they keep, in many ways.
  std::set<BodyPair> rebounding;
  std::map<BodyPair, double> kept;
  for (const Contact &contact : contacts.list)
    if (contact.is_rigid && may_open(contact) && contact.compression + contact.impulse > 0)
      kept[pair_of(contact)] += contact.kept - (contact.is_hit ? work(contact) : 0.);
  for (const Contact &contact : contacts.list)
    if (contact.is_rigid && may_open(contact) && (contact.is_hit || contact.compression > 0) &&
        (contact.is_hit || leaves(contact) || contact.n_closed >= 2 ||
         normal_rate_before(contact) >= 0))
      rebounding.insert(pair_of(contact));
  std::vector<unsigned int> result;
  for (unsigned int c = 0; c < contacts.list.size(); ++c)
  {
    Contact &contact = contacts.list[c];
    if (!may_open(contact))
      continue;
    if (!contact.is_rigid)
    {
      if (leaves(contact) && contact.kept > 0)
        result.push_back(c);
    }
    else if ((contact.is_hit || contact.compression > 0) && rebounding.count(pair_of(contact)) > 0)
    {
      if (kept[pair_of(contact)] > 0)
        result.push_back(c);
      else
        contact.compression = 0;
    }
  }
  return result;
}

/// At the end of an impact nothing approaches without what is pending, either, and nothing is
/// behind at the end of the flight, on which bodies turn.
template <int spacedim>
bool
ImpulseContact<spacedim>::count_no_more()
{
  bool any = false;
  for (Contact &contact : contacts.list)
    if (contact.is_impact)
    {
      any = contact.closes = true;
      contact.counted = 0;
    }
  return any;
}

template <int spacedim>
void
ImpulseContact<spacedim>::open()
{
  const std::vector<unsigned int> opening = find_opening();
  if (opening.empty())
  {
    if (count_no_more())
      is_settled = settle();
    return;
  }
  // with impulses q, which are scaled by s, contacts do s b + s^2 a more work than without
  std::vector<double> q, first;
  double available = 0, b = 0, a = 0;
  for (const unsigned int c : opening)
  {
    Contact &contact = contacts.list[c];
    if (contact.kept < 0)
    {
      books.stats.restitution_loss += contact.kept;
      contact.kept = 0;
    }
    const double e = contact.pair->restitution;
    first.push_back(contact.is_hit ? contact.impulse : 0.);
    q.push_back(contact.is_rigid ? e * (contact.compression + first.back())
                                 : std::sqrt(2 * e * e * contact.kept / contact.inverse_mass));
    if (contact.is_rigid)
      contact.compression = 0;
    contact.is_opening = true;
    // with what it takes at this instant
    contact.kept_at_opening = std::max(0., contact.kept - work(contact));
    available += e * e * contact.kept_at_opening;
  }
  std::vector<double> rates;
  for (unsigned int k = 0; k < opening.size(); ++k)
  {
    const Contact &contact = contacts.list[opening[k]];
    rates.push_back(normal_rate(contact));
    const double by_impulses = rates[k] - contact.stencil.normal * kicked_velocity(contact);
    b += 0.5 * q[k] *
         (normal_rate_before(contact) + rates[k] + by_impulses +
          2 * (contact.stencil.normal * contact.pending));
  }
  for (unsigned int k = 0; k < opening.size(); ++k)
    flights->give(contacts.list[opening[k]].stencil,
                  q[k] * contacts.list[opening[k]].stencil.normal);
  for (unsigned int k = 0; k < opening.size(); ++k)
    a += 0.5 * q[k] * (normal_rate(contacts.list[opening[k]]) - rates[k]);
  fly();
  double exchanged = 0;
  for (const Contact &contact : contacts.list)
    exchanged += contact.impulse * (std::abs(normal_rate_before(contact)) +
                                    std::abs(normal_rate(contact)) + contact.kicks.norm());
  const double work_without = work();
  bool any_hit = count_no_more();
  for (unsigned int k = 0; k < opening.size(); ++k)
  {
    Contact &contact = contacts.list[opening[k]];
    contact.least = first[k];
    any_hit = any_hit || contact.is_hit;
  }
  if (!(a > 0) || available <= energy_rounding * exchanged)
  {
    if (any_hit)
      is_settled = settle();
    return;
  }
  const ActiveContacts<spacedim> without = contacts;
  const std::vector<ContactRecord<spacedim>> others = records; // some may wake
  // what a scale gives has to be solved for; it grows with the scale, about with its square
  double scale = (-b + std::sqrt(b * b + 4 * a * available)) / (2 * a);
  // elastic bodies open in the course of many instants, rigid ones now, as far as Poisson's law
  // goes
  const bool any_rigid =
      std::any_of(opening.begin(), opening.end(),
                  [this](const unsigned int c) { return contacts.list[c].is_rigid; });
  // give too little, too much
  double low = 0, high = std::numeric_limits<double>::infinity(), by_low = 0, by_high = 0;
  const double largest_scale = any_rigid ? 1. : std::numeric_limits<double>::infinity();
  const bool all_now = any_rigid || std::any_of(opening.begin(), opening.end(),
                                                [this](const unsigned int c)
                                                { return is_between_middles(contacts.list[c]); });
  scale = std::min(scale, largest_scale);
  for (unsigned int i = 0; i < most_scales; ++i)
  {
    if (i > 0)
    {
      contacts = without;
      for (Contact &contact : contacts.list)
        contact.is_in_solver = false; // which has been changed since
      records = others;
      fly();
    }
    // whatever happens, no more is given than there is
    if (i + 1 == most_scales)
      scale = low;
    for (unsigned int k = 0; k < opening.size(); ++k)
      contacts.list[opening[k]].least = first[k] + scale * q[k];
    is_settled = settle();
    const double given = work() - work_without;
    if (i + 1 == most_scales ||
        (given <= available * (1 + more) &&
         (!all_now || given >= available * enough || scale >= largest_scale)))
      return;
    if (given > available)
    {
      high = scale;
      by_high = given;
    }
    else
    {
      low = scale;
      by_low = given;
    }
    // where all is given at once a little less than there is
    const double wanted = (all_now ? 0.5 * (1 + enough) : 1.) * available;
    const double next = std::isfinite(high) && low > 0
                            ? low + (high - low) * (wanted - by_low) / (by_high - by_low)
                            : scale * (given > 0 ? std::sqrt(wanted / given) : 2.);
    if (next > low && next < high)
      scale = std::min(next, largest_scale);
    else
      scale = std::isfinite(high) ? 0.5 * (low + high) : std::min(2 * scale, largest_scale);
  }
}

template void ImpulseContact<2>::open();
template void ImpulseContact<3>::open();
} // namespace KickDrift
