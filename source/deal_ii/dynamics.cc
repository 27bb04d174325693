#include <kickdrift/base/at_work.h>
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/partner_names.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/distributed/tria_base.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// But for the rounding of multiples and sums, such as 3 * 0.1 and 0.3?
bool
is_same_time(const double a, const double b)
{
  return std::abs(a - b) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(b);
}
} // namespace

template <int spacedim>
Dynamics<spacedim>::Dynamics(const StepperParameters &parameters, const Strain strain)
    : strain(strain),
      stepping(parameters),
      ranks(parameters.ranks),
      loop(table, parameters),
      warn([](const std::string &text) { std::cerr << "KickDrift: " << text << std::endl; })
{
}

#ifdef DEAL_II_WITH_MPI
template <int spacedim>
Dynamics<spacedim>::Dynamics(const MPI_Comm communicator, const StepperParameters &parameters,
                             const Strain strain)
    : Dynamics(
          [&]
          {
            StepperParameters result = parameters;
            result.ranks = Ranks::of(communicator);
            return result;
          }(),
          strain)
{
}
#endif

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_body(const DoFHandler<spacedim> &dof_handler,
                             const Mapping<spacedim> &mapping,
                             std::shared_ptr<const Material<spacedim>> material,
                             const std::string &name)
{
  return add_body(
      dof_handler, mapping,
      typename Body<spacedim>::Materials{{numbers::invalid_material_id, std::move(material)}},
      name);
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_body(const DoFHandler<spacedim> &dof_handler,
                             const Mapping<spacedim> &mapping,
                             const typename Body<spacedim>::Materials &materials,
                             const std::string &given_name, const StrainIntegration integration,
                             const HourglassControl &hourglass)
{
  const std::string name =
      given_name.empty() ? "body " + std::to_string(n_bodies() + 1) : given_name;
  std::unique_ptr<MeshReplica<spacedim>> replica;
  // with one process, too, so that the bits are those of many
  if (dynamic_cast<const parallel::TriangulationBase<spacedim> *>(&dof_handler.get_triangulation()))
    replica = std::make_unique<MeshReplica<spacedim>>(dof_handler, mapping, name, ranks);
  auto body = std::make_unique<Body<spacedim>>(replica ? replica->dof_handler() : dof_handler,
                                               replica ? replica->mapping() : mapping, name,
                                               materials, integration, hourglass);
  return add(std::move(body), std::move(replica));
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_body(std::unique_ptr<Body<spacedim>> body)
{
  return add(std::move(body));
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add_rigid_body(std::unique_ptr<Body<spacedim>> body,
                                   const RigidParameters &parameters)
{
  return add(std::move(body), nullptr, parameters);
}

template <int spacedim>
DynamicBody<spacedim> &
Dynamics<spacedim>::add(std::unique_ptr<Body<spacedim>> body,
                        std::unique_ptr<MeshReplica<spacedim>> replica,
                        const std::optional<RigidParameters> &rigid)
{
  check_not_started("add_body()");
  AssertThrow(body, ExcNullBody());
  body->add_nodes(table);
  parts.emplace_back(*this, std::move(body), std::move(replica));
  unfinished.push_back(
      [this, &part = parts.back(), rigid]
      {
        for (const auto *master : part.body().masters())
          if (!master->has_nodes())
            return false;
        part.number = number_of_body[&part.body()] = faces.body_names.size();
        part.body().add_surface(faces, part.number);
        if (rigid)
          part.make_rigid(*rigid);
        kicks_to_make.push_back(
            [this, &part, rigid]
            {
              if (rigid)
                part.add_rigid_kicks(*rigid);
              else
                part.add_kicks(strain == Strain::on);
            });
        return true;
      });
  finish_bodies();
  return parts.back();
}

template <int spacedim>
void
Dynamics<spacedim>::finish_bodies()
{
  while (!unfinished.empty() && unfinished.front()())
    unfinished.pop_front();
}

template <int spacedim>
void
Dynamics<spacedim>::make_kicks() const
{
  // one by one: the next call begins with one that throws
  while (!kicks_to_make.empty())
  {
    kicks_to_make.front()();
    kicks_to_make.pop_front();
  }
}

template <int spacedim>
void
Dynamics<spacedim>::find_ties()
{
  const auto check_deforms = [this](const Body<spacedim> &body)
  {
    for (const auto &part : parts)
      AssertThrow(&part.body() != &body || !part.is_rigid(), ExcTieRigid(body.name()));
  };
  for (const auto &part : parts)
  {
    if (part.body().n_tied_nodes() > 0)
      check_deforms(part.body());
    for (const auto *master : part.body().masters())
    {
      AssertThrow(master->has_nodes(), ExcMasterMissing(part.body().name(), master->name()));
      const auto of_master = number_of_body.find(master);
      AssertThrow(of_master != number_of_body.end(),
                  ExcMasterMissing(part.body().name(), master->name()));
      const unsigned int a = number_of_body.at(&part.body()), b = of_master->second;
      if (a == b)
        continue;
      check_deforms(*master);
      faces.tied.insert({std::min(a, b), std::max(a, b)});
    }
  }
}

template <int spacedim>
DynamicBody<2, 3> &
Dynamics<spacedim>::add_shell(const DoFHandler<2, 3> &dof_handler, const Mapping<2, 3> &mapping,
                              const ShellSection &section, const Bending bending,
                              const std::string &name)
{
  return add_shell(std::make_unique<Shell>(
      dof_handler, mapping, name.empty() ? "body " + std::to_string(n_bodies() + 1) : name, section,
      bending));
}

template <int spacedim>
DynamicBody<2, 3> &
Dynamics<spacedim>::add_shell(std::unique_ptr<Shell> shell)
{
  check_not_started("add_shell()");
  AssertThrow(shell, ExcNullBody());
  AssertThrow(spacedim == 3, ExcShellInPlane());
  if constexpr (spacedim == 3)
  {
    shell->add_nodes(table);
    shell_parts.emplace_back(*this, std::move(shell));
    unfinished.push_back(
        [this, &part = shell_parts.back()]
        {
          part.number = faces.body_names.size();
          part.body().add_surface(faces, part.number);
          kicks_to_make.push_back([this, &part] { part.add_kicks(strain == Strain::on); });
          return true;
        });
    finish_bodies();
  }
  return shell_parts.back();
}

template <int spacedim>
void
Dynamics<spacedim>::enable_contact(const ContactParameters &parameters,
                                   std::vector<Obstacle<spacedim>> new_obstacles)
{
  check_not_started("enable_contact()");
  AssertThrow(!has_contact_been_set, ExcContactTwice());
  check_shapes(new_obstacles);
  check_parameters(parameters);
  has_contact_been_set = true;
  if (!parameters.enabled)
    return;
  contact_parameters = parameters;
  obstacles = std::move(new_obstacles);
  for (auto &obstacle : obstacles)
    if (obstacle.displacement)
      obstacle.displacement = [this, displacement = obstacle.displacement](const double time)
      { return displacement(start_time + time); };
}

template <int spacedim>
void
Dynamics<spacedim>::stop_at_energy_error(const double limit)
{
  check_not_started("stop_at_energy_error()");
  AssertThrow(limit > 0, ExcEnergyLimit(limit));
  energy_limit = limit;
}

template <int spacedim>
void
Dynamics<spacedim>::start(const OverlapCheck check)
{
  check_not_started("start()");
  std::uint64_t checksum = 0;
  do_on_all(
      [&]
      {
        check_set_up();
        started = true;
        loop.find_critical_steps();
        for (auto &part : parts)
          part.add_nodal_forces();
        if constexpr (spacedim == 3)
          for (auto &part : shell_parts)
            part.add_nodal_forces();
        fingerprint_at_start = fingerprint_of_set_up();
        if (has_other_processes())
          checksum = checksum_of_model(check);
      });
  if (has_other_processes())
    check_alike(checksum);
  do_or_tell([&] { begin(check); });
  call_observers(time());
}

template <int spacedim>
void
Dynamics<spacedim>::check_set_up()
{
  AssertThrow(!parts.empty() || !shell_parts.empty(), ExcNoBody());
  find_ties();
  check_ties();
  if (contact_parameters && contact_parameters->response == Response::automatic)
    contact_parameters->response =
        unknown_to_records(*contact_parameters).empty() ? Response::records : Response::reflect;
  find_eroding();
  if (contact_parameters)
    choose_overlap_rule(*contact_parameters);
  check_meshes();
  make_kicks();
  add_loads();
  set_observers(balance_before.has_value());
}

template <int spacedim>
void
Dynamics<spacedim>::choose_overlap_rule(ContactParameters &parameters) const
{
  const bool has_records = parameters.response == Response::records && !faces.has_shells();
  if (balance_before) // what touches goes on touching, also where other surfaces overlap a little
    parameters.initial_overlap = has_records ? OverlapRule::resolve : OverlapRule::refuse;
  if (parameters.initial_overlap == OverlapRule::allow)
    parameters.initial_overlap = has_records ? OverlapRule::resolve : OverlapRule::ignore;
  const std::string unknown =
      faces.has_shells() ? "overlap of shells" : unknown_to_records(parameters);
  AssertThrow(parameters.initial_overlap != OverlapRule::resolve || has_records,
              ContactExceptions::ExcNoResolve(
                  unknown.empty() ? "" : ", which does not know " + unknown + " yet"));
}

template <int spacedim>
void
Dynamics<spacedim>::begin(const OverlapCheck check)
{
  if (contact_parameters)
    contact_method =
        make_contact_method(table, loop, faces, *contact_parameters, obstacles, eroding_in_contact);
  loop.start();
  if (has_other_processes())
    check_motions_alike();
  if (contact_method)
    contact_method->start();
  // what overlaps on other meshes than before has to go on
  if (check == OverlapCheck::at_start && !balance_before)
    check_initial_overlap();
  if (contact_method)
    contact_method->set_stored_energies(stored_before);
  carry_energy();
  find_wholes();
  check_energy();
  if (has_other_processes())
    ranks->agree();
  is_ready = true;
}

template <int spacedim>
void
Dynamics<spacedim>::find_eroding()
{
  std::vector<ErodingBody<spacedim>> bodies;
  for (const auto &part : parts)
    if (part.body().failure_strain() > 0 && part.body().n_followers() == 0)
      bodies.push_back(part.body().eroding_body(number_of_body.at(&part.body())));
  if (!bodies.empty())
    eroding = std::make_unique<ErodingSurface<spacedim>>(std::move(bodies));
  const bool any = std::any_of(parts.begin(), parts.end(),
                               [](const auto &part) { return part.body().failure_strain() > 0; });
  if (!contact_parameters || !any)
    return;
  Surface<spacedim> surface = faces;
  const auto names = partner_names(surface, obstacles);
  const Exclusions exclusions(contact_parameters->exclude, names, surface,
                              contact_parameters->group_of_body);
  const Response response = contact_parameters->response;
  const std::string unknown = unknown_to_records(*contact_parameters);
  const std::string obstacle = response == Response::layers    ? "with 'Contact/Response' = layers"
                               : !unknown.empty()              ? "with " + unknown
                               : response == Response::reflect ? "with 'Contact/Response' = reflect"
                               : !shell_parts.empty()          ? "while there are shells"
                               : !faces.tied.empty()           ? "while bodies are tied"
                                                               : "";
  std::vector<ErodingBody<spacedim>> in_contact;
  for (const auto &part : parts)
    if (part.body().failure_strain() > 0)
    {
      const unsigned int number = number_of_body.at(&part.body());
      std::string missing; // in 'Exclude'
      for (unsigned int other = 0; other < names.size(); ++other)
        if (!exclusions.excluded(number, other))
          missing += (missing.empty() ? "" : ", ") + part.body().name() + ":" + names[other];
      if (missing.empty())
        continue;
      AssertThrow(obstacle.empty(), ExcDeletionInContact(part.body().name(), obstacle, missing));
      in_contact.push_back(part.body().eroding_body(number));
    }
  if (!in_contact.empty())
    eroding_in_contact = std::make_shared<ErodingSurface<spacedim>>(std::move(in_contact));
}

template <int spacedim>
ContactStatistics<spacedim>
Dynamics<spacedim>::contact_statistics() const
{
  return contact_method ? contact_method->synchronised_statistics() : ContactStatistics<spacedim>();
}

template <int spacedim>
ContactPairs<spacedim>
Dynamics<spacedim>::contact_pairs() const
{
  AssertThrow(contact_method, ExcNoContact("Dynamics::contact_pairs()"));
  return contact_method->synchronised_pairs();
}

template <int spacedim>
void
Dynamics<spacedim>::advance_to(const double time)
{
  AssertThrow(!is_observed, ExcCalledByObserver());
  if (!started)
    start();
  AssertThrow(is_ready, ExcNotReady());
  if (std::isfinite(time))
    call_observers(time);
  advance_loop(time);
}

template <int spacedim>
void
Dynamics<spacedim>::call_observers(const double until)
{
  for (;;)
  {
    double next = std::numeric_limits<double>::infinity();
    for (const Observer &observer : observers)
      next = std::min(next, observer.next_time());
    if (is_same_time(next, until))
      next = until;
    if (!(next <= until))
      return;
    if (next > time())
      advance_loop(next);
    for (Observer &observer : observers)
      if (is_same_time(observer.next_time(), next))
      {
        ++observer.next;
        const AtWork work(is_observed);
        do_or_tell([&] { observer.look(next); });
      }
  }
}

template <int spacedim>
void
Dynamics<spacedim>::call_every(const double interval, std::function<void(double)> observer)
{
  check_not_started("call_every()");
  AssertThrow(interval > 0 && std::isfinite(interval) && observer, ExcInterval(interval));
  observers.push_back({interval, std::move(observer), 0});
}

template <int spacedim>
void
Dynamics<spacedim>::advance_loop(const double time)
{
  do_or_tell([&] { check_meshes(); });
  AssertThrow(!(time < this->time()), StepperExceptions::ExcTargetTime(time, this->time()));
  has_advanced = true;
  synchronised.reset();
  try
  {
    loop.advance_to(time - start_time);
    reached = time;
    reached_by_loop = loop.time();
  }
  catch (const StepperExceptions::ExcUndefinedForce &exception)
  {
    for (const unsigned int node : loop.supports().nodes_of_kick(exception.id))
      if (const auto body = name_of_body(node))
        throw ExcNotFinite(node, *body, start_time + exception.time);
    throw;
  }
  check_finite();
  check_energy();
  do_or_tell([&] { warn_of_large_strains(); });
}

template <int spacedim>
const NodeTable<spacedim> &
Dynamics<spacedim>::state() const
{
  if (!started)
    return table;
  if (!synchronised || time_of_synchronised != loop.time())
  {
    synchronised = loop.snapshot(loop.time());
    time_of_synchronised = loop.time();
  }
  return *synchronised;
}

template <int spacedim>
EnergyBalance
Dynamics<spacedim>::energy(FamilyEnergies<spacedim> *const of_families) const
{
  make_kicks();
  EnergyBalance balance = loop.energy(state(), of_families);
  if (contact_method)
    contact_method->add_energy(balance);
  balance += carried;
  return balance;
}

template <int spacedim>
void
Dynamics<spacedim>::carry_energy()
{
  if (!balance_before)
  {
    audited_since = time();
    return;
  }
  const EnergyBalance now = energy();
  carried.external_work = balance_before->external_work - now.external_work;
  carried.prescribed_work = balance_before->prescribed_work - now.prescribed_work;
  carried.restitution_loss = balance_before->restitution_loss - now.restitution_loss;
  carried.friction_loss = balance_before->friction_loss - now.friction_loss;
  carried.damping_loss = balance_before->damping_loss - now.damping_loss;
  carried.viscous_loss = balance_before->viscous_loss - now.viscous_loss;
  carried.dashpot_loss = balance_before->dashpot_loss - now.dashpot_loss;
  carried.eroded_energy = balance_before->eroded_energy - now.eroded_energy;
  carried.transfer_loss = balance_before->total() - now.total() - carried.total();
  balance_before.reset();
}

template <int spacedim>
void
Dynamics<spacedim>::set_start_time(const double time)
{
  check_not_started("set_start_time()");
  AssertThrow(std::isfinite(time), ExcStartTime(time));
  start_time = reached = time;
}

template <int spacedim>
void
Dynamics<spacedim>::set_observers(const bool after)
{
  for (Observer &observer : observers)
  {
    observer.next = std::llround(std::floor(time() / observer.interval));
    while (is_same_time(observer.next_time(), time()) ? after : observer.next_time() < time())
      ++observer.next;
  }
}

template <int spacedim>
void
Dynamics<spacedim>::check_not_started(const std::string &what) const
{
  AssertThrow(!started, ExcTooLate(what));
}

template class Dynamics<2>;
template class Dynamics<3>;
} // namespace KickDrift
