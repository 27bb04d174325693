#ifndef KICKDRIFT_POTENTIALS_SHELLS_LOOP_KICKS_H
#define KICKDRIFT_POTENTIALS_SHELLS_LOOP_KICKS_H

#include <kickdrift/potentials/shells/loop_subdivision.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

namespace KickDrift
{
/**
 * Stretching and bending of the surface of Loop's subdivision (Kirchhoff-Love shell: Cirak & Ortiz,
 * Int. J. Numer. Meth. Engng 51 (2001) 813-833), a kick per triangle with one point at its centre
 * and the nodes of all triangles around it.
 */
class LoopKicks final : public ShellKicks
{
public:
  /// @param first_node of the shell in the table; those of the mesh count from there
  LoopKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
            unsigned int first_node);

  std::string
  name() const override
  {
    return "subdivision shell";
  }
  unsigned int
  n_kicks() const override
  {
    return points.size();
  }
  /// Largest eigenvalues of the blocks.
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  /// Exact: the operator has no higher rank than there are strains and curvatures.
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  /// From the energies, as if they were of one normal strain, and of one curvature times the size
  /// of the triangle.
  double deformation(const NodeTable<3> &nodes, unsigned int k) const override;
  unsigned int
  triangle(const unsigned int k) const override
  {
    return k;
  }
  void add_resultants(const NodeTable<3> &nodes, unsigned int triangle,
                      ShellResultants &resultants) const override;
  double
  bytes_per_kick() const override
  {
    return sizeof(Point) + (weights.memory_consumption() + mirrors.size() * sizeof(LoopMirror) +
                            nodes_of.memory_consumption() + bytes_of_packs()) /
                               n_kicks();
  }

private:
  /// A 3x3 matrix: law of plane stress in the coordinates of a patch.
  using Law = std::array<std::array<double, 3>, 3>;
  /// Strains and changes of curvature (components 11, 22, twice 12), by a node's displacement.
  using Variation = std::array<Vector, 6>;

  /// The reference state at a centre.
  struct Point
  {
    double area;                     ///< of the triangle's part of the surface [length^2]
    std::array<double, 3> metric;    ///< a_11, a_22, a_12 [length^2]
    std::array<double, 3> curvature; ///< b_11, b_22, b_12 [length]
    Law law;                         ///< without stiffness [1/length^4]
  };

  /// The surface at a centre.
  struct Geometry
  {
    std::array<Vector, 2> tangents; ///< a_1, a_2
    std::array<Vector, 3> second;   ///< x,11, x,22, x,12
    Vector normal;                  ///< unit
    double jacobian;                ///< |a_1 x a_2|
    std::array<double, 3> metric() const;
    std::array<double, 3> curvature() const;
  };

  /// Stresses and moments with their strains.
  struct State
  {
    std::array<double, 3> strain, bending, stress, moment;
  };

  /// Hand to the kernels what they have room for.
  void add_to_packs();
  /// A LoopMirror as a kick sees it.
  struct Mirror
  {
    std::array<unsigned int, 3> places; ///< of its nodes
    Vector normal;                      ///< of the plane
  };
  /// The mirror with this number among those of LoopWeight::node, of kick @p k.
  Mirror mirror(unsigned int k, unsigned int node) const;
  /// Variations by the nodes of kick @p k.
  std::vector<Variation> variations(unsigned int k, const Geometry &geometry) const;
  /// Square of the longest edge of a triangle [length^2].
  double mesh_area_scale(unsigned int k) const;
  Geometry geometry(unsigned int k, const Vector *displacements) const;
  State state(const Point &point, const Geometry &geometry) const;
  Variation variation(const LoopWeight &weight, const Geometry &geometry) const;
  dealii::ArrayView<const unsigned int> mesh_nodes(unsigned int k) const override;
  void forces(unsigned int k, const Vector *displacements, Vector *result) const override;
  double energy_of(unsigned int k, const Vector *displacements) const override;

  CompressedRows<LoopWeight> weights;    ///< by triangle
  std::vector<LoopMirror> mirrors;       ///< see LoopWeights
  CompressedRows<unsigned int> nodes_of; ///< the same, nodes only
  std::vector<Point> points;
};
} // namespace KickDrift

#endif
