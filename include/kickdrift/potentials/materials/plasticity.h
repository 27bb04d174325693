#ifndef KICKDRIFT_POTENTIALS_MATERIALS_PLASTICITY_H
#define KICKDRIFT_POTENTIALS_MATERIALS_PLASTICITY_H

#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/history_material.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// What a point of a PlasticMaterial remembers, besides its plastic deformation.
struct PlasticHistory
{
  double strain = 0;       ///< equivalent plastic strain, plastic work over flow stress
  double work = 0;         ///< plastic work per reference volume [energy/length^dim]
  double yield_stress = 0; ///< where it begins to yield [force/area]
  double time = 0;         ///< of the last update
};

/**
 * Finite-strain plasticity with a von Mises yield surface and isotropic hardening (Simo 1988; Simo
 * & Hughes, Computational Inelasticity, chapter 9). In two dimensions plane strain.
 *
 * F = F_e F_p with det F_p = 1. The elastic energy is that of NeoHookean,
 *   W = mu/2 (tr b_e - 3 - 2 ln J) + lambda/2 (ln J)^2,   b_e = F C_p^-1 F^T,
 * so that the material is NeoHookean as long as it does not yield. The equivalent stress
 * q = sqrt(3/2) |dev tau| of the Kirchhoff stress tau does not exceed the flow stress. Where that
 * of the trial state (C_p held) does, dev b_e is scaled back and its trace is chosen such that det
 * b_e = J^2: plastic flow keeps the volume exactly, without logarithms of tensors. What W then
 * loses with F held is plastic work, per amount scaled back that of the new state. The equivalent
 * plastic strain grows by the work over the flow stress, to which the stress is linear:
 * q = trial q - stiffness * increment, with 3 mu for small elastic strains. In uniaxial stress it
 * is the logarithmic plastic strain.
 *
 * State: C_p^-1 - I (components 00, 11, 22, 01, 02, 12; the last two in three dimensions only),
 * then strain and work of PlasticHistory, and unless hardening is linear the rest of it.
 */
template <int dim>
class PlasticMaterial : public HistoryMaterial<dim>
{
public:
  /// Gradient of a displacement, or a stress.
  using Gradient = typename Material<dim>::Gradient;
  using HistoryMaterial<dim>::energy_density;
  using HistoryMaterial<dim>::stress;
  using HistoryMaterial<dim>::stress_across;

  /// See NeoHookean.
  PlasticMaterial(double density, double youngs_modulus, double poissons_ratio);

  /// Those of IsotropicMaterial.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Those of IsotropicMaterial.
  void parse_parameters(dealii::ParameterHandler &prm) override;

  // -- the law of a class derived from this one --

  /// Stress at which a point of this equivalent plastic strain begins to yield if it is loaded
  /// slowly and has not been heated, positive [force/area].
  virtual double yield_stress(double strain) const = 0;

  /// Yield stress and hardening modulus, if hardening is linear and nothing else matters: then it
  /// is done in the vectorised kernel, and flow() is not asked. [force/area]
  virtual std::optional<std::pair<double, double>>
  linear_hardening() const
  {
    return {};
  }

  /// An increment of plastic flow.
  struct Flow
  {
    double increment;   ///< of the equivalent plastic strain
    double flow_stress; ///< at its end [force/area]
  };

  /**
   * Solve trial stress - stiffness * increment = flow stress for the increment.
   * @param history before, of which yield_stress is below @p trial_stress; after, with a new
   * yield_stress. Strain, work and time are not to be changed.
   * @param time now
   */
  virtual Flow flow(double trial_stress, double stiffness, double time,
                    PlasticHistory &history) const = 0;

  // -- what follows from it --

  double
  density() const override
  {
    return elastic.density();
  }
  double
  wave_speed() const override
  {
    return elastic.wave_speed();
  }
  std::pair<double, double>
  lame() const override
  {
    return elastic.lame();
  }
  /// State of a point that has flowed by this equivalent plastic strain before the start, from 0,
  /// and is without stress and heat: it is hardened, and dissipation counts from there.
  std::vector<double> hardened_state(double strain) const;
  // the kernels know these
  std::vector<double> initial_state() const final;
  void update(const Gradient &displacement_gradient, double time, const double *old_state,
              double *new_state) const final;
  void shift_time(double *state, double shift) const final;
  double energy_density(const Gradient &displacement_gradient, const double *state) const final;
  Gradient stress(const Gradient &displacement_gradient, const double *state) const final;
  double dissipation(const double *state) const final;
  double stress_across(const Gradient &displacement_gradient, const double *state) const final;
  /// The equivalent plastic strain.
  std::vector<std::string> output_names() const override;
  void outputs(const double *state, double *values) const override;
  const PlasticMaterial<dim> *
  plastic() const override
  {
    return this;
  }

private:
  static constexpr unsigned int n_tensor = dim == 3 ? 6 : 4;

