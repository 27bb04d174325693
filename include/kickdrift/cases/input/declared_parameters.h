#ifndef KICKDRIFT_CASES_INPUT_DECLARED_PARAMETERS_H
#define KICKDRIFT_CASES_INPUT_DECLARED_PARAMETERS_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/cases/input/parameter_file.h>

#include <deal.II/base/parameter_handler.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace KickDrift
{
/// A handler of parameters, and what it has declared.
class DeclaredParameters
{
public:
  /// @param declare declares all parameters
  explicit DeclaredParameters(const std::function<void(dealii::ParameterHandler &)> &declare);

  /// Is there a parameter with this full name?
  bool
  has(const std::string &name) const
  {
    return declarations.count(name) > 0;
  }

  /// Full names, in the order in which the handler prints them.
  const std::vector<std::string> &
  names() const
  {
    return ordered;
  }

  /**
   * Give parameter @p name, which there is, the value of an @p assignment. In place of a number it
   * may be an expression of the @p constants, whose value is set. Names of files
   * (Patterns::FileName, and lists of them) become absolute. Throws dealii::ExceptionBase naming
   * the parameter of the assignment, its value and what is allowed if the value does not fit.
   */
  void set(const std::string &name, const Assignment &assignment, const Constants &constants = {});

  /// Give it a value that fits, which value() has returned.
  void set(const std::string &name, const std::string &value);

  /// The present value.
  std::string value(const std::string &name);

  /// The value that it has been declared with.
  const std::string &
  default_value(const std::string &name) const
  {
    return declarations.at(name).default_value;
  }

  /// To parse from, and to print.
  dealii::ParameterHandler &
  handler()
  {
    return prm;
  }
  /// The same, to print.
  const dealii::ParameterHandler &
  handler() const
  {
    return prm;
  }

private:
  struct Declaration
  {
    std::vector<std::string> sections; ///< of the handler
    std::string name;                  ///< in the last one of them
    std::string allowed;               ///< deal.II's description
    std::string default_value;
  };

  /// Call @p f where the entry is.
  template <typename Function>
  void at(const Declaration &declaration, const Function &f);

  dealii::ParameterHandler prm;
  std::map<std::string, Declaration> declarations; ///< by full name
  std::vector<std::string> ordered;
};

/// Throw dealii::ExceptionBase: there is no such parameter among the @p names; with the place of
/// the assignment, and the name that is meant if there is one like it.
[[noreturn]] void throw_unknown_parameter(const Assignment &assignment,
                                          const std::vector<std::string> &names);
} // namespace KickDrift

#endif
