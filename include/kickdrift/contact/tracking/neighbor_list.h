#ifndef KICKDRIFT_CONTACT_TRACKING_NEIGHBOR_LIST_H
#define KICKDRIFT_CONTACT_TRACKING_NEIGHBOR_LIST_H

#include <kickdrift/contact/surface/motion_bounds.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/point.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * Remembers the targets near a contactor (a list in the manner of Verlet, 1967), so that most tests
 * need no search: targets were looked for a little further out than needed, and the list is good
 * until the contactor has moved so far, and other nodes may have (MotionBounds), that something
 * else could have come near.
 *
 * To fill it: begin(), then for every body either rule_out() or add_body() and add() for each of
 * its targets within the reach, and end(). Bodies that are ruled out are watched together, by what
 * the fastest node of all can do; those not much further away than the reach should be added
 * although they have no targets within it.
 */
template <int spacedim>
class NeighborList
{
public:
  using Points = dealii::ArrayView<const dealii::Point<spacedim>>; ///< of a contactor [length]

  /// Points that a contactor may be the convex hull of.
  static constexpr unsigned int max_points = 2;

  /// Bodies nearer than this multiple of the reach should be added, see above.
  static constexpr double watched = 2;

  /// A target, for instance a face, by the number that the detector gives it.
  struct Target
  {
    double distance;      ///< at least, when the list was made [length]
    unsigned int index;   ///< of the detector's targets
    unsigned int partner; ///< whose target it is

    bool ///< By distance.
    operator<(const Target &other) const
    {
      return distance < other.distance || (distance == other.distance && index < other.index);
    }
  };

  /// How far out to look for targets within @p radius of a contactor of this @p length, so that the
  /// list lasts. The reach grows after a list without targets, and shrinks after a long one.
  double
  reach_for(const double radius, const double length) const
  {
    return radius + slack * length;
  }

  /// Forget everything; from now on the contactor is the hull of @p points at @p time, and targets
  /// within @p reach of it are added.
  void begin(const Points &points, double time, double reach, const MotionBounds<spacedim> &bounds);

  /// All targets of a body are further away than @p distance, which is above the reach.
  void
  rule_out(const double distance)
  {
    others = std::min(others, distance);
  }

  /// What is added from now on belongs to @p body: all its targets within @p range, not less than
  /// the reach.
  void add_body(unsigned int body, double range, const MotionBounds<spacedim> &bounds);

  void ///< A target of the body added last, at this distance at least [length].
  add(const unsigned int index, const double distance)
  {
    list.push_back({distance, index, static_cast<unsigned int>(near.size()) - 1});
  }

  void end(); ///< All targets have been added.

  /// Are all targets that may be within @p radius of the contactor, which is the hull of @p points
  /// at @p time, still among those listed? Finds how near they may have come.
  bool holds(const Points &points, double time, double radius,
             const MotionBounds<spacedim> &bounds);

  /// By distance.
  const std::vector<Target> &
  targets() const
  {
    return list;
  }

  /// Lower bound of the distance of a target when holds() was asked last [length].
  double
  distance(const Target &target) const
  {
    return target.distance - near[target.partner].approach;
  }

  /// The same for any target that is not listed before this one [length].
  double
  distance_from_here_on(const Target &target) const
  {
    return target.distance - largest_approach;
  }

  /// How far the targets of @p body that are not listed are from the contactor at least; infinity
  /// if it was not added [length].
  double range(unsigned int body, const Points &points, double time,
               const MotionBounds<spacedim> &bounds) const;

  /// How far the targets of all bodies that were ruled out are from the contactor at least
  /// [length].
  double
  range_of_others(const Points &points, const double time,
                  const MotionBounds<spacedim> &bounds) const
  {
    return others - moved(points, {}) - (bounds.longest_way(time) - way);
  }

  void serialize(Archive &archive); ///< Write to, or read from, a checkpoint what changes.

  /// Throw dealii::ExceptionBase if it names targets or bodies that do not exist, as what was read
  /// from a checkpoint may.
  void check(unsigned int n_targets, unsigned int n_bodies) const;

private:
  /// A body that targets may come from.
  struct Partner
  {
    unsigned int body;
    dealii::Tensor<1, spacedim>
        displacement;    ///< MotionBounds::displacement() when the list was made [length]
    double path;         ///< MotionBounds::path() when the list was made [length]
    double range;        ///< within which everything was listed [length]
    double approach = 0; ///< of the body and the contactor since then, at most [length]

    void serialize(Archive &archive);
  };

  /// How far the contactor has come since the list was made, seen from what has moved by
  /// @p frame_moved [length].
  double moved(const Points &points, const dealii::Tensor<1, spacedim> &frame_moved) const;
  /// How near a partner and the contactor may have come since then [length].
  double approach(const Partner &partner, const Points &points, double time,
                  const MotionBounds<spacedim> &bounds) const;

  std::vector<Target> list;
  std::vector<Partner> near;                              ///< bodies that were added
  std::array<dealii::Point<spacedim>, max_points> points; ///< when the list was made [length]
  double reach = -1;                                      ///< [length]
  double slack = 2;            ///< of the reach, in lengths of the contactor [-]
  double largest_approach = 0; ///< of those that are near [length]
  double others = 0;           ///< least distance of others when the list was made [length]
  double way = 0;              ///< MotionBounds::longest_way() then [length]
  double time = 0;             ///< then
};
} // namespace KickDrift

#endif
