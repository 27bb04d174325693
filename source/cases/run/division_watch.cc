#include <kickdrift/cases/run/division_watch.h>

#include <algorithm>
#include <utility>

namespace KickDrift
{
namespace
{
// Set-up of a cell takes as long as so many of its kicks where steps change: 90 of plastic cells,
// 200 of elastic ones that are stretched far.
constexpr double kicks_of_setup = 150;
} // namespace

template <int dim>
DivisionWatch<dim>::DivisionWatch(const Model<dim> &model, const double end_time)
    : model(model),
      end_time(end_time),
      present(model.stepper.kick_load()),
      changes(n_changes()),
      kicks(n_kicks())
{
  // a run that goes on may have been divided by the clocks of its start
  const KickLoad possible = changes == 0 ? present : model.stepper.divide_anew().second;
  share_to_have = possible.share();
}

template <int dim>
std::uint64_t
DivisionWatch<dim>::n_changes() const
{
  return model.stepper.levels().n_class_changes() + model.n_deleted_cells();
}

template <int dim>
std::uint64_t
DivisionWatch<dim>::n_kicks() const
{
  std::uint64_t sum = 0;
  for (const auto &family : model.stepper.kick_statistics())
    sum += family.count;
  return sum;
}

template <int dim>
std::shared_ptr<const NodeOwners>
DivisionWatch<dim>::look()
{
  if (n_changes() != changes)
    present = model.stepper.kick_load();
  changes = n_changes();
  const std::uint64_t now = n_kicks();
  // kicks that have ended may make it better than any division was before
  lost += std::max(0., present.share() - share_to_have) * (now - kicks);
  kicks = now;
  const TimeLevels &levels = model.stepper.levels();
  const double cost = (kicks_of_setup + model.quiet_start.report.n_iterations) * levels.n_kicks();
  if (lost < cost)
    return nullptr;
  lost = 0;
  auto [owners, load] = model.stepper.divide_anew();
  share_to_have = load.share();
  const double n_steps = (end_time - model.stepper.time()) / levels.clocks()[0].step();
  if ((present.busiest - load.busiest) * n_steps < cost)
    return nullptr;
  return std::make_shared<const NodeOwners>(std::move(owners));
}

template class DivisionWatch<2>;
template class DivisionWatch<3>;
} // namespace KickDrift
