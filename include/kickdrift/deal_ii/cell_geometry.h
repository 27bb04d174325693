#ifndef KICKDRIFT_DEAL_II_CELL_GEOMETRY_H
#define KICKDRIFT_DEAL_II_CELL_GEOMETRY_H

#include <deal.II/base/quadrature.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>

#include <cstdint>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Is the element one that bodies can be made of: FE_Q(1), FE_SimplexP(1), or FESystem of spacedim
 * copies of one of them, simplices without hanging nodes, and with a fitting mapping? Throws
 * dealii::ExceptionBase with a message that names @p body, what was seen and what is allowed.
 */
template <int dim, int spacedim>
void check_discretization(const dealii::DoFHandler<dim, spacedim> &dof_handler,
                          const dealii::Mapping<dim, spacedim> &mapping, const std::string &body);

/// Number of processes that a mesh is divided among; 1 for those that are not.
template <int dim, int spacedim>
unsigned int n_processes(const dealii::Triangulation<dim, spacedim> &triangulation);

/// Tells numberings of the DoFs at the vertices apart, by those of some cells at least; 0 if there
/// are no such DoFs. Takes no longer for large meshes.
template <int dim, int spacedim>
std::uint64_t dof_checksum(
    const dealii::DoFHandler<dim, spacedim> &dof_handler,
    const std::vector<typename dealii::DoFHandler<dim, spacedim>::active_cell_iterator> &cells);

/// 2-point Gauss for tensor-product cells, 1-point Gauss for simplices; lexicographic.
/// @param hypercubes are the cells hypercubes, not simplices?
template <int dim>
dealii::Quadrature<dim> cell_quadrature(bool hypercubes);

/// Check the geometry of cells before anything is integrated over them.
template <int dim, int spacedim>
class CellGeometry
{
public:
  /// Iterator to a cell.
  using Cell = typename dealii::DoFHandler<dim, spacedim>::active_cell_iterator;

  /// @p body is the name for messages.
  CellGeometry(const dealii::DoFHandler<dim, spacedim> &dof_handler,
               const dealii::Mapping<dim, spacedim> &mapping, std::string body);

  /**
   * Jacobians dX/d(reference coordinate) of the vertices' (multi)linear interpolation at the points
   * of cell_quadrature() [length]. Throws if a determinant is not positive there, or negative at a
   * vertex, naming body, cell index, centre and value.
   */
  const std::vector<dealii::Tensor<2, dim>> &jacobians(const Cell &cell);

  /**
   * Throw unless @p inverse_jacobian, which came from the mapping, inverts the Jacobian at point
   * @p q of the last cell. A curved mapping would strain a cell that merely rotates, because nodal
   * displacements are interpolated linearly.
   */
  void check_linear(const dealii::Tensor<2, dim> &inverse_jacobian, unsigned int q) const;

private:
  /// Jacobian at the point whose shape gradients are @p gradients.
  dealii::Tensor<2, dim> jacobian(const std::vector<dealii::Tensor<1, dim>> &gradients) const;

  void throw_inverted(double determinant) const;

  const dealii::Mapping<dim, spacedim> &mapping;
  std::string body;
  Cell current;
  boost::container::small_vector<dealii::Point<spacedim>,
                                 dealii::GeometryInfo<dim>::vertices_per_cell>
      vertices;
  /// Gradients of the shape functions in reference coordinates, per quadrature point and vertex.
  std::vector<std::vector<dealii::Tensor<1, dim>>> point_gradients, vertex_gradients;
  std::vector<dealii::Tensor<2, dim>> current_jacobians;
};

/**
 * Local vertices of face @p face of @p cell, ordered as in SurfaceFace: the normal points out of
 * the cell, provided the cell is not inverted. Independent of the orientation that the
 * triangulation stores for the face.
 */
template <int dim, int spacedim>
std::vector<unsigned int> outward_face_vertices(
    const typename dealii::Triangulation<dim, spacedim>::active_cell_iterator &cell,
    unsigned int face);

/// Order of @p points along a Hilbert curve: result[i] is the index of the i-th point on it.
template <int spacedim>
std::vector<unsigned int> space_filling_order(const std::vector<dealii::Point<spacedim>> &points);
} // namespace KickDrift

#endif
