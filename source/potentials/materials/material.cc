#include <kickdrift/potentials/materials/material.h>
#include <kickdrift/potentials/materials/packed_number.h>

#include <limits>

namespace KickDrift
{
namespace
{
constexpr unsigned int n_lanes = PackedNumber::size;

/// Call @p visit (lane, displacement gradient) for the lanes in the bit mask.
template <int dim, typename Visit>
void
for_each_lane(const unsigned int lanes, const double *gradients, const Visit &visit)
{
  for (unsigned int lane = 0; lane < n_lanes; ++lane)
    if (lanes >> lane & 1)
    {
      dealii::Tensor<2, dim> H;
      for (unsigned int i = 0; i < dim * dim; ++i)
        H[i / dim][i % dim] = gradients[n_lanes * i + lane];
      visit(lane, H);
    }
}
} // namespace

template <int dim>
double
Material<dim>::stress_across(const Gradient &) const
{
  return std::numeric_limits<double>::quiet_NaN();
}

template <int dim>
void
Material<dim>::stresses(const unsigned int lanes, const double *displacement_gradients,
                        double *stresses) const
{
  for_each_lane<dim>(lanes, displacement_gradients,
                     [&](const unsigned int lane, const Gradient &H)
                     {
                       const Gradient P = stress(H);
                       for (unsigned int i = 0; i < dim * dim; ++i)
                         stresses[n_lanes * i + lane] = P[i / dim][i % dim];
                     });
}

template <int dim>
void
Material<dim>::energy_densities(const unsigned int lanes, const double *displacement_gradients,
                                double *energies) const
{
  for_each_lane<dim>(lanes, displacement_gradients,
                     [&](const unsigned int lane, const Gradient &H)
                     { energies[lane] = energy_density(H); });
}

template class Material<2>;
template class Material<3>;
} // namespace KickDrift
