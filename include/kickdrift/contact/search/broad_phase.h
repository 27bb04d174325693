#ifndef KICKDRIFT_CONTACT_SEARCH_BROAD_PHASE_H
#define KICKDRIFT_CONTACT_SEARCH_BROAD_PHASE_H

#include <kickdrift/contact/geometry/box.h>

#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace KickDrift
{
class Archive;

/**
 * Finds, of many boxes (leaves), those near a place, and of these the ones that face it. What is
 * inside them is not its business.
 *
 * Leaves are numbered as in the array it was built from. Bounds may be infinite. Boxes may be
 * empty; a box with a bound that is not a number counts as empty. Several threads may ask at once.
 */
template <int spacedim>
class BroadPhase
{
public:
  virtual ~BroadPhase() = default;

  /**
   * Build for these leaf boxes.
   * @param directions by leaf: a box that contains all unit vectors in which the leaf faces, for
   * queries with a view; may be empty if there are none
   * @param sizes with directions, by leaf: see NormalCone::depth [length]
   */
  virtual void build(const std::vector<Box<spacedim>> &leaves,
                     const std::vector<Box<spacedim>> &directions,
                     const std::vector<double> &sizes) = 0;

  /// Number of boxes that it was built of.
  virtual unsigned int n_leaves() const = 0;

  /// Replace all boxes. Throws if the number of leaves is another.
  virtual void refit(const std::vector<Box<spacedim>> &leaves) = 0;

  /// Replace one leaf's box of directions.
  virtual void update_directions(unsigned int leaf, const Box<spacedim> &directions) = 0;

  /// Append to @p hits the leaves whose boxes overlap (or touch) @p box, each once, in an order
  /// that only depends on the boxes since build(). Rounding may add some that almost do.
  virtual void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const = 0;

  /**
   * Normals that face an observer: leaves that face its direction have normals n with small
   * products n . direction.
   */
  struct NormalCone
  {
    dealii::Tensor<1, spacedim> direction; ///< of the observer, of any length [-]
    double limit;                          ///< n . direction is not above this [-]
    /// Leaves are left out if the observer is further behind all of them, against n, than this
    /// multiple of their size [-]. They are the far side of its own body then.
    double depth = std::numeric_limits<double>::infinity();
  };

  /// The same for a box that is @p from grown by @p radius, but only leaves whose normals
  /// are in the @p cone of all of @p from, and perhaps a few that almost fit. @p from is not empty.
  /// Throws if built without directions.
  virtual void query(const Box<spacedim> &from, double radius, const NormalCone &cone,
                     std::vector<unsigned int> &hits) const = 0;

  /// Distance from @p box to the nearest leaf's box, zero if they overlap, infinity if all are
  /// empty [length]. Never above the exact one, and below it by rounding only.
  virtual double distance(const Box<spacedim> &box) const = 0;

  /**
   * The smallest of the distances that @p distance_to_leaf gives for those leaves that a @p view
   * from all of @p from asks for (perhaps also for a few others), or @p furthest if that is less
   * [length]. That of a leaf must not be less than its box's from @p from. Rounding as above.
   * Throws if built without directions.
   */
  virtual double distance(const Box<spacedim> &from, const NormalCone &cone, double furthest,
                          const std::function<double(unsigned int)> &distance_to_leaf) const = 0;

  /// Write to, or read from, a checkpoint what has changed; it was built of the same leaves.
  virtual void serialize(Archive &archive) = 0;
};

/// The kinds of it.
enum class BroadPhaseType
{
  hierarchy, ///< Hierarchy
  grid       ///< PositionCodeGrid
};

/// Make one that is still to be built.
template <int spacedim>
std::unique_ptr<BroadPhase<spacedim>> make_broad_phase(BroadPhaseType type);
} // namespace KickDrift

#endif
