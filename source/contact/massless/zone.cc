#include <kickdrift/contact/massless/zone.h>

#include <kickdrift/base/archive_checks.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// Fixed intervals, counted in kicks, so that restarts agree to the bit.
constexpr unsigned int kicks_between_blocks = 10, kicks_between_searches = 100;
// But other faces are looked for as soon as nodes may have come this share of the layer's thickness
// nearer to each other.
constexpr double way_between_searches = 0.25;
} // namespace

template <int spacedim>
MasslessZone<spacedim>::MasslessZone(const NodeTable<spacedim> &nodes,
                                     const Stepper<spacedim> &stepper,
                                     MasslessTargets<spacedim> all_targets,
                                     std::vector<MasslessLoan> loans, std::vector<unsigned int> ids,
                                     MasslessBooks<spacedim> &books,
                                     const MasslessParameters &parameters)
    : nodes(nodes),
      stepper(stepper),
      targets(std::move(all_targets)),
      parameters(parameters),
      massless(std::move(loans)),
      ids_of_layer(std::move(ids)),
      length(std::numeric_limits<double>::infinity()),
      memories(targets.n_pairs()),
      stats(books.stats),
      pairs(books.pairs),
      done(books.done),
      copy(books.copy)
{
  for (const MasslessLoan &loan : massless)
    length = std::min(length, nodes.reference(loan.node).distance(nodes.reference(loan.receiver)));
  make_layer();
}

template <int spacedim>
void
MasslessZone<spacedim>::make_layer()
{
  std::vector<unsigned int> without_mass, massive;
  for (const MasslessLoan &loan : massless)
  {
    without_mass.push_back(loan.node);
    massive.push_back(loan.receiver);
  }
  for (const unsigned int id : ids_of_layer)
    for (const unsigned int node : stepper.supports().nodes_of_kick(id))
      massive.push_back(node);
  for (const auto &contactor : targets.all_contactors())
    massive.push_back(contactor.node);
  std::sort(massive.begin(), massive.end());
  massive.erase(std::unique(massive.begin(), massive.end()), massive.end());
  massive.erase(std::remove_if(massive.begin(), massive.end(),
                               [&](const unsigned int node) {
                                 return std::binary_search(without_mass.begin(), without_mass.end(),
                                                           node);
                               }),
                massive.end());
  layer = std::make_unique<MasslessLayer<spacedim>>(without_mass, massive);
  equilibrium =
      std::make_unique<MasslessEquilibrium<spacedim>>(*layer, targets, parameters, length);
}

template <int spacedim>
void
MasslessZone<spacedim>::start()
{
  for (const unsigned int id : ids_of_layer)
  {
    bool is_first = true; // then come loads and other followers, which also kick massive nodes
    stepper.for_each_kick(id,
                          [&](const Kicks<spacedim> &kicks, const unsigned int k)
                          {
                            layer->add(kicks, k, !is_first);
                            is_first = false;
                          });
  }
  copy_at(nodes, stepper.time());
  layer->update_blocks(copy, stepper.time(), length);
  targets.search(copy, memories);
  // nodes that touch at the start stick from there
  last.memories = memories;
  equilibrium->solve(copy, stepper.time(), last.memories);
  move_anchors(copy, memories);
}

template <int spacedim>
NodeTable<spacedim> &
MasslessZone<spacedim>::copy_at(const NodeTable<spacedim> &nodes, const double time) const
{
  for (const unsigned int node : layer->members())
  {
    copy[node] = nodes[node];
    copy[node].drift(time);
  }
  return copy;
}

template <int spacedim>
std::vector<unsigned int>
MasslessZone<spacedim>::support(unsigned int) const
{
  return layer->members();
}

template <int spacedim>
void
MasslessZone<spacedim>::assign_clocks(const std::vector<unsigned int> &clock_of_kick, unsigned int)
{
  own_clock = clock_of_kick[0];
}

template <int spacedim>
void
MasslessZone<spacedim>::change_clock(unsigned int, const unsigned int clock)
{
  own_clock = clock;
}

