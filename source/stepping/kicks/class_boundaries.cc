#include <kickdrift/stepping/kicks/class_boundaries.h>

#include <algorithm>
#include <map>

namespace KickDrift
{
template <int spacedim>
ClassBoundaries<spacedim>::ClassBoundaries(const KickFamilies<spacedim> &families)
    : families(families)
{
}

template <int spacedim>
void
ClassBoundaries<spacedim>::find(const TimeLevels &levels, const NodeTable<spacedim> &nodes)
{
  const unsigned int n_classes = levels.clocks().size();
  // damping takes means of velocities, and is not part of it
  const auto counts = [](const KickFamily<spacedim> &family, const unsigned int k)
  { return family.role != KickRole::damping && family.kicks->damping_time(k) == 0; };

  std::vector<unsigned int> finest(nodes.size(), n_classes);
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        if (counts(family, k))
          for (const unsigned int node : family.kicks->support(k))
            finest[node] = std::min(finest[node], clock);
      });

  classes.clear();
  classes.resize(n_classes);
  std::vector<std::map<const Kicks<spacedim> *, std::vector<unsigned int>>> around(n_classes);
  std::vector<std::map<unsigned int, double>> stiffness_of_shared(n_classes);
  std::vector<double> stiffness;
  families.for_each_with_clock(
      levels,
      [&](const KickFamily<spacedim> &family, const unsigned int k, const unsigned int clock)
      {
        if (clock >= n_classes || !counts(family, k))
          return;
        const auto support = family.kicks->support(k);
        const auto is_shared = [&](const unsigned int node) { return finest[node] < clock; };
        if (std::none_of(support.begin(), support.end(), is_shared))
          return;
        around[clock][family.kicks.get()].push_back(k);
        Class &of_clock = classes[clock];
        of_clock.nodes.insert(of_clock.nodes.end(), support.begin(), support.end());
        ++of_clock.n_kicks;
        family.kicks->nodal_stiffness(k, stiffness);
        for (unsigned int i = 0; i < support.size(); ++i)
          if (is_shared(support[i]))
            stiffness_of_shared[clock][support[i]] += i < stiffness.size() ? stiffness[i] : 0.;
      });

  for (unsigned int c = 0; c < n_classes; ++c)
  {
    Class &of_clock = classes[c];
    std::sort(of_clock.nodes.begin(), of_clock.nodes.end());
    of_clock.nodes.erase(std::unique(of_clock.nodes.begin(), of_clock.nodes.end()),
                         of_clock.nodes.end());
    const double step = levels.classes().step(c);
    for (const auto &[node, sum] : stiffness_of_shared[c])
    {
      const double finest_step = levels.classes().step(finest[node]);
      if (nodes.is_rigid(node) || nodes.is_massless(node))
        continue;
      const double coefficient = step * step / 12 + finest_step * finest_step / 6;
      const double shift = coefficient * nodes[node].inverse_mass;
      of_clock.shared.push_back({node, shift, 1 / (1 + shift * sum), {}});
    }
    // in the order of the families
    for (unsigned int f = 0; f < families.size(); ++f)
    {
      const auto kicks = around[c].find(families[f].kicks.get());
      if (kicks != around[c].end())
        of_clock.kicks.push_back(families[f].kicks->subset(std::move(kicks->second)));
    }
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::shift(NodeTable<spacedim> &nodes, const unsigned int step_class,
                                 const double time)
{
  Class &of_class = classes[step_class];
  if (of_class.shared.empty())
    return;
  // For a while velocities are shifts: what kicks of step 1 make of none, with c for the mass.
  kept.clear();
  for (const unsigned int node : of_class.nodes)
  {
    NodeState &state = nodes[node];
    state.drift(time);
    kept.push_back(state);
    nodes.set_velocity(node, {});
    state.inverse_mass = 0;
  }
  for (SharedNode &shared : of_class.shared)
  {
    NodeState &state = nodes[shared.node];
    std::copy(state.displacement, state.displacement + spacedim, shared.own);
    state.inverse_mass = shared.shift;
  }
  for (unsigned int sweep = 0; sweep < n_sweeps; ++sweep)
  {
    for (const auto &kicks : of_class.kicks)
      kicks->kick(nodes, time, 1.);
    for (const SharedNode &shared : of_class.shared)
    {
      NodeState &state = nodes[shared.node];
      const auto whole = nodes.restraints.project(shared.node, nodes.velocity(shared.node));
      for (unsigned int d = 0; d < spacedim; ++d)
        state.displacement[d] +=
            shared.relaxation * (shared.own[d] + whole[d] - state.displacement[d]);
      nodes.set_velocity(shared.node, {});
    }
  }
  for (unsigned int i = 0; i < of_class.nodes.size(); ++i)
  {
    NodeState &state = nodes[of_class.nodes[i]];
    std::copy(kept[i].velocity, kept[i].velocity + 3, state.velocity);
    state.inverse_mass = kept[i].inverse_mass;
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::restore(NodeTable<spacedim> &nodes, const unsigned int step_class) const
{
  for (const SharedNode &shared : classes[step_class].shared)
    std::copy(shared.own, shared.own + spacedim, nodes[shared.node].displacement);
}

template class ClassBoundaries<2>;
template class ClassBoundaries<3>;
} // namespace KickDrift
