#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/loads/loads.h>

namespace KickDrift
{
namespace
{
template <int spacedim>
void
check_points(const LoadPoints<spacedim> &where)
{
  const std::size_t n_kicks = where.nodes_per_kick ? where.nodes.size() / where.nodes_per_kick : 0;
  const std::size_t n_points = n_kicks * where.points_per_kick;
  AssertThrow(where.points.size() == n_points &&
                  where.weights.size() == n_points * where.nodes_per_kick,
              dealii::ExcMessage("The arrays that describe a load do not have matching sizes."));
}

/// Add the nodal forces of a kick of a density to @p forces.
template <int spacedim, typename Density>
void
integrate(const LoadPoints<spacedim> &where, const unsigned int k, const Density &density,
          dealii::Tensor<1, spacedim> *forces)
{
  for (unsigned int q = 0; q < where.points_per_kick; ++q)
  {
    const std::size_t point = std::size_t(k) * where.points_per_kick + q;
    const dealii::Tensor<1, spacedim> value = density(where.points[point]);
    for (unsigned int a = 0; a < where.nodes_per_kick; ++a)
      forces[a] += where.weights[point * where.nodes_per_kick + a] * value;
  }
}
/// Nodal forces of all kicks of a density, shape (n_kicks, nodes_per_kick).
template <int spacedim, typename Density>
std::vector<dealii::Tensor<1, spacedim>>
nodal_forces(const LoadPoints<spacedim> &where, const Density &density)
{
  check_points(where);
  std::vector<dealii::Tensor<1, spacedim>> forces(where.nodes.size());
  for (std::size_t k = 0; k * where.nodes_per_kick < forces.size(); ++k)
    integrate(where, k, density, &forces[k * where.nodes_per_kick]);
  return forces;
}
} // namespace

template <int spacedim>
Loads<spacedim>::Loads(std::string name, const unsigned int nodes_per_kick,
                       std::vector<unsigned int> all_nodes)
    : nodes_per_kick(nodes_per_kick), load_name(std::move(name)), nodes(std::move(all_nodes))
{
  AssertThrow(nodes_per_kick > 0 && nodes.size() % nodes_per_kick == 0,
              dealii::ExcMessage("A load needs a fixed positive number of nodes per kick."));
  this->by_clock = KicksByClock(n_kicks());
}

template <int spacedim>
std::vector<unsigned int>
Loads<spacedim>::support(const unsigned int k) const
{
  const auto first = nodes.begin() + k * nodes_per_kick;
  return {first, first + nodes_per_kick};
}

template <int spacedim>
void
Loads<spacedim>::kick(NodeTable<spacedim> &table, const unsigned int clock, const double time,
                      const double step) const
{
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const Forces forces = forces_at(table, k, time);
    for (unsigned int a = 0; a < nodes_per_kick; ++a)
    {
      NodeState &state = table[node(k, a)];
      state.drift(time);
      for (unsigned int d = 0; d < spacedim; ++d)
        state.velocity[d] += step * state.inverse_mass * forces[a][d];
    }
  }
}

template <int spacedim>
void
Loads<spacedim>::force(const NodeTable<spacedim> &table, const unsigned int k, const double time,
                       std::vector<Vector> &force) const
{
  force.assign(nodes_per_kick, Vector());
  add_forces(table, k, time, force.data());
}

template <int spacedim>
typename Loads<spacedim>::Forces
Loads<spacedim>::forces_at(const NodeTable<spacedim> &table, const unsigned int k,
                           const double time) const
{
  Forces forces(nodes_per_kick);
  add_forces(table, k, time, forces.data());
  return forces;
}

template <int spacedim>
ConstantLoads<spacedim>::ConstantLoads(std::string name, const unsigned int nodes_per_kick,
                                       std::vector<unsigned int> nodes,
                                       std::vector<Vector> all_forces)
    : Loads<spacedim>(std::move(name), nodes_per_kick, std::move(nodes)),
      forces(std::move(all_forces))
{
  AssertThrow(forces.size() == std::size_t(this->n_kicks()) * nodes_per_kick,
              dealii::ExcMessage("A load needs a force for every node of every kick."));
}

template <int spacedim>
ConstantLoads<spacedim>::ConstantLoads(
    std::string name, const LoadPoints<spacedim> &where,
    const std::function<Vector(const dealii::Point<spacedim> &)> &density)
    : Loads<spacedim>(std::move(name), where.nodes_per_kick, where.nodes),
      forces(nodal_forces(where, density))
{
}

template <int spacedim>
void
ConstantLoads<spacedim>::add_forces(const NodeTable<spacedim> &, const unsigned int k, double,
                                    Vector *result) const
{
  for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
    result[a] += forces[k * this->nodes_per_kick + a];
}

template <int spacedim>
double
ConstantLoads<spacedim>::potential(const NodeTable<spacedim> &nodes) const
{
  double sum = 0;
  for (unsigned int k = 0; k < this->n_kicks(); ++k)
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
      sum += forces[k * this->nodes_per_kick + a] * nodes.displacement(this->node(k, a));
  return sum;
}