template <int spacedim>
void
MasslessZone<spacedim>::solve(NodeTable<spacedim> &nodes, const double time,
                              std::vector<Vector> &forces) const
{
  last.memories = memories;
  last.effort = equilibrium->solve(nodes, time, last.memories);
  layer->forces(nodes, time, forces);
  const auto add = [&](const auto &stencil, const Vector &force)
  {
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      forces[layer->member(stencil.nodes[i])] += stencil.coefficients[i] * force;
  };
  for_each_force(
      [&](const MasslessContact<spacedim> &contact, const Vector &normal, const Vector &friction)
      {
        add(contact.stencil, normal);
        add(contact.anchor, friction);
      });
}

template <int spacedim>
double
MasslessZone<spacedim>::solve_now() const
{
  const double time = stepper.time();
  std::vector<Vector> forces;
  solve(copy_at(nodes, time), time, forces);
  return time - stepper.levels().clocks()[own_clock].covered_until();
}

template <int spacedim>
void
MasslessZone<spacedim>::book_impulses(ContactStatistics<spacedim> &statistics,
                                      const double duration) const
{
  const auto add = [&](std::vector<Vector> &impulses, const auto &stencil, const Vector &force)
  {
    for (unsigned int i = 0; i < stencil.n_nodes; ++i)
      impulses[stencil.nodes[i]] += duration * stencil.coefficients[i] * force;
  };
  for_each_force(
      [&](const MasslessContact<spacedim> &contact, const Vector &normal, const Vector &friction)
      {
        add(statistics.impulse, contact.stencil, normal);
        add(statistics.impulse, contact.anchor, friction);
        add(statistics.friction_impulse, contact.anchor, friction);
      });
}

template <int spacedim>
void
MasslessZone<spacedim>::book_impulses(ContactPairs<spacedim> &of_pairs, const double duration) const
{
  for_each_force(
      [&](const MasslessContact<spacedim> &contact, const Vector &normal, const Vector &friction)
      {
        of_pairs.book(targets.body(contact.pair),
                      targets.target(contact.pair, last.memories[contact.pair]),
                      duration * (normal + friction));
      });
}

template <int spacedim>
void
MasslessZone<spacedim>::add_pending(ContactStatistics<spacedim> &statistics) const
{
  book_impulses(statistics, solve_now());
}

template <int spacedim>
void
MasslessZone<spacedim>::add_pending(ContactPairs<spacedim> &of_pairs) const
{
  book_impulses(of_pairs, solve_now());
}

template <int spacedim>
void
MasslessZone<spacedim>::kick(NodeTable<spacedim> &nodes, const unsigned int clock,
                             const double time, const double step) const
{
  if (clock != own_clock)
    return;
  for (const unsigned int node : layer->members())
    nodes[node].drift(time);
  std::vector<Vector> &forces = forces_on_members;
  solve(nodes, time, forces);
  last.step = step;
  for (unsigned int a = 0; a < massless.size(); ++a)
  {
    nodes.restraints.take_reaction(massless[a].node, step * forces[a]);
    forces[layer->member(massless[a].receiver)] +=
        nodes.restraints.project(massless[a].node, forces[a]);
  }
  for (unsigned int i = massless.size(); i < forces.size(); ++i)
  {
    const unsigned int node = layer->members()[i];
    if (nodes.restraints.is_restrained(node)) // perhaps no other kick of this clock acts on it
    {
      nodes.apply_impulse(node, step * forces[i]);
      continue;
    }
    NodeState &state = nodes[node];
    for (unsigned int d = 0; d < spacedim; ++d)
      state.velocity[d] += state.inverse_mass * (step * forces[i][d]);
  }
  for (const MasslessLoan &loan : massless)
    nodes.set_velocity(loan.node,
                       nodes.restraints.project(loan.node, nodes.velocity(loan.receiver)));
}

template <int spacedim>
void
MasslessZone<spacedim>::force(const NodeTable<spacedim> &nodes, unsigned int, const double time,
                              std::vector<Vector> &force) const
{
  solve(copy_at(nodes, time), time, force);
}

