// What a run reports at its end.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/quiet_start.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/preflight/rigid_report.h>
#include <kickdrift/cases/run/simulation.h>
#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/output/histories.h>
#include <kickdrift/output/surface_recorder.h>
#include <kickdrift/output/volume_recorder.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// "Spent on: strain kicks 61 %, ...", without what took less than half a per cent.
std::string
profile_text(const Summary::Profile &profile)
{
  const std::pair<const char *, double> parts[] = {{"setup", profile.setup},
                                                   {"strain kicks", profile.strain_kicks},
                                                   {"drift", profile.drift},
                                                   {"other kicks", profile.other_kicks},
                                                   {"scheduling", profile.scheduling},
                                                   {"contact search", profile.contact_search},
                                                   {"contact response", profile.contact_response},
                                                   {"energy checks", profile.energy_checks},
                                                   {"output", profile.output},
                                                   {"rest", profile.rest}};
  double sum = 0;
  for (const auto &part : parts)
    sum += part.second;
  std::string text;
  for (const auto &[name, seconds] : parts)
    if (std::lround(100 * seconds / sum) > 0)
      text += (text.empty() ? "Spent on " : ", ") + std::string(name) + " " +
              std::to_string(std::lround(100 * seconds / sum)) + " %";
  return text;
}

/// FNV-1a hash of all node states: equal for runs that are equal bit by bit.
template <int dim>
std::string
state_hash(const NodeTable<dim> &nodes)
{
  std::uint64_t hash = 14695981039346656037ull;
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    unsigned char bytes[sizeof(NodeState)];
    std::memcpy(bytes, &nodes[node], sizeof(NodeState));
    for (const unsigned char byte : bytes)
      hash = (hash ^ byte) * 1099511628211ull;
  }
  std::ostringstream text;
  text << std::hex << std::setw(16) << std::setfill('0') << hash;
  return text.str();
}

} // namespace

template <int dim>
typename Summary::Profile
Simulation<dim>::profile() const
{
  typename Summary::Profile result;
  result.setup = wall_time.setup;
  result.output = wall_time.output;
  result.energy_checks = time_of_checks;
  for (const auto &family : system.stepper.kick_statistics())
  {
    // sweeps are for the most part kicks of cells
    (family.kind == KickKind::other ? result.other_kicks : result.strain_kicks) +=
        family.time - family.drift_time;
    result.drift += family.drift_time;
  }
  double rest = wall_time.stepping - time_of_checks;
  if (system.contact)
  {
    const double contact = system.contact->wall_time();
    result.contact_response = std::min(contact, system.contact->statistics().response_time);
    result.contact_search = contact - result.contact_response;
    rest -= contact;
  }
  // samples may say more than there was
  const double kicks = result.strain_kicks + result.other_kicks + result.drift;
  const double scale = kicks > rest ? rest / kicks : 1.;
  for (double *part : {&result.strain_kicks, &result.other_kicks, &result.drift})
    *part *= scale;
  result.scheduling = rest - scale * kicks;
  return result;
}

