// What Dynamics checks before the first kick and while the run goes on.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/large_strain.h>
#include <kickdrift/potentials/instruction_set.h>
#include <kickdrift/stepping/kicks/node_owners.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
using namespace dealii;

namespace
{
// What processes must have in common goes into archives, which are compared. Structures are taken
// apart where that is possible, so that what is added to them is not forgotten here.

/// A function of time counts by whether there is one, and what it is at some @p times.
template <typename Function>
void
put_function(Archive &archive, const Function &function, const std::vector<double> &times)
{
  bool is_there = static_cast<bool>(function);
  archive(is_there);
  for (const double time : times)
    if (is_there)
    {
      auto value = function(time);
      archive(value);
    }
}

void
put(Archive &archive, const std::vector<ValueOfPair> &pairs)
{
  std::size_t n = pairs.size();
  archive(n);
  for (auto [first, second, value] : pairs)
    archive(first, second, value);
}

/// All but the threads, on which the bits of a run do not depend, and the processes.
void
put(Archive &archive, const StepperParameters &parameters)
{
  auto [clocks, phase, time_step_ratio, time_step, mass_for_steps, stability_rule, class_boundary,
        spare_classes, threads, ranks, owners] = parameters;
  archive(clocks, phase, time_step_ratio, time_step, mass_for_steps, stability_rule, class_boundary,
          spare_classes);
  unsigned int n_owners = owners ? owners->size() : 0;
  archive(n_owners);
  for (unsigned int node = 0; node < n_owners; ++node)
  {
    unsigned int owner = (*owners)(node);
    archive(owner);
  }
}

void
put(Archive &archive, const ResponseParameters &parameters, const std::vector<double> &times)
{
  auto [response, solver, projection, restitution, friction, restitution_of_pairs,
        friction_of_pairs, group_of_body, damping] = parameters;
  std::vector<std::pair<std::string, std::string>> groups(group_of_body.begin(),
                                                          group_of_body.end());
  std::size_t n_dampings = damping.size();
  archive(response, solver, projection, restitution, friction, groups, n_dampings);
  put(archive, restitution_of_pairs);
  put(archive, friction_of_pairs);
  for (const auto &rate : damping)
    put_function(archive, rate, times);
}

/// All of them.
void
put_contact(Archive &archive, ContactParameters parameters, const std::vector<double> &times)
{
  put(archive, parameters, times);
  archive(parameters.enabled, parameters.schedule, parameters.step_factor, parameters.maximum_step,
          parameters.zone_layers, parameters.edges, parameters.feature_angle,
          parameters.points_per_face, parameters.initial_overlap, parameters.overlap_time,
          parameters.exclude);
  auto &[thickness, ratio, stiffness, shape, depth] = parameters.layers;
  archive(thickness, ratio, stiffness, shape, depth);
}

/// Its shape counts by the distances of some of the @p nodes.
template <int spacedim>
void
put(Archive &archive, Obstacle<spacedim> obstacle, const NodeTable<spacedim> &nodes,
    const std::vector<double> &times)
{
  auto &[name, shape, displacement, largest_acceleration] = obstacle;
  Convexity convexity = shape->convexity();
  double depth_limit = shape->depth_limit(), acceleration = largest_acceleration.value_or(-1.);
  archive(name, convexity, depth_limit, acceleration);
  put_function(archive, displacement, times);
  const std::size_t n_samples = std::min(64u, nodes.size());
  for (std::size_t i = 0; i < n_samples; ++i)
  {
    double distance = shape->distance(nodes.position(i * nodes.size() / n_samples));
    archive(distance);
  }
}
} // namespace

template <int spacedim>
void
Dynamics<spacedim>::check_ties() const
{
  for (const auto &hold : holds)
    for (const HeldFollower &follower : hold())
      for (const Parent &parent : follower.parents)
        AssertThrow(table.restraints.is_restrained_along(parent.node, follower.direction),
                    ExcTiedNodeHeld("'restrain()", follower.body, point_text(follower.reference)));
}

template <int spacedim>
void
Dynamics<spacedim>::check_meshes() const
{
  for (const auto &part : parts)
    part.check_mesh();
  for (const auto &part : shell_parts)
    part.check_mesh();
}

/// That to which a node belongs, if there is one.
template <int spacedim>
std::optional<std::string>
Dynamics<spacedim>::name_of_body(const unsigned int node) const
{
  std::optional<std::string> name;
  const auto look = [&](const auto &body)
  {
    if (node >= body.first_node() && node < body.first_node() + body.n_nodes())
      name = body.name();
  };
  for (const auto &part : parts)
    look(part.body());
  for (const auto &part : shell_parts)
    look(part.body());
  return name;
}

