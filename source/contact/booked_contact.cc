// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/booked_contact.h>

namespace KickDrift
{
template <int spacedim>
BookedContact<spacedim>::BookedContact(
    NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
    const ContactParameters &parameters, std::vector<Obstacle<spacedim>> obstacles,
    const std::vector<std::pair<std::string, std::string>> &exclude)
    : SurfaceContact<spacedim>(nodes, stepper, std::move(surface), parameters, std::move(obstacles),
                               exclude),
      books(nodes, stepper, this->partners)
{
}

template <int spacedim>
ContactStatistics<spacedim>
BookedContact<spacedim>::synchronised_statistics() const
{
  return books.synchronised_statistics(this->stepper.time());
}

template <int spacedim>
ContactPairs<spacedim>
BookedContact<spacedim>::synchronised_pairs() const
{
  return books.synchronised_pairs(this->stepper.time());
}

template <int spacedim>
void
BookedContact<spacedim>::add_energy(EnergyBalance &balance) const
{
  books.add_energy(this->stepper.time(), balance);
}

template <int spacedim>
void
BookedContact<spacedim>::pending_impulses(
    const double time, const typename EventSource<spacedim>::OnImpulse &on_impulse) const
{
  books.pending_impulses(time, on_impulse);
}

template class BookedContact<2>;
template class BookedContact<3>;
} // namespace KickDrift
