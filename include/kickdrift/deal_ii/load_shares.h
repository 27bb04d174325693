#ifndef KICKDRIFT_DEAL_II_LOAD_SHARES_H
#define KICKDRIFT_DEAL_II_LOAD_SHARES_H

#include <kickdrift/deal_ii/body.h>

#include <set>
#include <vector>

namespace KickDrift
{
/**
 * How a distributed load on cells or boundary faces is shared among their nodes: the load f per
 * volume, mass or area gives node A the force f(x_A) * share_A.
 */
template <int spacedim>
struct LoadShares
{
  unsigned int nodes_per_piece = 0; ///< nodes of each cell or face
  /// Active cell index of each cell, or of the cell behind each face, shape (n_pieces).
  std::vector<unsigned int> active_cell_indices;
  /// Shape (n_pieces, nodes_per_piece); faces in the order of SurfaceFace. Empty if there are
  /// points.
  std::vector<unsigned int> nodes;
  /// Bodies with hanging or tied nodes: points, which follow nodes; else null. Loads that are made
  /// of their numbers have to be added as KicksAtPoints.
  std::shared_ptr<const Interpolation<spacedim>> points;
  /// Numbers of these points in place of nodes, of the same shape; empty if there are none.
  std::vector<unsigned int> point_numbers;
  /// Integral of N_A, shape (n_pieces, nodes_per_piece) [length^dim, mass or length^(dim-1)].
  std::vector<double> shares;
  /// Reference positions of the nodes, shape (n_pieces, nodes_per_piece) [length].
  std::vector<dealii::Point<spacedim>> positions;

  /// The numbers of points, if there are any, else nodes.
  const std::vector<unsigned int> &
  points_or_nodes() const
  {
    return points ? point_numbers : nodes;
  }
};

/// What a load on the cells is counted per.
enum class LoadPer
{
  volume, ///< force densities
  mass    ///< accelerations, such as gravity
};

/// Shares of loads on the volume of a body: int N_A dV or int rho N_A dV of every cell.
template <int dim, int spacedim>
LoadShares<spacedim> cell_load_shares(const Body<dim, spacedim> &body,
                                      LoadPer per = LoadPer::volume);

/**
 * Shares of tractions: int N_A dA of every boundary face that has one of the boundary @p ids (any
 * id if empty). Throws if the body has no such face.
 */
template <int dim, int spacedim>
LoadShares<spacedim> boundary_load_shares(const Body<dim, spacedim> &body,
                                          const std::set<dealii::types::boundary_id> &ids);
} // namespace KickDrift

#endif
