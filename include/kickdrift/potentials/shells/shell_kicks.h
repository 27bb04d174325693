#ifndef KICKDRIFT_POTENTIALS_SHELLS_SHELL_KICKS_H
#define KICKDRIFT_POTENTIALS_SHELLS_SHELL_KICKS_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/potentials/shells/shell_mesh.h>
#include <kickdrift/potentials/shells/shell_resultants.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/exceptions.h>

#include <memory>
#include <utility>

namespace KickDrift
{
class ShellPacks;

/**
 * Base class of the strain energies of shells: kicks with few nodes, whose forces are functions of
 * the nodes' displacements. They are given by vectorised kernels, in packs as those of cells are,
 * and one by one only where a triangle has too many neighbours for that; queries about single kicks
 * go by formulas of their own, with the same results to round-off.
 *
 * The current critical step is that of the matrix of second derivatives, by differences of forces.
 * Shells have no masses of their own for single kicks, since membrane and bending share those of
 * the nodes: MassForSteps::own is not for them.
 */
class ShellKicks : public Kicks<3>
{
public:
  /// Edges keep their normals in a shell without bending.
  DeclException1(ExcMembrane, unsigned int,
                 << "A shell has " << arg1 << " edges that keep their normals, but it is a "
                 << "membrane (Bending::none): nothing holds a normal there.");

  /// A vector in space.
  using Vector = dealii::Tensor<1, 3>;

  /// @param first_node of the mesh in the table; the others follow
  ShellKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
             unsigned int first_node);
  ~ShellKicks() override;

  KickKind
  kind() const override
  {
    return KickKind::strain;
  }
  bool
  has_constant_steps() const override
  {
    return false;
  }
  /// See Kicks.
  void use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<3> &nodes) override;
  /// Nothing is freed; from now on the last clock is the one that never comes.
  void
  let_go(const std::vector<char> & /*is_elsewhere*/, bool /*stays_known*/) override
  {
    has_last_clock_elsewhere = true;
  }
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void change_clock(unsigned int k, unsigned int clock) override;
  /// See Kicks.
  void kick(NodeTable<3> &nodes, unsigned int clock, double time, double step) const override;
  /// See Kicks.
  std::unique_ptr<KickSubset<3>> subset(std::vector<unsigned int> kicks) const override;
  /// See Kicks.
  void kick_in_sequence(NodeTable<3> &nodes, const dealii::ArrayView<const DueClock> &due,
                        const std::function<void(unsigned int)> &after) const override;
  /// See Kicks.
  std::optional<unsigned int>
  undefined_clock() const override
  {
    return undefined;
  }
  double drift_share() const override;
  std::vector<unsigned int> support(unsigned int k) const override;
  /// See Kicks.
  double current_critical_step(const NodeTable<3> &nodes, unsigned int k,
                               const std::vector<double> &masses) const override;
  /// See Kicks.
  void force(const NodeTable<3> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  /// Adds to the strain energy.
  void add_energy(const NodeTable<3> &nodes, EnergyBalance &balance) const override;

  /// Strain energy of kick @p k for nodes that are all at one time [energy].
  double energy(const NodeTable<3> &nodes, unsigned int k) const;

  /// Triangle of kick @p k; of a hinge one of the two.
  virtual unsigned int triangle(unsigned int k) const = 0;

  /// Add what the family knows of a triangle, for nodes that are all at one time.
  virtual void add_resultants(const NodeTable<3> &nodes, unsigned int triangle,
                              ShellResultants &resultants) const = 0;

  /// Memory that a kick takes, without the mesh [bytes].
  virtual double bytes_per_kick() const = 0;

  /// The surface.
  const ShellMesh &
  mesh() const
  {
    return *the_mesh;
  }
  /// As given to the constructor.
  const ShellSection &
  section() const
  {
    return the_section;
  }

protected:
  /// Nodes of the mesh that kick @p k depends on.
  virtual dealii::ArrayView<const unsigned int> mesh_nodes(unsigned int k) const = 0;

  /// Forces of kick @p k, shape (nodes of the kick) as are the displacements, [force].
  virtual void forces(unsigned int k, const Vector *displacements, Vector *result) const = 0;

  /// Energy of kick @p k [energy].
  virtual double energy_of(unsigned int k, const Vector *displacements) const = 0;

  /**
   * Let kernels give the kicks, but for those in @p alone, ascending. To be called once by the
   * constructors of families that have kernels; kicks of the others are given one by one.
   */
  void use_kernels(std::unique_ptr<ShellPacks> of_the_others, std::vector<unsigned int> alone = {});

  /// Memory of the kernels' data [bytes].
  double bytes_of_packs() const;

  /// Displacements of the nodes of kick @p k at their own times.
  std::vector<Vector> displacements(const NodeTable<3> &nodes, unsigned int k) const;

  /// The same nodes, counted as those of the table.
  std::vector<unsigned int> table_nodes(dealii::ArrayView<const unsigned int> mesh_nodes) const;

  /// Reference position relative to another node of the mesh [length].
  Vector
  from_to(const unsigned int from, const unsigned int to) const
  {
    return the_mesh->positions()[to] - the_mesh->positions()[from];
  }

  /// Displacement of a node of the mesh at its own time [length].
  Vector
  displacement(const NodeTable<3> &nodes, const unsigned int mesh_node) const
  {
    return nodes.displacement(first_node + mesh_node);
  }

private:
  class Subset;
  /// How many of those that are given one by one come before kick @p k, and is it one of them?
  std::pair<unsigned int, bool> place(unsigned int k) const;
  /// Are all forces finite?
  bool kick_alone(NodeTable<3> &nodes, unsigned int k, double time, double step) const;

  std::shared_ptr<const ShellMesh> the_mesh;
  ShellSection the_section;
  unsigned int first_node;
  std::unique_ptr<ShellPacks> packs; ///< null: all are given one by one
  std::vector<unsigned int> alone;   ///< with packs, kicks that are given one by one, ascending
  KicksByClock alone_by_clock;       ///< the same, by place in the list
  bool has_last_clock_elsewhere = false;
  mutable std::vector<Vector> force_buffer;      ///< for kick_alone()
  mutable std::optional<unsigned int> undefined; ///< see undefined_clock()
};

/**
 * Families for a shell: membrane and bending, or both in one for Bending::loop. Bending may then
 * have clocks slower than those of stretching.
 * @param first_node of the mesh in the table
 * Throws ShellExceptions, and ShellKicks::ExcMembrane for Bending::none if edges keep their
 * normals.
 */
std::vector<std::shared_ptr<ShellKicks>>
make_shell_kicks(const std::shared_ptr<const ShellMesh> &mesh, const ShellSection &section,
                 Bending bending, unsigned int first_node);

/**
 * Lumped area of each node of the mesh, shape (n_nodes): a third of the triangles around it, or
 * the integral of its shape function at the centres [length^2].
 * Throws as make_shell_kicks().
 */
std::vector<double> shell_areas(const ShellMesh &mesh, Bending bending);
} // namespace KickDrift

#endif
