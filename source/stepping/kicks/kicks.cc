#include <kickdrift/stepping/kicks/kicks.h>

#include <cmath>

namespace KickDrift
{
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
