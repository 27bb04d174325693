// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_ACTIVE_CONTACT_H
#define KICKDRIFT_CONTACT_IMPULSES_ACTIVE_CONTACT_H

#include <kickdrift/contact/flight/contact_key.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/surface/contact_point.h>

#include <array>

namespace KickDrift
{
/// What is remembered of a contact as long as the two touch.
template <int spacedim>
struct ContactRecord
{
  ContactKey key;          ///< of whom
  unsigned int body = 0;   ///< of the contactor, see ContactPairs
  unsigned int target = 0; ///< the other partner
  double kept = 0;         ///< taken by stopping, to be given back at the opening [energy]
  /// Normal impulse since it was open [mass*length/time].
  double compression = 0;
  unsigned int n_closed = 0;          ///< instants with an impulse, one after the other
  double force = 0;                   ///< normal impulse over its flight, the last one [force]
  double overlap = 0;                 ///< depth at the start, which is let out slowly [length]
  double until = 0;                   ///< end of the flight that it was answered for [time]
  bool is_closed = false;             ///< had it an impulse, and has not opened since?
  double side = 1;                    ///< of edges: sign of the cross product along the normal
  std::array<double, 2> place = {};   ///< of edges: where, along each of them [-]
  dealii::Tensor<1, spacedim> normal; ///< that the impulse has acted along last [-]
  ContactHistory memory;              ///< for reports

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(key.kind, key.first, key.second, body, target, kept, compression, n_closed, force,
            until, is_closed, overlap, side, place, normal, memory);
  }
};

/// A contact at the present instant.
template <int spacedim>
struct ActiveContact : ContactRecord<spacedim>
{
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  ContactPair<spacedim> *pair = nullptr; ///< coefficients
  ContactStencil<spacedim> stencil;      ///< where impulses act, with the present normal
  /// The points of both sides that are to stay together while it sticks.
  ContactStencil<spacedim> material;
  Vector apart_at_touch = {}; ///< their difference when they met [length]
  Vector kicks = {};          ///< what those of this instant have added to the relative velocity
  /// What kicks that are under way have still to add to it, where a rigid body has just arrived.
  Vector pending = {};
  /// Of a rigid body that has just arrived: its rate is stopped, not its gap.
  bool is_impact = false;
  bool closes = false;     ///< then: is its gap at the end of the flight looked at, too?
  double counted = 0;      ///< what of the pending counts for that, along the normal [length/time]
  double duration = 0;     ///< until the next kick of one of its nodes [time]
  double inverse_mass = 0; ///< along the normal [1/mass]
  double tangential_inverse_mass = 0; ///< no less than any along the surface [1/mass]
  double offset = 0;                  ///< how far apart the two are where they touch [length]
  bool is_rigid = false;              ///< there are no waves: nothing in it can deform
  bool is_prepared = false;           ///< has it what belongs to its stencil?
  bool is_in_solver = false;          ///< does the solver have it as it is now?
  bool is_new = false;                ///< of this instant
  bool is_under_way = false;          ///< is it to close at the end of a flight that goes on?
  bool is_hit = false;                ///< is a rigid body that has just arrived stopped by it?
  bool is_leaving = false;            ///< has left its place: what it keeps is given back now
  bool is_opening = false;            ///< gives back what it keeps, and the rest is lost
  bool is_in_front = true;            ///< is its gap open at this instant?
  bool is_at_corner = false;          ///< is its normal the mean of several facets?
  double least_gap = 0;               ///< that the end of the flight may have [length]

  // of a new one: the plane where it was met
  bool by_plane = false;          ///< its gap is that over this plane
  bool is_frozen = false;         ///< and stays so
  unsigned int n_planes = 0;      ///< how often it has got one
  ContactStencil<spacedim> plane; ///< its points there, and its normal
  Vector apart_at_plane = {}; ///< where they touch there, of obstacles or at a distance [length]

  // at the end of the flight
  Vector end_normal = {};  ///< of the surface there [-]
  double end_gap = 0;      ///< [length]
  Vector end_slip = {};    ///< along the present tangents [length]
  bool is_off_end = false; ///< beyond a rim there
  /// The facet that it is on there, behind a concave edge; none if it is on its own.
  unsigned int facet_beyond = -1;

  double kept_at_opening = 0; ///< see kept, before it is given back [energy]
  double least = 0;       ///< normal impulse that is given back at the opening [mass*length/time]
  double impulse = 0;     ///< normal one so far, with that [mass*length/time]
  double expected = 0;    ///< that the search for it begins with [mass*length/time]
  Vector tangential = {}; ///< the other part [mass*length/time]
  bool sticks = false;    ///< does friction hold it?

  /// The whole impulse on the contactor [mass*length/time].
  Vector
  total() const
  {
    return impulse * stencil.normal + tangential;
  }
};
} // namespace KickDrift

#endif
