#ifndef KICKDRIFT_DEAL_II_SHELL_H
#define KICKDRIFT_DEAL_II_SHELL_H

#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/potentials/shells/shell_mesh.h>

#include <deal.II/base/tensor.h>

namespace KickDrift
{
class ShellKicks;

/**
 * A shell: a deal.II DoFHandler on triangles in space, with a section, turned into nodes, kicks and
 * surface faces.
 *
 * Elements are FE_SimplexP<2, 3>(1), scalar or as FESystem of three copies; only the latter has
 * vectors to go in and out. Triangles are turned so that all of a connected part go the same way
 * round (see ShellMesh); the mesh of deal.II stays as it is. Every vertex that carries DoFs is one
 * node. Nodes and triangles are numbered along a space-filling curve. The boundary is the free
 * edges, with the boundary ids that these have in the mesh.
 *
 * DoFHandler and Mapping must outlive the shell and not change. Many functions, as Body has.
 */
template <>
class Body<2, 3> : public DynamicsExceptions, public ShellExceptions
{
public:
  /// Iterator to a cell.
  using Cell = dealii::DoFHandler<2, 3>::active_cell_iterator;
  /// Number of a degree of freedom.
  using DoFIndex = dealii::types::global_dof_index;
  /// Boundary ids of edges that keep their normals, with normals of planes of symmetry there.
  using ClampedEdges = std::map<dealii::types::boundary_id, std::vector<dealii::Tensor<1, 3>>>;

  /**
   * @param name appears in messages and reports
   * @param clamped boundary ids of free edges at which the normal keeps its direction, with normals
   * of planes of symmetry, if there are any, see ShellMesh::keep_normals(). Whether they may move
   * is up to restraints: with all directions held it is a clamped edge, with that normal a plane of
   * symmetry
   * Throws ExcTriangles for other cells and elements, ExcNoDoFs, and ShellExceptions.
   */
  Body(const dealii::DoFHandler<2, 3> &dof_handler, const dealii::Mapping<2, 3> &mapping,
       std::string name, const ShellSection &section, Bending bending = Bending::triangle,
       const ClampedEdges &clamped = {});

  /// Append the nodes of the shell, at rest, with lumped masses. To be called once.
  void add_nodes(NodeTable<3> &nodes);

  /// Families of strain-energy kicks, made at the first call: of the membrane, then of bending.
  /// @pre add_nodes() was called
  const std::vector<std::shared_ptr<ShellKicks>> &strain_kicks();

  /**
   * Append the triangles, without boundary ids, and all nodes as contactors whose characteristic
   * length is the square root of their area; and the thickness.
   * @param body index of the shell in surface.body_names, which must be surface.body_names.size()
   */
  void add_surface(Surface<3> &surface, unsigned int body) const;

  /// Appears in messages and reports.
  const std::string &
  name() const
  {
    return body_name;
  }
  /// As given to the constructor.
  const dealii::DoFHandler<2, 3> &
  dof_handler() const
  {
    AssertThrow(dofs_exist, ExcDestroyed(body_name, "DoFHandler"));
    return *dofs;
  }
  /// As given to the constructor.
  const dealii::Mapping<2, 3> &
  mapping() const
  {
    AssertThrow(map_exists, ExcDestroyed(body_name, "Mapping"));
    return *map;
  }
  /// As given to the constructor.
  const ShellSection &
  section() const
  {
    return the_section;
  }
  /// As given to the constructor.
  Bending
  bending() const
  {
    return the_bending;
  }

  /// The triangles, of nodes that are counted from the shell's first.
  const ShellMesh &
  mesh() const
  {
    return *surface_mesh;
  }

  // -- nodes ------------------------------------------------------------------------------------

  /// Index of the shell's first node in the table; the others follow.
  unsigned int first_node() const;

  /// Number of nodes of the shell.
  unsigned int
  n_nodes() const
  {
    return areas.size();
  }

  /// Lumped area of a node, counted from the shell's first [length^2].
  double
  area(const unsigned int local_node) const
  {
    return areas[local_node];
  }

  /// Node of a DoF.
  unsigned int
  node_of_dof(const DoFIndex dof) const
  {
    return first_node() + local_node_of_dof[dof];
  }

  /// DoFs of a node of this shell: one (scalar element) or three, by component.
  dealii::ArrayView<const DoFIndex> dofs_of_node(unsigned int node) const;

