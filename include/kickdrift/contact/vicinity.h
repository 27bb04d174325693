#ifndef KICKDRIFT_CONTACT_VICINITY_H
#define KICKDRIFT_CONTACT_VICINITY_H

#include <kickdrift/contact/motion_bounds.h>

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
 * its targets within the reach, and end().
 */
template <int spacedim>
class Vicinity
{
public:
  using Points = dealii::ArrayView<const dealii::Point<spacedim>>;

  /// Points that a contactor may be the convex hull of.
  static constexpr unsigned int max_points = 2;

  /// A target, for instance a face, by the number that the detector gives it.
  struct Target
  {
    double distance; ///< at least, when the list was made [length]
    unsigned int index;
    unsigned int partner; ///< whose target it is

    bool
    operator<(const Target &other) const
    {
      return distance < other.distance || (distance == other.distance && index < other.index);
    }
  };

  /// How far out to look for targets within @p radius of a contactor of this @p length, so that the
  /// list lasts. Who sees nothing looks further next time, who sees many does not.
  double
  reach_for(const double radius, const double length) const
  {
    return radius + slack * length;
  }

  /// Forget everything; from now on the contactor is the hull of @p points at @p time and belongs
  /// to the body @p own, and targets within @p reach of it are added.
  void begin(const Points &points, unsigned int own, double time, double reach);

  /// All targets of @p body are further away than @p distance, which is above the reach.
  void rule_out(unsigned int body, double distance, const MotionBounds<spacedim> &bounds);

  /// What is added from now on belongs to @p body.
  void add_body(unsigned int body, const MotionBounds<spacedim> &bounds);

  void
  add(const unsigned int index, const double distance)
  {
    list.push_back({distance, index, static_cast<unsigned int>(near.size()) - 1});
  }

  void end();

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
  /// if the body was too far away to be remembered [length].
  double range(unsigned int body, const Points &points, double time,
               const MotionBounds<spacedim> &bounds) const;

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
  };

  Partner partner(unsigned int body, double range, const MotionBounds<spacedim> &bounds) const;
  /// Finds how near a partner may have come; is everything within @p radius still listed?
  bool advance(Partner &partner, const Points &points, double time, double radius,
               const MotionBounds<spacedim> &bounds) const;
  bool others_hold(const Points &points, double time, double radius,
                   const MotionBounds<spacedim> &bounds);

  std::vector<Target> list;
  std::vector<Partner> near;                              ///< bodies that targets are listed of
  std::vector<Partner> others;                            ///< bodies further away
  std::array<dealii::Point<spacedim>, max_points> points; ///< when the list was made [length]
  unsigned int own = 0;                                   ///< body of the contactor
  double time = 0;                                        ///< when the list was made
  double reach = -1;                                      ///< [length]
  double slack = 2;            ///< of the reach, in lengths of the contactor [-]
  double largest_approach = 0; ///< of those that are near [length]
  double others_until = 0;     ///< others are out of reach before [time]
  double far_until = 0;        ///< and bodies that are further away than those [time]
  unsigned int leaps = 0;      ///< MotionBounds::leaps() that these times are from
};
} // namespace KickDrift

#endif
