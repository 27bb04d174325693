#ifndef KICKDRIFT_POTENTIALS_SHELLS_MEMBRANE_KICKS_H
#define KICKDRIFT_POTENTIALS_SHELLS_MEMBRANE_KICKS_H

#include <kickdrift/potentials/shells/membrane.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

namespace KickDrift
{
/// Stretching and shear of a shell, a kick per triangle.
class MembraneKicks final : public ShellKicks
{
public:
  /// @param first_node of the shell in the table; those of the mesh count from there
  MembraneKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
                unsigned int first_node);

  std::string
  name() const override
  {
    return "membrane";
  }
  unsigned int
  n_kicks() const override
  {
    return elements.size();
  }
  /// Largest eigenvalue of the blocks, C_m A |g_a|^2.
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  /// Exact: the operator has no higher rank than the strain has components.
  double critical_step(unsigned int k, const std::vector<double> &masses) const override;
  /// From the energy, as if it were that of one normal strain.
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
    return sizeof(MembraneTriangle) + bytes_of_packs() / n_kicks();
  }

private:
  dealii::ArrayView<const unsigned int> mesh_nodes(unsigned int k) const override;
  void forces(unsigned int k, const Vector *displacements, Vector *result) const override;
  double energy_of(unsigned int k, const Vector *displacements) const override;

  std::vector<MembraneTriangle> elements; ///< by triangle
};
} // namespace KickDrift

#endif
