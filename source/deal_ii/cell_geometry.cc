#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/deal_ii/dynamics_exceptions.h>

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/base/utilities.h>
#include <deal.II/distributed/tria_base.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim, int spacedim>
bool
is_linear_element(const FiniteElement<dim, spacedim> &element)
{
  return element.degree == 1 &&
         (dynamic_cast<const FE_Q<dim, spacedim> *>(&element) != nullptr ||
          dynamic_cast<const FE_SimplexP<dim, spacedim> *>(&element) != nullptr);
}

template <int dim, int spacedim>
bool
is_supported(const FiniteElement<dim, spacedim> &element)
{
  if (element.n_components() == 1)
    return is_linear_element(element);
  if (element.n_components() != spacedim)
    return false;
  for (unsigned int b = 0; b < element.n_base_elements(); ++b)
    if (!is_linear_element(element.base_element(b)))
      return false;
  return true;
}
} // namespace

template <int dim, int spacedim>
void
check_discretization(const DoFHandler<dim, spacedim> &dof_handler,
                     const Mapping<dim, spacedim> &mapping, const std::string &body)
{
  const std::string where = "Body '" + body + "': ";
  AssertThrow(dof_handler.get_fe_collection().size() > 0, DynamicsExceptions::ExcNoDoFs(body));
  AssertThrow(!dof_handler.has_hp_capabilities(),
              ExcMessage(where + "DoF handlers with more than one element (hp) are not supported; "
                                 "make one body for each type of cell."));
  AssertThrow(dof_handler.get_triangulation().n_global_active_cells() > 0,
              ExcMessage(where + "the mesh has no cells."));
  AssertThrow(dof_handler.has_active_dofs() && dof_handler.n_dofs() > 0,
              DynamicsExceptions::ExcNoDoFs(body));
  const auto &element = dof_handler.get_fe();
  const std::string d = std::to_string(spacedim);
  AssertThrow(is_supported(element),
              ExcMessage(where + "element " + element.get_name() +
                         " is not supported. Allowed are FE_Q(1) and FE_SimplexP(1), scalar or "
                         "as FESystem of " +
                         d + " copies."));
  const auto &triangulation = dof_handler.get_triangulation();
  AssertThrow(!triangulation.has_hanging_nodes() ||
                  triangulation.all_reference_cells_are_hyper_cube(),
              ExcMessage(where + "hanging nodes are supported for quadrilaterals and hexahedra "
                                 "only; refine triangles and tetrahedra globally, or generate a "
                                 "graded mesh."));
  AssertThrow(mapping.is_compatible_with(element.reference_cell()),
              ExcMessage(where + "the mapping does not fit cells of type " +
                         element.reference_cell().to_string() +
                         "; use MappingQ(1) for hypercubes and MappingFE(FE_SimplexP(1)) for "
                         "simplices."));
}

template <int dim, int spacedim>
unsigned int
n_processes(const Triangulation<dim, spacedim> &triangulation)
{
  // Others need no MPI, so that nobody may have started it.
  if (!dynamic_cast<const parallel::TriangulationBase<dim, spacedim> *>(&triangulation))
    return 1;
  return Utilities::MPI::n_mpi_processes(triangulation.get_communicator());
}

template <int dim, int spacedim>
std::uint64_t
dof_checksum(const DoFHandler<dim, spacedim> &dof_handler,
             const std::vector<typename DoFHandler<dim, spacedim>::active_cell_iterator> &cells)
{
  if (!dof_handler.has_active_dofs() || dof_handler.has_hp_capabilities())
    return 0;
  const auto &element = dof_handler.get_fe();
  std::uint64_t result = 14695981039346656037u; // FNV-1a, of numbers in place of bytes
  const auto put = [&result](const std::uint64_t number)
  { result = (result ^ number) * 1099511628211u; };
  put(dof_handler.n_dofs());
  put(element.n_dofs_per_cell());
  const unsigned int n_components = element.n_dofs_per_vertex();
  put(n_components);
  constexpr std::size_t most_cells = 1024; // renumbering changes more than a few
  const std::size_t n_cells = std::min(cells.size(), most_cells);
  for (std::size_t i = 0; i < n_cells; ++i)
  {
    const auto &cell = cells[i * cells.size() / n_cells];
    for (const unsigned int v : cell->vertex_indices())
      for (unsigned int c = 0; c < n_components; ++c)
        put(cell->vertex_dof_index(v, c));
  }
  return result;
}

