#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/strain_warning.h>
#include <kickdrift/deal_ii/large_strain.h>

#include <algorithm>

namespace KickDrift
{
template <int dim>
void
StrainWarning<dim>::look(const NodeTable<dim> &nodes, const double time)
{
  if (warned || !model.parameters.stepping.strain)
    return;
  double ratio = 0;
  for (const auto &meshed : model.bodies)
    if (meshed.body && meshed.has_mesh() &&
        !meshed.is_rigid()) // the law of shells holds for turns of any size
      warned = warned || look(meshed, nodes, time, ratio);
  if (time > last_time)
    growth = std::max(growth, (ratio - last_ratio) / (time - last_time));
  last_time = time;
  last_ratio = ratio;
}

template <int dim>
void
StrainWarning<dim>::look_at_row(const NodeTable<dim> &nodes, const double time)
{
  // a quarter of the time in which they would become large if they grew as fast as ever
  if (growth * (time - last_time) >= 0.25 * (1 - last_ratio) || growth == 0)
    look(nodes, time);
}

template <int dim>
bool
StrainWarning<dim>::look(const MeshedBody<dim> &meshed, const NodeTable<dim> &nodes,
                         const double time, double &ratio)
{
  const auto found = find_large_strain(*meshed.body, nodes, time, &ratio);
  if (found)
    out << "\nWarning: at time " << number_text(time) << " "
        << model.cell_text(model.id_of_cell(meshed, found->active_cell_index)) << found->text()
        << "; 'Bodies/" << meshed.name() << "/Material/Model' = neo-Hookean has no such limit.\n";
  return found.has_value();
}

template <int dim>
void
StrainWarning<dim>::serialize(Archive &archive)
{
  archive(warned, last_time, last_ratio, growth);
  check_state(is_flag(warned), "watch");
}

template class StrainWarning<2>;
template class StrainWarning<3>;
} // namespace KickDrift
