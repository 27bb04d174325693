#include <kickdrift/potentials/cells/kicks_at_points.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
template <int dim, typename Family>
KicksAtPoints<dim, Family>::KicksAtPoints(std::shared_ptr<Family> kicks,
                                          std::shared_ptr<const Interpolation<dim>> the_points)
    : inner(std::move(kicks)),
      points(std::move(the_points)),
      begin_of_kick(1, 0),
      by_clock(inner->n_kicks()),
      table(points->table()),
      is_listed(points->size(), 0)
{
  for (unsigned int k = 0; k < inner->n_kicks(); ++k)
  {
    const auto own = inner->support(k);
    point_list.insert(point_list.end(), own.begin(), own.end());
    begin_of_kick.push_back(point_list.size());
  }
}

template <int dim, typename Family>
std::vector<unsigned int>
KicksAtPoints<dim, Family>::support(const unsigned int k) const
{
  std::vector<unsigned int> nodes;
  for (const unsigned int point : points_of(k))
    for (const Parent &parent : points->parents(point))
      if (std::find(nodes.begin(), nodes.end(), parent.node) == nodes.end())
        nodes.push_back(parent.node);
  return nodes;
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::nodal_stiffness(const unsigned int k,
                                            std::vector<double> &stiffness) const
{
  std::vector<double> of_points;
  inner->nodal_stiffness(k, of_points);
  stiffness.clear();
  if (of_points.empty())
    return;
  for (double &entry : of_points)
    entry = std::sqrt(entry);
  stiffness = gather(k, of_points);
  for (double &entry : stiffness)
    entry *= entry;
}

template <int dim, typename Family>
std::vector<double>
KicksAtPoints<dim, Family>::gather(const unsigned int k, const std::vector<double> &of_points) const
{
  const auto own_points = points_of(k);
  const auto nodes = support(k);
  std::vector<double> result(nodes.size(), 0.);
  for (unsigned int i = 0; i < own_points.size(); ++i)
    for (const Parent &parent : points->parents(own_points[i]))
      result[std::find(nodes.begin(), nodes.end(), parent.node) - nodes.begin()] +=
          parent.weight * of_points[i];
  return result;
}

template <int dim, typename Family>
std::vector<double>
KicksAtPoints<dim, Family>::masses_of_points(const unsigned int k,
                                             const std::vector<double> &masses) const
{
  std::vector<double> roots;
  inner->nodal_stiffness(k, roots);
  for (double &root : roots)
    root = std::sqrt(root);
  const auto own_points = points_of(k);
  const auto nodes = support(k);
  const auto of_nodes = gather(k, roots);
  std::vector<double> result(roots.size());
  for (unsigned int i = 0; i < result.size(); ++i)
  {
    double mass_per_root = std::numeric_limits<double>::infinity();
    for (const Parent &parent : points->parents(own_points[i]))
    {
      const unsigned int a = std::find(nodes.begin(), nodes.end(), parent.node) - nodes.begin();
      if (of_nodes[a] > 0)
        mass_per_root = std::min(mass_per_root, masses[a] / of_nodes[a]);
    }
    result[i] = roots[i] > 0 ? roots[i] * mass_per_root : 0;
  }
  return result;
}

template <int dim, typename Family>
double
KicksAtPoints<dim, Family>::critical_step(const unsigned int k,
                                          const std::vector<double> &masses) const
{
  return inner->critical_step(k, masses_of_points(k, masses));
}

template <int dim, typename Family>
double
KicksAtPoints<dim, Family>::current_critical_step(const NodeTable<dim> &nodes, const unsigned int k,
                                                  const std::vector<double> &masses) const
{
  return inner->current_critical_step(points_of_kick(nodes, k), k, masses_of_points(k, masses));
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::own_masses(const unsigned int k, std::vector<double> &masses) const
{
  inner->own_masses(k, masses);
  if (!masses.empty())
    masses = gather(k, masses);
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                                          const unsigned int n_clocks)
{
  by_clock.assign(clock_of_kick, n_clocks);
  points_by_clock.clear();
  inner->assign_clocks(clock_of_kick, n_clocks);
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::change_clock(const unsigned int k, const unsigned int clock)
{
  const unsigned int before = by_clock.clock(k);
  by_clock.change(k, clock);
  for (const unsigned int changed : {before, clock})
    if (changed < points_by_clock.size())
      points_by_clock[changed].reset();
  inner->change_clock(k, clock);
}

template <int dim, typename Family>
template <typename Range>
std::vector<unsigned int>
KicksAtPoints<dim, Family>::points_of_kicks(const Range &kicks) const
{
  std::vector<unsigned int> list;
  for (const unsigned int k : kicks)
    for (const unsigned int point : points_of(k))
      if (!is_listed[point])
      {
        is_listed[point] = 1;
        list.push_back(point);
      }
  for (const unsigned int point : list)
    is_listed[point] = 0;
  return list;
}

template <int dim, typename Family>
const std::vector<unsigned int> &
KicksAtPoints<dim, Family>::points_on_clock(const unsigned int clock) const
{
  if (clock >= points_by_clock.size())
    points_by_clock.resize(clock + 1);
  auto &list = points_by_clock[clock];
  if (!list)
    list = points_of_kicks(by_clock.kicks(clock));
  return *list;
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::place(const NodeTable<dim> &nodes, const unsigned int point,
                                  const double time) const
{
  table.set_displacement(point, points->displacement(nodes, point, time));
  table.set_velocity(point, {});
  table[point].time = time;
}

template <int dim, typename Family>
template <typename Function>
void
KicksAtPoints<dim, Family>::kick_parents(NodeTable<dim> &nodes,
                                         const std::vector<unsigned int> &list, const double time,
                                         const Function &kick_points) const
{
  for (const unsigned int point : list)
  {
    NodeState state{};
    state.inverse_mass = table[point].inverse_mass;
    state.time = time;
    for (const Parent &parent : points->parents(point))
    {
      NodeState &node = nodes[parent.node];
      node.drift(time);
      for (unsigned int d = 0; d < dim; ++d)
        state.displacement[d] += parent.weight * node.displacement[d];
    }
    table[point] = state;
  }
  kick_points();
  // The points were at rest and have masses of one.
  for (const unsigned int point : list)
    for (const Parent &parent : points->parents(point))
    {
      NodeState &node = nodes[parent.node];
      for (unsigned int d = 0; d < dim; ++d)
        node.velocity[d] += parent.weight * node.inverse_mass * table[point].velocity[d];
    }
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::kick(NodeTable<dim> &nodes, const unsigned int clock, const double time,
                                 const double step) const
{
  kick_parents(nodes, points_on_clock(clock), time, [&] { inner->kick(table, clock, time, step); });
}

template <int dim, typename Family>
class KicksAtPoints<dim, Family>::Subset final : public KickSubset<dim>
{
public:
  Subset(const KicksAtPoints<dim, Family> &family, std::vector<unsigned int> kicks)
      : family(family),
        list(family.points_of_kicks(kicks)),
        of_points(family.inner->subset(std::move(kicks)))
  {
  }

  void
  kick(NodeTable<dim> &nodes, const double time, const double step) const override
  {
    family.kick_parents(nodes, list, time, [&] { of_points->kick(family.table, time, step); });
  }

private:
  const KicksAtPoints<dim, Family> &family;
  const std::vector<unsigned int> list;
  const std::unique_ptr<KickSubset<dim>> of_points;
};

template <int dim, typename Family>
std::unique_ptr<KickSubset<dim>>
KicksAtPoints<dim, Family>::subset(std::vector<unsigned int> kicks) const
{
  return std::make_unique<Subset>(*this, std::move(kicks));
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::force(const NodeTable<dim> &nodes, const unsigned int k,
                                  const double time, std::vector<Vector> &force) const
{
  const auto own_points = points_of(k);
  for (const unsigned int point : own_points)
    place(nodes, point, time);
  std::vector<Vector> at_points;
  inner->checked_force(table, k, time, own_points.size(), at_points);

  const auto parents = support(k);
  force.assign(parents.size(), Vector());
  for (unsigned int i = 0; i < own_points.size(); ++i)
    for (const Parent &parent : points->parents(own_points[i]))
      force[std::find(parents.begin(), parents.end(), parent.node) - parents.begin()] +=
          parent.weight * at_points[i];
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::book(const NodeTable<dim> &nodes, const unsigned int clock,
                                 const double time)
{
  for (const unsigned int point : points_on_clock(clock))
    place(nodes, point, time);
  inner->book(table, clock, time);
}

template <int dim, typename Family>
const NodeTable<dim> &
KicksAtPoints<dim, Family>::points_at(const NodeTable<dim> &nodes) const
{
  for (unsigned int point = 0; point < points->size(); ++point)
    place(nodes, point, nodes[points->parents(point)[0].node].time);
  return table;
}

template <int dim, typename Family>
void
KicksAtPoints<dim, Family>::add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const
{
  inner->add_energy(points_at(nodes), balance);
}

template <int dim, typename Family>
const NodeTable<dim> &
KicksAtPoints<dim, Family>::points_of_kick(const NodeTable<dim> &nodes, const unsigned int k) const
{
  for (const unsigned int point : points_of(k))
    place(nodes, point, nodes[points->parents(point)[0].node].time);
  return table;
}

template <int dim, typename Family>
std::size_t
KicksAtPoints<dim, Family>::memory_of_points() const
{
  return table.size() * (sizeof(NodeState) + sizeof(dealii::Point<dim>)) +
         begin_of_kick.capacity() * sizeof(std::size_t) +
         point_list.capacity() * sizeof(unsigned int) + is_listed.capacity();
}

template class KicksAtPoints<2, Kicks<2>>;
template class KicksAtPoints<3, Kicks<3>>;
template class KicksAtPoints<2, CellKicks<2>>;
template class KicksAtPoints<3, CellKicks<3>>;
} // namespace KickDrift
