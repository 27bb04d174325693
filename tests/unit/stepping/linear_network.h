#ifndef KICKDRIFT_TESTS_UNIT_STEPPING_LINEAR_NETWORK_H
#define KICKDRIFT_TESTS_UNIT_STEPPING_LINEAR_NETWORK_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace KickDriftTests
{
/// V = k/2 |u_i - u_j|^2 between pairs of nodes: the simplest family, one kick at a time.
template <int dim>
class LinearNetwork : public KickDrift::Kicks<dim>
{
public:
  using Vector = dealii::Tensor<1, dim>;
  struct Link
  {
    unsigned int i, j;
    double stiffness;
    std::array<double, 2> masses; ///< of the nodes, that belong to the link
  };
  std::vector<Link> links;

  /// A link to which these parts of its nodes' masses belong.
  void
  add(const unsigned int i, const unsigned int j, const double k, const double mi, const double mj)
  {
    links.push_back({i, j, k, {{mi, mj}}});
  }

  std::string
  name() const override
  {
    return "links";
  }
  unsigned int
  n_kicks() const override
  {
    return links.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {links[k].i, links[k].j};
  }
  void
  nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const override
  {
    stiffness.assign(2, links[k].stiffness);
  }
  void
  own_masses(const unsigned int k, std::vector<double> &masses) const override
  {
    masses.assign(links[k].masses.begin(), links[k].masses.end());
  }
  void
  assign_clocks(const std::vector<unsigned int> &clocks, const unsigned int n_clocks) override
  {
    clock_of_kick = clocks;
    kicks_of_clock.assign(n_clocks, {});
    for (unsigned int k = 0; k < clocks.size(); ++k)
      kicks_of_clock[clocks[k]].push_back(k);
  }
  void
  change_clock(const unsigned int k, const unsigned int clock) override
  {
    auto &old = kicks_of_clock[clock_of_kick[k]];
    old.erase(std::find(old.begin(), old.end(), k));
    kicks_of_clock[clock].push_back(k);
    clock_of_kick[k] = clock;
  }
  void
  kick(KickDrift::NodeTable<dim> &nodes, const unsigned int clock, const double time,
       const double step) const override
  {
    for (const unsigned int k : kicks_of_clock[clock])
      kick_one(nodes, k, time, step);
  }
  void
  kick_one(KickDrift::NodeTable<dim> &nodes, const unsigned int k, const double time,
           const double step) const
  {
    const Link &link = links[k];
    nodes[link.i].drift(time);
    nodes[link.j].drift(time);
    const Vector force = link.stiffness * (nodes.displacement(link.j) - nodes.displacement(link.i));
    nodes.set_velocity(link.i, nodes.velocity(link.i) + step * nodes[link.i].inverse_mass * force);
    nodes.set_velocity(link.j, nodes.velocity(link.j) - step * nodes[link.j].inverse_mass * force);
  }
  void
  force(const KickDrift::NodeTable<dim> &nodes, const unsigned int k, const double time,
        std::vector<Vector> &force) const override
  {
    const auto at = [&](const unsigned int n)
    { return nodes.displacement(n) + (time - nodes[n].time) * nodes.velocity(n); };
    const Vector f = links[k].stiffness * (at(links[k].j) - at(links[k].i));
    force = {f, -f};
  }
  void
  add_energy(const KickDrift::NodeTable<dim> &nodes, KickDrift::EnergyBalance &b) const override
  {
    for (const Link &link : links)
      b.strain += 0.5 * link.stiffness *
                  (nodes.displacement(link.j) - nodes.displacement(link.i)).norm_square();
  }

protected:
  std::vector<unsigned int> clock_of_kick;
  std::vector<std::vector<unsigned int>> kicks_of_clock;
};

/**
 * A free chain of n masses with stiffnesses growing from 1 to @p contrast, moving.
 * Masses are lumped from the links, half of each to either end.
 */
template <int dim>
std::shared_ptr<LinearNetwork<dim>>
make_chain(KickDrift::NodeTable<dim> &nodes, const unsigned int n, const double contrast)
{
  std::vector<double> mass(n, 0);
  auto chain = std::make_shared<LinearNetwork<dim>>();
  for (unsigned int i = 0; i + 1 < n; ++i)
  {
    const double m = 0.5 * (1 + 0.1 * std::sin(3. * i));
    mass[i] += m;
    mass[i + 1] += m;
    chain->add(i, i + 1, std::pow(contrast, double(i) / (n - 2)), m, m);
  }
  for (unsigned int i = 0; i < n; ++i)
  {
    dealii::Point<dim> x;
    x[0] = i;
    nodes.add(x, mass[i]);
    dealii::Tensor<1, dim> v;
    for (unsigned int d = 0; d < dim; ++d)
      v[d] = 0.1 * std::cos(0.4 * i * (d + 1)) + 0.02;
    nodes.set_velocity(i, v);
  }
  return chain;
}
} // namespace KickDriftTests

#endif
