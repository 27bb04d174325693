// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_CROSSING_SEARCH_H
#define KICKDRIFT_CONTACT_IMPULSES_CROSSING_SEARCH_H

#include <kickdrift/contact/impulses/active_contacts.h>
#include <kickdrift/contact/impulses/contact_geometry.h>
#include <kickdrift/contact/search/proximity.h>

#include <array>
#include <cstdint>
#include <functional>
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

  /// Two that will meet, and are answered then.
  struct Arrival
  {
    unsigned int body;   ///< see ContactPairs
    unsigned int target; ///< the other partner
    double time;         ///< from now [time]
  };

  /// Is a meeting answered when it comes? Called with what meets (key, bodies, duration of flights,
  /// of edges what meet() needs), and in which time from now [time].
  using Waits = std::function<bool(const ActiveContact<spacedim> &, double)>;

  /// What was found.
  struct Result
  {
    std::vector<ActiveContact<spacedim>> met; ///< new contacts, see ContactGeometry::meet()
    /// Places of nodes whose flights have to be looked at again, changed or not.
    std::vector<unsigned int> again;
    std::vector<Arrival> arrivals; ///< of those that wait
    bool any = false;              ///< is there more to be solved?
  };

  /**
   * Crossings of those whose flights have changed. Contacts that are there already may be changed:
   * one that leaves and comes back, one that is new and still crosses.
   *
   * @param places of nodes whose flights have changed
   * @param all take all, instead of those that come first among bodies that touch
   * @param waits leave these out
   */
  Result find(const std::vector<unsigned int> &places, ActiveContacts<spacedim> &contacts, bool all,
              const Waits &waits);

  /// All flights are others than before.
  void
  forget_flights()
  {
    last_change.assign(last_change.size(), ++look);
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

  /// What something flies through; right until the flight of one of its nodes changes.
  struct Swept
  {
    Box<spacedim> box;
    std::uint64_t look = 0;    ///< that it has been found for
    std::uint64_t checked = 0; ///< the last one that it is known to be right for
  };

  /// A point that is looked at.
  struct PointFlight
  {
    Box<spacedim> box;
    double duration; ///< until one of its nodes is kicked [time]
  };

  const CornerFlight &flight_of(unsigned int corner);
  bool
  has_changed(const unsigned int place) const
  {
    return last_change[place] == look;
  }

  /// Is it right for corners that move with these nodes?
  bool
  is_right(const Swept &swept, const dealii::ArrayView<const unsigned int> places) const
  {
    return std::all_of(places.begin(), places.end(),
                       [&](const unsigned int place) { return swept.look >= last_change[place]; });
  }

  /// Around the boxes of some corners.
  template <typename Corners>
  void sweep(Swept &swept, const Corners &of_it);
  const Box<spacedim> &swept_by_facet(unsigned int facet);
  const Box<spacedim> &swept_by_edge(unsigned int edge);
  /// How long until one of some corners is kicked [time].
  template <typename Corners>
  double duration_of(const Corners &of_it);

  void find_points_and_edges(const std::vector<unsigned int> &places);
  void look_at_point(unsigned int point, ActiveContacts<spacedim> &contacts);
  void look_at_facet(unsigned int point, unsigned int facet, const PointFlight &flight,
                     ActiveContacts<spacedim> &contacts);
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
  std::vector<unsigned int> facets_beyond(unsigned int facet,
                                          const FacetCrossing<spacedim> &crossing, double duration);
  /// Which facet is met at an edge or corner: it, a neighbour, or none.
  unsigned int facet_at_seam(unsigned int point, unsigned int facet,
                             const FacetCrossing<spacedim> &crossing, double duration);
  bool ends_in_front(unsigned int corner, unsigned int edge, double duration);
  void add(const ContactKey &key, double time, double duration,
           const ActiveContact<spacedim> &contact);
  bool has_changed_facet(unsigned int facet) const;
  const Box<spacedim> &box_of(unsigned int place);
  const Box<spacedim> &box_of_corner(unsigned int corner);
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
  std::vector<Swept> by_nodes;       ///< by place
  std::uint64_t look = 1;            ///< number of the present one
  std::vector<CornerFlight> corners; ///< by corner
  std::vector<Swept> by_corners, by_facets, by_edges;
  std::vector<std::uint64_t> last_change;      ///< by place: look that its flight was new for
  std::vector<unsigned int> points, edges;     ///< to be looked at
  std::vector<char> is_listed, is_edge_listed; ///< by point, by edge
  std::vector<Meeting> meetings;
  std::set<unsigned int> held; ///< places of nodes that are met
  bool any = false;
};
} // namespace KickDrift

#endif
