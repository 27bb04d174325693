// A plugin: a material that parameter files call 'soft foam', in two dimensions. The environment
// variable SOFT_FOAM_FAILS says when something goes wrong, so that one of several processes, which
// are all asked for the same, may fail: reading, making, running; or other: its density is another.

#include <kickdrift/base/plugin.h>
#include <kickdrift/potentials/materials/template_material.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace
{
using namespace dealii;

/// Nothing of the standard library.
struct Burst
{
};

bool
fails(const std::string &when)
{
  const char *const wanted = std::getenv("SOFT_FOAM_FAILS");
  return wanted != nullptr && wanted == when;
}

void
fail(const std::string &when)
{
  AssertThrow(!fails(when), ExcMessage("The foam fails while " + when + "."));
}

/// The energy per area is E/2 (E_xx^2 + E_yy^2 + 2 E_xy^2) of Green's strain: no Poisson effect.
class SoftFoam : public KickDrift::TemplateMaterial<2, SoftFoam>
{
public:
  template <typename Number>
  Number
  energy_law(const Tensor<2, 2, Number> &H) const
  {
    const auto E = strain(H);
    if (bursts && first(E[0][0]) != 0)
      throw Burst();
    return 0.5 * modulus * scalar_product(E, E);
  }

  template <typename Number>
  Tensor<2, 2, Number>
  stress_law(const Tensor<2, 2, Number> &H) const
  {
    if (fails_running && std::abs(first(H[0][0])) > 1e-3) // more than differences for a stiffness
      fail("running");
    Tensor<2, 2, Number> F = H;
    for (unsigned int d = 0; d < 2; ++d)
      F[d][d] += 1.;
    return modulus * (F * strain(H));
  }

  double
  stress_across(const Tensor<2, 2> &) const override
  {
    return 0;
  }

  double
  density() const override
  {
    fail("making");
    return mass_density;
  }

  double
  wave_speed() const override
  {
    return std::sqrt(modulus / mass_density);
  }

  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Foam modulus", "1", Patterns::Double(1e-300), "Soft foam: its stiffness.");
    prm.declare_entry("Foam bursts", "never", Patterns::Selection("never|at once|later"),
                      "Soft foam: when it throws what is no exception of the standard library.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    fail("reading");
    fails_running = fails("running");
    mass_density = (fails("other") ? 2 : 1) * prm.get_double("Density");
    modulus = prm.get_double("Foam modulus");
    if (prm.get("Foam bursts") == "at once")
      throw Burst();
    bursts = prm.get("Foam bursts") == "later";
  }

private:
  template <typename Number>
  static Tensor<2, 2, Number>
  strain(const Tensor<2, 2, Number> &H)
  {
    return 0.5 * (H + transpose(H) + transpose(H) * H);
  }

  static double
  first(const double x)
  {
    return x;
  }

  static double
  first(const KickDrift::PackedNumber &x)
  {
    return x[0];
  }

  double mass_density = 1, modulus = 1;
  bool bursts = false, fails_running = false;
};
} // namespace

KICKDRIFT_PLUGIN
{
  using namespace KickDrift;
#ifdef PLUGIN_TAKES_A_NAME_THAT_IS_TAKEN
  Registry<Material<2>>::add<SoftFoam>("Johnson-Cook", "not another one.");
#else
  Registry<Material<2>>::add<SoftFoam>("soft foam", "without Poisson's effect.");
#endif
}
