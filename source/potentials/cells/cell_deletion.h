#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_CELL_DELETION_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_CELL_DELETION_H

#include <kickdrift/potentials/kicks_by_clock.h>

#include <memory>
#include <optional>
#include <vector>

namespace KickDrift
{
/// Which cells of a family have been deleted, and when others are to be.
struct CellDeletion
{
  double strain;                         ///< at which a cell is deleted, positive [-]
  std::optional<unsigned int> of_output; ///< of a material with history: the output that it is
  unsigned int n_outputs = 0;            ///< of a material with history
  unsigned int n_state = 0;              ///< numbers of a point
  std::vector<double> weights;           ///< shares of points in cells; by kick and point [-]
  KicksByClock by_clock;                 ///< kicks that are looked at
  std::vector<char> is_deleted;          ///< by kick
  unsigned int n_deleted = 0;            ///< how many are
  std::vector<double> lost;              ///< energy that was stored, by kick [energy]
  std::vector<double> dissipated;        ///< until then, by kick [energy]
  std::vector<unsigned int> found;       ///< by the last Kicks::book()
  std::vector<char> has_failed;          ///< of the kicks that are looked at, for calculations
  /// Gradients of the shape functions, means over the cell; by kick, node and direction [1/length].
  std::vector<double> mean_gradients;
};
} // namespace KickDrift

#endif
