#ifndef KICKDRIFT_CASES_MODEL_MODEL_H
#define KICKDRIFT_CASES_MODEL_MODEL_H

#include <kickdrift/base/vector_value.h>
#include <kickdrift/cases/model/mass_scaling.h>
#include <kickdrift/cases/model/quiet_start.h>
#include <kickdrift/cases/parameters/case_parameters.h>
#include <kickdrift/contact/contact_method.h>
#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/deal_ii/ties.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/reactions.h>
#include <kickdrift/potentials/loads/dashpots.h>
#include <kickdrift/potentials/section_impulses.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <deal.II/fe/fe.h>
#include <deal.II/grid/tria.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace KickDrift
{
/// A shell with all that it refers to.
struct MeshedShell
{
  MeshedShell() : dof_handler(triangulation) {}

  dealii::Triangulation<2, 3> triangulation;            ///< the mesh
  std::shared_ptr<const dealii::Mapping<2, 3>> mapping; ///< of the reference configuration
  dealii::DoFHandler<2, 3> dof_handler;                 ///< linear vector-valued elements
  std::unique_ptr<Shell> made;                          ///< until Dynamics has it
  DynamicBody<2, 3> *moving = nullptr;                  ///< owned by Dynamics
  Shell *body = nullptr;                                ///< nodes, kicks and faces made of the mesh
};

/// A body with all that it refers to, a solid or a shell.
template <int dim>
struct MeshedBody
{
  /// Makes the mesh. Throws dealii::ExceptionBase naming the body or a parameter of it.
  explicit MeshedBody(const BodyParameters<dim> &parameters);

  /// Make the body of the mesh. Throws dealii::ExceptionBase naming the body or a parameter of it.
  void make_body(const BodyParameters<dim> &parameters);

  /// Clear the mesh of a solid, and what the body knows of it; for a process that writes nothing,
  /// on which the run needs nodes and kicks only.
  void forget_mesh();

  /// Is the mesh there?
  bool
  has_mesh() const
  {
    return n_forgotten_cells == 0;
  }

  /// Hand the body over.
  /// @param resolution of a rigid one, see RigidParameters [time]
  void add_to(Dynamics<dim> &dynamics, const BodyParameters<dim> &parameters, double resolution);

  dealii::Triangulation<dim> triangulation;            ///< the mesh
  std::shared_ptr<const dealii::Mapping<dim>> mapping; ///< of the reference configuration
  dealii::DoFHandler<dim> dof_handler;                 ///< linear vector-valued elements
  std::unique_ptr<Body<dim>> made;                     ///< until Dynamics has it
  DynamicBody<dim> *moving = nullptr;                  ///< owned by Dynamics
  Body<dim> *body = nullptr;                           ///< nodes, kicks and faces made of the mesh
  std::unique_ptr<MeshedShell> shell; ///< in place of all these, which are empty or null then
  MeshNames names;                    ///< of boundaries and materials
  bool has_internal_forces = true;    ///< see 'Stepping/Strain'

  // what solids and shells have in common
  const std::string &name() const; ///< appears in messages and reports
  unsigned int first_node() const; ///< in the table
  unsigned int n_nodes() const;    ///< of the table, without hanging ones
  unsigned int n_cells() const;    ///< active ones
  bool is_rigid() const;           ///< does it not deform?
  bool has_stress() const;         ///< do its cells exert forces?
  double n_vertices() const;       ///< with hanging ones
  /// Ids of the first kicks of strain_kicks() in the stepper.
  const std::vector<unsigned int> &first_ids() const;
  /// All families of strain-energy kicks.
  std::vector<std::shared_ptr<Kicks<dim>>> strain_kicks() const;
  /// Ids of boundary faces, of shells those of free edges.
  std::vector<dealii::types::boundary_id> all_boundary_ids() const;
  /// Nodes on boundary faces with one of these ids (all boundary faces if empty), ascending.
  std::vector<unsigned int> boundary_nodes(const std::set<dealii::types::boundary_id> &ids) const;

  /// Ids of the boundary that are given as numbers or names. Throws dealii::ExceptionBase, naming
  /// the parameter, if there is no such part.
  std::set<dealii::types::boundary_id> boundary_ids(const std::vector<std::string> &words,
                                                    const std::string &parameter) const;

private:
  unsigned int n_forgotten_cells = 0; ///< number of cells before forget_mesh()
  void make_solid(const BodyParameters<dim> &parameters);
  void make_shell(const BodyParameters<dim> &parameters);
  typename Body<dim>::Materials materials_by_id(const BodyParameters<dim> &parameters) const;
};

/// A cell of a body of a model.
struct CellOfBody
{
  unsigned int body;              ///< index of the body
  unsigned int active_cell_index; ///< deal.II's number of the cell
  double volume;                  ///< or area of a shell's, in the reference state [length^dim]
};

/// How large a body and its cells are in the reference state.
struct BodySizes
{
  double diagonal;           ///< of the box around all nodes [length]
  std::vector<double> cells; ///< by node of the body, the largest diameter of its cells [length]
};

/// The node that a parameter 'Point' has chosen.
template <int dim>
struct NodeAtPoint
{
  std::string parameter;    ///< its full name, "Probes/tip/Point"
  dealii::Point<dim> point; ///< what it says [length]
  unsigned int node;        ///< the nearest of those that may be chosen
  double distance;          ///< between both in the reference state [length]
  double cell_size;         ///< the largest diameter of a cell with this node [length]
};

/// What has come of a section Ties/NAME.
template <int dim>
struct TieOfModel
{
  std::string name;       ///< NAME of the section
  TieReport<dim> report;  ///< of tie()
  double largest_gap = 0; ///< that has been closed [length]
};

/**
 * A case put together from the rooms: bodies, restraints, loads, stepper and contact, ready for the
 * first kick.
 */
template <int dim>
class Model
{
public:
  /**
   * Throws dealii::ExceptionBase, naming the parameter, for everything that is wrong.
   * @param parameters must outlive the model
   */
  explicit Model(const CaseParameters<dim> &parameters);

  const CaseParameters<dim> &parameters; ///< as given to the constructor
  std::vector<TieOfModel<dim>> ties;     ///< in the order of the sections
  std::deque<MeshedBody<dim>> bodies; ///< elements stay where they are, as they refer to each other
  Dynamics<dim> dynamics;             ///< of these bodies
  NodeTable<dim> &nodes;              ///< nodes of all bodies
  Stepper<dim> &stepper;              ///< the loop that moves the nodes
  ContactMethod<dim> *contact = nullptr;             ///< null without it
  std::vector<Obstacle<dim>> obstacles;              ///< of contact
  std::vector<Probe> probes;                         ///< sets of nodes that probes look at
  std::vector<std::vector<CellOfBody>> probed_cells; ///< by probe, if it looks at fields of cells
  /// Of the sections Sections/NAME, in their order.
  std::vector<std::shared_ptr<SectionImpulses<dim>>> sections;
  std::vector<NodeAtPoint<dim>> nodes_at_points; ///< of all parameters 'Point' that choose a node
  std::vector<std::shared_ptr<Kicks<dim>>> own_kicks; ///< of the sections Kicks/NAME
  std::vector<Support<dim>> supports;                 ///< by restraint
  std::vector<std::shared_ptr<Kicks<dim>>> loads;     ///< of the sections Loads/NAME

  std::map<unsigned int, double>
      point_masses; ///< by node, of the sections Point masses/NAME [mass]

  MassScaling mass_scaling; ///< that has been done
  QuietStart quiet_start;   ///< that has been made
  /// To be called when nodes have been moved to where the run starts: work, rates and losses are
  /// counted from there.
  std::vector<std::function<void()>> begin_books;

  /// checksum() of nodes, cells, their critical steps and the surface, before the first kick.
  std::uint64_t fingerprint() const;

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  /// Cells of all bodies.
  unsigned int n_cells() const;

  /// Number of cells that have been deleted so far.
  unsigned int n_deleted_cells() const;

  /// Does any body deform?
  bool any_deforms() const;

  /// "cell 12 of body 'left' at (1, 2, 0.5)", or the same of a node, for the kick with this id.
  std::string cell_text(unsigned int id) const;

  /// "node 3 of body 'left' at (1, 2, 0.5)", reference position.
  std::string node_text(unsigned int node) const;

  /// Id of the kick that is a cell.
  unsigned int id_of_cell(const MeshedBody<dim> &body, unsigned int active_cell_index) const;

  /// The shortest step at which the strain of a cell is kicked at present [time].
  double step_of_cell(const MeshedBody<dim> &body, unsigned int active_cell_index) const;

  /// The largest step at which all kicks can be given together in the reference state; without
  /// strain energy, where nothing limits it, the smallest critical step.
  StabilityLimit
  largest_stable_step() const
  {
    return largest_stable_step(nodes);
  }

  /// The same with the masses of other nodes, none of which is lighter.
  StabilityLimit largest_stable_step(const NodeTable<dim> &with_masses) const;

  /// 'Contact/Exclude' with ids in place of names of boundaries.
  std::vector<std::pair<std::string, std::string>> exclusions_by_id() const;

  /// Parameters of contact with what obstacles say about it, and with ids in place of names.
  ContactParameters contact_parameters() const;

  /// Names of the sections of Bodies by name of the body, of copies.
  std::map<std::string, std::string> sections_of_bodies() const;

  /// Memory that belongs to the cells: nodes, connectivity, geometry, clocks [bytes per cell].
  double bytes_per_cell() const;

private:
  dealii::Point<dim> mean_of_nodes(unsigned int id) const;
  using NamesOfParts = std::vector<std::pair<std::string, std::string>>;

  /// Pairs of a body and the name of a boundary, with ids in place of names.
  NamesOfParts with_ids(const NamesOfParts &names, const std::string &parameter) const;
  void add_bodies();
  /// Glue bodies that have been made, whose meshes fit.
  void tie_bodies();
  /// Close the gaps between meshes that are going to be glued.
  void close_gaps_of_meshes();
  template <typename Side, typename MakeSide>
  std::vector<Tie<Side>> ties_of(const MakeSide &make_side);
  /// Of a driven rigid body: where its motion begins. Throws if the start is given besides.
  void put_where_driven(const BodyParameters<dim> &body, unsigned int node);
  /**
   * select_nodes() for a section of parameters, and if it has a @p point, by its name there, an
   * entry in nodes_at_points. Throws dealii::ExceptionBase if the point is further from the nearest
   * node than the body of this node is large.
   */
  std::vector<unsigned int> nodes_of(const std::vector<unsigned int> &chosen,
                                     const NodeSelection<dim> &selection,
                                     const std::string &section,
                                     const std::string &point = "Point");
  void add_restraints();
  /// Throw if a restraint holds a tied node, but not what that follows.
  void check_restraints_of_tied() const;
  /// Displacement that a moving restraint prescribes; throws if it is not finite.
  dealii::Tensor<1, dim> prescribed_displacement(const RestraintParameters<dim> &restraint,
                                                 unsigned int node, double time) const;
  /// Throw if a motion does not begin at the initial displacement, or restraints contradict. With a
  /// quiet start nodes are put where motions begin.
  void check_motions();
  /// Displacement of a node that is held so; throws if its restraints contradict.
  template <typename Holds>
  dealii::Tensor<1, dim> agreed_displacement(unsigned int node, const Holds &holds, double time,
                                             double round_off) const;
  void prescribe_motions();
  void add_kicks();
  void add_springs();
  /// Throw if a spring has a dashpot that cannot be.
  void check_dashpot(const SpringParameters<dim> &spring) const;
  void add_point_masses();
  void add_sections();
  /// What cuts a section off from the other side.
  std::shared_ptr<SectionImpulses<dim>> make_section(const SectionParameters<dim> &section) const;
  /// Weight of point masses, for a load of type acceleration.
  LoadShares<dim> shares_of_point_masses(const LoadParameters<dim> &load, unsigned int body,
                                         std::vector<unsigned int> &ids) const;
  void add_loads();
  void add_damping();
  void add_viscosity();
  void add_contact();
  void add_probes();
  void check_critical_steps() const;
  void check_time_step() const;

  std::vector<Dashpot<dim>> dashpots;      ///< of the sections Springs/NAME, for add_damping()
  std::map<unsigned int, BodySizes> sizes; ///< of bodies with a point, until the model is made
};
} // namespace KickDrift

#endif