  /// Nodes at free edges with one of these ids (all free edges if empty), ascending.
  std::vector<unsigned int>
  boundary_nodes(const std::set<dealii::types::boundary_id> &ids = {}) const;

  // -- kicks ------------------------------------------------------------------------------------

  /// Triangle of mesh() that a cell is.
  unsigned int
  triangle_of_cell(const unsigned int active_cell_index) const
  {
    return triangle_by_cell[active_cell_index];
  }

  /// Cell that a triangle of mesh() is.
  const Cell &
  cell(const unsigned int triangle) const
  {
    return cells[triangle];
  }

  // -- vectors ----------------------------------------------------------------------------------

  /// As those of Body.
  template <typename VectorType>
  void
  get_displacement(const NodeTable<3> &nodes, VectorType &displacement) const
  {
    check_vector(displacement.size());
    for (unsigned int n = 0; n < node_dofs.size(); ++n)
      displacement(node_dofs[n]) = nodes[first_node() + n / 3].displacement[n % 3];
  }
  /// Velocities of the nodes to a vector.
  template <typename VectorType>
  void
  get_velocity(const NodeTable<3> &nodes, VectorType &velocity) const
  {
    check_vector(velocity.size());
    for (unsigned int n = 0; n < node_dofs.size(); ++n)
      velocity(node_dofs[n]) = nodes[first_node() + n / 3].velocity[n % 3];
  }
  /// Displacements of the nodes from a vector.
  template <typename VectorType>
  void
  set_displacement(NodeTable<3> &nodes, const VectorType &displacement) const
  {
    check_vector(displacement.size());
    for (unsigned int n = 0; n < node_dofs.size(); ++n)
      nodes[first_node() + n / 3].displacement[n % 3] = displacement(node_dofs[n]);
  }
  /// Velocities of the nodes from a vector.
  template <typename VectorType>
  void
  set_velocity(NodeTable<3> &nodes, const VectorType &velocity) const
  {
    check_vector(velocity.size());
    for (unsigned int n = 0; n < node_dofs.size(); ++n)
      nodes[first_node() + n / 3].velocity[n % 3] = velocity(node_dofs[n]);
  }

  /// Throws unless there are vectors of the shell with @p size entries.
  void check_vector(std::size_t size) const;

  /// Throws ExcMeshChanged if the triangulation has been changed since the shell was made, or
  /// ExcDestroyed.
  void check_mesh() const;

  /// The same, and throws ExcDoFsChanged if the DoFs have been.
  void check_dofs() const;

private:
  void check_discretization() const;
  void number_nodes(const ClampedEdges &clamped);
  /// Ends of the free edges with these ids, as nodes of the shell.
  std::vector<std::array<unsigned int, 2>>
  boundary_edges(const std::set<dealii::types::boundary_id> &ids) const;
  void check_surface(const std::vector<Cell> &in_mesh) const;

  const dealii::SmartPointer<const dealii::DoFHandler<2, 3>> dofs;
  const dealii::SmartPointer<const dealii::Mapping<2, 3>> map;
  const Existence dofs_exist, map_exists;
  std::string body_name;
  ShellSection the_section;
  Bending the_bending;
  std::shared_ptr<bool> mesh_has_changed;
  boost::signals2::scoped_connection on_mesh_change; ///< sets it

  std::uint64_t checksum_of_dofs = 0;         ///< when the shell was made, see dof_checksum()
  std::vector<Cell> cells;                    ///< by triangle
  std::vector<unsigned int> triangle_by_cell; ///< by active cell index
  std::shared_ptr<const ShellMesh> surface_mesh;
  std::vector<double> areas; ///< see area() [length^2]

  unsigned int offset = dealii::numbers::invalid_unsigned_int; ///< first node in the table
  std::vector<unsigned int> local_node_of_dof;
  std::vector<DoFIndex> node_dofs; ///< shape (n_nodes, n_components)
  std::vector<std::shared_ptr<ShellKicks>> families;
};

/// A body of triangles in space.
using Shell = Body<2, 3>;

/**
 * Shares of loads on a shell, one piece per node: its lumped area times @p factor, which is 1 for
 * tractions, the thickness for forces per volume, the mass per area for accelerations.
 */
LoadShares<3> shell_load_shares(const Shell &shell, double factor);

/// Triangles for loads that act along the normals: shares are a third of the area of each.
LoadShares<3> shell_pressure_shares(const Shell &shell);
} // namespace KickDrift

#endif
