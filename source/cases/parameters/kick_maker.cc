#include <kickdrift/base/registry.h>
#include <kickdrift/cases/parameters/kick_maker.h>

namespace KickDrift
{
using namespace dealii;

template <int dim>
void
KickParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  using Families = Registry<KickMaker<dim>>;
  const std::string names = Families::names();
  if (names.empty())
    prm.declare_entry("Family", "", Patterns::Anything(),
                      "What kind of kicks. This program has none registered.");
  else
    prm.declare_entry("Family", names.substr(0, names.find('|')), Patterns::Selection(names),
                      "What kind of kicks. " + Families::help());
  Families::declare_parameters(prm);
}

template <int dim>
void
KickParameters<dim>::parse_parameters(ParameterHandler &prm)
{
  using Families = Registry<KickMaker<dim>>;
  AssertThrow(!Families::names().empty(),
              ExcMessage("'Kicks/Names' has '" + name +
                         "', but this program has no families of kicks registered; a "
                         "plugin or a program of yours may do that with Registry<KickMaker<" +
                         std::to_string(dim) + ">> (doc/extending.md)."));
  maker = Families::create(prm.get("Family"), prm);
}

template struct KickParameters<2>;
template struct KickParameters<3>;
} // namespace KickDrift
