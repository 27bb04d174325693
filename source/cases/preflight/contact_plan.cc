#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/contact_blind_spots.h>
#include <kickdrift/cases/preflight/contact_plan.h>
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/layer_contact.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace KickDrift
{
namespace
{
/// Where layers of thick shells begin.
template <int dim>
std::string
text_of_shells(const Model<dim> &model)
{
  double largest = 0;
  for (unsigned int body = 0; body < model.bodies.size(); ++body)
    if (model.bodies[body].shell)
      largest = std::max(largest, model.layers->thickness(body, body));
  return largest > 2 * model.layers->thickness()
             ? ", where thick shells touch, at up to " + number_text(largest)
             : "";
}

/// How thick layers are, and which speeds they stop.
template <int dim>
void
print_layers(const Model<dim> &model, std::ostream &out)
{
  if (!model.layers)
    return;
  const auto [slowest, fastest] = model.layers->stopped_speeds();
  const double speed = model.layers->largest_approach_speed();
  out << "Penalty layers begin at a distance of 2 eta = "
      << number_text(2 * model.layers->thickness()) << text_of_shells(model)
      << "; the first stops speeds of v_1 = " << number_text(slowest, 3)
      << (fastest > slowest
              ? " (at the coarsest cells) to " + number_text(fastest, 3) + " (at the finest)"
              : "")
      << ", surfaces approach with at most " << number_text(speed, 3) << "\n";
  if (!model.layers->near_pairs().empty())
    out << "Note: " << model.layers->near_pairs().size()
        << " pairs of nodes and faces, or of edges, are nearer than that from the start and have "
           "thinner layers, the first "
        << number_text(model.layers->near_pairs().front().distance)
        << " apart: " << model.layers->text(model.layers->near_pairs().front().primitives) << "\n";
  if (model.layers->n_held_pairs() > 0)
    out << "Note: " << model.layers->n_held_pairs()
        << " pairs near each other have only nodes that are held; nothing keeps them apart\n";
  if (model.parameters.contact.layers.thickness == 0 &&
      model.parameters.contact.layers.stiffness == 0)
    out << "Layers of bodies that come near each other more slowly are thinner, and so stiffer; "
           "they "
           "begin at the same distance\n";
  constexpr double reserve = 1.25;
  if (fastest < reserve * speed)
    out << "Warning: the first layer stops less than " << reserve
        << " times the speed of approach: nothing passes, but deeper layers make errors of energy "
           "of some per cent. A larger 'Contact/Layers/Thickness' helps.\n";
  else if (slowest < reserve * speed)
    out << "Note: where cells are coarsest the first layer stops less than " << reserve
        << " times the speed of approach. If they meet with it, a larger "
           "'Contact/Layers/Thickness' "
           "keeps errors of energy small.\n";
  if (model.parameters.contact.friction > 0)
    out << "Note: friction of layers brakes but does not hold: what should stick creeps. "
           "'Contact/Response' = look ahead holds.\n";
}

/// Which nodes have lent their masses, and what is left to impulses.
template <int dim>
void
print_massless_contact(const Model<dim> &model, std::ostream &out)
{
  if (model.parameters.contact.enabled && model.parameters.contact.response == Response::massless)
  {
    const auto &massless = model.dynamics.massless_contact();
    unsigned int n_nodes = 0, n_zones = 0;
    if (massless.zones)
      for (const auto &zone : massless.zones->zones())
        if (zone)
        {
          n_nodes += zone->n_massless();
          ++n_zones;
        }
    out << "Massless contact: " << n_nodes << " nodes have lent their masses, in " << n_zones
        << " zones; impulses answer all other contacts\n";
    for (const std::string &sentence : massless.left_to_impulses)
      out << "Note: " << sentence << "\n";
  }
}
} // namespace

template <int dim>
void
print_contact_plan(const Model<dim> &model, std::ostream &out)
{
  const ContactParameters &contact = model.parameters.contact;
  if (contact.enabled && contact.response == Response::automatic &&
      model.dynamics.contact_response() == Response::look_ahead)
    out << "Note: 'Contact/Response' is 'look ahead' here, since 'records' does not know "
        << unknown_to_records(model.dynamics.present_surface(), contact) << " yet.\n";
  print_massless_contact(model, out);
  print_layers(model, out);
  for (const std::string &sentence : contact_blind_spots(model))
    out << "Warning: " << sentence << "\n";
}

template void print_contact_plan(const Model<2> &, std::ostream &);
template void print_contact_plan(const Model<3> &, std::ostream &);
} // namespace KickDrift
