#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/function_parser.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <cctype>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
std::string
message(const std::string &name, const std::string &text, const std::string &complaint)
{
  return "Parameter '" + name + "': in '" + text + "' " + complaint;
}

Constants
with_built_ins(Constants constants)
{
  constants.emplace("pi", numbers::PI);
  return constants;
}

/// Split at commas that are not inside brackets.
std::vector<std::string>
split_list(const std::string &list)
{
  std::vector<std::string> entries(1);
  int depth = 0;
  for (const char c : list)
  {
    depth += (c == '(') - (c == ')');
    if (c == ',' && depth == 0)
      entries.emplace_back();
    else
      entries.back() += c;
  }
  for (auto &entry : entries)
    entry = Utilities::trim(entry);
  return entries;
}

bool
is_identifier(const std::string &name)
{
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      return false;
  return true;
}

/// What the parser complained about, without its position, which deal.II reports wrongly.
std::string
reason(const ExceptionBase &error)
{
  const std::string said = "The parser said:";
  const std::string text = message_of(error);
  const auto begin = text.find(said);
  return begin == std::string::npos ? text : Utilities::trim(text.substr(begin + said.size()));
}

/// deal.II's function parser prints to the standard error before it throws; as long as this lives
/// that goes nowhere.
class SilentStandardError
{
public:
  SilentStandardError() : buffer(std::cerr.rdbuf(nowhere.rdbuf())) {}
  SilentStandardError(const SilentStandardError &) = delete;
  ~SilentStandardError() { std::cerr.rdbuf(buffer); }

private:
  std::ostringstream nowhere;
  std::streambuf *const buffer;
};

/// Names of coordinates, and of the constants and functions that the parser has itself: what it
/// makes of a constant with such a name is not always what is meant.
const std::set<std::string> &
reserved_names()
{
  static const std::set<std::string> names = {
      "x",     "y",     "z",    "t",    "pi",    "_pi",  "_e",    "sin",  "cos",
      "tan",   "asin",  "acos", "atan", "atan2", "sinh", "cosh",  "tanh", "asinh",
      "acosh", "atanh", "cot",  "csc",  "sec",   "log2", "log10", "log",  "ln",
      "exp",   "sqrt",  "pow",  "sign", "rint",  "abs",  "min",   "max",  "sum",
      "avg",   "if",    "int",  "ceil", "floor", "erf",  "erfc",  "rand", "rand_seed"};
  return names;
}

template <int dim>
std::unique_ptr<FunctionParser<dim>>
parse(const std::vector<std::string> &expressions, const std::string &variables,
      const std::string &name, const Constants &constants, const bool time_dependent)
{
  const SilentStandardError silence;
  const auto all = with_built_ins(constants);
  for (const auto &expression : expressions)
  {
    for (const char *random : {"rand", "rand_seed"})
      AssertThrow(!mentions(expression, random),
                  ExcMessage(message(name, expression,
                                     "there is '" + std::string(random) +
                                         "', but random numbers, which differ from run to run and "
                                         "from one evaluation to the next, are not allowed.")));
    // The parser would take the last of several values and drop the others.
    AssertThrow(split_list(expression).size() == 1,
                ExcMessage(message(name, expression, "there is a comma outside of brackets.")));
    // One component at a time, so that the message can name the one that is wrong.
    try
    {
      with_std_exceptions(
          [&]
          {
            FunctionParser<dim> component(1);
            component.initialize(variables, expression, all, time_dependent);
            component.value(Point<dim>());
          });
    }
    catch (const ExceptionBase &error)
    {
      AssertThrow(false,
                  ExcMessage(message(name, expression, "there is a mistake: " + reason(error))));
    }
  }
  auto function = std::make_unique<FunctionParser<dim>>(expressions.size());
  function->initialize(variables, expressions, all, time_dependent);
  return function;
}

/// Can expressions have a constant with this name?
bool
is_taken_by_parser(const std::string &constant)
{
  try
  {
    parse<1>({constant}, "unused_variable", "", {{constant, 1.}}, false);
    return true;
  }
  catch (const ExceptionBase &)
  {
    return false;
  }
}
} // namespace

bool
mentions(const std::string &expression, const std::string &variable)
{
  const auto is_part_of_name = [&](const std::size_t i)
  {
    return i < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[i])) || expression[i] == '_');
  };
  for (std::size_t at = expression.find(variable); at != std::string::npos;
       at = expression.find(variable, at + 1))
    if (!(at > 0 && is_part_of_name(at - 1)) && !is_part_of_name(at + variable.size()))
      return true;
  return false;
}

double
evaluate(const std::string &expression, const std::string &name, const Constants &constants)
{
  AssertThrow(!Utilities::trim(expression).empty(),
              ExcMessage("Parameter '" + name + "' lacks an expression."));
  // The parser insists on a variable; a constant expression has no use for it.
  const auto function = parse<1>({expression}, "unused_variable", name, constants, false);
  const double value = function->value(Point<1>());
  AssertThrow(std::isfinite(value),
              ExcMessage(message(name, expression, "the value is " + std::to_string(value) + ".")));
  return value;
}

double
without_rounding(const double value)
{
  const double rounded = std::round(value);
  return std::abs(value - rounded) <= 1e-12 * std::abs(value) ? rounded : value;
}