template <int dim>
Quadrature<dim>
cell_quadrature(const bool hypercubes)
{
  if (hypercubes)
    return QGauss<dim>(2);
  return QGaussSimplex<dim>(1);
}

template <int dim, int spacedim>
CellGeometry<dim, spacedim>::CellGeometry(const DoFHandler<dim, spacedim> &dof_handler,
                                          const Mapping<dim, spacedim> &mapping, std::string body)
    : mapping(mapping), body(std::move(body))
{
  const auto &element = dof_handler.get_fe().base_element(0);
  const auto gradients = [&](const Point<dim> &point)
  {
    std::vector<Tensor<1, dim>> result(element.n_dofs_per_cell());
    for (unsigned int a = 0; a < result.size(); ++a)
      result[a] = element.shape_grad(a, point);
    return result;
  };
  const auto quadrature = cell_quadrature<dim>(element.reference_cell().is_hyper_cube());
  for (const auto &point : quadrature.get_points())
    point_gradients.push_back(gradients(point));
  // The Jacobian of a simplex is the same everywhere.
  if (element.reference_cell().is_hyper_cube())
    for (const auto &point : element.get_unit_support_points())
      vertex_gradients.push_back(gradients(point));
  current_jacobians.resize(point_gradients.size());
}

template <int dim, int spacedim>
Tensor<2, dim>
CellGeometry<dim, spacedim>::jacobian(const std::vector<Tensor<1, dim>> &gradients) const
{
  Tensor<2, dim> result;
  for (unsigned int a = 0; a < gradients.size(); ++a)
    result += outer_product(Tensor<1, dim>(vertices[a] - vertices[0]), gradients[a]);
  return result;
}

template <int dim, int spacedim>
const std::vector<Tensor<2, dim>> &
CellGeometry<dim, spacedim>::jacobians(const Cell &cell)
{
  current = cell;
  const auto mapped = mapping.get_vertices(cell);
  vertices.assign(mapped.begin(), mapped.end());
  double size = 0;
  for (unsigned int a = 1; a < vertices.size(); ++a)
    size = std::max(size, vertices[0].distance(vertices[a]));

  for (unsigned int q = 0; q < point_gradients.size(); ++q)
  {
    current_jacobians[q] = jacobian(point_gradients[q]);
    const double det = determinant(current_jacobians[q]);
    // no step is found for what is flat but for rounding
    if (!(det > 1e-14 * Utilities::fixed_power<dim>(size)))
      throw_inverted(det);
  }
  // Vertices with a straight angle are allowed, hence the tolerance.
  for (const auto &gradients : vertex_gradients)
  {
    const double det = determinant(jacobian(gradients));
    if (!(det > -1e-10 * Utilities::fixed_power<dim>(size)))
      throw_inverted(det);
  }
  return current_jacobians;
}

template <int dim, int spacedim>
void
CellGeometry<dim, spacedim>::check_linear(const Tensor<2, dim> &inverse_jacobian,
                                          const unsigned int q) const
{
  const Tensor<2, dim> error =
      inverse_jacobian * current_jacobians[q] - unit_symmetric_tensor<dim>();
  AssertThrow(error.norm() < 1e-7,
              ExcMessage("Body '" + body + "': cell " +
                         std::to_string(current->active_cell_index()) +
                         " is curved by the mapping. Use a mapping of degree 1: a linear element "
                         "with a curved mapping is strained by a mere rotation."));
}

