#include <kickdrift/potentials/simple_kicks.h>

#include <cmath>

namespace KickDrift
{
template <int spacedim>
void
SimpleKicks<spacedim>::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                                     const unsigned int n_clocks)
{
  ClockedKicks<spacedim>::assign_clocks(clock_of_kick, n_clocks);
  supports.clear();
  for (unsigned int k = 0; k < clock_of_kick.size(); ++k)
  {
    for (const unsigned int node : this->support(k))
      supports.push_back(node);
    supports.finish_row();
  }
}

template <int spacedim>
void
SimpleKicks<spacedim>::kick(NodeTable<spacedim> &nodes, const unsigned int clock, const double time,
                            const double step) const
{
  undefined.reset();
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const auto support = supports.row(k);
    for (const unsigned int node : support)
      nodes[node].drift(time);
    this->checked_force(nodes, k, time, support.size(), kick_force);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      if (!std::isfinite(kick_force[i].norm_square()))
        undefined = clock;
      NodeState &node = nodes[support[i]];
      for (unsigned int d = 0; d < spacedim; ++d)
        node.velocity[d] += node.inverse_mass * (step * kick_force[i][d]);
    }
  }
}

template <int spacedim>
void
SimpleKicks<spacedim>::add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const
{
  for (unsigned int k = 0; k < this->n_kicks(); ++k)
    balance.strain += energy(nodes, k);
}

template class SimpleKicks<2>;
template class SimpleKicks<3>;
} // namespace KickDrift
