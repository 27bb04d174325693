#ifndef KICKDRIFT_BASE_REGISTRY_H
#define KICKDRIFT_BASE_REGISTRY_H

#include <deal.II/base/exceptions.h>
#include <deal.II/base/parameter_handler.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace KickDrift
{
/**
 * Classes that are chosen by name in a parameter file.
 *
 * Built-ins are registered by ordinary functions (static registrars vanish from static libraries);
 * users call add() from main() or from a static bool of their own.
 */
template <typename Interface>
class Registry
{
public:
  /// Make @p Plugin available as @p name. Throws if the name is taken.
  template <typename Plugin>
  static bool
  add(const std::string &name, const std::string &help)
  {
    const bool is_new = entries()
                            .emplace(name, Entry{help, &Plugin::declare_parameters,
                                                 [] { return std::make_unique<Plugin>(); }})
                            .second;
    AssertThrow(is_new, dealii::ExcMessage("The name '" + name + "' is registered twice."));
    return is_new;
  }

  /// Names for a Patterns::Selection: "a|b|c".
  static std::string
  names()
  {
    std::string result;
    for (const auto &entry : entries())
      result += (result.empty() ? "" : "|") + entry.first;
    return result;
  }

  /// Names with their descriptions, for the documentation of the parameter.
  static std::string
  help()
  {
    std::string result;
    for (const auto &entry : entries())
      result += "'" + entry.first + "': " + entry.second.help + " ";
    return result;
  }

  /// Declare the parameters of all registered classes in the current subsection.
  static void
  declare_parameters(dealii::ParameterHandler &prm)
  {
    for (const auto &entry : entries())
      entry.second.declare(prm);
  }

  /// Make the named object and let it read its parameters from the current subsection.
  static std::unique_ptr<Interface>
  create(const std::string &name, dealii::ParameterHandler &prm)
  {
    const auto entry = entries().find(name);
    AssertThrow(entry != entries().end(),
                dealii::ExcMessage("Unknown name '" + name + "'; known are " + names() + "."));
    auto object = entry->second.make();
    object->parse_parameters(prm);
    return object;
  }

private:
  struct Entry
  {
    std::string help;
    std::function<void(dealii::ParameterHandler &)> declare;
    std::function<std::unique_ptr<Interface>()> make;
  };
  static std::map<std::string, Entry> &
  entries()
  {
    static std::map<std::string, Entry> map;
    return map;
  }
};
} // namespace KickDrift

#endif
