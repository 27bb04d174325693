#ifndef KICKDRIFT_DEAL_II_LARGE_STRAIN_H
#define KICKDRIFT_DEAL_II_LARGE_STRAIN_H

#include <kickdrift/deal_ii/body.h>

#include <optional>
#include <string>

namespace KickDrift
{
/// A cell of a linear material that turns by more than 0.1 or is strained by more than 0.2: the law
/// is not objective, so a turn causes stress, and strains are infinitesimal.
struct LargeStrain
{
  unsigned int active_cell_index; ///< deal.II's number of the cell
  bool turns;                     ///< by more than it is strained?
  double amount;                  ///< norm of the strain, or angle of a small turn [-]

  /// " has turned by 0.3. Its linear law is for small strains and turns ...: larger ones cause
  /// stress that is not there".
  std::string text() const;
};

/// The first cell of a body, of those that have not been deleted, with a linear material and a
/// large strain at @p time, until which the nodes fly straight.
/// @param largest if not null, becomes the largest ratio of strains and turns to what is large, if
/// that is above what it is, of all cells that were looked at [-]
template <int dim>
std::optional<LargeStrain> find_large_strain(const Body<dim> &body, const NodeTable<dim> &nodes,
                                             double time, double *largest = nullptr);
} // namespace KickDrift

#endif