template <int spacedim>
std::optional<unsigned int>
Dynamics<spacedim>::find_not_finite() const
{
  for (unsigned int node = 0; node < table.size(); ++node)
    if (!std::isfinite(table.velocity(node).norm_square()) ||
        !std::isfinite(table.displacement(node).norm_square()))
      return node;
  return {};
}

template <int spacedim>
void
Dynamics<spacedim>::check_finite() const
{
  if (const auto node = find_not_finite())
    throw ExcNotFinite(*node, name_of_body(*node).value_or("none"), time());
}

template <int spacedim>
void
Dynamics<spacedim>::find_wholes()
{
  const TimeLevels &levels = loop.levels();
  double sum = 0;
  unsigned int n = 0;
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
    if (const double step = levels.critical_step(id); std::isfinite(step))
    {
      sum += step;
      ++n;
      largest_step = std::max(largest_step, step);
    }
  if (n == 0 || !std::isfinite(energy_limit))
    return;
  const auto add = [&](const auto &body, const unsigned int dimension)
  {
    wholes.push_back(body_as_whole(table, body.first_node(), body.n_nodes(),
                                   body.dof_handler().get_triangulation().n_active_cells(),
                                   dimension, sum / n));
  };
  for (const auto &part : parts)
    add(part.body(), spacedim);
  for (const auto &part : shell_parts)
    add(part.body(), 2);
  std::sort(wholes.begin(), wholes.end(),
            [](const auto &a, const auto &b) { return a.first_node < b.first_node; });
}

template <int spacedim>
void
Dynamics<spacedim>::check_energy()
{
  if (!std::isfinite(energy_limit))
    return;
  // what all processes know alike: they have to come to the same conclusion
  const NodeTable<spacedim> &now = state();
  double of_motions = 0;
  for (const unsigned int node : table.restraints.nodes())
    of_motions += 0.5 * now.mass(node) * now.velocity(node).norm_square();
  audit_energy(energy(), of_motions + energy_of_loads(now, loads, wholes, loop.time()));
  check_energy_error(energy_limit);
}

template <int spacedim>
void
Dynamics<spacedim>::audit_energy(const EnergyBalance &now, const double least)
{
  audit.update(now,
               std::max(least, round_off_energy(state(), loop.levels().smallest_critical_step())));
}

template <int spacedim>
void
Dynamics<spacedim>::check_energy_error(const double limit) const
{
  const double error = audit.error();
  AssertThrow(std::abs(error) <= limit || !audit.is_telling(time() - audited_since, largest_step),
              ExcEnergyError(error, time(), limit));
}

template <int spacedim>
std::uint64_t
Dynamics<spacedim>::fingerprint() const
{
  Archive archive;
  std::uint64_t of_set_up = fingerprint_of_set_up();
  archive(of_set_up);
  for (unsigned int node = 0; node < table.size(); ++node)
  {
    auto state = table[node];
    archive(state);
  }
  return checksum(archive.bytes());
}

template <int spacedim>
std::uint64_t
Dynamics<spacedim>::fingerprint_of_set_up() const
{
  Archive archive;
  auto [clocks, phase, time_step_ratio, time_step, mass_for_steps, stability_rule, class_boundary,
        spare_classes, threads, processes, owners] = stepping;
  (void)threads, (void)processes, (void)owners;
  archive(clocks, phase, time_step_ratio, time_step, mass_for_steps, stability_rule, class_boundary,
          spare_classes);
  for (unsigned int node = 0; node < table.size(); ++node)
  {
    auto reference = table.reference(node);
    double mass = table.mass(node);
    archive(reference, mass);
  }
  for (const unsigned int node : table.restraints.nodes())
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      auto free_part = table.restraints.project(node, Point<spacedim>::unit_vector(d));
      archive(free_part);
    }
  for (unsigned int id = 0; id < loop.levels().n_kicks(); ++id)
  {
    auto support = loop.supports().nodes_of_kick(id);
    double step = loop.levels().critical_step(id);
    archive(support, step);
  }
  for (const auto &face : faces.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      auto node = face.nodes[i];
      archive(node);
    }
  return checksum(archive.bytes());
}

template <int spacedim>
bool
Dynamics<spacedim>::has_other_processes() const
{
  return ranks && ranks->size() > 1;
}

template <int spacedim>
void
Dynamics<spacedim>::do_on_all(const std::function<void()> &work) const
{
  if (!has_other_processes())
    return work();
  try
  {
    with_std_exceptions(work);
  }
  catch (const std::exception &exception)
  {
    if (ranks->any(false)) // are there others without an exception?
      ranks->fail(exception);
    throw;
  }
  ranks->any(true);
  ranks->agree();
}

