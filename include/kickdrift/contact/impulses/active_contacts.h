// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_ACTIVE_CONTACTS_H
#define KICKDRIFT_CONTACT_IMPULSES_ACTIVE_CONTACTS_H

#include <kickdrift/contact/impulses/active_contact.h>

#include <map>
#include <vector>

namespace KickDrift
{
/// Contacts of the present instant, in the order in which they were found, and where they are.
template <int spacedim>
class ActiveContacts
{
public:
  std::vector<ActiveContact<spacedim>> list; ///< to be changed, not to be made longer

  /// The contact of two things; null if there is none.
  ActiveContact<spacedim> *
  find(const ContactKey &key)
  {
    const auto entry = places.find(key);
    return entry == places.end() ? nullptr : &list[entry->second];
  }

  /// Add one that is not there.
  ActiveContact<spacedim> &
  add(const ActiveContact<spacedim> &contact)
  {
    places[contact.key] = list.size();
    list.push_back(contact);
    return list.back();
  }

  /// Forget all.
  void
  clear()
  {
    list.clear();
    places.clear();
  }

private:
  std::map<ContactKey, unsigned int> places;
};
} // namespace KickDrift

#endif
