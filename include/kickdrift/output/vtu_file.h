#ifndef KICKDRIFT_OUTPUT_VTU_FILE_H
#define KICKDRIFT_OUTPUT_VTU_FILE_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace KickDrift
{
/// An unstructured grid: points that cells share, and cells, as VTK numbers them.
struct VtuGrid
{
  std::vector<float> points;              ///< three coordinates for each [length]
  std::vector<std::int32_t> connectivity; ///< points of all cells, one after the other
  std::vector<std::int32_t> offsets;      ///< by cell: where its points end in connectivity
  std::vector<std::uint8_t> types;        ///< by cell: of VTK

  /// Number of points.
  std::size_t
  n_points() const
  {
    return points.size() / 3;
  }

  /// Number of cells.
  std::size_t
  n_cells() const
  {
    return types.size();
  }

  /**
   * Append a cell of dimension @p dim with the points @p corners in deal.II's order of vertices: a
   * line, triangle, quadrilateral, tetrahedron or hexahedron.
   */
  void add_cell(unsigned int dim, const std::vector<unsigned int> &corners);
};

/// Values at the points or in the cells of a grid. Vectors have three components, symmetric tensors
/// six: xx, yy, zz, xy, yz, xz, as ParaView counts them.
struct VtuField
{
  std::string name;                        ///< that ParaView shows
  unsigned int n_components;               ///< 1, 3 or 6
  std::vector<float> values;               ///< those of a point or cell one after the other
  bool is_of_integers = false;             ///< are integers written in place of values?
  std::vector<std::int32_t> integers = {}; ///< in the same order
};

/// Same as vectors in space: zeros are appended in the plane.
template <int spacedim, typename Vector>
void
append_vector(std::vector<float> &values, const Vector &vector)
{
  for (unsigned int d = 0; d < 3; ++d)
    values.push_back(d < spacedim ? static_cast<float>(vector[d < spacedim ? d : 0]) : 0.f);
}

/**
 * Write a grid with fields in VTK's XML format. Numbers follow behind the XML as they lie in memory
 * (appended raw data): neither compressed, which takes longer than all the rest, nor as text, so
 * that writing costs as much as copying, and ParaView reads just the fields that are shown.
 *
 * @param time of the state [time]
 * @param cycle number of the picture
 */
void write_vtu(std::ostream &out, const VtuGrid &grid, const std::vector<VtuField> &point_fields,
               const std::vector<VtuField> &cell_fields, double time, unsigned int cycle);

/**
 * Write what makes one picture of the grids of several files with the same fields.
 *
 * @param pieces names of the files, relative to this one
 */
void write_pvtu(std::ostream &out, const std::vector<VtuField> &point_fields,
                const std::vector<VtuField> &cell_fields, const std::vector<std::string> &pieces);
} // namespace KickDrift

#endif
