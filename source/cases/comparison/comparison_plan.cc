#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/patterns.h>
#include <deal.II/base/utilities.h>

#include "comparison_plan.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

std::string
swept_constant(const std::string &sweep)
{
  return Utilities::trim(sweep.substr(0, sweep.find('=')));
}

namespace
{
/// The values of "n=2,4,8", as they are written.
std::vector<std::string>
swept_values(const std::string &text)
{
  const auto equals = text.find('=');
  std::vector<std::string> values;
  if (equals != std::string::npos)
    values = Utilities::split_string_list(text.substr(equals + 1), ',');
  AssertThrow(!swept_constant(text).empty() && !values.empty(),
              ExcMessage("--sweep \"" + text + "\": expected NAME=a,b,c, a constant and values."));
  for (const auto &value : values)
  {
    AssertThrow(Patterns::Double().match(value) &&
                    std::isfinite(Utilities::string_to_double(value)),
                ExcMessage("--sweep \"" + text + "\": '" + value + "' is not a number."));
    AssertThrow(std::count(values.begin(), values.end(), value) == 1,
                ExcMessage("--sweep \"" + text + "\": '" + value + "' is in it twice."));
  }
  return values;
}
} // namespace

std::vector<SweepPoint>
plan(const CommandLine &command_line, const std::vector<Assignment> &assignments)
{
  std::vector<SweepPoint> points;
  if (command_line.sweep.empty())
    points.push_back({"", command_line.assignments, survey_case(assignments)});
  else
  {
    const std::string constants = last_value(assignments, "Constants");
    const std::string origin = "--sweep \"" + command_line.sweep + "\"";
    for (const auto &value : swept_values(command_line.sweep))
      try
      {
        const Assignment swept{
            "Constants", redefine_constant(constants, swept_constant(command_line.sweep), value),
            origin};
        auto all = assignments, own = command_line.assignments;
        all.push_back(swept);
        own.push_back(swept);
        points.push_back({value, own, survey_case(all)});
      }
      catch (const ExceptionBase &exception)
      {
        AssertThrow(false, ExcMessage(origin + ", at " + value + ": " + message_of(exception)));
      }
  }
  return points;
}

} // namespace KickDrift
