#include <kickdrift/stepping/kicks/class_boundaries.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
constexpr unsigned int nowhere = -1; // a node that is not needed here

void
make_unique(std::vector<unsigned int> &nodes)
{
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}
} // namespace

template <int spacedim>
ClassBoundaries<spacedim>::ClassBoundaries(const KickFamilies<spacedim> &families,
                                           Ranks *const ranks, MakeHalo make_halo)
    : families(families), ranks(ranks), make_halo(std::move(make_halo)), shared_nodes(families)
{
}

template <int spacedim>
typename ClassBoundaries<spacedim>::Class &
ClassBoundaries<spacedim>::current(const TimeLevels &levels, const NodeTable<spacedim> &nodes,
                                   const unsigned int step_class)
{
  if (!are_found)
    shared_nodes.find(levels, nodes.size());
  are_found = true;
  shared_nodes.update(levels);
  classes.resize(levels.clocks().size());
  if (classes[step_class].version != shared_nodes.version(step_class))
    make(classes[step_class], levels, nodes, step_class);
  return classes[step_class];
}

template <int spacedim>
void
ClassBoundaries<spacedim>::make(Class &result, const TimeLevels &levels,
                                const NodeTable<spacedim> &nodes,
                                const unsigned int step_class) const
{
  result = Class();
  result.version = shared_nodes.version(step_class);
  struct OfKick
  {
    unsigned int node;
    unsigned int finest; // of its stratum
    double stiffness;
  };
  std::vector<std::vector<unsigned int>> beside_finer(families.size()), others(families.size());
  std::vector<OfKick> of_kicks;
  std::vector<unsigned int> shared; // here or elsewhere
  std::vector<double> stiffness;
  const double step = levels.classes().step(step_class);
  const auto reading = [&](const unsigned int finest)
  {
    const double finest_step = levels.classes().step(finest);
    return finest < step_class ? (4 * finest_step * finest_step - step * step) / 24 : 0.;
  };
  for (const auto &[f, k] : shared_nodes.kicks(step_class))
  {
    const auto support = families[f].kicks->support(k);
    const auto finest = [&, stratum = families[f].kicks->stratum()](const unsigned int node)
    { return shared_nodes.finest(stratum, node); };
    for (const unsigned int node : support)
      if (shared_nodes.is_shared(node))
      {
        shared.push_back(node);
        result.is_read = result.is_read || reading(finest(node)) != 0;
      }
    if (families[f].elsewhere(k))
      continue;
    const bool is_beside_finer =
        std::any_of(support.begin(), support.end(),
                    [&](const unsigned int node) { return finest(node) < step_class; });
    (is_beside_finer ? beside_finer : others)[f].push_back(k);
    result.n_kicks += is_beside_finer;
    result.nodes.insert(result.nodes.end(), support.begin(), support.end());
    families[f].kicks->nodal_stiffness(k, stiffness);
    stiffness.resize(support.size(), 0.); // of loads
    for (unsigned int i = 0; i < support.size(); ++i)
      if (shared_nodes.is_shared(support[i]))
        of_kicks.push_back({support[i], finest(support[i]), stiffness[i]});
  }
  make_unique(result.nodes);
  make_unique(shared);
  for (unsigned int f = 0; f < families.size(); ++f)
  {
    if (!beside_finer[f].empty())
      result.kicks.push_back(families[f].kicks->subset(std::move(beside_finer[f])));
    if (!others[f].empty())
      result.other_kicks.push_back(families[f].kicks->subset(std::move(others[f])));
  }

  // in the order of the kicks
  std::stable_sort(of_kicks.begin(), of_kicks.end(),
                   [](const OfKick &a, const OfKick &b) { return a.node < b.node; });
  for (auto begin = of_kicks.begin(); begin != of_kicks.end();)
  {
    Node shared_node{};
    shared_node.node = begin->node;
    unsigned int finest = step_class;
    for (; begin != of_kicks.end() && begin->node == shared_node.node; ++begin)
    {
      shared_node.stiffness += begin->stiffness;
      finest = std::min(finest, begin->finest);
    }
    const bool may_shift =
        !nodes.is_rigid(shared_node.node) && !nodes.is_massless(shared_node.node);
    shared_node.inverse_mass = may_shift ? nodes[shared_node.node].inverse_mass : 0.;
    const double finest_step = levels.classes().step(finest);
    if (finest < step_class)
      shared_node.shift =
          (step * step + 2 * finest_step * finest_step) / 12 * shared_node.inverse_mass;
    shared_node.reading = reading(finest);
    result.shared.push_back(shared_node);
  }
  if (!ranks)
    return;
  result.halo = make_halo(shared);
  for (auto &received : result.halo.received)
    for (unsigned int &node : received)
      if (!std::binary_search(result.nodes.begin(), result.nodes.end(), node))
        node = nowhere;
}

