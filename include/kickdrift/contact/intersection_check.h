#ifndef KICKDRIFT_CONTACT_INTERSECTION_CHECK_H
#define KICKDRIFT_CONTACT_INTERSECTION_CHECK_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/layers/layer_primitives.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/stepper.h>

#include <cstdint>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Advances a stepper and finds out whether anything passes through anything: a node through a face,
 * an edge through an edge (in 3D), or a node into an obstacle.
 *
 * Between two kicks a node flies straight. So the run is advanced from instant to instant
 * (Stepper::next_time()), and whenever a velocity changes the primitives of that node are asked for
 * their exact first times of contact (contact/ccd) from then on, unless a plane keeps them apart
 * until the next instant. It shares with contact the list of what is near at a time, but knows
 * nothing of tests, certificates, layers and responses: it verifies them. Times between instants
 * are not sampled, except those of an obstacle that moves by itself and has no
 * Obstacle::largest_acceleration: it is asked where it is at a quarter, half and three quarters of
 * every flight, and may escape if it moves to and fro between them. Primitives of one body with a
 * common node are not tested, nor are pairs that do not see each other. It needs several times as
 * long as the run itself. An obstacle is what nodes meet, as in contact: one that fits between the
 * nodes of a face is not seen.
 */
template <int spacedim>
class IntersectionCheck
{
public:
  /// A contact at which the distance becomes zero.
  struct Intersection
  {
    PrimitivePair primitives; ///< what meets
    double time;              ///< when [time]
  };

  /**
   * Nodes and stepper must outlive it, the rest is copied; the stepper has been started.
   * @param surface with all faces; @p parameters say what is excluded
   */
  IntersectionCheck(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                    Surface<spacedim> surface, const ContactParameters &parameters,
                    const std::vector<Obstacle<spacedim>> &obstacles);

  IntersectionCheck(const IntersectionCheck &) = delete; // its parts refer to it

  /// Stepper::advance_to(), looking at all flights.
  void advance_to(double time);

  /// What has been found so far, in order of time; after the first of a pair others may be missing.
  const std::vector<Intersection> &
  found() const
  {
    return intersections;
  }

  /// "Node 3 of 'left' passes through a face of 'right' (nodes 4, 5, 6) at time 0.1."
  std::string text(const Intersection &intersection) const;

  /// Straight flights of nodes of surfaces that have ended so far.
  std::uint64_t
  n_flights() const
  {
    return flights_ended;
  }

  /// Times of contact that were asked for.
  std::uint64_t
  n_tests() const
  {
    return tests;
  }

private:
  /// A pair that is near.
  struct Pair
  {
    PrimitivePair primitives;
    double impact; ///< when its present flights make it meet, or not before then [time]
    bool is_exact; ///< which of the two?
  };

  void search(double time);
  void mark_places(double time);
  double longest_way(double time) const;
  void look(double time);
  void bound(Pair &pair, double time);
  void find_impacts(double time);
  double impact_time(const PrimitivePair &pair, double time) const;
  void check_obstacles(double time);
  bool enters(const PrimitivePair &pair, double from, double to) const;
  double detour(unsigned int obstacle, double from, double to) const;
  double obstacle_distance(const PrimitivePair &pair, double time,
                           dealii::Point<spacedim> *position) const;
  void note(Pair &pair, double time);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const std::vector<Obstacle<spacedim>> obstacles;
  Surface<spacedim> checked_surface;
  std::vector<std::string> names; ///< of bodies and obstacles
  const Exclusions exclusions;
  LayerPrimitives<spacedim> primitives;
  double reach = 0;               ///< pairs up to this are listed [length]
  std::vector<NodeState> flights; ///< of the nodes of the surface, from their last kick on
  std::vector<dealii::Tensor<1, spacedim>> at_search;           ///< their displacements [length]
  std::vector<dealii::Tensor<1, spacedim>> obstacles_at_search; ///< the same of obstacles [length]
  double last_look = 0;                                         ///< [time]
  std::vector<Pair> pairs;
  std::vector<std::vector<unsigned int>> pairs_of_node; ///< by entry of the surface's nodes
  std::vector<unsigned int> entry_of_node;              ///< of the surface's nodes, by node
  std::vector<unsigned int> changed;                    ///< pairs to be tested at this instant
  std::vector<char> is_changed;                         ///< by pair
  std::vector<Intersection> intersections;
  std::uint64_t flights_ended = 0, tests = 0;
};
} // namespace KickDrift

#endif
