#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/preflight.h>
#include <kickdrift/cases/run/simulation.h>
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
using Seconds = std::chrono::duration<double>;

/// Adds the wall time until its end to a sum [s].
class ScopedTimer
{
public:
  explicit ScopedTimer(double &sum) : sum(sum), begin(std::chrono::steady_clock::now()) {}
  ScopedTimer(const ScopedTimer &) = delete;
  ~ScopedTimer() { sum += Seconds(std::chrono::steady_clock::now() - begin).count(); }

private:
  double &sum;
  const std::chrono::steady_clock::time_point begin;
};

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

/// Plane strain adds a stress across the plane, which follows from the other two.
template <int dim>
SymmetricTensor<2, 3>
three_dimensional(const SymmetricTensor<2, dim> &stress, const Material<dim> &material)
{
  SymmetricTensor<2, 3> result;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = i; j < dim; ++j)
      result[i][j] = stress[i][j];
  const auto [lambda, mu] = material.lame();
  if (dim == 2 && lambda + mu > 0)
    result[2][2] = 0.5 * lambda / (lambda + mu) * trace(stress);
  return result;
}

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

/// Mean of the nodal parts of the stress at a cell's nodes.
template <int dim>
SymmetricTensor<2, 3>
nodal_stress(Body<dim> &body, const NodeTable<dim> &nodes, const unsigned int cell)
{
  const auto &kicks = *body.nodal_kicks()[body.nodal_family_of_cell(cell)];
  const auto cell_nodes = body.nodes_of_cell(body.cell(cell));
  SymmetricTensor<2, dim> sum;
  for (const unsigned int node : cell_nodes)
    sum += kicks.cauchy_stress(nodes, kicks.kick_of_node(node));
  return three_dimensional(sum / double(cell_nodes.size()), kicks.material());
}
} // namespace

template <int dim>
Simulation<dim>::Simulation(const CaseParameters<dim> &parameters, std::ostream &out)
    : parameters(parameters),
      out(out),
      begin(Clock::now()),
      system(parameters),
      monitor(system, out)
{
  check_n_steps(system);
  check_loads(system);
  if (parameters.detection.enabled)
    detection = std::make_unique<Detection<dim>>(system);
  wall_time.setup = Seconds(Clock::now() - begin).count();
}

template <int dim>
void
Simulation<dim>::start(const std::string &output_folder)
{
  folder = output_folder;
  add_recorders(Opening::anew);
  monitor.check();
  save(0, 0.);
}

template <int dim>
bool
Simulation<dim>::run(const Progress::Style progress_style)
{
  bool is_done = false;
  last_checkpoint = Clock::now();
  try
  {
    Progress progress(out, 0., parameters.stepping.end_time, progress_style);
    progress.resume(system.stepper.time(), strain_kicks());
    is_done = step_through(progress);
    progress.finish(system.stepper.time(), strain_kicks(), audit.error());
  }
  catch (const std::exception &exception)
  {
    try
    {
      write_summary_file("stopped", message_of(exception));
    }
    catch (const std::exception &)
    {
      // the disk may be full: what stopped the run is what the user should be told
    }
    throw;
  }
  write_summary_file(is_done ? "done" : "interrupted");
  if (is_done && checkpoints)
    checkpoints->remove();
  if (is_done)
    print_outcome();
  return is_done;
}

template <int dim>
bool
Simulation<dim>::step_through(Progress &progress)
{
  const double end = parameters.stepping.end_time;
  const unsigned int n_intervals = parameters.output.save_intervals;
  while (next_save <= n_intervals)
  {
    const double time = next_save == n_intervals ? end : end * next_save / n_intervals;
    if (!advance_to(time, progress))
      return false;
    save(next_save++, time);
    if (!may_go_on())
      return false;
  }
  monitor.check_at_end(end);
  if (detection)
    detection->finish(end);
  return true;
}

template <int dim>
bool
Simulation<dim>::advance_to(const double time, Progress &progress)
{
  const ScopedTimer timer(wall_time.stepping);
  const auto detection_time = [this]
  { return detection ? detection->next_time() : std::numeric_limits<double>::infinity(); };
  while (std::min(monitor.next_time(), detection_time()) <= time)
  {
    const double next = std::min(monitor.next_time(), detection_time());
    system.stepper.advance_to(next);
    if (detection_time() == next)
      detection->look();
    if (monitor.next_time() > next)
      continue;
    check();
    progress.update(next, strain_kicks(), audit.error());
    if (!may_go_on())
      return false;
  }
  system.stepper.advance_to(time);
  return true;
}

