#include <kickdrift/contact/massless/equilibrium.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
MasslessEquilibrium<spacedim>::MasslessEquilibrium(const MasslessLayer<spacedim> &layer,
                                                   const MasslessTargets<spacedim> &targets,
                                                   const MasslessParameters &parameters,
                                                   const double length)
    : layer(layer), targets(targets), parameters(parameters), length(length)
{
}

template <int spacedim>
typename MasslessEquilibrium<spacedim>::Effort
MasslessEquilibrium<spacedim>::solve(NodeTable<spacedim> &nodes, const double time,
                                     Memories &memories) const
{
  // far from the equilibrium blocks are no good for long ways
  const double longest = 0.3 * length, small = parameters.tolerance * length;
  Effort effort;
  targets.walk(nodes, memories);
  while (!effort.has_converged && effort.iterations < parameters.most_iterations)
  {
    ++effort.iterations;
    targets.find(nodes, memories, found);
    make_constraints(memories);
    layer.forces(nodes, time, residuals);
    add_contact_forces(memories);
    motions.assign(layer.n_massless(), Vector());
    unsigned int n_sweeps = 0;
    for (double change = 2 * small; n_sweeps < parameters.fewest_sweeps ||
                                    (change > small && n_sweeps < parameters.most_sweeps);
         ++n_sweeps)
      change = sweep(memories);
    effort.sweeps += n_sweeps;
    double largest = 0;
    bool is_finite = true;
    for (const Vector &motion : motions)
    {
      largest = std::max(largest, motion.norm());
      is_finite = is_finite && std::isfinite(motion.norm());
    }
    const double share = largest > longest ? longest / largest : 1;
    for (unsigned int a = 0; a < motions.size(); ++a)
      for (unsigned int d = 0; d < spacedim; ++d)
        nodes[layer.members()[a]].displacement[d] += share * motions[a][d];
    effort.has_converged = is_finite && largest <= 10 * small;
    effort.penetration = penetration(share);
  }
  effort.energy = energy(memories);
  return effort;
}

template <int spacedim>
typename MasslessEquilibrium<spacedim>::Members
MasslessEquilibrium<spacedim>::members_of(const ContactStencil<spacedim> &stencil) const
{
  Members members;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int member = layer.member(stencil.nodes[i]);
    if (member >= layer.n_massless())
      continue;
    members.massless[members.n] = member;
    members.coefficients[members.n] = stencil.coefficients[i];
    ++members.n;
  }
  return members;
}

template <int spacedim>
void
MasslessEquilibrium<spacedim>::make_constraints(Memories &memories) const
{
  constraints.assign(found.size(), Constraint());
  is_found.assign(memories.size(), 0);
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const Contact &contact = found[c];
    Constraint &constraint = constraints[c];
    Memory &memory = memories[contact.pair];
    constraint.gap = members_of(contact.stencil);
    constraint.slip = members_of(contact.anchor);
    for (unsigned int i = 0; i < constraint.gap.n; ++i)
      constraint.flexibility +=
          constraint.gap.coefficients[i] * constraint.gap.coefficients[i] *
          (contact.stencil.normal *
           (layer.flexibility(constraint.gap.massless[i]) * contact.stencil.normal));
    for (unsigned int i = 0; i < constraint.slip.n; ++i)
    {
      const auto &flexibility = layer.flexibility(constraint.slip.massless[i]);
      constraint.tangential_flexibility +=
          constraint.slip.coefficients[i] * constraint.slip.coefficients[i] *
          (trace(flexibility) - contact.stencil.normal * (flexibility * contact.stencil.normal));
    }
    const unsigned int contactor = layer.member(contact.stencil.nodes[0]);
    if (!contact.is_with_obstacle() && contactor < layer.n_massless())
      constraint.compliance =
          parameters.compliance * trace(layer.flexibility(contactor)) / spacedim;
    is_found[contact.pair] = constraint.flexibility > 0;
    memory.friction = constraint.slip.n > 0 ? contact.tangential(memory.friction) : Vector();
  }
  for (unsigned int pair = 0; pair < memories.size(); ++pair)
    if (!is_found[pair])
    {
      memories[pair].force = 0;
      memories[pair].friction = Vector();
    }
}

