#ifndef KICKDRIFT_DEAL_II_BODY_H
#define KICKDRIFT_DEAL_II_BODY_H

#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/deal_ii/existence.h>
#include <kickdrift/nodes/interpolation.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/potentials/cells/nodal_kicks.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/smartpointer.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>

#include <deal.II/base/symmetric_tensor.h>

#include <boost/signals2/connection.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
template <int spacedim>
struct ErodingBody;
template <int dim>
class HistoryMaterial;

/// The cells of a body that share a material, in space-filling order; those with hanging nodes are
/// in blocks of their own.
template <int dim>
struct CellBlock
{
  std::shared_ptr<const Material<dim>> material; ///< of all cells of the block
  CellData<dim> data;                            ///< what the kernels need to know of the cells
  /// Cells with hanging nodes: data.nodes are numbers of these points; else null.
  std::shared_ptr<const Interpolation<dim>> points;
  /// deal.II's active cell index of each cell, shape (n_cells).
  std::vector<unsigned int> active_cell_indices;
};

/// A boundary face, as deal.II knows it.
struct BoundaryFace
{
  unsigned int active_cell_index; ///< of the cell behind the face
  unsigned int face;              ///< number of the face within the cell
};

/**
 * A deformable body: a deal.II DoFHandler, a Mapping and materials, turned into nodes, kicks and
 * surface faces.
 *
 * Elements are FE_Q(1) or FE_SimplexP(1), scalar or as FESystem of spacedim copies; only the latter
 * has vectors to go in and out. Every vertex that carries DoFs is one node, unless it hangs. Nodes
 * and cells are numbered along a space-filling curve through the cells, so that neighbours in space
 * are neighbours in memory; node_of_dof() and cell_of_kick() lead back. Bodies that touch share no
 * nodes.
 *
 * Quadrilaterals and hexahedra may be refined locally. A hanging node is no node of the table: it
 * is where the nodes at the ends of the edge, or the corners of the face, put it, and what acts on
 * it, mass included, goes to them. Vectors that come out have it; where nodes are selected it is
 * left out. So is a tied node, which follows nodes of another body (see tie()).
 *
 * DoFHandler and Mapping must outlive the body and not change: ExcDestroyed, ExcMeshChanged and
 * ExcDoFsChanged tell of it when they are needed next. Vertices that a program moves by itself, as
 * deal.II's step-18 does, are ExcVerticesMoved in kicks(), and go unnoticed once Dynamics has been
 * started: nodes, masses and kicks stay what they are. With more than twenty
 * functions it is large: all of them translate between deal.II's numbering of one discretisation
 * and the library's.
 */
template <int dim, int spacedim = dim>
class Body : public DynamicsExceptions
{
public:
  /// Iterator to a cell.
  using Cell = typename dealii::DoFHandler<dim, spacedim>::active_cell_iterator;
  /// Number of a degree of freedom.
  using DoFIndex = dealii::types::global_dof_index;
  /**
   * Materials by material id of the cells. The entry dealii::numbers::invalid_material_id is for
   * all ids without an entry of their own.
   */
  using Materials = std::map<dealii::types::material_id, std::shared_ptr<const Material<dim>>>;

  /// A vertex of a body that one of the same or another body follows.
  struct Master
  {
    Body *body;    ///< that has the vertex
    DoFIndex dof;  ///< of the vertex, the first one
    double weight; ///< share of its motion that the follower has [-]
  };

  /**
   * @param name appears in messages and reports
   * @param hourglass used by one-point integration only
   * Throws dealii::ExceptionBase for elements that are not supported, empty meshes, inverted cells,
   * cells without a material, densities that are not positive, and simplices with one-point
   * integration; for hanging nodes of simplices, with nodal integration, and off the middle of
   * what they hang on (see straighten_hanging_nodes()).
   */
  Body(const dealii::DoFHandler<dim, spacedim> &dof_handler,
       const dealii::Mapping<dim, spacedim> &mapping, std::string name, Materials materials,
       StrainIntegration integration = StrainIntegration::standard,
       const HourglassControl &hourglass = HourglassControl());

