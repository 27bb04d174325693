#include <kickdrift/base/messages.h>

#include "comparison_text.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace KickDrift
{
namespace
{
/// Of a ratio or of per cent.
std::string
digits_text(const double number)
{
  std::ostringstream text;
  text << std::setprecision(std::abs(number) < 1 ? 2 : 3) << number;
  return text.str();
}

std::string
percent_text(const double share)
{
  return digits_text(100 * share) + " %";
}
} // namespace

void
print_run(const SchemeRuns &runs, std::ostream &out)
{
  const RunResults &results = runs.with_contact.results;
  out << "  " << runs.scheme.title << ": ";
  if (results.status == RunResults::Status::done)
    out << "stepping " << number_text(results.stepping_time) << " s, "
        << "processor time " << number_text(results.processor_time) << " s, "
        << std::llround(results.evaluations) << " kicks with sweeps\n";
  else
    out << name_of(results.status) << ": " << results.message << "\n";
  out << std::flush;
}

void
print_cost_of_scaling(const std::vector<SchemeRuns> &schemes, std::ostream &out)
{
  const auto find = [&](const std::string &name) -> const RunResults *
  {
    for (const SchemeRuns &run : schemes)
      if (run.scheme.name == name)
        return &run.with_contact.results;
    return nullptr;
  };
  const RunResults *scaled = find("synchronous_scaled"), *nested = find("nested");
  const RunResults &synchronous = synchronous_of(schemes).with_contact.results;
  if (!scaled || !nested)
    return;
  const double errors[] = {error_against(*scaled, synchronous),
                           error_against(*nested, synchronous)};
  if (std::isfinite(errors[0]) && std::isfinite(errors[1]))
    out << "  Against synchronous at the same ratio, displacements of probes are off by "
        << percent_text(errors[0]) << " with mass scaling, by " << percent_text(errors[1])
        << " with nested clocks\n";
}

void
print_savings(const std::vector<SchemeRuns> &schemes, const ComparedRun &reference,
              std::ostream &out)
{
  const SchemeRuns &base = synchronous_of(schemes);
  const RunResults &synchronous = base.with_contact.results;
  for (const SchemeRuns &run : schemes)
  {
    const RunResults &results = run.with_contact.results;
    if (results.status != RunResults::Status::done ||
        synchronous.status != RunResults::Status::done)
      continue;
    out << "  " << run.scheme.title << ": ";
    if (&run != &base)
    {
      const double kicks = synchronous.evaluations / results.evaluations;
      const double time = synchronous.processor_time / results.processor_time;
      if (kicks < 1)
        out << digits_text(1 / kicks) << " times the kicks of " << base.scheme.title << ", "
            << digits_text(1 / time) << " times the processor time; ";
      else
        out << digits_text(kicks) << " times fewer kicks than synchronous, "
            << digits_text(synchronous.stepping_time / results.stepping_time) << " times faster, "
            << digits_text(time) << " times in processor time (" << percent_text(time / kicks)
            << " of what the kicks promise); ";
    }
    out << "largest energy error " << percent_text(results.energy_error);
    const Errors errors = errors_against(results, reference.results);
    for (const auto &[what, error] :
         {std::pair<const char *, double>{"displacements of probes", errors.displacement},
          {"contact impulses", errors.contact},
          {"the largest contact force", errors.contact_force},
          {"reaction impulses", errors.reaction},
          {"the largest reaction", errors.reaction_force}})
      if (std::isfinite(error))
        out << ", " << what << " off by " << percent_text(error);
      else if (std::isinf(error))
        out << ", " << what << " where the reference has none";
    out << "\n";
  }
}
} // namespace KickDrift
