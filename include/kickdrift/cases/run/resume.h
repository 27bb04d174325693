#ifndef KICKDRIFT_CASES_RUN_RESUME_H
#define KICKDRIFT_CASES_RUN_RESUME_H

#include <kickdrift/cases/parameters/case_input.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/output/checkpoints.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace KickDrift
{
/// Where the checkpoints of this run come from. Parameters that do not change the state (folder,
/// threads, checkpoints) are left out; files that parameters name stand there with a checksum().
template <int dim>
CheckpointOrigin checkpoint_origin(const CaseInput<dim> &input, const Model<dim> &model);

/// The value of a parameter as it is compared with that of another run or process: names of files,
/// of meshes and amplitudes, come with a checksum() of what they hold.
std::string value_with_contents(const Assignment &assignment);

/// The same for a value that is a list of files.
std::string list_with_contents(const Assignment &assignment);

/// How a run begins that shall be resumed.
enum class Beginning
{
  anew,       ///< it has not come as far as its first checkpoint, or not begun at all
  checkpoint, ///< the given state is to be continued
  none        ///< it is done
};

/**
 * Look for what --resume can continue in @p folder, and say so in @p log. Throws
 * dealii::ExceptionBase if there is a run but none of its checkpoints is good, or a run without
 * checkpoints that is of other parameters.
 *
 * @param state set to that of the checkpoint, if there is one
 */
Beginning find_beginning(const std::string &folder, const CheckpointOrigin &origin,
                         Checkpoints &checkpoints, std::unique_ptr<Archive> &state,
                         std::ostream &log);

/**
 * A simulation that continues the run in @p folder from the @p state of the present checkpoint of
 * @p checkpoints or, if that cannot be read to its end, from an older one, which @p log says then.
 * Throws dealii::ExceptionBase, naming the checkpoints and what is wrong with them, if there is
 * none; the folder is as it was then.
 *
 * @param simulation that has not begun; replaced by a new one that @p make_anew makes where
 *                   a checkpoint has left it half changed
 */
template <int dim>
void resume_from_checkpoint(std::unique_ptr<Simulation<dim>> &simulation,
                            const std::function<std::unique_ptr<Simulation<dim>>()> &make_anew,
                            const std::string &folder, Checkpoints &checkpoints,
                            std::unique_ptr<Archive> state, std::ostream &log);
} // namespace KickDrift

#endif