template <int dim>
void
Simulation<dim>::check()
{
  const ScopedTimer timer(time_of_checks);
  monitor.check();
}

template <int dim>
void
Simulation<dim>::save(const unsigned int index, const double time)
{
  const ScopedTimer timer(wall_time.output);
  const NodeTable<dim> nodes = system.stepper.snapshot(time);
  const EnergyBalance balance = monitor.balance(nodes);
  // The watch will stop the run, at a time that does not depend on the output.
  if (!std::isfinite(balance.total()))
    return;
  const Frame<dim> frame{index,
                         time,
                         nodes,
                         balance,
                         audit.update(balance),
                         strain_kicks(),
                         system.contact ? system.contact->statistics() : no_contact};
  for (const auto &recorder : recorders)
    recorder->record(frame);
}

template <int dim>
std::uint64_t
Simulation<dim>::strain_kicks() const
{
  std::uint64_t sum = 0;
  for (const auto &[name, count] : system.stepper.kick_counts())
    if (name == "strain" || name == "nodal strain")
      sum += count;
  return sum;
}

template <int dim>
void
Simulation<dim>::add_recorders(const Opening opening)
{
  recorders.push_back(std::make_unique<StatisticsRecorder<dim>>(folder, opening));
  if (!system.probes.empty())
    recorders.push_back(std::make_unique<ProbesRecorder<dim>>(folder, system.probes, opening));
  if (!system.supports.empty())
    recorders.push_back(std::make_unique<ReactionsRecorder<dim>>(folder, system.supports, opening));
  std::vector<RecordedBody<dim>> recorded;
  for (auto &body : system.bodies)
    recorded.push_back({body.body->name(), body.body->first_node(), body.body->n_nodes(),
                        [&body](const NodeTable<dim> &nodes)
                        {
                          EnergyBalance balance;
                          for (const auto &family : body.body->strain_kicks())
                            family->add_energy(nodes, balance);
                          return balance.strain + balance.hourglass;
                        }});
  recorders.push_back(std::make_unique<BodiesRecorder<dim>>(folder, recorded, opening));
  if (system.contact)
    recorders.push_back(
        std::make_unique<ContactRecorder<dim>>(folder, system.contact->pairs(), opening));
  if (parameters.output.vtu_every > 0)
    recorders.push_back(volume_recorder(folder));
  if (parameters.output.surface_every > 0)
    recorders.push_back(std::make_unique<SurfaceRecorder<dim>>(
        folder, system.dynamics.surface(), parameters.output.surface_every,
        [this]
        { return system.contact ? system.contact->states() : std::vector<ContactState>(); }));
  if (detection)
    detection->open(folder, opening);
}

template <int dim>
std::unique_ptr<Recorder<dim>>
Simulation<dim>::volume_recorder(const std::string &folder) const
{
  auto recorder = std::make_unique<VolumeRecorder<dim>>(folder, parameters.output.vtu_every);
  for (const auto &meshed : system.bodies)
  {
    Body<dim> &body = *meshed.body;
    VolumeBody<dim> fields;
    fields.dof_handler = &meshed.dof_handler;
    fields.mapping = meshed.mapping.get();
    fields.displacement = [&body](const NodeTable<dim> &nodes, Vector<double> &displacement)
    { body.get_displacement(nodes, displacement); };
    fields.velocity = [&body](const NodeTable<dim> &nodes, Vector<double> &velocity)
    { body.get_velocity(nodes, velocity); };
    fields.stress = [&body](const NodeTable<dim> &nodes, std::vector<SymmetricTensor<2, 3>> &stress)
    {
      for (unsigned int cell = 0; cell < stress.size(); ++cell)
      {
        const auto index = body.kick_of_cell(cell);
        const auto &kicks = *body.kicks()[index.family];
        stress[cell] = three_dimensional(kicks.mean_stress(nodes, index.kick), kicks.material());
        if (!body.nodal_kicks().empty())
          stress[cell] += nodal_stress(body, nodes, cell);
      }
    };
    fields.time_step = [this, &meshed](const NodeTable<dim> &, Vector<double> &step)
    {
      for (unsigned int cell = 0; cell < step.size(); ++cell)
        step[cell] = system.step_of_cell(meshed, cell);
    };
    recorder->add_body(fields);
  }
  return recorder;
}