template <int spacedim>
void
MasslessZone<spacedim>::add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const
{
  const double time = nodes[massless[0].node].time;
  last.memories = memories;
  balance.strain += equilibrium->solve(copy_at(nodes, time), time, last.memories).energy;
  balance.friction_loss += slip_loss(copy);
}

/// By the trapezoidal rule between kicks.
template <int spacedim>
double
MasslessZone<spacedim>::slip_loss(const NodeTable<spacedim> &nodes) const
{
  double loss = 0;
  const auto &contacts = equilibrium->contacts();
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    const unsigned int pair = contacts[c].pair;
    if (contacts[c].anchor.n_nodes > 0 && equilibrium->slips(c, last.memories))
      loss -= 0.5 * (memories[pair].friction + last.memories[pair].friction) *
              targets.slip_beyond(nodes, contacts[c], memories[pair],
                                  equilibrium->elastic_slip(c, last.memories));
  }
  return loss;
}

template <int spacedim>
void
MasslessZone<spacedim>::move_anchors(
    const NodeTable<spacedim> &nodes,
    typename MasslessEquilibrium<spacedim>::Memories &of_pairs) const
{
  const auto &contacts = equilibrium->contacts();
  std::vector<char> is_near(of_pairs.size(), 0);
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    auto &memory = of_pairs[contacts[c].pair];
    is_near[contacts[c].pair] = 1;
    // what sticks keeps its anchor, so that it does not creep
    const bool is_held = memory.is_anchored && contacts[c].anchor.n_nodes > 0; // by this body
    if (contacts[c].friction > 0 && (!is_held || equilibrium->slips(c, of_pairs)))
      targets.move_anchor(nodes, contacts[c], equilibrium->elastic_slip(c, of_pairs), memory);
  }
  for (unsigned int pair = 0; pair < of_pairs.size(); ++pair)
    of_pairs[pair].is_anchored = of_pairs[pair].is_anchored && is_near[pair];
}

template <int spacedim>
void
MasslessZone<spacedim>::book(const NodeTable<spacedim> &nodes, const unsigned int clock,
                             const double time)
{
  if (clock != own_clock)
    return;
  book_impulses(stats, last.step);
  book_impulses(pairs, last.step);
  stats.friction_loss += slip_loss(nodes);
  move_anchors(nodes, last.memories);
  memories.swap(last.memories);
  ++done.solutions;
  ++kicks;
  done.iterations += last.effort.iterations;
  done.sweeps += last.effort.sweeps;
  done.unfinished += !last.effort.has_converged;
  stats.tests += memories.size();
  stats.max_penetration = std::max(stats.max_penetration, last.effort.penetration);
  if (!layer->is_linear() && kicks % kicks_between_blocks == 0)
    layer->update_blocks(copy_at(nodes, time), time, length);
  way_since_search += last.step * largest_relative_speed(nodes);
  if (kicks % kicks_between_searches != 0 && way_since_search <= way_between_searches * length)
    return;
  way_since_search = 0;
  targets.search(copy_at(nodes, time), memories);
}

/// Of two contactors, at most: the diagonal of the box of all velocities [length/time].
template <int spacedim>
double
MasslessZone<spacedim>::largest_relative_speed(const NodeTable<spacedim> &nodes) const
{
  Vector diagonal;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    double least = std::numeric_limits<double>::infinity(), largest = -least;
    for (const auto &contactor : targets.all_contactors())
    {
      least = std::min(least, nodes.velocity(contactor.node)[d]);
      largest = std::max(largest, nodes.velocity(contactor.node)[d]);
    }
    diagonal[d] = largest - least;
  }
  return diagonal.norm();
}

template <int spacedim>
void
MasslessZone<spacedim>::serialize(Archive &archive)
{
  archive.fixed(memories);
  for (const MasslessContactMemory<spacedim> &memory : memories)
    check_state(targets.has_face(memory.face) && targets.has_face(memory.anchor.face) &&
                    is_flag(memory.is_anchored) && std::isfinite(memory.force),
                "massless zone");
  archive(kicks, way_since_search, *layer);
}

template class MasslessZone<2>;
template class MasslessZone<3>;
} // namespace KickDrift
