#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_ONE_POINT_CELL_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_ONE_POINT_CELL_H

#include "batches/kernels/cell_kernels.h"
#include "critical_step.h"

#include <kickdrift/potentials/cells/cell_kicks.h>

namespace KickDrift
{
/**
 * What one-point integration knows of a quadrilateral or hexahedron in the reference state
 * (Flanagan & Belytschko 1981). Modes are the products of the coordinates on [-1,1] whose bits are
 * set in their number; mixed modes are those of two or three coordinates.
 */
template <int dim>
struct OnePointCell
{
  static constexpr unsigned int n_nodes = 1 << dim;
  static constexpr unsigned int n_modes = n_nodes;

  /// Throws dealii::ExceptionBase if cell @p k of @p cells is a simplex.
  OnePointCell(const CellData<dim> &cells, unsigned int k);

  /// From the numbers() of a cell with this geometry.
  OnePointCell(CellKernels::Geometry geometry, const std::vector<double> &numbers);

  /// Value of a mode at a node: 1 or -1.
  static double value(unsigned int mode, unsigned int node);

  static bool
  is_mixed(const unsigned int mode)
  {
    return (mode & (mode - 1)) != 0;
  }

  /**
   * Hourglass amplitude of a mixed mode as a linear form of the nodal displacements, zero for all
   * linear fields, shape (n_nodes).
   */
  std::array<double, n_nodes> hourglass_form(unsigned int mode) const;

  /// The numbers that the kernels need, in their order.
  std::vector<double> numbers(CellKernels::Geometry geometry) const;

  /// stiffness += that of the hourglass control, shape (dim n_nodes, dim n_nodes).
  void add_hourglass_stiffness(const CellKernels::HourglassData &control,
                               std::vector<double> &stiffness) const;

  double volume;                                              ///< [length^dim]
  std::array<dealii::Tensor<1, dim>, n_nodes> mean_gradients; ///< of the shape functions [1/length]
  /// Sums over the nodes of mode times reference position, of mixed modes only [length].
  std::array<dealii::Tensor<1, dim>, n_modes> positions;
  dealii::Tensor<2, dim> inverse_jacobian; ///< at the centre [1/length]
  dealii::Tensor<2, dim> axes;             ///< columns: orthonormal, as near to the edges as can be
  dealii::Tensor<1, dim> lengths;          ///< edge lengths along the axes [length]

private:
  dealii::Tensor<1, dim> mean_gradient_of_mode(unsigned int mode) const;
};

/**
 * What the kernels have to know of the control for a material. Throws dealii::ExceptionBase if the
 * coefficient is negative or the material has no shear stiffness.
 */
template <int dim>
CellKernels::HourglassData hourglass_data(const HourglassControl &control,
                                          const Material<dim> &material);
} // namespace KickDrift

#endif