  NeoHookean<dim> elastic;
};

/**
 * J2 plasticity: a flow stress that depends on the equivalent plastic strain only, linearly or by a
 * table.
 */
template <int dim>
class J2Plasticity : public PlasticMaterial<dim>
{
public:
  /// A point of a hardening curve: equivalent plastic strain, flow stress [force/area].
  using Point = std::pair<double, double>;

  /// Elastic constants as of NeoHookean. @p yield_stress positive, @p hardening_modulus from 0
  /// [force/area]. Throws dealii::ExceptionBase otherwise.
  J2Plasticity(double density = 1, double youngs_modulus = 1, double poissons_ratio = 0,
               double yield_stress = 1, double hardening_modulus = 0);

  /// @p curve begins at the strain 0; strains ascend, stresses are positive and do not decrease.
  /// After the last point the stress is constant. Throws dealii::ExceptionBase otherwise.
  J2Plasticity(double density, double youngs_modulus, double poissons_ratio,
               std::vector<Point> curve);

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm) override;

  double yield_stress(double strain) const override;
  std::optional<std::pair<double, double>> linear_hardening() const override;
  typename PlasticMaterial<dim>::Flow flow(double trial_stress, double stiffness, double time,
                                           PlasticHistory &history) const override;

private:
  void check() const;
  /// Of a piece of the curve, the last one included [force/area].
  double slope(unsigned int piece) const;

  std::vector<Point> curve;
  double modulus = 0; ///< after the last point of the curve
};

/// Parameters of JohnsonCook.
struct JohnsonCookParameters
{
  double a = 1;                      ///< yield stress A [force/area]
  double b = 0;                      ///< hardening factor B [force/area]
  double n = 1;                      ///< hardening exponent
  double c = 0;                      ///< rate factor C
  double m = 1;                      ///< exponent of thermal softening
  double reference_rate = 1;         ///< [1/time]
  double room_temperature = 293;     ///< where softening begins [temperature]
  double melting_temperature = 1e30; ///< where nothing is left [temperature]
  double initial_temperature = 293;  ///< [temperature]
  double heat_capacity = 1e30;       ///< per mass [energy/(mass temperature)]
  double heat_fraction = 0.9;        ///< of plastic work (Taylor-Quinney)
};

/**
 * The flow stress of Johnson & Cook (1983),
 *   (A + B eps^n) (1 + C ln max(1, rate / reference rate)) (1 - T*^m),
 *   T* = (T - room) / (melting - room), from 0 to 1,
 * with adiabatic heating: T grows by the heat fraction of the plastic work over the heat capacity.
 * The rate is that of the increment; the temperature is that before it.
 */
template <int dim>
class JohnsonCook : public PlasticMaterial<dim>
{
public:
  /// Elastic constants as of NeoHookean. Throws dealii::ExceptionBase, naming the parameter, if one
  /// is out of range.
  JohnsonCook(double density = 1, double youngs_modulus = 1, double poissons_ratio = 0,
              const JohnsonCookParameters &parameters = JohnsonCookParameters());

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  void parse_parameters(dealii::ParameterHandler &prm) override;

  double yield_stress(double strain) const override;
  typename PlasticMaterial<dim>::Flow flow(double trial_stress, double stiffness, double time,
                                           PlasticHistory &history) const override;
  /// The equivalent plastic strain and the temperature.
  std::vector<std::string> output_names() const override;
  void outputs(const double *state, double *values) const override;

private:
  void check() const;
  double temperature(double work) const;
  /// 1 - T*^m
  double softening(double work) const;

  JohnsonCookParameters parameters;
};

/// Make the materials above available by name in two and three dimensions. May be called any number
/// of times.
void register_plastic_materials();
} // namespace KickDrift

#endif