template <int dim>
typename Summary::Profile
Simulation<dim>::profile() const
{
  typename Summary::Profile result;
  result.setup = wall_time.setup;
  result.output = wall_time.output;
  result.energy_checks = time_of_checks;
  for (const auto &[name, time] : system.stepper.kick_times())
  {
    const bool is_strain = name == "strain" || name == "nodal strain" || name == "none";
    (is_strain ? result.strain_kicks : result.other_kicks) += time.total - time.drift;
    result.drift += time.drift;
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
  for (const auto &[name, count] : system.stepper.kick_counts())
    result.kicks[name] = count;
  if (system.contact)
  {
    result.kicks["collision_tests"] = system.contact->statistics().tests;
    result.kicks["collisions"] = system.contact->statistics().collisions;
    result.more.set("lost_contactors", static_cast<double>(system.contact->statistics().lost));
    result.wall_time.contact = system.contact->wall_time();
    const CoupledStatistics &coupled = system.contact->statistics().coupled;
    if (coupled.factorisations > 0)
      result.more.set("coupled_contact",
                      JsonObject()
                          .set("factorisations", coupled.factorisations)
                          .set("constraints", coupled.constraints)
                          .set("redundant_constraints", coupled.redundant)
                          .set("largest_system", coupled.largest)
                          .set("rank_of_largest_system", coupled.rank_of_largest));
  }
  // What a synchronous run would have needed until now, over what was needed, contact zones
  // included.
  const double synchronous = system.stepper.levels().kick_rates().second * system.stepper.time();
  std::uint64_t kicks_with_clocks = strain_kicks();
  std::set<std::string> own_names;
  for (const auto &kicks : system.own_kicks)
    if (own_names.insert(kicks->name()).second && result.kicks.count(kicks->name()) > 0)
      kicks_with_clocks += result.kicks.at(kicks->name());
  if (kicks_with_clocks > 0)
    result.work_ratio = synchronous / kicks_with_clocks;
  result.wall_time.setup = wall_time.setup;
  result.wall_time.stepping = wall_time.stepping;
  result.wall_time.output = wall_time.output;
  result.wall_time.total = total_wall_time();
  result.profile = profile();
  result.profile.rest =
      result.wall_time.total - wall_time.setup - wall_time.stepping - wall_time.output;
  result.kicks_per_second = strain_kicks() / wall_time.stepping;
  result.bytes_per_cell = system.bytes_per_cell();
  result.energy_error_end = audit.error();
  result.energy_error_max = std::max(audit.max_error(), monitor.max_error());
  result.threads = parameters.stepping.stepper.threads;
  if (detection)
    detection->add_to(result);
  result.more.set("time", system.stepper.time());
  result.more.set("state_hash", state_hash(system.nodes));
  result.more.set("leased_cells", system.stepper.levels().n_promoted());
  result.more.set("class_changes", static_cast<double>(system.stepper.levels().n_class_changes()));
  return result;
}

template <int dim>
void
Simulation<dim>::write_summary_file(const std::string &status, const std::string &message) const
{
  Summary result = summary();
  result.more.set("status", status);
  if (!message.empty())
    result.more.set("message", message);
  write_summary(folder, result);
}

template <int dim>
void
Simulation<dim>::print_outcome() const
{
  const Summary result = summary();
  out << "Measured: " << strain_kicks() << " strain kicks, work ratio "
      << number_text(result.work_ratio) << ", " << number_text(result.kicks_per_second)
      << " kicks/s";
  if (system.contact)
    out << "; " << result.kicks.at("collision_tests") << " contact tests, "
        << result.kicks.at("collisions") << " collisions, largest penetration "
        << number_text(system.contact->statistics().max_penetration);
  if (system.contact && system.contact->statistics().lost > 0)
    out << "\nWarning: " << system.contact->statistics().lost
        << " surface points got so deep into a body or obstacle that they were not pushed out any "
           "more; try a smaller 'Stepping/Time step ratio' or finer meshes";
  if (detection)
    detection->print_outcome(out);
  out << "\nEnergy error " << number_text(audit.error()) << " at the end, largest "
      << number_text(result.energy_error_max) << "\nWall time "
      << duration_text(result.wall_time.total) << " (stepping "
      << duration_text(result.wall_time.stepping) << ", of which contact "
      << duration_text(result.wall_time.contact) << ")\n"
      << profile_text(result.profile) << "\n";
}

template class Simulation<2>;
template class Simulation<3>;
} // namespace KickDrift
