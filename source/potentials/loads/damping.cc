#include <kickdrift/potentials/loads/damping.h>

#include <cmath>

namespace KickDrift
{
template <int spacedim>
Damping<spacedim>::Damping(std::vector<unsigned int> damped_nodes,
                           std::function<double(double time)> rate)
    : nodes(std::move(damped_nodes)), rate(std::move(rate))
{
  this->by_clock = KicksByClock(n_kicks());
}

template <int spacedim>
void
Damping<spacedim>::kick(NodeTable<spacedim> &table, const unsigned int clock, const double time,
                        const double step) const
{
  const double exponent = this->exponent(rate(time), step);
  if (exponent == 0)
    return;
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const unsigned int node = nodes[k];
    table[node].drift(time);
    const Vector velocity = table.velocity(node);
    const Vector free = table.restraints.project(node, velocity);
    table.set_velocity(node, velocity + std::expm1(exponent) * free);
    table.add_damping_loss(node,
                           -0.5 * table.mass(node) * std::expm1(2 * exponent) * free.norm_square());
  }
}

template <int spacedim>
void
Damping<spacedim>::force(const NodeTable<spacedim> &table, const unsigned int k, const double time,
                         std::vector<Vector> &force) const
{
  const unsigned int node = nodes[k];
  force.assign(1, -rate(time) * table.mass(node) *
                      table.restraints.project(node, table.velocity(node)));
}

template <int spacedim>
typename Damping<spacedim>::Vector
Damping<spacedim>::impulse_on(const NodeTable<spacedim> &table, unsigned int,
                              const unsigned int node, const Vector &velocity, const double time,
                              const double duration) const
{
  return table.mass(node) * std::expm1(this->exponent(rate(time), duration)) *
         table.restraints.project(node, velocity);
}

template class Damping<2>;
template class Damping<3>;
} // namespace KickDrift