std::vector<double>
evaluate_list(const std::string &list, const std::string &name, const Constants &constants)
{
  std::vector<double> values;
  for (const auto &entry : split_list(list))
  {
    AssertThrow(!entry.empty(), ExcMessage(message(name, list, "an entry is missing.")));
    values.push_back(evaluate(entry, name, constants));
  }
  return values;
}

template <int dim>
Point<dim>
evaluate_point(const std::string &list, const std::string &name, const Constants &constants)
{
  const auto values = evaluate_list(list, name, constants);
  AssertThrow(values.size() == dim,
              ExcMessage(message(name, list,
                                 "there are " + std::to_string(values.size()) + " entries but " +
                                     std::to_string(dim) + " are needed.")));
  Point<dim> point;
  for (unsigned int d = 0; d < dim; ++d)
    point[d] = values[d];
  return point;
}

Constants
parse_constants(const std::string &text, const std::string &name, const Constants &known)
{
  Constants constants = known;
  if (Utilities::trim(text).empty())
    return constants;
  for (const auto &definition : split_list(text))
  {
    const auto equals = definition.find('=');
    AssertThrow(equals != std::string::npos,
                ExcMessage(message(name, text, "'" + definition + "' is not name = value.")));
    const std::string constant = Utilities::trim(definition.substr(0, equals));
    AssertThrow(is_identifier(constant) && reserved_names().count(constant) == 0,
                ExcMessage(message(name, text,
                                   "'" + constant +
                                       "' cannot name a constant: use letters, digits and "
                                       "underscores, and neither x, y, z, t, pi nor the name of a "
                                       "function.")));
    AssertThrow(is_taken_by_parser(constant),
                ExcMessage(message(name, text,
                                   "'" + constant +
                                       "' cannot name a constant: the parser of expressions does "
                                       "not take it, as it does not take very long names.")));
    const double value = evaluate(Utilities::trim(definition.substr(equals + 1)), name, constants);
    AssertThrow(constants.emplace(constant, value).second,
                ExcMessage(message(name, text, "'" + constant + "' is defined twice.")));
  }
  return constants;
}

std::string
redefine_constant(const std::string &text, const std::string &constant, const std::string &value)
{
  std::string result, known;
  bool is_there = false;
  for (const auto &definition : split_list(text))
  {
    const std::string name = Utilities::trim(definition.substr(0, definition.find('=')));
    is_there = is_there || name == constant;
    known += (known.empty() ? "" : ", ") + name;
    result += (result.empty() ? "" : ", ") +
              (name == constant ? name + " = " + value : Utilities::trim(definition));
  }
  AssertThrow(is_there, ExcMessage("'Constants' does not define '" + constant + "'; it defines " +
                                   (known.empty() ? "nothing" : known) + "."));
  return result;
}

template <int dim>
std::unique_ptr<Function<dim>>
make_function(const std::string &expressions, const unsigned int n_components,
              const std::string &name, const Constants &constants)
{
  const auto components = Utilities::split_string_list(expressions, ';');
  AssertThrow(components.size() == n_components,
              ExcMessage(message(name, expressions,
                                 "there are " + std::to_string(components.size()) +
                                     " expressions separated by semicolons but " +
                                     std::to_string(n_components) + " are needed.")));
  for (const auto &component : components)
    AssertThrow(!component.empty(),
                ExcMessage(message(name, expressions, "an expression is missing.")));
  return parse<dim>(components, FunctionParser<dim>::default_variable_names() + ",t", name,
                    constants, true);
}

template <int dim>
void
check_finite(const double value, const std::string &name, const Point<dim> &point,
             const double time)
{
  AssertThrow(std::isfinite(value),
              ExcMessage("Parameter '" + name + "' has the value " + number_text(value) + " at " +
                         point_text(point) + " and time " + number_text(time) +
                         "; it must be finite."));
}

template <int dim>
FiniteFunction<dim>::FiniteFunction(std::unique_ptr<Function<dim>> function, std::string name)
    : Function<dim>(function->n_components), function(std::move(function)), name(std::move(name))
{
}

template <int dim>
double
FiniteFunction<dim>::value(const Point<dim> &point, const unsigned int component) const
{
  const double result = function->value(point, component);
  check_finite(result, name, point, this->get_time());
  return result;
}

template <int dim>
void
FiniteFunction<dim>::set_time(const double time)
{
  Function<dim>::set_time(time);
  function->set_time(time);
}

template class FiniteFunction<2>;
template class FiniteFunction<3>;
template void check_finite(double, const std::string &, const Point<2> &, double);
template void check_finite(double, const std::string &, const Point<3> &, double);
template Point<2> evaluate_point<2>(const std::string &, const std::string &, const Constants &);
template Point<3> evaluate_point<3>(const std::string &, const std::string &, const Constants &);
template std::unique_ptr<Function<1>> make_function<1>(const std::string &, unsigned int,
                                                       const std::string &, const Constants &);
template std::unique_ptr<Function<2>> make_function<2>(const std::string &, unsigned int,
                                                       const std::string &, const Constants &);
template std::unique_ptr<Function<3>> make_function<3>(const std::string &, unsigned int,
                                                       const std::string &, const Constants &);
} // namespace KickDrift
