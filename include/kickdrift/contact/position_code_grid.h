#ifndef KICKDRIFT_CONTACT_POSITION_CODE_GRID_H
#define KICKDRIFT_CONTACT_POSITION_CODE_GRID_H

#include <kickdrift/contact/hierarchy.h>

#include <array>
#include <cstdint>
#include <vector>

namespace KickDrift
{
/**
 * Boxes in a uniform grid of cells, which are stored along a space-filling curve and found by their
 * position code (Wolff & Bucher 2013, section 5.3): the alternative to Hierarchy, with the same
 * queries, for boxes of about the same size.
 *
 * Every box is listed in all cells that it overlaps; boxes over more than 64 cells are kept apart
 * and looked at in every query. The cells are 1.5 times as large as the boxes in the mean.
 * Contact uses Hierarchy, which was measured to answer queries in the order of the faces faster and
 * does not mind faces of different sizes (benchmarks/detection.cc).
 */
template <int spacedim>
class PositionCodeGrid
{
public:
  /// Build for these leaf boxes, with cells that suit them.
  void build(const std::vector<Box<spacedim>> &leaves);

  /// Number of boxes that it was built of.
  unsigned int
  n_leaves() const
  {
    return boxes.size();
  }

  /// Replace one leaf's box; cheap as long as it stays in the same cells.
  void update(unsigned int leaf, const Box<spacedim> &box);

  /// Replace all boxes. Throws if the number of leaves is another.
  void refit(const std::vector<Box<spacedim>> &leaves);

  /// Append to @p hits the leaves whose boxes overlap (or touch) @p box, each once, in no
  /// particular order.
  void query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const;

private:
  static constexpr unsigned int none = -1;

  /// Coordinates of cells; those outside of what the codes can hold count as the outermost.
  using Cell = std::array<std::int32_t, spacedim>;

  struct Range
  {
    Cell first, last;
    bool is_empty; ///< no cell at all
    bool is_large; ///< more cells than are worth it
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
  void insert(unsigned int leaf);
  void remove(unsigned int leaf);
  template <typename Visit>
  static void for_each_cell(const Range &range, const Visit &visit);

  double cell_size = 1; ///< [length]
  dealii::Point<spacedim> origin;
  std::vector<Box<spacedim>> boxes;
  std::vector<Range> ranges;       ///< by leaf
  std::vector<unsigned int> large; ///< leaves
  std::vector<Slot> slots;         ///< open addressing; its size is a power of two
  std::size_t n_used_slots = 0;
  std::vector<Entry> entries;
  unsigned int first_free = none; ///< chain of entries that are not in use
};
} // namespace KickDrift

#endif
