#include <kickdrift/stepping/kicks/stiffness_weights.h>
#include <kickdrift/stepping/steps/mass_scaling.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
/// Critical steps are accepted from here up to there, as multiples of what is wanted.
constexpr double least_step = 1 + 1e-5, longest_step = 1.001;
constexpr unsigned int max_rounds = 40;

/// The search for the smallest mass per weight with which a kick has the critical step.
struct Search
{
  double low = 0, high = 0;           ///< too small and large enough, for certain [mass/weight]
  double excess_low = 0;              ///< log of (critical step/wanted one)^2 with low
  double excess_high = 0;             ///< the same with high; 0: not known
  double tried = 0;                   ///< now [mass/weight]
  unsigned int n_low = 0, n_high = 0; ///< how often the same end has moved in a row
  bool is_open = false;               ///< is something to be found, still?

  /// What to try next.
  void
  propose()
  {
    const double width = std::log(high / low);
    // masses as large everywhere would do no more than that
    double way = n_low > 1 ? -2 * excess_low : -excess_low;
    if (excess_high > 0)
      way =
          n_low > 1 || n_high > 1 ? 0.5 * width : width * -excess_low / (excess_high - excess_low);
    tried = low * std::exp(std::min(way + 0.5 * std::log(longest_step), width));
  }

  /// What the critical step is with what was tried.
  void
  learn(const double step, const double wanted)
  {
    const double excess = 2 * std::log(step / wanted);
    if (step >= least_step * wanted)
    {
      high = tried;
      excess_high = excess;
      ++n_high;
      n_low = 0;
      is_open = step > longest_step * wanted;
    }
    else
    {
      low = std::max(low, tried);
      excess_low = excess;
      ++n_low;
      n_high = 0;
    }
    is_open = is_open && low < high * (1 - 1e-6);
  }
};

/// The masses that nodes need for the kicks of a family.
template <int spacedim>
class FamilySearch
{
public:
  /// @param steps that are wanted, by kick
  FamilySearch(const Kicks<spacedim> &kicks, const std::vector<double> &mass_per_weight,
               const double *steps)
      : kicks(kicks), mass_per_weight(mass_per_weight), wanted(steps), searches(kicks.n_kicks())
  {
  }

  /// Raise the mass per weight of the nodes to what the kicks need.
  void
  raise(const std::vector<char> &may_grow, std::vector<double> &needed)
  {
    begin(may_grow);
    for (unsigned int round = 0; round < max_rounds; ++round)
    {
      bool is_open = false;
      for (Search &search : searches)
        if (search.is_open)
        {
          search.propose();
          is_open = true;
        }
      if (!is_open)
        break;
      const auto steps = critical_steps();
      for (unsigned int k = 0; k < searches.size(); ++k)
        if (searches[k].is_open)
          searches[k].learn(steps[k], wanted[k]);
    }
    for (unsigned int k = 0; k < searches.size(); ++k)
      if (searches[k].high > 0)
        for (const unsigned int node : kicks.support(k))
          needed[node] = std::max(needed[node], searches[k].high);
  }

private:
  /// Find the kicks that fall short.
  void
  begin(const std::vector<char> &may_grow)
  {
    const auto steps = critical_steps();
    for (unsigned int k = 0; k < searches.size(); ++k)
    {
      if (steps[k] >= wanted[k])
        continue;
      double least = std::numeric_limits<double>::infinity();
      bool may_all_grow = true;
      for (const unsigned int node : kicks.support(k))
      {
        may_all_grow = may_all_grow && may_grow[node];
        if (mass_per_weight[node] > 0)
          least = std::min(least, mass_per_weight[node]);
      }
      if (!may_all_grow)
        continue;
      Search &search = searches[k];
      search.low = least;
      search.excess_low = 2 * std::log(steps[k] / wanted[k]);
      search.high = 0.25 * std::pow(least_step * wanted[k], 2); // row sums bound frequencies
      search.is_open = search.low < search.high;
    }
  }

  /// Of all kicks, each with what it tries.
  std::vector<double>
  critical_steps() const
  {
    return kicks.critical_steps(
        [&](const unsigned int k, std::vector<double> &masses)
        {
          stiffness_weights(kicks, k, masses);
          if (masses.empty())
            return;
          const Search &search = searches[k];
          const double least = search.is_open ? search.tried : search.high;
          const auto support = kicks.support(k);
          for (unsigned int i = 0; i < support.size(); ++i)
            masses[i] *= std::max(mass_per_weight[support[i]], least);
        });
  }

  const Kicks<spacedim> &kicks;
  const std::vector<double> &mass_per_weight;
  const double *wanted;
  std::vector<Search> searches;
};
} // namespace

template <int spacedim>
std::vector<double>
masses_for_steps(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                 const NodeTable<spacedim> &nodes, const std::vector<double> &steps,
                 std::vector<char> may_grow)
{
  const std::vector<double> weights = total_stiffness_weights(families, nodes.size());
  std::vector<double> mass_per_weight(nodes.size(), 0.);
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    if (weights[node] > 0)
      mass_per_weight[node] = nodes.mass(node) / weights[node];
  }
  std::vector<double> needed = mass_per_weight;
  const double *wanted = steps.data();
  for (const auto &family : families)
  {
    FamilySearch<spacedim>(*family, mass_per_weight, wanted).raise(may_grow, needed);
    wanted += family->n_kicks();
  }
  std::vector<double> masses(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    masses[node] = std::max(
        nodes.mass(node), needed[node] > mass_per_weight[node] ? needed[node] * weights[node] : 0.);
  return masses;
}

template std::vector<double> masses_for_steps(const std::vector<std::shared_ptr<const Kicks<2>>> &,
                                              const NodeTable<2> &, const std::vector<double> &,
                                              std::vector<char>);
template std::vector<double> masses_for_steps(const std::vector<std::shared_ptr<const Kicks<3>>> &,
                                              const NodeTable<3> &, const std::vector<double> &,
                                              std::vector<char>);
} // namespace KickDrift
