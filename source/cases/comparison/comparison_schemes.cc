
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/forecast.h>
#include <kickdrift/output/files.h>

#include "comparison_schemes.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// Nested clocks were stable in all long runs up to here and a little further.
constexpr double best_ratio_of_nested = 0.75;
/// Steps of the reference are shorter than those of the case by this factor.
constexpr double refinement_of_reference = 8, refinement_of_nested_reference = 4;

/// A synchronous schedule of contact belongs to the synchronous schemes; the others take the one of
/// the case, or else the adaptive one, and contacts one after the other.
std::vector<std::string>
asynchronous(const CaseSurvey &survey, const std::string &clocks)
{
  std::vector<std::string> settings = {"Stepping/Clocks=" + clocks, "Stepping/Time step=0",
                                       "Contact/Reference/Solver=sequential",
                                       "Contact/Reference/Projection=false"};
  if (clocks == "per cell")
    settings.push_back("Stepping/Threads=1");
  if (survey.has_synchronous_schedule)
    settings.push_back("Contact/Reference/Schedule=adaptive");
  return settings;
}

/// @param step 0: from the time step ratio
std::vector<std::string>
synchronous(const double step, const std::string &solver = "sequential")
{
  return {"Stepping/Clocks=one", "Stepping/Time step=" + to_text(step),
          "Contact/Reference/Solver=" + solver, "Contact/Reference/Schedule=synchronous"};
}

/// Synchronous stepping with the schedule of the case: tests at every step would only be dearer.
Scheme
at_its_best(Scheme scheme, const CaseSurvey &survey)
{
  auto &settings = scheme.settings;
  if (!survey.has_synchronous_schedule)
    settings.erase(
        std::remove(settings.begin(), settings.end(), "Contact/Reference/Schedule=synchronous"),
        settings.end());
  return scheme;
}

double
longest_step(const CaseSurvey &survey)
{
  return share_of_stable_step * survey.largest_stable_step;
}

/// One clock with the mean step of nested clocks, which bodies are made heavy enough for.
Scheme
mass_scaled_scheme(const CaseSurvey &survey)
{
  auto settings = synchronous(survey.scaled->step);
  settings.push_back("Mass scaling/Critical step=" + to_text(survey.scaled->scaling.critical_step));
  settings.push_back("Mass scaling/Body="); // all
  return {"synchronous_scaled",
          "synchronous, mass scaled by " + number_text(100 * survey.scaled->scaling.share(), 3) +
              " % for nested's mean step",
          settings, true};
}
} // namespace

std::vector<Scheme>
schemes(const CaseSurvey &survey)
{
  auto nested_best = asynchronous(survey, "nested");
  nested_best.push_back("Stepping/Time step ratio=" + to_text(best_ratio_of_nested));
  std::vector<Scheme> all = {
      {"nested", "nested clocks", asynchronous(survey, "nested"), false},
      {"per_cell", "a clock per cell", asynchronous(survey, "per cell"), true},
      {"synchronous", "synchronous, same time step ratio", synchronous(0), false},
      {"synchronous_coupled", "synchronous, same ratio, coupled contact", synchronous(0, "coupled"),
       false},
      {"nested_best", "nested clocks, longest steps", nested_best, true},
      {"synchronous_best", "synchronous, longest stable step", synchronous(longest_step(survey)),
       false}};
  if (survey.scaled)
    all.push_back(mass_scaled_scheme(survey));
  if (!survey.knows_coupled_contact)
    all.erase(std::find_if(all.begin(), all.end(),
                           [](const Scheme &scheme)
                           { return scheme.name == "synchronous_coupled"; }));
  return all;
}

Scheme
reference_scheme(const CaseSurvey &survey)
{
  auto settings = synchronous(0);
  settings.push_back("Stepping/Time step ratio=" +
                     to_text(survey.time_step_ratio / refinement_of_reference));
  return {"reference", "reference", settings, false};
}

std::vector<Scheme>
schemes_at_best(const CaseSurvey &survey)
{
  std::vector<Scheme> result;
  for (const Scheme &scheme : schemes(survey))
    if (scheme.name == "nested" ||
        (scheme.name == "nested_best" && survey.time_step_ratio != best_ratio_of_nested))
      result.push_back(scheme);
    else if (scheme.name == "synchronous_best" || scheme.name == "synchronous_scaled")
      result.push_back(at_its_best(scheme, survey));
  return result;
}

Scheme
nested_reference_scheme(const CaseSurvey &survey)
{
  auto settings = asynchronous(survey, "nested");
  settings.push_back("Stepping/Time step ratio=" +
                     to_text(survey.time_step_ratio / refinement_of_nested_reference));
  return {"reference", "reference", settings, false};
}

Scheme
equally_accurate_scheme(const CaseSurvey &survey, const double halvings, const bool at_best)
{
  const double step = longest_step(survey) / std::pow(2., halvings);
  const Scheme scheme = {"synchronous_equal", "synchronous, as accurate as nested",
                         synchronous(step), true};
  return at_best ? at_its_best(scheme, survey) : scheme;
}
} // namespace KickDrift