template <int spacedim>
unsigned int
ClassBoundaries<spacedim>::n_kicks(const TimeLevels &levels, const NodeTable<spacedim> &nodes,
                                   const unsigned int step_class)
{
  return current(levels, nodes, step_class).n_kicks;
}

template <int spacedim>
void
ClassBoundaries<spacedim>::exchange(NodeTable<spacedim> &nodes, Halo &halo) const
{
  if (!ranks)
    return;
  for (unsigned int i = 0; i < halo.parcels.size(); ++i)
  {
    double *next = halo.parcels[i].sent.data();
    for (const unsigned int node : halo.sent[i])
      next = std::copy(nodes[node].displacement, nodes[node].displacement + spacedim, next);
  }
  ranks->exchange(halo.parcels);
  for (unsigned int i = 0; i < halo.parcels.size(); ++i)
  {
    const double *next = halo.parcels[i].received.data();
    for (const unsigned int node : halo.received[i])
    {
      if (node != nowhere)
        std::copy(next, next + spacedim, nodes[node].displacement);
      next += spacedim;
    }
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::put_aside(NodeTable<spacedim> &nodes, const Class &of_class)
{
  kept.clear();
  for (const unsigned int node : of_class.nodes)
  {
    kept.push_back(nodes[node]);
    nodes.set_velocity(node, {});
    nodes[node].inverse_mass = 0;
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::put_back(NodeTable<spacedim> &nodes, const Class &of_class) const
{
  for (unsigned int i = 0; i < of_class.nodes.size(); ++i)
  {
    NodeState &state = nodes[of_class.nodes[i]];
    std::copy(kept[i].velocity, kept[i].velocity + 3, state.velocity);
    state.inverse_mass = kept[i].inverse_mass;
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::shift(NodeTable<spacedim> &nodes, const TimeLevels &levels,
                                 const unsigned int step_class, const double time)
{
  Class &of_class = current(levels, nodes, step_class);
  if (of_class.kicks.empty() && of_class.halo.parcels.empty())
    return;
  for (const unsigned int node : of_class.nodes)
    nodes[node].drift(time);
  put_aside(nodes, of_class);
  // Kicks of step 1 make shifts of no velocities, with c for the mass.
  for (Node &shared : of_class.shared)
  {
    NodeState &state = nodes[shared.node];
    std::copy(state.displacement, state.displacement + spacedim, shared.own);
    state.inverse_mass = shared.shift;
  }
  for (unsigned int sweep = 0; sweep < n_sweeps; ++sweep)
  {
    for (const auto &kicks : of_class.kicks)
      kicks->kick(nodes, time, 1.);
    for (const Node &shared : of_class.shared)
    {
      if (shared.shift == 0)
        continue;
      NodeState &state = nodes[shared.node];
      const double relaxation = 1 / (1 + shared.shift * shared.stiffness);
      const auto whole = nodes.restraints.project(shared.node, nodes.velocity(shared.node));
      for (unsigned int d = 0; d < spacedim; ++d)
        state.displacement[d] += relaxation * (shared.own[d] + whole[d] - state.displacement[d]);
      nodes.set_velocity(shared.node, {});
    }
    exchange(nodes, of_class.halo);
  }
  put_back(nodes, of_class);
}

template <int spacedim>
void
ClassBoundaries<spacedim>::restore(NodeTable<spacedim> &nodes, const unsigned int step_class) const
{
  const Class &of_class = classes[step_class];
  if (!of_class.kicks.empty() || !of_class.halo.parcels.empty())
    for (const Node &shared : of_class.shared)
      std::copy(shared.own, shared.own + spacedim, nodes[shared.node].displacement);
}

template <int spacedim>
void
ClassBoundaries<spacedim>::read_at(NodeTable<spacedim> &nodes, const TimeLevels &levels,
                                   const double time, const std::vector<char> &stays)
{
  struct Reading
  {
    double own[spacedim]; // displacement
    double shift[spacedim] = {};
    double stiffness = 0; // of all classes, times what they shift
  };
  // A class whose intervals end now is at rest with respect to this: rounding aside.
  std::vector<double> offset(levels.clocks().size());
  std::vector<unsigned int> classes_that_shift;
  for (unsigned int c = 0; c < offset.size(); ++c)
  {
    const Class &of_class = current(levels, nodes, c);
    const double rest = time - levels.clocks()[c].covered_until();
    offset[c] = 0.5 * rest * rest;
    const double step = levels.classes().step(c);
    if (of_class.is_read || offset[c] > std::numeric_limits<double>::epsilon() * step * step)
      classes_that_shift.push_back(c);
  }
  if (classes_that_shift.empty())
    return;
  std::vector<unsigned int> shared; // here or elsewhere
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (shared_nodes.is_shared(node))
      shared.push_back(node);
  std::vector<Reading> readings(shared.size());
  const auto reading = [&](const unsigned int node) -> Reading &
  { return readings[std::lower_bound(shared.begin(), shared.end(), node) - shared.begin()]; };
  const auto shift_of = [&](const unsigned int c, const Node &node)
  { return (offset[c] + node.reading) * node.inverse_mass; };
  for (unsigned int i = 0; i < shared.size(); ++i)
    std::copy(nodes[shared[i]].displacement, nodes[shared[i]].displacement + spacedim,
              readings[i].own);
  for (const unsigned int c : classes_that_shift)
    for (const Node &node : classes[c].shared)
      reading(node.node).stiffness += shift_of(c, node) * node.stiffness;
  Halo halo = ranks ? make_halo(shared) : Halo();
  constexpr unsigned int n_sweeps_to_read = 4;
  for (unsigned int sweep = 0; sweep < n_sweeps_to_read; ++sweep)
  {
    for (const unsigned int c : classes_that_shift)
    {
      put_aside(nodes, classes[c]);
      for (const Node &node : classes[c].shared)
        nodes[node.node].inverse_mass = shift_of(c, node);
      for (const auto *of_kind : {&classes[c].kicks, &classes[c].other_kicks})
        for (const auto &kicks : *of_kind)
          kicks->kick(nodes, time, 1.);
      for (const Node &node : classes[c].shared)
        for (unsigned int d = 0; d < spacedim; ++d)
          reading(node.node).shift[d] += nodes[node.node].velocity[d];
      put_back(nodes, classes[c]);
    }
    for (unsigned int i = 0; i < shared.size(); ++i)
    {
      dealii::Tensor<1, spacedim> whole;
      for (unsigned int d = 0; d < spacedim; ++d)
        whole[d] = std::exchange(readings[i].shift[d], 0.);
      if (!stays.empty() && stays[shared[i]])
        continue;
      whole = nodes.restraints.project(shared[i], whole);
      const double relaxation = 1 / (1 + readings[i].stiffness);
      double *const displacement = nodes[shared[i]].displacement;
      for (unsigned int d = 0; d < spacedim; ++d)
        displacement[d] += relaxation * (readings[i].own[d] + whole[d] - displacement[d]);
    }
    exchange(nodes, halo);
  }
}

template class ClassBoundaries<2>;
template class ClassBoundaries<3>;
} // namespace KickDrift
