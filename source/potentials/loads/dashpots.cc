#include <kickdrift/base/archive.h>
#include <kickdrift/base/envelope_cholesky.h>
#include <kickdrift/potentials/loads/dashpots.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace KickDrift
{
template <int spacedim>
struct Dashpots<spacedim>::Row
{
  unsigned int dashpot;
  Vector direction; ///< of length 1, from the node to the other end
  unsigned int n_ends;
  std::array<unsigned int, 2> nodes; ///< of the ends
  std::array<Vector, 2> changes;     ///< of their velocities, by a unit impulse
  double first = 0;                  ///< the velocity w^- that is opposed
  double after = 0;                  ///< w^+ without these impulses

  /// How a unit impulse of another one changes the velocity between the ends.
  double
  answer(const Row &other) const
  {
    double sum = 0;
    for (unsigned int i = 0; i < n_ends; ++i)
      for (unsigned int j = 0; j < other.n_ends; ++j)
        if (nodes[i] == other.nodes[j])
          sum += (i == 0 ? 1 : -1) * (direction * other.changes[j]);
    return sum;
  }
};

template <int spacedim>
Dashpots<spacedim>::Dashpots(std::vector<Dashpot<spacedim>> all,
                             std::vector<std::shared_ptr<const Damping<spacedim>>> damping)
    : dashpots(std::move(all)), damping(std::move(damping)), memory(dashpots.size())
{
  std::map<unsigned int, unsigned int> group_of_node; // the first dashpot of a group
  std::vector<unsigned int> leader(dashpots.size());
  std::iota(leader.begin(), leader.end(), 0u);
  const auto first_of = [&](unsigned int k)
  {
    while (leader[k] != k)
      k = leader[k] = leader[leader[k]];
    return k;
  };
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
    const auto join = [&](const unsigned int node)
    {
      const unsigned int other = first_of(group_of_node.emplace(node, k).first->second);
      const unsigned int own = first_of(k);
      leader[std::max(own, other)] = std::min(own, other);
    };
    join(dashpot.node);
    if (dashpot.other)
      join(*dashpot.other);
  }
  std::map<unsigned int, unsigned int> group_of_leader;
  for (unsigned int k = 0; k < dashpots.size(); ++k)
  {
    const auto [entry, is_new] = group_of_leader.emplace(first_of(k), groups.size());
    if (is_new)
      groups.emplace_back();
    groups[entry->second].members.push_back(k);
  }
  for (const auto &[node, k] : group_of_node)
    groups[group_of_leader.at(first_of(k))].nodes.push_back(node);
  this->by_clock = KicksByClock(n_kicks());
}

template <int spacedim>
typename Dashpots<spacedim>::Effects
Dashpots<spacedim>::effects(const Group &group, const unsigned int clock,
                            const EffectOf &effect) const
{
  Effects result;
  for (const unsigned int node : group.nodes)
    for (const auto &family : damping)
      if (const auto k = family->kick_on(node, clock))
      {
        const auto next = effect(*family, *k, node); // one family after the other
        auto &all = result[node];
        all = {next.factor * all.factor, next.factor * all.change + next.change};
      }
  return result;
}

/// The velocities that nodes have after damping.
template <int spacedim>
typename Dashpots<spacedim>::VectorOf
Dashpots<spacedim>::after(const NodeTable<spacedim> &nodes, const Effects &effects,
                          const VectorOf &velocity)
{
  return [&nodes, &effects, velocity](const unsigned int node)
  {
    const Vector now = velocity(node);
    const auto effect = effects.find(node);
    if (effect == effects.end())
      return now;
    const Vector free = nodes.restraints.project(node, now);
    return now + ((effect->second.factor - 1) * free + effect->second.change);
  };
}

