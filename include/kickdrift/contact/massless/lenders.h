#ifndef KICKDRIFT_CONTACT_MASSLESS_LENDERS_H
#define KICKDRIFT_CONTACT_MASSLESS_LENDERS_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/stepper.h>

#include <vector>

namespace KickDrift
{
/// A massless node and the one that has its mass.
struct MasslessLoan
{
  unsigned int node;     ///< without mass
  unsigned int receiver; ///< has it
};

/**
 * Finds who can carry the masses of nodes: for each of them the nearest node of the cells around it
 * that keeps its mass, or of the cells around those, and so on. Springs and users' own kicks are no
 * cells.
 *
 * A node cannot do without its mass where no such node is near (thin bodies), and where the cells
 * of the massless nodes that it hangs together with have too few nodes with mass to hold them: two,
 * in space three that are not in one line. Such a set could turn without any energy.
 */
template <int spacedim>
class MasslessLenders
{
public:
  /// Both must outlive it; families have been added.
  MasslessLenders(const NodeTable<spacedim> &nodes, const Stepper<spacedim> &stepper);

  /// Ids of all kicks that act on a node, ascending.
  dealii::ArrayView<const unsigned int>
  kicks_of_node(const unsigned int node) const
  {
    return ids_of_node.row(node);
  }

  /**
   * Who would carry the @p wanted nodes if all of them became massless, beside those that are; held
   * ones stay what they are.
   * @param wanted ascending
   * @param refused nodes that cannot do without their masses; the others have their loans only if
   * there are none
   */
  std::vector<MasslessLoan> find(const std::vector<unsigned int> &wanted,
                                 std::vector<unsigned int> &refused) const;

private:
  /// Nodes that share cells with this one, itself included.
  std::vector<unsigned int> neighbours(unsigned int node) const;
  unsigned int find_receiver(unsigned int node, const std::vector<char> &is_massless) const;
  void refuse_loose(const std::vector<unsigned int> &wanted, const std::vector<char> &is_massless,
                    std::vector<unsigned int> &refused) const;
  /// Do nodes with mass at these places hold what hangs on them?
  bool hold(const std::vector<unsigned int> &massive) const;
  bool
  is_held(const unsigned int node) const
  {
    return nodes.restraints.n_directions(node) == spacedim;
  }

  const NodeTable<spacedim> &nodes;
  CompressedRows<unsigned int> ids_of_node, cells_of_node; ///< by node
  CompressedRows<unsigned int> nodes_of_cell;              ///< by id; empty for other kicks
};
} // namespace KickDrift

#endif