  /// The same with one material for all cells.
  Body(const dealii::DoFHandler<dim, spacedim> &dof_handler,
       const dealii::Mapping<dim, spacedim> &mapping, std::string name,
       std::shared_ptr<const Material<dim>> material,
       StrainIntegration integration = StrainIntegration::standard,
       const HourglassControl &hourglass = HourglassControl());

  /**
   * Let a vertex follow others, @f$x = \sum_M w_M x_M@f$ with weights that sum to one, which are
   * not negative and reproduce its reference position. It is no node of the table then, and its
   * mass goes to them. Vertices that are followed may follow others themselves, and bodies that are
   * must outlive this one. Use tie() for surfaces.
   *
   * Throws ExcTieTooLate if the nodes of one of the bodies have been added already, ExcTieCircle if
   * the vertex would follow itself, ExcTiedTwice if it follows others already, ExcTieNodal with
   * nodal integration.
   * @param dof of the vertex, the first one
   */
  void follow(DoFIndex dof, const std::vector<Master> &masters);

  /// Faces with these boundary ids whose corners are all tied take no part in contact.
  void
  mark_tied(const std::set<dealii::types::boundary_id> &ids)
  {
    tied_ids.insert(ids.begin(), ids.end());
  }

  /// Does the vertex with this DoF follow vertices of its own mesh, see above?
  bool hangs(DoFIndex dof) const;

  /// Does the vertex with this DoF follow others because of follow()?
  bool is_tied(DoFIndex dof) const;

  /// Bodies whose vertices follow(), or in the end their masters, are those of.
  std::set<const Body *> masters() const;

  /**
   * Append the nodes of the body, at rest, with lumped masses, the row sums
   * @f$ m_A = \int \rho N_A dV @f$ of the consistent mass matrix, where N_A includes the part of
   * those that follow the node. To be called once; throws ExcAllTied if there is none. What returns
   * node indices needs it, for bodies with tied nodes also of their masters().
   */
  void add_nodes(NodeTable<spacedim> &nodes);

  /**
   * Let the cells be under stress in the reference state, see PrestressedMaterial, at their
   * quadrature points @p stress (reference position) [force/area]; in two dimensions its components
   * 02 and 12 must be zero. Sets the states of points, and throws, as set_initial_states() does;
   * besides what PrestressedMaterial throws for materials with a history.
   */
  void set_initial_stress(
      std::function<dealii::SymmetricTensor<2, 3>(const dealii::Point<spacedim> &)> stress);

  /**
   * Let points of materials with a history begin in other states than
   * HistoryMaterial::initial_state(): @p state (material, reference position) of each quadrature
   * point. Before kicks(). Throws ExcInitialState with nodal and one-point integration or if it has
   * been called; kicks() throws it where a state has another length or is not finite.
   */
  void set_initial_states(std::function<std::vector<double>(const HistoryMaterial<dim> &,
                                                            const dealii::Point<spacedim> &)>
                              state);

  /// The same for states that depend on the point of each cell, in place of all that has been said
  /// about them before.
  void set_states_of_cells(
      std::function<std::vector<double>(const HistoryMaterial<dim> &, const Cell &, unsigned int)>
          state);

  /**
   * Delete cells whose strain reaches @p strain [-], a positive number: the equivalent plastic
   * strain of materials that have one, averaged over the cell, else the largest principal
   * logarithmic strain of the mean deformation gradient. See CellKicks::set_failure_strain().
   * Before kicks(). Throws ExcFailureStrain with nodal integration and for other numbers.
   */
  void set_failure_strain(double strain);

  /// As set; 0: cells are never deleted [-].
  double
  failure_strain() const
  {
    return strain_at_failure;
  }

  /// Has a cell been deleted? @pre kicks() was called.
  bool
  is_deleted(const unsigned int active_cell_index) const
  {
    const KickIndex index = kick_of_cell(active_cell_index);
    return kick_families[index.family]->is_deleted(index.kick);
  }

  /// Number of cells that have been deleted so far.
  unsigned int n_deleted_cells() const;

