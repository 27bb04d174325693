#include <kickdrift/base/messages.h>
#include <kickdrift/base/parameter_table.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>

#include "checks.h"

namespace KickDrift
{
using dealii::ExcMessage;
using dealii::Tensor;

namespace
{
/// Where a component of C_p^-1 - I is in the state.
unsigned int
index(const unsigned int i, const unsigned int j)
{
  return i == j ? i : i + j + 2;
}

template <int dim>
Tensor<2, 3>
three_dimensional(const Tensor<2, dim> &A)
{
  Tensor<2, 3> result;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      result[i][j] = A[i][j];
  return result;
}

/// C_p^-1 - I
template <int dim>
Tensor<2, 3>
plastic_metric(const double *state)
{
  Tensor<2, 3> G;
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      if (i == j || (i < dim && j < dim))
        G[i][j] = state[index(i, j)];
  return G;
}

Tensor<2, 3>
identity()
{
  return Tensor<2, 3>(dealii::unit_symmetric_tensor<3>());
}

/// The p for which det(p I + A) of a tensor A without trace is a volume squared; from a near one.
double
mean_for_volume(const Tensor<2, 3> &A, const double volume_square, double p)
{
  const double half_square = 0.5 * A.norm_square(), det = determinant(A);
  for (unsigned int i = 0; i < 50; ++i)
  {
    const double change =
        (p * p * p - half_square * p + det - volume_square) / (3 * p * p - half_square);
    p -= change;
    if (std::abs(change) <= 1e-15 * p)
      break;
  }
  return p;
}

} // namespace

template <int dim>
PlasticMaterial<dim>::PlasticMaterial(const double density, const double youngs_modulus,
                                      const double poissons_ratio)
    : elastic(density, youngs_modulus, poissons_ratio)
{
}

template <int dim>
void
PlasticMaterial<dim>::declare_parameters(dealii::ParameterHandler &prm)
{
  NeoHookean<dim>::declare_parameters(prm);
}

template <int dim>
void
PlasticMaterial<dim>::parse_parameters(dealii::ParameterHandler &prm)
{
  elastic.parse_parameters(prm);
}

template <int dim>
std::vector<double>
PlasticMaterial<dim>::initial_state() const
{
  return hardened_state(0);
}

template <int dim>
std::vector<double>
PlasticMaterial<dim>::hardened_state(const double strain) const
{
  check_value(strain >= 0 && std::isfinite(strain), "Plastic strain at the start", strain,
              "finite, and not negative");
  std::vector<double> state(n_tensor + (linear_hardening() ? 2 : 4), 0.);
  state[n_tensor] = strain;
  if (!linear_hardening())
    state[n_tensor + 2] = yield_stress(strain);
  return state;
}

template <int dim>
void
PlasticMaterial<dim>::shift_time(double *const state, const double shift) const
{
  if (!linear_hardening())
    state[n_tensor + 3] += shift;
}

template <int dim>
void
PlasticMaterial<dim>::update(const Gradient &H, const double time, const double *old_state,
                             double *new_state) const
{
  const auto linear = linear_hardening();
  std::copy_n(old_state, n_tensor + (linear ? 2 : 4), new_state);
  const double mu = lame().second;
  const Tensor<2, 3> F = identity() + three_dimensional(H);
  const Tensor<2, 3> trial = F * (identity() + plastic_metric<dim>(old_state)) * transpose(F);
  const double trial_mean = trace(trial) / 3;
  const Tensor<2, 3> deviator = trial - trial_mean * identity();
  const double trial_stress = mu * std::sqrt(1.5) * deviator.norm();
  const double square = deviator.norm_square(), det = determinant(deviator);
  // of the stress by the plastic work over the stress; 3 mu for small elastic strains
  const double stiffness =
      mu * square * (3 * trial_mean * trial_mean - 0.5 * square) / (square * trial_mean - 3 * det);

  PlasticHistory history{old_state[n_tensor], old_state[n_tensor + 1], 0, 0};
  Flow flow_now{0, 0};
  if (linear)
  {
    history.yield_stress = linear->first + linear->second * history.strain;
    if (!(trial_stress > history.yield_stress))
      return;
    flow_now.increment = (trial_stress - history.yield_stress) / (stiffness + linear->second);
    flow_now.flow_stress = history.yield_stress + linear->second * flow_now.increment;
  }
  else
  {
    history.yield_stress = old_state[n_tensor + 2];
    history.time = old_state[n_tensor + 3];
    new_state[n_tensor + 3] = time;
    if (!(trial_stress > history.yield_stress))
      return;
    flow_now = flow(trial_stress, stiffness, time, history);
    if (!(flow_now.increment > 0))
      return;
    new_state[n_tensor + 2] = history.yield_stress;
  }

  const double scale = flow_now.flow_stress / trial_stress;
  const double J = determinant(F);
  const double p = mean_for_volume(scale * deviator, J * J, trial_mean);
  const Tensor<2, 3> inverse = invert(F);
  const Tensor<2, 3> G =
      inverse * (scale * deviator + p * identity()) * transpose(inverse) - identity();
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      if (index(i, j) < n_tensor)
        new_state[index(i, j)] = G[i][j];
  new_state[n_tensor] += flow_now.increment;
  new_state[n_tensor + 1] += 1.5 * mu * (1 - scale) *
                             (scale * square * p - 3 * scale * scale * det) /
                             (3 * p * p - 0.5 * scale * scale * square);
}

template <int dim>
double
PlasticMaterial<dim>::energy_density(const Gradient &H, const double *state) const
{
  const Tensor<2, 3> F = identity() + three_dimensional(H);
  return elastic.energy_density(H) +
         0.5 * lame().second * trace(F * plastic_metric<dim>(state) * transpose(F));
}

template <int dim>
typename PlasticMaterial<dim>::Gradient
PlasticMaterial<dim>::stress(const Gradient &H, const double *state) const
{
  const Tensor<2, 3> FG = (identity() + three_dimensional(H)) * plastic_metric<dim>(state);
  Gradient P = elastic.stress(H);
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      P[i][j] += lame().second * FG[i][j];
  return P;
}

template <int dim>
double
PlasticMaterial<dim>::dissipation(const double *state) const
{
  return state[n_tensor + 1];
}

template <int dim>
double
PlasticMaterial<dim>::stress_across(const Gradient &H, const double *state) const
{
  const double J = determinant(identity() + three_dimensional(H));
  return elastic.stress_across(H) + lame().second * state[2] / J;
}

template <int dim>
std::vector<std::string>
PlasticMaterial<dim>::output_names() const
{
  return {"equivalent_plastic_strain"};
}

template <int dim>
void
PlasticMaterial<dim>::outputs(const double *state, double *values) const
{
  values[0] = state[n_tensor];
}

template <int dim>
J2Plasticity<dim>::J2Plasticity(const double density, const double youngs_modulus,
                                const double poissons_ratio, const double yield_stress,
                                const double hardening_modulus)
    : PlasticMaterial<dim>(density, youngs_modulus, poissons_ratio),
      curve({{0., yield_stress}}),
      modulus(hardening_modulus)
{
  check();
}

template <int dim>
J2Plasticity<dim>::J2Plasticity(const double density, const double youngs_modulus,
                                const double poissons_ratio, std::vector<Point> the_curve)
    : PlasticMaterial<dim>(density, youngs_modulus, poissons_ratio), curve(std::move(the_curve))
{
  check();
}

template <int dim>
void
J2Plasticity<dim>::check() const
{
  AssertThrow(!curve.empty() && curve[0].first == 0,
              ExcMessage("The hardening curve must begin at the plastic strain 0."));
  check_value(curve[0].second > 0 && std::isfinite(curve[0].second), "Yield stress",
              curve[0].second, "positive and finite");
  check_value(modulus >= 0 && std::isfinite(modulus), "Hardening modulus", modulus,
              "finite, and not negative");
  for (unsigned int i = 1; i < curve.size(); ++i)
  {
    check_value(curve[i].first > curve[i - 1].first && std::isfinite(curve[i].first),
                "Plastic strain of the hardening curve", curve[i].first,
                "finite, and above that before it, " + number_text(curve[i - 1].first));
    check_value(curve[i].second >= curve[i - 1].second && std::isfinite(curve[i].second),
                "Stress of the hardening curve", curve[i].second,
                "finite, and not below that before it, " + number_text(curve[i - 1].second));
  }
}

template <int dim>
void
J2Plasticity<dim>::declare_parameters(dealii::ParameterHandler &prm)
{
  PlasticMaterial<dim>::declare_parameters(prm);
  prm.declare_entry("Yield stress", "1", dealii::Patterns::Double(0.),
                    "J2 plasticity: stress under uniaxial stress at which plastic flow begins, "
                    "positive. Units: force/area.");
  prm.declare_entry("Hardening modulus", "0", dealii::Patterns::Double(0.),
                    "J2 plasticity: growth of the flow stress per equivalent plastic strain. "
                    "Units: force/area.");
  prm.declare_entry(
      "Hardening curve", "",
      dealii::Patterns::Map(dealii::Patterns::Double(), dealii::Patterns::Double()),
      "J2 plasticity: flow stress by equivalent plastic strain, 'strain: stress' "
      "separated by commas, in place of yield stress and hardening modulus: '0: 3e8, 0.1: 4e8'. "
      "Begins at the strain 0, does not descend, is linear between the points and constant after "
      "the last one. Units: none, force/area.");
}

template <int dim>
void
J2Plasticity<dim>::parse_parameters(dealii::ParameterHandler &prm)
{
  PlasticMaterial<dim>::parse_parameters(prm);
  const std::string text = prm.get("Hardening curve");
  curve = {{0., prm.get_double("Yield stress")}};
  modulus = prm.get_double("Hardening modulus");
  if (!text.empty())
  {
    curve.clear();
    modulus = 0;
    for (const std::string &entry : dealii::Utilities::split_string_list(text, ','))
    {
      const auto numbers = dealii::Utilities::split_string_list(entry, ':');
      curve.push_back({dealii::Utilities::string_to_double(numbers[0]),
                       dealii::Utilities::string_to_double(numbers[1])});
    }
  }
  check();
}

template <int dim>
std::optional<std::pair<double, double>>
J2Plasticity<dim>::linear_hardening() const
{
  if (curve.size() > 1)
    return {};
  return std::pair(curve[0].second, modulus);
}

template <int dim>
double
J2Plasticity<dim>::yield_stress(const double strain) const
{
  unsigned int i = 0; // the piece that has it
  while (i + 1 < curve.size() && curve[i + 1].first <= strain)
    ++i;
  return curve[i].second + slope(i) * (strain - curve[i].first);
}

template <int dim>
double
J2Plasticity<dim>::slope(const unsigned int i) const
{
  return i + 1 < curve.size()
             ? (curve[i + 1].second - curve[i].second) / (curve[i + 1].first - curve[i].first)
             : modulus;
}

template <int dim>
typename PlasticMaterial<dim>::Flow
J2Plasticity<dim>::flow(const double trial_stress, const double stiffness, double,
                        PlasticHistory &history) const
{
  // the piece that the strain ends in
  unsigned int i = 0;
  while (i + 1 < curve.size() &&
         trial_stress - stiffness * (curve[i + 1].first - history.strain) > curve[i + 1].second)
    ++i;
  const double rise = slope(i);
  const double stress_before = curve[i].second + rise * (history.strain - curve[i].first);
  const double increment = (trial_stress - stress_before) / (stiffness + rise);
  history.yield_stress = stress_before + rise * increment;
  return {increment, history.yield_stress};
}

namespace
{
template <int dim>
bool
register_plastic_materials()
{
  using Materials = Registry<Material<dim>>;
  return Materials::template add<J2Plasticity<dim>>(
             "J2 plasticity", "Metal plasticity with a von Mises yield surface and isotropic "
                              "hardening, linear or by a curve: large strains. Hexahedra and "
                              "quadrilaterals need 'Strain integration = mean dilatation'.") &&
         Materials::template add<JohnsonCook<dim>>(
             "Johnson-Cook",
             "The same with hardening, strain rate and adiabatic heating after Johnson & Cook.");
}
} // namespace

void
register_plastic_materials()
{
  static const bool done = register_plastic_materials<2>() && register_plastic_materials<3>();
  (void)done;
}

template class PlasticMaterial<2>;
template class PlasticMaterial<3>;
template class J2Plasticity<2>;
template class J2Plasticity<3>;
} // namespace KickDrift
