// Parts of the boundary that refinement puts onto spheres and cylinders.
#ifndef KICKDRIFT_SOURCE_MESHES_MESH_MANIFOLDS_H
#define KICKDRIFT_SOURCE_MESHES_MESH_MANIFOLDS_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/meshes/mesh_names.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// A part of the boundary that lies on a sphere or, in three dimensions, on a cylinder.
template <int dim>
struct RoundBoundary
{
  std::string text;                    ///< what the user has written, for messages
  std::vector<std::string> boundaries; ///< ids or names
  dealii::Point<dim> point;            ///< centre of the sphere, or a point of the axis [length]
  dealii::Tensor<1, dim> axis;         ///< of unit length; zero for a sphere

  bool is_cylinder() const;
  /// Distance of @p vertex from centre or axis.
  double radius(const dealii::Point<dim> &vertex) const;
};

/// Declare entry 'Manifolds' in the current subsection.
template <int dim>
void declare_manifolds(dealii::ParameterHandler &prm);

/**
 * Read the list of entry 'Manifolds', whose full name is @p parameter. Throws dealii::ExceptionBase
 * that names it and what is wrong.
 */
template <int dim>
std::vector<RoundBoundary<dim>>
parse_manifolds(const std::string &list, const std::string &parameter, const Constants &constants);

/**
 * Give faces and edges of these parts of the boundary deal.II's manifolds, which refinement asks
 * for the places of new vertices.
 *
 * Throws dealii::ExceptionBase for boundaries that the mesh does not have or that are there twice,
 * and for those that do not lie on the sphere or cylinder.
 */
template <int dim>
void attach_manifolds(dealii::Triangulation<dim> &triangulation,
                      const std::vector<RoundBoundary<dim>> &round_boundaries,
                      const MeshNames &names, const std::string &parameter);
} // namespace KickDrift

#endif
