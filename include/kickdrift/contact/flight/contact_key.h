// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_CONTACT_KEY_H
#define KICKDRIFT_CONTACT_FLIGHT_CONTACT_KEY_H

#include <cstdint>
#include <tuple>

namespace KickDrift
{
/// What a contact is between.
enum class ContactKind : std::uint8_t
{
  point_on_facet,
  edge_on_edge,
  point_on_obstacle
};

/// Which two things are in contact.
struct ContactKey
{
  ContactKind kind;    ///< of what
  unsigned int first;  ///< point, or edge
  unsigned int second; ///< facet, edge or obstacle

  /// In the order in which contacts are answered.
  bool
  operator<(const ContactKey &other) const
  {
    return std::tie(kind, first, second) < std::tie(other.kind, other.first, other.second);
  }
  /// The same two.
  bool
  operator==(const ContactKey &other) const
  {
    return std::tie(kind, first, second) == std::tie(other.kind, other.first, other.second);
  }
};
} // namespace KickDrift

#endif