  /// Cells by material, as the strain kernels need them. Computed at every call.
  std::vector<CellBlock<dim>> cell_blocks() const;

  /**
   * Families of strain-energy kicks of the cells, made at the first call, which throws
   * ExcVerticesMoved if vertices are no longer where nodes are. Nodal integration: of
   * their stabilisation. With several processes, once the stepper has been started, all but the
   * first can be asked about the cells only that they kick, of which some are others' (energies,
   * stresses and outputs of the rest: StepperExceptions::ExcGivenElsewhere); the first about all.
   */
  const std::vector<std::shared_ptr<CellKicks<dim>>> &kicks();

  /// Nodal integration: families of the nodes' kicks, one per material; else none.
  const std::vector<std::shared_ptr<NodalKicks<dim>>> &nodal_kicks();

  /// All families of strain-energy kicks: those of the cells, in the order of kicks(), then the
  /// nodes'.
  std::vector<std::shared_ptr<StrainKicks<dim>>> strain_kicks();

  /**
   * Append the boundary faces, ordered such that their normals point outwards, and the boundary
   * nodes as contactors of characteristic length @f$ (m_A/\rho)^{1/dim} @f$. Faces with a hanging
   * or tied corner become triangles (segments) between nodes, so that the surface has no gaps:
   * each such corner is drawn to the node that it follows most. Tied faces, and those that are
   * turned by more than 20 degrees by that, go to Surface::closures.
   * @param body index of the body in surface.body_names, which must be surface.body_names.size()
   */
  void add_surface(Surface<spacedim> &surface, unsigned int body) const;

  /**
   * The faces of all cells, for a surface that follows cells that are deleted. This body must
   * outlive it. Throws ExcErodingSurface if there are hanging or tied nodes.
   * @param body as for add_surface()
   */
  ErodingBody<spacedim> eroding_body(unsigned int body) const;

  /// Appears in messages and reports.
  const std::string &
  name() const
  {
    return body_name;
  }
  /// As given to the constructor.
  const dealii::DoFHandler<dim, spacedim> &
  dof_handler() const
  {
    AssertThrow(dofs_exist, ExcDestroyed(body_name, "DoFHandler"));
    return *dofs;
  }
  /// As given to the constructor.
  StrainIntegration
  strain_integration() const
  {
    return integration;
  }
  /// As given to the constructor.
  const dealii::Mapping<dim, spacedim> &
  mapping() const
  {
    AssertThrow(map_exists, ExcDestroyed(body_name, "Mapping"));
    return *map;
  }

  /// The active cells in space-filling order. Like all that knows the mesh, throws ExcMeshChanged
  /// after forget_mesh().
  const std::vector<Cell> &
  cells() const
  {
    check_mesh();
    return ordered_cells;
  }

  /// Material of a cell. Throws if there is none for its material id.
  const std::shared_ptr<const Material<dim>> &material(const Cell &cell) const;

  /// Is one of the materials linear?
  bool has_linear_material() const;

  // -- nodes ------------------------------------------------------------------------------------

  /// Index of the body's first node in the table; the others follow.
  unsigned int first_node() const;

  /// Has add_nodes() been called?
  bool
  has_nodes() const
  {
    return offset != dealii::numbers::invalid_unsigned_int;
  }

  /// Number of nodes of the body.
  unsigned int
  n_nodes() const
  {
    return masses.size();
  }

  /// Number of vertices that hang or are tied, which are no nodes of the table.
  unsigned int
  n_followers() const
  {
    return n_hanging_nodes() + n_tied_nodes();
  }

  /// Number of those that hang.
  unsigned int
  n_hanging_nodes() const
  {
    return n_hanging;
  }

  /// Number of those that are tied.
  unsigned int
  n_tied_nodes() const
  {
    return tied.size() + followers.size() - n_hanging;
  }

  /// Does a vertex of the cell follow others?
  bool has_follower(const Cell &cell) const;

  /// The nodes that a vertex of a cell follows: the node there, or the parents of a hanging or tied
  /// one.
  std::vector<Parent> parents_of_vertex(const Cell &cell, unsigned int vertex) const;

