#ifndef KICKDRIFT_CASES_PREFLIGHT_COSTLY_CELLS_H
#define KICKDRIFT_CASES_PREFLIGHT_COSTLY_CELLS_H

#include <kickdrift/cases/model/model.h>

#include <iosfwd>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * The cells that shorten the steps most: what they cost, and what the run would cost if they were
 * like the others of their body.
 */
struct CostlyCells
{
  std::vector<unsigned int> ids; ///< of their kicks, smallest critical step first
  double rate = 0;               ///< kicks of all cells [1/time]
  double own_rate = 0;           ///< kicks of these cells [1/time]
  /// Kicks of all cells if these had the median critical step of the kicks of their body [1/time].
  double rate_without = 0;
  double smallest_without = 0; ///< critical step of the others [time]
};

/// The worst @p n kicks of cells.
template <int dim>
CostlyCells find_costly_cells(const Model<dim> &model, unsigned int n = 100);

/// Print what they cost, and where they are, by body, material and place.
template <int dim>
void print_costly_cells(const Model<dim> &model, const CostlyCells &cells, std::ostream &out);

/**
 * Write them as a VTU file with their critical steps, bodies and materials. Throws
 * dealii::ExceptionBase if that fails.
 */
template <int dim>
void write_costly_cells(const Model<dim> &model, const CostlyCells &cells, const std::string &file);
} // namespace KickDrift

#endif
