// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_FLIGHTS_H
#define KICKDRIFT_CONTACT_FLIGHT_FLIGHTS_H

#include <kickdrift/contact/flight/facets.h>
#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/stepping/stepper.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Straight flights of the nodes of a surface from the present instant on, until they are kicked
 * next, and how impulses that are tried change them. The node table stays as it is.
 *
 * Nodes are places in Facets::nodes(), durations count from the instant.
 */
template <int spacedim>
class Flights
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// A place in space.
  using Point = dealii::Point<spacedim>;

  /// All must outlive it.
  Flights(NodeTable<spacedim> &nodes, const Stepper<spacedim> &stepper,
          const Facets<spacedim> &facets);

  /// Kicks of @p time have been done; there are no impulses yet [time].
  void begin(double time);

  /// The present instant [time].
  double
  instant() const
  {
    return time;
  }

  /// Where a node is now [length].
  const Point &
  now(const unsigned int place)
  {
    return flight_of(place).now;
  }

  /// What it flies with, impulses included [length/time].
  const Vector &
  velocity(const unsigned int place)
  {
    return flight_of(place).velocity;
  }

  /// How long until it is kicked next, not counting kicks that come right after now; infinite if
  /// nothing kicks it [time].
  double
  duration(const unsigned int place)
  {
    Flight &flight = flights[place];
    if (flight.instant != version)
      find_duration(place, flight);
    return flight.duration;
  }

  /// No node that is ever kicked flies for longer; infinite where each cell has a step of its own
  /// [time].
  double
  longest_duration() const
  {
    return longest;
  }

  /// Where a corner is after @p duration [length].
  Point
  at(const unsigned int corner, const double duration)
  {
    const auto &own = facets.corners()[corner];
    if (own.n_nodes == 1)
    {
      const Flight &flight = flight_of(own.nodes[0]);
      return flight.now + duration * flight.velocity;
    }
    Vector sum;
    for (unsigned int i = 0; i < own.n_nodes; ++i)
    {
      const Flight &flight = flight_of(own.nodes[i]);
      sum += flight.now + duration * flight.velocity;
    }
    return Point(sum / own.n_nodes);
  }

  /// Velocity with which the nodes of a stencil, those of the table, move against each other at
  /// this instant: that of rigid bodies, not that along their courses [length/time].
  Vector relative_velocity(const ContactStencil<spacedim> &stencil) const;

  /// Without impulses again.
  void take_back();

  /// Give the contactor of a stencil @p impulse, and its target the reaction
  /// [mass*length/time].
  void give(const ContactStencil<spacedim> &stencil, const Vector &impulse);

  /// Nodes whose flights have changed since clear_changed(); nodes of rigid bodies are here if they
  /// are on the surface.
  const std::vector<unsigned int> &changed();

  /// All flights are as they should be.
  void clear_changed();

private:
  struct Flight
  {
    Point now;
    Vector velocity;
    double duration;
    std::uint64_t version = 0; ///< of the instant, or of the rigid body
    std::uint64_t instant = 0; ///< version of that which the duration is for
  };

  /// An elastic node with an impulse.
  struct Moved
  {
    unsigned int place;
    Vector before; ///< velocity without impulses [length/time]
  };

  /// A rigid body with an impulse.
  struct MovedBody
  {
    unsigned int body;
    RigidMotion motion;
    std::pair<RigidMotion, double> ahead;
    bool is_ahead = false;   ///< does ahead belong to the motion?
    bool is_changed = false; ///< since clear_changed()
  };

  const Flight &
  flight_of(const unsigned int place)
  {
    Flight &flight = flights[place];
    const unsigned int body = body_of_place.empty() ? no_body : body_of_place[place];
    if (flight.version != (body == no_body ? version : version_of_body[body]))
      find(place, body, flight);
    return flight;
  }

  void find(unsigned int place, unsigned int body, Flight &flight);
  void find_duration(unsigned int place, Flight &flight);
  MovedBody &moved_body(unsigned int body);
  void mark_changed(unsigned int place);
  void mark_changed(MovedBody &body);

  static constexpr unsigned int no_body = RigidBodies<spacedim>::none;

  NodeTable<spacedim> &nodes;
  const Stepper<spacedim> &stepper;
  const Facets<spacedim> &facets;
  double time = 0;
  double longest = std::numeric_limits<double>::infinity(); ///< see longest_duration()
  std::uint64_t last_version = 0, version = 0;
  std::vector<Flight> flights;             ///< by place
  std::vector<unsigned int> body_of_place; ///< rigid ones; empty: there are none
  std::vector<std::vector<unsigned int>> places_of_body;
  std::vector<std::uint64_t> version_of_body;
  std::vector<unsigned int> index_of_body; ///< into moved_bodies
  std::vector<Moved> moved;
  std::vector<unsigned int> index_of_place; ///< into moved
  std::vector<MovedBody> moved_bodies;
  std::vector<unsigned int> changed_places;
  std::vector<char> is_changed; ///< by place
};
} // namespace KickDrift

#endif
