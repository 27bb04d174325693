#ifndef KICKDRIFT_SOURCE_CONTACT_SEARCH_POSITION_CODE_GRID_CELLS_H
#define KICKDRIFT_SOURCE_CONTACT_SEARCH_POSITION_CODE_GRID_CELLS_H

// The cells of a grid and where they are in its table: the inner loops of updates and of searches.

#include <kickdrift/contact/search/position_code_grid.h>

namespace KickDrift
{
/// Calls @p visit (cell) for all cells of a range that is not empty.
template <int spacedim>
template <typename Visit>
void
PositionCodeGrid<spacedim>::for_each_cell(const Range &range, const Visit &visit)
{
  Cell cell = range.first;
  while (true)
  {
    visit(cell);
    unsigned int d = 0;
    while (d < spacedim && cell[d] == range.last[d])
    {
      cell[d] = range.first[d];
      ++d;
    }
    if (d == spacedim)
      return;
    ++cell[d];
  }
}

/// Lebesgue's curve: the bits of the coordinates in turn.
template <int spacedim>
inline std::uint64_t
PositionCodeGrid<spacedim>::code_of(const Cell &cell)
{
  std::uint64_t code = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    std::uint64_t x = std::uint32_t(cell[d] + (1 << (n_bits - 1)));
    // spread the bits by shifting halves apart
    if constexpr (spacedim == 2)
    {
      x = (x | x << 16) & 0x0000ffff0000ffff;
      x = (x | x << 8) & 0x00ff00ff00ff00ff;
      x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
      x = (x | x << 2) & 0x3333333333333333;
      x = (x | x << 1) & 0x5555555555555555;
    }
    else
    {
      x = (x | x << 32) & 0x001f00000000ffff;
      x = (x | x << 16) & 0x001f0000ff0000ff;
      x = (x | x << 8) & 0x100f00f00f00f00f;
      x = (x | x << 4) & 0x10c30c30c30c30c3;
      x = (x | x << 2) & 0x1249249249249249;
    }
    code |= x << d;
  }
  return code;
}

/// Position of a code in the table, or of the free slot where it would be. Neighbours along the
/// curve stay neighbours in groups of eight.
template <int spacedim>
unsigned int
PositionCodeGrid<spacedim>::find(const std::uint64_t code) const
{
  const std::size_t mask = slots.size() - 1;
  std::size_t i = (((code >> 3) * 0x9e3779b97f4a7c15ull) >> 29) * 8 + (code & 7);
  while (slots[i & mask].code != code && slots[i & mask].code != no_code)
    ++i;
  return i & mask;
}
} // namespace KickDrift

#endif
