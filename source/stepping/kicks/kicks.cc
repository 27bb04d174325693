#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <cmath>

namespace KickDrift
{
namespace
{
/// Kicks by their force().
template <int spacedim>
class SubsetByForces final : public KickSubset<spacedim>
{
public:
  SubsetByForces(const Kicks<spacedim> &family, std::vector<unsigned int> the_kicks)
      : family(family), kicks(std::move(the_kicks))
  {
    for (const unsigned int k : kicks)
    {
      for (const unsigned int node : family.support(k))
        supports.push_back(node);
      supports.finish_row();
    }
  }

  void
  kick(NodeTable<spacedim> &nodes, const double time, const double step) const override
  {
    for (unsigned int i = 0; i < kicks.size(); ++i)
    {
      const auto support = supports.row(i);
      family.checked_force(nodes, kicks[i], time, support.size(), forces);
      for (unsigned int a = 0; a < support.size(); ++a)
      {
        NodeState &node = nodes[support[a]];
        for (unsigned int d = 0; d < spacedim; ++d)
          node.velocity[d] += node.inverse_mass * (step * forces[a][d]);
      }
    }
  }

private:
  const Kicks<spacedim> &family;
  std::vector<unsigned int> kicks;
  CompressedRows<unsigned int> supports; ///< by kick
  mutable std::vector<typename Kicks<spacedim>::Vector> forces;
};
} // namespace

template <int spacedim>
std::unique_ptr<KickSubset<spacedim>>
Kicks<spacedim>::subset(std::vector<unsigned int> kicks) const
{
  return std::make_unique<SubsetByForces<spacedim>>(*this, std::move(kicks));
}

template <int spacedim>
double
Kicks<spacedim>::critical_step(const unsigned int k, const std::vector<double> &masses) const
{
  std::vector<double> stiffness;
  nodal_stiffness(k, stiffness);
  double square_of_frequency = 0;
  for (unsigned int i = 0; i < stiffness.size(); ++i)
    if (stiffness[i] > 0)
      square_of_frequency += stiffness[i] / masses[i];
  return square_of_frequency > 0 ? 2 / std::sqrt(square_of_frequency)
                                 : std::numeric_limits<double>::infinity();
}

template <int spacedim>
std::vector<double>
Kicks<spacedim>::critical_steps(const MassesOfKick &masses_of_kick) const
{
  std::vector<double> steps(n_kicks()), masses;
  for (unsigned int k = 0; k < steps.size(); ++k)
  {
    masses_of_kick(k, masses);
    steps[k] = critical_step(k, masses);
  }
  return steps;
}

template class Kicks<2>;
template class Kicks<3>;
} // namespace KickDrift