template <int spacedim>
void
ConstantLoads<spacedim>::begin(const NodeTable<spacedim> &nodes)
{
  potential_at_start = potential(nodes);
}

template <int spacedim>
void
ConstantLoads<spacedim>::add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const
{
  balance.external_work += potential(nodes) - potential_at_start;
}

template <int spacedim>
VaryingLoads<spacedim>::VaryingLoads(std::string name, LoadPoints<spacedim> points,
                                     Density load_density)
    : LoadsWithWork<spacedim>(std::move(name), points.nodes_per_kick, points.nodes),
      where(std::move(points)),
      density(std::move(load_density))
{
  check_points(where);
}

template <int spacedim>
void
VaryingLoads<spacedim>::add_forces(const NodeTable<spacedim> &, const unsigned int k,
                                   const double time, Vector *forces) const
{
  const auto at_time = [&](const dealii::Point<spacedim> &x) { return density(x, time); };
  integrate(where, k, at_time, forces);
}

template <int spacedim>
ScaledLoads<spacedim>::ScaledLoads(
    std::string name, const LoadPoints<spacedim> &where,
    const std::function<Vector(const dealii::Point<spacedim> &)> &density,
    std::function<double(double)> factor)
    : LoadsWithWork<spacedim>(std::move(name), where.nodes_per_kick, where.nodes),
      forces(nodal_forces(where, density)),
      factor(std::move(factor))
{
}

template <int spacedim>
void
ScaledLoads<spacedim>::add_forces(const NodeTable<spacedim> &, const unsigned int k,
                                  const double time, Vector *result) const
{
  const double now = factor(time);
  for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
    result[a] += now * forces[k * this->nodes_per_kick + a];
}

template <int spacedim>
LoadsWithWork<spacedim>::LoadsWithWork(std::string name, const unsigned int nodes_per_kick,
                                       std::vector<unsigned int> nodes)
    : Loads<spacedim>(std::move(name), nodes_per_kick, std::move(nodes)),
      booked(std::size_t(this->n_kicks()) * nodes_per_kick)
{
}

template <int spacedim>
double
LoadsWithWork<spacedim>::work_since(const unsigned int k, const unsigned int a,
                                    const NodeTable<spacedim> &nodes, const Forces &now) const
{
  const Entry &before = booked[k * this->nodes_per_kick + a];
  return 0.5 * (before.force + now[a]) *
         (nodes.displacement(this->node(k, a)) - before.displacement);
}

template <int spacedim>
void
LoadsWithWork<spacedim>::begin(const NodeTable<spacedim> &nodes)
{
  for (unsigned int k = 0; k < this->n_kicks(); ++k)
  {
    const auto now = this->forces_at(nodes, k, nodes[this->node(k, 0)].time);
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
      booked[k * this->nodes_per_kick + a] = {now[a], nodes.displacement(this->node(k, a)), 0};
  }
  has_begun = true;
}

template <int spacedim>
void
LoadsWithWork<spacedim>::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                                       const unsigned int n_clocks)
{
  AssertThrow(has_begun, dealii::ExcMessage("Loads::begin() of '" + this->name() +
                                            "' must be called before the stepper is started: work "
                                            "is counted from there."));
  Loads<spacedim>::assign_clocks(clock_of_kick, n_clocks);
}

template <int spacedim>
void
LoadsWithWork<spacedim>::book(const NodeTable<spacedim> &nodes, const unsigned int clock,
                              const double time)
{
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const auto now = this->forces_at(nodes, k, time);
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
    {
      Entry &entry = booked[k * this->nodes_per_kick + a];
      entry = {now[a], nodes.displacement(this->node(k, a)),
               entry.work + work_since(k, a, nodes, now)};
    }
  }
}

template <int spacedim>
void
LoadsWithWork<spacedim>::add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const
{
  for (unsigned int k = 0; k < this->n_kicks(); ++k)
  {
    const auto now = this->forces_at(nodes, k, nodes[this->node(k, 0)].time);
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
      balance.external_work +=
          booked[k * this->nodes_per_kick + a].work + work_since(k, a, nodes, now);
  }
}

template <int spacedim>
void
LoadsWithWork<spacedim>::serialize(Archive &archive)
{
  archive.fixed(booked);
}

template <int spacedim>
KickAccount
LoadsWithWork<spacedim>::account(const unsigned int k)
{
  static_assert(sizeof(Entry) == (2 * spacedim + 1) * sizeof(double), "nothing but numbers");
  return {reinterpret_cast<double *>(&booked[k * this->nodes_per_kick]),
          static_cast<unsigned int>(this->nodes_per_kick * sizeof(Entry) / sizeof(double)), 1};
}

template class Loads<2>;
template class Loads<3>;
template class ConstantLoads<2>;
template class ConstantLoads<3>;
template class LoadsWithWork<2>;
template class LoadsWithWork<3>;
template class VaryingLoads<2>;
template class VaryingLoads<3>;
template class ScaledLoads<2>;
template class ScaledLoads<3>;
} // namespace KickDrift