/// Those of a group that pull at something that moves, at @p time.
template <int spacedim>
std::vector<typename Dashpots<spacedim>::Row>
Dashpots<spacedim>::rows(const NodeTable<spacedim> &nodes, const Group &group, const double time,
                         const Effects &effects) const
{
  std::vector<Row> result;
  const auto add = [&](const unsigned int member, const Vector &direction)
  {
    const Dashpot<spacedim> &dashpot = dashpots[member];
    Row row;
    row.dashpot = member;
    row.direction = direction;
    row.n_ends = dashpot.other ? 2 : 1;
    for (unsigned int end = 0; end < row.n_ends; ++end)
    {
      row.nodes[end] = end == 0 ? dashpot.node : *dashpot.other;
      const auto effect = effects.find(row.nodes[end]);
      row.changes[end] = (effect == effects.end() ? 1. : effect->second.factor) *
                         nodes.velocity_change(row.nodes[end], end == 0 ? direction : -direction);
    }
    if (dashpot.coefficient > 0 && row.answer(row) > 0) // it is not held at both ends
      result.push_back(row);
  };
  for (const unsigned int member : group.members)
  {
    const Dashpot<spacedim> &dashpot = dashpots[member];
    if (dashpot.direction == Dashpot<spacedim>::Direction::all)
    {
      for (unsigned int d = 0; d < spacedim; ++d)
        add(member, dealii::Point<spacedim>::unit_vector(d));
      continue;
    }
    // without cancellation far from the origin
    const Vector reference = (dashpot.other ? nodes.reference(*dashpot.other) : dashpot.anchor) -
                             nodes.reference(dashpot.node);
    const Vector moved = dashpot.other ? nodes.displacement_at(*dashpot.other, time) : Vector();
    const Vector extent = reference + (moved - nodes.displacement_at(dashpot.node, time));
    const double length = extent.norm();
    if (length > 0)
      add(member, extent / length);
  }
  return result;
}

template <int spacedim>
typename Dashpots<spacedim>::Vector
Dashpots<spacedim>::relative(const NodeTable<spacedim> &nodes, const unsigned int member,
                             const VectorOf &velocity) const
{
  const Dashpot<spacedim> &dashpot = dashpots[member];
  if (dashpot.direction == Dashpot<spacedim>::Direction::all)
    return nodes.restraints.project(dashpot.node, velocity(dashpot.node));
  return dashpot.other ? velocity(dashpot.node) - velocity(*dashpot.other) : velocity(dashpot.node);
}

/// Impulses of the rows, which remember velocities that they oppose.
template <int spacedim>
std::vector<double>
Dashpots<spacedim>::impulses(const std::vector<Row> &rows, const double step,
                             const bool only_after) const
{
  const std::size_t n = rows.size();
  std::vector<double> result(n);
  CompressedRows<unsigned int> all;
  for (std::size_t i = 0; i < n; ++i)
    all.push_back(i);
  all.finish_row();
  EnvelopeCholesky matrix;
  matrix.set_pattern(n, std::move(all));
  matrix.begin();
  for (std::size_t i = 0; i < n; ++i)
  {
    double x = 0; // of all, which bounds the largest that a combination of them has
    for (std::size_t j = 0; j < n; ++j)
    {
      const double entry = rows[i].answer(rows[j]);
      if (j <= i)
        matrix.add(i, j, entry);
      x += std::abs(entry) * dashpots[rows[j].dashpot].coefficient * step;
    }
    const double theta = only_after ? 1. : this->weight_after(x);
    matrix.add(i, i, 1 / (dashpots[rows[i].dashpot].coefficient * step * theta));
    result[i] = -((1 - theta) / theta * rows[i].first + rows[i].after);
  }
  matrix.factorise();
  matrix.solve(result);
  return result;
}

