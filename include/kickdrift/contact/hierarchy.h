#ifndef KICKDRIFT_CONTACT_HIERARCHY_H
#define KICKDRIFT_CONTACT_HIERARCHY_H

#include <deal.II/base/point.h>

#include <functional>
#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/// Axis-aligned box. It is empty, and touches nothing, where a lower bound is not below the upper.
template <int spacedim>
struct Box
{
  dealii::Point<spacedim> lower; ///< [length]
  dealii::Point<spacedim> upper; ///< [length]
};

/**
 * Bounding volume hierarchy of axis-aligned boxes that is refitted locally.
 *
 * Leaves are numbered as in the array it was built from. Internally a complete binary tree over
 * the leaves, ordered by cutting them in halves across the longest extent, in space and, if they
 * have directions, in direction; boxes are kept in single precision relative to an origin near the
 * leaves. Rounding keeps the order of coordinates, so a query never misses an overlap. It may
 * report boxes that miss by less than about 2e-7 of the distance from the origin.
 *
 * Bounds may be infinite. Boxes may be empty; a box with a bound that is not a number counts as
 * empty.
 */
template <int spacedim>
class Hierarchy
{
public:
  /**
   * Build for these leaf boxes; O(n log n).
   * @param directions optional, by leaf: a box that contains all unit vectors in which the leaf
   * faces, for the query by directions
   * @param sizes with directions, by leaf: see View::depth [length]
   */
  void build(const std::vector<Box<spacedim>> &leaves,
             const std::vector<Box<spacedim>> &directions = {},
             const std::vector<double> &sizes = {});

  /// Number of boxes that it was built of.
  unsigned int n_leaves() const;

  /**
   * Replace one leaf's box. Only the boxes above it are touched, and the climb stops at the first
   * ancestor that does not change. Returns the number of levels climbed, that of the ancestors
   * looked at.
   */
  unsigned int update(unsigned int leaf, const Box<spacedim> &box);

  /**
   * Replace all boxes at once, bottom-up; cheaper than single updates when many moved. The origin
   * follows leaves that have moved far away. The tree stays the one that was built, unless its
   * quality has become much worse (surface_area_cost()): then it is built anew. Throws if the
   * number of leaves is another.
   */
  void refit(const std::vector<Box<spacedim>> &leaves);

  /// Replace one leaf's box of directions.
  void update_directions(unsigned int leaf, const Box<spacedim> &directions);

  /// Append to @p hits the leaves whose boxes overlap (or touch) @p box, in ascending order of tree
  /// position.
  void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const;

  /**
   * Which leaves are of interest to who looks in some direction: leaves that face that direction
   * have normals n with small products n . direction.
   */
  struct View
  {
    dealii::Tensor<1, spacedim> direction; ///< in which it looks; zero for everywhere [-]
    double limit;                          ///< n . direction is not above this [-]
    /// Leaves are left out if who looks is deeper behind all of them, against n, than so many times
    /// their size [-]. They are the far side of its own body then.
    double depth = std::numeric_limits<double>::infinity();
  };

  /**
   * The same for a box that is @p from grown by @p radius, but only leaves that a @p view from all
   * of @p from asks for, and perhaps a few that almost fit. Whole branches are left out: a node's
   * own body, as long as it does not fold, costs next to nothing. Throws if the hierarchy was built
   * without directions.
   */
  void query(const Box<spacedim> &from, double radius, const View &view,
             std::vector<unsigned int> &hits) const;

  /**
   * Quality of the tree: the sum of the surface areas (perimeters in 2D) of all boxes above the
   * leaves, over that of the root. So many of them does a small query box at a random place in the
   * root's box look into; less is better. One if there is nothing to cut.
   */
  double surface_area_cost() const;

  /// Distance from @p box to the nearest leaf's box, zero if they overlap, infinity if all are
  /// empty [length]. Never above the exact one; below it by at most about 1e-6 of the distance from
  /// the origin.
  double distance(const Box<spacedim> &box) const;

  /**
   * The smallest of the distances that @p distance_to_leaf gives for those leaves that a @p view
   * from all of @p from asks for (perhaps also for a few others), or @p furthest if that is less
   * [length]. That of a leaf must not be less than its box's from @p from. Rounding as above.
   * Throws if the hierarchy was built without directions.
   */
  double distance(const Box<spacedim> &from, const View &view, double furthest,
                  const std::function<double(unsigned int)> &distance_to_leaf) const;

  /// Write to, or read from, a checkpoint the boxes as they are; the tree was built of the same
  /// leaves.
  void serialize(Archive &archive);

private:
  /// Half of the entries of a box: the coordinates, filled up to a power of two.
  static constexpr unsigned int n_half = spacedim == 2 ? 2 : 4;

  /**
   * Lower bounds and negative upper bounds relative to the origin, so that the union of two boxes
   * is the minimum of their entries. The empty box is infinity.
   */
  struct alignas(2 * n_half * sizeof(float)) FloatBox
  {
    float entries[2 * n_half];
  };

  /// Both children of a node, which are always needed together: one cache line in 3D.
  struct alignas(2 * sizeof(FloatBox)) Siblings
  {
    FloatBox boxes[2];
  };

  class Filter;

  static FloatBox relative(const Box<spacedim> &box, const dealii::Point<spacedim> &origin);

  /// Replace the box of a leaf in one of the trees; returns the number of levels climbed.
  unsigned int climb(std::vector<Siblings> &boxes, unsigned int leaf, FloatBox changed) const;

  void fit(const std::vector<Box<spacedim>> &leaves);

  /// Build anew, with the present directions.
  void build_again(const std::vector<Box<spacedim>> &leaves);

  template <typename Keep, typename SquareOfLeaf>
  double find_nearest(const Box<spacedim> &box, double furthest, const Keep &keeps,
                      const SquareOfLeaf &square_of_leaf) const;

  template <typename Visit>
  void traverse(const Box<spacedim> &box, const Visit &visit,
                std::vector<unsigned int> &hits) const;

  dealii::Point<spacedim> origin;
  std::vector<unsigned int> leaf_at_position, position_of_leaf;

  /**
   * Nodes 2i and 2i+1 are the children of node i; node 1 is the root, and the leaf at position p
   * is node first_leaf+p, where first_leaf is the smallest power of two that leaves room for all.
   */
  std::vector<Siblings> tree;
  std::vector<Siblings> direction_tree; ///< boxes of directions, relative to zero; may be empty
  std::vector<float> largest_sizes;     ///< by node, of the leaves below [length]
  std::size_t first_leaf = 0;
  double cost_when_built = 1; ///< surface_area_cost()
};
} // namespace KickDrift

#endif
