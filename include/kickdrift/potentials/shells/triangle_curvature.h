#ifndef KICKDRIFT_POTENTIALS_SHELLS_TRIANGLE_CURVATURE_H
#define KICKDRIFT_POTENTIALS_SHELLS_TRIANGLE_CURVATURE_H

#include <kickdrift/potentials/shells/shell_mesh.h>

#include <array>

namespace KickDrift
{
/**
 * Change of curvature of a triangle from the angles at its edges,
 * @f[ \Lambda = \sum_i \Delta\theta_i \frac{l_i}{2A} n_i \otimes n_i , @f]
 * with lengths and in-plane normals of the edges in the reference state (rotation-free triangle:
 * Oñate & Zárate, Int. J. Numer. Meth. Engng 47 (2000) 557-603; Gingold et al. 2004). Exact where
 * the shell becomes a quadratic surface and angles of the mesh are alike.
 *
 * A free edge carries no moment: its angle is the one that takes the least energy.
 */
class TriangleCurvature
{
public:
  /// A matrix by pairs of edges.
  using Matrix = std::array<std::array<double, 3>, 3>;

  /// Geometry of a triangle of the mesh.
  TriangleCurvature(const ShellMesh &mesh, unsigned int triangle);

  /**
   * Second derivatives Q of the bending energy by the angles, [force length]: energy
   * @f$\frac12 \Delta\theta \cdot Q \Delta\theta@f$. Zero in rows and columns of free edges.
   * @param stiffness of bending, D [force length]
   */
  Matrix stiffness(double stiffness, double poisson_ratio) const;

  /// Curvature in the axes of MembraneTriangle [1/length].
  /// @param angles changes of the angles at the edges; of free edges they are not looked at
  PlaneTensor curvature(const std::array<double, 3> &angles, double poisson_ratio) const;

private:
  /// Q without regard to free edges, for D = 1.
  Matrix unit_stiffness(double poisson_ratio) const;

  double area;
  std::array<PlaneTensor, 3> per_angle; ///< l_i / (2 A) n_i n_i [1/length]
  std::array<bool, 3> is_free;
};
} // namespace KickDrift

#endif
