#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/function_parser.h>
#include <deal.II/base/numbers.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
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
is_part_of_name(const char c)
{
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool
is_identifier(const std::string &name)
{
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  return std::all_of(name.begin(), name.end(), is_part_of_name);
}

/// The value of a text that is a number: a parser for it would take a quarter of a millisecond, and
/// 10 kB as long as it is kept.
std::optional<double>
plain_number(const std::string &text)
{
  const std::string number = Utilities::trim(text);
  // signs other than this one are left to the parser, and words such as nan and 0x1
  if (number.find_first_not_of("0123456789.eE+-") != std::string::npos || number.empty() ||
      number[0] == '+')
    return {};
  char *end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (*end != '\0')
    return {};
  return value;
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

/// Names of the constants and functions that the parser has itself: what it makes of a constant
/// with such a name is not always what is meant.
const std::set<std::string> &
names_of_parser()
{
  static const std::set<std::string> names = {
      "pi",    "_pi",  "_e",    "sin",  "cos",      "tan",   "asin",  "acos", "atan",
      "atan2", "sinh", "cosh",  "tanh", "asinh",    "acosh", "atanh", "cot",  "csc",
      "sec",   "log2", "log10", "log",  "ln",       "exp",   "sqrt",  "pow",  "sign",
      "rint",  "abs",  "min",   "max",  "sum",      "avg",   "if",    "int",  "ceil",
      "floor", "erf",  "erfc",  "rand", "rand_seed"};
  return names;
}

/// Does something else have this name already?
bool
is_reserved(const std::string &name)
{
  return name == "x" || name == "y" || name == "z" || name == "t" ||
         names_of_parser().count(name) > 0;
}

/// Names in an expression, where they begin and end; numbers are none, even with an exponent.
std::vector<std::pair<std::size_t, std::size_t>>
names_in(const std::string &expression)
{
  std::vector<std::pair<std::size_t, std::size_t>> names;
  for (std::size_t i = 0; i < expression.size();)
  {
    const char *const begin = expression.c_str() + i;
    std::size_t end = i + 1;
    if (std::isdigit(static_cast<unsigned char>(*begin)) || *begin == '.')
    {
      char *after = nullptr;
      std::strtod(begin, &after);
      end = std::max(end, i + (after - begin));
    }
    else if (is_part_of_name(*begin))
    {
      while (end < expression.size() && is_part_of_name(expression[end]))
        ++end;
      names.emplace_back(i, end);
    }
    i = end;
  }
  return names;
}

/// What is said of the first name in an expression that is not known; empty if all are.
std::string
complaint_of_names(const std::string &expression, const std::string &variables,
                   const Constants &constants)
{
  const auto of_variables = Utilities::split_string_list(variables, ',');
  for (const auto &[begin, end] : names_in(expression))
  {
    const std::string name = expression.substr(begin, end - begin);
    if (constants.count(name) > 0 || names_of_parser().count(name) > 0 ||
        std::count(of_variables.begin(), of_variables.end(), name) > 0)
      continue;
    const auto next = expression.find_first_not_of(' ', end);
    if (next != std::string::npos && expression[next] == '(')
      return "there is no function '" + name + "'.";
    std::string known;
    for (const auto &constant : constants)
      known += (known.empty() ? "" : ", ") + constant.first;
    return "there is no constant '" + name + "'; there are " + known + ".";
  }
  return "";
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
      const std::string unknown = complaint_of_names(expression, variables, all);
      AssertThrow(false, ExcMessage(message(name, expression,
                                            unknown.empty() ? "there is a mistake: " + reason(error)
                                                            : unknown)));
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
  const auto names = names_in(expression);
  return std::any_of(
      names.begin(), names.end(),
      [&](const auto &name)
      { return expression.compare(name.first, name.second - name.first, variable) == 0; });
}

double
evaluate(const std::string &expression, const std::string &name, const Constants &constants)
{
  AssertThrow(!Utilities::trim(expression).empty(),
              ExcMessage("Parameter '" + name + "' lacks an expression."));
  const auto number = plain_number(expression);
  // The parser insists on a variable; a constant expression has no use for it.
  const double value =
      number ? *number
             : parse<1>({expression}, "unused_variable", name, constants, false)->value(Point<1>());
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
    AssertThrow(is_identifier(constant) && !is_reserved(constant),
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
  std::vector<double> numbers;
  for (const auto &component : components)
    if (const auto number = plain_number(component))
      numbers.push_back(*number);
  if (numbers.size() == n_components)
    return std::make_unique<Functions::ConstantFunction<dim>>(numbers);
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
