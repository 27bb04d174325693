#ifndef KICKDRIFT_CASES_RUN_DIVISION_WATCH_H
#define KICKDRIFT_CASES_RUN_DIVISION_WATCH_H

#include <kickdrift/cases/model/model.h>
#include <kickdrift/stepping/division/division.h>

#include <cstdint>
#include <memory>

namespace KickDrift
{
/**
 * Says when kicks are to be divided among processes anew, since they have changed their clocks or
 * have ended: then some processes have more to do than others, which wait for them.
 *
 * Another division means another set-up. It is asked for once as much has been lost since the last
 * one as a set-up costs, and if as much is to be saved until the end, so neither costs much more
 * than the other. Both are counted in kicks: all processes come to the same answer, and so does a
 * run that is repeated.
 */
template <int dim>
class DivisionWatch
{
public:
  /// The run begins, or goes on; with several processes. @p model must outlive the object.
  DivisionWatch(const Model<dim> &model, double end_time);

  /// At a save time: owners of nodes with which the run should go on, or null. The same on all
  /// processes.
  std::shared_ptr<const NodeOwners> look();

  /// What processes had to do at the last look.
  const KickLoad &
  load() const
  {
    return present;
  }

private:
  /// Grows with everything that changes what processes have to do.
  std::uint64_t n_changes() const;
  /// That have been given so far.
  std::uint64_t n_kicks() const;

  const Model<dim> &model;
  const double end_time;
  KickLoad present;
  double share_to_have = 1; ///< KickLoad::share() of the best division that is known
  double lost = 0;          ///< by the present division, since the last look for another [kicks]
  std::uint64_t changes, kicks;
};
} // namespace KickDrift

#endif
