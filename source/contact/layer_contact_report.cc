// SPDX-License-Identifier: LGPL-2.1-or-later
// What penalty layers are about to do, and have done, in words.

#include <kickdrift/base/messages.h>
#include <kickdrift/contact/layer_contact.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
void
LayerContact<spacedim>::print_plan(std::ostream &out) const
{
  const auto [slowest, fastest] = stopped_speeds();
  const double speed = largest_approach_speed();
  double of_shells = 0;
  for (unsigned int body = 0; body < contact_surface.body_names.size(); ++body)
    if (contact_surface.thickness(body) > 0)
      of_shells = std::max(of_shells, thickness(body, body));
  out << "Penalty layers begin at a distance of 2 eta = " << number_text(2 * eta)
      << (of_shells > 2 * eta ? ", where thick shells touch, at up to " + number_text(of_shells)
                              : "")
      << "; the first stops speeds of v_1 = " << number_text(slowest, 3)
      << (fastest > slowest
              ? " (at the coarsest cells) to " + number_text(fastest, 3) + " (at the finest)"
              : "")
      << ", surfaces approach with at most " << number_text(speed, 3) << "\n";
  if (!near.empty())
    out << "Note: " << near.size()
        << " pairs of nodes and faces, or of edges, are nearer than that from the start and have "
           "thinner layers, the first "
        << number_text(near.front().distance) << " apart: " << text(near.front().primitives)
        << "\n";
  if (n_held > 0)
    out << "Note: " << n_held
        << " pairs near each other have only nodes that are held; nothing keeps them apart\n";
  if (parameters.layers.thickness == 0 && parameters.layers.stiffness == 0)
    out << "Layers of bodies that come near each other more slowly are thinner, and so stiffer; "
           "they begin at the same distance\n";
  constexpr double reserve = 1.25;
  if (fastest < reserve * speed)
    out << "Warning: the first layer stops less than " << reserve
        << " times the speed of approach: nothing passes, but deeper layers make errors of energy "
           "of some per cent. A larger 'Contact/Layers/Thickness' helps.\n";
  else if (slowest < reserve * speed)
    out << "Note: where cells are coarsest the first layer stops less than " << reserve
        << " times the speed of approach. If they meet with it, a larger "
           "'Contact/Layers/Thickness' keeps errors of energy small.\n";
  if (parameters.friction > 0)
    out << "Note: friction of layers brakes but does not hold: what should stick creeps. "
           "'Contact/Response' = records holds.\n";
}

template <int spacedim>
void
LayerContact<spacedim>::print_near(std::ostream &out, const unsigned int most) const
{
  out << "Pairs that start too near for penalty layers: " << near.size() << "\n";
  for (unsigned int i = 0; i < std::min<std::size_t>(most, near.size()); ++i)
    out << "  " << number_text(near[i].distance) << "  " << text(near[i].primitives) << "\n";
}

template <int spacedim>
void
LayerContact<spacedim>::print_outcome(std::ostream &out) const
{
  const LayerStatistics &layers = layer_statistics();
  out << statistics().tests << " contact tests, " << statistics().collisions
      << " kicks of layers in " << layers.contacts << " contacts";
  if (layers.contacts > 0)
    out << ", closest distance " << number_text(layers.closest)
        << " of where layers begin, deepest level " << layers.deepest;
}

template <int spacedim>
ContactFigures
LayerContact<spacedim>::figures() const
{
  const LayerStatistics &layers = layer_statistics();
  return {"layers",
          {{"thickness", thickness()},
           {"contacts", static_cast<double>(layers.contacts)},
           {"closest", layers.closest},
           {"deepest_level", static_cast<double>(layers.deepest)},
           {"searches", static_cast<double>(layers.searches)}}};
}

template void LayerContact<2>::print_plan(std::ostream &) const;
template void LayerContact<3>::print_plan(std::ostream &) const;
template void LayerContact<2>::print_near(std::ostream &, unsigned int) const;
template void LayerContact<3>::print_near(std::ostream &, unsigned int) const;
template void LayerContact<2>::print_outcome(std::ostream &) const;
template void LayerContact<3>::print_outcome(std::ostream &) const;
template ContactFigures LayerContact<2>::figures() const;
template ContactFigures LayerContact<3>::figures() const;
} // namespace KickDrift