  /// A tied node.
  struct TiedNode
  {
    dealii::Point<spacedim> reference; ///< position [length]
    std::vector<Parent> parents;       ///< that it follows
  };

  /// Call @p f (DoFs, parents) for all vertices that hang or are tied: their DoFs, shape
  /// (components), and the nodes of the table that they follow.
  void for_each_follower(
      const std::function<void(const DoFIndex *dofs, const std::vector<Parent> &parents)> &f) const;

  /// Tied nodes on boundary faces with one of these ids; all of the body if empty.
  std::vector<TiedNode> tied_nodes(const std::set<dealii::types::boundary_id> &ids = {}) const;

  /// A tied node that has this DoF.
  TiedNode tied_node(DoFIndex dof) const;

  /// Component of space of a DoF, hanging and tied ones included; 0 for scalar elements.
  unsigned int component_of_dof(DoFIndex dof) const;

  /// Part of a node's mass.
  struct MassFraction
  {
    unsigned int node; ///< index
    double fraction;   ///< of its lumped mass [-]
  };

  /// How much of the masses of nodes is due to this body: all of its own ones, but for what comes
  /// from followers of other bodies, and what its tied nodes have given to others.
  std::vector<MassFraction> mass_fractions() const;

  /// Node of a DoF; dealii::numbers::invalid_unsigned_int for one of a hanging or tied node.
  unsigned int
  node_of_dof(const DoFIndex dof) const
  {
    check_mesh();
    return index(local_node_of_dof[dof]);
  }

  /// DoFs of a node of this body: one (scalar element) or spacedim, by component.
  dealii::ArrayView<const DoFIndex> dofs_of_node(unsigned int node) const;

  /// Nodes at the vertices of @p cell, in deal.II's order; dealii::numbers::invalid_unsigned_int
  /// for hanging and tied ones.
  std::vector<unsigned int> nodes_of_cell(const Cell &cell) const;

  /// The same in a vector of any length before, for loops over many cells.
  void nodes_of_cell(const Cell &cell, std::vector<unsigned int> &nodes) const;

  /// Nodes on boundary faces with one of these ids (all boundary faces if empty), ascending.
  std::vector<unsigned int>
  boundary_nodes(const std::set<dealii::types::boundary_id> &ids = {}) const;

  /// Boundary faces in the order in which add_surface() appends them (where none has a hanging or
  /// tied corner, one by one).
  const std::vector<BoundaryFace> &
  boundary_faces() const
  {
    check_mesh();
    return faces;
  }

  /// Active cell by its active cell index.
  const Cell &
  cell(const unsigned int active_cell_index) const
  {
    check_mesh();
    return ordered_cells[position_of_cell[active_cell_index]];
  }

  // -- kicks ------------------------------------------------------------------------------------

  /// Where the kick of a cell is: kicks()[family], kick k.
  struct KickIndex
  {
    unsigned int family; ///< index into kicks()
    unsigned int kick;   ///< of the family
  };

  /// Kick of a cell. Throws ExcNoKicks unless kicks() was called.
  KickIndex
  kick_of_cell(const unsigned int active_cell_index) const
  {
    AssertThrow(!kick_by_cell.empty(), ExcNoKicks(body_name));
    return kick_by_cell[active_cell_index];
  }

  /// Active cell index of a kick. @pre kicks() was called.
  unsigned int
  cell_of_kick(const unsigned int family, const unsigned int k) const
  {
    return cell_by_kick[family][k];
  }

  /**
   * Nodal integration: the family of nodal_kicks() that has the kicks of a cell's nodes.
   * @pre kicks() was called.
   */
  unsigned int
  nodal_family_of_cell(const unsigned int active_cell_index) const
  {
    return nodal_by_family[kick_of_cell(active_cell_index).family];
  }

  // -- vectors ----------------------------------------------------------------------------------

