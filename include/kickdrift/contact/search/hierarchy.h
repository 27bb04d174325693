#ifndef KICKDRIFT_CONTACT_SEARCH_HIERARCHY_H
#define KICKDRIFT_CONTACT_SEARCH_HIERARCHY_H

#include <kickdrift/contact/search/broad_phase.h>

namespace KickDrift
{
/**
 * Bounding volume hierarchy of axis-aligned boxes that is refitted locally.
 *
 * Internally a complete binary tree over the leaves, ordered by cutting them in halves across the
 * longest extent, in space and, if they have directions, in direction; boxes are kept in single
 * precision relative to an origin near the leaves. Rounding keeps the order of coordinates, so a
 * query never misses an overlap. It may report boxes that miss by less than about 2e-7 of the
 * distance from the origin.
 */
template <int spacedim>
class Hierarchy final : public BroadPhase<spacedim>
{
public:
  using NormalCone = typename BroadPhase<spacedim>::NormalCone; ///< in which direction one looks

  /// O(n log n).
  void build(const std::vector<Box<spacedim>> &leaves,
             const std::vector<Box<spacedim>> &directions = {},
             const std::vector<double> &sizes = {}) override;

  unsigned int n_leaves() const override;

  /**
   * Replace one leaf's box. Only the boxes above it are touched, and the climb stops at the first
   * ancestor that does not change. Returns the number of levels climbed, that of the ancestors
   * looked at.
   */
  unsigned int update(unsigned int leaf, const Box<spacedim> &box);

  /**
   * Bottom-up; cheaper than single updates when many moved. The origin follows leaves that have
   * moved far away. The tree stays the one that was built, unless its quality has become much worse
   * (surface_area_cost()): then it is built anew.
   */
  void refit(const std::vector<Box<spacedim>> &leaves) override;

  void update_directions(unsigned int leaf, const Box<spacedim> &directions) override;

  /// In ascending order of tree position.
  void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const override;

  /// Whole branches are left out: a node's own body, as long as it does not fold, costs next to
  /// nothing.
  void query(const Box<spacedim> &from, double radius, const NormalCone &cone,
             std::vector<unsigned int> &hits) const override;

  /// Divide the leaves into groups; building anew keeps them, serialize() does not.
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

  /// Below the exact one by at most about 1e-6 of the distance from the origin.
  double distance(const Box<spacedim> &box) const override;

  double distance(const Box<spacedim> &from, const NormalCone &cone, double furthest,
                  const std::function<double(unsigned int)> &distance_to_leaf) const override;

  void serialize(Archive &archive) override;

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

  static constexpr unsigned int several_groups = -1, no_group = -2; ///< no_group: no leaves

  static FloatBox relative(const Box<spacedim> &box, const dealii::Point<spacedim> &origin);

  /// Replace the box of a leaf in one of the trees; returns the number of levels climbed.
  unsigned int climb(std::vector<Siblings> &boxes, unsigned int leaf, FloatBox changed) const;

  void fit(const std::vector<Box<spacedim>> &leaves);

  void find_groups();

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
  std::vector<Siblings> direction_tree;    ///< boxes of directions, relative to zero; may be empty
  std::vector<float> largest_sizes;        ///< by node, of the leaves below [length]
  std::vector<unsigned int> group_of_leaf; ///< empty: there are none
  std::vector<unsigned int> group_of_node; ///< of all leaves below, or several_groups, or no_group
  std::size_t first_leaf = 0;
  double cost_when_built = 1; ///< surface_area_cost()
};
} // namespace KickDrift

#endif
