#include <kickdrift/potentials/dashpots.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
Dashpots<spacedim>::Dashpots(std::vector<Dashpot<spacedim>> all) : dashpots(std::move(all))
{
  this->by_clock = KicksByClock(n_kicks());
  for (unsigned int k = 0; k < dashpots.size(); ++k)
  {
    const auto &dashpot = dashpots[k];
    AssertThrow(dashpot.coefficient >= 0 && std::isfinite(dashpot.coefficient) &&
                    dashpot.other != dashpot.node,
                dealii::ExcMessage("Dashpot " + std::to_string(k) +
                                   " must join two different ends with a coefficient that is not "
                                   "negative."));
    AssertThrow(dashpot.direction == Dashpot<spacedim>::Direction::along || !dashpot.other,
                dealii::ExcMessage("Dashpot " + std::to_string(k) +
                                   " joins two nodes, so it must pull along the line between "
                                   "them: else it would change angular momentum."));
  }
}

template <int spacedim>
std::vector<unsigned int>
Dashpots<spacedim>::support(const unsigned int k) const
{
  std::vector<unsigned int> nodes = {dashpots[k].node};
  if (dashpots[k].other)
    nodes.push_back(*dashpots[k].other);
  return nodes;
}

template <int spacedim>
typename Dashpots<spacedim>::Vector
Dashpots<spacedim>::direction(const NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot,
                              const double time) const
{
  // without cancellation far from the origin
  const Vector reference = (dashpot.other ? nodes.reference(*dashpot.other) : dashpot.anchor) -
                           nodes.reference(dashpot.node);
  const Vector moved = dashpot.other ? nodes.displacement_at(*dashpot.other, time) : Vector();
  const Vector extent = reference + (moved - nodes.displacement_at(dashpot.node, time));
  const double length = extent.norm();
  return length > 0 ? extent / length : Vector();
}

template <int spacedim>
typename Dashpots<spacedim>::Vector
Dashpots<spacedim>::relative_velocity(const NodeTable<spacedim> &nodes,
                                      const Dashpot<spacedim> &dashpot) const
{
  return dashpot.other ? nodes.velocity(dashpot.node) - nodes.velocity(*dashpot.other)
                       : nodes.velocity(dashpot.node);
}

template <int spacedim>
double
Dashpots<spacedim>::inverse_mass(const NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot,
                                 const Vector &along) const
{
  const auto of_node = [&](const unsigned int node)
  { return along * nodes.velocity_change(nodes.loans.carrier(node), along); };
  return of_node(dashpot.node) + (dashpot.other ? of_node(*dashpot.other) : 0.);
}

template <int spacedim>
void
Dashpots<spacedim>::damp(NodeTable<spacedim> &nodes, const Dashpot<spacedim> &dashpot,
                         const double time, const double step) const
{
  const double most = 0.5 * this->most_taken_back; // step is half of one
  if (dashpot.direction == Dashpot<spacedim>::Direction::all)
  {
    const unsigned int carrier = nodes.loans.carrier(dashpot.node);
    const double mass = nodes.mass(carrier);
    const Vector free = nodes.restraints.project(carrier, nodes.velocity(carrier));
    const double exponent = this->exponent(dashpot.coefficient / mass, step, most);
    nodes.apply_impulse(carrier, mass * std::expm1(exponent) * free);
    nodes.add_dashpot_loss(dashpot.node,
                           -0.5 * mass * std::expm1(2 * exponent) * free.norm_square());
    return;
  }
  const Vector along = direction(nodes, dashpot, time);
  const double rate = along * relative_velocity(nodes, dashpot);
  const double w = inverse_mass(nodes, dashpot, along);
  if (w <= 0) // held, or without a direction
    return;
  const double exponent = this->exponent(dashpot.coefficient * w, step, most);
  const Vector impulse = rate / w * std::expm1(exponent) * along;
  nodes.apply_impulse(dashpot.node, impulse);
  if (dashpot.other)
    nodes.apply_impulse(*dashpot.other, -impulse);
  nodes.add_dashpot_loss(dashpot.node, -0.5 * rate * rate / w * std::expm1(2 * exponent));
}

template <int spacedim>
void
Dashpots<spacedim>::kick(NodeTable<spacedim> &nodes, const unsigned int clock, const double time,
                         const double step) const
{
  const auto &kicks = this->by_clock.kicks(clock);
  for (const unsigned int k : kicks)
    for (const unsigned int node : support(k))
      nodes.drift(node, time);
  for (auto k = kicks.begin(); k != kicks.end(); ++k)
    damp(nodes, dashpots[*k], time, 0.5 * step);
  for (auto k = kicks.rbegin(); k != kicks.rend(); ++k)
    damp(nodes, dashpots[*k], time, 0.5 * step);
}

template <int spacedim>
void
Dashpots<spacedim>::force(const NodeTable<spacedim> &nodes, const unsigned int k, const double time,
                          std::vector<Vector> &force) const
{
  const auto &dashpot = dashpots[k];
  Vector on_node = -dashpot.coefficient * relative_velocity(nodes, dashpot);
  if (dashpot.direction == Dashpot<spacedim>::Direction::along)
  {
    const Vector along = direction(nodes, dashpot, time);
    on_node = (on_node * along) * along;
  }
  force.assign(1, on_node);
  if (dashpot.other)
    force.push_back(-on_node);
}

template <int spacedim>
typename Dashpots<spacedim>::Vector
Dashpots<spacedim>::impulse_on(const NodeTable<spacedim> &nodes, const unsigned int k,
                               const unsigned int node, const Vector &velocity, const double time,
                               const double duration) const
{
  const auto &dashpot = dashpots[k];
  if (dashpot.direction == Dashpot<spacedim>::Direction::all)
  {
    const unsigned int carrier = nodes.loans.carrier(node);
    const double mass = nodes.mass(carrier);
    return mass * std::expm1(this->exponent(dashpot.coefficient / mass, duration)) *
           nodes.restraints.project(carrier, velocity);
  }
  const Vector along = direction(nodes, dashpot, time);
  const double w = inverse_mass(nodes, dashpot, along);
  if (w <= 0)
    return Vector();
  Vector relative = velocity;
  if (dashpot.other)
    relative -= nodes.velocity(node == dashpot.node ? *dashpot.other : dashpot.node);
  return (along * relative) / w * std::expm1(this->exponent(dashpot.coefficient * w, duration)) *
         along;
}

template class Dashpots<2>;
template class Dashpots<3>;
} // namespace KickDrift