template <int dim, int spacedim>
void
CellGeometry<dim, spacedim>::throw_inverted(const double determinant) const
{
  Point<spacedim> centre;
  for (const auto &vertex : vertices)
    centre += vertex / double(vertices.size());
  std::ostringstream message;
  message << "Body '" << body << "': cell " << current->active_cell_index() << " with centre ("
          << centre << ") is inverted or has no volume: the determinant of its Jacobian is "
          << determinant << " but must be positive, and not all but zero.";
  AssertThrow(false, ExcMessage(message.str()));
}

namespace
{
template <int dim, int spacedim>
std::vector<unsigned int>
simplex_face_vertices(const typename Triangulation<dim, spacedim>::active_cell_iterator &cell,
                      const unsigned int face)
{
  std::vector<unsigned int> result;
  unsigned int opposite = 0;
  for (unsigned int v = 0; v < cell->n_vertices(); ++v)
  {
    bool on_face = false;
    for (unsigned int i = 0; i < cell->face(face)->n_vertices(); ++i)
      on_face = on_face || cell->face(face)->vertex_index(i) == cell->vertex_index(v);
    if (on_face)
      result.push_back(v);
    else
      opposite = v;
  }
  // Leaving out vertex o from (0,...,dim) leaves a face of orientation (-1)^o.
  if (opposite % 2 == 1)
    std::swap(result[dim - 2], result[dim - 1]);
  return result;
}

template <int dim>
std::vector<unsigned int>
hypercube_face_vertices(const unsigned int face)
{
  std::vector<unsigned int> result;
  for (unsigned int i = 0; i < GeometryInfo<dim>::vertices_per_face; ++i)
    result.push_back(GeometryInfo<dim>::face_to_cell_vertices(face, i));
  // deal.II orders faces such that normals point along the coordinate axes in three dimensions; in
  // two dimensions the lower face in x and the upper face in y have to be turned.
  if (dim == 3 && face % 2 == 0)
    std::swap(result[1], result[2]);
  if (dim == 2 && (face == 0 || face == 3))
    std::swap(result[0], result[1]);
  return result;
}
} // namespace

template <int dim, int spacedim>
std::vector<unsigned int>
outward_face_vertices(const typename Triangulation<dim, spacedim>::active_cell_iterator &cell,
                      const unsigned int face)
{
  if (cell->reference_cell().is_hyper_cube())
    return hypercube_face_vertices<dim>(face);
  return simplex_face_vertices<dim, spacedim>(cell, face);
}

template <int spacedim>
std::vector<unsigned int>
space_filling_order(const std::vector<Point<spacedim>> &points)
{
  std::vector<unsigned int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  if (points.size() < 2)
    return order;
  // 20 bits per direction tell a million places apart along an edge, and fit into one integer.
  constexpr int bits = 20;
  const auto indices = Utilities::inverse_Hilbert_space_filling_curve(points, bits);
  std::vector<std::uint64_t> keys(points.size());
  for (unsigned int i = 0; i < points.size(); ++i)
    keys[i] = Utilities::pack_integers<spacedim>(indices[i], bits);
  std::stable_sort(order.begin(), order.end(),
                   [&keys](const unsigned int a, const unsigned int b)
                   { return keys[a] < keys[b]; });
  return order;
}

#define INSTANTIATE(dim)                                                                           \
  template void check_discretization(const DoFHandler<dim> &, const Mapping<dim> &,                \
                                     const std::string &);                                         \
  template unsigned int n_processes(const Triangulation<dim> &);                                   \
  template std::uint64_t dof_checksum(const DoFHandler<dim> &,                                     \
                                      const std::vector<DoFHandler<dim>::active_cell_iterator> &); \
  template Quadrature<dim> cell_quadrature<dim>(bool);                                             \
  template class CellGeometry<dim, dim>;                                                           \
  template std::vector<unsigned int> outward_face_vertices<dim, dim>(                              \
      const Triangulation<dim>::active_cell_iterator &, unsigned int);                             \
  template std::vector<unsigned int> space_filling_order(const std::vector<Point<dim>> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
template unsigned int n_processes(const Triangulation<2, 3> &);
template std::uint64_t dof_checksum(const DoFHandler<2, 3> &,
                                    const std::vector<DoFHandler<2, 3>::active_cell_iterator> &);
} // namespace KickDrift
