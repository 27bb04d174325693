// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_CROSSING_SEARCH_H
#define KICKDRIFT_CONTACT_IMPULSES_CROSSING_SEARCH_H

#include <kickdrift/contact/impulses/active_contacts.h>
#include <kickdrift/contact/impulses/contact_geometry.h>
#include <kickdrift/contact/impulses/proximity.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace KickDrift
{
/**
 * Looks ahead: which of the things that touch nothing cross each other before their next kick?
 *
 * What has no record is outside. It is met where its straight flight first crosses a facet inwards,
 * an edge, or the surface of an obstacle; found exactly, whatever it does in between. Shells are
 * met where they first come as near as their SurfaceFlight::offset().
 */
template <int spacedim>
class CrossingSearch
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive it.
  CrossingSearch(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
                 Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
                 ContactGeometry<spacedim> &geometry, const Proximity<spacedim> &proximity,
                 const std::vector<Obstacle<spacedim>> &obstacles);

  /// What was found.
  struct Result
  {
    std::vector<ActiveContact<spacedim>> met; ///< new contacts, see ContactGeometry::meet()
    /// Places of nodes whose flights have to be looked at again, changed or not.
    std::vector<unsigned int> again;
    bool any = false; ///< is there more to be solved?
  };

  /**
   * Crossings of those whose flights have changed. Contacts that are there already may be changed:
   * one that leaves and comes back, one that is new and still crosses.
   *
   * @param places of nodes whose flights have changed
   * @param all take all, instead of those that come first among bodies that touch
   */
  Result find(const std::vector<unsigned int> &places, ActiveContacts<spacedim> &contacts,
              bool all);

  /// All flights are others than before.
  void
  forget_flights()
  {
    has_box.assign(has_box.size(), 0);
  }

  /// Pairs that the last find() has looked at.
  std::uint64_t n_tests = 0;

private:
  struct Meeting
  {
    double time;     ///< from now [time]
    double duration; ///< of the flight [time]
    ActiveContact<spacedim> contact;
  };

  /// A corner, from now on.
  struct CornerFlight
  {
    dealii::Point<spacedim> now;
    Vector velocity;
    std::uint64_t look = 0; ///< that it has been found for

    StraightFlight<spacedim>
    until(const double duration) const
    {
      return {now, now + duration * velocity};
    }
  };

  /// What several corners fly through.
  struct Swept
  {
    Box<spacedim> box;
    double duration;        ///< until one of them is kicked [time]
    std::uint64_t look = 0; ///< that it has been found for
  };

  const CornerFlight &flight_of(unsigned int corner);
  /// Found anew in each look.
  template <typename Corners>
  const Swept &swept_by(Swept &swept, const Corners &of_it);
  const Swept &swept_by_facet(unsigned int facet);
  const Swept &swept_by_edge(unsigned int edge);

  void find_points_and_edges(const std::vector<unsigned int> &places);
  void look_at_point(unsigned int point, ActiveContacts<spacedim> &contacts);
  void look_at_facet(unsigned int point, unsigned int facet, ActiveContacts<spacedim> &contacts);
  void look_at_obstacle(unsigned int point, unsigned int obstacle,
                        ActiveContacts<spacedim> &contacts);
  void look_at_edges(unsigned int edge, unsigned int other, ActiveContacts<spacedim> &contacts);
  /// Where two things that touch at a distance get too near, of which @p duration is left.
  void look_at_facet_at_offset(unsigned int point, unsigned int facet,
                               const StraightFlight<spacedim> &flight,
                               const std::array<StraightFlight<spacedim>, spacedim> &corners,
                               double duration, ActiveContacts<spacedim> &contacts);
  void look_at_edges_at_offset(const ContactKey &key, const std::array<StraightFlight<3>, 2> &first,
                               const std::array<StraightFlight<3>, 2> &second, double duration,
                               ActiveContacts<spacedim> &contacts);
  /// A contact that is there crosses all the same.
  void cross_again(ActiveContact<spacedim> &contact, double time);
  /// Which facet is met at an edge or corner: it, a neighbour, or none.
  unsigned int facet_at_seam(unsigned int point, unsigned int facet,
                             const FacetCrossing<spacedim> &crossing, double duration);
  bool ends_in_front(unsigned int corner, unsigned int edge, double duration);
  void add(const ContactKey &key, double time, double duration,
           const ActiveContact<spacedim> &contact);
  bool is_changed(unsigned int point, unsigned int facet) const;
  const Box<spacedim> &box_of(unsigned int place);
  Box<spacedim> box_of_corner(unsigned int corner);
  /// Is a node at the end of one of two edges met, too?
  bool is_held(const ContactKey &key) const;
  void keep_first(ActiveContacts<spacedim> &contacts, bool all, Result &result);

  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  Flights<spacedim> &flights;
  SurfaceFlight<spacedim> &in_flight;
  ContactGeometry<spacedim> &geometry;
  const Proximity<spacedim> &proximity;
  const std::vector<Obstacle<spacedim>> &obstacles;
  /// Around the flight of each node, see box_of(). What does not overlap cannot meet until one of
  /// the flights changes.
  std::vector<Box<spacedim>> boxes;
  std::uint64_t look = 0;            ///< number of the present one
  std::vector<CornerFlight> corners; ///< by corner
  std::vector<Swept> by_facets, by_edges;
  std::vector<char> has_changed;               ///< by place
  std::vector<char> has_box;                   ///< by place: is its box that of the present flight?
  std::vector<unsigned int> points, edges;     ///< to be looked at
  std::vector<char> is_listed, is_edge_listed; ///< by point, by edge
  std::vector<Meeting> meetings;
  std::set<unsigned int> held; ///< places of nodes that are met
  bool any = false;
};
} // namespace KickDrift

#endif
