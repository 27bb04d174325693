#ifndef KICKDRIFT_CONTACT_SEARCH_HIERARCHY_H
#define KICKDRIFT_CONTACT_SEARCH_HIERARCHY_H

#include <kickdrift/contact/geometry/box.h>

#include <vector>

namespace KickDrift
{
/**
 * Finds, of many boxes (leaves), those that overlap a box. Bounding volume hierarchy of
 * axis-aligned boxes that is refitted locally.
 *
 * Leaves are numbered as in the array it was built from. Bounds may be infinite. Boxes may be
 * empty; a box with a bound that is not a number counts as empty. Several threads may ask at once.
 *
 * Internally a complete binary tree over the leaves, ordered by cutting them in halves across the
 * longest extent; boxes are kept in single precision relative to an origin near the leaves.
 * Rounding keeps the order of coordinates, so a query never misses an overlap. It may report boxes
 * that miss by less than about 2e-7 of the distance from the origin.
 */
template <int spacedim>
class Hierarchy
{
public:
  /// O(n log n).
  void build(const std::vector<Box<spacedim>> &leaves);

  /// Number of boxes that it was built of.
  unsigned int n_leaves() const;

  /**
   * Replace one leaf's box. Only the boxes above it are touched, and the climb stops at the first
   * ancestor that does not change. Returns the number of levels climbed, that of the ancestors
   * looked at.
   */
  unsigned int update(unsigned int leaf, const Box<spacedim> &box);

  /**
   * Replace all boxes, bottom-up; cheaper than single updates when many moved. The origin follows
   * leaves that have moved far away. The tree stays the one that was built, unless its quality has
   * become much worse (surface_area_cost()): then it is built anew. Throws if the number of leaves
   * is another.
   */
  void refit(const std::vector<Box<spacedim>> &leaves);

  /// Append to @p hits the leaves whose boxes overlap (or touch) @p box, each once, in ascending
  /// order of tree position. Rounding may add some that almost do.
  void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const;

  /// Divide the leaves into groups; building anew keeps them.
  void set_groups(std::vector<unsigned int> groups);

  /// As query(), of leaves of a group (@p same) or of all others only: branches of which none is
  /// wanted are left out, and so are leaves.
  void query(const Box<spacedim> &box, unsigned int group, bool same,
             std::vector<unsigned int> &hits) const;

  /**
   * Quality of the tree: the sum of the surface areas (perimeters in 2D) of all boxes above the
   * leaves, over that of the root. So many of them does a small query box at a random place in the
   * root's box look into; less is better. One if there is nothing to cut.
   */
  double surface_area_cost() const;

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

  static constexpr unsigned int several_groups = -1, no_group = -2; ///< no_group: no leaves

  static FloatBox relative(const Box<spacedim> &box, const dealii::Point<spacedim> &origin);

  void fit(const std::vector<Box<spacedim>> &leaves);

  void find_groups();

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
  std::vector<unsigned int> group_of_leaf; ///< empty: there are none
  std::vector<unsigned int> group_of_node; ///< of all leaves below, or several_groups, or no_group
  std::size_t first_leaf = 0;
  double cost_when_built = 1; ///< surface_area_cost()
};
} // namespace KickDrift

#endif