  /**
   * Displacements [length] or velocities [length/time] from and to vectors of shape (n_dofs). Throw
   * for scalar elements, vectors of another size, meshes and DoFs that have been changed. Entries
   * of hanging and tied nodes are interpolated on the way out, and ignored on the way in.
   */
  template <typename VectorType>
  void get_displacement(const NodeTable<spacedim> &nodes, VectorType &displacement) const;
  /// Velocities of the nodes to a vector.
  template <typename VectorType>
  void get_velocity(const NodeTable<spacedim> &nodes, VectorType &velocity) const;
  /// Displacements of the nodes from a vector.
  template <typename VectorType>
  void set_displacement(NodeTable<spacedim> &nodes, const VectorType &displacement) const;
  /// Velocities of the nodes from a vector.
  template <typename VectorType>
  void set_velocity(NodeTable<spacedim> &nodes, const VectorType &velocity) const;

  /// Throws unless there are vectors of the body with @p size entries.
  void check_vector(std::size_t size) const;

  /// Throws ExcMeshChanged if the triangulation has been changed since the body was made, or
  /// ExcDestroyed.
  void check_mesh() const;

  /// The same, and throws ExcDoFsChanged if the DoFs have been.
  void check_dofs() const;

  /// The mesh is about to be cleared, and nothing about cells, DoFs, boundaries and followers will
  /// be asked any more, nor will vectors, which throw ExcMeshChanged. Nodes and kicks stay.
  void forget_mesh();

private:
  /// Kicks of the cells of a block, and of its nodes if they have any.
  std::vector<std::shared_ptr<CellKicks<dim>>> make_kicks(const CellBlock<dim> &block);
  void check_materials() const;
  void check_states_may_be_set() const;
  /// Throw if vertices have been moved since the nodes were made.
  void check_vertices() const;
  void order_cells();
  void number_nodes();
  void compute_masses();
  void find_boundary_faces();
  /// A vertex that is no node of the table.
  struct Follower
  {
    dealii::Point<spacedim> reference; ///< position [length]
    std::vector<Master> masters;       ///< that it follows
    double mass = 0; ///< of this body, which has been given to vertices of others [mass]
  };

  void check_hanging(const Follower &follower) const;
  /// Number tied nodes behind the hanging ones.
  void take_out_tied_nodes();
  /// What a local node follows; nothing if it is a node.
  const std::vector<Master> &masters_of(unsigned int local_node) const;
  /// Add what is followed in the end, vertices that follow none, each once.
  static void collect_masters(const Master &master, std::vector<Master> &found);
  /// Nodes of the table that a follower follows.
  std::vector<Parent> parents_of(const Follower &follower) const;
  /// Entries of the followers, from a vector of the nodes.
  template <typename VectorType, typename VectorOfNode>
  void interpolate_followers(VectorType &vector, const VectorOfNode &vector_of_node) const;
  /// Append a boundary face with corners that follow others, as triangles between nodes.
  /// @param is_tied whether all of it is
  void add_drawn_face(const SurfaceFace<spacedim> &face, bool is_tied,
                      Surface<spacedim> &surface) const;
  /// The vertex that stands for a local node on the contact surface.
  Master surface_node(unsigned int local_node) const;
  /// Reference position of a node or follower.
  const dealii::Point<spacedim> &local_position(unsigned int local_node) const;

  /// Nodes of a cell, counted from the body's first; followers are counted on after them.
  void local_nodes(const Cell &cell, std::vector<unsigned int> &nodes) const;
  /// In the table.
  unsigned int
  index(const unsigned int local_node) const
  {
    return local_node < n_nodes() ? first_node() + local_node
                                  : dealii::numbers::invalid_unsigned_int;
  }

  const dealii::SmartPointer<const dealii::DoFHandler<dim, spacedim>> dofs;
  const dealii::SmartPointer<const dealii::Mapping<dim, spacedim>> map;
  const Existence dofs_exist, map_exists;
  std::string body_name;
  Materials materials;
  /// See set_initial_states(); empty: those of the materials.
  std::function<std::vector<double>(const HistoryMaterial<dim> &, const dealii::Point<spacedim> &)>
      initial_state;
  /// See set_states_of_cells(); empty: as initial_state says.
  std::function<std::vector<double>(const HistoryMaterial<dim> &, const Cell &, unsigned int)>
      state_of_cell;
  double strain_at_failure = 0; ///< see failure_strain()
  const StrainIntegration integration;
  const HourglassControl hourglass;
  std::shared_ptr<bool> mesh_has_changed;
  boost::signals2::scoped_connection on_mesh_change; ///< sets it

