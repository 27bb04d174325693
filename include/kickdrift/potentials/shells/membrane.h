#ifndef KICKDRIFT_POTENTIALS_SHELLS_MEMBRANE_H
#define KICKDRIFT_POTENTIALS_SHELLS_MEMBRANE_H

#include <kickdrift/potentials/shells/shell_section.h>

#include <deal.II/base/tensor.h>

#include <array>

namespace KickDrift
{
/**
 * A triangle in space with constant strain: its reference geometry, and the strain, energy and
 * forces that displacements of its corners cause.
 *
 * In axes e_1 along the edge from corner 0 to 1, e_2 in the plane of the triangle, the deformation
 * gradient is @f$F = \sum_a x_a \otimes g_a@f$ (3x2), the Green-Lagrange strain
 * @f$E = \frac12 (F^T F - I)@f$ and the energy per area @f$\frac12 S : E@f$ with the law of plane
 * stress. What is needed of positions are differences of displacements, so that nothing is lost
 * where strains are small or the shell is far from the origin.
 */
class MembraneTriangle
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, 3>;

  /// The state of a triangle.
  struct State
  {
    std::array<Vector, 2> gradient; ///< columns of F [-]
    PlaneTensor strain;             ///< E [-]
  };

  /// @param to_1, to_2 from corner 0 to the others; not parallel [length]
  MembraneTriangle(const Vector &to_1, const Vector &to_2);

  /// Of corners that have moved by u_0, and by u_0 + @p u_1 and u_0 + @p u_2.
  State state(const Vector &u_1, const Vector &u_2) const;

  /**
   * Forces -dV/dx on the corners [force].
   * @param stress S, the second Piola-Kirchhoff stress times thickness [force/length]
   */
  std::array<Vector, 3> forces(const State &state, const PlaneTensor &stress) const;

  /// In the reference state [length^2].
  double
  area() const
  {
    return reference_area;
  }

  /// Columns e_1, e_2: the axes of tensors in the plane.
  const std::array<Vector, 2> &
  axes() const
  {
    return plane;
  }

  /// Gradients g_a of the shape functions along the axes [1/length].
  std::array<std::array<double, 2>, 3> shape_gradients() const;

private:
  std::array<Vector, 2> plane;
  double reference_area;
  /// Of corners 1 and 2: g_1 = (g_11, g_12), g_2 = (0, g_22) [1/length].
  double g_11, g_12, g_22;
};
} // namespace KickDrift

#endif