template <int spacedim>
void
Dynamics<spacedim>::do_or_tell(const std::function<void()> &work) const
{
  if (!has_other_processes())
    return work();
  try
  {
    with_std_exceptions(work);
  }
  catch (const ExcModelsDiffer &)
  {
    throw; // by all
  }
  catch (const std::exception &exception)
  {
    ranks->fail(exception);
    throw;
  }
}

/**
 * Of what processes must have in common, after Stepper::find_critical_steps(). Functions of time
 * count by what they are at the start and a critical step later, and prescribed motions in
 * check_motions_alike(). Left out are forces, since not all can be asked before Stepper::start(),
 * and none on all processes after it: loads, damping, and laws of materials but for their densities
 * and what critical steps say of them.
 */
template <int spacedim>
std::uint64_t
Dynamics<spacedim>::checksum_of_model(const OverlapCheck check) const
{
  std::vector<double> times = {0.};
  const double step = loop.levels().n_kicks() > 0 ? loop.levels().smallest_critical_step() : 0.;
  if (std::isfinite(step))
    times.push_back(step);
  Archive archive;
  std::uint64_t of_nodes_and_kicks = fingerprint();
  bool is_strained = strain == Strain::on, checks_overlap = check == OverlapCheck::at_start,
       has_contact = contact_parameters.has_value();
  double limit = energy_limit, begin = start_time;
  archive(of_nodes_and_kicks, is_strained, checks_overlap, has_contact, limit, begin);
  put(archive, stepping);
  for (const auto &part : parts)
  {
    std::string name = part.body().name();
    double failure_strain = part.body().failure_strain();
    archive(name, failure_strain);
  }
  for (const auto &part : shell_parts)
  {
    std::string name = part.body().name();
    archive(name);
  }
  if (has_contact)
    put_contact(archive, *contact_parameters, times);
  for (const auto &obstacle : obstacles)
    put(archive, obstacle, table, times);
  return checksum(archive.bytes());
}

template <int spacedim>
void
Dynamics<spacedim>::check_alike(const std::uint64_t own_checksum) const
{
  AssertThrow(ranks->all_equal(instruction_set()), ExcInstructionSets());
  AssertThrow(ranks->all_equal(std::to_string(own_checksum)), ExcModelsDiffer());
}

template <int spacedim>
void
Dynamics<spacedim>::check_motions_alike() const
{
  Archive archive;
  for (const unsigned int node : table.restraints.nodes())
  {
    auto velocity = table.velocity(node);
    archive(velocity);
  }
  AssertThrow(ranks->all_equal(std::to_string(checksum(archive.bytes()))), ExcModelsDiffer());
}

template <int spacedim>
InitialOverlap<spacedim>
Dynamics<spacedim>::initial_overlap()
{
  if (!contact_method)
    return {};
  return find_initial_overlap(table, faces, obstacles, loop.time(), *contact_parameters,
                              *contact_method);
}

template <int spacedim>
void
Dynamics<spacedim>::check_initial_overlap()
{
  if (contact_method)
    KickDrift::check_initial_overlap(table, faces, obstacles, loop.time(), *contact_parameters,
                                     *contact_method);
}

template <int spacedim>
void
Dynamics<spacedim>::warn_of_large_strains()
{
  // each process knows all nodes, and the first one all cells
  if (!warn || strain == Strain::off || loop.time() < next_look || (ranks && !ranks->is_first()))
    return;
  bool any = false;
  for (auto &part : parts)
  {
    if (part.is_rigid() || !part.body().has_linear_material())
      continue;
    any = true;
    const auto found = find_large_strain(part.body(), table, loop.time());
    if (!found)
      continue;
    const auto &cell = part.body().cell(found->active_cell_index);
    warn("Warning: at time " + number_text(time()) + " the cell of body '" + part.body().name() +
         "' at " + point_text(cell->center()) + found->text() + "; NeoHookean has no such limit.");
    warn = nullptr;
    return;
  }
  if (!any)
  {
    warn = nullptr;
    return;
  }
  // a look takes about as long as a kick of every cell, and is to cost little beside them
  constexpr double steps_between_looks = 50;
  double rate = 0;
  for (unsigned int id = 0; id < loop.levels().n_kicks(); ++id)
    rate += 1 / loop.levels().step(id);
  next_look = loop.time() + steps_between_looks * loop.levels().n_kicks() / rate;
}

template class Dynamics<2>;
template class Dynamics<3>;
} // namespace KickDrift
