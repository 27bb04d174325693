#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/loads/damping.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace KickDrift
{
namespace
{
std::vector<unsigned int>
sorted(std::vector<unsigned int> nodes)
{
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}
} // namespace

template <int spacedim>
Damping<spacedim>::Damping(std::vector<unsigned int> damped_nodes,
                           std::function<double(double time)> rate)
    : nodes(sorted(std::move(damped_nodes))), rate(std::move(rate)), memory(nodes.size())
{
  this->by_clock = KicksByClock(n_kicks());
}

template <int spacedim>
std::optional<unsigned int>
Damping<spacedim>::kick_on(const unsigned int node, const unsigned int clock) const
{
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
  const unsigned int k = found - nodes.begin();
  const bool is_there = found != nodes.end() && *found == node && this->by_clock.clock(k) == clock;
  return is_there ? std::optional<unsigned int>(k) : std::nullopt;
}

template <int spacedim>
typename Damping<spacedim>::Means
Damping<spacedim>::means(const NodeTable<spacedim> &table, const unsigned int k,
                         const Vector &before) const
{
  const unsigned int node = nodes[k];
  return memory[k].means(table.restraints.project(node, before),
                         table.restraints.project(node, table.displacement(node)),
                         table[node].time);
}

template <int spacedim>
typename Damping<spacedim>::Effect
Damping<spacedim>::effect(const double x, const Means &means) const
{
  if (x == 0)
    return {};
  const double theta = this->weight_after(x);
  return {1 / (1 + theta * x),
          -((1 - theta) * means.before + theta * means.change) / (1 / x + theta)};
}

template <int spacedim>
typename Damping<spacedim>::Effect
Damping<spacedim>::share(const unsigned int k, const double duration,
                         const double present_rate) const
{
  if (duration > 0)
    return {1 / (1 + present_rate * duration), Vector()};
  return {1, -duration * memory[k].taken};
}

template <int spacedim>
typename Damping<spacedim>::Vector
Damping<spacedim>::apply(NodeTable<spacedim> &table, const unsigned int node, const Effect &effect,
                         const Vector &before)
{
  const Vector velocity = table.velocity(node);
  const Vector free = table.restraints.project(node, velocity);
  const Vector first = table.restraints.project(node, before);
  const Vector lost = free - (effect.factor * free + effect.change);
  if (lost.norm_square() > 0)
  {
    table.set_velocity(node, velocity - lost);
    table.add_damping_loss(node, 0.5 * table.mass(node) * (lost * (first + free - lost)));
  }
  return lost;
}

template <int spacedim>
void
Damping<spacedim>::damp(NodeTable<spacedim> &table, const std::vector<Vector> &before,
                        const unsigned int clock, const double time, const double step)
{
  const double x = rate(time) * step;
  auto velocity_before = before.begin();
  for (const unsigned int k : on_clock(clock))
  {
    const unsigned int node = nodes[k];
    table[node].drift(time);
    const Means means = this->means(table, k, *velocity_before++);
    const Vector lost = apply(table, node, effect(x, means), means.before + means.change);
    memory[k] = {lost / step, table.restraints.project(node, table.velocity(node)),
                 table.restraints.project(node, table.displacement(node)), time, 1.};
  }
}

template <int spacedim>
void
Damping<spacedim>::damp_share(NodeTable<spacedim> &table, const std::vector<Vector> &before,
                              const unsigned int clock, const double time,
                              const double duration) const
{
  const double present_rate = duration > 0 ? rate(time) : 0.;
  auto velocity_before = before.begin();
  for (const unsigned int k : on_clock(clock))
    apply(table, nodes[k], share(k, duration, present_rate), *velocity_before++);
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
Damping<spacedim>::impulse_on(const NodeTable<spacedim> &table, const unsigned int k,
                              const unsigned int node, const Vector &velocity, const double time,
                              const double duration) const
{
  const Vector free = table.restraints.project(node, velocity);
  const Effect effect = effect_of_share(k, time, duration);
  return table.mass(node) * ((effect.factor * free + effect.change) - free);
}

template <int spacedim>
KickAccount
Damping<spacedim>::account(const unsigned int k)
{
  constexpr unsigned int n_numbers = 3 * spacedim + 2;
  static_assert(std::is_trivially_copyable<LastDamping<spacedim>>::value &&
                sizeof(LastDamping<spacedim>) == n_numbers * sizeof(double));
  return {reinterpret_cast<double *>(&memory[k]), n_numbers};
}

template <int spacedim>
void
Damping<spacedim>::serialize(Archive &archive)
{
  archive.fixed(memory);
}

template class Damping<2>;
template class Damping<3>;
} // namespace KickDrift
