#ifndef KICKDRIFT_NODES_INTERPOLATION_H
#define KICKDRIFT_NODES_INTERPOLATION_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/nodes/node_table.h>

#include <vector>

namespace KickDrift
{
/// A node that a point follows.
struct Parent
{
  unsigned int node; ///< index
  double weight;     ///< share of the node's motion that the point has [-]
};

/**
 * Points that have no state of their own but follow nodes, @f$x_p = \sum_A w_{pA} x_A@f$: the
 * hanging nodes of locally refined meshes, and nodes as points that follow themselves.
 *
 * A force on a point is a force on its parents, with the same weights (virtual work); so is its
 * mass. As the weights sum to one, and the reference position is interpolated like any other,
 * both momentum and angular momentum are conserved.
 */
template <int spacedim>
class Interpolation
{
public:
  /// Append a point and return its number. @p parents have weights that sum to one.
  unsigned int add(const dealii::Point<spacedim> &reference, const std::vector<Parent> &parents);

  /// Number of points.
  unsigned int
  size() const
  {
    return references.size();
  }

  /// Reference position of a point [length].
  const dealii::Point<spacedim> &
  reference(const unsigned int point) const
  {
    return references[point];
  }

  /// The nodes that a point follows.
  dealii::ArrayView<const Parent>
  parents(const unsigned int point) const
  {
    return parents_of_point.row(point);
  }

  /// Displacement of a point when its parents have drifted to @p time [length].
  dealii::Tensor<1, spacedim> displacement(const NodeTable<spacedim> &nodes, unsigned int point,
                                           double time) const;

  /// The points as nodes of a table of their own: at rest, with masses of one.
  NodeTable<spacedim> table() const;

  /// Memory that the object takes [bytes].
  std::size_t memory_consumption() const;

private:
  CompressedRows<Parent> parents_of_point;
  std::vector<dealii::Point<spacedim>> references;
};
} // namespace KickDrift

#endif
