#ifndef KICKDRIFT_POTENTIALS_SHELLS_SHELL_SECTION_H
#define KICKDRIFT_POTENTIALS_SHELLS_SHELL_SECTION_H

#include <deal.II/base/exceptions.h>

#include <array>
#include <string>

namespace KickDrift
{
/// What shells throw when they are given something that cannot be one.
struct ShellExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// A property of the section is not what it has to be.
  DeclException3(ExcSection, std::string, double, std::string,
                 << "The " << arg1 << " of a shell is " << arg2 << "; it must be " << arg3 << ".");

  /// A triangle has a corner twice, or corners that there are not.
  DeclException1(ExcCorners, unsigned int,
                 << "Triangle " << arg1 << " of a shell needs three different nodes of the mesh.");

  /// A triangle has no area, or hardly any.
  DeclException3(ExcDegenerate, unsigned int, double, double,
                 << "Triangle " << arg1 << " of a shell is degenerate: its area is " << arg2
                 << ", its longest edge " << arg3 << ".");

  /// Two triangles have the same corners.
  DeclException2(ExcTwice, unsigned int, unsigned int, << "Triangles " << arg1 << " and " << arg2
                                                       << " of a shell have the same three nodes.");

  /// An edge of a surface has one or two triangles.
  DeclException3(ExcThreeTriangles, unsigned int, unsigned int, unsigned int,
                 << "The edge between nodes " << arg1 << " and " << arg2 << " of a shell has "
                 << arg3 << " triangles, but no more than two may meet there: shells do not "
                 << "branch. Make the parts bodies of their own.");

  /// A surface with one side only, such as a Moebius strip.
  DeclException2(ExcOneSided, unsigned int, unsigned int,
                 << "The triangles of a shell cannot all be turned the same way round: at the edge "
                 << "between nodes " << arg1 << " and " << arg2 << " the surface has one side "
                 << "only. Cut it there.");

  /// Only at free edges there is nothing that holds the normal.
  DeclException2(ExcNotFree, unsigned int, unsigned int,
                 << "There is no free edge between nodes " << arg1 << " and " << arg2
                 << " of a shell at which its normal could be kept.");

  /// Subdivision needs one fan of triangles around every node.
  DeclException1(ExcFan, unsigned int,
                 << "Node " << arg1 << " of a shell belongs to parts that only meet in this point; "
                 << "Loop subdivision needs one fan of triangles around every node. Give each part "
                 << "a node of its own there.");
  /// @}
};

/// How a shell resists bending.
enum class Bending
{
  none,     ///< not at all: a membrane
  hinge,    ///< a hinge across every edge: cloth
  triangle, ///< curvature of every triangle, from the angles at its edges
  loop      ///< limit surface of Loop's subdivision, which has membrane and bending energy
};

/// Cross-section and material of a shell: isotropic, St. Venant-Kirchhoff in plane stress.
struct ShellSection
{
  double youngs_modulus = 0; ///< positive [force/length^2]
  double poisson_ratio = 0;  ///< above -1, below 1 [-]
  double density = 0;        ///< positive [mass/length^3]
  double thickness = 0;      ///< positive [length]

  /// Throws ShellExceptions::ExcSection naming the property.
  void check() const;

  /// E t / (1 - nu^2) [force/length].
  double
  membrane_stiffness() const
  {
    return youngs_modulus * thickness / (1 - poisson_ratio * poisson_ratio);
  }

  /// E t^3 / (12 (1 - nu^2)) [force length].
  double
  bending_stiffness() const
  {
    return membrane_stiffness() * thickness * thickness / 12;
  }

  /// [mass/length^2].
  double
  mass_per_area() const
  {
    return density * thickness;
  }
};

/// Components 11, 22, 12 of a symmetric tensor in the plane.
using PlaneTensor = std::array<double, 3>;

/// stiffness ((1 - nu) tensor + nu trace(tensor) 1): the law of plane stress.
inline PlaneTensor
plane_stress(const double stiffness, const double nu, const PlaneTensor &tensor)
{
  const double of_trace = stiffness * nu * (tensor[0] + tensor[1]), shear = stiffness * (1 - nu);
  return {{of_trace + shear * tensor[0], of_trace + shear * tensor[1], shear * tensor[2]}};
}

/// The double contraction of two symmetric tensors in the plane.
inline double
contract(const PlaneTensor &a, const PlaneTensor &b)
{
  return a[0] * b[0] + a[1] * b[1] + 2 * a[2] * b[2];
}
} // namespace KickDrift

#endif
