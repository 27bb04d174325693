#include <deal.II/base/exceptions.h>

#include "comparison_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace KickDrift
{
namespace
{
/// Rows of histories that a page draws; the files of the runs have all.
constexpr unsigned int max_rows = 300;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

bool
is_done(const RunResults &results)
{
  return results.status == RunResults::Status::done;
}

/// Every n-th value and the last one, with the digits that can be seen.
std::vector<double>
thinned(const std::vector<double> &values)
{
  std::vector<double> result;
  const std::size_t stride = (values.size() + max_rows - 1) / max_rows;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % stride == 0 || i + 1 == values.size())
    {
      char text[32];
      std::snprintf(text, sizeof(text), "%.6g", values[i]);
      result.push_back(std::strtod(text, nullptr));
    }
  return result;
}

JsonObject
thinned(const Histories &histories)
{
  JsonObject json;
  for (unsigned int c = 0; c < histories.names.size(); ++c)
    json.set(histories.names[c], thinned(histories.columns[c]));
  return json;
}

JsonObject
run_json(const ComparedRun &run)
{
  JsonObject json;
  json.set("command", run.command)
      .set("folder", run.folder)
      .set("measurements", run.n_measurements)
      .set("processor_time", run.results.processor_time)
      .set("status", name_of(run.results.status))
      .set("message", run.results.message)
      .set_json("summary", run.results.summary.empty() ? "null" : run.results.summary);
  return json;
}

/// Of all surface points until the last save time [length]; unknown if nothing was saved.
double
max_penetration(const Histories &statistics)
{
  return statistics.n_rows() > 0 ? statistics.column("max_penetration").back() : unknown;
}

/// Numbers that relate a run to others.
JsonObject
relations(const SchemeRuns &runs, const RunResults &synchronous)
{
  const RunResults &results = runs.with_contact.results;
  const bool comparable = is_done(results) && is_done(synchronous);
  const bool has_share =
      is_done(results) && runs.without_contact && is_done(runs.without_contact->results);
  const auto difference = [&](const char *kind)
  { return largest_difference(results.probes, synchronous.probes, kind).value_or(unknown); };
  return JsonObject()
      .set("contact_time", has_share
                               ? results.stepping_time - runs.without_contact->results.stepping_time
                               : unknown)
      .set("work_ratio", comparable ? synchronous.evaluations / results.evaluations : unknown)
      .set("time_ratio", comparable ? synchronous.stepping_time / results.stepping_time : unknown)
      .set("processor_time_ratio",
           comparable ? synchronous.processor_time / results.processor_time : unknown)
      .set("displacement_difference", difference("_displacement"))
      .set("velocity_difference", difference("_velocity"));
}

JsonObject
histories_json(const RunResults &results)
{
  JsonObject json;
  if (results.statistics.n_rows() > 0)
    json.set("time", thinned(results.statistics.column("time")))
        .set("energy_error", thinned(results.statistics.column("energy_error")))
        .set("kinetic_energy", thinned(results.statistics.column("kinetic_energy")))
        .set("strain_energy", thinned(results.statistics.column("strain_energy")));
  return json.set("probes", thinned(results.probes));
}
} // namespace

std::string
name_of(const RunResults::Status status)
{
  using Status = RunResults::Status;
  return status == Status::done           ? "done"
         : status == Status::energy_limit ? "energy limit"
         : status == Status::stopped      ? "stopped"
         : status == Status::refused      ? "refused"
                                          : "failed";
}

double
error_against(const RunResults &results, const RunResults &reference)
{
  return errors_against(results, reference).displacement;
}

Errors
errors_against(const RunResults &results, const RunResults &reference)
{
  if (!is_done(results) || !is_done(reference))
    return {unknown, unknown, unknown, unknown, unknown, unknown};
  const auto difference = [](const Histories &histories, const Histories &others, const char *kind)
  { return largest_difference(histories, others, kind).value_or(unknown); };
  const auto difference_of_force = [](const Histories &histories, const Histories &others)
  {
    const auto force = largest_force(histories), exact = largest_force(others);
    return force && exact ? std::abs(*force / *exact - 1) : unknown;
  };
  return {difference(results.probes, reference.probes, "_displacement"),
          difference(results.probes, reference.probes, "_velocity"),
          difference(results.contact, reference.contact, "_impulse"),
          difference(results.reactions, reference.reactions, "_impulse"),
          difference_of_force(results.contact, reference.contact),
          difference_of_force(results.reactions, reference.reactions)};
}

const SchemeRuns &
synchronous_of(const std::vector<SchemeRuns> &runs)
{
  for (const char *name : {"synchronous", "synchronous_best"})
    for (const SchemeRuns &run : runs)
      if (run.scheme.name == name)
        return run;
  AssertThrow(false, dealii::ExcMessage("There is no synchronous run to compare with."));
  std::abort();
}

JsonObject
point_json(const JsonObject &properties, const std::vector<SchemeRuns> &runs,
           const std::optional<ComparedRun> &reference)
{
  const SchemeRuns &synchronous = synchronous_of(runs);
  std::vector<JsonObject> objects;
  for (const SchemeRuns &run : runs)
  {
    JsonObject json;
    json.set("scheme", run.scheme.name)
        .set("title", run.scheme.title)
        .merge(run_json(run.with_contact))
        .set("max_penetration", max_penetration(run.with_contact.results.statistics))
        .merge(relations(run, synchronous.with_contact.results));
    if (reference)
    {
      const Errors errors = errors_against(run.with_contact.results, reference->results);
      json.set("reference_error", errors.displacement)
          .set("reference_error_of_velocity", errors.velocity)
          .set("reference_error_of_contact", errors.contact)
          .set("reference_error_of_reactions", errors.reaction)
          .set("reference_error_of_contact_force", errors.contact_force)
          .set("reference_error_of_reaction_force", errors.reaction_force);
    }
    if (run.without_contact)
      json.set("without_contact", run_json(*run.without_contact));
    json.set("histories", histories_json(run.with_contact.results));
    objects.push_back(json);
  }
  JsonObject point(properties);
  if (reference)
    point.set("reference", run_json(*reference));
  return point.set("runs", objects);
}
} // namespace KickDrift