template <int dim>
Summary
Simulation<dim>::summary() const
{
  Summary result;
  result.cells = system.n_cells();
  result.nodes = system.nodes.size();
  const auto steps = critical_steps(system);
  result.h_min = steps.smallest;
  result.h_max = steps.largest;
  result.h_average = steps.average;
  for (const auto &family : system.stepper.kick_statistics())
    result.kicks[family.name] = family.count;
  for (const auto &body : parameters.bodies)
    if (body.failure_strain > 0)
      result.more.set("deleted_cells", system.n_deleted_cells());
  if (system.contact)
  {
    result.kicks["collision_tests"] = system.contact->statistics().tests;
    result.kicks["collisions"] = system.contact->statistics().collisions;
    result.more.set("lost_contactors", static_cast<double>(system.contact->statistics().lost));
    result.more.set("unsolved_contact_problems",
                    static_cast<double>(system.contact->statistics().unsolved));
    result.wall_time.contact = system.contact->wall_time();
    if (contact_resolution)
      result.more.set("bodies_with_unresolved_contact",
                      static_cast<unsigned int>(contact_resolution->unresolved_bodies().size()));
    const CoupledStatistics &coupled = system.contact->statistics().coupled;
    if (coupled.largest > 0)
      result.more.set("coupled_contact", JsonObject()
                                             .set("constraints", coupled.constraints)
                                             .set("largest_system", coupled.largest));
    if (const auto [name, figures] = system.contact->figures(); !name.empty())
    {
      JsonObject object;
      for (const auto &[figure, value] : figures)
        object.set(figure, value);
      result.more.set(name, object);
    }
  }
  // What a synchronous run would have needed until now, over what was needed, contact zones
  // included.
  const double synchronous = system.stepper.levels().kick_rates().second * system.stepper.time();
  std::uint64_t kicks_with_clocks = strain_kicks();
  std::set<std::string> own_names;
  for (const auto &kicks : system.own_kicks)
    if (own_names.insert(kicks->name()).second && result.kicks.count(kicks->name()) > 0)
      kicks_with_clocks += result.kicks.at(kicks->name());
  std::uint64_t sweeps = 0;
  for (const auto &family : system.stepper.kick_statistics())
    if (family.kind == KickKind::sweep)
      sweeps += family.count;
  kicks_with_clocks += sweeps;
  if (kicks_with_clocks > 0)
    result.work_ratio = synchronous / kicks_with_clocks;
  result.wall_time.setup = wall_time.setup;
  result.wall_time.stepping = wall_time.stepping;
  result.wall_time.output = wall_time.output;
  result.wall_time.total = total_wall_time();
  result.profile = profile();
  result.profile.rest =
      result.wall_time.total - wall_time.setup - wall_time.stepping - wall_time.output;
  result.kicks_per_second = (strain_kicks() + sweeps) / wall_time.stepping;
  result.bytes_per_cell = system.bytes_per_cell();
  result.energy_error_end = system.dynamics.energy_audit().error();
  result.energy_error_max = system.dynamics.energy_audit().max_error();
  result.threads = parameters.stepping.stepper.threads;
  result.processes = ranks->size();
  if (!of_processes.empty())
  {
    std::vector<JsonObject> rows;
    for (const ProcessReport &of_one : of_processes)
    {
      result.peak_memory = std::max(result.peak_memory, of_one.peak_memory);
      std::vector<JsonObject> firings;
      for (unsigned int c = 0; c < of_one.holding.of_clock.size(); ++c)
      {
        const Firing &firing = of_one.holding.of_clock[c];
        firings.push_back(JsonObject()
                              .set("step", system.stepper.levels().clocks()[c].step())
                              .set("kicks", firing.kicks)
                              .set("halo", firing.halo)
                              .set("neighbours", firing.neighbours));
      }
      rows.push_back(JsonObject()
                         .set("memory", of_one.memory)
                         .set("peak_memory", of_one.peak_memory)
                         .set("kicks", of_one.holding.kicks)
                         .set("halo", of_one.holding.halo)
                         .set("neighbours", of_one.holding.neighbours)
                         .set("firings", firings));
    }
    result.more.set("of_processes", rows);
    result.more.set("divided_anew", n_divisions);
  }
  if (detection)
    detection->add_to(result);
  if (!system.nodes.rigid_bodies.empty())
    result.more.set("rigid_bodies", rigid_json(system));
  if (system.mass_scaling.critical_step > 0)
    result.more.set("mass_scaling", mass_scaling_json(system));
  if (system.quiet_start.done)
    result.more.set("quiet_start", quiet_start_json(system.quiet_start));
  result.more.set("processor_time_of_stepping", processor_time_of_stepping);
  result.more.set("time", system.stepper.time());
  result.more.set("state_hash", state_hash(system.nodes));
  result.more.set("strain_kicks", static_cast<double>(strain_kicks()));
  result.more.set("leased_cells", system.stepper.levels().n_promoted());
  if (parameters.stepping.stepper.clocks == Clocks::nested &&
      parameters.stepping.stepper.stability_rule)
  {
    const StabilityRuleReport &rule = system.stepper.levels().rule();
    result.more.set("stability_rule", JsonObject()
                                          .set("lowered", rule.n_lowered)
                                          .set("added_kicks", rule.added)
                                          .set("smallest_margin", rule.margin)
                                          .set("long_step", system.cell_text(rule.long_kick))
                                          .set("short_step", system.cell_text(rule.short_kick)));
  }
  result.more.set("class_changes", static_cast<double>(system.stepper.levels().n_class_changes()));
  result.more.set("steps_above_critical",
                  static_cast<double>(system.stepper.follower().n_above_critical()));
  result.more.set("sweeps_at_class_boundaries", system.stepper.n_sweeps());
  return result;
}

template <int dim>
void
Simulation<dim>::write_summary_file(const std::string &status, const std::string &message,
                                    const std::string &reason) const
{
  if (!writes())
    return;
  Summary result = summary();
  result.more.set("status", status);
  if (!message.empty())
    result.more.set("message", message);
  if (!reason.empty())
    result.more.set("reason", reason);
  write_summary(folder, result);
}

template <int dim>
void
Simulation<dim>::print_outcome() const
{
  const Summary result = summary();
  out << "Measured: " << strain_kicks() << " strain kicks";
  if (std::isfinite(result.work_ratio))
    out << ", work ratio " << number_text(result.work_ratio) << ", "
        << number_text(result.kicks_per_second) << " kicks/s";
  if (system.contact)
  {
    out << "; ";
    system.contact->print_outcome(out);
  }
  if (intersections)
    out << "\nNo intersections: " << intersections->n_flights() << " straight flights, "
        << intersections->n_tests() << " exact tests";
  if (system.contact && system.contact->statistics().lost > 0)
    out << "\nWarning: " << system.contact->statistics().lost
        << " surface points got so deep into a body or obstacle that they were not pushed out any "
           "more; try a smaller 'Stepping/Time step ratio' or finer meshes";
  if (contact_resolution && !contact_resolution->unresolved_bodies().empty())
    out << "\nWarning: " << text_of_unresolved(contact_resolution->unresolved_bodies());
  if (detection)
    detection->print_outcome(out);
  if (!untouched.empty())
    out << "\nNote: " << untouched;
  out << "\nEnergy error " << number_text(result.energy_error_end) << " at the end, largest "
      << number_text(result.energy_error_max);
  out << "\nWall time " << duration_text(result.wall_time.total) << " (stepping "
      << duration_text(result.wall_time.stepping) << ", of which contact "
      << duration_text(result.wall_time.contact) << ")\n"
      << profile_text(result.profile) << "\n";
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
