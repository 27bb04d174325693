#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/response/contact_zones.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
ContactZones<spacedim>::ContactZones(Stepper<spacedim> &stepper) : stepper(stepper)
{
}

template <int spacedim>
void
ContactZones<spacedim>::start(const std::vector<unsigned int> &on_surface, const unsigned int nodes)
{
  surface_nodes = on_surface;
  n_nodes = nodes;
  beside_until.assign(n_nodes, -std::numeric_limits<double>::infinity());
  beside_classes.assign(n_nodes, 0);
  update_classes();
}

template <int spacedim>
void
ContactZones<spacedim>::classes_changed()
{
  // cells beside zones may need shorter steps than those that were asked for
  std::fill(beside_until.begin(), beside_until.end(), -std::numeric_limits<double>::infinity());
  update_classes();
}

template <int spacedim>
void
ContactZones<spacedim>::update_classes()
{
  const TimeLevels &levels = stepper.levels();
  const auto &natural = levels.classes();
  natural_classes.assign(n_nodes, {natural.n_classes - 1, 0, natural.n_classes - 1, 0});
  constexpr unsigned int unknown = -1;
  std::vector<unsigned int> beside_kick(levels.n_kicks(), unknown); // coarsest of its neighbours
  const auto coarsest_beside = [&](const unsigned int id)
  {
    if (beside_kick[id] == unknown)
    {
      beside_kick[id] = 0;
      for (const unsigned int neighbour : stepper.supports().neighbours_of_kick(id))
        beside_kick[id] = std::max(beside_kick[id], natural.of_kick[neighbour]);
    }
    return beside_kick[id];
  };
  for (const unsigned int node : surface_nodes)
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
    {
      NaturalClasses &classes = natural_classes[node];
      classes.finest = std::min(classes.finest, natural.of_kick[id]);
      // a kick that is still to follow its natural class ends its interval with its present one
      classes.coarsest =
          std::max({classes.coarsest, natural.of_kick[id], levels.clock_of_kick(id)});
      classes.beside = std::min(classes.beside, levels.coarsest_class_beside(id));
      classes.coarsest_beside = std::max(classes.coarsest_beside, coarsest_beside(id));
    }
}

template <int spacedim>
void
ContactZones<spacedim>::enter_instant(const double time)
{
  instant = time;
  ending_classes = 0;
  const double before = std::nextafter(time, -std::numeric_limits<double>::infinity());
  while (ending_classes < stepper.levels().classes().n_classes &&
         stepper.levels().next_common_instant(ending_classes, before) == time)
    ++ending_classes;
}

template <int spacedim>
bool
ContactZones<spacedim>::at_common_instant(const unsigned int node) const
{
  if (natural_classes[node].coarsest < ending_classes)
    return true;
  for (const unsigned int id : stepper.supports().kicks_of_node(node))
    if (stepper.levels().covered_until(id) != instant)
      return false;
  return true;
}

template <int spacedim>
unsigned int
ContactZones<spacedim>::promote(const ContactStencil<spacedim> &stencil, const double periods,
                                const bool joins)
{
  unsigned int finest = stepper.levels().classes().n_classes - 1, coarsest = 0;
  unsigned int beside = finest, coarsest_beside = 0;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const NaturalClasses &classes = natural_classes[stencil.nodes[i]];
    finest = std::min(finest, classes.finest);
    coarsest = std::max(coarsest, classes.coarsest);
    beside = std::min(beside, classes.beside);
    coarsest_beside = std::max(coarsest_beside, classes.coarsest_beside);
  }
  const double until = instant + periods * hold * stepper.levels().classes().step(finest);
  if (coarsest_beside > beside)
    promote_beside(stencil, std::max(beside, finest), until);
  promote_around(stencil, finest, until);
  return joins ? join_finer_zone(stencil, finest) : finest;
}

template <int spacedim>
void
ContactZones<spacedim>::promote_around(const ContactStencil<spacedim> &stencil,
                                       const unsigned int step_class, const double until)
{
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    if (natural_classes[stencil.nodes[i]].coarsest > step_class)
      for (const unsigned int id : stepper.supports().kicks_of_node(stencil.nodes[i]))
        stepper.promote(id, step_class, until);
}

/// The finer zone's contacts renew its class, which ends for all with the last of them.
template <int spacedim>
unsigned int
ContactZones<spacedim>::join_finer_zone(const ContactStencil<spacedim> &stencil,
                                        const unsigned int own_class)
{
  const TimeLevels &levels = stepper.levels();
  bool any_finer = false;
  for (unsigned int c = 0; c < own_class && !any_finer; ++c)
    any_finer = levels.clocks().n_kicks(c) > 0;
  if (!any_finer)
    return own_class;
  unsigned int finest = own_class;
  double until = instant;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    for (const unsigned int id : stepper.supports().kicks_of_node(stencil.nodes[i]))
    {
      const unsigned int present = levels.clock_of_kick(id);
      if (present >= own_class || present > finest)
        continue;
      const double end = levels.promoted_until(id);
      if (end <= instant)
        continue;
      until = present < finest ? end : std::max(until, end);
      finest = present;
    }
  if (finest < own_class)
    promote_around(stencil, finest, until);
  return finest;
}

template <int spacedim>
void
ContactZones<spacedim>::promote_beside(const ContactStencil<spacedim> &stencil,
                                       const unsigned int step_class, const double until)
{
  // a promotion for twice as long need not be renewed at every instant
  const double longer = until + (until - instant);
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int node = stencil.nodes[i];
    if (natural_classes[node].coarsest_beside <= step_class ||
        (beside_until[node] >= until && beside_classes[node] <= step_class))
      continue;
    beside_until[node] = longer;
    beside_classes[node] = step_class;
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      for (const unsigned int neighbour : stepper.supports().neighbours_of_kick(id))
        stepper.promote(neighbour, step_class, longer);
  }
}

template <int spacedim>
void
ContactZones<spacedim>::serialize(Archive &archive)
{
  archive(instant, ending_classes);
  // those of the last change: clocks and critical steps that they follow from have gone on since
  archive.fixed(natural_classes, beside_until, beside_classes);
  const unsigned int n_classes = stepper.levels().classes().n_classes;
  for (const NaturalClasses &classes : natural_classes)
    check_state(std::max({classes.finest, classes.coarsest, classes.beside,
                          classes.coarsest_beside}) < n_classes,
                "contact zones");
}

template class ContactZones<2>;
template class ContactZones<3>;
} // namespace KickDrift