template <int spacedim>
void
MasslessEquilibrium<spacedim>::add_contact_forces(const Memories &memories) const
{
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const Memory &memory = memories[found[c].pair];
    add_force(constraints[c].gap, memory.force * found[c].stencil.normal);
    add_force(constraints[c].slip, memory.friction);
  }
}

template <int spacedim>
void
MasslessEquilibrium<spacedim>::add_force(const Members &members, const Vector &force) const
{
  for (unsigned int i = 0; i < members.n; ++i)
    residuals[members.massless[i]] += members.coefficients[i] * force;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::push(const Members &members, const Vector &force) const
{
  add_force(members, force);
  double longest = 0;
  for (unsigned int i = 0; i < members.n; ++i)
  {
    const unsigned int a = members.massless[i];
    const Vector motion = layer.flexibility(a) * (members.coefficients[i] * force);
    motions[a] += motion;
    longest = std::max(longest, motion.norm());
  }
  return longest;
}

template <int spacedim>
typename MasslessEquilibrium<spacedim>::Vector
MasslessEquilibrium<spacedim>::motion_of(const Members &members) const
{
  Vector sum;
  for (unsigned int i = 0; i < members.n; ++i)
    sum += members.coefficients[i] * motions[members.massless[i]];
  return sum;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep(Memories &memories) const
{
  const double by_nodes = sweep_nodes();
  return std::max(by_nodes, sweep_contacts(memories));
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep_nodes() const
{
  double largest = 0;
  for (unsigned int a = 0; a < layer.n_massless(); ++a)
  {
    Vector force = residuals[a];
    const auto neighbours = layer.neighbours(a);
    const auto blocks = layer.blocks(a);
    for (unsigned int i = 0; i < neighbours.size(); ++i)
      force -= blocks[i] * motions[neighbours[i]];
    const Vector motion = layer.flexibility(a) * force;
    largest = std::max(largest, (motion - motions[a]).norm_square());
    motions[a] = motion;
  }
  return std::sqrt(largest);
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep_contacts(Memories &memories) const
{
  double largest = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    Memory &memory = memories[found[c].pair];
    if (constraints[c].flexibility > 0)
      largest = std::max(largest, change_force(found[c], constraints[c], memory));
    if (constraints[c].tangential_flexibility > 0)
      largest = std::max(largest, change_friction(found[c], constraints[c], memory));
  }
  return largest;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::change_force(const Contact &contact, const Constraint &constraint,
                                            Memory &memory) const
{
  const double gap = contact.gap + contact.stencil.normal * motion_of(constraint.gap) +
                     constraint.compliance * memory.force;
  const double change =
      std::max(-memory.force, -gap / (constraint.flexibility + constraint.compliance));
  if (change == 0)
    return 0;
  memory.force += change;
  return push(constraint.gap, change * contact.stencil.normal);
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::change_friction(const Contact &contact, const Constraint &constraint,
                                               Memory &memory) const
{
  const Vector slip = contact.slip + contact.tangential(motion_of(constraint.slip)) +
                      constraint.compliance * memory.friction;
  Vector friction =
      memory.friction - slip / (constraint.tangential_flexibility + constraint.compliance);
  const double most = contact.friction * memory.force, size = friction.norm();
  if (size > most)
    friction *= most / size;
  const Vector change = friction - memory.friction;
  if (change.norm_square() == 0)
    return 0;
  memory.friction = friction;
  return push(constraint.slip, change);
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::penetration(const double share) const
{
  double deepest = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
    deepest = std::max(
        deepest, -found[c].gap - share * (found[c].stencil.normal * motion_of(constraints[c].gap)));
  return deepest;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::energy(const Memories &memories) const
{
  double sum = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const Memory &memory = memories[found[c].pair];
    sum += 0.5 * constraints[c].compliance *
           (memory.force * memory.force + memory.friction.norm_square());
  }
  return sum;
}

template class MasslessEquilibrium<2>;
template class MasslessEquilibrium<3>;
} // namespace KickDrift
