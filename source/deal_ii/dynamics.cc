#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/partner_names.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/distributed/tria_base.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

namespace KickDrift
{
using namespace dealii;

template <int spacedim>
Dynamics<spacedim>::Dynamics(const StepperParameters &parameters, const Strain strain)
    : strain(strain),
      stepping(parameters),
      ranks(parameters.ranks),
      loop(table, parameters),
      warn([](const std::string &text) { std::cerr << "KickDrift: " << text << std::endl; })
{
}

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
          part.add_rigid_kicks(*rigid);
        else
          part.add_kicks(strain == Strain::on);
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
          part.add_kicks(strain == Strain::on);
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
        if (has_other_processes())
        {
          loop.find_critical_steps();
          checksum = checksum_of_model(check);
        }
      });
  if (has_other_processes())
    check_alike(checksum);
  do_or_tell([&] { begin(check); });
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
  add_loads();
}

template <int spacedim>
void
Dynamics<spacedim>::choose_overlap_rule(ContactParameters &parameters) const
{
  const bool has_records = parameters.response == Response::records && !faces.has_shells();
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
  if (check == OverlapCheck::at_start)
    check_initial_overlap();
  if (std::isfinite(energy_limit))
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
  if (!started)
    start();
  AssertThrow(is_ready, ExcNotReady());
  do_or_tell([&] { check_meshes(); });
  try
  {
    loop.advance_to(time);
  }
  catch (const StepperExceptions::ExcUndefinedForce &exception)
  {
    for (const unsigned int node : loop.supports().nodes_of_kick(exception.id))
      if (const auto body = name_of_body(node))
        throw ExcNotFinite(node, *body, exception.time);
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
Dynamics<spacedim>::energy() const
{
  EnergyBalance balance = loop.energy(state());
  if (contact_method)
    contact_method->add_energy(balance);
  return balance;
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