  std::uint64_t checksum_of_dofs = 0; ///< when the body was made, see dof_checksum()
  std::vector<Cell> ordered_cells;
  std::vector<unsigned int> position_of_cell; ///< in ordered_cells, by active cell index
  std::vector<BoundaryFace> faces;

  unsigned int offset = dealii::numbers::invalid_unsigned_int; ///< first node in the table
  std::vector<unsigned int> local_node_of_dof;
  std::vector<DoFIndex> node_dofs; ///< shape (n_nodes, n_components)
  std::vector<double> masses;      ///< per node, of this body [mass]
  std::vector<double> received;    ///< per node, from followers of other bodies [mass]
  std::vector<double> volumes;     ///< int N_A dV per node [length^dim]
  std::vector<dealii::Point<spacedim>> positions;

  std::vector<Follower> followers;                  ///< hanging nodes, then tied ones
  std::vector<DoFIndex> follower_dofs;              ///< shape (n_followers, n_components)
  unsigned int n_hanging = 0;                       ///< of the followers
  std::map<unsigned int, std::vector<Master>> tied; ///< local nodes, until add_nodes()
  std::set<dealii::types::boundary_id> tied_ids;    ///< see add_surface()

  std::vector<std::shared_ptr<CellKicks<dim>>> kick_families;
  std::vector<std::shared_ptr<NodalKicks<dim>>> nodal_families;
  std::vector<unsigned int> nodal_by_family; ///< nodal family by family of the cells
  std::vector<KickIndex> kick_by_cell;
  std::vector<std::vector<unsigned int>> cell_by_kick;
};

template <int dim, int spacedim>
template <typename VectorType>
void
Body<dim, spacedim>::get_displacement(const NodeTable<spacedim> &nodes,
                                      VectorType &displacement) const
{
  check_vector(displacement.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    displacement(node_dofs[n]) = nodes[first_node() + n / spacedim].displacement[n % spacedim];
  interpolate_followers(displacement,
                        [&](const unsigned int node) { return nodes.displacement(node); });
}

template <int dim, int spacedim>
template <typename VectorType>
void
Body<dim, spacedim>::get_velocity(const NodeTable<spacedim> &nodes, VectorType &velocity) const
{
  check_vector(velocity.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    velocity(node_dofs[n]) = nodes[first_node() + n / spacedim].velocity[n % spacedim];
  interpolate_followers(velocity, [&](const unsigned int node) { return nodes.velocity(node); });
}

template <int dim, int spacedim>
template <typename VectorType>
void
Body<dim, spacedim>::set_displacement(NodeTable<spacedim> &nodes,
                                      const VectorType &displacement) const
{
  check_vector(displacement.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    nodes[first_node() + n / spacedim].displacement[n % spacedim] = displacement(node_dofs[n]);
}

template <int dim, int spacedim>
template <typename VectorType>
void
Body<dim, spacedim>::set_velocity(NodeTable<spacedim> &nodes, const VectorType &velocity) const
{
  check_vector(velocity.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    nodes[first_node() + n / spacedim].velocity[n % spacedim] = velocity(node_dofs[n]);
}

template <int dim, int spacedim>
template <typename VectorType, typename VectorOfNode>
void
Body<dim, spacedim>::interpolate_followers(VectorType &vector,
                                           const VectorOfNode &vector_of_node) const
{
  for_each_follower(
      [&](const DoFIndex *of_follower, const std::vector<Parent> &parents)
      {
        dealii::Tensor<1, spacedim> sum;
        for (const Parent &parent : parents)
          sum += parent.weight * vector_of_node(parent.node);
        for (unsigned int d = 0; d < spacedim; ++d)
          vector(of_follower[d]) = sum[d];
      });
}
} // namespace KickDrift

#endif
