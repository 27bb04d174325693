#ifndef KICKDRIFT_POTENTIALS_MATERIALS_HISTORY_MATERIAL_H
#define KICKDRIFT_POTENTIALS_MATERIALS_HISTORY_MATERIAL_H

#include <kickdrift/potentials/materials/material.h>

#include <deal.II/base/exceptions.h>

#include <string>
#include <vector>

namespace KickDrift
{
template <int dim>
class PlasticMaterial;

/// Something does not go with materials that have a history.
DeclException2(ExcHistory, std::string, std::string,
               << arg1 << " is not for materials with a history, such as plastic ones; take "
               << arg2 << ".");

/**
 * A material with a history: plasticity, damage, viscosity. What it remembers at a quadrature point
 * are a few numbers, its state z, of which the energy density depends: W(H, z), and the stress is
 * the derivative of W by H while z is held.
 *
 * The material itself does not remember anything. update() says what state follows from an old one
 * when the displacement gradient is H at some time. It is evaluated as often as somebody asks; once
 * per kick of a cell what it says is kept, and is the old state of the next kick. So the old state
 * is always that at the time of the cell's last kick, wherever the cells around it are.
 *
 * Energy that is neither kinetic nor in W has to be in dissipation(), a part of the state, for the
 * balance of energy to be true.
 *
 * Derive from it, or from TemplateHistoryMaterial if speed matters, and register the class with
 * Registry<Material<dim>>. Several threads may ask a material at once.
 */
template <int dim>
class HistoryMaterial : public Material<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;

  /// State of a point that nothing has happened to, at time 0; of length 1 to 32.
  virtual std::vector<double> initial_state() const = 0;

  /// Length of initial_state(), as far as the class knows it beforehand; 0: any.
  virtual unsigned int
  fixed_state_size() const
  {
    return 0;
  }

  /**
   * State that follows from an old one.
   * @param time of the displacement gradient; that of the old state is part of the state, if the
   * law needs it. May be that of the old state, or (for queries) before it.
   * @param old_state shape (n_state)
   * @param new_state shape (n_state), all of which has to be written
   */
  virtual void update(const Gradient &displacement_gradient, double time, const double *old_state,
                      double *new_state) const = 0;

  /// Times that a state holds become later by @p shift, for a run that goes on from it with a clock
  /// of its own. By default it holds none [time].
  virtual void
  shift_time(double * /*state*/, double /*shift*/) const
  {
  }

  /// Energy density that is stored in a state [energy/length^dim].
  virtual double energy_density(const Gradient &displacement_gradient,
                                const double *state) const = 0;

  /// First Piola-Kirchhoff stress in a state, the derivative of its energy_density() by H
  /// [energy/length^dim].
  virtual Gradient stress(const Gradient &displacement_gradient, const double *state) const = 0;

  /// Energy that has been dissipated on the way to a state, per reference volume; never decreases
  /// [energy/length^dim].
  virtual double dissipation(const double *state) const = 0;

  /// Cauchy stress across the plane in plane strain; by default not-a-number: not known
  /// [energy/length^dim].
  virtual double stress_across(const Gradient &displacement_gradient, const double *state) const;

  /// Names of numbers for pictures, such as "equivalent_plastic_strain".
  virtual std::vector<std::string>
  output_names() const
  {
    return {};
  }

  /// These numbers in a state, shape (output_names().size()).
  virtual void
  outputs(const double * /*state*/, double * /*values*/) const
  {
  }

  /**
   * update() and the stress() in the new state at the points of four cells at once, for the
   * kernels.
   * @param lanes bit mask of the cells that are wanted
   * @param displacement_gradients shape (dim, dim, 4)
   * @param old_states, new_states shape (n_state, 4)
   * @param stresses shape (dim, dim, 4)
   */
  virtual void updated_stresses(unsigned int lanes, const double *displacement_gradients,
                                double time, const double *old_states, double *new_states,
                                double *stresses) const;

  /// That of a point that nothing has happened to.
  double energy_density(const Gradient &displacement_gradient) const final;
  /// That of a point that nothing has happened to.
  Gradient stress(const Gradient &displacement_gradient) const final;
  /// That of a point that nothing has happened to.
  double stress_across(const Gradient &displacement_gradient) const final;

  /// Itself, if the vectorised kernels know its law.
  virtual const PlasticMaterial<dim> *
  plastic() const
  {
    return nullptr;
  }
};
} // namespace KickDrift

#endif
