#ifndef KICKDRIFT_CONTACT_MASSLESS_LAYER_H
#define KICKDRIFT_CONTACT_MASSLESS_LAYER_H

#include <kickdrift/base/archive.h>
#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/contact/massless/exceptions.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * The cells around massless nodes, as an energy V(q, s) of massive nodes q and massless ones s.
 *
 * What it knows of cells is their Kicks::force(): of all materials and kinds of cells. Blocks of
 * second derivatives are differences of forces, since they only have to be good enough for
 * iterations to converge, and are kept for many of them. Dead loads on massless nodes stay with
 * these, so that they belong to the energy.
 *
 * The nodes that take part are the members: the massless ones come first, in ascending order.
 */
template <int spacedim>
class MasslessLayer : public MasslessExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// Second derivatives of the energy by the positions of two nodes [force/length].
  using Block = dealii::Tensor<2, spacedim>;

  /// No member.
  static constexpr unsigned int none = -1;

  /// @param massless ascending
  /// @param massive nodes of the layer's cells and of what they touch, ascending
  MasslessLayer(const std::vector<unsigned int> &massless,
                const std::vector<unsigned int> &massive);

  /// Add a kick whose forces act on all its nodes, or (loads) are taken on massless ones only.
  void add(const Kicks<spacedim> &kicks, unsigned int k, bool on_massless_only);

  /// Massless nodes.
  unsigned int
  n_massless() const
  {
    return n_without_mass;
  }

  /// Nodes that take part, the massless ones first.
  const std::vector<unsigned int> &
  members() const
  {
    return nodes_of_members;
  }

  /// The member that a node is; none if it is none.
  unsigned int
  member(const unsigned int node) const
  {
    return node < member_of_node.size() ? member_of_node[node] : none;
  }

  /**
   * Forces of all kicks at @p time, for nodes that are all at it.
   * @param forces shape (members), overwritten [force]
   */
  void forces(const NodeTable<spacedim> &nodes, double time, std::vector<Vector> &forces) const;

  /**
   * Calculate the blocks of the massless nodes at @p time, for nodes that are all at it.
   * @param nodes as given; moved to and fro
   * @param length of the cells, to which differences are small [length]
   *
   * Throws ExcNoEquilibrium if the block of a node is not positive definite.
   */
  void update_blocks(NodeTable<spacedim> &nodes, double time, double length);

  /// Inverse of the diagonal block of a massless node within the directions in which it is free.
  const Block &
  flexibility(const unsigned int massless) const
  {
    return flexibilities[massless];
  }

  /// Massless nodes with which the cells connect a massless node, itself not included.
  dealii::ArrayView<const unsigned int>
  neighbours(const unsigned int massless) const
  {
    return columns.row(massless);
  }

  /// Blocks of a massless node and its neighbours(), each times its flexibility(): how far the node
  /// follows a motion of the neighbour, with the sign reversed [-].
  dealii::ArrayView<const Block>
  relative_blocks(const unsigned int massless) const
  {
    return couplings.row(massless);
  }

  /// Do blocks never change?
  bool
  is_linear() const
  {
    return linear;
  }

  /// Write to, or read from, a checkpoint: the blocks.
  void serialize(Archive &archive);

private:
  struct Term
  {
    const Kicks<spacedim> *kicks;
    unsigned int k;
    bool on_massless_only;
  };

  void make_pattern();
  void add_difference(NodeTable<spacedim> &nodes, unsigned int term, unsigned int massless,
                      double time, double increment);
  Block &block(unsigned int row, unsigned int column);
  /// Throws ExcNoEquilibrium.
  void invert_diagonal(const NodeTable<spacedim> &nodes, double time);

  std::vector<unsigned int> nodes_of_members, member_of_node;
  unsigned int n_without_mass;
  bool linear = true;
  std::vector<Term> terms;
  CompressedRows<unsigned int> members_of_terms;
  CompressedRows<unsigned int> columns; ///< by massless node
  CompressedRows<Block> couplings;      ///< relative_blocks(), in the places of columns
  std::vector<Block> diagonal, flexibilities;
  mutable std::vector<Vector> forces_of_term; ///< to allocate them once
};
} // namespace KickDrift

#endif
