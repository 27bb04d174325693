#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/forecast.h>
#include <kickdrift/cases/model/mass_scaling.h>

#include <numeric>
#include <ostream>

namespace KickDrift
{
namespace
{
// Bodies that are named one by one.
constexpr unsigned int n_listed = 5;

std::string
percent_text(const double share)
{
  return number_text(100 * share, 3) + " %";
}
} // namespace

template <int dim>
MassScaling
mass_scaling(const Model<dim> &model, const double step, const double share)
{
  MassScaling result;
  result.step = step;
  result.mass.resize(model.bodies.size());
  result.added.resize(model.bodies.size());
  const TimeLevels &levels = model.stepper.levels();
  for (unsigned int b = 0; b < model.bodies.size(); ++b)
  {
    if (!model.bodies[b].body)
      continue;
    Body<dim> &body = *model.bodies[b].body;
    const auto &first_ids = model.bodies[b].moving->first_ids();
    for (unsigned int family = 0; family < body.kicks().size(); ++family)
      for (unsigned int k = 0; k < body.strain_kicks()[family]->n_kicks(); ++k)
      {
        const auto cell = body.cell(body.cell_of_kick(family, k));
        const double mass = cell->measure() * body.material(cell)->density();
        const double ratio = share * step / levels.critical_step(first_ids[family] + k);
        result.mass[b] += mass;
        if (ratio > 1)
        {
          ++result.n_cells;
          result.added[b] += mass * (ratio * ratio - 1);
        }
      }
  }
  return result;
}

template <int dim>
void
print_mass_scaling(const Model<dim> &model, const double limit, std::ostream &out)
{
  const TimeLevels &levels = model.stepper.levels();
  const double step = levels.n_kicks() / levels.kick_rates().first;
  const double longest = share_of_stable_step * limit;
  if (step < 1.05 * longest)
    return; // nothing that matters is saved
  // cells as a whole bear longer steps than each alone
  const MassScaling scaling = mass_scaling(model, step, levels.smallest_critical_step() / longest);
  const double mass = std::accumulate(scaling.mass.begin(), scaling.mass.end(), 0.);
  const double added = std::accumulate(scaling.added.begin(), scaling.added.end(), 0.);
  if (mass == 0)
    return;
  out << "Mass scaling instead: for as few kicks synchronous steps would have to be "
      << number_text(step) << ", for which " << scaling.n_cells << " cells need more mass, in all "
      << percent_text(added / mass) << " more";
  unsigned int n = 0;
  for (unsigned int b = 0; b < model.bodies.size() && model.bodies.size() > 1; ++b)
    if (scaling.added[b] > 0 && n++ < n_listed)
      out << (n == 1 ? ": '" : ", '") << model.bodies[b].name() << "' "
          << percent_text(scaling.added[b] / scaling.mass[b]);
  out << (n > n_listed ? ", ...\n" : "\n");
}

#define INSTANTIATE(dim)                                                                           \
  template MassScaling mass_scaling(const Model<dim> &, double, double);                           \
  template void print_mass_scaling(const Model<dim> &, double, std::ostream &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
