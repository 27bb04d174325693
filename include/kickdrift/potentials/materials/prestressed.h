#ifndef KICKDRIFT_POTENTIALS_MATERIALS_PRESTRESSED_H
#define KICKDRIFT_POTENTIALS_MATERIALS_PRESTRESSED_H

#include <kickdrift/potentials/materials/history_material.h>

#include <deal.II/base/symmetric_tensor.h>

#include <memory>

namespace KickDrift
{
/**
 * An elastic material that is under stress in the reference state: W(H) of another material plus
 * S : E with Green's strain E = (H + H^T + H^T H)/2 and the initial stress S, so that the first
 * Piola-Kirchhoff stress is (I + H) S more. At H = 0 it is S, as is the Cauchy stress. With it
 * comes the stiffness that a stressed string has across. Nothing changes in rigid rotation, unless
 * the other material is linear, and then this one is, too: stresses of one that turns are as wrong,
 * and P counts as the true stress.
 *
 * S is the state of a point, which never changes. Energies are counted from where there is no
 * stress, for small strains: W is S : C^-1 : S / 2 more, with the elasticity C of an isotropic
 * material.
 *
 * State: the components 00, 11, 22, 01, 02, 12 (the last two in three dimensions only).
 */
template <int dim>
class PrestressedMaterial : public HistoryMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;
  using HistoryMaterial<dim>::energy_density;
  using HistoryMaterial<dim>::stress;
  using HistoryMaterial<dim>::stress_across;

  /**
   * @param elastic the material without initial stress, itself without history
   * @param largest_stress the largest principal value of S anywhere, for critical steps; zero if
   * there is no tension [force/area]
   * Throws dealii::ExceptionBase if one of them is not as it must be.
   */
  PrestressedMaterial(std::shared_ptr<const Material<dim>> elastic, double largest_stress);

  /// State of a point with an initial stress.
  static std::vector<double> state(const dealii::SymmetricTensor<2, 3> &stress);

  double
  density() const override
  {
    return elastic->density();
  }
  double wave_speed() const override;
  /// If the other material is.
  bool
  is_linear() const override
  {
    return elastic->is_linear();
  }
  std::pair<double, double>
  lame() const override
  {
    return elastic->lame();
  }
  /// A point that is pulled in all directions by the largest stress: its tangent bounds those of
  /// all points.
  std::vector<double> initial_state() const override;
  unsigned int
  fixed_state_size() const override
  {
    return n_state;
  }
  void update(const Gradient &displacement_gradient, double time, const double *old_state,
              double *new_state) const override;
  double energy_density(const Gradient &displacement_gradient, const double *state) const override;
  Gradient stress(const Gradient &displacement_gradient, const double *state) const override;
  double
  dissipation(const double *) const override
  {
    return 0;
  }
  double stress_across(const Gradient &displacement_gradient, const double *state) const override;
  void updated_stresses(unsigned int lanes, const double *displacement_gradients, double time,
                        const double *old_states, double *new_states,
                        double *stresses) const override;

private:
  static constexpr unsigned int n_state = dim == 3 ? 6 : 4;

  const std::shared_ptr<const Material<dim>> elastic;
  const double largest_stress; ///< [force/area]
  double lambda, mu;           ///< of the material in the reference state [force/area]
};
} // namespace KickDrift

#endif
