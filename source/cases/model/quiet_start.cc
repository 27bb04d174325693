#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/quiet_start.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <ostream>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
const MeshedBody<dim> &
body_of(const Model<dim> &model, const unsigned int node)
{
  unsigned int b = 0;
  while (node >= model.bodies[b].first_node() + model.bodies[b].n_nodes())
    ++b;
  return model.bodies[b];
}

/// What sets steps: the bodies, and other kicks than loads.
template <int dim>
std::vector<std::shared_ptr<Kicks<dim>>>
strain_kicks(const Model<dim> &model)
{
  auto result = model.own_kicks;
  for (const auto &body : model.bodies)
  {
    const auto kicks = body.strain_kicks();
    result.insert(result.end(), kicks.begin(), kicks.end());
  }
  return result;
}

/// Text for a kick of strain_kicks().
template <int dim>
std::string
kick_text(const Model<dim> &model, unsigned int family, const unsigned int kick)
{
  if (family < model.own_kicks.size())
    return "kick " + std::to_string(kick) + " of '" + model.own_kicks[family]->name() + "'";
  family -= model.own_kicks.size();
  auto body = model.bodies.begin();
  for (; family >= body->first_ids().size(); ++body)
    family -= body->first_ids().size();
  return model.cell_text(body->first_ids()[family] + kick);
}

/// What one body has in a state in which all nodes are at rest.
template <int dim>
EnergyBalance
energies_of(const MeshedBody<dim> &body, const NodeTable<dim> &nodes)
{
  EnergyBalance balance;
  for (const auto &kicks : body.strain_kicks())
    kicks->add_energy(nodes, balance);
  return balance;
}
} // namespace

template <int dim>
QuietStart
start_quietly(Model<dim> &model)
{
  QuietStart start;
  const double tolerance = model.parameters.stepping.quiet_start;
  if (tolerance == 0)
    return start;
  for (const auto &body : model.bodies)
  {
    AssertThrow(!body.is_rigid(),
                ExcMessage("'Stepping/Quiet start' does not go with rigid bodies: body '" +
                           body.name() + "' is rigid."));
    for (unsigned int f = 0; body.body && f < body.body->kicks().size(); ++f)
      AssertThrow(
          dynamic_cast<const JohnsonCook<dim> *>(&body.body->kicks()[f]->material()) == nullptr,
          ExcMessage("'Stepping/Quiet start' does not go with the material of body '" +
                     body.name() + "': whether it flows depends on how fast it is loaded."));
  }
  start.done = true;
  RelaxationParameters parameters;
  parameters.tolerance = tolerance;
  parameters.name = [&model](const unsigned int node)
  { return "body '" + body_of(model, node).name() + "'"; };
  parameters.name_of_kick = [&model](const unsigned int family, const unsigned int kick)
  { return kick_text(model, family, kick); };
  try
  {
    start.report = Relaxation<dim>(strain_kicks(model), model.loads, model.nodes, parameters).run();
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("'Stepping/Quiet start': " + message_of(exception)));
  }
  EnergyBalance balance;
  for (const auto &load : model.loads)
    load->add_energy(model.nodes, balance); // counted from the start of the search
  start.work_of_loads = balance.external_work;
  for (const auto &body : model.bodies)
  {
    const EnergyBalance of_body = energies_of(body, model.nodes);
    AssertThrow(of_body.plastic_work == 0,
                ExcMessage("'Stepping/Quiet start': body '" + body.name() +
                           "' flows plastically under its loads at time 0, and what it has gone "
                           "through on the way there is not known; apply the loads in the run, "
                           "with an amplitude."));
    start.strain_energy += of_body.strain + of_body.hourglass;
  }
  for (const auto &begin : model.begin_books)
    begin();
  return start;
}

template <int dim>
void
print_quiet_start(const Model<dim> &model, std::ostream &out)
{
  const QuietStart &start = model.quiet_start;
  if (!start.done)
    return;
  out << "Quiet start: equilibrium after " << start.report.n_iterations
      << " iterations, forces left " << number_text(start.report.residual)
      << ", largest displacement " << number_text(start.report.largest_displacement)
      << "; strain energy " << number_text(start.strain_energy) << ", work of loads "
      << number_text(start.work_of_loads) << "\n";
}

JsonObject
quiet_start_json(const QuietStart &start)
{
  return JsonObject()
      .set("iterations", start.report.n_iterations)
      .set("residual", start.report.residual)
      .set("largest_displacement", start.report.largest_displacement)
      .set("strain_energy", start.strain_energy)
      .set("work_of_loads", start.work_of_loads);
}

#define INSTANTIATE(dim)                                                                           \
  template QuietStart start_quietly(Model<dim> &);                                                 \
  template void print_quiet_start(const Model<dim> &, std::ostream &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
