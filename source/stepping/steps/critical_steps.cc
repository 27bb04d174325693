#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/kicks/stiffness_weights.h>
#include <kickdrift/stepping/steps/critical_steps.h>

#include <cmath>
#include <utility>

namespace KickDrift
{
namespace
{
/// Throws unless the nodal stiffnesses of a kick are what Kicks::nodal_stiffness() promises: none,
/// or as many as @p n_nodes, which are finite, as are their roots.
template <int spacedim>
void
check_stiffness(const Kicks<spacedim> &kicks, const unsigned int k,
                const std::vector<double> &of_nodes, const std::size_t n_nodes)
{
  AssertThrow(of_nodes.empty() || of_nodes.size() == n_nodes,
              StepperExceptions::ExcStiffnessLength(kicks.name(), k, of_nodes.size(), n_nodes));
  for (const double entry : of_nodes)
    AssertThrow(entry >= 0 && std::isfinite(entry),
                StepperExceptions::ExcStiffness(kicks.name(), k));
}
} // namespace

template <int spacedim>
void
stiffness_weights(const Kicks<spacedim> &kicks, const unsigned int k, std::vector<double> &weights)
{
  kicks.nodal_stiffness(k, weights);
  double sum = 0;
  for (double &entry : weights)
    sum += entry = std::sqrt(entry);
  for (double &entry : weights)
    entry *= sum;
}

template <int spacedim>
std::vector<double>
total_stiffness_weights(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                        const unsigned int n_nodes)
{
  std::vector<double> result(n_nodes, 0.), of_kick;
  for (const auto &family : families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      stiffness_weights(*family, k, of_kick);
      if (of_kick.empty())
        continue;
      const auto support = family->support(k);
      check_stiffness(*family, k, of_kick, support.size());
      for (unsigned int i = 0; i < support.size(); ++i)
        result[support[i]] += of_kick[i];
    }
  return result;
}

double
damped_step(const double step, const double ratio)
{
  return ratio > 0 && std::isfinite(step) ? step / (std::sqrt(1 + ratio * ratio) + ratio) : step;
}

template <int spacedim>
CriticalSteps<spacedim>::CriticalSteps(Families all, const NodeTable<spacedim> &nodes,
                                       const MassForSteps mass)
    : families(std::move(all)), nodes(nodes), mass(mass)
{
  if (mass == MassForSteps::own)
  {
    std::vector<double> weights;
    for (const auto &family : families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        family->nodal_stiffness(k, weights);
        if (weights.empty())
          continue;
        check_stiffness(*family, k, weights, family->support(k).size());
        family->own_masses(k, weights);
        AssertThrow(!weights.empty(), StepperExceptions::ExcNoOwnMasses(family->name()));
      }
    return;
  }
  mass_per_weight = total_stiffness_weights(families, nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (mass_per_weight[node] > 0)
      mass_per_weight[node] = nodes.mass(node) / mass_per_weight[node];
}

template <int spacedim>
void
CriticalSteps<spacedim>::masses(const unsigned int family, const unsigned int k,
                                std::vector<double> &result) const
{
  const Kicks<spacedim> &kicks = *families[family];
  if (mass == MassForSteps::own)
  {
    kicks.own_masses(k, result);
    return;
  }
  stiffness_weights(kicks, k, result);
  if (result.empty())
    return;
  const auto support = kicks.support(k);
  for (unsigned int i = 0; i < support.size(); ++i)
    result[i] *= mass_per_weight[support[i]];
}

template <int spacedim>
std::vector<double>
CriticalSteps<spacedim>::reference() const
{
  std::vector<double> result;
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    const auto steps = families[f]->critical_steps(
        [&](const unsigned int k, std::vector<double> &of_kick) { masses(f, k, of_kick); });
    result.insert(result.end(), steps.begin(), steps.end());
  }
  return result;
}

template <int spacedim>
double
CriticalSteps<spacedim>::current(const NodeTable<spacedim> &state, const unsigned int family,
                                 const unsigned int k) const
{
  masses(family, k, buffer);
  return families[family]->current_critical_step(state, k, buffer);
}

template void stiffness_weights(const Kicks<2> &, unsigned int, std::vector<double> &);
template void stiffness_weights(const Kicks<3> &, unsigned int, std::vector<double> &);
template std::vector<double>
total_stiffness_weights(const std::vector<std::shared_ptr<const Kicks<2>>> &, unsigned int);
template std::vector<double>
total_stiffness_weights(const std::vector<std::shared_ptr<const Kicks<3>>> &, unsigned int);
template class CriticalSteps<2>;
template class CriticalSteps<3>;
} // namespace KickDrift
