#ifndef KICKDRIFT_CONTACT_SEARCH_POSITION_CODE_GRID_H
#define KICKDRIFT_CONTACT_SEARCH_POSITION_CODE_GRID_H

#include <kickdrift/contact/search/broad_phase.h>

#include <array>
#include <cstdint>
#include <vector>

namespace KickDrift
{
/**
 * Boxes in a uniform grid of cells, which are stored along a space-filling curve and found by their
 * position code (Wolff & Bucher 2013, section 5.3): the alternative to Hierarchy, for boxes of
 * about the same size.
 *
 * Every box is listed in all cells that it overlaps; boxes over more than 64 cells are kept apart
 * and looked at in every query. The cells are 1.5 times as large as the boxes in the mean. What is
 * nearest is looked for in more and more cells, and in all boxes when there are more cells than
 * boxes.
 */
template <int spacedim>
class PositionCodeGrid final : public BroadPhase<spacedim>
{
public:
  using NormalCone = typename BroadPhase<spacedim>::NormalCone; ///< in which direction one looks

  /// With cells that suit the leaves.
  void build(const std::vector<Box<spacedim>> &leaves,
             const std::vector<Box<spacedim>> &directions = {},
             const std::vector<double> &sizes = {}) override;

  unsigned int
  n_leaves() const override
  {
    return boxes.size();
  }

  /// Replace one leaf's box; cheap as long as it stays in the same cells.
  void update(unsigned int leaf, const Box<spacedim> &box);

  /// Builds anew if the leaves have moved so far that cells would get no codes of their own.
  void refit(const std::vector<Box<spacedim>> &leaves) override;

  void update_directions(unsigned int leaf, const Box<spacedim> &directions) override;

  /// In ascending order.
  void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const override;

  void query(const Box<spacedim> &from, double radius, const NormalCone &cone,
             std::vector<unsigned int> &hits) const override;

  double distance(const Box<spacedim> &box) const override;

  double distance(const Box<spacedim> &from, const NormalCone &cone, double furthest,
                  const std::function<double(unsigned int)> &distance_to_leaf) const override;

  void serialize(Archive &archive) override;

private:
  static constexpr unsigned int none = -1;
  static constexpr std::uint64_t no_code = -1;
  /// Bits of a code by direction, such that all fit into 64 bits and no code is no_code.
  static constexpr int n_bits = spacedim == 2 ? 31 : 21;

  /// Coordinates of cells; those outside of what the codes can hold count as the outermost.
  using Cell = std::array<std::int32_t, spacedim>;

  struct Range
  {
    Cell first, last;
    double n_cells; ///< zero if the box is empty

    bool
    is_empty() const
    {
      return n_cells == 0;
    }

    /// Of a leaf: too many cells to list it there.
    bool
    is_large() const
    {
      return n_cells > 64;
    }
  };

  /// A cell with boxes; the chain of its boxes begins at `entry`.
  struct Slot
  {
    std::uint64_t code;
    unsigned int entry;
  };

  struct Entry
  {
    unsigned int leaf, next;
  };

  Range range_of(const Box<spacedim> &box) const;
  static std::uint64_t code_of(const Cell &cell);
  unsigned int find(std::uint64_t code) const;
  Slot &slot_for(std::uint64_t code);
  void make_room();
  void list_all();
  bool is_far_away(const std::vector<Box<spacedim>> &leaves) const;
  void insert(unsigned int leaf);
  void remove(unsigned int leaf);
  template <typename Visit>
  static void for_each_cell(const Range &range, const Visit &visit);
  template <typename Visit>
  void for_each_overlap(const Box<spacedim> &box, const Visit &visit) const;
  bool is_wanted(unsigned int leaf, const Box<spacedim> &from, const NormalCone &cone) const;
  template <typename Distance>
  double find_nearest(const Box<spacedim> &from, double furthest, const Distance &distance) const;
  void check_directions() const;

  double cell_size = 1; ///< [length]
  dealii::Point<spacedim> origin;
  std::vector<Box<spacedim>> boxes;
  std::vector<Box<spacedim>> directions; ///< by leaf, may be empty
  std::vector<double> sizes;             ///< with directions, by leaf [length]
  std::vector<Range> ranges;             ///< by leaf
  std::vector<unsigned int> large;       ///< leaves
  std::vector<Slot> slots;               ///< open addressing; its size is a power of two
  std::size_t n_used_slots = 0;
  std::vector<Entry> entries;
  unsigned int first_free = none; ///< chain of entries that are not in use
};
} // namespace KickDrift

#endif