/// Impulses on the first nodes of the dashpots of a group, in the order of its members.
template <int spacedim>
std::vector<typename Dashpots<spacedim>::Vector>
Dashpots<spacedim>::sums(const Group &group, const std::vector<Row> &rows,
                         const std::vector<double> &impulses) const
{
  std::vector<Vector> result(group.members.size());
  unsigned int i = 0;
  for (unsigned int row = 0; row < rows.size(); ++row)
  {
    while (group.members[i] != rows[row].dashpot)
      ++i;
    result[i] += impulses[row] * rows[row].direction;
  }
  return result;
}

/// Give the @p impulses of a group, and book what they take once nodes are damped, too: work on the
/// mean of @p before and of the relative velocity afterwards.
template <int spacedim>
void
Dashpots<spacedim>::give(NodeTable<spacedim> &nodes, const Group &group,
                         const std::vector<Vector> &before, const Effects &effects,
                         const std::vector<Vector> &impulses) const
{
  for (unsigned int i = 0; i < impulses.size(); ++i)
  {
    const Dashpot<spacedim> &dashpot = dashpots[group.members[i]];
    nodes.apply_impulse(dashpot.node, impulses[i]);
    if (dashpot.other)
      nodes.apply_impulse(*dashpot.other, -impulses[i]);
  }
  const VectorOf velocity =
      after(nodes, effects, [&](const unsigned int node) { return nodes.velocity(node); });
  for (unsigned int i = 0; i < impulses.size(); ++i)
  {
    const unsigned int member = group.members[i];
    const Vector mean = 0.5 * (before[i] + relative(nodes, member, velocity));
    nodes.add_dashpot_loss(dashpots[member].node, -(impulses[i] * mean));
  }
}

/// The velocities from @p begin on are those of the nodes of a group.
template <int spacedim>
typename Dashpots<spacedim>::VectorOf
Dashpots<spacedim>::velocity_of(const Group &group,
                                const typename std::vector<Vector>::const_iterator begin)
{
  return [&group, begin](const unsigned int node)
  {
    return *(begin + (std::lower_bound(group.nodes.begin(), group.nodes.end(), node) -
                      group.nodes.begin()));
  };
}

template <int spacedim>
void
Dashpots<spacedim>::damp(NodeTable<spacedim> &nodes, const std::vector<Vector> &before,
                         const unsigned int clock, const double time, const double step)
{
  auto begin = before.begin();
  const auto now = [&](const unsigned int node) { return nodes.velocity(node); };
  const auto displacement = [&](const unsigned int node) { return nodes.displacement(node); };
  for (const unsigned int k : on_clock(clock))
  {
    const Group &group = groups[k];
    const VectorOf first = velocity_of(group, begin);
    begin += group.nodes.size();
    for (const unsigned int node : group.nodes)
      nodes.drift(node, time);
    const Effects effects = this->effects(
        group, clock,
        [&](const Damping<spacedim> &family, const unsigned int kick, const unsigned int node)
        { return family.effect(nodes, kick, first(node), time, step); });
    const VectorOf damped = after(nodes, effects, now);
    std::map<unsigned int, typename LastDamping<spacedim>::Means> means; // by member
    std::vector<Vector> before_work;
    for (const unsigned int member : group.members)
    {
      means[member] = memory[member].means(relative(nodes, member, first),
                                           relative(nodes, member, displacement), time);
      before_work.push_back(means[member].before + means[member].change);
    }
    auto rows = this->rows(nodes, group, time, effects);
    for (Row &row : rows)
    {
      row.first = row.direction * means[row.dashpot].before;
      row.after =
          row.direction * (relative(nodes, row.dashpot, damped) + means[row.dashpot].change);
    }
    const auto given = sums(group, rows, impulses(rows, step, false));
    give(nodes, group, before_work, effects, given);
    for (unsigned int i = 0; i < given.size(); ++i)
      memory[group.members[i]] = {given[i] / step, relative(nodes, group.members[i], damped),
                                  relative(nodes, group.members[i], displacement), time, 1.};
  }
}

