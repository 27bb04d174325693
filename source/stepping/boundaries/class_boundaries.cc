#include <kickdrift/stepping/boundaries/class_boundaries.h>

#include <deal.II/base/bounding_box.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
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
  std::vector<std::vector<unsigned int>> on_shifted(families.size());
  result.others.resize(families.size());
  std::vector<OfKick> of_kicks;
  std::vector<double> stiffness;
  const double step = levels.classes().step(step_class);
  const auto reading = [&](const unsigned int finest)
  {
    const double finest_step = levels.classes().step(finest);
    return finest < step_class ? (4 * finest_step * finest_step - step * step) / 24 : 0.;
  };
  const auto &kicks = shared_nodes.kicks(step_class);
  std::vector<unsigned int> shifted; // here or elsewhere
  for (const KickOfFamily &kick : kicks)
    for (const unsigned int node : families[kick.family].kicks->support(kick.kick))
      if (shared_nodes.is_shared(node))
      {
        const unsigned int finest = shared_nodes.finest(shared_nodes.stratum(kick), node);
        if (finest < step_class)
          shifted.push_back(node);
        result.is_read = result.is_read || reading(finest) != 0;
      }
  make_unique(shifted);
  for (const KickOfFamily &kick : kicks)
  {
    const auto [f, k] = kick;
    const auto support = families[f].kicks->support(k);
    const bool is_on_shifted =
        std::any_of(support.begin(), support.end(),
                    [&](const unsigned int node)
                    { return std::binary_search(shifted.begin(), shifted.end(), node); });
    result.n_kicks += is_on_shifted;
    if (families[f].elsewhere(k))
      continue;
    (is_on_shifted ? on_shifted : result.others)[f].push_back(k);
    result.nodes.insert(result.nodes.end(), support.begin(), support.end());
    families[f].kicks->nodal_stiffness(k, stiffness);
    stiffness.resize(support.size(), 0.); // of loads
    const unsigned int stratum = shared_nodes.stratum(kick);
    for (unsigned int i = 0; i < support.size(); ++i)
      if (shared_nodes.is_shared(support[i]))
        of_kicks.push_back({support[i], shared_nodes.finest(stratum, support[i]), stiffness[i]});
  }
  make_unique(result.nodes);
  for (unsigned int f = 0; f < families.size(); ++f)
    if (!on_shifted[f].empty())
      result.kicks.push_back(families[f].kicks->subset(std::move(on_shifted[f])));

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
    const bool may_shift = !nodes.is_rigid(shared_node.node);
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
  result.halo = make_halo(shifted);
  for (auto &received : result.halo.received)
    for (unsigned int &node : received)
      if (!std::binary_search(result.nodes.begin(), result.nodes.end(), node))
        node = nowhere;
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
ClassBoundaries<spacedim>::begin_shift(NodeTable<spacedim> &nodes, Class &of_class)
{
  put_aside(nodes, of_class);
  // Kicks of step 1 make shifts of no velocities, with c for the mass.
  for (Node &shared : of_class.shared)
  {
    NodeState &state = nodes[shared.node];
    std::copy(state.displacement, state.displacement + spacedim, shared.own);
    std::copy(state.displacement, state.displacement + spacedim, shared.before);
    state.inverse_mass = shared.shift;
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::sweep(NodeTable<spacedim> &nodes, Class &of_class, const double time,
                                 const double weight) const
{
  for (const auto &kicks : of_class.kicks)
    kicks->kick(nodes, time, 1.);
  for (Node &shared : of_class.shared)
  {
    if (shared.shift == 0)
      continue;
    NodeState &state = nodes[shared.node];
    const double relaxation = 1 / (1 + shared.shift * shared.stiffness);
    const auto whole = nodes.restraints.project(shared.node, nodes.velocity(shared.node));
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const double now = state.displacement[d];
      const double next = now + relaxation * (shared.own[d] + whole[d] - now);
      state.displacement[d] = shared.before[d] + weight * (next - shared.before[d]);
      shared.before[d] = now;
    }
    nodes.set_velocity(shared.node, {});
  }
  exchange(nodes, of_class.halo);
}

template <int spacedim>
void
ClassBoundaries<spacedim>::shift(NodeTable<spacedim> &nodes, const TimeLevels &levels,
                                 const unsigned int step_class, const double time)
{
  Class &of_class = current(levels, nodes, step_class);
  n_kicks += sweeps * of_class.n_kicks;
  if (!of_class.has_shifts())
    return;
  for (const unsigned int node : of_class.nodes)
    nodes[node].drift(time);
  begin_shift(nodes, of_class);
  try
  {
    const double reduction = step_class < reductions.size() ? reductions[step_class] : 0.;
    double weight = 1;
    for (unsigned int i = 0; i < sweeps; ++i)
    {
      weight = weight_of_sweep(i, reduction, weight);
      sweep(nodes, of_class, time, weight);
    }
  }
  catch (...)
  {
    put_back(nodes, of_class);
    restore(nodes, step_class);
    throw;
  }
  put_back(nodes, of_class);
}

template <int spacedim>
void
ClassBoundaries<spacedim>::make_other_kicks(Class &of_class) const
{
  for (unsigned int f = 0; f < of_class.others.size(); ++f)
    if (!of_class.others[f].empty())
      of_class.other_kicks.push_back(families[f].kicks->subset(std::move(of_class.others[f])));
  of_class.others.clear();
}

template <int spacedim>
double
ClassBoundaries<spacedim>::rate_of_kicks(const NodeTable<spacedim> &nodes, const TimeLevels &levels)
{
  double rate = 0;
  for (unsigned int c = 0; c < levels.clocks().size(); ++c)
    rate += sweeps * current(levels, nodes, c).n_kicks / levels.classes().step(c);
  return rate;
}

/// What a sweep leaves of a small difference of positions; again and again, so that it becomes one
/// that is reduced as little as any.
template <int spacedim>
double
ClassBoundaries<spacedim>::contraction(NodeTable<spacedim> &nodes, const unsigned int step_class,
                                       Class &of_class)
{
  const auto largest_of_all = [this](double value)
  {
    if (ranks)
      for (const double other : ranks->gather({value}, std::vector<std::size_t>(ranks->size(), 1)))
        value = std::max(value, other);
    return value;
  };
  if (of_class.n_kicks == 0)
    return 0;
  std::vector<dealii::Point<spacedim>> places; // here and elsewhere
  for (const auto &[f, k] : shared_nodes.kicks(step_class))
    for (const unsigned int node : families[f].kicks->support(k))
      places.push_back(nodes.reference(node));
  const auto corners = dealii::BoundingBox<spacedim>(places).get_boundary_points();
  // of differences: strains are small in small cells, too, and above what rounding makes of forces
  const double size = 1e-9 * corners.first.distance(corners.second);
  const double time = of_class.nodes.empty() ? 0. : nodes[of_class.nodes[0]].time;

  const auto positions = [&]
  {
    std::vector<double> result;
    for (const Node &shared : of_class.shared)
      result.insert(result.end(), nodes[shared.node].displacement,
                    nodes[shared.node].displacement + spacedim);
    return result;
  };
  begin_shift(nodes, of_class);
  sweep(nodes, of_class, time);
  const std::vector<double> base = positions();
  std::vector<double> difference(base.size());
  for (unsigned int i = 0; i < of_class.shared.size(); ++i)
  {
    const unsigned int node = of_class.shared[i].node;
    std::minstd_rand random(node + 1);
    random.discard(1);
    dealii::Tensor<1, spacedim> one;
    for (unsigned int d = 0; d < spacedim; ++d)
      one[d] = size * (2. * random() / std::minstd_rand::max() - 1);
    one = nodes.restraints.project(node, one);
    for (unsigned int d = 0; d < spacedim && of_class.shared[i].shift > 0; ++d)
      difference[spacedim * i + d] = one[d];
  }
  // some until what is reduced least is left, and some to average over
  constexpr unsigned int n_before = 2, n_after = 4;
  double product = 1, factor = 1;
  for (unsigned int i = 0; i < n_before + n_after && factor > 0; ++i)
  {
    for (unsigned int n = 0; n < of_class.shared.size(); ++n)
      for (unsigned int d = 0; d < spacedim; ++d)
        nodes[of_class.shared[n].node].displacement[d] =
            of_class.shared[n].own[d] + difference[spacedim * n + d];
    sweep(nodes, of_class, time);
    const std::vector<double> now = positions();
    double largest = 0;
    for (unsigned int n = 0; n < of_class.shared.size(); ++n)
    {
      dealii::Tensor<1, spacedim> left;
      for (unsigned int d = 0; d < spacedim; ++d)
        left[d] = now[spacedim * n + d] - base[spacedim * n + d];
      // rounding across restraints would become a difference of its own
      left = nodes.restraints.project(of_class.shared[n].node, left);
      for (unsigned int d = 0; d < spacedim; ++d)
        largest = std::max(largest, std::abs(difference[spacedim * n + d] = left[d]));
    }
    factor = largest_of_all(largest) / size;
    for (double &each : difference)
      each = factor > 0 ? each / factor : 0;
    product *= i < n_before ? 1 : factor;
  }
  for (const Node &shared : of_class.shared)
    std::copy(shared.own, shared.own + spacedim, nodes[shared.node].displacement);
  put_back(nodes, of_class);
  return factor > 0 ? std::pow(product, 1. / n_after) : 0.;
}

template <int spacedim>
void
ClassBoundaries<spacedim>::choose_sweeps(NodeTable<spacedim> &nodes, const TimeLevels &levels)
{
  reductions.clear();
  sweeps = fewest_sweeps;
  for (unsigned int c = 0; c < levels.clocks().size(); ++c)
  {
    const double measured = contraction(nodes, c, current(levels, nodes, c));
    // in hundredths, which hardly depend on rounding; below 1, where what accelerates is defined
    reductions.push_back(std::min(std::round(100 * measured) / 100, 0.99));
    sweeps = std::max(sweeps, sweeps_needed(reductions.back()));
  }
}

template <int spacedim>
void
ClassBoundaries<spacedim>::restore(NodeTable<spacedim> &nodes, const unsigned int step_class) const
{
  const Class &of_class = classes[step_class];
  if (of_class.has_shifts())
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
    if (levels.clocks().n_kicks(c) == 0)
      continue;
    Class &of_class = current(levels, nodes, c);
    const double rest = time - levels.clocks()[c].covered_until();
    offset[c] = 0.5 * rest * rest;
    const double step = levels.classes().step(c);
    if (of_class.is_read || offset[c] > std::numeric_limits<double>::epsilon() * step * step)
    {
      classes_that_shift.push_back(c);
      make_other_kicks(of_class);
    }
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
  for (unsigned int sweep = 0; sweep < most_sweeps; ++sweep)
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
