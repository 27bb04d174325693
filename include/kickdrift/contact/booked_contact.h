// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_BOOKED_CONTACT_H
#define KICKDRIFT_CONTACT_BOOKED_CONTACT_H

#include <kickdrift/contact/response/contact_books.h>
#include <kickdrift/contact/surface_contact.h>

#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Contact by single impulses on nodes, which are booked: what such methods report of them.
template <int spacedim>
class BookedContact : public SurfaceContact<spacedim>
{
public:
  const ContactStatistics<spacedim> &
  statistics() const override
  {
    return books.stats;
  }

  ContactStatistics<spacedim> synchronised_statistics() const override;
  ContactPairs<spacedim> synchronised_pairs() const override;
  void add_energy(EnergyBalance &balance) const override;

  /// Those of lasting contacts, see EventSource.
  void pending_impulses(double time,
                        const typename EventSource<spacedim>::OnImpulse &on_impulse) const override;

protected:
  /// See SurfaceContact.
  BookedContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
                const ContactParameters &parameters, std::vector<Obstacle<spacedim>> obstacles,
                const std::vector<std::pair<std::string, std::string>> &exclude);

  ContactBooks<spacedim> books; ///< what was done so far
};
} // namespace KickDrift

#endif