template <int spacedim>
typename Dashpots<spacedim>::Effects
Dashpots<spacedim>::effects_of_share(const Group &group, const unsigned int clock,
                                     const double time, const double duration) const
{
  return effects(group, clock,
                 [&](const Damping<spacedim> &family, const unsigned int k, unsigned int)
                 { return family.effect_of_share(k, time, duration); });
}

/// What a group gives, on the first nodes of its members, in a share to nodes with these
/// velocities.
template <int spacedim>
std::vector<typename Dashpots<spacedim>::Vector>
Dashpots<spacedim>::share(const NodeTable<spacedim> &nodes, const Group &group,
                          const Effects &effects, const VectorOf &velocity, const double time,
                          const double duration) const
{
  if (duration > 0)
  {
    const VectorOf damped = after(nodes, effects, velocity);
    auto rows = this->rows(nodes, group, time, effects);
    for (Row &row : rows)
      row.after = row.direction * relative(nodes, row.dashpot, damped);
    return sums(group, rows, impulses(rows, duration, true));
  }
  std::vector<Vector> result;
  for (const unsigned int member : group.members)
    result.push_back(duration * memory[member].taken);
  return result;
}

template <int spacedim>
void
Dashpots<spacedim>::damp_share(NodeTable<spacedim> &nodes, const std::vector<Vector> &before,
                               const unsigned int clock, const double time,
                               const double duration) const
{
  auto begin = before.begin();
  for (const unsigned int k : on_clock(clock))
  {
    const Group &group = groups[k];
    const Effects effects = effects_of_share(group, clock, time, duration);
    const auto given = share(
        nodes, group, effects, [&](const unsigned int node) { return nodes.velocity(node); }, time,
        duration);
    std::vector<Vector> relative_before;
    for (const unsigned int member : group.members)
      relative_before.push_back(relative(nodes, member, velocity_of(group, begin)));
    give(nodes, group, relative_before, effects, given);
    begin += group.nodes.size();
  }
}

template <int spacedim>
void
Dashpots<spacedim>::force(const NodeTable<spacedim> &nodes, const unsigned int k, const double time,
                          std::vector<Vector> &force) const
{
  const Group &group = groups[k];
  force.assign(group.nodes.size(), Vector());
  const auto add = [&](const unsigned int node, const Vector &part)
  {
    force[std::lower_bound(group.nodes.begin(), group.nodes.end(), node) - group.nodes.begin()] +=
        part;
  };
  for (const Row &row : rows(nodes, group, time, {}))
  {
    const Dashpot<spacedim> &dashpot = dashpots[row.dashpot];
    const Vector velocity =
        relative(nodes, row.dashpot, [&](const unsigned int node) { return nodes.velocity(node); });
    const Vector pull = -dashpot.coefficient * (row.direction * velocity) * row.direction;
    add(dashpot.node, pull);
    if (dashpot.other)
      add(*dashpot.other, -pull);
  }
}

template <int spacedim>
typename Dashpots<spacedim>::Vector
Dashpots<spacedim>::impulse_on(const NodeTable<spacedim> &nodes, const unsigned int k,
                               const unsigned int node, const Vector &velocity, const double time,
                               const double duration) const
{
  const Group &group = groups[k];
  const auto given = share(
      nodes, group, effects_of_share(group, this->by_clock.clock(k), time, duration),
      [&](const unsigned int other) { return other == node ? velocity : nodes.velocity(other); },
      time, duration);
  Vector sum;
  for (unsigned int i = 0; i < given.size(); ++i)
  {
    const Dashpot<spacedim> &dashpot = dashpots[group.members[i]];
    if (dashpot.node == node)
      sum += given[i];
    if (dashpot.other == node)
      sum -= given[i];
  }
  return sum;
}

template <int spacedim>
void
Dashpots<spacedim>::serialize(Archive &archive)
{
  archive.fixed(memory);
}

template class Dashpots<2>;
template class Dashpots<3>;
} // namespace KickDrift
