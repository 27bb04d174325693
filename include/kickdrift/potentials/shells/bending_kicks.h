#ifndef KICKDRIFT_POTENTIALS_SHELLS_BENDING_KICKS_H
#define KICKDRIFT_POTENTIALS_SHELLS_BENDING_KICKS_H

#include <kickdrift/potentials/shells/hinge.h>
#include <kickdrift/potentials/shells/membrane.h>
#include <kickdrift/potentials/shells/shell_kicks.h>
#include <kickdrift/potentials/shells/triangle_curvature.h>

namespace KickDrift
{
/**
 * Bending of a shell by angles at edges, @f$V = \frac12 \Delta\theta \cdot Q \Delta\theta@f$:
 *
 * - Bending::triangle: a kick per triangle that has a neighbour, Q of TriangleCurvature.
 * - Bending::hinge: a kick per edge between two triangles, Q = D l^2 / (A_1 + A_2) (Grinspun et
 *   al. 2003 up to a factor). On equilateral triangles that is a plate with the stiffness D and, in
 *   bending, Poisson's ratio -1/3, whatever that of the material is; on other meshes it depends on
 *   the pattern.
 *
 * At an edge that keeps its normal (ShellMesh::keep_normals()) a triangle makes a hinge with its
 * mirror image. Of the energy of such a hinge half is that of the image.
 */
class BendingKicks final : public ShellKicks
{
public:
  /// @param bending triangle or hinge
  BendingKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section, Bending bending,
               unsigned int first_node);

  std::string
  name() const override
  {
    return "bending";
  }
  unsigned int
  n_kicks() const override
  {
    return stencils.size();
  }
  /// Beside the membrane.
  unsigned int
  stratum() const override
  {
    return 1;
  }
  /**
   * Traces of the blocks, which have rank one where the shell is flat, and more than that for thin
   * shells: masses shared by stiffness would make bending as fast as stretching. With stiffnesses
   * k and masses m, kicks are fewest, @f$\sum \sqrt{k/m}@f$ is least, if m is in proportion to the
   * cube root of k. So they are multiplied by @f$R^{-2/3}@f$, with R the ratio of the stiffnesses
   * of bending and membrane at a node.
   */
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  /// Exact: the operator has no higher rank than there are angles.
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  /// The largest change of an angle, or relative change of the length of an edge.
  double deformation(const NodeTable<3> &nodes, unsigned int k) const override;
  unsigned int
  triangle(const unsigned int k) const override
  {
    return stencils[k].triangle;
  }
  /// Curvature as of Bending::triangle, and the moments that belong to it.
  void add_resultants(const NodeTable<3> &nodes, unsigned int triangle,
                      ShellResultants &resultants) const override;
  double
  bytes_per_kick() const override
  {
    return sizeof(Stencil) + bytes_of_packs() / n_kicks();
  }

private:
  static constexpr unsigned int max_hinges = 3, max_nodes = 6;

  /// The hinges of a kick.
  struct Stencil
  {
    unsigned int triangle, n_hinges = 0, n_nodes = 0;
    std::array<unsigned int, max_nodes> nodes; ///< of the mesh
    /// Places of the corners of each hinge among the nodes; the last is ShellMesh::none where the
    /// hinge is between a triangle and its mirror image.
    std::array<std::array<unsigned int, 4>, max_hinges> corners;
    std::array<double, max_hinges> rest_angles;
    TriangleCurvature::Matrix stiffness; ///< Q [force length]
  };

  void add_triangles();
  /// Hand the stencils to the kernels.
  void add_to_packs(Bending bending);
  void add_hinges();
  /// Of a triangle, without hinges.
  Stencil stencil_of(unsigned int triangle) const;
  /// Add a hinge at an edge of a triangle, whose corners are the first nodes of the stencil.
  void add_hinge(unsigned int triangle, unsigned int i, Stencil &stencil) const;
  /// Normal of the plane of reflection of a hinge with a mirror image.
  Vector mirror_normal(const Stencil &stencil, unsigned int hinge) const;
  HingeCorners corners(const Stencil &stencil, unsigned int hinge,
                       const Vector *displacements) const;
  /// Derivatives by the corners that are nodes; the last one is zero if it is a mirror image.
  HingeCorners by_nodes(const Stencil &stencil, unsigned int hinge,
                        const HingeCorners &gradient) const;
  /// Angles of the hinges beyond those at rest.
  std::array<double, max_hinges> angles(const Stencil &stencil, const Vector *displacements) const;
  /// Derivatives of the angles in the reference state, by hinge and node [1/length].
  std::array<std::array<Vector, max_nodes>, max_hinges>
  reference_gradients(const Stencil &stencil) const;

  dealii::ArrayView<const unsigned int> mesh_nodes(unsigned int k) const override;
  void forces(unsigned int k, const Vector *displacements, Vector *result) const override;
  double energy_of(unsigned int k, const Vector *displacements) const override;

  std::vector<Stencil> stencils;
};
} // namespace KickDrift

#endif
