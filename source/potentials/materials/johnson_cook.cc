#include <kickdrift/base/messages.h>
#include <kickdrift/base/parameter_table.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <algorithm>
#include <cmath>

#include "checks.h"

namespace KickDrift
{
namespace
{
void
list(JohnsonCookParameters &p, ParameterTable table)
{
  using dealii::Patterns::Double;
  table.add("Johnson-Cook A", p.a, Double(0.), "Yield stress, positive. Units: force/area.");
  table.add("Johnson-Cook B", p.b, Double(0.), "Factor of hardening. Units: force/area.");
  table.add("Johnson-Cook n", p.n, Double(0.), "Exponent of hardening, positive. Units: none.");
  table.add("Johnson-Cook C", p.c, Double(0.),
            "Growth of the flow stress per logarithm of the strain rate. Units: none.");
  table.add("Johnson-Cook m", p.m, Double(0.),
            "Exponent of thermal softening, positive. Units: none.");
  table.add("Reference strain rate", p.reference_rate, Double(0.),
            "Johnson-Cook: plastic strain rate up to which it has no influence, positive. "
            "Units: 1/time.");
  table.add("Room temperature", p.room_temperature, Double(),
            "Johnson-Cook: temperature at which softening begins. Units: temperature.");
  table.add("Melting temperature", p.melting_temperature, Double(),
            "Johnson-Cook: temperature at which nothing of the flow stress is left, above room "
            "temperature. Units: temperature.");
  table.add("Initial temperature", p.initial_temperature, Double(),
            "Johnson-Cook: temperature at the start, below melting temperature. Units: "
            "temperature.");
  table.add("Heat capacity", p.heat_capacity, Double(0.),
            "Johnson-Cook: per mass, positive; the default is: no heating. Units: "
            "energy/(mass temperature).");
  table.add("Heat fraction", p.heat_fraction, Double(0., 1.),
            "Johnson-Cook: part of the plastic work that becomes heat (Taylor & Quinney). "
            "Units: none.");
}

} // namespace

template <int dim>
JohnsonCook<dim>::JohnsonCook(const double density, const double youngs_modulus,
                              const double poissons_ratio,
                              const JohnsonCookParameters &the_parameters)
    : PlasticMaterial<dim>(density, youngs_modulus, poissons_ratio), parameters(the_parameters)
{
  check();
}

template <int dim>
void
JohnsonCook<dim>::check() const
{
  const auto &p = parameters;
  check_value(p.a > 0, "Johnson-Cook A", p.a, "positive");
  check_value(p.b >= 0, "Johnson-Cook B", p.b, "not negative");
  check_value(p.n > 0, "Johnson-Cook n", p.n, "positive");
  check_value(p.c >= 0, "Johnson-Cook C", p.c, "not negative");
  check_value(p.m > 0, "Johnson-Cook m", p.m, "positive");
  check_value(p.reference_rate > 0, "Reference strain rate", p.reference_rate, "positive");
  check_value(p.melting_temperature > p.room_temperature, "Melting temperature",
              p.melting_temperature, "above room temperature");
  check_value(p.initial_temperature < p.melting_temperature, "Initial temperature",
              p.initial_temperature, "below melting temperature");
  check_value(p.heat_capacity > 0, "Heat capacity", p.heat_capacity, "positive");
  check_value(p.heat_fraction >= 0 && p.heat_fraction <= 1, "Heat fraction", p.heat_fraction,
              "from 0 to 1");
}

template <int dim>
void
JohnsonCook<dim>::declare_parameters(dealii::ParameterHandler &prm)
{
  PlasticMaterial<dim>::declare_parameters(prm);
  JohnsonCookParameters defaults;
  list(defaults, {prm, ParameterTable::Task::declare});
}

template <int dim>
void
JohnsonCook<dim>::parse_parameters(dealii::ParameterHandler &prm)
{
  PlasticMaterial<dim>::parse_parameters(prm);
  list(parameters, {prm, ParameterTable::Task::read});
  check();
}

template <int dim>
double
JohnsonCook<dim>::temperature(const double work) const
{
  return parameters.initial_temperature +
         parameters.heat_fraction * work / (this->density() * parameters.heat_capacity);
}

template <int dim>
double
JohnsonCook<dim>::softening(const double work) const
{
  const double room = parameters.room_temperature;
  const double relative = (temperature(work) - room) / (parameters.melting_temperature - room);
  return 1 - std::pow(std::min(1., std::max(0., relative)), parameters.m);
}

template <int dim>
double
JohnsonCook<dim>::yield_stress(const double strain) const
{
  return (parameters.a + parameters.b * std::pow(strain, parameters.n)) * softening(0);
}

template <int dim>
typename PlasticMaterial<dim>::Flow
JohnsonCook<dim>::flow(const double trial_stress, const double stiffness, const double time,
                       PlasticHistory &history) const
{
  const double duration = time - history.time;
  if (!(duration > 0))
    return {0, trial_stress};
  const double soft = softening(history.work);
  // The flow stress grows with the increment: there is one root. Newton's method, and where it
  // leaves the interval that has the root, the middle of that. It ends by its own for each point
  // alone.
  double low = 0, high = trial_stress / stiffness;
  double hardened = history.yield_stress;
  double increment =
      std::min(high, std::max(0., (trial_stress - history.yield_stress) / stiffness));
  for (unsigned int i = 0; i < 100; ++i)
  {
    const double strain = history.strain + increment;
    const double growth = parameters.b * std::pow(strain, parameters.n);
    hardened = soft * (parameters.a + growth);
    const double rate = increment / (duration * parameters.reference_rate);
    const double faster = rate > 1 ? 1 + parameters.c * std::log(rate) : 1;
    const double excess = trial_stress - stiffness * increment - hardened * faster;
    (excess > 0 ? low : high) = increment;
    double slope = stiffness;
    if (strain > 0)
      slope += soft * faster * growth * parameters.n / strain;
    if (rate > 1)
      slope += hardened * parameters.c / increment;
    const double change = excess / slope;
    const bool is_inside = increment + change > low && increment + change < high;
    // the next change would be the square of this one
    const bool is_last = std::abs(change) <= 1e-9 * increment;
    increment = is_inside || is_last ? increment + change : 0.5 * (low + high);
    if (is_last)
      break;
  }
  history.yield_stress = hardened;
  // so that both equations hold to the last bit
  return {increment, std::max(0., trial_stress - stiffness * increment)};
}

template <int dim>
std::vector<std::string>
JohnsonCook<dim>::output_names() const
{
  return {"equivalent_plastic_strain", "temperature"};
}

template <int dim>
void
JohnsonCook<dim>::outputs(const double *state, double *values) const
{
  PlasticMaterial<dim>::outputs(state, values);
  values[1] = temperature(this->dissipation(state));
}

template class JohnsonCook<2>;
template class JohnsonCook<3>;
} // namespace KickDrift
