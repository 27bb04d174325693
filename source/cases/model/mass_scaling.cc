#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/forecast.h>
#include <kickdrift/cases/model/mass_scaling.h>
#include <kickdrift/stepping/stiffness_weights.h>

#include <algorithm>
#include <cmath>
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
mass_scaling(const Model<dim> &model, const double step, const double longest)
{
  std::vector<double> weights(model.nodes.size(), 0.), of_kick;
  for (unsigned int id = 0; id < model.stepper.levels().n_kicks(); ++id)
    model.stepper.for_each_kick(id,
                                [&](const Kicks<dim> &kicks, const unsigned int k)
                                {
                                  stiffness_weights(kicks, k, of_kick);
                                  if (of_kick.empty())
                                    return;
                                  const auto support = kicks.support(k);
                                  for (unsigned int i = 0; i < support.size(); ++i)
                                    weights[support[i]] += of_kick[i];
                                });
  double largest = 0; // of w/m
  for (unsigned int node = 0; node < weights.size(); ++node)
    largest = std::max(largest, weights[node] / model.nodes.mass(node));

  MassScaling result;
  for (const auto &body : model.bodies)
  {
    double mass = 0, added = 0;
    for (unsigned int i = 0; i < body.n_nodes(); ++i)
    {
      const unsigned int node = body.first_node() + i;
      const double of_node = model.nodes.mass(node);
      const double factor = std::pow(step / longest, 2) * weights[node] / of_node / largest;
      mass += of_node;
      if (factor > 1)
      {
        ++result.n_nodes;
        added += of_node * (factor - 1);
      }
    }
    result.mass.push_back(mass);
    result.added.push_back(added);
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
  const MassScaling scaling = mass_scaling(model, step, longest);
  const double mass = std::accumulate(scaling.mass.begin(), scaling.mass.end(), 0.);
  const double added = std::accumulate(scaling.added.begin(), scaling.added.end(), 0.);
  out << "Mass scaling instead: for as few kicks synchronous steps would have to be "
      << number_text(step) << ", for which " << scaling.n_nodes << " nodes need more mass, in all "
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
