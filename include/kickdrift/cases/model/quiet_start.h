#ifndef KICKDRIFT_CASES_MODEL_QUIET_START_H
#define KICKDRIFT_CASES_MODEL_QUIET_START_H

#include <kickdrift/output/json.h>
#include <kickdrift/stepping/relaxation.h>

#include <iosfwd>

namespace KickDrift
{
template <int dim>
class Model;

/// The search for static equilibrium from which a run starts.
struct QuietStart
{
  bool done = false;        ///< has equilibrium been asked for?
  RelaxationReport report;  ///< of the search
  double strain_energy = 0; ///< of the equilibrium, with that of hourglass control [energy]
  double work_of_loads = 0; ///< that the loads would have done on the way there, at the trapezoidal
                            ///< rule for those that depend on positions [energy]
};

/**
 * Bring a model to the static equilibrium that 'Stepping/Quiet start' of its parameters asks for,
 * before the first kick. Loads and prescribed displacements are those of time 0; contact takes no
 * part. Velocities stay what they are.
 *
 * Throws dealii::ExceptionBase, naming a body, if nothing holds it, if no equilibrium is found, or
 * if it flows plastically there.
 */
template <int dim>
QuietStart start_quietly(Model<dim> &model);

/// Print what it was like, if equilibrium has been asked for.
template <int dim>
void print_quiet_start(const Model<dim> &model, std::ostream &out);

/// The same for summary.json: `iterations`, `residual`, `largest_displacement`, `strain_energy`,
/// `work_of_loads`.
JsonObject quiet_start_json(const QuietStart &start);
} // namespace KickDrift

#endif
