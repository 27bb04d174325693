#ifndef KICKDRIFT_DEAL_II_MESH_REPLICA_H
#define KICKDRIFT_DEAL_II_MESH_REPLICA_H

#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/deal_ii/existence.h>
#include <kickdrift/parallel/ranks.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/vector.h>

#include <boost/signals2/connection.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * A mesh that is divided among processes, as a plain mesh that each of them has as a whole: what
 * bodies on p4est's triangulations (parallel::distributed), shared and fullydistributed ones are
 * made of.
 *
 * Cells come from their owners and stand in the order of their CellId, so that the replica has the
 * same bits on any number of processes. Vertices are where the mapping puts them; material and
 * boundary ids are those of the mesh. Vertices are told apart by their DoFs, hence slits stay open.
 *
 * DoFs and vectors below are those of the divided mesh if they are said to be given, and those of
 * dof_handler() otherwise.
 */
template <int dim>
class MeshReplica : public DynamicsExceptions
{
public:
  /**
   * Collective. Throws dealii::ExceptionBase for elements that bodies cannot have, inverted cells
   * and curved mappings, as Body does, and for cells that are refined along some directions only;
   * ExcProcesses unless @p ranks are as many as the processes of the mesh.
   * @param dof_handler given; must outlive the replica and not change
   * @param body name for messages
   * @param ranks null: this process alone
   */
  MeshReplica(const dealii::DoFHandler<dim> &dof_handler, const dealii::Mapping<dim> &mapping,
              const std::string &body, std::shared_ptr<Ranks> ranks);

  /// On the whole mesh.
  const dealii::DoFHandler<dim> &
  dof_handler() const
  {
    return dofs;
  }

  /// Fits dof_handler().
  const dealii::Mapping<dim> &
  mapping() const
  {
    return *linear_mapping;
  }

  /// Collective: a vector on the whole mesh, from the locally owned entries of a given one.
  template <typename VectorType>
  dealii::Vector<double> gather(const VectorType &given) const;

  /// Collective: the locally owned entries of a given vector, which has no ghost values, from one
  /// on the whole mesh.
  template <typename VectorType>
  void scatter(const dealii::Vector<double> &whole, VectorType &given) const;

  /// @p n numbers of each active cell of the given mesh, from those of the replica: zeros for cells
  /// of other processes.
  std::vector<double> scatter_cells(const std::vector<double> &whole, unsigned int n) const;

  /// A DoF that is constrained.
  struct Constraint
  {
    dealii::types::global_dof_index dof;       ///< of dof_handler()
    dealii::types::global_dof_index given_dof; ///< the same in the divided mesh
    bool is_zero;                              ///< constrained to zero, not to something else
  };

  /// Collective: those of locally owned DoFs, of all processes; and what there is of DoFs that the
  /// mesh does not have, with their given numbers.
  std::vector<Constraint> gather(const dealii::AffineConstraints<double> &given) const;

  /// Throws ExcMeshChanged if the given mesh has been changed since the replica was made, or
  /// ExcDestroyed.
  void check_mesh() const;

  /// Collective: the same, and throws ExcDoFsChanged if DoFs of one of the processes have been.
  void check_dofs() const;

private:
  struct Cell; ///< of the divided mesh

  std::vector<Cell> gather_cells(const dealii::DoFHandler<dim> &given,
                                 const dealii::Mapping<dim> &mapping) const;
  void make_coarse_mesh(const std::vector<Cell> &cells);
  using Replicas = std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator>;
  /// Refine the coarse mesh; returns what has become of @p cells.
  Replicas refine(const std::vector<Cell> &cells);
  void match_cells(const dealii::DoFHandler<dim> &given, const dealii::Mapping<dim> &mapping,
                   const std::vector<Cell> &cells, const Replicas &replicas);
  void match_dofs(const dealii::DoFHandler<dim> &given, const std::vector<Cell> &cells,
                  const Replicas &replicas);

  const std::string body;
  const dealii::DoFHandler<dim> &given_dofs; ///< if it still exists
  const Existence given_exists;              ///< does it?
  const std::shared_ptr<Ranks> ranks;
  std::shared_ptr<bool> mesh_has_changed;
  boost::signals2::scoped_connection on_mesh_change; ///< sets it
  dealii::Triangulation<dim> triangulation;
  dealii::DoFHandler<dim> dofs;
  std::unique_ptr<dealii::Mapping<dim>> linear_mapping;
  using DoFIndex = dealii::types::global_dof_index;
  std::vector<DoFIndex> owned;    ///< given DoFs of this process, ascending
  std::vector<DoFIndex> of_owned; ///< the same in dofs
  std::vector<DoFIndex> of_all;   ///< the same of all processes, one after the other, in dofs
  std::vector<typename dealii::DoFHandler<dim>::active_cell_iterator> given_cells; ///< owned
  std::uint64_t checksum_of_dofs = 0; ///< of these cells, when the replica was made
  unsigned int n_given_cells = 0;     ///< active ones
  /// Active cells of this process, in the given mesh and in the replica.
  std::vector<std::pair<unsigned int, unsigned int>> owned_cells;
};

template <int dim>
template <typename VectorType>
dealii::Vector<double>
MeshReplica<dim>::gather(const VectorType &given) const
{
  check_dofs();
  std::vector<double> own;
  own.reserve(owned.size());
  for (const DoFIndex dof : owned)
    own.push_back(given(dof));
  const auto all = ranks->gather(own);
  dealii::Vector<double> whole(dofs.n_dofs());
  for (std::size_t i = 0; i < all.size(); ++i)
    whole(of_all[i]) = all[i];
  return whole;
}

template <int dim>
template <typename VectorType>
void
MeshReplica<dim>::scatter(const dealii::Vector<double> &whole, VectorType &given) const
{
  check_dofs();
  for (std::size_t i = 0; i < owned.size(); ++i)
    given(owned[i]) = whole(of_owned[i]);
  given.compress(dealii::VectorOperation::insert);
}
} // namespace KickDrift

#endif
