#include <kickdrift/deal_ii/energy_scale.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace KickDrift
{
namespace
{
// Kicks of loads that are looked at altogether.
constexpr std::size_t n_samples = 1024;
// A wave crosses a cell in up to so many critical steps, two thirds of that in bricks.
constexpr double crossing = 2;

/// Add what a load does to the forces on the bodies: sums of norms at the nodes.
template <int spacedim>
void
add_forces(const NodeTable<spacedim> &nodes, const Kicks<spacedim> &load, const double time,
           const std::vector<BodyAsWhole> &bodies, const unsigned int n_wanted,
           std::vector<double> &of_bodies)
{
  const unsigned int every = std::max(1u, load.n_kicks() / n_wanted);
  std::vector<dealii::Tensor<1, spacedim>> forces;
  for (unsigned int k = 0; k < load.n_kicks(); k += every)
  {
    const auto support = load.support(k);
    load.checked_force(nodes, k, time, support.size(), forces);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      const auto next = std::upper_bound(bodies.begin(), bodies.end(), support[i],
                                         [](const unsigned int node, const BodyAsWhole &body)
                                         { return node < body.first_node; });
      of_bodies[std::prev(next) - bodies.begin()] += every * forces[i].norm();
    }
  }
}
} // namespace

template <int spacedim>
BodyAsWhole
body_as_whole(const NodeTable<spacedim> &nodes, const unsigned int first_node,
              const unsigned int n_nodes, const unsigned int n_cells, const unsigned int dimension,
              const double critical_step)
{
  BodyAsWhole result;
  result.first_node = first_node;
  for (unsigned int i = 0; i < n_nodes; ++i)
    result.mass += nodes.mass(first_node + i);
  result.transit_time = crossing * critical_step * std::pow(n_cells, 1. / dimension);
  return result;
}

template <int spacedim>
double
energy_of_loads(const NodeTable<spacedim> &nodes,
                const std::vector<std::shared_ptr<Kicks<spacedim>>> &loads,
                const std::vector<BodyAsWhole> &bodies, const double time)
{
  if (loads.empty())
    return 0;
  std::vector<double> forces(bodies.size(), 0.);
  const unsigned int n_wanted = std::max<std::size_t>(1, n_samples / loads.size());
  for (const auto &load : loads)
    add_forces(nodes, *load, time, bodies, n_wanted, forces);
  double sum = 0;
  for (unsigned int b = 0; b < bodies.size(); ++b)
    if (bodies[b].mass > 0)
    {
      const double impulse = forces[b] * bodies[b].transit_time;
      sum += impulse * impulse / (6 * bodies[b].mass);
    }
  return sum;
}

#define INSTANTIATE(dim)                                                                           \
  template BodyAsWhole body_as_whole(const NodeTable<dim> &, unsigned int, unsigned int,           \
                                     unsigned int, unsigned int, double);                          \
  template double energy_of_loads(const NodeTable<dim> &,                                          \
                                  const std::vector<std::shared_ptr<Kicks<dim>>> &,                \
                                  const std::vector<BodyAsWhole> &, double);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
